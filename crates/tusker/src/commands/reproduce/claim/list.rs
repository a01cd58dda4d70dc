//! `--claims`: the conclusions, claims and measures of a paper.

use tusker_papers::Paper;

use super::super::text::wrapped;
use crate::screen::{bold, paragraph};

/// The claims and conclusions of a paper with their ids.
pub fn list(paper: &Paper) -> String {
    let mut text = format!("{}\n", bold("Conclusions"));
    for own in &paper.conclusions.conclusions {
        text += &entry(&own.id, &own.says, &format!("claims: {}", own.claims.join(", ")));
    }
    if paper.conclusions.conclusions.is_empty() {
        text.clear();
    } else {
        text.push('\n');
    }
    text += &format!("{}\n", bold("Claims"));
    for own in &paper.claims {
        text += &entry(&own.id, &format!("{} [{}]", own.says, own.place), &own.tests.join("; "));
    }
    text += &format!("\n{}: for your own comparisons, write MEASURE(CASE)\n", bold("Measures"));
    for own in &paper.about.measures {
        let unit = if own.unit.is_empty() { String::new() } else { format!(", {}", own.unit) };
        text += &wrapped("", &format!("{}: {}{unit}", bold(&own.name), own.about), "    ");
    }
    let variant = &paper.cases.variant;
    let at: Vec<&str> = variant.values.iter().map(|own| own.name.as_str()).collect();
    let one =
        format!("MEASURE(CASE@{}) is one {} alone", variant.name.to_uppercase(), variant.name);
    text.push('\n');
    text += &wrapped("", &format!("{}: {one} ({})", bold("Cases"), at.join(", ")), "    ");
    for own in &paper.cases.cases {
        let chosen: Vec<&str> = own.choose.values().map(String::as_str).collect();
        text += &wrapped("", &format!("{}: {}", bold(&own.id), chosen.join(", ")), "    ");
    }
    text
}

fn entry(id: &str, says: &str, more: &str) -> String {
    let more = if paragraph() < 60 { String::new() } else { wrapped("    ", more, "    ") };
    format!("{}\n{}{more}", bold(id), wrapped("    ", says, "    "))
}
