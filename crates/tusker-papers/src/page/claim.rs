//! Answers as a page: the verdict, its comparisons, and everything else behind them.

use std::path::Path;

use tusker_lab::suite::claims::{Compared, Judgement, Verdict};
use tusker_measure::condition::{Value, number};
use tusker_report::page::{Block, Line, Meaning, Note, Page, Span, Step, Table};
use tusker_report::results::command;

use crate::conclusions::{Answer, Answers, InRun, Reversal, Robust};
use crate::paper::Paper;
use crate::reproduction::QUICK_LOOK;
use crate::rows::{BASE, Row, Selection, Taken};

/// What was asked for, as far as the page says it.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// The names of the claims.
    pub names: &'a [String],
    /// Of which rows.
    pub selection: &'a Selection,
    /// Further changes of every row.
    pub sets: &'a [String],
    /// In shorter runs.
    pub quick: bool,
    /// Each reading was run.
    pub all_readings: bool,
    /// Nothing was run: this has what was.
    pub recorded: Option<&'a Path>,
}

/// Comparisons that are shown with the answer; first those that do not hold.
const MOST: usize = 12;

/// Seeds from which there are intervals.
const ENOUGH: usize = 3;

/// Names in a line; more are only counted.
const NAMED: usize = 3;

/// The page of these answers; `doubt` is what else makes them doubtful.
pub fn page(paper: &Paper, scope: &Scope<'_>, answers: &Answers, doubt: Option<String>) -> Page {
    let mut page = Page {
        title: title(answers),
        answer: lines(answers),
        table: Some(comparisons(answers, MOST)),
        next: next(paper, scope, answers),
        ..Page::default()
    };
    notes(&mut page, paper, scope, answers);
    page.notes.extend(doubt.map(|text| Note { text, doubt: true }));
    if compared(answers).count() > MOST {
        page.section("All comparisons", vec![Block::Table(comparisons(answers, usize::MAX))]);
    }
    for answer in &answers.claims {
        page.section(answer.id.clone(), details(answer));
    }
    page.section("Set-up", set_up(paper, scope, answers));
    page
}

fn title(answers: &Answers) -> String {
    let sentence = |says: &str, verdict: Verdict| {
        format!("{}: {}", says.trim_end_matches('.'), verdict.text())
    };
    match (answers.conclusions.as_slice(), answers.claims.as_slice()) {
        ([one], _) => sentence(&one.says, one.verdict),
        ([], [one]) => sentence(name(one), one.ours.verdict),
        (_, all) => {
            let holds = all.iter().filter(|own| own.ours.verdict == Verdict::Holds).count();
            format!("{}: {holds} of {} claims hold", answers.paper, all.len())
        }
    }
}

/// What a claim says; a test of the user's own says itself.
fn name(answer: &Answer) -> &str {
    if answer.place.is_empty() { &answer.id } else { &answer.says }
}

fn lines(answers: &Answers) -> Vec<Line> {
    let seeds = |judged: usize| match judged {
        1 => "one seed".to_owned(),
        0 => "means over seeds".to_owned(),
        many => format!("{many} seeds"),
    };
    let at = |reading: &str| match reading {
        BASE => "in our default reading".to_owned(),
        name => format!("under {name}"),
    };
    let mut lines: Vec<Line> = Vec::new();
    for one in &answers.conclusions {
        let sum = |of: fn(&Judgement) -> usize| -> usize {
            let own = answers.claims.iter();
            let own = own.filter(|answer| one.claims.iter().any(|claim| claim.id == answer.id));
            own.map(|answer| of(&answer.ours)).sum()
        };
        let counts = [sum(|j| j.held), sum(|j| j.of), sum(|j| j.undecided)];
        let place = format!("{}, {}", at(&answers.reading), seeds(one.seeds.len()));
        lines.push(vec![Span::strong(one.says.clone())]);
        lines.push(verdict(one.verdict, &place, counts));
        lines.extend(robust(&one.robust, &one.reversed_by, one.untried.len()));
    }
    if !answers.conclusions.is_empty() {
        return lines;
    }
    for answer in &answers.claims {
        let place = if answer.place.is_empty() { "" } else { &format!(" [{}]", answer.place) };
        let judged = &answer.ours;
        let counts = [judged.held, judged.of, judged.undecided];
        let own = format!("{}, {}", at(&answers.reading), seeds(answer.seeds().count()));
        lines.push(vec![Span::strong(name(answer)), Span::from(place)]);
        lines.push(verdict(judged.verdict, &own, counts));
        lines.extend(robust(&answer.robust, &answer.reversed_by, answer.untried.len()));
    }
    lines
}

