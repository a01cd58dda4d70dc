//! Points of earlier sweeps in a folder. A sweep with fewer values must not remove the other
//! points from the folder's tables and page.
//!
//! `sweep.json` names the points that were there. A point stays if it varies the same keys, and
//! its runs are in the journal under the present scenario and build. So no number from another
//! scenario or build gets in, and nothing is run for it.

use std::collections::BTreeMap;
use std::path::Path;

use tusker_scenario::sweep::{Axis, Cell, Change, Grid, Part, Value, cells};
use tusker_scenario::{Complete, paths};
use tusker_store::Build;
use tusker_store::folder::Kind;
use tusker_store::sweep::{Fingerprint, Journal, PointSummary, Run, SweepSummary, Varied};

use super::Swept;
use crate::Trouble;

/// What an earlier sweep left in a folder.
#[derive(Debug, Default)]
pub struct Earlier {
    /// All points of the folder; `None` if the sweep at hand has all of them.
    pub whole: Option<Whole>,
    /// How many points are only the earlier sweep's.
    pub kept: usize,
    /// How many points of it cannot stand beside the others.
    pub lost: usize,
}

/// The points of the sweep at hand and of those before it.
#[derive(Debug)]
pub struct Whole {
    /// The points, one by one.
    pub grid: Grid,
    /// Their runs, by point and replicate.
    pub runs: Vec<Run>,
    /// Every value of their scenarios.
    pub scenario: Varied,
}

/// The values of a point, as they were written.
type Labels = Vec<String>;

/// A point that goes into the tables.
struct Point {
    values: Vec<Value>,
    runs: Vec<Run>,
    cells: Vec<(String, Cell)>,
}

impl Earlier {
    /// Looks for earlier points in a folder; `complete` makes the scenario of a point.
    ///
    /// # Errors
    /// If the folder's runs cannot be read.
    pub fn of(
        dir: &Path,
        (grid, swept): (&Grid, &Swept),
        build: &Build,
        complete: &dyn Fn(Vec<Change>) -> Result<Complete, Trouble>,
    ) -> Result<Self, Trouble> {
        // a folder without one holds no earlier sweep that came to its end
        let Ok(before) = SweepSummary::read(dir) else { return Ok(Self::default()) };
        let place = |axis: &Axis| before.axes.iter().position(|own| own.name() == axis.name());
        let places: Option<Vec<usize>> = grid.axes().map(place).collect();
        let Some(places) = places.filter(|places| places.len() == before.axes.len()) else {
            return Ok(Self { lost: before.points.len(), ..Self::default() });
        };
        let labels = |point: &PointSummary| -> Labels {
            places.iter().map(|&at| point.values[at].clone()).collect()
        };
        let theirs: BTreeMap<Labels, u32> =
            before.points.iter().map(|point| (labels(point), point.replicates)).collect();
        let mut ours: BTreeMap<Labels, (usize, &[Run])> = BTreeMap::new();
        for runs in swept.runs.chunk_by(|a, b| a.point == b.point) {
            ours.insert(labels_of(grid, runs[0].point), (runs[0].point, runs));
        }
        let there = |(labels, wanted): (&Labels, &u32)| {
            ours.get(labels).is_some_and(|(_, runs)| runs.len() >= *wanted as usize)
        };
        if theirs.iter().all(there) {
            return Ok(Self::default());
        }
        // who asks for a part of what is there leaves its order alone
        let mut order: Vec<Labels> = before.points.iter().map(labels).collect();
        if !ours.keys().all(|labels| theirs.contains_key(labels)) {
            order.retain(|labels| !ours.contains_key(labels));
            let asked = swept.runs.chunk_by(|a, b| a.point == b.point);
            order = asked.map(|runs| labels_of(grid, runs[0].point)).chain(order).collect();
        }
        let (journal, _) = Journal::open(dir, Kind::Sweep)?;
        let (mut earlier, mut points) = (Self::default(), Vec::new());
        for labels in order {
            let own = ours.get(&labels);
            let wanted = theirs.get(&labels).copied().unwrap_or(0);
            let mut point = match own {
                Some(&(at, runs)) => Point {
                    values: values_of(grid, at),
                    runs: runs.to_vec(),
                    cells: swept.scenario.cells(at),
                },
                None => match read(grid, &labels) {
                    Some(values) => Point { values, runs: Vec::new(), cells: Vec::new() },
                    None => {
                        earlier.lost += 1;
                        continue;
                    }
                },
            };
            if point.runs.len() < wanted as usize {
                let all = one_by_one(grid, vec![point.values.clone()]);
                // what cannot be completed any more is of another scenario
                if let Ok(complete) = complete(all.changes(0)) {
                    point.add(&complete, wanted, &journal, build);
                }
            }
            match (own, point.runs.is_empty()) {
                (_, true) => earlier.lost += 1,
                (None, _) => earlier.kept += 1,
                _ => {}
            }
            if !point.runs.is_empty() {
                points.push(point);
            }
        }
        let all: usize = points.iter().map(|point| point.runs.len()).sum();
        earlier.whole = (all > swept.runs.len()).then(|| Whole::of(grid, points));
        Ok(earlier)
    }
}

