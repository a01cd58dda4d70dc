//! Readings of one paper side by side.

use std::fmt::Write;

use tusker_measure::table::NONE;
use tusker_papers::claims::Verdict;
use tusker_papers::reproduction::{Cell, MeasureInfo, Reproduction, RowResult};

use super::text::estimate;

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

/// Rows under readings with their measures: the paper's line, the base, then each reading
/// that changes something in the row.
pub struct ByRow {
    /// Column heads.
    pub head: Vec<String>,
    /// One for each row and reading.
    pub lines: Vec<Vec<String>>,
}

/// Of every row that the base has.
pub fn by_row(all: &[Compared]) -> ByRow {
    let Some(Compared { reproduction: base, .. }) = all.first() else {
        return ByRow { head: Vec::new(), lines: Vec::new() };
    };
    let run = || base.rows.iter().filter(|row| row.replicates > 0);
    let shown = |m: &&MeasureInfo| {
        let has = |row: &RowResult| row.values.get(&m.name).is_some_and(|c| c.ours.is_some());
        (m.tolerance.is_some() || m.beside) && run().any(has)
    };
    let measures: Vec<&MeasureInfo> = base.measures.iter().filter(shown).collect();
    let mut head = vec!["row".to_owned(), "reading".to_owned()];
    head.extend(measures.iter().map(|m| m.head.clone()));
    head.push(String::new());
    let mut lines = Vec::new();
    for row in run() {
        let mut named = Some(row.id.clone());
        let mut line = |reading: &str, cells: Vec<String>, end: &str| {
            let row = named.take().unwrap_or_default();
            let begin = [row, reading.to_owned()].into_iter();
            lines.push(begin.chain(cells).chain([end.to_owned()]).collect());
        };
        let cell = |row: &RowResult, m: &MeasureInfo| row.values.get(&m.name).cloned();
        let printed = |cell: Option<Cell>, m: &MeasureInfo| {
            let paper = cell.and_then(|cell| cell.paper);
            paper.map_or(NONE.to_owned(), |p| format!("{:.*}", m.decimals, p.value))
        };
        let theirs: Vec<String> = measures.iter().map(|m| printed(cell(row, m), m)).collect();
        if theirs.iter().any(|text| text != NONE) {
            line("(the paper)", theirs, "");
        }
        for one in all.iter().filter(|one| !one.same).map(|one| &one.reproduction) {
            let Some(own) = changed(base, row, one) else { continue };
            let ours = |m: &&MeasureInfo| estimate(cell(own, m).and_then(|cell| cell.ours), m);
            let verdict = match own.verdict {
                Verdict::Holds => "ok",
                Verdict::DoesNotHold => "off",
                Verdict::Partly | Verdict::Undecided => "?",
                Verdict::Open => "",
            };
            let end = match own.lacks_replicates() {
                Some(some) => format!("{verdict} ({some})"),
                None => verdict.to_owned(),
            };
            line(&one.reading.name, measures.iter().map(ours).collect(), end.trim());
        }
    }
    ByRow { head, lines }
}

/// The row under a reading; none if it was not run, or if the reading changes nothing in it.
fn changed<'a>(
    base: &Reproduction,
    row: &RowResult,
    one: &'a Reproduction,
) -> Option<&'a RowResult> {
    let own = one.rows.iter().find(|own| own.id == row.id && own.replicates > 0)?;
    let same = own.changes == row.changes && own.values == row.values;
    (one.reading.name == base.reading.name || !same).then_some(own)
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
