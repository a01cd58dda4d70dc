//! The page of a sweep: each measure against each varied number, with one line per value of
//! another axis and small multiples for the rest; each measure over two numbers at once, in
//! colours; and the trade-offs between measures.

mod axes;
mod heat;
pub mod seen;
#[cfg(test)]
mod tests;
mod text;
mod tradeoffs;
pub mod work;

use tusker_measure::doubts;
use tusker_measure::stats::Estimate;
use tusker_measure::summary::{Entry, Quantity, Range, entry, unit};
use tusker_measure::table::Unit;
use tusker_store::sweep::{PointSummary, SweepSummary};

use crate::capital;
use crate::columns::{self, Column, Value};
use crate::figure::{Axis, Caption, Figure, Line, LinePanel, Lines, MANY, Point, Scatter};
use crate::page::{Block, Line as AnswerLine, Page, Span, Table};
use crate::results::command;
use axes::{Roles, scaled};
use text::{source, word};

/// The measure of which one sawtooth more or less in the measuring window may change more than
/// seeds do.
pub(crate) const UTILISATION: &str = "utilisation";

/// Panels that a figure has at most.
const PANELS: usize = 24;

/// Rows of the table of points.
const ROWS: usize = 500;

/// That the interval of a measure is narrow enough at every point: half of it is at most this
/// share of the mean.
#[derive(Clone, Debug)]
pub struct Narrow {
    /// The measure.
    pub measure: String,
    /// The share.
    pub share: f64,
}

/// What a sweep gave: the range of each of these measures, or of some popular ones, and a row
/// for each point.
pub fn answer(summary: &SweepSummary, measures: &[String], narrow: Option<&Narrow>) -> Page {
    let is_asked = !measures.is_empty();
    let columns: Vec<&str> = match is_asked {
        true => measures.iter().map(String::as_str).collect(),
        false => summary.first(),
    };
    let table = table(summary, &columns, is_asked);
    let main = columns.iter().filter(|name| is_asked || rank(name) == 0);
    Page {
        title: text::title(summary),
        lead: text::lead(summary, &columns, table.intervals, narrow),
        commands: summary.earlier.iter().chain([&summary.command]).map(|c| command(c)).collect(),
        answer: main.filter_map(|name| range(summary, name, is_asked)).take(RANGES).collect(),
        table: Some(table),
        ..Page::default()
    }
}

/// Measures whose range the answer names, at most.
const RANGES: usize = 3;

/// How soon a measure that nobody asked for is left out where there is not enough room.
fn rank(name: &str) -> usize {
    entry(name).and_then(|entry| entry.sweep_rank).unwrap_or(0)
}

/// The head of a measure's column: its name if it was asked for.
fn head(name: &str, is_asked: bool) -> &str {
    entry(name).filter(|_| !is_asked).map_or(name, |entry| entry.heading)
}

/// A measure as titles and axes have it.
fn title(name: &str) -> &str {
    entry(name).map_or(name, |entry| entry.title)
}

/// Where a measure is the least and where the most: `utilisation: from 90 % (cubic, 0.1bdp) to
/// 100 % (reno, 1bdp)`.
fn range(summary: &SweepSummary, name: &str, is_asked: bool) -> Option<AnswerLine> {
    let known = summary
        .points
        .iter()
        .filter_map(|point| Some((point, summary.with_interval(point, name)?)))
        .filter(|(_, own)| own.mean.is_finite());
    let known: Vec<(&PointSummary, Estimate)> = known.collect();
    let by = |a: &&(&PointSummary, Estimate), b: &&(&PointSummary, Estimate)| {
        a.1.mean.total_cmp(&b.1.mean)
    };
    let (least, most) = (known.iter().min_by(by)?, known.iter().max_by(by)?);
    if least.1.mean >= most.1.mean {
        return None;
    }
    let unit = unit(name).of([Some(least.1), Some(most.1)]);
    let end = |(point, own): &(&PointSummary, Estimate)| {
        format!("{} ({})", unit.estimate(Some(*own)), point.values.join(", "))
    };
    let text = format!(": from {} to {}", end(least), end(most));
    Some(vec![Span::strong(head(name, is_asked)), text.into()])
}

