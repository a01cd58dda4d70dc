//! All experiments over time, on one scale: the figures that a comparison opens with.

use tusker_measure::table::Unit;
use tusker_plan::run::Trace;

use super::{Case, overtime};
use crate::figure::{
    Axis, Caption, Curve, Figure, Group, Panel, Panels, Plot, bits_per_second, rate_unit,
};
use crate::page::Block;

/// Means over so many equal stretches of the longest run are drawn.
const STRETCHES: usize = 240;

/// So many replicates of an experiment are in a band, at most.
const REPLICATES: usize = 20;

/// What is shown, what its axis says, and whether flows of a group are added up.
const MEASURES: [(&str, &str, bool); 4] = [
    ("goodput", "goodput of all flows", true),
    ("cwnd", "mean window of a flow", false),
    ("queue", "queue", false),
    ("srtt", "mean smoothed RTT", false),
];

/// The figure, with a panel per measure.
pub(super) fn blocks(cases: &[Case<'_>]) -> Vec<Block> {
    let drawn = Drawn::of(cases);
    let mut blocks: Vec<Block> = drawn.unread.iter().cloned().map(Block::Warning).collect();
    if !drawn.panels.is_empty() {
        blocks.push(drawn.figure().into());
    }
    blocks
}

/// What an overlay shows.
struct Drawn {
    xs: Vec<f64>,
    groups: Vec<Group>,
    /// Which experiment each group is of.
    experiments: Vec<usize>,
    panels: Vec<Panel>,
    window: Option<(f64, f64)>,
    /// The most replicates that one of the experiments has in it.
    replicates: usize,
    /// What could not be read.
    unread: Vec<String>,
}

impl Drawn {
    fn of(cases: &[Case<'_>]) -> Self {
        let window = |case: &Case<'_>| (case.summary().window.from_s, case.summary().window.to_s);
        let end = cases.iter().map(|case| case.summary().window.end_s).fold(0.0, f64::max);
        let same = cases.iter().all(|case| window(case) == window(&cases[0]));
        let rows = cases.iter().filter_map(|case| case.stored.series.as_ref());
        // no more stretches than there are rows in the coarsest of them
        let rows = rows.map(|(_, trace)| trace.times.len()).min().unwrap_or(0);
        let stretches = STRETCHES.min(rows.max(1));
        let width = end / stretches as f64;
        let mut drawn = Self {
            xs: (0..stretches).map(|i| (i as f64 + 0.5) * width).collect(),
            groups: Vec::new(),
            experiments: Vec::new(),
            panels: Vec::new(),
            window: same.then(|| window(&cases[0])),
            replicates: 0,
            unread: Vec::new(),
        };
        let names = names(cases);
        for (nth, (case, names)) in cases.iter().zip(names).enumerate() {
            let first = drawn.groups.len();
            drawn.experiments.extend(vec![nth; names.len()]);
            let looks = names.into_iter().zip(&case.looks);
            drawn.groups.extend(looks.map(|(name, &colour)| Group { name, colour }));
            let mut found = 0;
            let read = case.stored.each_trace(REPLICATES, |number, trace| {
                found += 1;
                drawn.add(case, first, width, number, trace);
            });
            drawn.replicates = drawn.replicates.max(found);
            if let Err(error) = read {
                drawn.unread.push(format!("{}: {error}", case.label));
            }
        }
        drawn.panels.retain(|panel| !panel.curves.is_empty());
        drawn.same_unit();
        if drawn.replicates < 2 {
            for curve in drawn.panels.iter_mut().flat_map(|panel| &mut panel.curves) {
                curve.name.clone_from(&drawn.groups[curve.group].name);
            }
        }
        drawn
    }

    /// Adds the curves of a replicate: one for each group and measure.
    fn add(&mut self, case: &Case<'_>, first: usize, width: f64, number: u32, trace: &Trace) {
        let Some((own, _)) = overtime::panels(case, trace) else { return };
        for (name, title, sum) in MEASURES {
            let queue = name == "queue";
            let from = own
                .panels
                .iter()
                .filter(|panel| panel.name == name || (queue && panel.name.starts_with("queue-")));
            for panel in from {
                for group in 0..case.looks.len() {
                    let curves: Vec<&Curve> = match queue {
                        // a queue is told by the group that the experiment begins with
                        true => panel.curves.iter().take(usize::from(group == 0)).collect(),
                        false => panel.members(group).collect(),
                    };
                    if curves.is_empty() {
                        continue;
                    }
                    let share = if sum { 1.0 } else { 1.0 / curves.len() as f64 };
                    let factor = share * if sum { bits_per_second(&panel.y.unit) } else { 1.0 };
                    let all = |i: usize| curves.iter().map(|c| c.values[i]).sum::<f64>() * factor;
                    let values: Vec<f64> = (0..own.xs.len()).map(all).collect();
                    let values = means(&own.xs, &values, width, self.xs.len());
                    let curve = Curve {
                        name: format!("{}, replicate {number}", self.groups[first + group].name),
                        group: first + group,
                        values,
                    };
                    let title = if queue { panel.y.title.as_str() } else { title };
                    self.panel(&panel.name, title, &panel.y.unit).curves.push(curve);
                }
            }
        }
    }

    fn panel(&mut self, name: &str, title: &str, unit: &str) -> &mut Panel {
        let at = self.panels.iter().position(|panel| panel.name == name).unwrap_or_else(|| {
            let y = Axis::new(title, unit);
            self.panels.push(Panel { name: name.to_owned(), y, ..Panel::default() });
            self.panels.len() - 1
        });
        &mut self.panels[at]
    }

    /// Goodput, which came as bits per second, in a unit that fits all.
    fn same_unit(&mut self) {
        let Some(panel) = self.panels.iter_mut().find(|panel| panel.name == "goodput") else {
            return;
        };
        let values = || panel.curves.iter().flat_map(|curve| &curve.values);
        let most = values().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
        let unit = rate_unit(most);
        panel.y.unit = unit.to_owned();
        let values = panel.curves.iter_mut().flat_map(|curve| &mut curve.values);
        values.for_each(|value| *value /= bits_per_second(unit));
    }

    /// Which replicates, and what the band is.
    fn caption(&self) -> Caption {
        let stretch = match self.xs.as_slice() {
            [first, second, ..] => second - first,
            _ => 0.0,
        };
        let each = Unit::Time.text(stretch);
        let band = match self.replicates {
            0 | 1 => "The first replicate of each experiment".to_owned(),
            n => format!(
                "Lines are the means of the replicates that were recorded, {n} at most, and bands \
                 reach from the smallest to the largest of them"
            ),
        };
        let queue = match self.experiments.windows(2).any(|pair| pair[0] == pair[1]) {
            true => "A queue has the look of its experiment's first group.",
            false => "",
        };
        let window = if self.window.is_some() { "The measuring window is shaded." } else { "" };
        let scale =
            format!("All experiments on one scale. {band}; a value is the mean over {each}.");
        Caption::from(scale).and(queue).source("the series tables").and(window)
    }

    fn figure(self) -> Figure {
        let caption = self.caption();
        let panels = Panels {
            x: Axis::new("time", "s"),
            time: true,
            xs: self.xs,
            window: self.window,
            groups: self.groups,
            panels: self.panels,
            replicates: true,
        };
        Figure::new("overlay", "All experiments over time", caption, Plot::Panels(panels), None)
    }
}

/// Means over equal stretches from zero on; where no value falls into one, that of the
/// one before, and none beyond the last value.
fn means(xs: &[f64], values: &[f64], width: f64, stretches: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0_u32); stretches];
    for (x, value) in xs.iter().zip(values).filter(|(_, value)| value.is_finite()) {
        let at = ((x / width) as usize).min(stretches - 1);
        sums[at] = (sums[at].0 + value, sums[at].1 + 1);
    }
    let last = sums.iter().rposition(|sum| sum.1 > 0);
    let mut before = f64::NAN;
    let mean = |(i, (sum, count)): (usize, (f64, u32))| {
        if count > 0 {
            before = sum / f64::from(count);
        }
        if last.is_some_and(|last| i <= last) { before } else { f64::NAN }
    };
    sums.into_iter().enumerate().map(mean).collect()
}

