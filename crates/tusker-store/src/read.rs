//! Reading tables back, row by row, in either format.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::{invalid, parquet, too_many};
use crate::files;

/// The most rows of a table that is read: a value over time takes 8 to 16 bytes of memory.
pub(super) const MOST: u64 = 100_000_000;

/// The most bytes of a line of CSV.
const LINE: u64 = 1 << 20;

/// Passes on every row of a table: the requested text columns, then the requested
/// number columns. Only columns without nulls can be requested. More than `most` rows are an
/// error, before they are read if the format tells how many there are.
pub(super) fn rows(
    path: &Path,
    most: u64,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    match path.extension().is_some_and(|end| end == "csv") {
        true => csv(BufReader::new(files::open(path)?), most, texts, numbers, each),
        false => parquet::rows(files::open(path)?, most, texts, numbers, each),
    }
}

fn csv(
    mut file: impl BufRead,
    most: u64,
    texts: &[&str],
    numbers: &[&str],
    each: &mut dyn FnMut(&[&str], &[f64]),
) -> io::Result<()> {
    let mut line = String::new();
    let mut next = |line: &mut String| -> io::Result<bool> {
        line.clear();
        let read = file.by_ref().take(LINE).read_line(line)?;
        if read as u64 == LINE {
            return Err(invalid("a line is longer than 1 MiB"));
        }
        let end = line.trim_end_matches(['\n', '\r']).len();
        line.truncate(end);
        Ok(read > 0)
    };
    next(&mut line)?;
    let head = fields(&line);
    let place = |name: &&str| {
        let found = head.iter().position(|column| column == name);
        found.ok_or_else(|| invalid(format!("it has no column `{name}`")))
    };
    let texts = texts.iter().map(place).collect::<io::Result<Vec<_>>>()?;
    let numbers = numbers.iter().map(place).collect::<io::Result<Vec<_>>>()?;
    let mut left = most;
    while next(&mut line)? {
        left = left.checked_sub(1).ok_or_else(|| too_many(most))?;
        let fields = fields(&line);
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
pub(super) fn fields(line: &str) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use std::fs::File;

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
                _ => parquet::write(parts, file, &|| false).unwrap(),
            }
            let mut seen = Vec::new();
            rows(&path, 3, &["name"], &["value", "count"], &mut |texts, numbers| {
                seen.push((texts[0].to_owned(), numbers[0], numbers[1]));
            })
            .unwrap();
            let row = |name: &str, value, count| (name.to_owned(), value, count);
            let expected =
                [row("a,\"b\"", 0.5, 1.0), row("c", 1e-9, 2.0), row("a,\"b\"", -2.0, 3.0)];
            assert_eq!(seen, expected, "{name}");
            let more = rows(&path, 2, &["name"], &[], &mut |_, _| {}).unwrap_err();
            assert!(more.to_string().contains("more than 2 rows"), "{more}");
            let missing = rows(&path, 3, &["nowhere"], &[], &mut |_, _| {}).unwrap_err();
            assert!(missing.to_string().contains("`nowhere`"), "{missing}");
        }
    }
}
