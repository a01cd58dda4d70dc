//! Rows as DuckDB prints them, for people and for programs.

use tusker_measure::table::Table;

/// CSV as a table for people; none without a head.
pub fn table(csv: &str) -> Option<Table> {
    let mut rows = cells(csv).into_iter();
    let head = rows.next()?;
    let mut table = Table::new(head).bold_head();
    rows.for_each(|row| table.row(row.iter().map(|cell| short(cell))));
    Some(table)
}

/// Numbers that are not whole, to six digits.
fn short(cell: &str) -> String {
    let plain = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    let number = cell.parse::<f64>().ok().filter(|number| number.is_finite() && *number != 0.0);
    match number.filter(|_| cell.contains('.') && cell.chars().all(plain)) {
        None => cell.to_owned(),
        Some(number) if (1e-4..1e15).contains(&number.abs()) => {
            let digits = (5 - number.abs().log10().floor() as i32).max(0) as usize;
            let text = format!("{number:.digits$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        Some(number) => format!("{number:.5e}"),
    }
}

/// The cells of CSV (RFC 4180).
fn cells(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut chars) = (false, csv.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    if !row.is_empty() || !cell.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// JSON has no NaN and no infinity, which DuckDB writes nevertheless: they become null.
pub fn without_nan(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let (mut rest, mut quoted) = (text, false);
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        if quoted && c == '\\' {
            taken += rest[taken..].chars().next().map_or(0, char::len_utf8);
        } else if c == '"' {
            quoted = !quoted;
        } else if !quoted {
            let names = ["NaN", "-NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "-inf"];
            if let Some(name) = names.into_iter().find(|name| rest.starts_with(name)) {
                safe += "null";
                rest = &rest[name.len()..];
                continue;
            }
        }
        safe += &rest[..taken];
        rest = &rest[taken..];
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_csv_hold_commas_quotes_and_lines() {
        let rows = cells("a,\"b\"\"c\"\n\"x,\ny\",\n1,2");
        assert_eq!(rows, [vec!["a", "b\"c"], vec!["x,\ny", ""], vec!["1", "2"]]);
    }

    #[test]
    fn six_digits_are_enough_for_people() {
        for (cell, text) in [
            ("0.9869337342400002", "0.986934"),
            ("96531234.0", "96531234"),
            ("123456.789", "123457"),
            ("0.00001234567", "1.23457e-5"),
            ("42", "42"),
            ("0.5", "0.5"),
            ("0.0", "0.0"),
            ("1.2.3", "1.2.3"),
            ("reno", "reno"),
        ] {
            assert_eq!(short(cell), text);
        }
    }

    #[test]
    fn what_is_no_number_is_null_outside_of_text() {
        let text = r#"[{"NaN":NaN,"b":"\"NaN","c":-Infinity}]"#;
        assert_eq!(without_nan(text), r#"[{"NaN":null,"b":"\"NaN","c":null}]"#);
    }
}
