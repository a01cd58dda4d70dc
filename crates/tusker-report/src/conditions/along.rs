//! `--where 'utilisation >= 0.95'`: for which values of a sweep's key a condition holds, such
//! as the buffer size from which on it does.

use std::collections::BTreeSet;
use std::ops::Range;

use tusker_measure::condition::{Condition, Named, Value, Verdict, is_named};
use tusker_measure::summary::{View, flat_names};
use tusker_plan::plan::Plan;
use tusker_store::sweep::SweepSummary;

use super::{Mistake, read, unknown, values};
use crate::page::{Block, Note, Section, Table};
use crate::sweep::UTILISATION;

/// The flag, as messages name it.
const FLAG: &str = "--where";

/// The conditions that are asked about.
#[derive(Debug)]
pub struct Wheres(Vec<Condition>);

/// What became of them.
#[derive(Debug, Default)]
pub struct Found {
    /// A table for each.
    pub tables: Vec<Section>,
    /// What is to be known of them.
    pub notes: Vec<Note>,
    /// The key, and values between those at each edge, as a list for `--over`.
    pub finer: Option<(String, String)>,
}

/// Values that a finer sweep has where there is one edge, and at each of several.
const FINER: [usize; 2] = [7, 3];

/// Two neighbours of which the condition holds at one alone, the smaller one first: the number
/// and the label of both.
type Gap = [(f64, String); 2];

/// A point on the way along the key: its label, what becomes of the condition there, and the
/// measure's value.
struct Stop {
    label: String,
    number: f64,
    verdict: Verdict,
    value: Option<Value>,
}

impl Wheres {
    /// Reads the flags.
    ///
    /// # Errors
    /// If one is no condition.
    pub fn read(texts: &[String]) -> Result<Self, Mistake> {
        let conditions = texts.iter().map(|text| read(FLAG, text));
        Ok(Self(conditions.collect::<Result<_, _>>()?))
    }

    /// Makes sure before a run that there is a key with numbers, and that each condition is on
    /// one measure of this plan.
    ///
    /// # Errors
    /// If there is none.
    pub fn check(&self, numeric: bool, plan: &Plan) -> Result<(), Mistake> {
        if self.0.is_empty() {
            return Ok(());
        }
        if !numeric {
            return Err((
                format!("{FLAG}: no --over key has numbers, of which it could say which"),
                "give one, such as --over dumbbell.queue=0.1bdp..2bdp:8:log".to_owned(),
            ));
        }
        let names = flat_names(&View::new(plan));
        for condition in &self.0 {
            let there = |measure: &&str| names.iter().any(|name| is_named(measure, name));
            if let Some(measure) = condition.measures().find(|name| !there(name)) {
                return Err(unknown(FLAG, measure, &names));
            }
            let own: Vec<&String> =
                names.iter().filter(|name| is_named(condition.measure(), name)).collect();
            if own.len() > 1 && !own.iter().any(|name| **name == condition.measure()) {
                let own: Vec<&str> = own.into_iter().map(String::as_str).collect();
                return Err((
                    format!("{FLAG}: several measures are called `{}`", condition.measure()),
                    format!("write the whole name of one: {}", own.join(", ")),
                ));
            }
        }
        Ok(())
    }

    /// A table for each condition, with a row for each combination of the other keys; nothing
    /// if nothing was asked.
    pub fn find(&self, summary: &SweepSummary) -> Found {
        let Some(along) = summary.axes.iter().rposition(|axis| axis.numeric) else {
            return Found::default();
        };
        let mut values = values::of_points(summary);
        // one sawtooth more or less in the window may be more than seeds show
        for ((_, all), point) in values.iter_mut().zip(&summary.points) {
            let Some(tooth) = summary.sawtooth(point) else { continue };
            let own = all.iter_mut().filter(|value| value.name == UTILISATION);
            own.for_each(|own| own.value.ci95 = own.value.ci95.map(|half| half.max(tooth)));
        }
        let (mut gaps, mut found) = (Vec::new(), Found::default());
        for own in &self.0 {
            let table = table(own, summary, along, &values, &mut gaps, &mut found.notes);
            found.tables.push(Section { blocks: vec![Block::Table(table)], ..Section::default() });
        }
        found.finer = finer(gaps).map(|list| (summary.axes[along].name().to_owned(), list));
        found
    }
}

