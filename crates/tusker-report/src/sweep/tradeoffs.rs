//! Trade-offs: delay against goodput, utilisation against fairness.

use tusker_measure::doubts;
use tusker_store::sweep::{PointSummary, SweepSummary};

use super::axes::{Layout, lonely, named, places};
use super::text::{self, source, word};
use super::{PANELS, title, upwards};
use crate::capital;
use crate::figure::{Figure, Group, Line, LinePanel, Lines, MANY, Point, Scatter};
use crate::style::{apart, of_law};

/// Colours that there are.
const COLOURS: usize = 8;

/// Both figures, as far as the sweep has what they show.
pub(super) fn figures(summary: &SweepSummary) -> Vec<Figure> {
    let group = |[delay, _]: &[String; 2]| {
        delay.strip_prefix("groups.")?.strip_suffix(".rtt_mean_s").map(str::to_owned)
    };
    let (delays, even): (Vec<_>, Vec<_>) =
        summary.pairs.iter().map(|pair| (pair, group(pair))).partition(|(_, of)| of.is_some());
    // flows that are alone are fair
    let shares = |point: &PointSummary| summary.estimate(point, "jain").0.is_some_and(|j| j < 1.0);
    let even = if summary.points.iter().any(shares) { even } else { Vec::new() };
    let all = [("throughput-delay", delays), ("utilisation-fairness", even)];
    let drawn = all.into_iter().filter_map(|(name, pairs)| {
        let pairs = pairs.into_iter().map(|(pair, of)| (pair, of.unwrap_or_default()));
        figure(summary, name, &pairs.collect::<Vec<_>>())
    });
    drawn.collect()
}

/// The second of each pair of measures against the first; the name is the group that a pair is of.
fn figure(summary: &SweepSummary, name: &str, pairs: &[(&[String; 2], String)]) -> Option<Figure> {
    let ([x, y], _) = pairs.first()?;
    // lines follow the number with the most values, the first of equals
    let numeric = (0..summary.axes.len()).filter(|&axis| summary.axes[axis].numeric).rev();
    let along = numeric.max_by_key(|&axis| places(summary, axis).len());
    let along = along.filter(|&axis| places(summary, axis).len() > 1);
    let lonely = along.is_some_and(|axis| lonely(summary, axis));
    let layout = Layout::of(summary, &along.into_iter().collect::<Vec<_>>(), lonely);
    let pairs = if layout.lines.len() * pairs.len() > COLOURS { &pairs[..1] } else { pairs };
    // groups look as their congestion controls do, unless lines stand for something
    let laws: Option<Vec<&String>> = pairs.iter().map(|(_, of)| summary.laws.get(of)).collect();
    let each: Vec<usize> = match (&layout.lines[..], laws) {
        ([_], Some(laws)) => laws.into_iter().map(|law| of_law(law)).collect(),
        (lines, _) => lines.iter().flat_map(|line| vec![line.colour; pairs.len()]).collect(),
    };
    let looks = apart(&each);
    let heading = format!("{} against {}", capital(title(y)), title(x));
    let ((x, by_x), (y, by_y)) = (upwards(summary, x), upwards(summary, y));
    let mut lines = Lines { bars: true, ..Lines::new(x.clone(), y.clone()) };
    let mut scatter = Scatter::new(x, y);
    for (title, points) in layout.panels.iter().take(PANELS) {
        let mut points = points.clone();
        if let Some(axis) = along {
            let at = |nth: usize| summary.points[nth].numbers[axis].unwrap_or(f64::NAN);
            points.sort_by(|a, b| at(a.0).total_cmp(&at(b.0)));
        }
        let mut panel = LinePanel { title: title.clone(), lines: Vec::new() };
        for (of, ([x, y], group)) in pairs.iter().enumerate() {
            for &(nth, line) in points.iter().take(MANY) {
                let point = &summary.points[nth];
                let values = summary.with_interval(point, x).zip(summary.with_interval(point, y));
                let Some((x, y)) = values else { continue };
                let half = |own: Option<f64>, by: f64| own.map(|half| half / by);
                let x = (x.mean / by_x, half(x.ci95, by_x));
                let y = (y.mean / by_y, half(y.ci95, by_y));
                let name = match (layout.lines.len(), pairs.len()) {
                    (_, 1) => layout.lines[line].name.clone(),
                    (1, _) => group.clone(),
                    _ => format!("{}: {group}", layout.lines[line].name),
                };
                // groups of one line have its hue, with dashes of their own
                let group = Group { name, colour: looks[line * pairs.len() + of] };
                let label = along.map(|axis| named(summary, axis, &point.values[axis]));
                let (label, doubts) = (label.unwrap_or_default(), doubts::names(&point.doubts));
                if lonely {
                    scatter.points.push(Point { label, group, x, y, doubts });
                    continue;
                }
                let place = panel.lines.iter().position(|own| own.group == group);
                let place = place.unwrap_or_else(|| {
                    let (points, labels, doubts) = (Vec::new(), Vec::new(), Vec::new());
                    panel.lines.push(Line { group, points, labels, doubts });
                    panel.lines.len() - 1
                });
                let own = &mut panel.lines[place];
                own.points.push((x.0, y.0, y.1));
                own.labels.push(label);
                own.doubts.extend((!doubts.is_empty()).then_some((x.0, doubts)));
            }
        }
        lines.panels.push(panel);
    }
    lines.panels.retain(|panel| !panel.lines.is_empty());
    let joined = along.filter(|_| !lonely);
    let joined = joined.map(|axis| format!("A line joins the values of {}.", word(summary, axis)));
    let all = layout.panels.len();
    let panels = (all > PANELS).then(|| format!("The first {PANELS} of {all} panels are drawn."));
    let measures: Vec<&str> =
        pairs.iter().flat_map(|(pair, _)| *pair).map(String::as_str).collect();
    let caption = text::means(summary)
        .and_all(joined)
        .and_all(text::doubts(summary, "Hollow"))
        .source(source(summary, &measures))
        .and_all(panels);
    match (lonely, scatter.points.is_empty(), lines.is_empty()) {
        (true, false, _) => Some(scatter.figure(name, &heading, caption)),
        (false, _, false) => Some(lines.figure(name, &heading, caption)),
        _ => None,
    }
}
