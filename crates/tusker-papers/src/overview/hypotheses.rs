//! What each hypothesis explains, as tables.

use std::fmt::Write;

use crate::hypotheses::{self, Hypothesis};
use crate::paper::Paper;

/// Rows or claims that are named; if there are more, they are only counted.
const NAMED: usize = 6;

impl Hypothesis {
    /// `7@50, 8@25 and 3 more`, or `none`.
    pub fn named(rows: &[String]) -> String {
        let more = match rows.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        match rows {
            [] => "none".to_owned(),
            rows => rows[..rows.len().min(NAMED)].join(", ") + &more,
        }
    }
}

/// A paper's hypotheses.
pub(super) fn section(paper: &Paper) -> String {
    let key = &paper.about.key;
    let all = hypotheses::recorded(paper);
    let mut text = format!("\n### {key}: hypotheses\n\n");
    let readme = format!("[papers/{key}](../papers/{key}/README.md#hypotheses)");
    if all.is_empty() {
        let _ = writeln!(
            text,
            "There are no recorded runs of full length for other readings. {readme} lists those that were tried."
        );
        return text;
    }
    let ids = match all.iter().any(|one| one.printed > 0) {
        true => String::new(),
        false => {
            format!("Claims are named by the ids that `tusker reproduce {key} --claims` lists. ")
        }
    };
    let _ = writeln!(
        text,
        "{ids}{readme} lists hypotheses that are not in the table below, because they were tried on fewer rows or in runs of another length.\n"
    );
    text += "| hypothesis | what it supposes | rows | within tolerance (base) | explains | loses | claims that hold (base) |\n\
        |---|---|--:|--:|---|---|--:|\n";
    for one in &all {
        let [within, base] = one.within;
        let within = match one.printed {
            0 => "none printed".to_owned(),
            printed => format!("{within} of {printed} ({base})"),
        };
        let [explains, loses] = [&one.explains, &one.loses].map(|names| Hypothesis::named(names));
        let [hold, held] = one.hold;
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {within} | {explains} | {loses} | {hold} of {} ({held}) |",
            one.name, one.supposes, one.rows, one.claims
        );
    }
    text
}
