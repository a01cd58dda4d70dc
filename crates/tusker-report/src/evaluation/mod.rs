//! An evaluation as a page: the answer, a table of criteria, all values.

mod csv;

pub use csv::csv;
use tusker_core::{Duration, Rate};
use tusker_lab::suite::{
    ClaimResult, Comparison, Criterion, Evaluation, Overall, Published, Regression, Subject, Suite,
    Verdict,
};
use tusker_measure::condition::{self, Verdict as Holds};
use tusker_measure::stats::Estimate;
use tusker_measure::summary::{Quantity, entry, unit};
use tusker_measure::table::{Unit, counted};

use crate::figure::{Axis, BarCase, BarPanel, Bars, Figure, Group};
use crate::junit::{self, Case};
use crate::page::{Block, Line, Meaning, Span, Table};
use crate::{Page, results};

/// The worst criteria, and regressions, that the answer names.
const NAMED: usize = 3;

/// An evaluation, with what became worse than the baseline.
pub fn page(evaluation: &Evaluation, regressions: Option<&[Regression<'_>]>) -> Page {
    let Evaluation { name, against, title, path, .. } = evaluation;
    let rate = Rate::from_bits_per_sec(path.rate_bps);
    let (rtt, duration) = (Duration::from_secs(path.rtt_s), Duration::from_secs(path.duration_s));
    let mut page = Page {
        title: format!("{name} and {title}"),
        lead: format!(
            "{name} compared with {against}, simulated: {rate}, {rtt}, {duration}, {}",
            counted(u128::from(path.replicates), "replicate")
        ),
        commands: vec![results::command(&evaluation.command)],
        answer: answer(evaluation, regressions),
        table: Some(criteria(evaluation)),
        ..Page::default()
    };
    let few = evaluation.counts.few_episodes;
    if few > 0 {
        let all = evaluation.counts.comparisons;
        page.doubt(format!(
            "{few} of {all} verdicts are of runs with too few congestion episodes for a long-term \
             mean; a longer --duration, such as {}, may change them",
            Duration::from_nanos(3 * duration.nanos())
        ));
    }
    for left in &evaluation.left_out {
        page.note(format!("{} is left out. {}", left.name, left.reason));
    }
    page.note("of so many comparisons, a few verdicts may be chance; those that a longer --duration gives, too, are surer");
    if !evaluation.published.is_empty() {
        page.section("Published values", vec![Block::Table(published(&evaluation.published))]);
    }
    if !evaluation.claims.is_empty() {
        page.section("Claims", vec![Block::Table(claims(&evaluation.claims))]);
    }
    if let Some(figure) = harms(evaluation) {
        page.section("Harm", vec![figure.into()]);
    }
    page.section(
        "All values",
        vec![Block::Table(values(evaluation)), Block::Text(WORDS.to_owned())],
    );
    if let Some(all) = regressions {
        let text = match all {
            [] => "No value is surely worse than that of the baseline.".to_owned(),
            all => all.iter().map(became).collect::<Vec<_>>().join("\n"),
        };
        page.section("The baseline", vec![Block::Text(text)]);
    }
    let limits = evaluation.limits.iter().cloned().map(Block::Text).collect();
    page.section("What is not tested", limits);
    page
}

const WORDS: &str = "The intervals are 95 % intervals over replicates; those of two values combine \
    in quadrature to that of their difference. Better or worse: the difference is larger than its \
    interval, and may be larger than what counts as the same. Slightly better or worse: it is \
    larger than its interval, but with it at most what counts as the same. Same: with its \
    interval, it is at most that, and within the interval or hardly there. Undecided: anything \
    else; more replicates or a longer duration may decide it. Harm is what a flow of the rival \
    loses beside the congestion control, compared with having the path alone: 0 nothing, 1 \
    everything.";

fn answer(evaluation: &Evaluation, regressions: Option<&[Regression<'_>]>) -> Vec<Line> {
    let Evaluation { name, against, counts, suite, .. } = evaluation;
    let all = [
        ("better", counts.better, Meaning::Good),
        ("slightly better", counts.slightly_better, Meaning::Good),
        ("same", counts.same, Meaning::Plain),
        ("slightly worse", counts.slightly_worse, Meaning::Bad),
        ("worse", counts.worse, Meaning::Bad),
        ("undecided", counts.undecided, Meaning::Mixed),
        ("unknown", counts.unknown, Meaning::Muted),
    ];
    let mut line: Line = vec![
        Span::strong(format!("{name} against {against}, {suite}: ")),
        format!("of {} comparisons, ", counts.comparisons).into(),
    ];
    for (at, (word, count, meaning)) in all.iter().filter(|(_, count, _)| *count > 0).enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        line.push(comma.into());
        line.push(Span::new(format!("{word} in {count}"), *meaning));
    }
    let mut lines = vec![line];
    let mut worst: Vec<(f64, &Criterion, &Comparison)> = evaluation
        .comparisons()
        .filter(|(_, own)| own.verdict == Some(Verdict::Worse))
        .filter_map(|(of, own)| Some((distance(own)?, of, own)))
        .collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, of, own) in worst.iter().take(NAMED) {
        lines.push(vec![Span::bad("worse: "), named(of, own).into()]);
    }
    if !evaluation.published.is_empty() {
        let all = &evaluation.published;
        let met = all.iter().filter(|own| own.verdict == condition::Verdict::Holds).count();
        let text = format!("{met} of {} published values are within their tolerances", all.len());
        lines.push(vec![text.into()]);
    }
    if !evaluation.claims.is_empty() {
        let all = &evaluation.claims;
        let hold = all.iter().filter(|own| own.judged.verdict == condition::Verdict::Holds).count();
        lines.push(vec![format!("{hold} of {} claims hold", all.len()).into()]);
    }
    if let Some(all) = regressions {
        let word = match all.len() {
            0 => Span::good("nothing is surely worse than the baseline"),
            n => {
                Span::bad(format!("{} surely worse than the baseline", counted(n as u128, "value")))
            }
        };
        lines.push(vec![word]);
        lines.extend(all.iter().take(NAMED).map(|own| vec![became(own).into()]));
    }
    lines
}