impl Point {
    /// Adds the replicates that are in the journal, up to so many.
    fn add(&mut self, complete: &Complete, wanted: u32, journal: &Journal, build: &Build) {
        let first = complete.seed();
        let (cells, text) = cells(complete.to_scenario());
        let fingerprint = Fingerprint::of(&text, build);
        for replicate in self.runs.len() as u32 + 1..=wanted {
            let seed = first + u64::from(replicate - 1);
            let key = fingerprint.run(seed);
            let Some(row) = journal.row(&key) else { break };
            self.runs.push(Run { point: 0, replicate, seed, key, row });
        }
        self.cells = cells;
    }
}

impl Whole {
    fn of(grid: &Grid, points: Vec<Point>) -> Self {
        let mut scenario = Varied::new(points.len());
        let (mut runs, mut values) = (Vec::new(), Vec::new());
        for (nth, point) in points.into_iter().enumerate() {
            runs.extend(point.runs.into_iter().map(|run| Run { point: nth, ..run }));
            point.cells.into_iter().for_each(|(path, cell)| scenario.set(nth, path, cell));
            values.push(point.values);
        }
        Self { grid: one_by_one(grid, values), runs, scenario }
    }
}

/// A grid of points one by one: the axes of another one, stepped together.
fn one_by_one(grid: &Grid, points: Vec<Vec<Value>>) -> Grid {
    let axes = grid.axes().enumerate().map(|(at, axis)| Axis {
        key: axis.key.clone(),
        option: axis.option.clone(),
        values: points.iter().map(|values| values[at].clone()).collect(),
    });
    Grid { parts: vec![Part { axes: axes.collect() }] }
}

fn values_of(grid: &Grid, point: usize) -> Vec<Value> {
    grid.axes().zip(grid.steps(point)).map(|(axis, step)| axis.values[step].clone()).collect()
}

fn labels_of(grid: &Grid, point: usize) -> Labels {
    values_of(grid, point).into_iter().map(|value| value.label).collect()
}

/// The values that were written so; `None` if one of them cannot be read.
fn read(grid: &Grid, labels: &Labels) -> Option<Vec<Value>> {
    let value = |(axis, label): (&Axis, &String)| {
        // those of a file may be written in another way than a list has them
        if let Some(known) = axis.values.iter().find(|value| value.label == *label) {
            return Some(known.clone());
        }
        let read = match &axis.option {
            Some(option) => paths::axis(option, label).ok()?,
            None => Axis::read(&format!("{}={label}", axis.key)).ok()?,
        };
        let [value] = <[Value; 1]>::try_from(read.values).ok()?;
        (value.label == *label).then_some(value)
    };
    grid.axes().zip(labels).map(value).collect()
}
