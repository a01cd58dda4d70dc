//! Readings of one paper side by side.

use std::fmt::Write;

use tusker_papers::Paper;
use tusker_papers::reproduction::{ClaimResult, MeasureScore, Reproduction};
use tusker_papers::rows::BASE;
use tusker_record::table::{NONE, Table};

use super::by_row::by_row;
use super::conclusions::BETWEEN;
use super::score::baseline;
use super::{counted, heading, wrapped};
use crate::screen::{bold, fit};

/// Lines of rows under readings that are printed; --format json and the page have all.
const MOST: usize = 80;

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
    pub fn name(&self) -> String {
        let name = &self.reproduction.reading.name;
        match self.reproduction.lacks_replicates() {
            Some(some) => format!("{name} ({some})"),
            None => name.clone(),
        }
    }

    /// Claims that hold, of those that are judged.
    pub fn claims(&self) -> String {
        let score = &self.reproduction.scoreboard;
        match score.claims - score.open {
            0 => NONE.to_owned(),
            judged => format!("{} of {judged}", score.hold),
        }
    }
}

/// What else the text may mean, and what each reading sets.
pub fn readings(paper: &Paper) -> String {
    let mut text = format!("{BASE:<20}  what --print-scenario shows\n");
    for reading in &paper.readings {
        let indent = " ".repeat(22);
        let experiment = if reading.experiment { "experiment: " } else { "" };
        let why = format!("{experiment}{}", reading.why);
        text += &wrapped(&format!("{:<20}  ", reading.name), &why, &indent);
        let sets = reading.when.iter().flat_map(|when| &when.set).chain(&reading.set);
        let counts = reading.measures.iter().map(|(name, of)| format!("{name} = {of}"));
        let mut changes: Vec<String> = sets.cloned().chain(counts).collect();
        changes.dedup();
        text += &wrapped(&indent, &format!("sets {}", changes.join("; ")), &indent);
    }
    text
}

/// The claims whose verdict is not that of the base, each with that of the base.
pub fn other_verdicts<'a>(
    base: &'a Reproduction,
    other: &'a Reproduction,
) -> Vec<(&'a ClaimResult, &'a ClaimResult)> {
    let before = |claim: &ClaimResult| base.claims.iter().find(|known| known.id == claim.id);
    let pairs = other.claims.iter().filter_map(|claim| Some((claim, before(claim)?)));
    pairs.filter(|(claim, before)| claim.ours.verdict != before.ours.verdict).collect()
}

/// These claims of every reading.
fn differing(all: &[Compared]) -> String {
    let [base, others @ ..] = all else { return String::new() };
    let mut text = String::new();
    for other in others.iter().filter(|one| !one.same) {
        let differ = other_verdicts(&base.reproduction, &other.reproduction);
        if differ.is_empty() {
            continue;
        }
        text += &format!("\n{}\n", other.reproduction.reading.name);
        for (claim, before) in differ {
            let [now, then] = [claim, before]
                .map(|one| format!("{}, {}", one.ours.verdict.text(), counted(&one.ours)));
            let told = format!("{now} (base: {then}): {}", claim.says);
            text += &wrapped(&format!("  {}: ", claim.id), &told, "    ");
        }
    }
    match text.is_empty() {
        true if others.is_empty() => text,
        true if base.claims() == NONE => "\nno claim compares these rows\n".to_owned(),
        true => "\nevery claim has the same verdict as under the base\n".to_owned(),
        false => format!("\n{}\n{text}", bold("Claims whose verdict is not that under the base")),
    }
}

