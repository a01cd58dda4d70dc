//! A measure over two varied numbers at once.

use std::collections::BTreeMap;

use tusker_store::sweep::SweepSummary;

use super::axes::{Layout, lonely, places, scaled};
use super::text::{doubts, source, word};
use super::{PANELS, by_decades, slug, title, upwards};
use crate::figure::{Caption, Figure, Heat, HeatPanel};

/// Pairs of numbers that are drawn: those with the most values.
const PAIRS: usize = 3;

/// Of fewer cells a table says as much.
const LEAST: usize = 6;

/// The pairs of varied numbers that make a grid, the largest first.
pub(super) fn pairs(summary: &SweepSummary) -> Vec<(usize, usize)> {
    let counts: Vec<usize> = (0..summary.axes.len())
        .map(|axis| {
            let drawn = summary.axes[axis].numeric && !lonely(summary, axis);
            if drawn { places(summary, axis).len() } else { 0 }
        })
        .collect();
    let all = (0..counts.len()).flat_map(|a| (a + 1..counts.len()).map(move |b| (a, b)));
    let mut pairs: Vec<(usize, usize)> = all
        .filter(|&(a, b)| counts[a].min(counts[b]) > 1 && counts[a] * counts[b] >= LEAST)
        .filter(|&(a, b)| is_grid(summary, (a, b), counts[a] * counts[b]))
        .collect();
    pairs.sort_by_key(|&(a, b)| std::cmp::Reverse(counts[a] * counts[b]));
    pairs.truncate(PAIRS);
    pairs
}

/// At least half of the cells have a point: values that vary together fill a line.
fn is_grid(summary: &SweepSummary, (a, b): (usize, usize), cells: usize) -> bool {
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    let at = summary.points.iter().map(|p| (bits(p.numbers[a]), bits(p.numbers[b])));
    let filled: std::collections::BTreeSet<_> = at.collect();
    2 * filled.len() >= cells
}

/// The figure of a measure over two axes: the one with more values to the right, a
/// panel per law and per value of the rest.
pub(super) fn heat(summary: &SweepSummary, (a, b): (usize, usize), name: &str) -> Option<Figure> {
    let (first, second) = (places(summary, a), places(summary, b));
    let (x, y) = if second.len() > first.len() { (b, a) } else { (a, b) };
    let (xs, ys) = if x == a { (first, second) } else { (second, first) };
    let Layout { lines, panels } = Layout::of(summary, &[a, b], false);
    let (z, divisor) = upwards(summary, name);
    let axis = |axis: usize, values: Vec<f64>| {
        let own = &summary.axes[axis];
        let most = values.last().copied().unwrap_or(0.0);
        let (scale, by) = scaled(&word(summary, axis), &own.unit, most);
        (scale.of_key(own.name()), values.into_iter().map(|value| value / by).collect())
    };
    let mut by_title: BTreeMap<usize, HeatPanel> = BTreeMap::new();
    let place = |all: &[f64], value: f64| all.iter().position(|own| *own == value);
    for (nth, (rest, points)) in panels.iter().enumerate() {
        for &(point, line) in points {
            let point = &summary.points[point];
            let at = point.numbers[x].and_then(|v| place(&xs, v));
            let at = at.zip(point.numbers[y].and_then(|v| place(&ys, v)));
            let (Some((column, row)), Some(mean)) = (at, summary.estimate(point, name).0) else {
                continue;
            };
            let panel = by_title.entry(nth * lines.len() + line).or_insert_with(|| {
                let own = if lines.len() > 1 { lines[line].name.as_str() } else { "" };
                let parts = [own, rest.as_str()].into_iter().filter(|part| !part.is_empty());
                let cells = vec![f64::NAN; xs.len() * ys.len()];
                HeatPanel { title: parts.collect::<Vec<_>>().join(", "), cells }
            });
            panel.cells[row * xs.len() + column] = mean / divisor;
        }
    }
    let all = by_title.len();
    let panels: Vec<HeatPanel> = by_title.into_values().take(PANELS).collect();
    let empty = panels.iter().flat_map(|panel| &panel.cells).any(|cell| cell.is_nan());
    let (x_axis, y_axis) = (axis(x, xs), axis(y, ys));
    let z = by_decades(z, name, panels.iter().flat_map(|panel| panel.cells.iter().copied()));
    let heading = format!("{} over {} and {}", title(name), word(summary, x), word(summary, y));
    let grey = if empty { "Grey cells have no value." } else { "" };
    let first = (all > PANELS).then(|| format!("The first {PANELS} of {all} panels are drawn."));
    let caption = Caption::from(
        "Means of replicates. Cells are equally large, whatever lies between their values; all \
         panels have the same colours.",
    );
    let caption = caption.and(grey).and_all(first).and_all(doubts(summary, "Doubtful"));
    let caption = caption.source(source(summary, &[name]));
    let name =
        format!("{}-{}", slug(name, summary.axes[x].name()), slug("", summary.axes[y].name()));
    let heat = Heat { x: x_axis, y: y_axis, z, panels };
    (!heat.is_empty()).then(|| heat.figure(&name.replace("--", "-"), &heading, caption))
}
