//! What the tables and the summary of a sweep have of its grid.

use std::collections::BTreeMap;

use tusker_measure::doubts::Expected;
use tusker_scenario::sweep::{Axis, Cell, Grid};

use super::dataset::{Run, Varied};
use super::pairs::pairs;
use super::points::{AxisSummary, PointSummary, SweepSummary};

impl AxisSummary {
    /// An axis, with the unit of its values if all are numbers of one.
    pub fn of(axis: &Axis) -> Self {
        let units = axis.values.iter().map(|value| match value.cell() {
            Cell::Number(_, unit) => Some(unit),
            Cell::Text(_) => None,
        });
        let units: Vec<Option<&str>> = units.collect();
        let numeric = units[0].is_some() && units.iter().all(|unit| *unit == units[0]);
        let unit = units[0].filter(|_| numeric).unwrap_or_default().to_owned();
        Self { key: axis.key.clone(), option: axis.option.clone(), unit, numeric }
    }
}

impl Varied {
    /// The values of the axes.
    pub fn of_axes(grid: &Grid) -> Self {
        let mut varied = Self::new(grid.len());
        let numeric: Vec<bool> = grid.axes().map(|axis| AxisSummary::of(axis).numeric).collect();
        for point in 0..grid.len() {
            for ((axis, step), numeric) in grid.axes().zip(grid.steps(point)).zip(&numeric) {
                let value = &axis.values[step];
                // a column of text has the values as they were written
                let cell = if *numeric { value.cell() } else { Cell::Text(value.label.clone()) };
                varied.set(point, axis.name().to_owned(), cell);
            }
        }
        varied
    }

    /// The congestion control of each group of flows that has the same one at all points.
    fn laws(&self) -> BTreeMap<String, String> {
        let named = |(path, cell): (&String, &Cell)| {
            let group = path.strip_prefix("flows.")?.strip_suffix(".cc.name")?.to_owned();
            let Cell::Text(law) = cell else { return None };
            Some((group, law.clone()))
        };
        self.same().filter_map(named).collect()
    }
}

impl SweepSummary {
    /// A row for each point that has `runs`; `expected` is what its scenario makes likely.
    pub fn of(
        (name, command): (String, Vec<String>),
        grid: &Grid,
        (runs, scenario): (&[Run], &Varied),
        expected: &BTreeMap<usize, Expected>,
    ) -> Self {
        let axes: Vec<AxisSummary> = grid.axes().map(AxisSummary::of).collect();
        let mut measures: Vec<String> = Vec::new();
        // most runs share one list of names
        let mut lists: Vec<*const String> = Vec::new();
        for names in runs.iter().map(|run| &run.row.names) {
            if !lists.contains(&names.as_ptr()) {
                lists.push(names.as_ptr());
                let new = names.iter().filter(|name| !measures.contains(name)).cloned();
                let new: Vec<String> = new.collect();
                measures.extend(new);
            }
        }
        let points = runs.chunk_by(|a, b| a.point == b.point).map(|runs| {
            let point = runs[0].point;
            let values: Vec<_> =
                grid.axes().zip(grid.steps(point)).map(|(axis, step)| &axis.values[step]).collect();
            let numbers = values.iter().zip(&axes).map(|(value, axis)| match value.cell() {
                Cell::Number(number, _) if axis.numeric => Some(number),
                _ => None,
            });
            let labels = values.iter().map(|value| value.label.clone()).collect();
            let expected = expected.get(&point);
            let summary = PointSummary::of(labels, numbers.collect(), &measures, runs, expected);
            PointSummary { set: grid.sets(point), ..summary }
        });
        Self {
            points: points.collect(),
            format: Self::FORMAT,
            name,
            command,
            earlier: Vec::new(),
            set: None,
            pairs: pairs(&measures),
            laws: scenario.laws(),
            setting: None,
            lone: false,
            axes,
            measures,
        }
    }
}