/// The page.
pub fn of_sweep(summary: &SweepSummary) -> Page {
    let mut page = answer(summary, &[], None);
    let measures = summary.first();
    let doubtful = summary.doubts().into_iter().map(|told| Block::Warning(told.text()));
    let doubtful: Vec<Block> = doubtful.collect();
    if !doubtful.is_empty() {
        page.section("Doubtful points", doubtful);
    }
    for x in (0..summary.axes.len()).filter(|&a| summary.axes[a].numeric) {
        let roles = Roles::of(summary, x);
        if roles.places < 2 {
            continue;
        }
        let mut blocks: Vec<Block> = Vec::new();
        if roles.panels.len() > roles.drawn && !roles.lonely {
            let (all, key) = (roles.panels.len(), word(summary, x));
            let first = roles.drawn;
            blocks.push(Block::Warning(format!(
                "Against {key} there are {all} panels, and the first {first} are drawn; the \
                 table and runs.parquet have all."
            )));
        }
        let drawn = if roles.lonely { scatter } else { lines };
        let figures = measures.iter().filter_map(|name| drawn(summary, &roles, x, name));
        blocks.extend(figures.map(Block::from));
        page.section(format!("Against {}", word(summary, x)), blocks);
    }
    let over = heat::pairs(summary).into_iter().flat_map(|pair| {
        let drawn = |name: &&str| heat::heat(summary, pair, name);
        measures.iter().filter_map(drawn).collect::<Vec<_>>()
    });
    let over: Vec<Block> = over.map(Block::from).collect();
    if !over.is_empty() {
        page.section("Over two values", over);
    }
    let tradeoffs: Vec<Block> = tradeoffs::figures(summary).into_iter().map(Block::from).collect();
    if !tradeoffs.is_empty() {
        page.section("Trade-offs", tradeoffs);
    }
    page
}

/// The figure of any measure that the sweep stored, by the measure's full name, against the
/// first varied number; or against another one: `groups.flow.rtt_p95_s-dumbbell.queue`. The
/// end of the full name is enough where only one measure has it: `rtt_p95_s`.
pub fn of_measure(summary: &SweepSummary, name: &str) -> Option<Figure> {
    let is_end = |full: &&String| full.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let mut ends = summary.measures.iter().filter(is_end);
    let full = ends.next().filter(|_| ends.next().is_none());
    let asked = name;
    let name = full.filter(|_| !summary.measures.iter().any(|own| own == name)).map_or(name, |f| f);
    let numeric = (0..summary.axes.len()).filter(|&axis| summary.axes[axis].numeric);
    for x in numeric {
        let axis = summary.axes[x].name();
        let against = |measure: &&String| {
            name == **measure || name.strip_suffix(axis) == Some(&format!("{measure}-"))
        };
        let Some(measure) = summary.measures.iter().find(against) else { continue };
        let roles = Roles::of(summary, x);
        if roles.places < 2 {
            continue;
        }
        let drawn = if roles.lonely { scatter } else { lines };
        let figure = drawn(summary, &roles, x, measure)?;
        return Some(Figure { name: asked.to_owned(), ..figure });
    }
    None
}

