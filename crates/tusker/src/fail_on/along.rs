//! `--where 'utilisation >= 0.95'`: at which values of a key of a sweep a condition holds,
//! such as from which buffer on.

use std::collections::BTreeSet;
use std::ops::Range;

use tusker_plan::plan::Plan;
use tusker_record::store::sweep::SweepSummary;
use tusker_record::summary::{View, flat_names};
use tusker_record::table::Table;

use super::condition::{Condition, Judged, is_named};
use super::unknown;
use super::values::{self, Value};
use crate::failure::Failure;
use crate::report::lone;
use crate::screen::fit;

/// The flag, as messages name it.
const FLAG: &str = "--where";

/// The conditions that are asked about.
#[derive(Debug)]
pub struct Wheres(Vec<Condition>);

/// What became of them.
#[derive(Debug, Default)]
pub struct Found {
    /// A table for each.
    pub tables: Vec<String>,
    /// The key, and values between those at each edge, as a list for `--over`.
    pub finer: Option<(String, String)>,
}

/// Values that a finer sweep has where there is one edge, and at each of several.
const FINER: [usize; 2] = [9, 5];

/// Two neighbours of which the condition holds at one alone, the smaller one first: the number
/// and the label of both.
type Gap = [(f64, String); 2];

/// A point on the way along the key: its label, what becomes of the condition there, and the
/// measure's value.
struct Stop {
    label: String,
    number: f64,
    judged: Judged,
    value: Option<Value>,
}

impl Wheres {
    /// Reads the flags.
    pub fn read(texts: &[String]) -> Result<Self, Failure> {
        let conditions = texts.iter().map(|text| Condition::read(FLAG, text));
        Ok(Self(conditions.collect::<Result<_, _>>()?))
    }

    /// Makes sure before a run that there is a key with numbers, and that each condition is on
    /// one measure of this plan.
    pub fn check(&self, numeric: bool, plan: &Plan) -> Result<(), Failure> {
        if self.0.is_empty() {
            return Ok(());
        }
        if !numeric {
            return Err(Failure::input(
                format!("{FLAG}: no --over key has numbers, of which it could say which"),
                "give one, such as --over dumbbell.queue=0.1bdp..2bdp:8:log",
            ));
        }
        let names = flat_names(&View::new(plan));
        for condition in &self.0 {
            let there = |measure: &&str| names.iter().any(|name| is_named(measure, name));
            if let Some(measure) = condition.measures().find(|name| !there(name)) {
                return Err(unknown(FLAG, measure, &names));
            }
            let own: Vec<&String> =
                names.iter().filter(|name| is_named(&condition.measure, name)).collect();
            if own.len() > 1 && !own.iter().any(|name| **name == condition.measure) {
                let own: Vec<&str> = own.into_iter().map(String::as_str).collect();
                return Err(Failure::input(
                    format!("{FLAG}: several measures are called `{}`", condition.measure),
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
            let Some(tooth) = lone::sawtooth(summary, point) else { continue };
            let own = all.iter_mut().filter(|value| value.name == lone::UTILISATION);
            own.for_each(|value| value.half = value.half.map(|half| half.max(tooth)));
        }
        let mut gaps: Vec<Gap> = Vec::new();
        let each = self.0.iter().map(|own| table(own, summary, along, &values, &mut gaps));
        let tables = each.collect();
        let finer = finer(gaps).map(|list| (summary.axes[along].key.clone(), list));
        Found { tables, finer }
    }
}

/// Values within these gaps: `0.1bdp..0.2bdp:5,0.4bdp..0.5bdp:5`.
fn finer(mut gaps: Vec<Gap>) -> Option<String> {
    gaps.sort_by(|a, b| a[0].0.total_cmp(&b[0].0).then(a[1].0.total_cmp(&b[1].0)));
    let mut ranges: Vec<Gap> = Vec::new();
    for gap in gaps {
        match ranges.last_mut() {
            // each value may be named once
            Some(last) if gap[0].0 <= last[1].0 => {
                if gap[1].0 > last[1].0 {
                    last[1] = gap[1].clone();
                }
            }
            _ => ranges.push(gap),
        }
    }
    let count = FINER[usize::from(ranges.len() > 1)];
    let list = ranges.iter().map(|[(_, from), (_, to)]| format!("{from}..{to}:{count}"));
    let list: Vec<String> = list.collect();
    (!list.is_empty()).then(|| list.join(","))
}

/// A row for each combination of the other keys: where along this one it holds.
fn table(
    condition: &Condition,
    summary: &SweepSummary,
    along: usize,
    values: &[(String, Vec<Value>)],
    gaps: &mut Vec<Gap>,
) -> String {
    let others = |labels: &[String]| -> Vec<String> {
        let kept = labels.iter().enumerate().filter(|(axis, _)| *axis != along);
        kept.map(|(_, label)| label.clone()).collect()
    };
    let key = &summary.axes[along].key;
    let heads: Vec<String> = summary.axes.iter().map(|axis| axis.key.clone()).collect();
    let heads = others(&heads).into_iter().chain([
        format!("{key} where {}", condition.text),
        "at the edge".to_owned(),
        "beyond it".to_owned(),
    ]);
    let mut table = Table::new(heads).bold_head().left().keys(summary.axes.len());
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
                let value = condition.own(all).next().cloned();
                Some(Stop { label, number, judged: condition.judge(all), value })
            })
            .collect();
        stops.sort_by(|a, b| a.number.total_cmp(&b.number));
        let (cells, edges) = cells(&stops);
        let stop = |at: usize| (stops[at].number, stops[at].label.clone());
        gaps.extend(edges.into_iter().map(|at| [stop(at - 1), stop(at)]));
        table.row(row.into_iter().chain(cells));
    }
    fit(&table)
}

