//! Reading tables back, row by row, whichever format they are in.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::parquet_to_io;

/// Rows that are held at a time.
const BATCH: usize = 8_192;

/// Hands over every row of a table: the columns of text, then those of numbers,
/// as they were asked for. Only columns without nulls can be asked for.
pub(super) fn rows(
    path: &Path,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    match path.extension().is_some_and(|end| end == "csv") {
        true => csv(BufReader::new(File::open(path)?), texts, numbers, each),
        false => parquet(File::open(path)?, texts, numbers, each),
    }
}

fn parquet(
    file: File,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    let reader = SerializedFileReader::new(file).map_err(parquet_to_io)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let place = |name: &&str| {
        let found = schema.columns().iter().position(|column| column.name() == *name);
        found.ok_or_else(|| invalid(format!("it has no column `{name}`")))
    };
    let places = texts.iter().chain(numbers).map(place).collect::<io::Result<Vec<_>>>()?;
    for g in 0..reader.num_row_groups() {
        let group = reader.get_row_group(g).map_err(parquet_to_io)?;
        let columns = places.iter().map(|&place| group.get_column_reader(place));
        let mut columns = columns.collect::<Result<Vec<_>, _>>().map_err(parquet_to_io)?;
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
                read.map_err(parquet_to_io)?;
                if values.len() == rows { Ok(Self::$kind(values)) } else { Err(whole()) }
            }};
        }
        match column {
            ColumnReader::Int64ColumnReader(reader) => values!(reader, Int, None),
            ColumnReader::DoubleColumnReader(reader) => values!(reader, Float, Some(&mut levels)),
            ColumnReader::ByteArrayColumnReader(reader) => values!(reader, Text, None),
            _ => Err(invalid("a column is of a type that tusker does not write")),
        }
    }

    fn text(&self, row: usize) -> io::Result<&str> {
        match self {
            Self::Text(values) => values[row].as_utf8().map_err(|_| invalid("a name is not UTF-8")),
            _ => Err(invalid("a number stands where a name should")),
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

fn csv(
    file: impl BufRead,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    let mut lines = file.lines();
    let head = fields(&lines.next().unwrap_or_else(|| Ok(String::new()))?);
    let place = |name: &&str| {
        let found = head.iter().position(|column| column == name);
        found.ok_or_else(|| invalid(format!("it has no column `{name}`")))
    };
    let texts = texts.iter().map(place).collect::<io::Result<Vec<_>>>()?;
    let numbers = numbers.iter().map(place).collect::<io::Result<Vec<_>>>()?;
    for line in lines {
        let fields = fields(&line?);
        let field = |&place: &usize| fields.get(place).map_or("", String::as_str);
        let words: Vec<&str> = texts.iter().map(field).collect();
        let figure = |place: &usize| {
            field(place).parse().map_err(|_| invalid(format!("`{}` is no number", field(place))))
        };
        let figures = numbers.iter().map(figure).collect::<io::Result<Vec<f64>>>()?;
        each(&words, &figures);
    }
    Ok(())
}

/// The fields of a line of CSV (RFC 4180, section 2). No field has a line break:
/// names cannot.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut quoted, mut chars) = (false, line.chars().peekable());
    while let Some(c) = chars.next() {
        let field = fields.last_mut().expect("there is one");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::*;

    #[test]
    fn both_formats_give_the_same_rows() {
        let mut columns = Columns::default();
        columns.labels("name", vec!["a,\"b\"".to_owned(), "c".to_owned()], vec![0, 1, 0]);
        columns.int("count", [1, 2, 3].into_iter());
        columns.float("value", [Some(0.5), Some(1e-9), Some(-2.0)].into_iter());
        let temp = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.parquet"] {
            let path = temp.path().join(name);
            let file = File::create(&path).unwrap();
            let parts = std::iter::once(columns.clone());
            match name {
                "t.csv" => Columns::write_csv(parts, file, &|| false).unwrap(),
                _ => Columns::write_parquet(parts, file, &|| false).unwrap(),
            }
            let mut seen = Vec::new();
            rows(&path, &["name"], &["value", "count"], &mut |texts, numbers| {
                seen.push((texts[0].to_owned(), numbers[0], numbers[1]));
            })
            .unwrap();
            let row = |name: &str, value, count| (name.to_owned(), value, count);
            let expected =
                [row("a,\"b\"", 0.5, 1.0), row("c", 1e-9, 2.0), row("a,\"b\"", -2.0, 3.0)];
            assert_eq!(seen, expected, "{name}");
            let missing = rows(&path, &["nowhere"], &[], &mut |_, _| {}).unwrap_err();
            assert!(missing.to_string().contains("`nowhere`"), "{missing}");
        }
    }
}
