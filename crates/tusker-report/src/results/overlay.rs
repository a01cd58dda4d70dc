//! One scenario on both planes: a table of differences, and the curves of both over one
//! axis.

use tusker_measure::summary::{PLANES_HEAD, on_planes};

use super::{Case, overtime};
use crate::figure::{Curve, Figure, Group, Panel, Panels, Plot, bits_per_second, held};
use crate::page::{Block, Table};
use crate::style::apart;

/// The simulated and the measured one of a pair.
pub(super) struct Pair<'c, 'a> {
    pub simulated: &'c Case<'a>,
    pub measured: &'c Case<'a>,
}

/// The pairs among these, and the cases that are in none.
pub(super) fn pairs<'c, 'a>(cases: &'c [Case<'a>]) -> (Vec<Pair<'c, 'a>>, Vec<&'c Case<'a>>) {
    let (mut pairs, mut rest): (Vec<Pair<'_, '_>>, Vec<&Case<'_>>) = (Vec::new(), Vec::new());
    let (real, others): (Vec<_>, Vec<_>) =
        cases.iter().partition(|case| case.summary().is_measured());
    let mut real: Vec<Option<&Case<'_>>> = real.into_iter().map(Some).collect();
    for simulated in others {
        let same = |case: &Option<&Case<'_>>| {
            case.is_some_and(|case| experiment(case) == experiment(simulated))
        };
        match real.iter().position(same).and_then(|at| real[at].take()) {
            Some(measured) => pairs.push(Pair { simulated, measured }),
            None => rest.push(simulated),
        }
    }
    rest.extend(real.into_iter().flatten());
    (pairs, rest)
}

/// What an experiment is, however often it is repeated.
fn experiment(case: &Case<'_>) -> Vec<String> {
    let says = |line: &&str| {
        !["#", "title =", "seed =", "replicates ="].iter().any(|own| line.starts_with(own))
    };
    case.stored.scenario.lines().filter(says).map(str::to_owned).collect()
}

/// Differences of the two, a table for each pair.
pub(super) fn tables(pairs: &[Pair<'_, '_>]) -> Vec<Block> {
    let table = |pair: &Pair<'_, '_>| {
        let (simulated, measured) = (pair.simulated.summary(), pair.measured.summary());
        let caption = format!("{}: simulated and measured", measured.scenario);
        let mut table = Table::new(caption, PLANES_HEAD);
        for row in on_planes(simulated, measured) {
            table.row(None, row.cells());
        }
        Block::Table(table)
    };
    pairs.iter().map(table).collect()
}

/// Both over time, in one figure; `None` if one of them recorded nothing.
pub(super) fn figure(pair: &Pair<'_, '_>, name: &str, title: &str) -> Option<Figure> {
    let of = |case: &Case<'_>| {
        let (number, trace) = case.stored.series.as_ref()?;
        overtime::figure(case, name, *number, trace)
    };
    let (simulated, measured) = (of(pair.simulated)?, of(pair.measured)?);
    let (Plot::Panels(a), Plot::Panels(b)) = (simulated.plot, measured.plot) else { return None };
    let panels = together(a, b);
    let word = match pair.measured.summary().invalid.is_empty() {
        true => "measured",
        false => "measured (INVALID)",
    };
    let title = format!("{title}: simulated and {word}");
    let caption = measured.caption.and("Simulated and measured have the same axes.");
    let table = overtime::table(&panels);
    Some(Figure::new(name, &title, caption, Plot::Panels(panels), Some(table)))
}

/// The curves of both over the times of both.
fn together(a: Panels, b: Panels) -> Panels {
    let mut xs: Vec<f64> = a.xs.iter().chain(&b.xs).copied().collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let named = |group: &Group, plane: &str| format!("{}, {plane}", group.name);
    let mut groups: Vec<Group> = a
        .groups
        .iter()
        .map(|group| Group { name: named(group, "simulated"), colour: group.colour })
        .collect();
    let offset = groups.len();
    // measured is of the same hue, with other dashes
    let all = a.groups.iter().chain(&b.groups).map(|group| group.colour);
    let looks = apart(&all.collect::<Vec<usize>>());
    let measured = b.groups.iter().zip(&looks[offset..]);
    groups
        .extend(measured.map(|(group, &colour)| Group { name: named(group, "measured"), colour }));
    let mut panels: Vec<Panel> = Vec::new();
    for (theirs, offset, plane, of) in
        [(a.panels, 0, "simulated", &a.xs), (b.panels, offset, "measured", &b.xs)]
    {
        let zipped = |xs: &[f64], values: &[f64]| -> Vec<(f64, f64)> {
            xs.iter().copied().zip(values.iter().copied()).collect()
        };
        for panel in theirs {
            let curves = panel.curves.iter().map(|curve| Curve {
                name: format!("{}, {plane}", curve.name),
                group: curve.group + offset,
                values: held(&zipped(of, &curve.values), &xs),
            });
            let mut curves: Vec<Curve> = curves.collect();
            match panels.iter_mut().find(|own| own.name == panel.name) {
                Some(own) => {
                    let factor = bits_per_second(&panel.y.unit) / bits_per_second(&own.y.unit);
                    curves.iter_mut().flat_map(|c| &mut c.values).for_each(|v| *v *= factor);
                    own.curves.append(&mut curves);
                }
                None => panels.push(Panel { curves, ..panel }),
            }
        }
    }
    Panels { x: a.x, time: a.time, xs, window: a.window, groups, panels, replicates: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Axis;

    fn panels(unit: &str, xs: &[f64], values: &[f64]) -> Panels {
        let group = |name: &str, colour| Group { name: name.to_owned(), colour };
        let curve = Curve { name: "a.0".to_owned(), group: 0, values: values.to_vec() };
        let y = Axis::new("goodput", unit);
        let panel =
            Panel { name: "goodput".to_owned(), y, curves: vec![curve], ..Panel::default() };
        Panels {
            xs: xs.to_vec(),
            groups: vec![group("a", 0), group("queue", 6)],
            panels: vec![panel],
            ..Panels::default()
        }
    }

    #[test]
    fn curves_of_both_planes_lie_over_one_axis() {
        let simulated = panels("Mbit/s", &[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0]);
        let measured = panels("kbit/s", &[0.5, 1.5], &[500.0, 1500.0]);
        let both = together(simulated, measured);
        assert_eq!(both.xs, [0.0, 0.5, 1.0, 1.5, 2.0]);
        let [panel] = both.panels.as_slice() else { panic!("one panel") };
        let names: Vec<&str> = panel.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["a.0, simulated", "a.0, measured"]);
        assert_eq!(panel.curves[0].values, [1.0, 1.0, 2.0, 2.0, 3.0]);
        // before its first value and after its last there is none; in the same unit
        let values = &panel.curves[1].values;
        assert!(values[0].is_nan() && values[4].is_nan(), "{values:?}");
        assert_eq!(values[1..4], [0.5, 0.5, 1.5]);
        let colours: Vec<usize> = both.groups.iter().map(|group| group.colour).collect();
        assert_eq!(both.groups[panel.curves[1].group].name, "a, measured");
        let mut distinct = colours.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), colours.len(), "{colours:?}");
    }
}
