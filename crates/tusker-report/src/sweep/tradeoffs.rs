//! Trade-offs: delay against goodput, utilisation against fairness.

use tusker_measure::harm::Better;
use tusker_measure::summary::entry;
use tusker_store::sweep::{PointSummary, SweepSummary};

use super::axes::{Layout, lonely, named, places};
use super::text::{self, source, word};
use super::{PANELS, upwards};
use crate::figure::{Caption, Cloud, CloudPanel, Clouds, Figure, Group, MANY, Trail};
use crate::style::{apart, of_law};

/// Colours that there are.
const COLOURS: usize = 8;

/// Both figures, as far as the sweep has what they show.
pub(super) fn figures(summary: &SweepSummary) -> Vec<Figure> {
    let all = || summary.pairs.iter().enumerate();
    let group =
        |name: &str| name.strip_prefix("groups.")?.strip_suffix(".rtt_mean_s").map(str::to_owned);
    let delays: Vec<(usize, String)> =
        all().filter_map(|(nth, [first, _])| Some((nth, group(first)?))).collect();
    let even = all().find(|(_, [first, _])| first == "utilisation");
    let throughput =
        Tradeoff { name: "throughput-delay", heading: "Goodput against delay", pairs: delays };
    let fairness = Tradeoff {
        name: "utilisation-fairness",
        heading: "Utilisation against fairness",
        pairs: even.map(|(nth, _)| (nth, String::new())).into_iter().collect(),
    };
    // flows that are alone are fair
    let shares = |point: &PointSummary| summary.estimate(point, "jain").0.is_some_and(|j| j < 1.0);
    let unfair = summary.points.iter().any(shares);
    let fairness = Some(fairness).filter(|_| unfair);
    [Some(throughput), fairness]
        .into_iter()
        .flatten()
        .filter_map(|own| own.figure(summary))
        .collect()
}

/// One measure against another.
struct Tradeoff {
    name: &'static str,
    heading: &'static str,
    /// Which of the summary's pairs, and the group that each is of.
    pairs: Vec<(usize, String)>,
}

impl Tradeoff {
    fn figure(self, summary: &SweepSummary) -> Option<Figure> {
        let [x, y] = summary.pairs.get(self.pairs.first()?.0)?;
        let (along, lonely) = along(summary);
        let layout = Layout::of(summary, &along.into_iter().collect::<Vec<_>>(), lonely);
        let groups = match layout.lines.len() * self.pairs.len() {
            0..=COLOURS => &self.pairs[..],
            _ => &self.pairs[..1],
        };
        // groups look as their congestion controls do, unless lines stand for something
        let laws: Option<Vec<&String>> =
            groups.iter().map(|(_, group)| summary.laws.get(group)).collect();
        let each: Vec<usize> = match (&layout.lines[..], laws) {
            ([_], Some(laws)) => laws.into_iter().map(|law| of_law(law)).collect(),
            (lines, _) => lines.iter().flat_map(|line| vec![line.colour; groups.len()]).collect(),
        };
        let looks = apart(&each);
        // a unit that fits all groups
        let backwards = entry(x).is_some_and(|own| own.better == Some(Better::Less));
        let ((x, by_x), (y, by_y)) = (upwards(summary, x), upwards(summary, y));
        let mut clouds = Clouds { backwards, ..Clouds::new(x, y) };
        let (mut count, mut single) = (0, true);
        for (title, points) in layout.panels.iter().take(PANELS) {
            let mut points = points.clone();
            if let Some(axis) = along.filter(|_| !lonely) {
                let at = |nth: usize| summary.points[nth].numbers[axis].unwrap_or(f64::NAN);
                points.sort_by(|a, b| at(a.0).total_cmp(&at(b.0)));
            }
            let mut panel = CloudPanel { title: title.clone(), trails: Vec::new() };
            for (of, (pair, group)) in groups.iter().enumerate() {
                for &(nth, line) in &points {
                    let Some(cloud) = cloud(summary, nth, *pair, along, (by_x, by_y)) else {
                        continue;
                    };
                    count += 1;
                    if count > MANY {
                        break;
                    }
                    single &= cloud.spread.is_none();
                    let name = match (layout.lines.len(), groups.len()) {
                        (_, 1) => layout.lines[line].name.clone(),
                        (1, _) => group.clone(),
                        _ => format!("{}: {group}", layout.lines[line].name),
                    };
                    // groups of one line have its hue, with dashes of their own
                    let colour = looks[line * groups.len() + of];
                    let group = Group { name, colour };
                    let own = panel.trails.iter_mut().find(|own| own.group == group && !lonely);
                    match own {
                        Some(own) => own.clouds.push(cloud),
                        None => panel.trails.push(Trail { group, clouds: vec![cloud] }),
                    }
                }
            }
            clouds.panels.push(panel);
        }
        clouds.panels.retain(|panel| !panel.trails.is_empty());
        let better = match backwards {
            true => format!("Better is up and to the right: {} grows to the left.", clouds.x.title),
            false => "Better is up and to the right.".to_owned(),
        };
        let caption = self.caption(summary, &layout, (along, lonely), (count, single), better);
        (count > 0).then(|| clouds.figure(self.name, self.heading, caption))
    }

