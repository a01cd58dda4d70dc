//! What a figure shows, apart from how it is drawn.
//!
//! There are five kinds: [`Panels`] (curves over a common axis: time, or the value of a
//! cumulative distribution), [`Scatter`] (points with intervals in both directions), [`Lines`]
//! (lines through means, with bands), [`Heat`] (a heat map) and [`Bars`].

mod bars;
mod caption;
mod heat;
mod lines;
mod names;
mod numbers;

use crate::table::Table;
pub use bars::{BarCase, BarPanel, Bars};
pub use caption::{Caption, Sentence};
pub use heat::{Heat, HeatPanel};
pub use lines::{Line, LinePanel, Lines};
pub(crate) use lines::{MANY, TOLD};

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What the command line calls it: lower case, digits, `-` and `.`.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What stands below it: how to read it.
    pub caption: Caption,
    /// What is drawn.
    pub plot: Plot,
    /// The numbers behind it, for anyone who cannot see it or wants to copy them.
    pub table: Option<Table>,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub enum Plot {
    /// Curves.
    Panels(Panels),
    /// Points.
    Scatter(Scatter),
    /// Curves with bands.
    Lines(Lines),
    /// Colours over two values.
    Heat(Heat),
    /// Bars of cases.
    Bars(Bars),
}

/// What an axis says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity: `queue`.
    pub title: String,
    /// Its unit: `packets`; empty for none.
    pub unit: String,
    /// No value can be below the first or above the second.
    pub limits: Option<(f64, f64)>,
    /// Equal distances, or steps of colours, are equal ratios.
    pub log: bool,
    /// A logarithmic axis is linear from zero to this value, so that it has a zero.
    pub linear: Option<f64>,
    /// The key whose values it has, if its title is a word for one: `dumbbell.queue`.
    pub key: String,
}

impl Axis {
    /// A quantity and its unit.
    pub fn new(title: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { title: title.into(), unit: unit.into(), ..Self::default() }
    }

    /// The same with a logarithmic scale.
    pub fn logarithmic(self) -> Self {
        Self { log: true, ..self }
    }

    /// The same with a logarithmic scale that goes down to zero, linear below `least`.
    pub fn logarithmic_from(self, least: f64) -> Self {
        Self { log: true, linear: Some(least), ..self }
    }

    /// The same for the values of a key.
    pub fn of_key(self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self }
    }

    /// The same for values that cannot leave a range.
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { limits: Some((low, high)), ..self }
    }

    /// The ends of an interval around a mean, as far as there can be values.
    pub fn ends(&self, mean: f64, half: Option<f64>) -> [f64; 2] {
        let half = half.unwrap_or(0.0);
        let (least, most) = self.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        [(mean - half).max(least.min(mean)), (mean + half).min(most.max(mean))]
    }

    /// `queue (packets)`.
    pub fn label(&self) -> String {
        match self.unit.as_str() {
            "" => self.title.clone(),
            unit => format!("{} ({unit})", self.title),
        }
    }
}

/// Panels of curves above each other with one horizontal axis.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    /// What runs to the right.
    pub x: Axis,
    /// It is time: all such figures of a page are zoomed together.
    pub time: bool,
    /// Where the curves have values, in order.
    pub xs: Vec<f64>,
    /// From where to where it was measured.
    pub window: Option<(f64, f64)>,
    /// What curves belong to.
    pub groups: Vec<Group>,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
    /// Curves of a group are replicates of one thing: from two on they are a band.
    pub replicates: bool,
}

/// Curves that belong together, with one look.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Number of its look: see [`crate::style`].
    pub colour: usize,
}

/// Each of them once, in their order.
pub(crate) fn distinct<'a>(groups: impl IntoIterator<Item = &'a Group>) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for group in groups {
        if !all.contains(group) {
            all.push(group.clone());
        }
    }
    all
}

/// Curves over one vertical axis.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// What the command line calls it, within its figure.
    pub name: String,
    /// What runs upwards.
    pub y: Axis,
    /// Higher than the others of its figure.
    pub tall: bool,
    /// Curves keep their value until the next one.
    pub steps: bool,
    /// Fixed ends of the axis.
    pub range: Option<(f64, f64)>,
    /// Horizontal lines with their names: a limit, a threshold.
    pub rules: Vec<(String, f64)>,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A value at each place of [`Panels::xs`]; NaN where there is none.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The same thing has the same name in all panels: `S1.0`.
    pub name: String,
    /// Number of its group in [`Panels::groups`].
    pub group: usize,
    /// The values.
    pub values: Vec<f64>,
}

/// Curves of more are drawn as a band per group, and single ones on demand.
pub const FEW: usize = 4;