/// Each claim of the suite.
fn claims(all: &[ClaimResult]) -> Table {
    let mut table = Table::new("Claims", ["claim", "verdict", "hold", "does not hold", "id"]);
    table.words = true;
    for own in all {
        let judged = &own.judged;
        let fail = judged.comparisons.iter().filter(|one| one.verdict == Holds::DoesNotHold);
        let fail: Vec<&str> = fail.map(|one| one.test.as_str()).collect();
        let cells = [
            Span::from(own.says.clone()),
            Span::new(judged.verdict.text(), Meaning::from(judged.verdict)),
            Span::from(format!("{} of {}", judged.held, judged.of)),
            Span::from(fail.join("; ")),
            Span::from(own.id.clone()),
        ];
        table.row(None, cells);
    }
    table
}

/// Each published value beside ours.
fn published(all: &[Published]) -> Table {
    let head =
        ["experiment", "of", "measure", "published", "tolerance", "ours", "verdict", "source"];
    let mut table = Table::new("Published values, and ours", head).spare(&["source"]);
    for own in all {
        let unit = unit(&own.measure);
        let exact = |value| unit.text(value);
        let name = match &own.varied {
            Some(at) => format!("{} at {at}", own.experiment),
            None => own.experiment.clone(),
        };
        let verdict = match own.verdict {
            condition::Verdict::Holds => Span::good("within"),
            condition::Verdict::DoesNotHold => Span::bad("outside"),
            condition::Verdict::Open => Span::muted("no value"),
            _ => Span::new("undecided", Meaning::Mixed),
        };
        let begin = [name, own.of.clone(), own.measure.clone(), exact(own.value)];
        let begin = begin.into_iter().chain([exact(own.tolerance), unit.estimate(own.ours)]);
        let cells = begin.map(Span::from).chain([verdict, own.source.clone().into()]);
        table.row(None, cells);
    }
    table
}