    fn caption(
        &self,
        summary: &SweepSummary,
        layout: &Layout,
        (along, lonely): (Option<usize>, bool),
        (count, single): (usize, bool),
        better: String,
    ) -> Caption {
        let points = match single {
            true => "Points of one replicate each, which have no ellipse.",
            false => {
                "Means of replicates; the ellipse is one standard deviation of the replicates \
                 around their mean, with their covariance."
            }
        };
        let joined = along.filter(|_| !lonely).map(|axis| {
            let word = word(summary, axis);
            format!("A line joins the values of {word}; a ring marks the smallest of them.")
        });
        let pairs = self.pairs.iter().filter_map(|(nth, _)| summary.pairs.get(*nth)).flatten();
        let measures: Vec<&str> = pairs.map(String::as_str).collect();
        let all = layout.panels.len();
        let axes = if all > 1 { "Each panel has axes of its own." } else { "" };
        let panels =
            (all > PANELS).then(|| format!("The first {PANELS} of {all} panels are drawn."));
        let first = (count > MANY).then(|| format!("The first {MANY} points are drawn."));
        Caption::from(points)
            .and_all(joined)
            .and_all(text::doubts(summary, "Hollow"))
            .source(source(summary, &measures))
            .and(better)
            .and(axes)
            .and_all(panels)
            .and_all(first)
    }
}

/// The number with the most values, which lines follow; and whether points have values
/// of their own.
fn along(summary: &SweepSummary) -> (Option<usize>, bool) {
    let numeric = (0..summary.axes.len()).filter(|&axis| summary.axes[axis].numeric);
    let counts = numeric.map(|axis| (places(summary, axis).len(), axis));
    // the first of equals
    let most = counts.rev().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 1);
    let axis = most.map(|(_, axis)| axis);
    (axis, axis.is_some_and(|axis| lonely(summary, axis)))
}

fn cloud(
    summary: &SweepSummary,
    nth: usize,
    pair: usize,
    along: Option<usize>,
    (by_x, by_y): (f64, f64),
) -> Option<Cloud> {
    let point = &summary.points[nth];
    let [x, y] = &summary.pairs[pair];
    let (x, y) = summary.estimate(point, x).0.zip(summary.estimate(point, y).0)?;
    let spread = point.spread.get(pair).copied().flatten();
    let spread =
        spread.map(|[xx, xy, yy]| [xx / (by_x * by_x), xy / (by_x * by_y), yy / (by_y * by_y)]);
    let value = |axis: usize| named(summary, axis, &point.values[axis]);
    let label = along.map_or(String::new(), value);
    let doubtful = !point.doubts.is_empty();
    Some(Cloud { label, mean: (x / by_x, y / by_y), spread, doubtful })
}
