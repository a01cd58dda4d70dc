//! The page of a sweep: each measure against each varied number, with one line per value of
//! another axis and small multiples for the rest; each measure over two numbers at once, in
//! colours; and the trade-offs between measures.

mod axes;
mod heat;
#[cfg(test)]
mod tests;
mod tradeoffs;
mod words;

use tusker_record::doubts;
use tusker_record::store::sweep::SweepSummary;
use tusker_record::summary::unit;
use tusker_record::table::{self, Scaled, Unit};

use crate::capital;
use crate::figure::{Axis, Figure, Line, LinePanel, Lines, MANY, Point, Scatter};
use crate::page::{Block, Page, Table};
use crate::results::command;
use axes::{Roles, scaled};
use words::{means, source, word};

/// Panels that a figure has at most.
const PANELS: usize = 24;

/// Rows of the table of points.
const ROWS: usize = 500;

/// The page.
pub fn of_sweep(summary: &SweepSummary) -> Page {
    let runs: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let setting = match summary.setting.as_str() {
        "" => String::new(),
        // the whole of it is below the first figure
        setting => {
            let first = setting.split("; ").take(3).collect::<Vec<_>>().join("; ");
            format!(", {}", first.split(". ").next().unwrap_or_default().trim_end_matches('.'))
        }
    };
    let lead = format!(
        "{}, {}{setting}. Bands and ± are 95 % confidence intervals of means \
         over replicates, by Student's t; a single run has none.",
        table::counted(summary.points.len() as u128, "point"),
        table::counted(runs, "run"),
    );
    let mut page = Page {
        title: words::title(summary),
        lead,
        commands: summary.earlier.iter().chain([&summary.command]).map(|c| command(c)).collect(),
        ..Page::default()
    };
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
        let figures = measures.iter().filter_map(|(title, name)| {
            let drawn = if roles.lonely { scatter } else { lines };
            drawn(summary, &roles, x, title, name)
        });
        blocks.extend(figures.map(Block::from));
        page.section(format!("Against {}", word(summary, x)), blocks);
    }
    let over = heat::pairs(summary).into_iter().flat_map(|pair| {
        let drawn = |(title, name): &(&str, &str)| heat::heat(summary, pair, title, name);
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
    page.section("All points", vec![Block::Table(table(summary, &measures))]);
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
        let figure = drawn(summary, &roles, x, &words::of_measure(measure), measure)?;
        return Some(Figure { name: asked.to_owned(), ..figure });
    }
    None
}

/// The head of a column as a title.
fn in_full(head: &str) -> &str {
    if head == "Jain" { "Jain's index" } else { head }
}

/// A quantile comes from bins, so that runs with different values may have the same.
fn quantile_note(name: &str) -> &'static str {
    let is_quantile =
        |part: &str| part.strip_prefix('p').is_some_and(|rest| rest.parse::<u8>().is_ok());
    let finely = name.contains("queueing_delay");
    match name.split('_').any(is_quantile) {
        true if finely => " Quantiles are known within 1 %: a band without width is no certainty.",
        true => " Quantiles are known within 2 %: a band without width is no certainty.",
        false => "",
    }
}

/// What a measure of rates counts, which a reader cannot know.
fn counted(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("utilisation") => " Utilisation counts whole packets, with headers.",
        Some("throughput_bps") => " Throughput counts whole packets, with headers.",
        Some("goodput_bps") => " Goodput counts payload.",
        _ => "",
    }
}

/// The axis of a measure, and what its values are divided by.
fn upwards(summary: &SweepSummary, title: &str, name: &str) -> (Axis, f64) {
    let title = in_full(title);
    let means = summary.points.iter().filter_map(|point| summary.estimate(point, name).0);
    let most = means.fold(0.0, f64::max);
    match unit(name) {
        Unit::Rate => from_zero(scaled(title, "bps", most)),
        Unit::Time => from_zero(scaled(title, "s", most)),
        Unit::Percent | Unit::Probability => (Axis::new(title, "%").within(0.0, 100.0), 0.01),
        Unit::Index => (Axis::new(title, "").within(0.0, 1.0), 1.0),
        Unit::Count if name.ends_with("_pkt") => from_zero((Axis::new(title, "packets"), 1.0)),
        Unit::Count => (Axis::new(title, ""), 1.0),
    }
}

