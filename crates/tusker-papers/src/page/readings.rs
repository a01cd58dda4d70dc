//! Readings of one paper side by side.

use std::fmt::Write;

use tusker_measure::table::NONE;
use tusker_report::Page;
use tusker_report::page::{Block, Table};
use tusker_report::results::command;

use super::BETWEEN;
use crate::reproduction::{ClaimResult, Reproduction};

/// What came of one reading.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Rows and claims.
    pub reproduction: Reproduction,
    /// It changes nothing in these rows.
    pub same: bool,
    /// Only some rows were asked for, so that only comparisons between these count.
    pub chosen: bool,
}

impl Compared {
    /// Its name, and how many replicates are behind it if that is fewer than were asked for.
    fn name(&self) -> String {
        let name = &self.reproduction.reading.name;
        match self.reproduction.lacks_replicates() {
            Some(some) => format!("{name} ({some})"),
            None => name.clone(),
        }
    }

    /// Claims that hold, of those that are judged.
    fn claims(&self) -> String {
        let score = &self.reproduction.scoreboard;
        match score.claims - score.open {
            0 => NONE.to_owned(),
            judged => format!("{} of {judged}", score.hold),
        }
    }
}

/// Readings as CSV.
pub fn csv(all: &[Compared]) -> String {
    let Some(Compared { reproduction: first, .. }) = all.first() else { return String::new() };
    let mut text = "reading,rows,within,baseline".to_owned();
    for measure in &first.scoreboard.measures {
        let name = &measure.name;
        let _ =
            write!(text, ",{name}_within,{name}_mean_absolute_difference,{name}_mean_difference");
    }
    text += ",claims_hold,claims_partly,claims_undecided,claims_fail,claims_open,changes_nothing,\
             least_replicates,replicates_asked\n";
    for Compared { reproduction: one, same, .. } in all {
        let score = &one.scoreboard;
        let (name, baseline) = (&one.reading.name, score.baseline);
        let _ = write!(text, "{name},{},{},{baseline}", score.run, score.by_means);
        for measure in &score.measures {
            let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
            let absolute = number(measure.mean_absolute_difference);
            let signed = number(measure.mean_difference);
            let _ = write!(text, ",{},{absolute},{signed}", measure.within);
        }
        let claims = [score.hold, score.partly, score.undecided, score.fail, score.open];
        let claims = claims.map(|claims| claims.to_string());
        let least = one.rows.iter().map(|row| row.replicates).min().unwrap_or(0);
        let asked = one.rows.iter().map(|row| row.asked.max(row.replicates)).max().unwrap_or(0);
        let _ = writeln!(text, ",{},{same},{least},{asked}", claims.join(","));
    }
    text
}

/// Readings side by side; the first is the base.
///
/// # Panics
/// If there is none.
pub fn page(all: &[Compared]) -> Page {
    let base = &all[0].reproduction;
    let mut page = Page {
        title: format!("Readings of {}", base.paper.title),
        lead: format!("{}; {}", base.paper.authors, base.paper.covers),
        commands: vec![command(&base.execution.command)],
        ..Page::default()
    };
    let between = match all.iter().any(|one| one.chosen) {
        true => format!(" ({BETWEEN})"),
        false => String::new(),
    };
    let mut score = Table::new(
        format!("Rows within their tolerances and claims that hold{between}, under each reading"),
        ["reading", "rows within", "claims that hold", "what it supposes"],
    );
    for one in all {
        let r = &one.reproduction;
        let rows = format!("{} of {}", r.scoreboard.by_means, r.scoreboard.run);
        let nothing = "changes nothing in these rows".to_owned();
        let [rows, claims] = if one.same { [nothing, String::new()] } else { [rows, one.claims()] };
        score.row(None, [one.name(), rows, claims, r.reading.why.join("; ")]);
    }
    page.table = Some(score);
    let mut blocks = Vec::new();
    for one in all.iter().map(|one| &one.reproduction) {
        if let Some(note) = one.phase_note() {
            let text = format!("Doubtful under {}: {note}.", one.reading.name);
            blocks.push(Block::Warning(text));
        }
    }
    if !blocks.is_empty() {
        page.section("Readings", blocks);
    }
    let mut differ = Table::new(
        "Claims whose verdict is not that under the base",
        ["reading", "what the paper says", "base", "here"],
    );
    for one in all.iter().filter(|one| !one.same) {
        for (claim, before) in other_verdicts(base, &one.reproduction) {
            let name = &one.reproduction.reading.name;
            let [before, now] = [before.ours.verdict.text(), claim.ours.verdict.text()];
            differ.row(None, [name.as_str(), &claim.says, before, now]);
        }
    }
    let blocks = match differ.rows.is_empty() {
        true => vec![Block::Text("Every claim has the same verdict as under the base.".to_owned())],
        false => vec![Block::Table(differ)],
    };
    page.section("Claims", blocks);
    page
}

/// The claims whose verdict is not that of the base, each with that of the base.
fn other_verdicts<'a>(
    base: &'a Reproduction,
    other: &'a Reproduction,
) -> Vec<(&'a ClaimResult, &'a ClaimResult)> {
    let before = |claim: &ClaimResult| base.claims.iter().find(|own| own.id == claim.id);
    let pairs = other.claims.iter().filter_map(|claim| Some((claim, before(claim)?)));
    pairs.filter(|(claim, before)| claim.ours.verdict != before.ours.verdict).collect()
}