/// Values between the ends of each gap, in equal steps: `0.11bdp,0.12bdp,0.13bdp`.
fn finer(mut gaps: Vec<Gap>) -> Option<String> {
    gaps.sort_by(|a, b| a[0].0.total_cmp(&b[0].0).then(a[1].0.total_cmp(&b[1].0)));
    gaps.dedup_by(|a, b| a[0].1 == b[0].1 && a[1].1 == b[1].1);
    let count = FINER[usize::from(gaps.len() > 1)];
    let mut list: Vec<String> = Vec::new();
    for label in gaps.iter().flat_map(|gap| between(gap, count)) {
        if !list.contains(&label) {
            list.push(label);
        }
    }
    (!list.is_empty()).then(|| list.join(","))
}

/// So many values between two labels of the same unit; fewer between neighbouring packets.
fn between([(_, from), (_, to)]: &Gap, count: usize) -> Vec<String> {
    let parts = |label: &str| {
        let unit = label.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(label.len());
        Some((label[..unit].parse::<f64>().ok()?, label[unit..].to_owned()))
    };
    let Some(((low, unit), (high, other))) = parts(from).zip(parts(to)) else { return Vec::new() };
    if unit != other || low >= high {
        return Vec::new();
    }
    let step = (high - low) / (count + 1) as f64;
    // a tenth of a step is exact enough; packets and bytes are whole
    let decimals = match unit.as_str() {
        "pkt" | "B" => 0,
        _ => (1.0 - step.log10().floor()).clamp(0.0, 9.0) as usize,
    };
    let text = |value: f64| {
        let text = format!("{value:.decimals$}");
        let text = match decimals {
            0 => text.as_str(),
            _ => text.trim_end_matches('0').trim_end_matches('.'),
        };
        text.to_owned()
    };
    let all = (1..=count).map(|k| text(low + step * k as f64));
    let mut all: Vec<String> = all.filter(|own| *own != text(low) && *own != text(high)).collect();
    all.dedup();
    all.into_iter().map(|own| own + &unit).collect()
}

/// A row for each combination of the other keys: where along this one it holds.
fn table(
    condition: &Condition,
    summary: &SweepSummary,
    along: usize,
    values: &[(String, Vec<Named>)],
    gaps: &mut Vec<Gap>,
    notes: &mut Vec<Note>,
) -> Table {
    let others = |labels: &[String]| -> Vec<String> {
        let kept = labels.iter().enumerate().filter(|(axis, _)| *axis != along);
        kept.map(|(_, label)| label.clone()).collect()
    };
    let key = summary.axes[along].name();
    let heads: Vec<String> = summary.axes.iter().map(|axis| axis.name().to_owned()).collect();
    let heads = others(&heads).into_iter().chain([
        format!("{key} where {}", condition.text),
        "at the edge".to_owned(),
        "beyond it".to_owned(),
    ]);
    let mut table = Table::new("", heads);
    (table.words, table.keys) = (true, summary.axes.len());
    let mut seen = BTreeSet::new();
    for point in &summary.points {
        let row = others(&point.values);
        if !seen.insert(row.clone()) {
            continue;
        }
        let same = summary.points.iter().zip(values).filter(|(own, _)| others(&own.values) == row);
        let mut stops: Vec<Stop> = same
            .filter_map(|(own, (_, all))| {
                let (number, label) = (own.numbers[along]?, own.values[along].clone());
                let value = condition.own(all).next().map(|own| own.value);
                Some(Stop { label, number, verdict: condition.judge(all).verdict, value })
            })
            .collect();
        stops.sort_by(|a, b| a.number.total_cmp(&b.number));
        let (cells, edges) = cells(condition, &stops);
        let stop = |at: usize| (stops[at].number, stops[at].label.clone());
        gaps.extend(edges.into_iter().map(|at| [stop(at - 1), stop(at)]));
        table.row(None, row.into_iter().chain(cells));
    }
    let wider = condition.measure().ends_with(UTILISATION) && wider(summary);
    notes.extend(wider.then(|| Note { text: WIDER.to_owned(), doubt: false }));
    table
}

/// What ± is here.
const WIDER: &str = "--where: \u{b1} is 95 % confidence over replicates, or what one additional or missing \
                     sawtooth in the measuring window would change, if that is more";

/// Whether some point has intervals, and sawteeth by which they may be widened.
fn wider(summary: &SweepSummary) -> bool {
    summary.points.iter().any(|point| {
        let half = summary.estimate(point, UTILISATION).1;
        summary.sawtooth(point).zip(half).is_some_and(|(tooth, half)| tooth > half)
    })
}