/// How far two values are apart, as a share of the larger one.
fn distance(own: &Comparison) -> Option<f64> {
    let (a, b) = (own.value?.mean, own.against?.mean);
    let index = matches!(unit(&own.measure), Unit::Index);
    Some(if index { (a - b).abs() } else { (a - b).abs() / a.abs().max(b.abs()) })
}

/// A measure as people call it.
fn called(measure: &str) -> String {
    let (of, name) = measure.rsplit_once('.').unwrap_or(("", measure));
    let name = entry(measure).map_or(name, |entry| entry.title);
    match of.split_once('.') {
        Some((_, owner)) => format!("{name} of {owner}"),
        None => name.to_owned(),
    }
}

/// `harm to goodput of reno`.
pub fn short(own: &Comparison) -> String {
    let rival = own.rival.as_ref().map(|rival| match own.verdict {
        Some(_) => format!(" of {rival}"),
        None => format!(" beside {rival}"),
    });
    let varied = own.varied.as_ref().map(|varied| format!(" at {varied}"));
    called(&own.measure) + &rival.unwrap_or_default() + &varied.unwrap_or_default()
}

/// `deep: mean RTT 101 ± 2 ms, not 88 ± 1 ms`.
pub fn named(of: &Criterion, own: &Comparison) -> String {
    let [value, against] = [own.value, own.against].map(|value| text(&own.measure, value));
    format!("{}: {} {value}, not {against}", of.name, short(own))
}

/// The same of what a value became.
pub fn became(own: &Regression<'_>) -> String {
    let Regression { experiment, comparison, values: [before, now] } = own;
    let [before, now] = [before, now].map(|own| text(&comparison.measure, Some(*own)));
    format!("{experiment}: {} {now}, not {before}", short(comparison))
}

/// A value with its unit.
fn text(measure: &str, value: Option<Estimate>) -> String {
    match (entry(measure).map(|entry| entry.quantity), value) {
        (Some(Quantity::Runs), Some(Estimate { mean, n, .. })) => {
            format!("{} of {n} runs", (mean * f64::from(n)).round())
        }
        _ => unit(measure).estimate(value),
    }
}

fn meaning(verdict: Overall) -> Meaning {
    match verdict {
        Overall::Better | Overall::SlightlyBetter => Meaning::Good,
        Overall::Worse | Overall::SlightlyWorse => Meaning::Bad,
        Overall::Mixed | Overall::SlightlyMixed | Overall::Undecided => Meaning::Mixed,
        Overall::Same => Meaning::Plain,
        Overall::NoValue => Meaning::Muted,
    }
}

/// The table of criteria: a row for each experiment, with the number of comparisons of each
/// verdict.
fn criteria(evaluation: &Evaluation) -> Table {
    let head = ["experiment", "verdict", "better", "worse", "undecided", "same", "section"];
    let mut table = Table::new("Criteria", head).spare(&["section", "same"]);
    table.keys = 2;
    for of in &evaluation.criteria {
        let count = |verdicts: &[Verdict]| {
            let such = |own: &&Comparison| own.verdict.is_some_and(|v| verdicts.contains(&v));
            match of.comparisons.iter().filter(such).count() {
                0 => Span::from(""),
                count => count.to_string().into(),
            }
        };
        let cells = [
            Span::from(of.title.clone()),
            Span::new(of.verdict.words(), meaning(of.verdict)),
            count(&[Verdict::Better, Verdict::SlightlyBetter]),
            count(&[Verdict::Worse, Verdict::SlightlyWorse]),
            count(&[Verdict::Undecided, Verdict::NoInterval]),
            count(&[Verdict::Same]),
            of.section.clone().into(),
        ];
        table.row(None, cells);
    }
    table
}