/// `holds in our default reading, 5 seeds: 12 of 12 comparisons hold`.
fn verdict(verdict: Verdict, place: &str, [held, of, undecided]: [usize; 3]) -> Line {
    let undecided = match undecided {
        0 => String::new(),
        some => format!(", {some} undecided"),
    };
    let counts = format!(" {place}: {held} of {of} comparisons hold{undecided}");
    vec![Span::new(verdict.text(), Meaning::from(verdict)), Span::from(counts)]
}

/// `in all runs: 107 of 108, with 9 runs under 5 of 22 readings; fewest hold under x, 11 of 12`.
fn robust(own: &Robust, reversed: &[Reversal], untried: usize) -> Vec<Line> {
    let worst = own.worst.as_ref().map_or(String::new(), |worst| {
        format!("; fewest hold under {} ({} of {})", worst.reading, worst.held, worst.of)
    });
    let all = format!(
        "in all runs: {} of {} hold, in {} runs under {} of {} readings{worst}",
        own.held,
        own.of,
        own.runs,
        own.readings,
        own.readings + untried
    );
    let mut lines: Vec<Line> = vec![vec![Span::from(all)]];
    if !reversed.is_empty() {
        let named: Vec<String> = reversed
            .iter()
            .take(NAMED)
            .map(|one| format!("{} (reverses {})", one.reading, one.comparisons.len()))
            .collect();
        let more = match reversed.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(" on the reading: {}{more}", named.join(", "));
        lines.push(vec![Span::new("depends", Meaning::Mixed), Span::from(text)]);
    }
    lines
}

/// Each comparison, in our numbers and in the paper's.
fn compared(answers: &Answers) -> impl Iterator<Item = (&Compared, &Compared)> {
    let claims = answers.claims.iter();
    claims.flat_map(|answer| answer.ours.comparisons.iter().zip(&answer.paper.comparisons))
}

fn comparisons(answers: &Answers, most: usize) -> Table {
    let mut all: Vec<(&Compared, &Compared)> = compared(answers).collect();
    if all.len() > most {
        all.sort_by_key(|(ours, _)| ours.verdict == Verdict::Holds);
    }
    let head = ["comparison", "left", "right", "difference", "verdict", "in the paper"];
    let mut table = Table::new("Comparisons", head).spare(&["in the paper", "right", "left"]);
    for (ours, paper) in all.into_iter().take(most) {
        let [left, right] = sides(ours);
        let differences = ours.differences.iter().map(|own| signed(*own));
        let differences: Vec<String> = differences.collect();
        let [one, other] = sides(paper);
        let printed = match paper.verdict {
            Verdict::Open => String::new(),
            _ => format!("{one}, {other}"),
        };
        let verdict = Span::new(ours.verdict.text(), Meaning::from(ours.verdict));
        let cells = [ours.test.clone(), left, right, differences.join(", "), printed];
        let [test, left, right, difference, printed] = cells.map(Span::from);
        table.row(None, [test, left, right, difference, verdict, printed]);
    }
    table
}

/// The values of the first term, and of the others.
fn sides(own: &Compared) -> [String; 2] {
    let text = |value: &Value| match value.ci95 {
        Some(half) if half > 0.0 => format!("{} ± {}", number(value.value), two_digits(half)),
        _ => number(value.value),
    };
    let [first, others @ ..] = own.terms.as_slice() else { return Default::default() };
    [text(first), others.iter().map(text).collect::<Vec<_>>().join(", ")]
}

fn signed(value: Value) -> String {
    let sign = if value.value < 0.0 { "" } else { "+" };
    match value.ci95 {
        Some(half) if half > 0.0 => {
            format!("{sign}{} ± {}", number(value.value), two_digits(half))
        }
        _ => format!("{sign}{}", number(value.value)),
    }
}