/// Where the condition holds; the value at the first edge; and that on its other side. With
/// each place where it begins to hold or no longer holds.
fn cells(condition: &Condition, stops: &[Stop]) -> ([String; 3], Vec<usize>) {
    let holds = |stop: &Stop| stop.verdict == Verdict::Holds;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, _) in stops.iter().enumerate().filter(|(_, stop)| holds(stop)) {
        match ranges.last_mut() {
            Some(range) if range.end == at => range.end = at + 1,
            _ => ranges.push(at..at + 1),
        }
    }
    let label = |at: usize| stops[at].label.as_str();
    let named = |range: &Range<usize>| match (range.start, range.end) {
        (0, end) if end == stops.len() => "all".to_owned(),
        (start, end) if end == stops.len() => format!("{} or more", label(start)),
        (0, end) => format!("{} or less", label(end - 1)),
        (start, end) if end == start + 1 => label(start).to_owned(),
        (start, end) => format!("{} to {}", label(start), label(end - 1)),
    };
    let mut found = match ranges.as_slice() {
        [] => "none".to_owned(),
        ranges => ranges.iter().map(named).collect::<Vec<_>>().join(", "),
    };
    let with = |what: &str, verdict: Verdict| {
        let such = stops.iter().filter(|stop| stop.verdict == verdict);
        let labels: Vec<&str> = such.map(|stop| stop.label.as_str()).collect();
        if labels.is_empty() { String::new() } else { format!("; {what} at {}", labels.join(", ")) }
    };
    let undecided = |stop: &Stop| stop.verdict == Verdict::Undecided;
    let without = |stop: &Stop| stop.value.is_some_and(|value| value.ci95.is_none());
    if stops.iter().all(|stop| undecided(stop) && without(stop)) {
        found = "undecided: single runs have no interval (use --replicates 3)".to_owned();
    } else {
        found += &with("undecided", Verdict::Undecided);
    }
    found += &with("no value", Verdict::Open);
    let value = |at: Option<usize>| {
        let stop = at.map(|at| &stops[at]);
        let text = |stop: &Stop| {
            let value = values::text(condition.measure(), stop.value?);
            Some(format!("{}: {value}", stop.label))
        };
        stop.and_then(text).unwrap_or_else(|| "-".to_owned())
    };
    let (edge, beyond) = match ranges.first() {
        None => (None, (0..stops.len()).next_back()),
        Some(range) if range.start > 0 => (Some(range.start), Some(range.start - 1)),
        Some(range) if range.end < stops.len() => (Some(range.end - 1), Some(range.end)),
        Some(range) => (Some(range.start), None),
    };
    let edges = ranges.iter().flat_map(|range| [range.start, range.end]);
    let edges = edges.filter(|&at| at > 0 && at < stops.len()).collect();
    ([found, value(edge), value(beyond)], edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finer_sweep_has_values_within_each_gap() {
        let gap = |from: &str, to: &str| {
            let number = |text: &str| text.trim_end_matches(char::is_alphabetic).parse().unwrap();
            [from, to].map(|label| (number(label), label.to_owned()))
        };
        let list = |gaps: &[Gap]| finer(gaps.to_vec());
        assert_eq!(list(&[]), None);
        // (0.18 - 0.1)/8 = 0.01
        let one = "0.11bdp,0.12bdp,0.13bdp,0.14bdp,0.15bdp,0.16bdp,0.17bdp";
        assert_eq!(list(&[gap("0.1bdp", "0.18bdp")]).unwrap(), one);
        // the edges of two curves; a third one's is between the same values as the first one's
        let two = [gap("0.4bdp", "0.48bdp"), gap("0.1bdp", "0.14bdp"), gap("0.1bdp", "0.14bdp")];
        assert_eq!(list(&two).unwrap(), "0.11bdp,0.12bdp,0.13bdp,0.42bdp,0.44bdp,0.46bdp");
        // neighbours share a value, which was run
        let next = [gap("0.1bdp", "0.14bdp"), gap("0.14bdp", "0.18bdp")];
        assert_eq!(list(&next).unwrap(), "0.11bdp,0.12bdp,0.13bdp,0.15bdp,0.16bdp,0.17bdp");
        // there is no packet between the 5th and the 6th
        assert_eq!(list(&[gap("5pkt", "8pkt"), gap("4pkt", "5pkt")]).unwrap(), "6pkt,7pkt");
    }
}