/// What groups of several experiments are called, by experiment: as shortly as they can be
/// told apart.
pub(super) fn names(cases: &[Case<'_>]) -> Vec<Vec<String>> {
    let own = |case: &Case<'_>| case.stored.plan.groups.clone();
    let all: Vec<Vec<String>> = cases.iter().map(own).collect();
    let count = |name: &str| all.iter().flatten().filter(|other| *other == name).count();
    let named = |(case, groups): (&Case<'_>, &Vec<String>)| {
        let name = |(g, group): (usize, &String)| {
            if groups.len() == 1 {
                return case.label.clone();
            }
            if count(group) == 1 {
                return group.clone();
            }
            let others = groups.iter().enumerate().filter(|(other, _)| *other != g);
            let others: Vec<&str> = others.map(|(_, name)| name.as_str()).collect();
            match others.iter().any(|other| count(other) == 1) {
                true => format!("{group} beside {}", others.join(", ")),
                false => case.group(g, false).name,
            }
        };
        groups.iter().enumerate().map(name).collect::<Vec<_>>()
    };
    cases.iter().zip(&all).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_has_the_mean_of_its_values_and_none_is_beyond_the_last() {
        let (xs, values) = ([0.1, 0.9, 1.5, 3.2], [2.0, 4.0, 10.0, 6.0]);
        let found = means(&xs, &values, 1.0, 6);
        // from 2 s to 3 s there is none: as before
        assert_eq!(found[..4], [3.0, 10.0, 10.0, 6.0]);
        assert!(found[4].is_nan() && found[5].is_nan());
    }
}