/// The axis of a measure, and what its values are divided by. No band reaches where no value is.
fn upwards(summary: &SweepSummary, name: &str) -> (Axis, f64) {
    let means = summary.points.iter().filter_map(|point| summary.estimate(point, name).0);
    let (title, most) = (title(name), means.fold(0.0, f64::max));
    let (axis, divisor) = match unit(name) {
        Unit::Rate => scaled(title, "bps", most),
        Unit::Time => scaled(title, "s", most),
        Unit::Bytes => scaled(title, "bytes", most),
        Unit::Percent | Unit::Points | Unit::Probability => (Axis::new(title, "%"), 0.01),
        Unit::Count if name.ends_with("_pkt") => (Axis::new(title, "packets"), 1.0),
        Unit::Index | Unit::Count => (Axis::new(title, ""), 1.0),
    };
    let axis = match entry(name).map(|entry| entry.quantity.range()) {
        None | Some(Range::Number) => axis,
        Some(Range::Share | Range::Index) => axis.within(0.0, 1.0 / divisor),
        Some(Range::Amount | Range::Ratio) => axis.within(0.0, f64::INFINITY),
    };
    (axis, divisor)
}

fn lines(summary: &SweepSummary, roles: &Roles, x: usize, name: &str) -> Option<Figure> {
    let (y, divisor) = upwards(summary, name);
    let mut figure = Lines::new(roles.x.clone(), y);
    for (panel, points) in roles.panels.iter().take(roles.drawn) {
        let mut own: Vec<Line> = Vec::new();
        for &(point, line) in points {
            let point = &summary.points[point];
            let shown = summary.with_interval(point, name);
            let (mean, half) = (shown.map(|own| own.mean), shown.and_then(|own| own.ci95));
            let at = point.numbers[x].map(|at| at / roles.divisor).zip(mean);
            let Some((at, mean)) = at else { continue };
            let group = roles.lines[line].clone();
            let value = (at, mean / divisor, half.map(|half| half / divisor));
            match own.iter_mut().find(|line| line.group == group) {
                Some(line) => line.points.push(value),
                None => {
                    own.push(Line::new(group.clone(), vec![value]));
                }
            }
            if let Some(line) = own.iter_mut().find(|line| line.group == group)
                && !point.doubts.is_empty()
            {
                line.doubts.push((at, doubts::names(&point.doubts)));
            }
        }
        own.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
        figure.panels.push(LinePanel { title: panel.clone(), lines: own });
    }
    let all = figure.panels.iter().flat_map(|panel| &panel.lines);
    let values = all.flat_map(|line| line.points.iter().map(|point| point.1));
    figure.y = by_decades(figure.y.clone(), name, values);
    let any = !figure.is_empty();
    let heading = format!("{} against {}", capital(title(name)), word(summary, x));
    let entry = entry(name);
    let counts = entry.and_then(|own| Some((own.title, own.counts?)));
    let counts = counts.map(|(title, what)| format!("{} counts {what}.", capital(title)));
    let caption = text::means(summary).and_all(counts);
    // runs with different values may have the same
    let caption = caption.and_all(entry.and_then(|own| own.within).map(|percent| {
        format!("Quantiles are known within {percent} %: a band without width is no certainty.")
    }));
    let caption = caption.and(roles.caption()).and_all(text::doubts(summary, "Hollow"));
    let caption = caption.source(source(summary, &[name]));
    any.then(|| figure.figure(&slug(name, summary.axes[x].name()), &heading, caption))
}

