//! The text around the table of a plan: above it the plan's verdict, below it how to read the
//! table and which commands to type.

use std::fmt::Write;

use tusker_record::table::fold;
use tusker_transfer::answer::{PlanRow, PlanSummary, Typed, rates_for_all};

use crate::screen::{paragraph, prose};

/// The whole plan, with this table in its place.
pub fn around(summary: &PlanSummary, table: String) -> String {
    let title = prose(&summary.title()) + "\n";
    let reading = folded(&summary.reading());
    let blocks = [title, verdict(summary), table, reading, to_type(summary)];
    let some = blocks.iter().filter(|block| !block.is_empty());
    let text = some.map(String::as_str).collect::<Vec<_>>().join("\n");
    text + &in_short(std::slice::from_ref(summary))
}

/// What plans come to in one sentence, below everything.
pub fn in_short(plans: &[PlanSummary]) -> String {
    let told = tusker_transfer::answer::in_short(plans);
    told.map_or(String::new(), |told| format!("\n{}", folded(&[told])))
}

/// What a plan comes to.
pub fn verdict(summary: &PlanSummary) -> String {
    folded(&summary.verdict())
}

/// Lines no longer than they are easily read.
pub fn folded(lines: &[String]) -> String {
    lines.iter().map(|line| fold(line, paragraph()).join("\n") + "\n").collect()
}

/// What to type for the recommended row, or for the one that was asked for: a block for
/// each host, that can be pasted there.
pub fn to_type(summary: &PlanSummary) -> String {
    summary.typed().map_or(String::new(), |row| {
        let name = row.name();
        let head =
            format!("Commands for {name}, to run as root. Fill in the first line of each host.");
        commands(&head, row)
    })
}

/// The same for the row that is good with all of these plans' buffers, as it stands in the
/// plan of the largest.
pub fn for_all(plans: &[PlanSummary], plan: &PlanSummary, row: &PlanRow) -> String {
    let (name, buffer) = (row.name(), &plan.path.buffer);
    let rates = rates_for_all(plans).join(", ");
    let head = format!(
        "Commands for {name}, to run as root, with the socket buffers for the largest buffer, \
         {buffer}. Fill in the first line of each host. The test of the path should show, in its \
         line `[SUM] ... receiver`: {rates}. Go on if it shows at least nine tenths of the least of \
         these."
    );
    commands(&head, row)
}

fn commands(head: &str, row: &PlanRow) -> String {
    let mut text = folded(&[head.to_owned()]);
    let mut before: Option<&Typed> = None;
    for typed in &row.commands {
        if before.is_none_or(|last| last.heading() != typed.heading()) {
            let _ = write!(text, "\n{}:\n\n", typed.heading());
        }
        if !typed.why.is_empty() {
            for line in fold(&typed.why, paragraph() - 4) {
                let _ = writeln!(text, "  # {line}");
            }
        }
        let _ = writeln!(text, "  {}", typed.line.replace('\n', "\n  "));
        before = Some(typed);
    }
    text
}
