//! Attributes of lines.

use std::fmt::Write;

/// An attribute; nothing of a line without gaps.
pub(super) fn dashes(lengths: &[f64]) -> String {
    if lengths.is_empty() {
        return String::new();
    }
    let lengths: Vec<String> = lengths.iter().map(f64::to_string).collect();
    format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
}

/// Lines between points; NaN breaks them.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let (mut text, mut down) = (String::new(), false);
    for &(x, y) in points {
        if x.is_finite() && y.is_finite() {
            let _ = write!(text, "{}{x:.1} {y:.1}", if down { 'L' } else { 'M' });
            down = true;
        } else {
            down = false;
        }
    }
    text
}