/// With two significant digits.
fn two_digits(value: f64) -> String {
    let decimals = (1 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

fn notes(page: &mut Page, paper: &Paper, scope: &Scope<'_>, answers: &Answers) {
    if answers.quick {
        page.doubt(QUICK_LOOK);
    }
    if let Some(stale) = paper.about.stale.as_ref().filter(|_| scope.recorded.is_some()) {
        page.doubt(format!("stale: {stale}"));
    }
    let left_out: usize = answers.claims.iter().map(|answer| answer.left_out).sum();
    if left_out > 0 {
        page.note(format!("only comparisons between the chosen rows; {left_out} are left out"));
    }
    let missing: usize = answers.claims.iter().map(|answer| answer.ours.missing).sum();
    if missing > 0 {
        page.note(format!("{missing} comparisons need rows that were not run"));
    }
    for answer in &answers.claims {
        if let Some(why) = &answer.reason {
            page.note(format!("{}: {why}", answer.id));
        }
    }
    let mut rows: Vec<_> = answers.claims.iter().flat_map(|answer| &answer.rows).collect();
    rows.sort_by(|a, b| a.row.cmp(&b.row));
    rows.dedup_by(|a, b| a.row == b.row);
    let in_step: Vec<&str> =
        rows.iter().filter(|own| !own.in_step.is_empty()).map(|own| own.row.as_str()).collect();
    if !in_step.is_empty() {
        page.note(format!(
            "phase effects decide {} (tusker explain phase-effects)",
            in_step.join(", ")
        ));
    }
    if let Some(first) = rows.iter().find(|own| own.row.contains('@')) {
        page.note(format!("{} is a row: its case @ what is varied (--case, --at)", first.row));
    }
    let printed = rows.iter().filter(|own| own.verdict != Verdict::Open).count();
    let within = rows.iter().filter(|own| own.verdict == Verdict::Holds).count();
    if printed > 0 {
        page.note(format!(
            "{within} of {printed} rows are within the tolerances of the paper's numbers"
        ));
    }
    if compared(answers).count() > MOST {
        page.note("some comparisons are left out; --explain shows all");
    }
}

/// Commands to type next.
fn next(paper: &Paper, scope: &Scope<'_>, answers: &Answers) -> Vec<Step> {
    let words = |more: &[&str]| {
        let mut words = vec!["reproduce".to_owned(), paper.about.key.clone()];
        let own = scope.names.iter().map(|name| ("--claim", name.clone()));
        let Selection { tables, cases, at } = scope.selection;
        let rows = [("--table", tables), ("--case", cases), ("--at", at)];
        let rows = rows.iter().filter(|(_, names)| !names.is_empty());
        let rows = rows.map(|(flag, names)| (*flag, names.join(",")));
        let sets = scope.sets.iter().map(|set| ("--set", set.clone()));
        words.extend(own.chain(rows).chain(sets).flat_map(|(flag, name)| [flag.to_owned(), name]));
        words.extend(scope.quick.then(|| "--quick".to_owned()));
        words.extend(more.iter().map(|&word| word.to_owned()));
        command(&words)
    };
    let seeds = answers.claims.iter().map(|answer| answer.seeds().count()).min().unwrap_or(0);
    let untried = answers.claims.iter().map(|answer| answer.untried.len()).max().unwrap_or(0);
    let base = answers.reading == BASE;
    let mut steps = Vec::new();
    if seeds < ENOUGH && base {
        let step = words(&["--replicates", "3"]);
        steps.push(Step::new(step, "three seeds, and with them intervals"));
    }
    if untried > 0 && base && !scope.all_readings {
        let what = match untried {
            1 => "the other reading that could change it".to_owned(),
            some => format!("{some} more readings that could change it"),
        };
        steps.push(Step::new(words(&["--compare-readings"]), what));
    }
    if let Some(path) = scope.recorded {
        let step = words(&["--recorded", &path.display().to_string(), "--out", "page"]);
        steps.push(Step::new(step, "a page of this, to send"));
    }
    steps.truncate(2);
    steps
}

/// All that is known of a claim.
fn details(answer: &Answer) -> Vec<Block> {
    let mut facts = vec![("tests".to_owned(), answer.tests.join("; "))];
    facts.push(("holds if".to_owned(), format!("{} of its comparisons hold", answer.need.text())));
    if !answer.read.is_empty() {
        facts.push(("read as".to_owned(), answer.read.clone()));
    }
    let paper = &answer.paper;
    if paper.of > 0 {
        let why = answer.paper_reason.as_ref().filter(|_| paper.verdict.falls_short());
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        let text = format!("{}, {} of {}{why}", paper.verdict.text(), paper.held, paper.of);
        facts.push(("the paper's own numbers".to_owned(), text));
    }
    if let Some(why) = &answer.reason {
        let source = answer.reason_source.as_ref();
        let source = source.map_or(String::new(), |source| format!(" (source: {source})"));
        facts.push(("why it falls short".to_owned(), format!("{why}{source}")));
    }
    for own in &answer.reversed_by {
        let name = format!("reversed under {}", own.reading);
        facts.push((name, own.comparisons.join("; ")));
    }
    if !answer.unmoved.is_empty() {
        facts.push(("changes nothing here".to_owned(), answer.unmoved.join(", ")));
    }
    if !answer.untried.is_empty() {
        facts.push(("not run".to_owned(), answer.untried.join(", ")));
    }
    let mut blocks = vec![Block::Facts(facts), Block::Table(readings(answer))];
    let misses = misses(answer);
    if !misses.rows.is_empty() {
        blocks.push(Block::Table(misses));
    }
    blocks
}

/// What is known of a claim under each reading.
fn readings(answer: &Answer) -> Table {
    let head = ["reading", "seeds", "verdict", "hold", "in single runs", "fail most often"];
    let mut table = Table::new("Each reading and its runs", head).spare(&["fail most often"]);
    for own in &answer.readings {
        let seeds: Vec<String> = own
            .runs
            .iter()
            .map(|run| run.seed.map_or("means".to_owned(), |s| s.to_string()))
            .collect();
        let experiment = if own.experiment { " (experiment)" } else { "" };
        let sum = |of: fn(&InRun) -> usize| own.runs.iter().map(of).sum::<usize>();
        let mut fails: Vec<(&String, usize)> = Vec::new();
        for test in own.runs.iter().flat_map(|run| &run.fail) {
            match fails.iter_mut().find(|(own, _)| *own == test) {
                Some((_, count)) => *count += 1,
                None => fails.push((test, 1)),
            }
        }
        fails.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named = fails.iter().take(NAMED).map(|(test, _)| test.as_str());
        let mut named = named.collect::<Vec<_>>().join("; ");
        if fails.len() > NAMED {
            named += &format!(" and {} more", fails.len() - NAMED);
        }
        let judged = &own.judged;
        let cells = [
            Span::from(format!("{}{experiment}", own.reading)),
            Span::from(seeds.join(", ")),
            Span::new(judged.verdict.text(), Meaning::from(judged.verdict)),
            Span::from(format!("{} of {}", judged.held, judged.of)),
            Span::from(format!("{} of {}", sum(|run| run.held), sum(|run| run.of))),
            Span::from(named),
        ];
        table.row(None, cells);
    }
    table
}

/// Measures of its rows that are outside the tolerances of the paper's numbers.
fn misses(answer: &Answer) -> Table {
    let head = ["row", "measure", "paper", "ours", "difference", "tolerance", "verdict"];
    let mut table = Table::new("Rows that are not as in the paper", head);
    for row in &answer.rows {
        for miss in &row.misses {
            let verdict = if miss.chance { Verdict::Undecided } else { Verdict::DoesNotHold };
            let numbers = [miss.paper, miss.ours, miss.ours - miss.paper, miss.tolerance];
            let begin = [row.row.clone(), miss.measure.clone()].into_iter();
            let cells = begin.chain(numbers.map(number)).map(Span::from);
            let verdict = match verdict {
                Verdict::Undecided => Span::new("undecided", Meaning::Mixed),
                _ => Span::bad("off"),
            };
            table.row(None, cells.chain([verdict]));
        }
    }
    table
}

/// The rows and what each changes, the readings, and the scenario.
fn set_up(paper: &Paper, scope: &Scope<'_>, answers: &Answers) -> Vec<Block> {
    let taken = Taken::with(scope.sets);
    let mut changes = Table::new("What each row changes in the scenario", ["row", "changes"]);
    let own =
        |row: &&Row<'_>| answers.claims.iter().any(|answer| answer.row_ids.contains(&row.id()));
    for row in paper.rows().iter().filter(own) {
        let quick = if scope.quick { paper.quick(row) } else { &[] };
        changes.row(None, [row.id(), paper.changes(row, &taken, quick).join("; ")]);
    }
    let mut meanings = Table::new("What each reading means", ["reading", "run", "what it means"]);
    for reading in &paper.readings {
        let named = |names: &[String]| names.contains(&reading.name);
        let run = |answer: &Answer| answer.readings.iter().any(|own| own.reading == reading.name);
        let state = match () {
            () if answers.claims.iter().any(run) => "yes",
            () if answers.claims.iter().any(|answer| named(&answer.untried)) => "no",
            () => continue,
        };
        meanings.row(None, [reading.name.as_str(), state, &reading.why]);
    }
    let title =
        "The scenario that all rows begin with, with what is assumed where the paper is silent";
    vec![
        Block::FoldedTable(changes),
        Block::FoldedTable(meanings),
        Block::Fold(title.to_owned(), paper.scenario.to_string()),
    ]
}
