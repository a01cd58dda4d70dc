//! What a paper concludes, and whether it stands.

use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{ConclusionResult, MARGIN_OF, Standing};
use tusker_papers::{Paper, Reproduction};

use super::examples::notation;
use super::{begins_coloured, verdicts, wrapped};
use crate::screen::{Mood, bold};

/// What is judged where rows were chosen.
pub const BETWEEN: &str = "only comparisons between the chosen rows";

const INDENT: &str = "  ";

/// Those whose rows are all here; nothing if there is none. What is recorded was not run now.
pub fn of_these_runs(paper: &Paper, reproduction: &Reproduction) -> String {
    let judged: Vec<&ConclusionResult> =
        reproduction.conclusions.iter().filter(|one| one.here != Verdict::Open).collect();
    if judged.is_empty() {
        return String::new();
    }
    let these = these_runs(reproduction);
    let shorter = match reproduction.quick_note() {
        Some(_) if !reproduction.execution.recorded => ", shorter than the paper's,",
        _ => "",
    };
    let mut text = format!(
        "\n{}\n",
        bold("Conclusions, judged by the results that are stored with the paper")
    );
    text += &format!("\n{}", wrapped("", &notation(paper), ""));
    for one in &judged {
        let here = format!("; verdict from {these}{shorter} alone: {}", one.here.text());
        text += &lines(one, &here);
    }
    text + &not_tried(&judged) + "\n"
}

/// What the rows are that are shown: `the recorded runs of one seed`.
pub fn these_runs(reproduction: &Reproduction) -> String {
    let runs = if reproduction.execution.recorded { "the recorded runs" } else { "these runs" };
    let seeds = if reproduction.has_one_seed() { " of one seed" } else { "" };
    format!("{runs}{seeds}")
}

/// The readings that nobody tried for any of them.
fn not_tried(all: &[&ConclusionResult]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in all.iter().flat_map(|one| one.untried()) {
        let tried = all.iter().any(|one| one.readings.iter().any(|own| own.name == name));
        if !tried && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    let told = format!("{}; --readings says what each means", names.join(", "));
    let head = "Readings that could change some conclusions and were tried for none: ";
    format!("\n{}", wrapped("", &format!("{head}{told}"), INDENT))
}

/// All of them, or, of some chosen rows, those that compare these; `quick` is the note on
/// shorter runs, if these are.
pub fn all(paper: &Paper, all: &[ConclusionResult], chosen: bool, quick: Option<&str>) -> String {
    let title = match chosen {
        true => &format!("Conclusions, {BETWEEN}"),
        false => "Conclusions",
    };
    let mut text = format!("{}\n\n{}", verdicts(title, quick), wrapped("", &notation(paper), ""));
    for one in all {
        text += &lines(one, "");
    }
    text + &not_tried(&all.iter().collect::<Vec<_>>())
}

/// The sentence, and below it the verdict and how far that goes: alone, "stands" says too much.
fn lines(one: &ConclusionResult, here: &str) -> String {
    let mood = match one.standing {
        Standing::Stands => Some(Mood::Good),
        Standing::Depends => Some(Mood::Mixed),
        Standing::Fails => Some(Mood::Bad),
        Standing::Open => None,
    };
    let mut text = format!("\n{}", wrapped("", &format!("{} [{}]", one.says, one.id), INDENT));
    let verdict = |told: &str| {
        let told = wrapped(INDENT, told, INDENT);
        let told = told.strip_prefix(INDENT).unwrap_or(&told);
        format!("{INDENT}{}", begins_coloured(told, one.standing.text(), mood))
    };
    match one.depends_on.as_slice() {
        several @ [_, _, ..] => {
            text += &verdict(&format!("{} on", one.standing.text()));
            several.iter().for_each(|on| text += &wrapped("  - ", on, "    "));
        }
        _ => text += &verdict(&one.verdict()),
    }
    // of some of its rows alone there is none
    if let Some(margin) = one.margin.as_ref().filter(|_| one.standing != Standing::Open) {
        text +=
            &wrapped(INDENT, &format!("margin ({MARGIN_OF}): {}", margin.text(one.base)), INDENT);
    }
    text + &wrapped(INDENT, &format!("run: {}{here}", one.runs()), INDENT)
}
