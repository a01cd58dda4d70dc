//! A table of typed columns, and the two formats it is written in.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// Values, or rows of CSV, between two questions whether to stop: a multiple of
/// what Parquet takes at a time.
pub(super) const STEP: usize = 4_096;

/// Whether to stop, as an error of [`io::ErrorKind::Interrupted`].
fn go_on(stopped: &dyn Fn() -> bool) -> io::Result<()> {
    if stopped() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

/// Columns of equal length.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(Vec<(&'static str, Values)>);

/// The values of one column.
#[derive(Clone, Debug)]
pub(super) enum Values {
    /// Whole numbers.
    Int(Vec<i64>),
    /// Numbers; NaN is null.
    Float(Vec<f64>),
    /// Text as indices into a list of the texts that occur.
    Text(Vec<String>, Vec<u32>),
}

impl Columns {
    pub(super) fn int(&mut self, name: &'static str, values: impl Iterator<Item = u64>) {
        self.0.push((name, Values::Int(values.map(|v| v as i64).collect())));
    }

    pub(super) fn float(&mut self, name: &'static str, values: impl Iterator<Item = Option<f64>>) {
        self.0.push((name, Values::Float(values.map(|v| v.unwrap_or(f64::NAN)).collect())));
    }

    /// One text per row.
    pub(super) fn text(&mut self, name: &'static str, values: impl Iterator<Item = String>) {
        let texts: Vec<String> = values.collect();
        let rows = (0..texts.len() as u32).collect();
        self.0.push((name, Values::Text(texts, rows)));
    }

    /// Texts that recur.
    pub(super) fn labels(&mut self, name: &'static str, texts: Vec<String>, rows: Vec<u32>) {
        self.0.push((name, Values::Text(texts, rows)));
    }

    fn rows(&self) -> usize {
        match self.0.first() {
            None => 0,
            Some((_, Values::Int(v))) => v.len(),
            Some((_, Values::Float(v))) => v.len(),
            Some((_, Values::Text(_, v))) => v.len(),
        }
    }

    /// As CSV (RFC 4180): a line of names, then the rows of all parts of a table;
    /// null is empty.
    pub(super) fn write_csv(
        parts: impl Iterator<Item = Self>,
        mut to: impl Write,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        for (nth, part) in parts.enumerate() {
            if nth == 0 {
                let names: Vec<&str> = part.0.iter().map(|(name, _)| *name).collect();
                writeln!(to, "{}", names.join(","))?;
            }
            for row in 0..part.rows() {
                if row % STEP == 0 {
                    go_on(stopped)?;
                }
                part.write_row(row, &mut to)?;
            }
        }
        to.flush()
    }

    fn write_row(&self, row: usize, to: &mut impl Write) -> io::Result<()> {
        for (column, (_, values)) in self.0.iter().enumerate() {
            if column > 0 {
                write!(to, ",")?;
            }
            match values {
                Values::Int(v) => write!(to, "{}", v[row])?,
                Values::Float(v) if v[row].is_nan() => {}
                Values::Float(v) => write!(to, "{}", v[row])?,
                Values::Text(texts, v) => write!(to, "{}", quoted(&texts[v[row] as usize]))?,
            }
        }
        writeln!(to)
    }

    /// As Parquet: a row group for each part of a table, of which there must be
    /// one, snappy, dictionaries where they pay.
    pub(super) fn write_parquet(
        parts: impl Iterator<Item = Self>,
        to: impl Write + Send,
        stopped: &dyn Fn() -> bool,
    ) -> parquet::errors::Result<()> {
        let mut parts = parts.peekable();
        let schema = parts.peek().expect("a table has a part").schema()?;
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
                values.write_parquet(&mut column, stopped)?;
                column.close()?;
            }
            group.close()?;
        }
        file.close()?;
        Ok(())
    }

    fn schema(&self) -> parquet::errors::Result<Type> {
        let fields = self.0.iter().map(|(name, values)| {
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
}

impl Values {
    fn write_parquet(
        &self,
        column: &mut SerializedColumnWriter<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> parquet::errors::Result<()> {
        let go_on = || go_on(stopped).map_err(|stop| ParquetError::External(Box::new(stop)));
        match self {
            Self::Int(v) => {
                for v in v.chunks(STEP) {
                    go_on()?;
                    column.typed::<Int64Type>().write_batch(v, None, None)?;
                }
            }
            Self::Float(v) => {
                for v in v.chunks(STEP) {
                    go_on()?;
                    let present: Vec<f64> = v.iter().copied().filter(|v| !v.is_nan()).collect();
                    let levels: Vec<i16> = v.iter().map(|v| i16::from(!v.is_nan())).collect();
                    column.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
                }
            }
            Self::Text(texts, v) => {
                let texts: Vec<ByteArray> =
                    texts.iter().map(|t| ByteArray::from(t.as_str())).collect();
                for v in v.chunks(STEP) {
                    go_on()?;
                    let rows: Vec<ByteArray> =
                        v.iter().map(|&i| texts[i as usize].clone()).collect();
                    column.typed::<ByteArrayType>().write_batch(&rows, None, None)?;
                }
            }
        }
        Ok(())
    }
}

/// A field of CSV; in quotes where it must be (RFC 4180, section 2).
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;

    fn example() -> Columns {
        let mut columns = Columns::default();
        columns.text("name", ["a,b".to_owned(), "c\"d".to_owned()].into_iter());
        columns.int("seed", [1, 2].into_iter());
        columns.float("goodput_bps", [Some(0.1), None].into_iter());
        columns.labels("queue", vec!["red".to_owned()], vec![0, 0]);
        columns
    }

    #[test]
    fn csv_quotes_what_needs_it_and_leaves_null_empty() {
        let mut text = Vec::new();
        Columns::write_csv([example()].into_iter(), &mut text, &|| false).unwrap();
        let expected = "name,seed,goodput_bps,queue\n\"a,b\",1,0.1,red\n\"c\"\"d\",2,,red\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn parquet_is_read_back() {
        let mut bytes = Vec::new();
        let parts = [example(), example()].into_iter();
        Columns::write_parquet(parts, &mut bytes, &|| false).unwrap();
        let reader = SerializedFileReader::new(parquet_bytes(bytes)).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0].get_string(0).unwrap(), "a,b");
        assert_eq!(rows[1].get_long(1).unwrap(), 2);
        assert_eq!(rows[0].get_double(2).unwrap(), 0.1);
        assert!(rows[1].get_double(2).is_err(), "null has no value");
        assert_eq!(rows[1].get_string(3).unwrap(), "red");
        assert_eq!(rows[2].get_string(0).unwrap(), "a,b", "of the second part");
    }

    /// Four columns of 100,000 rows, in two parts.
    #[test]
    fn it_asks_every_few_thousand_values_whether_to_stop() {
        let part = || {
            let mut columns = Columns::default();
            columns.int("number", 0..50_000);
            columns.float("half", (0..50_000).map(|i| Some(f64::from(i) / 2.0)));
            columns.float("nothing", (0..50_000).map(|_| None));
            columns.labels("name", vec!["x".to_owned()], vec![0; 50_000]);
            columns
        };
        let ask = |write: &dyn Fn(&dyn Fn() -> bool) -> io::Result<()>, most: usize| {
            let asked = Cell::new(0);
            let written = write(&|| {
                asked.set(asked.get() + 1);
                asked.get() > most
            });
            (asked.get(), written.map_err(|error| error.kind()))
        };
        let parts = || [part(), part()].into_iter();
        let csv = |stopped: &dyn Fn() -> bool| Columns::write_csv(parts(), io::sink(), stopped);
        let parquet = |stopped: &dyn Fn() -> bool| {
            Columns::write_parquet(parts(), io::sink(), stopped)
                .map_err(super::super::parquet_to_io)
        };
        // 50,000 / 4,096 is 12.2: 13 times for a part, or for a column of it
        assert_eq!(ask(&csv, usize::MAX), (2 * 13, Ok(())));
        assert_eq!(ask(&parquet, usize::MAX), (2 * 4 * 13, Ok(())));
        for most in [0, 20] {
            let stopped = (most + 1, Err(io::ErrorKind::Interrupted));
            assert_eq!(ask(&csv, most), stopped);
            assert_eq!(ask(&parquet, most), stopped);
        }
    }

    fn parquet_bytes(bytes: Vec<u8>) -> bytes::Bytes {
        bytes.into()
    }
}
