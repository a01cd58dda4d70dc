//! The numbers of a figure: as CSV, for drawing it with another program, and as a table behind
//! it.

use tusker_measure::csv::quoted;
use tusker_measure::table::NONE;

use super::lines::INTERVAL;
use super::{Axis, Bars, Figure, Heat, Lines, Panels, Plot, Scatter, TOLD, number};
use crate::table::Table;

/// What is in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    /// Half of the interval of the number before it.
    Half,
}

use Kind::{Half, Number, Text};

/// What is in a cell; NaN is a value that the figure does not draw.
enum Cell {
    Text(String),
    Number(Option<f64>),
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(Some(value))
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        Self::Number(value)
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A line of cells.
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { vec![$(Cell::from($cell)),*] };
}

/// Columns, and rows with the colour of what they are of.
struct Numbers {
    columns: Vec<(String, Kind)>,
    rows: Vec<(Option<usize>, Vec<Cell>)>,
}

impl Figure {
    /// All points of the figure in the units of its axes, which stand in the heads. Curves
    /// over one axis have a column each; everything else has a line for each point.
    pub fn csv(&self) -> String {
        let Numbers { columns, rows } = self.plot.numbers();
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(|cell| quoted(&cell)).collect();
            text += &(cells.join(",") + "\n");
        };
        line(&mut columns.iter().map(|(head, _)| head.clone()));
        for (_, cells) in &rows {
            line(&mut cells.iter().map(|cell| match cell {
                Cell::Text(text) => text.clone(),
                Cell::Number(value) => value.map_or_else(String::new, exact),
            }));
        }
        text
    }
}

impl Plot {
    /// The numbers for people; none of a figure of curves, or if there are too many.
    pub(super) fn table(&self, title: &str) -> Option<Table> {
        let caption = match self {
            Self::Panels(_) => return None,
            _ => title.to_owned(),
        };
        let Numbers { columns, rows } = self.numbers();
        let shown = columns.iter().filter(|(_, kind)| *kind != Half);
        let mut table = Table::new(caption, shown.map(|(head, _)| head.clone()));
        let there = |cell: &Cell| !matches!(cell, Cell::Number(Some(value)) if value.is_nan());
        for (colour, cells) in rows.into_iter().filter(|(_, cells)| cells.iter().all(there)) {
            let mut row: Vec<String> = Vec::new();
            for ((_, kind), cell) in columns.iter().zip(cells) {
                match (cell, row.last_mut()) {
                    (Cell::Number(half), Some(last)) if *kind == Half => {
                        *last += &half.map_or(String::new(), |half| format!(" ± {}", number(half)));
                    }
                    (Cell::Number(value), _) => row.push(value.map_or(NONE.to_owned(), number)),
                    (Cell::Text(text), _) => row.push(text),
                }
            }
            table.row(colour, row);
        }
        let several = table.rows.len() <= TOLD;
        table.drop_empty_columns();
        several.then_some(table)
    }

    fn numbers(&self) -> Numbers {
        match self {
            Self::Panels(own) => panels(own),
            Self::Lines(own) => lines(own),
            Self::Scatter(own) => scatter(own),
            Self::Heat(own) => heat(own),
            Self::Bars(own) => bars(own),
        }
    }
}

impl Numbers {
    fn new<S: Into<String>>(columns: impl IntoIterator<Item = (S, Kind)>) -> Self {
        let columns = columns.into_iter().map(|(head, kind)| (head.into(), kind)).collect();
        Self { columns, rows: Vec::new() }
    }

    fn row(&mut self, colour: usize, cells: Vec<Cell>) {
        self.rows.push((Some(colour), cells));
    }
}

fn panels(own: &Panels) -> Numbers {
    let curves = || own.panels.iter().flat_map(|p| p.curves.iter().map(move |curve| (p, curve)));
    let head = curves().map(|(panel, curve)| {
        let group = &own.groups[curve.group].name;
        let head = match panel.members(curve.group).count() {
            1 => format!("{}: {group}", panel.y.label()),
            _ if curve.name.starts_with(group.as_str()) => {
                format!("{}: {}", panel.y.label(), curve.name)
            }
            _ => format!("{}: {group} {}", panel.y.label(), curve.name),
        };
        (head, Number)
    });
    let mut numbers = Numbers::new([(own.x.label(), Number)].into_iter().chain(head));
    for (nth, &x) in own.xs.iter().enumerate() {
        let values = curves().map(|(_, curve)| curve.values[nth]);
        numbers.rows.push((None, [x].into_iter().chain(values).map(Cell::from).collect()));
    }
    numbers
}

fn lines(own: &Lines) -> Numbers {
    let all = || own.panels.iter().flat_map(|panel| panel.lines.iter().map(move |l| (panel, l)));
    let doubtful = all().any(|(_, line)| !line.doubts.is_empty());
    let labelled = all().any(|(_, line)| !line.labels.is_empty());
    let mut columns = vec![("panel".to_owned(), Text), ("line".to_owned(), Text)];
    columns.extend(labelled.then(|| ("at".to_owned(), Text)));
    columns.extend([(own.x.label(), Number), (own.y.label(), Number), (half_of(&own.y), Half)]);
    columns.extend(doubtful.then(|| ("doubts".to_owned(), Text)));
    let mut numbers = Numbers::new(columns);
    for (panel, line) in all() {
        for (nth, &(x, mean, half)) in line.points.iter().enumerate() {
            let mut cells = cells![&panel.title, &line.group.name];
            cells.extend(labelled.then(|| line.label(nth).into()));
            cells.extend(cells![x, mean, half]);
            cells.extend(doubtful.then(|| line.doubt(x).unwrap_or_default().into()));
            numbers.row(line.group.colour, cells);
        }
    }
    numbers
}

