//! What the axes of a sweep are used for in a figure: which one runs to the right, which one
//! gives the lines, and which ones the panels.

use std::collections::{BTreeMap, BTreeSet};

use tusker_store::sweep::{AxisSummary, SweepSummary};

use super::PANELS;
use super::text::{spaced, word};
use crate::figure::{Axis, Group};
use crate::style;

/// Lines that one panel has at most: more of them are hard to read.
const LINES: usize = 8;

/// Of congestion controls it may be more: each has a look of its own.
const LAWS: usize = 16;

/// Points of lines that a page has at most, about: more of them are megabytes.
const DRAWN: usize = 30_000;

/// For figures with one axis to the right.
pub(super) struct Roles {
    /// The axis, and what its values are divided by.
    pub x: Axis,
    pub divisor: f64,
    /// How many different places it has.
    pub places: usize,
    /// Points have values of their own: see [`lonely`].
    pub lonely: bool,
    /// The lines.
    pub lines: Vec<Group>,
    /// Each panel: its title, its points, and which line each is on.
    pub panels: Vec<(String, Vec<(usize, usize)>)>,
    /// How many of these are drawn.
    pub drawn: usize,
}

/// Which points share a panel, and a line of it.
pub(super) struct Layout {
    /// The lines.
    pub lines: Vec<Group>,
    /// Each panel: its title, its points, and which line each is on.
    pub panels: Vec<(String, Vec<(usize, usize)>)>,
}

impl Layout {
    /// The axis with the most values, up to [`LINES`], gives the lines; one of names
    /// before one of numbers. The rest gives the panels, but for the axes `x`; where
    /// points have values of their own there is one panel.
    pub fn of(summary: &SweepSummary, x: &[usize], lonely: bool) -> Self {
        let distinct = |axis: usize| {
            let mut known = BTreeSet::new();
            let values = summary.points.iter().map(|point| point.values[axis].as_str());
            values.filter(|value| known.insert(*value)).collect::<Vec<&str>>()
        };
        let others = (0..summary.axes.len()).filter(|axis| !x.contains(axis));
        let others = others.map(|axis| (axis, distinct(axis)));
        let others: Vec<(usize, Vec<&str>)> = others.filter(|(_, own)| own.len() > 1).collect();
        let fits = |(axis, own): &&(usize, Vec<&str>)| {
            let most = if is_law(&summary.axes[*axis]) { LAWS } else { LINES };
            own.len() <= most && (!lonely || !summary.axes[*axis].numeric)
        };
        let by = |(axis, own): &&(usize, Vec<&str>)| (!summary.axes[*axis].numeric, own.len());
        // the first of equals
        let line = others.iter().rev().filter(fits).max_by_key(by);
        let lines = match line {
            Some((axis, own)) => grouped(summary, *axis, own),
            None => vec![Group { name: "all".to_owned(), colour: 0 }],
        };
        let mut panels: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (nth, point) in summary.points.iter().enumerate() {
            let on = line.map_or(0, |(axis, own)| {
                own.iter().position(|value| *value == point.values[*axis]).unwrap_or(0)
            });
            let rest = others.iter().filter(|(axis, _)| line.is_none_or(|own| own.0 != *axis));
            let rest = rest.map(|(axis, _)| named(summary, *axis, &point.values[*axis]));
            let title = if lonely { String::new() } else { rest.collect::<Vec<_>>().join(", ") };
            let at = *known.entry(title.clone()).or_insert(panels.len());
            match panels.get_mut(at) {
                Some(panel) => panel.1.push((nth, on)),
                None => panels.push((title, vec![(nth, on)])),
            }
        }
        Self { lines, panels }
    }
}