/// Where the condition holds; the value at the first edge; and that on its other side. With
/// each place where it begins to hold or no longer holds.
fn cells(stops: &[Stop]) -> ([String; 3], Vec<usize>) {
    let holds = |stop: &Stop| matches!(stop.judged, Judged::Met(_));
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
    let with = |what: &str, is: fn(&Judged) -> bool| {
        let labels: Vec<&str> =
            stops.iter().filter(|stop| is(&stop.judged)).map(|stop| stop.label.as_str()).collect();
        if labels.is_empty() { String::new() } else { format!("; {what} at {}", labels.join(", ")) }
    };
    let undecided = |stop: &Stop| matches!(stop.judged, Judged::Undecided(_));
    let without = |stop: &Stop| stop.value.as_ref().is_some_and(|value| value.half.is_none());
    if stops.iter().all(|stop| undecided(stop) && without(stop)) {
        found = "undecided: single runs have no interval (use --replicates 3)".to_owned();
    } else {
        found += &with("undecided", |judged| matches!(judged, Judged::Undecided(_)));
    }
    found += &with("no value", |judged| matches!(judged, Judged::NoValue));
    let value = |at: Option<usize>| {
        let stop = at.map(|at| &stops[at]);
        let text =
            stop.and_then(|stop| Some(format!("{}: {}", stop.label, stop.value.as_ref()?.text())));
        text.unwrap_or_else(|| "-".to_owned())
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
        let gap = |from: f64, to: f64| [from, to].map(|at| (at, format!("{at}bdp")));
        let list = |gaps: &[Gap]| finer(gaps.to_vec());
        assert_eq!(list(&[]), None);
        assert_eq!(list(&[gap(0.1, 0.125)]).unwrap(), "0.1bdp..0.125bdp:9");
        // the edges of two curves; a third one's is between the same values as the first one's
        let two = [gap(0.4, 0.45), gap(0.1, 0.125), gap(0.1, 0.125)];
        assert_eq!(list(&two).unwrap(), "0.1bdp..0.125bdp:5,0.4bdp..0.45bdp:5");
        // neighbours share a value, which may be named once
        let next = [gap(0.1, 0.125), gap(0.125, 0.15)];
        assert_eq!(list(&next).unwrap(), "0.1bdp..0.15bdp:9");
    }
}