/// The harm to the goodput of each rival, in each experiment beside it.
fn harms(evaluation: &Evaluation) -> Option<Figure> {
    let bars = [&evaluation.name, &evaluation.against].into_iter().enumerate();
    let bars: Vec<Group> =
        bars.map(|(colour, name)| Group { name: name.clone(), colour }).collect();
    let mut panels: Vec<BarPanel> = Vec::new();
    for (of, own) in evaluation.comparisons().filter(|(_, own)| own.measure == "harm_goodput") {
        let title = format!("beside {}", own.rival.as_deref().unwrap_or_default());
        let heights = [own.value, own.against].map(|value| value.map(|own| (own.mean, own.ci95)));
        let case = BarCase { name: of.name.clone(), heights: heights.into() };
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.cases.push(case),
            None => {
                let (y, bars) = (Axis::new("harm to goodput", ""), bars.clone());
                panels.push(BarPanel { title, y, bars, cases: vec![case] });
            }
        }
    }
    let caption = "The share of its goodput that a flow of the named congestion control loses, \
                   compared with having the path alone: 0 nothing, 1 everything; two equal flows \
                   do 0.5 to each other. Lines are 95 % intervals over replicates.";
    let there = !panels.is_empty();
    there.then(|| Bars { panels }.figure("harm", "Harm to the goodput of others", caption))
}

/// All comparisons.
fn values(evaluation: &Evaluation) -> Table {
    let head =
        ["experiment", "measure", &evaluation.name, &evaluation.against, "verdict", "few episodes"];
    let mut table = Table::new("All measures", head);
    table.keys = 2;
    for (of, own) in evaluation.comparisons() {
        let [value, against] = [own.value, own.against].map(|value| text(&own.measure, value));
        let verdict = own.verdict.map_or("", Verdict::words).to_owned();
        let few = if own.few_episodes { "yes" } else { "" }.to_owned();
        table.row(None, [of.name.clone(), short(own), value, against, verdict, few]);
    }
    table.drop_empty_columns();
    table
}

/// A suite for each experiment, with a case for each comparison.
pub fn verdicts(
    evaluation: &Evaluation,
    judged: bool,
    regressions: Option<&[Regression<'_>]>,
) -> Vec<junit::Suite> {
    let case = |of: &Criterion, own: &Comparison| {
        let name = short(own);
        let regressed = regressions.into_iter().flatten();
        let found = regressed.into_iter().find(|one| std::ptr::eq(one.comparison, own));
        let (verdict, why) = match (found, own.verdict) {
            (Some(one), _) => (Holds::DoesNotHold, vec![became(one)]),
            (None, Some(Verdict::Worse)) if judged => (Holds::DoesNotHold, vec![named(of, own)]),
            (
                None,
                Some(verdict @ (Verdict::Undecided | Verdict::NoInterval | Verdict::NoValue)),
            ) if judged => {
                let why = format!("{}: {}", verdict.words(), named(of, own));
                (Holds::Undecided, vec![why])
            }
            _ => (Holds::Holds, Vec::new()),
        };
        Case { name, verdict, why }
    };
    let suite = |of: &Criterion| junit::Suite {
        name: format!("{} {}", evaluation.suite, of.name),
        cases: of.comparisons.iter().map(|own| case(of, own)).collect(),
    };
    evaluation.criteria.iter().map(suite).collect()
}

/// The suites that come with the program.
pub fn suites(all: Vec<Suite>) -> Page {
    let mut table = Table::new("Suites", ["suite", "for", "experiments", "what it is"]);
    table.words = true;
    for suite in &all {
        let subject = match suite.subject {
            Subject::Cc => "congestion controls",
            Subject::Queue => "queue policies",
        };
        let count = suite.experiments.len().to_string();
        let cells = [suite.name.clone(), subject.to_owned(), count, suite.title.clone()];
        table.row(None, cells);
    }
    Page { table: Some(table), ..Page::default() }
}

/// The experiments of a suite.
pub fn experiments(suite: &Suite) -> Page {
    let mut table =
        Table::new(suite.title.clone(), ["experiment", "section", "what it is about", "measures"]);
    table.words = true;
    for own in &suite.experiments {
        let measures: Vec<String> = own.measures().map(|(name, _)| name.to_owned()).collect();
        let cells = [own.name.clone(), own.section.clone(), own.title.clone(), measures.join(", ")];
        table.row(None, cells);
    }
    Page { table: Some(table), ..Page::default() }
}
