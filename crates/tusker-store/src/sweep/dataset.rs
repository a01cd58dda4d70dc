//! One table with a row per run of a sweep, complete in itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tusker_scenario::sweep::Cell;

use super::super::columns::{Columns, Values};
use super::super::folder::Change;
use super::super::{Error, Format, tables};
use super::{Key, RUNS, Row};
use tusker_measure::doubts::{self, Doubt};

/// The fixed properties of the points of a sweep: the varied values, and those of
/// the whole scenario.
#[derive(Clone, Debug, Default)]
pub struct Varied {
    points: usize,
    columns: BTreeMap<String, Column>,
}

/// A column with a value for every point; most have few distinct values.
#[derive(Clone, Debug, Default)]
struct Column {
    cells: Vec<Cell>,
    places: BTreeMap<String, u32>,
    of: Vec<u32>,
    /// The index that was set last.
    last: u32,
}

/// No value at this point.
const NOTHING: u32 = u32::MAX;

impl Varied {
    /// For this many points.
    pub fn new(points: usize) -> Self {
        Self { points, columns: BTreeMap::new() }
    }

    /// Sets the value of a point.
    pub fn set(&mut self, point: usize, path: String, cell: Cell) {
        let points = self.points;
        let column = self
            .columns
            .entry(path)
            .or_insert_with(|| Column { of: vec![NOTHING; points], ..Column::default() });
        // most values are the same at all points
        if column.cells.get(column.last as usize) != Some(&cell) {
            let next = column.cells.len() as u32;
            column.last = *column.places.entry(text(&cell)).or_insert(next);
            if column.last == next {
                column.cells.push(cell);
            }
        }
        column.of[point] = column.last;
    }

    /// Paths that have the same value at all points.
    pub fn same(&self) -> impl Iterator<Item = (&String, &Cell)> {
        let one = |column: &Column| column.cells.len() == 1 && !column.of.contains(&NOTHING);
        let same = self.columns.iter().filter(move |(_, column)| one(column));
        same.map(|(path, column)| (path, &column.cells[0]))
    }

    /// The values of a point, by their paths.
    pub fn cells(&self, point: usize) -> Vec<(String, Cell)> {
        let cell = |(path, column): (&String, &Column)| {
            let cell = column.cells.get(column.of[point] as usize)?;
            Some((path.clone(), cell.clone()))
        };
        self.columns.iter().filter_map(cell).collect()
    }
}

/// A number as it is written, with its unit.
fn text(cell: &Cell) -> String {
    match cell {
        Cell::Number(value, "bytes") => format!("{value}B"),
        Cell::Number(value, "bps") => format!("{value}bit"),
        Cell::Number(value, unit) => format!("{value}{unit}"),
        Cell::Text(text) => text.clone(),
    }
}

impl Column {
    /// The suffix of its name, if all its cells are numbers of one unit.
    fn unit(&self) -> Option<&'static str> {
        let mut units = self.cells.iter().map(|cell| match cell {
            Cell::Number(_, unit) => Some(*unit),
            Cell::Text(_) => None,
        });
        let first = units.next()??;
        units.all(|unit| unit == Some(first)).then_some(first)
    }

    fn name(&self, path: &str) -> String {
        match self.unit() {
            None | Some("") => path.to_owned(),
            Some(unit) => format!("{path}_{unit}"),
        }
    }

    fn values(&self, points: impl Iterator<Item = usize>) -> Values {
        let places = points.map(|point| self.of[point]);
        if self.unit().is_none() {
            let mut texts: Vec<String> = self.cells.iter().map(text).collect();
            let nothing = texts.len() as u32;
            texts.push(String::new());
            return Values::Text(texts, places.map(|place| place.min(nothing)).collect());
        }
        let number = |place: u32| match self.cells.get(place as usize) {
            Some(Cell::Number(value, _)) => *value,
            _ => f64::NAN,
        };
        Values::Float(places.map(number).collect())
    }
}

/// A run of a sweep.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its point, from 0.
    pub point: usize,
    /// The replicate's number, from 1.
    pub replicate: u32,
    /// Its seed.
    pub seed: u64,
    /// Its unique key.
    pub key: Key,
    /// Its results.
    pub row: Arc<Row>,
}

/// The names shared by rows of one kind, and the index of each.
type Kind<'a> = (&'a Arc<[String]>, BTreeMap<&'a str, usize>);