/// The axis of a probability is logarithmic where a linear one would draw values on zero that
/// are not: linear below the power of ten at or below the smallest of them. Not where they are
/// all of about one size.
fn by_decades(axis: Axis, name: &str, values: impl Iterator<Item = f64>) -> Axis {
    let positive = values.filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) = positive.fold((f64::MAX, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    match matches!(unit(name), Unit::Probability) && high >= DECADES * low {
        true => axis.logarithmic_from(10_f64.powf(low.log10().floor())),
        false => axis,
    }
}

/// The largest of values that need a logarithmic axis is so many times the smallest.
const DECADES: f64 = 30.0;

/// Where every point has a place of its own, as in a Latin hypercube.
fn scatter(summary: &SweepSummary, roles: &Roles, x: usize, name: &str) -> Option<Figure> {
    let (y, divisor) = upwards(summary, name);
    let mut figure = Scatter::new(roles.x.clone(), y);
    for &(point, line) in roles.panels.iter().flat_map(|(_, points)| points).take(MANY) {
        let nth = point + 1;
        let point = &summary.points[point];
        let own = summary.with_interval(point, name);
        let (mean, half) = (own.map(|own| own.mean), own.and_then(|own| own.ci95));
        let Some((at, mean)) = point.numbers[x].zip(mean) else { continue };
        figure.points.push(Point {
            label: format!("point {nth}"),
            group: roles.lines[line].clone(),
            x: (at / roles.divisor, None),
            y: (mean / divisor, half.map(|half| half / divisor)),
            doubts: doubts::names(&point.doubts),
        });
    }
    let values = figure.points.iter().map(|point| point.y.0);
    figure.y = by_decades(figure.y.clone(), name, values);
    let heading = format!("{} against {}", capital(title(name)), word(summary, x));
    let first = (summary.points.len() > MANY).then(|| format!("The first {MANY} are drawn."));
    let mut caption = text::means(summary);
    let each = Caption::from("Each point has a value of its own of every axis.");
    caption.sentences.splice(..0, each.sentences);
    let caption = caption
        .and_all(first)
        .and_all(text::doubts(summary, "Hollow"))
        .source(source(summary, &[name]));
    let any = !figure.points.is_empty();
    any.then(|| figure.figure(&slug(name, summary.axes[x].name()), &heading, caption))
}

/// Lower case, digits, `-` and `.`, as the command line has them.
fn slug(name: &str, key: &str) -> String {
    let short = name.rsplit('.').next().unwrap_or(name);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("{short}-{key}").chars().map(plain).collect()
}

/// A row per point: its values, and means with their intervals. Measures that were asked for
/// have a column even without values.
fn table(summary: &SweepSummary, measures: &[&str], is_asked: bool) -> Table {
    let mut columns: Vec<Column<'_, &PointSummary>> = Vec::new();
    for (at, axis) in summary.axes.iter().enumerate() {
        columns
            .push(Column::text(axis.name(), move |point: &&PointSummary| point.values[at].clone()));
    }
    columns.push(Column::text("runs", |point: &&PointSummary| point.replicates.to_string()));
    for &name in measures {
        let value = move |point: &&PointSummary| value(summary, point, name);
        let rank = if is_asked { 0 } else { rank(name) };
        columns.push(Column::new(head(name, is_asked), value).kept(is_asked).rank(rank));
    }
    columns
        .push(Column::text("doubts", |point: &&PointSummary| doubts::names(&point.doubts)).rank(4));
    let all = summary.points.len();
    let caption = match all {
        0..=ROWS => "Means and half 95 % intervals".to_owned(),
        _ => format!("The first {ROWS} of {all} points; sweep.json has all"),
    };
    let rows: Vec<_> = summary.points.iter().take(ROWS).map(|point| (None, point)).collect();
    columns::table(caption, summary.axes.len(), columns, &rows)
}

/// A measure at a point. Of convergence it says in how many of the runs.
fn value(summary: &SweepSummary, point: &PointSummary, name: &str) -> Value {
    let estimate = summary.with_interval(point, name);
    let all = point.replicates;
    let share = summary.estimate(point, "converged").0;
    let converged = share.map(|share| (share * f64::from(all)).round() as u32);
    let entry = entry(name);
    let behind = match converged {
        Some(some) if entry.is_some_and(|own| own.quantity == Quantity::Runs) => {
            return Value::Text(format!("{some} of {all}"));
        }
        Some(some) if entry.is_some_and(|own| own.is_median) && some > 0 && some < all => {
            format!(" ({some} of {all} converged)")
        }
        _ => entry.map_or("", Entry::suffix).to_owned(),
    };
    Value::Number(unit(name), estimate, behind)
}
