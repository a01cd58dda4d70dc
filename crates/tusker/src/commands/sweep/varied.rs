//! What a sweep varies, and what all of its points have in common.

use std::collections::BTreeMap;

use tusker_record::store::sweep::{AxisSummary, Varied};
use tusker_scenario::sweep::{Axis, Cell, Grid};

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
    for point in 0..grid.len() {
        for (axis, step) in grid.axes().zip(grid.steps(point)) {
            varied.set(point, axis.key.clone(), axis.values[step].cell());
        }
    }
    (varied, grid.axes().map(|axis| axis.key.clone()).collect())
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
    AxisSummary { key: axis.key.clone(), unit, numeric }
}