/// An axis of what cannot be negative: no band reaches below zero.
fn from_zero((axis, divisor): (Axis, f64)) -> (Axis, f64) {
    (axis.within(0.0, f64::INFINITY), divisor)
}

fn lines(
    summary: &SweepSummary,
    roles: &Roles,
    x: usize,
    title: &str,
    name: &str,
) -> Option<Figure> {
    let (y, divisor) = upwards(summary, title, name);
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
                    own.push(Line { group: group.clone(), points: vec![value], doubts: vec![] });
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
    let heading = format!("{} against {}", capital(in_full(title)), word(summary, x));
    let from = source(summary, &[name]);
    let (about, bins) = (means(summary, "the band is"), quantile_note(name));
    let doubts = words::doubts(summary);
    let caption = format!("{about}{}{bins}{}{doubts}{from}", counted(name), roles.caption());
    any.then(|| figure.figure(&slug(name, summary.axes[x].name()), &heading, &caption))
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
fn scatter(
    summary: &SweepSummary,
    roles: &Roles,
    x: usize,
    title: &str,
    name: &str,
) -> Option<Figure> {
    let (y, divisor) = upwards(summary, title, name);
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
    let heading = format!("{} against {}", capital(in_full(title)), word(summary, x));
    let mut caption = "Each point has a value of its own of every axis. ".to_owned();
    caption += &means(summary, "bars are");
    if summary.points.len() > MANY {
        caption += &format!(" The first {MANY} are drawn.");
    }
    caption += &words::doubts(summary);
    caption += &source(summary, &[name]);
    let any = !figure.points.is_empty();
    any.then(|| figure.figure(&slug(name, summary.axes[x].name()), &heading, &caption))
}

/// Lower case, digits, `-` and `.`, as the command line has them.
fn slug(name: &str, key: &str) -> String {
    let short = name.rsplit('.').next().unwrap_or(name);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("{short}-{key}").chars().map(plain).collect()
}

fn table(summary: &SweepSummary, measures: &[(&str, &str)]) -> Table {
    let axes = summary.axes.iter().map(|axis| axis.name().to_owned());
    let head = ["point".to_owned()].into_iter().chain(axes).chain(["runs".to_owned()]);
    let head = head.chain(measures.iter().map(|(title, _)| (*title).to_owned()));
    let doubtful = summary.points.iter().any(|point| !point.doubts.is_empty());
    let head = head.chain(doubtful.then(|| "doubts".to_owned()));
    let all = summary.points.len();
    let caption = match all {
        0..=ROWS => "Means and half 95 % intervals".to_owned(),
        _ => format!("The first {ROWS} of {all} points; sweep.json has all"),
    };
    let mut table = Table::new(caption, head.collect::<Vec<_>>());
    let shown = &summary.points[..all.min(ROWS)];
    let units = measures.iter().map(|(_, name)| {
        unit(name).of(shown.iter().map(|point| summary.with_interval(point, name)))
    });
    let units: Vec<Scaled> = units.collect();
    for (nth, point) in shown.iter().enumerate() {
        let cells = measures.iter().zip(&units);
        let cells =
            cells.map(|((_, name), unit)| unit.estimate(summary.with_interval(point, name)));
        let own = [(nth + 1).to_string()].into_iter().chain(point.values.iter().cloned());
        let own = own.chain([point.replicates.to_string()]);
        let why = doubtful.then(|| doubts::names(&point.doubts));
        table.row(None, own.chain(cells).chain(why));
    }
    table
}
