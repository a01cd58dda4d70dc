//! Cells of CSV.

/// A number in CSV, with all its digits; with an exponent where zeros would be counted.
pub fn written(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-5..1e21).contains(&size) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// A field of CSV; in quotes where it must be (RFC 4180, section 2).
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