/// Units of rates over time, and how many bits per second each is.
const RATES: [(&str, f64); 3] = [("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)];

/// Bits per second of a unit of [`rate_unit`]; 1 of any other unit.
pub(crate) fn bits_per_second(unit: &str) -> f64 {
    RATES.iter().find(|(own, _)| *own == unit).map_or(1.0, |(_, bits)| *bits)
}

/// The unit for rates of up to so many bits per second.
pub(crate) fn rate_unit(most: f64) -> &'static str {
    RATES.iter().find(|(_, bits)| most >= 2.0 * bits).map_or("kbit/s", |(unit, _)| unit)
}

/// The value of points at each place: that of the last point until there, and none beyond them.
pub(crate) fn held(points: &[(f64, f64)], xs: &[f64]) -> Vec<f64> {
    let end = points.last().map_or(f64::MIN, |point| point.0);
    let value = |&x: &f64| match points.partition_point(|point| point.0 <= x) {
        0 => f64::NAN,
        _ if x > end => f64::NAN,
        next => points[next - 1].1,
    };
    xs.iter().map(value).collect()
}

impl Panels {
    /// Mean, smallest and largest value of each of the first `most` curves over the window, if
    /// there is one.
    pub(crate) fn table(&self, caption: &str, head: &str, most: usize) -> Table {
        let mut table = Table::new(caption, [head, "quantity", "mean", "smallest", "largest"]);
        let inside = |x: f64| self.window.is_none_or(|(from, to)| (from..=to).contains(&x));
        let all = self.panels.iter().flat_map(|panel| panel.curves.iter().map(move |c| (panel, c)));
        for (panel, curve) in all.take(most) {
            let values = self.xs.iter().zip(&curve.values);
            let values = values.filter(|(x, value)| inside(**x) && value.is_finite());
            let values: Vec<f64> = values.map(|(_, value)| *value).collect();
            if values.is_empty() {
                continue;
            }
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let low = values.iter().copied().fold(f64::MAX, f64::min);
            let high = values.iter().copied().fold(f64::MIN, f64::max);
            let [mean, low, high] = [mean, low, high].map(number);
            let cells = [curve.name.clone(), panel.y.label(), mean, low, high];
            table.row(Some(self.groups[curve.group].colour), cells);
        }
        table
    }

    /// Cumulative curves, which all begin at 0 % and end at 100 %.
    pub fn is_cumulative(&self) -> bool {
        !self.time && matches!(self.panels.as_slice(), [only] if only.range == Some((0.0, 100.0)))
    }

    /// So many curves of a group are drawn one by one.
    pub fn few(&self) -> usize {
        if self.replicates { 1 } else { FEW }
    }
}

impl Panel {
    /// The members of a group.
    pub fn members(&self, group: usize) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(move |curve| curve.group == group)
    }
}

/// Points with intervals in both directions.
#[derive(Clone, Debug, Default)]
pub struct Scatter {
    /// What runs to the right.
    pub x: Axis,
    /// What runs upwards.
    pub y: Axis,
    /// Both axes have one range, and a line runs where both values are equal, with a band of half
    /// this height.
    pub equal: Option<f64>,
    /// The points.
    pub points: Vec<Point>,
}

/// A point of a [`Scatter`].
#[derive(Clone, Debug)]
pub struct Point {
    /// What it is: `Case 5, 50 ms`.
    pub label: String,
    /// What it belongs to, which gives it its colour; the legend's entry.
    pub group: Group,
    /// Where it lies, and half of its interval.
    pub x: (f64, Option<f64>),
    /// The same upwards.
    pub y: (f64, Option<f64>),
    /// Why it is doubtful: then its mark is hollow.
    pub doubts: String,
}

impl Scatter {
    /// Without points yet.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self { x, y, ..Self::default() }
    }
}

/// A figure of each kind, with its numbers behind it unless there are too many.
macro_rules! figures {
    ($($kind:ident),*) => { $(
        impl $kind {
            /// As a figure with its numbers behind it.
            pub fn figure(self, name: &str, title: &str, caption: impl Into<Caption>) -> Figure {
                Figure::new(name, title, caption, Plot::$kind(self), None)
            }
        }
    )* };
}

figures!(Scatter, Bars);

impl Figure {
    /// A figure; without a table of its own the numbers of its points are behind it, unless there
    /// are too many.
    pub fn new(
        name: &str,
        title: &str,
        caption: impl Into<Caption>,
        plot: Plot,
        table: Option<Table>,
    ) -> Self {
        let table = table.or_else(|| plot.table(title));
        let [name, title] = [name, title].map(str::to_owned);
        Self { name, title, caption: caption.into(), plot, table }
    }
}

/// Four significant digits, without zeros at the end.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_enough_for_a_reader() {
        for (value, text) in [
            (0.0, "0"),
            (0.12345, "0.1235"),
            (12_345.6, "12346"),
            (-2.5, "-2.5"),
            (1e-5, "0.00001"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
