//! Tables as Parquet: written in row groups, read back row by row.

use std::fs::File;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::columns::{Columns, STEP, Values, go_on};
use super::{invalid, too_many};

/// Rows read at a time.
const BATCH: usize = 8_192;

/// The most bytes of a column in one row group, of which [`written`] makes far less.
const CHUNK: i64 = 256 << 20;

/// Writes a table; see [`written`].
pub(super) fn write(
    parts: impl Iterator<Item = Columns>,
    to: impl Write + Send,
    stopped: &dyn Fn() -> bool,
) -> io::Result<()> {
    written(parts, to, stopped).map_err(to_io)
}

/// As Parquet: a row group for each part of a table (at least one part), compressed
/// with snappy, with dictionaries where they help.
fn written(
    parts: impl Iterator<Item = Columns>,
    to: impl Write + Send,
    stopped: &dyn Fn() -> bool,
) -> parquet::errors::Result<()> {
    let mut parts = parts.peekable();
    let schema = schema(parts.peek().expect("a table has a part"))?;
    let made_by = KeyValue::new("tusker".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("tusker ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![made_by]))
        .build();
    let mut file = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
    for part in parts {
        let mut group = file.next_row_group()?;
        for (_, values) in &part.0 {
            let mut column = group.next_column()?.expect("the schema has this column");
            write_values(values, &mut column, stopped)?;
            column.close()?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

fn schema(columns: &Columns) -> parquet::errors::Result<Type> {
    let fields = columns.0.iter().map(|(name, values)| {
        let (physical, repetition, logical) = match values {
            Values::Int(_) => (PhysicalType::INT64, Repetition::REQUIRED, None),
            Values::Float(_) => (PhysicalType::DOUBLE, Repetition::OPTIONAL, None),
            Values::Text(..) => {
                let text = Some(LogicalType::String);
                (PhysicalType::BYTE_ARRAY, Repetition::REQUIRED, text)
            }
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build()
}

fn write_values(
    values: &Values,
    column: &mut SerializedColumnWriter<'_>,
    stopped: &dyn Fn() -> bool,
) -> parquet::errors::Result<()> {
    let go_on = || go_on(stopped).map_err(|stop| ParquetError::External(Box::new(stop)));
    match values {
        Values::Int(v) => {
            for v in v.chunks(STEP) {
                go_on()?;
                column.typed::<Int64Type>().write_batch(v, None, None)?;
            }
        }
        Values::Float(v) => {
            for v in v.chunks(STEP) {
                go_on()?;
                let present: Vec<f64> = v.iter().copied().filter(|v| !v.is_nan()).collect();
                let levels: Vec<i16> = v.iter().map(|v| i16::from(!v.is_nan())).collect();
                column.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
            }
        }
        Values::Text(texts, v) => {
            let texts: Vec<ByteArray> = texts.iter().map(|t| ByteArray::from(t.as_str())).collect();
            for v in v.chunks(STEP) {
                go_on()?;
                let rows: Vec<ByteArray> = v.iter().map(|&i| texts[i as usize].clone()).collect();
                column.typed::<ByteArrayType>().write_batch(&rows, None, None)?;
            }
        }
    }
    Ok(())
}

/// Passes on every row, like [`super::read::rows`].
///
/// The library's reader panics on some damaged files. Hashes detect damage before
/// that; a file forged together with its hash gives an error here.
pub(super) fn rows(
    file: File,
    most: u64,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    let reading = AssertUnwindSafe(|| read(file, most, texts, numbers, each));
    panic::catch_unwind(reading).unwrap_or_else(|_| Err(invalid("it cannot be read as Parquet")))
}

fn read(
    file: File,
    most: u64,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    let reader = SerializedFileReader::new(file).map_err(to_io)?;
    // what is compressed may be a thousandth of what it becomes
    let groups = reader.metadata().row_groups();
    let rows = |group: &RowGroupMetaData| u64::try_from(group.num_rows()).unwrap_or(u64::MAX);
    if groups.iter().map(rows).fold(0, u64::saturating_add) > most {
        return Err(too_many(most));
    }
    let columns = groups.iter().flat_map(RowGroupMetaData::columns);
    if columns.map(|column| column.uncompressed_size()).any(|size| !(0..=CHUNK).contains(&size)) {
        return Err(invalid("a part of a column is longer than 256 MiB"));
    }
    let schema = reader.metadata().file_metadata().schema_descr();
    let place = |name: &&str| {
        let found = schema.columns().iter().position(|column| column.name() == *name);
        found.ok_or_else(|| invalid(format!("it has no column `{name}`")))
    };
    let places = texts.iter().chain(numbers).map(place).collect::<io::Result<Vec<_>>>()?;
    for g in 0..reader.num_row_groups() {
        let group = reader.get_row_group(g).map_err(to_io)?;
        let columns = places.iter().map(|&place| group.get_column_reader(place));
        let mut columns = columns.collect::<Result<Vec<_>, _>>().map_err(to_io)?;
        let mut left = group.metadata().num_rows() as usize;
        while left > 0 {
            let batch = left.min(BATCH);
            let values = columns.iter_mut().map(|column| Batch::read(column, batch));
            let values = values.collect::<io::Result<Vec<_>>>()?;
            let (words, figures) = values.split_at(texts.len());
            let mut row = (Vec::new(), Vec::new());
            for i in 0..batch {
                row.0.clear();
                for column in words {
                    row.0.push(column.text(i)?);
                }
                row.1.clear();
                row.1.extend(figures.iter().map(|column| column.number(i)));
                each(&row.0, &row.1);
            }
            left -= batch;
        }
    }
    Ok(())
}

/// Some values of a column.
enum Batch {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl Batch {
    fn read(column: &mut ColumnReader, rows: usize) -> io::Result<Self> {
        let (mut levels, whole) = (Vec::new(), || invalid("a value is missing"));
        macro_rules! values {
            ($reader:expr, $kind:ident, $levels:expr) => {{
                let mut values = Vec::with_capacity(rows);
                let read = $reader.read_records(rows, $levels, None, &mut values);
                read.map_err(to_io)?;
                if values.len() == rows { Ok(Self::$kind(values)) } else { Err(whole()) }
            }};
        }
        match column {
            ColumnReader::Int64ColumnReader(reader) => values!(reader, Int, None),
            ColumnReader::DoubleColumnReader(reader) => values!(reader, Float, Some(&mut levels)),
            ColumnReader::ByteArrayColumnReader(reader) => values!(reader, Text, None),
            _ => Err(invalid("a column has a type that tusker does not write")),
        }
    }

    fn text(&self, row: usize) -> io::Result<&str> {
        match self {
            Self::Text(values) => values[row].as_utf8().map_err(|_| invalid("a name is not UTF-8")),
            _ => Err(invalid("there is a number instead of a name")),
        }
    }

    fn number(&self, row: usize) -> f64 {
        match self {
            Self::Int(values) => values[row] as f64,
            Self::Float(values) => values[row],
            Self::Text(_) => f64::NAN,
        }
    }
}

fn to_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use parquet::record::RowAccessor;

    use super::*;
    use crate::columns::example;

    #[test]
    fn parquet_is_read_back() {
        let mut bytes = Vec::new();
        let parts = [example(), example()].into_iter();
        write(parts, &mut bytes, &|| false).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0].get_string(0).unwrap(), "a,b");
        assert_eq!(rows[1].get_long(1).unwrap(), 2);
        assert_eq!(rows[0].get_double(2).unwrap(), 0.1);
        assert!(rows[1].get_double(2).is_err(), "null has no value");
        assert_eq!(rows[1].get_string(3).unwrap(), "red");
        assert_eq!(rows[2].get_string(0).unwrap(), "a,b", "of the second part");
    }

    /// With any byte of a table changed, reading works or gives an error, whatever
    /// the library does.
    #[test]
    fn a_forged_table_is_an_error_at_worst() {
        let mut whole = Vec::new();
        write([example()].into_iter(), &mut whole, &|| false).unwrap();
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.parquet");
        let mut errors = 0;
        for at in 0..whole.len() {
            let mut forged = whole.clone();
            forged[at] ^= 0x22;
            std::fs::write(&path, forged).unwrap();
            let file = File::open(&path).unwrap();
            errors += u32::from(rows(file, 9, &["name"], &["seed"], &mut |_, _| {}).is_err());
        }
        assert!(errors > 10, "only {errors} of {} were noticed", whole.len());
    }
}