fn scatter(own: &Scatter) -> Numbers {
    let half = |axis: &Axis| of(&format!("half of the {INTERVAL} of {}", axis.title), axis);
    let doubtful = own.points.iter().any(|at| !at.doubts.is_empty());
    let mut numbers = Numbers::new(
        [
            ("point".to_owned(), Text),
            ("group".to_owned(), Text),
            (own.x.label(), Number),
            (half(&own.x), Half),
            (own.y.label(), Number),
            (half(&own.y), Half),
        ]
        .into_iter()
        .chain(doubtful.then(|| ("doubts".to_owned(), Text))),
    );
    for at in &own.points {
        let mut cells = cells![&at.label, &at.group.name, at.x.0, at.x.1, at.y.0, at.y.1];
        cells.extend(doubtful.then(|| (&at.doubts).into()));
        numbers.row(at.group.colour, cells);
    }
    numbers
}

fn heat(own: &Heat) -> Numbers {
    let labels = [own.x.0.label(), own.y.0.label(), own.z.label()].map(|label| (label, Number));
    let mut numbers = Numbers::new([("panel".to_owned(), Text)].into_iter().chain(labels));
    for panel in &own.panels {
        for (cells, &y) in panel.cells.chunks(own.x.1.len().max(1)).zip(&own.y.1) {
            let values = cells.iter().zip(&own.x.1);
            let rows = values.map(|(&value, &x)| (None, cells![&panel.title, x, y, value]));
            numbers.rows.extend(rows);
        }
    }
    numbers
}

fn bars(own: &Bars) -> Numbers {
    let words = ["panel", "case", "bar", "quantity"].map(|head| (head.to_owned(), Text));
    let values = [("value".to_owned(), Number), (format!("half of the {INTERVAL}"), Half)];
    let mut numbers = Numbers::new(words.into_iter().chain(values));
    for panel in &own.panels {
        for (case, bar, (mean, half)) in panel.known() {
            let label = &panel.y.label();
            let cells = cells![&panel.title, &case.name, &bar.name, label, mean, half];
            numbers.row(bar.colour, cells);
        }
    }
    numbers
}

/// The head of what follows a mean.
fn half_of(axis: &Axis) -> String {
    match axis.unit.as_str() {
        // half of 5 % might be a share of the mean
        "%" => format!("half of the {INTERVAL} (percentage points)"),
        _ => of(&format!("half of the {INTERVAL}"), axis),
    }
}

/// Something in the unit of an axis.
fn of(what: &str, axis: &Axis) -> String {
    Axis::new(what, axis.unit.as_str()).label()
}

/// Nine significant digits, nothing of what is no number.
fn exact(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    format!("{value:.8e}").parse::<f64>().unwrap_or(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Curve, Group, Line, LinePanel, Panel};

    fn group(name: &str) -> Group {
        Group { name: name.to_owned(), colour: 0 }
    }

    #[test]
    fn curves_are_columns_with_units_in_their_heads() {
        let curve = |name: &str, group, values: [f64; 2]| {
            let values = values.to_vec();
            Curve { name: name.to_owned(), group, values }
        };
        let panel = Panel {
            y: Axis::new("congestion window", "segments"),
            curves: vec![
                curve("a.0", 0, [10.0, f64::NAN]),
                curve("a.1", 0, [1.0 / 3.0, 0.1 + 0.2]),
                curve("b", 1, [1e-7, -4.0]),
            ],
            ..Panel::default()
        };
        let own = Panels {
            x: Axis::new("time", "s"),
            xs: vec![0.0, 0.5],
            groups: vec![group("a"), group("Reno, ours")],
            panels: vec![panel],
            ..Panels::default()
        };
        let figure = Figure::new("time", "T", "", Plot::Panels(own), None);
        let lines: Vec<String> = figure.csv().lines().map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "time (s),congestion window (segments): a.0,congestion window (segments): a.1,\
                 \"congestion window (segments): Reno, ours\"",
                "0,10,0.333333333,0.0000001",
                "0.5,,0.3,-4",
            ]
        );
    }

    #[test]
    fn lines_have_a_row_for_each_point() {
        let mut own = Lines::new(Axis::new("buffer", "BDP"), Axis::new("goodput", "Mbit/s"));
        let points = vec![(0.1, 40.0, Some(1.5)), (1.0, 50.0, None)];
        let line = Line::new(group("reno"), points);
        own.panels.push(LinePanel { title: "delay 10ms".to_owned(), lines: vec![line] });
        let text = own.figure("f", "F", "").csv();
        assert_eq!(
            text,
            "panel,line,buffer (BDP),goodput (Mbit/s),half of the 95 % interval (Mbit/s)\n\
             delay 10ms,reno,0.1,40,1.5\ndelay 10ms,reno,1,50,\n"
        );
    }

    #[test]
    fn an_interval_keeps_its_unit_where_the_axis_has_other_words() {
        let own = Lines::new(Axis::new("buffer", "BDP"), Axis::new("utilisation", "%"));
        let mut figure = own.figure("f", "F", "");
        let words = ["utilisation (%)", "Link utilisation (%)"].map(str::to_owned);
        figure.rename(&[words.into()]).unwrap();
        assert_eq!(
            figure.csv(),
            "panel,line,buffer (BDP),Link utilisation (%),half of the 95 % interval (percentage points)\n"
        );
    }
}
