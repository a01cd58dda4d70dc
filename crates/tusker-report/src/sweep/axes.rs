//! What the axes of a sweep are in a figure: which runs to the right, which gives
//! the lines, and which the panels.

use tusker_record::store::sweep::{AxisSummary, SweepSummary};

use crate::figure::Axis;

/// Lines that one panel has at most: there are as many colours.
const LINES: usize = 6;

/// For figures with one axis to the right.
pub(super) struct Roles {
    /// The axis, and what its values are divided by.
    pub x: Axis,
    pub divisor: f64,
    /// How many different places it has.
    pub places: usize,
    /// No two points differ in this axis alone.
    pub lonely: bool,
    /// Names of the lines.
    pub lines: Vec<String>,
    /// Each panel: its title, its points, and which line each is on.
    pub panels: Vec<(String, Vec<(usize, usize)>)>,
}

impl Roles {
    /// The axis with the most values, up to [`LINES`], gives the lines; of those with
    /// as many one of names before one of numbers. The rest gives the panels.
    pub fn of(summary: &SweepSummary, x: usize) -> Self {
        let distinct = |axis: usize| {
            let mut values: Vec<&str> = Vec::new();
            for point in &summary.points {
                let value = point.values[axis].as_str();
                if !values.contains(&value) && values.len() <= 1_000 {
                    values.push(value);
                }
            }
            values
        };
        let mut places: Vec<f64> = summary.points.iter().filter_map(|p| p.numbers[x]).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let lonely = places.len() == summary.points.len() && summary.axes.len() > 1;
        let others = (0..summary.axes.len()).filter(|&axis| axis != x);
        let others = others.map(|axis| (axis, distinct(axis)));
        let others: Vec<(usize, Vec<&str>)> = others.filter(|(_, own)| own.len() > 1).collect();
        let fits = |(axis, own): &&(usize, Vec<&str>)| {
            own.len() <= LINES && (!lonely || !summary.axes[*axis].numeric)
        };
        let by = |(axis, own): &&(usize, Vec<&str>)| (!summary.axes[*axis].numeric, own.len());
        // the first of equals
        let line = others.iter().rev().filter(fits).max_by_key(by);
        let lines = match line {
            Some((axis, own)) => {
                own.iter().map(|value| named(&summary.axes[*axis], value)).collect()
            }
            None => vec!["all".to_owned()],
        };
        let mut panels: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        for (nth, point) in summary.points.iter().enumerate() {
            let on = line.map_or(0, |(axis, own)| {
                own.iter().position(|value| *value == point.values[*axis]).unwrap_or(0)
            });
            let rest = others.iter().filter(|(axis, _)| line.is_none_or(|own| own.0 != *axis));
            let rest = rest.map(|(axis, _)| named(&summary.axes[*axis], &point.values[*axis]));
            let title = if lonely { String::new() } else { rest.collect::<Vec<_>>().join(", ") };
            match panels.iter_mut().rev().find(|panel| panel.0 == title) {
                Some(panel) => panel.1.push((nth, on)),
                None => panels.push((title, vec![(nth, on)])),
            }
        }
        let axis = &summary.axes[x];
        let most = places.last().copied().unwrap_or(0.0);
        let (scale, divisor) = scaled(&axis.key, &axis.unit, most);
        let scale = if even_ratios(&places) { scale.logarithmic() } else { scale };
        Self { x: scale, divisor, places: places.len(), lonely, lines, panels }
    }

    /// How to read the figure.
    pub fn caption(&self) -> &'static str {
        match self.panels.len() {
            0 | 1 => "Means of replicates; the band is the 95 % interval.",
            _ => {
                "Means of replicates; the band is the 95 % interval. All panels have the same axes."
            }
        }
    }
}

/// `cc = reno` is told by its value alone.
fn named(axis: &AxisSummary, value: &str) -> String {
    match axis.key.as_str() {
        "cc" => value.to_owned(),
        key => format!("{key} {value}"),
    }
}

/// Steps that grow are drawn on a logarithmic axis.
fn even_ratios(places: &[f64]) -> bool {
    let [first, second, .., before, last] = places else {
        return matches!(places, [a, b, c] if *a > 0.0 && (c - b) > 1.8 * (b - a));
    };
    *first > 0.0 && (last - before) > 1.8 * (second - first)
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
