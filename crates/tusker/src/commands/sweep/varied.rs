//! What a sweep varies, and what all of its points have in common.

use std::collections::BTreeMap;

use tusker_scenario::sweep::{Axis, Cell, Grid};
use tusker_store::sweep::{AxisSummary, Varied};

/// The congestion control of each group of flows that has the same one at all points.
pub(super) fn laws(scenario: &Varied) -> BTreeMap<String, String> {
    let named = |(path, cell): (&String, &Cell)| {
        let group = path.strip_prefix("flows.")?.strip_suffix(".cc.name")?.to_owned();
        let Cell::Text(law) = cell else { return None };
        Some((group, law.clone()))
    };
    scenario.same().filter_map(named).collect()
}

/// The values of the axes, and their order.
pub(super) fn axes(grid: &Grid) -> (Varied, Vec<String>) {
    let mut varied = Varied::new(grid.len());
    let numeric: Vec<bool> = grid.axes().map(|axis| summary_of(axis).numeric).collect();
    for point in 0..grid.len() {
        for ((axis, step), numeric) in grid.axes().zip(grid.steps(point)).zip(&numeric) {
            let value = &axis.values[step];
            // a column of text has the values as they were written
            let cell = if *numeric { value.cell() } else { Cell::Text(value.label.clone()) };
            varied.set(point, axis.name().to_owned(), cell);
        }
    }
    (varied, grid.axes().map(|axis| axis.name().to_owned()).collect())
}

/// The unit of an axis whose values are numbers of one.
pub(super) fn summary_of(axis: &Axis) -> AxisSummary {
    let units = axis.values.iter().map(|value| match value.cell() {
        Cell::Number(_, unit) => Some(unit),
        Cell::Text(_) => None,
    });
    let units: Vec<Option<&str>> = units.collect();
    let numeric = units[0].is_some() && units.iter().all(|unit| *unit == units[0]);
    let unit = units[0].filter(|_| numeric).unwrap_or_default().to_owned();
    AxisSummary { key: axis.key.clone(), option: axis.option.clone(), unit, numeric }
}
