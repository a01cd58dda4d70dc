//! Lists: what can be asked of a paper, and the scores of several papers.

use tusker_report::Page;
use tusker_report::page::{Block, Span, Table};

use crate::paper::Paper;
use crate::reproduction::Reproduction;
use crate::rows::BASE;

/// The claims and conclusions of a paper with their ids, and what tests of one's own can name.
pub fn claims(paper: &Paper) -> Page {
    let mut page = Page { title: paper.about.title.clone(), ..Page::default() };
    for own in &paper.conclusions.conclusions {
        entry(&mut page, &own.id, &own.says, &format!("claims: {}", own.claims.join(", ")));
    }
    for own in &paper.claims {
        let says = format!("{} [{}]", own.says, own.place);
        entry(&mut page, &own.id, &says, &own.tests.join("; "));
    }
    let variant = &paper.cases.variant;
    let mut measures = Table::new("Measures", ["measure", "what it is", "unit"]);
    measures.words = true;
    for own in &paper.about.measures {
        measures.row(None, [&own.name, &own.about, &own.unit]);
    }
    page.table = Some(measures);
    let cases = paper.cases.cases.iter().map(|own| {
        let chosen: Vec<&str> = own.choose.values().map(String::as_str).collect();
        (own.id.clone(), chosen.join(", "))
    });
    page.section("Cases", vec![Block::Facts(cases.collect())]);
    let at: Vec<&str> = variant.values.iter().map(|own| own.name.as_str()).collect();
    page.note(format!(
        "a comparison of your own: MEASURE(CASE) > MEASURE(CASE), or CASE@{} for one {} ({}); \
         --explain lists the cases",
        variant.name.to_uppercase(),
        variant.name,
        at.join(", ")
    ));
    page
}

/// What else the text may mean, and what each reading sets.
pub fn readings(paper: &Paper) -> Page {
    let mut page = Page { title: paper.about.title.clone(), ..Page::default() };
    entry(&mut page, BASE, "what --print-scenario shows", "");
    for reading in &paper.readings {
        let experiment = if reading.experiment { "experiment: " } else { "" };
        let sets = reading.when.iter().flat_map(|when| &when.set).chain(&reading.set);
        let counts = reading.measures.iter().map(|(name, of)| format!("{name} = {of}"));
        let mut changes: Vec<String> = sets.cloned().chain(counts).collect();
        changes.dedup();
        let why = format!("{experiment}{}", reading.why);
        entry(&mut page, &reading.name, &why, &format!("sets {}", changes.join("; ")));
    }
    page
}

/// A name, what it stands for, and below both more about it.
fn entry(page: &mut Page, name: &str, says: &str, more: &str) {
    page.answer.push(vec![Span::strong(name), Span::from(format!("  {says}"))]);
    if !more.is_empty() {
        page.answer.push(vec![Span::muted(more)]);
    }
}

/// What a scoreboard counts of a paper.
const SCORES: [&str; 10] = [
    "rows",
    "judged",
    "within",
    "baseline",
    "claims",
    "hold",
    "partly",
    "undecided",
    "fail",
    "open",
];

fn scores(one: &Reproduction) -> [usize; 10] {
    let s = &one.scoreboard;
    let rows = [s.run + s.unprinted, s.run, s.by_means, s.baseline];
    let [run, judged, within, baseline] = rows;
    let [claims, hold, partly, undecided] = [s.claims, s.hold, s.partly, s.undecided];
    [run, judged, within, baseline, claims, hold, partly, undecided, s.fail, s.open]
}

/// A line per paper.
pub fn scoreboard(all: &[Reproduction]) -> Page {
    let heads = ["paper", "rows", "within", "constants"].into_iter().chain(SCORES[4..].to_vec());
    let mut table = Table::new("Scoreboard", heads).spare(&["open", "constants", "rows"]);
    let mut sums = [0; 10];
    let mut line = |name: &str, numbers: [usize; 10]| {
        let [run, judged, within, baseline, claims @ ..] = numbers;
        let of = |rows: usize| format!("{rows} of {judged}");
        let cells = [name.to_owned(), run.to_string(), of(within), of(baseline)];
        table.row(None, cells.into_iter().chain(claims.map(|n| n.to_string())));
    };
    for one in all {
        let numbers = scores(one);
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        line(&one.paper.key, numbers);
    }
    if all.len() > 1 {
        line("together", sums);
    }
    let mut page = Page { title: "Scoreboard".to_owned(), table: Some(table), ..Page::default() };
    if let Some(quick) = all.iter().find_map(Reproduction::quick_note) {
        page.doubt(quick);
    }
    page.note(
        "within: rows whose means are within the tolerances, of those with printed numbers; \
         constants: rows that one constant for each table and measure would reach",
    );
    page
}

/// The same as CSV.
pub fn scores_csv(all: &[Reproduction]) -> String {
    let line = |one: &Reproduction| {
        let numbers = scores(one).map(|number| number.to_string());
        format!("{},{}\n", one.paper.key, numbers.join(","))
    };
    format!("paper,{}\n", SCORES.join(",")) + &all.iter().map(line).collect::<String>()
}