/// The different numbers of an axis, from the least.
pub(super) fn places(summary: &SweepSummary, axis: usize) -> Vec<f64> {
    let mut places: Vec<f64> = summary.points.iter().filter_map(|p| p.numbers[axis]).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// Every point has a value of its own of this number, as in a Latin hypercube, or has one
/// among the points with the same names, as in a hypercube for each congestion control.
pub(super) fn lonely(summary: &SweepSummary, axis: usize) -> bool {
    let numbers = (0..summary.axes.len()).filter(|&axis| summary.axes[axis].numeric);
    let varied = numbers.filter(|&axis| places(summary, axis).len() > 1).count();
    let alone = |names: bool| {
        let mut known = BTreeSet::new();
        summary.points.iter().all(|point| {
            let own = summary.axes.iter().zip(&point.values);
            let own = own.filter(|(axis, _)| names && !axis.numeric).map(|(_, value)| value);
            known.insert((point.numbers[axis].map(f64::to_bits), own.collect::<Vec<_>>()))
        })
    };
    summary.axes.len() > 1 && alone(false) || varied > 1 && alone(true)
}

impl Roles {
    /// With this axis to the right.
    pub fn of(summary: &SweepSummary, x: usize) -> Self {
        let places = places(summary, x);
        let lonely = lonely(summary, x);
        let Layout { lines, panels } = Layout::of(summary, &[x], lonely);
        let axis = &summary.axes[x];
        let most = places.last().copied().unwrap_or(0.0);
        let (scale, divisor) = scaled(&word(summary, x), &axis.unit, most);
        let scale = scale.of_key(axis.name());
        let log = if lonely { by_ratios(&places) } else { even_ratios(&places) };
        let scale = if log { scale.logarithmic() } else { scale };
        let numbers = summary.axes.iter().filter(|axis| axis.numeric).count();
        let largest = panels.iter().map(|panel| panel.1.len()).max().unwrap_or(0);
        let each = (numbers * summary.first().len() * largest).max(1);
        let drawn = (DRAWN / each).clamp(3, PANELS);
        Self { x: scale, divisor, places: places.len(), lonely, lines, panels, drawn }
    }

    /// How to read the figure.
    pub fn caption(&self) -> &'static str {
        match self.panels.len() {
            0 | 1 => "",
            _ => "All panels have the same axes.",
        }
    }
}

/// Values of an axis as lines: congestion controls look as they do everywhere.
fn grouped(summary: &SweepSummary, axis: usize, values: &[&str]) -> Vec<Group> {
    let look = |(nth, value): (usize, &&str)| match is_law(&summary.axes[axis]) {
        true => style::of_law(value),
        false => style::nth(nth),
    };
    let looks: Vec<usize> = values.iter().enumerate().map(look).collect();
    let named = values.iter().map(|value| named(summary, axis, value));
    named.zip(style::apart(&looks)).map(|(name, colour)| Group { name, colour }).collect()
}

/// Its values are congestion controls.
fn is_law(axis: &AxisSummary) -> bool {
    axis.key.rsplit('.').next() == Some("cc") && !axis.numeric
}

/// A value with the word for its axis; a congestion control is told by its name alone,
/// unless several groups have one of their own.
pub(super) fn named(summary: &SweepSummary, axis: usize, value: &str) -> String {
    let own = &summary.axes[axis];
    let laws = summary.axes.iter().filter(|axis| is_law(axis)).count();
    match is_law(own) && laws == 1 {
        true => value.to_owned(),
        false if own.numeric => format!("{} {}", word(summary, axis), spaced(value)),
        false => format!("{} {value}", word(summary, axis)),
    }
}

/// Steps that grow are drawn on a logarithmic axis.
fn even_ratios(places: &[f64]) -> bool {
    let [first, second, .., before, last] = places else {
        return matches!(places, [a, b, c] if *a > 0.0 && (c - b) > 1.8 * (b - a));
    };
    *first > 0.0 && (last - before) > 1.8 * (second - first)
}

/// Random places lie around the middle of the ends' ratio, not of the ends.
fn by_ratios(places: &[f64]) -> bool {
    let [first, .., last] = places else { return false };
    let off = |middle: f64| (places[places.len() / 2] - middle).abs();
    *first > 0.0 && off((first * last).sqrt()) < off(f64::midpoint(*first, *last))
}

/// An axis in a unit that gives numbers without many zeros, and what its values are
/// to be divided by.
pub(super) fn scaled(title: &str, unit: &str, most: f64) -> (Axis, f64) {
    let scales: &[(f64, &str)] = match unit {
        "bps" => &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")],
        "s" => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")],
        "bytes" => &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")],
        "pkt" => &[(1.0, "packets")],
        "bdp" => &[(1.0, "BDP")],
        other => return (Axis::new(title, other), 1.0),
    };
    let fits = scales.iter().find(|(scale, _)| most >= 0.9995 * scale);
    let &(scale, name) = fits.or(scales.last()).expect("a unit has a scale");
    (Axis::new(title, name), scale)
}