/// The table of a sweep.
#[derive(Debug)]
pub struct Dataset<'a> {
    /// The axes: the name of each, with its values.
    pub axes: &'a Varied,
    /// Their order.
    pub order: &'a [String],
    /// Every value of the scenarios.
    pub scenario: &'a Varied,
    /// The runs, by point and replicate.
    pub runs: &'a [Run],
    /// The doubts about each point, in the order of the runs.
    pub doubts: Vec<&'a [Doubt]>,
}

impl Dataset<'_> {
    /// Puts it into a folder, replacing an earlier one; where it is then. The bytes do not
    /// depend on when and by which process the runs were done.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, change: &mut Change, format: Format) -> Result<PathBuf, Error> {
        let name = |format: Format| format!("{RUNS}.{}", format.extension());
        let names = self.names();
        // a few hundred columns
        let parts = tables::parts(self.runs.iter(), 1 << 13, |runs| self.part(&names, &runs));
        change.table(&name(format), format, parts)?;
        for other in [Format::Parquet, Format::Csv].into_iter().filter(|other| *other != format) {
            // it would be of another sweep
            change.remove(&name(other));
        }
        Ok(change.dir().join(name(format)))
    }

    /// The same in memory.
    pub fn columns(&self) -> Columns {
        self.part(&self.names(), &self.runs.iter().collect::<Vec<_>>())
    }

    /// The names of all measures, in order of first occurrence.
    fn names(&self) -> Vec<String> {
        let mut kinds: Vec<&Arc<[String]>> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut known: BTreeMap<&str, ()> = BTreeMap::new();
        for run in self.runs {
            let own = &run.row.names;
            if kinds.last().is_some_and(|last| Arc::ptr_eq(last, own)) {
                continue;
            }
            if !kinds.iter().any(|kind| Arc::ptr_eq(kind, own)) {
                kinds.push(own);
                let new = own.iter().filter(|name| known.insert(name, ()).is_none());
                names.extend(new.cloned());
            }
        }
        names
    }

    fn part(&self, names: &[String], runs: &[&Run]) -> Columns {
        let mut table = Columns::default();
        table.int("point", runs.iter().map(|run| run.point as u64 + 1));
        table.int("replicate", runs.iter().map(|run| u64::from(run.replicate)));
        table.int("seed", runs.iter().map(|run| run.seed));
        let points = || runs.iter().map(|run| run.point);
        for path in self.order {
            let Some(column) = self.axes.columns.get(path) else { continue };
            let name = super::points::column(path, column.unit().unwrap_or_default());
            table.named(name, column.values(points()));
        }
        // the runs of a point follow one another
        let mut all = self.runs.chunk_by(|a, b| a.point == b.point).zip(&self.doubts).peekable();
        let mut of = |run: &Run| {
            while all.next_if(|(own, _)| own[0].point != run.point).is_some() {}
            all.peek().map_or(String::new(), |(_, doubts)| doubts::names(doubts))
        };
        table.text("doubts", runs.iter().map(|run| of(run)));
        // where each kind of row has the measure
        let mut places: Vec<Kind<'_>> = Vec::new();
        let mut kind = Vec::with_capacity(runs.len());
        for run in runs {
            let own = &run.row.names;
            let found = places.iter().rposition(|(known, _)| Arc::ptr_eq(known, own));
            kind.push(found.unwrap_or_else(|| {
                let map = own.iter().enumerate().map(|(at, name)| (name.as_str(), at));
                places.push((own, map.collect()));
                places.len() - 1
            }));
        }
        for name in names {
            let at: Vec<Option<usize>> =
                places.iter().map(|(_, map)| map.get(name.as_str()).copied()).collect();
            let value = |(run, kind): (&&Run, &usize)| {
                at[*kind].and_then(|at| run.row.values.get(at)).copied().unwrap_or(f64::NAN)
            };
            let values = runs.iter().zip(&kind).map(value).collect();
            table.named(name.clone(), Values::Float(values));
        }
        for (path, column) in &self.scenario.columns {
            let path = format!("scenario.{path}");
            table.named(column.name(&path), column.values(points()));
        }
        table.text("run", runs.iter().map(|run| run.key.hex()));
        table.text("tusker", runs.iter().map(|_| env!("CARGO_PKG_VERSION").to_owned()));
        table
    }
}
