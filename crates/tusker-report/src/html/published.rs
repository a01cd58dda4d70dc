//! A table of printed values beside ours: a bar shows each difference in units of its
//! tolerance, and the reasons are given below.

use std::fmt::Write;

use super::written;
use crate::published::Published;
use crate::svg::escaped;

/// Tolerances that a bar shows to each side; a longer bar ends in an arrow.
const SHOWN: f64 = 3.0;

/// Pixels of a bar: from its middle to each end, and its height.
const HALF: f64 = 42.0;
const HIGH: f64 = 14.0;

pub(crate) fn write(body: &mut String, table: &Published) {
    let caption = escaped(&table.caption);
    let _ = write!(
        body,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table class=\"published\"><caption>{caption}</caption><thead><tr>\
         <th scope=\"col\">{}</th>",
        escaped(&table.first)
    );
    for measure in &table.measures {
        let measure = escaped(measure);
        let _ = write!(
            body,
            "<th scope=\"col\">{measure}: paper</th><th scope=\"col\">ours</th>\
             <th scope=\"col\">difference / tolerance</th>"
        );
    }
    for measure in &table.also {
        let _ = write!(body, "<th scope=\"col\">{}: ours</th>", escaped(measure));
    }
    *body += "<th scope=\"col\" class=\"verdict\">verdict</th></tr></thead><tbody>";
    for row in &table.rows {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", escaped(&row.name));
        for pair in &row.pairs {
            let (paper, ours) = (escaped(&pair.paper), escaped(&pair.ours));
            let bar = pair.difference.map_or_else(String::new, bar);
            let _ = write!(body, "<td>{paper}</td><td>{ours}</td><td>{bar}</td>");
        }
        for value in &row.also {
            let _ = write!(body, "<td>{}</td>", escaped(value));
        }
        let note = row.note.map_or_else(String::new, |note| format!("<sup>{note}</sup>"));
        let _ = write!(body, "<td class=\"verdict\">{}{note}</td></tr>", written(&row.verdict));
    }
    *body += "</tbody></table></div>\n";
    if !table.notes.is_empty() {
        *body += "<ol class=\"notes\">";
        for note in &table.notes {
            let _ = write!(body, "<li>{}</li>", escaped(note));
        }
        *body += "</ol>\n";
    }
}

/// From the middle to the right if ours is larger; the shaded stretch is the
/// tolerance.
fn bar(difference: f64) -> String {
    let unit = HALF / SHOWN;
    let end = HALF + difference.clamp(-SHOWN, SHOWN) * unit;
    let (left, right) = (end.min(HALF), end.max(HALF));
    let colour = if difference.abs() <= 1.0 { "--c2" } else { "--c1" };
    let mut drawn = format!(
        "<rect x=\"{:.1}\" y=\"0\" width=\"{:.1}\" height=\"{HIGH}\" style=\"fill:var(--grid)\"/>\
         <rect x=\"{left:.1}\" y=\"3\" width=\"{:.1}\" height=\"{:.1}\" style=\"fill:var({colour})\"/>\
         <path d=\"M{HALF} 0v{HIGH}\" style=\"stroke:var(--faint)\"/>",
        HALF - unit,
        2.0 * unit,
        (right - left).max(1.0),
        HIGH - 6.0
    );
    if difference.abs() > SHOWN {
        let (tip, back) = if difference > 0.0 { (2.0 * HALF + 6.0, -7.0) } else { (-6.0, 7.0) };
        let _ = write!(
            drawn,
            "<path d=\"M{tip} {:.1}l{back} -6v12z\" style=\"fill:var({colour})\"/>",
            HIGH / 2.0
        );
    }
    let wide = 2.0 * HALF + 12.0;
    format!(
        "<svg class=\"bar-cell\" width=\"{wide}\" height=\"{HIGH}\" viewBox=\"-6 0 {wide} {HIGH}\" \
         preserveAspectRatio=\"none\" \
         role=\"img\" aria-label=\"{difference:+.1} tolerances\">{drawn}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_the_difference_in_tolerances() {
        // three tolerances are 42 pixels, so half of one is 7, to the right of 42
        assert!(bar(0.5).contains("<rect x=\"42.0\" y=\"3\" width=\"7.0\""));
        assert!(bar(-1.5).contains("<rect x=\"21.0\" y=\"3\" width=\"21.0\""));
        assert!(bar(0.5).contains("--c2") && bar(-1.5).contains("--c1"));
        // what is longer than the bar has an arrow, and says its length
        let long = bar(-9.0);
        assert!(long.contains("<rect x=\"0.0\" y=\"3\" width=\"42.0\"") && long.contains("M-6 "));
        assert!(long.contains("aria-label=\"-9.0 tolerances\"") && !bar(2.9).contains("M90"));
    }
}