/// A line per reading.
pub fn compared(all: &[Compared]) -> String {
    let Some(Compared { reproduction: first, .. }) = all.first() else { return String::new() };
    let mut head = vec!["reading".to_owned(), "rows ok".to_owned()];
    // some may have no printed value in these rows
    let printed = |m: &&MeasureScore| m.mean_difference.is_some();
    for measure in first.scoreboard.measures.iter().filter(printed) {
        let short = first.measures.iter().find(|m| m.name == measure.name);
        let short = short.map_or(measure.name.as_str(), |m| m.head.as_str());
        head.extend([format!("{short} ok"), "mean |diff|".to_owned(), "mean diff".to_owned()]);
    }
    head.push("claims".to_owned());
    let mut table = Table::new(head).bold_head().spare(["mean |diff|", "mean diff"]);
    for compared in all.iter().filter(|one| !one.same) {
        let one = &compared.reproduction;
        let score = &one.scoreboard;
        let mut cells = vec![compared.name(), format!("{} of {}", score.by_means, score.run)];
        for measure in score.measures.iter().filter(printed) {
            let decimals = one.measures.iter().find(|m| m.name == measure.name);
            let decimals = decimals.map_or(2, |m| m.decimals);
            let text =
                |value: Option<f64>| value.map_or(NONE.to_owned(), |v| format!("{v:.decimals$}"));
            let signed =
                measure.mean_difference.map_or(NONE.to_owned(), |v| format!("{v:+.decimals$}"));
            cells.extend([
                measure.within.to_string(),
                text(measure.mean_absolute_difference),
                signed,
            ]);
        }
        cells.push(compared.claims());
        table.row(cells);
    }
    let most = all.iter().map(|one| &one.reproduction.scoreboard).max_by_key(|score| score.run);
    let most = most.map_or(String::new(), baseline);
    let between = match all.iter().any(|one| one.chosen) {
        true => format!("claims: {BETWEEN}\n"),
        false => String::new(),
    };
    let same: Vec<&str> = all
        .iter()
        .filter(|one| one.same)
        .map(|one| one.reproduction.reading.name.as_str())
        .collect();
    let same = match same.as_slice() {
        [] => String::new(),
        names => wrapped("", &format!("changes nothing in these rows: {}", names.join(", ")), "  "),
    };
    let intervals = |name: &str| {
        first.measures.iter().any(|m| m.name == name && (m.tolerance.is_some() || m.beside))
    };
    let heading = heading(first, &intervals);
    let (table, rows) = (fit(&table), rows(all));
    format!("{heading}{}\n{table}{between}{same}{most}{rows}{}", doubtful(all), differing(all))
}

/// Each row under each reading.
fn rows(all: &[Compared]) -> String {
    let all = by_row(all);
    let title = bold("Rows under each reading");
    if all.lines.len() > MOST {
        let told = format!(
            "{} lines, one for each row and reading: choose fewer rows with --table, --case and \
             --at, or look at the page",
            all.lines.len()
        );
        return format!("\n{title}\n\n{}", wrapped("", &told, ""));
    }
    let legend = match all.legend() {
        none if none.is_empty() => none,
        legend => wrapped("", &legend, "  "),
    };
    let mut table = Table::new(all.head).bold_head().keys(2);
    all.lines.into_iter().for_each(|line| table.row(line));
    format!("\n{title}\n\n{}{legend}", fit(&table))
}

/// What makes readings other than the base doubtful; the heading has that of the base.
fn doubtful(all: &[Compared]) -> String {
    let notes = all.iter().skip(1).filter(|one| !one.same).map(|one| &one.reproduction);
    let notes = notes.filter_map(|one| Some((&one.reading.name, one.phase_note()?)));
    notes.map(|(name, note)| wrapped(&format!("DOUBTFUL, {name}: "), &note, "")).collect()
}

/// The same as CSV.
pub fn compared_csv(all: &[Compared]) -> String {
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

#[cfg(test)]
mod tests {
    use tusker_papers::recorded;

    use super::*;

    /// A command for five replicates that was stopped when the base had all and the other
    /// reading two of one row.
    #[test]
    fn means_of_fewer_replicates_are_marked() {
        let paper = Paper::find("ghstcp").unwrap();
        let of = |name: &str, replicates: usize| {
            let text = format!(
                "table,case,delay,replicates,utilisation_ours,utilisation_ours_ci95\n\
                 1,4,50,{replicates},97.1,0.5\n1,4,100,5,97.2,0.5\n"
            );
            let known = recorded::read(&text, "delay").unwrap();
            let ids = known.keys().cloned().collect();
            let all = Reproduction::recorded(&paper, &known, false);
            let mut reproduction = all.only(&paper, &ids);
            reproduction.rows.iter_mut().for_each(|row| row.asked = 5);
            // else it would be taken for the base, in which it changes nothing
            reproduction.rows.iter_mut().for_each(|row| row.changes.push(name.to_owned()));
            name.clone_into(&mut reproduction.reading.name);
            Compared { reproduction, same: false, chosen: true }
        };
        let all = [of(BASE, 5), of("newreno", 2)];
        let told = compared(&all);
        assert!(told.contains("\nnewreno (2 of 5 replicates)"), "{told}");
        let row = |reading: &str| {
            let rows = by_row(&all).lines.into_iter().filter(|line| line[1] == reading);
            rows.map(|line| line.last().unwrap().clone()).collect::<Vec<_>>()
        };
        assert!(row("newreno")[0].ends_with("(2 of 5 replicates)"), "{told}");
        assert!(row(BASE).iter().chain(&row("newreno")[1..]).all(|end| !end.contains("of 5")));
        let csv = compared_csv(&all);
        let ends: Vec<&str> = csv
            .lines()
            .map(|line| line.rsplitn(3, ',').nth(2).map_or("", |head| &line[head.len()..]))
            .collect();
        assert_eq!(ends, [",least_replicates,replicates_asked", ",5,5", ",2,5"]);
    }
}
