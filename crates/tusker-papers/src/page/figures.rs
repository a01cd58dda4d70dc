//! Figures: functions and sweeps as curves, rows as windows and queues over time, bars; each with
//! the numbers that tell what is to be seen.

use std::path::Path;

use tusker_measure::condition::number;
use tusker_measure::stats::Estimate;
use tusker_measure::table::NONE;
use tusker_report::figure::{self, Axis, BarCase, Bars, Group, Panel, Panels, Plot};
use tusker_report::page::{Block, Page, Span, Table};
use tusker_report::{capital, results, style};
use tusker_store::{Error, Stored};

use super::{estimate, heading, names, variant};
use crate::curves::{self, Curve};
use crate::measure::Measure;
use crate::paper::{Bar, BarChart, BarPanel, CaseId, Figure, Point, Sweep};
use crate::reproduction::{Reproduction, RowResult};
use crate::stored::{DrawnFigure, FIGURES};

/// The numbers of a figure, under its title.
pub fn numbers(drawn: &DrawnFigure) -> Page {
    let (figure, r) = (&drawn.figure, &drawn.reproduction);
    let found = figure.curves.as_deref().and_then(curves::named);
    let (table, lead) = match (&found, &figure.sweep, &figure.bars) {
        (Some((found, _)), ..) => (points(figure, found), String::new()),
        (None, Some(sweep), _) => {
            (swept_numbers(figure, sweep, r), heading(r, &|own| own == sweep.measure))
        }
        (None, None, Some(chart)) => {
            (bars(drawn, chart).table.unwrap_or_default(), heading(r, &|_| true))
        }
        (None, None, None) => {
            (measured(figure, r), heading(r, &|own| figure.show.iter().any(|shown| shown == own)))
        }
    };
    let title = format!("Figure {}: {}", figure.id, figure.title);
    let answer = vec![vec![Span::strong(title.clone())]];
    Page { title, answer, lead, table: Some(table), ..Page::default() }
}

fn info<'a>(r: &'a Reproduction, name: &str) -> Option<&'a Measure> {
    r.measures.iter().find(|measure| measure.name == name)
}

fn table(figure: &Figure, head: Vec<String>, rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new(figure.title.clone(), head);
    rows.into_iter().for_each(|row| table.row(None, row));
    table
}

/// The page of these figures, of one folder.
///
/// # Panics
/// If there is none.
pub fn page(all: &[DrawnFigure], folder: &Path, replicate: Option<u32>) -> Result<Page, Error> {
    let first = &all.first().expect("a page is about something").reproduction;
    let numbers: Vec<&str> = all.iter().map(|drawn| drawn.figure.id.as_str()).collect();
    let figures = if all.len() == 1 { "Figure" } else { "Figures" };
    let mut page = Page {
        title: format!("{figures} {}: {}", numbers.join(", "), first.paper.title),
        lead: first.paper.authors.clone(),
        ..Page::default()
    };
    for drawn in all {
        let (figure, reproduction) = (&drawn.figure, &drawn.reproduction);
        let command = results::command(&reproduction.execution.command);
        if !page.commands.contains(&command) {
            page.commands.push(command);
        }
        let title = format!("Figure {}: {}", figure.id, figure.title);
        page.section(
            title,
            match (functions(figure), &figure.sweep, &figure.bars) {
                (Some(functions), ..) => vec![functions.into()],
                (None, Some(sweep), _) => swept(drawn, sweep),
                (None, None, Some(chart)) => {
                    told(reproduction).into_iter().chain([bars(drawn, chart).into()]).collect()
                }
                (None, None, None) => over_time(drawn, folder, replicate)?,
            },
        );
    }
    Ok(page)
}

/// A figure of functions; `None` if it is none.
fn functions(figure: &Figure) -> Option<figure::Figure> {
    let (found, range) = figure.curves.as_deref().and_then(curves::named)?;
    let xs = curves::places(range);
    let over = found.first()?.over;
    let unit = if over == "window" { "segments" } else { "" };
    let names: Vec<String> = found.iter().map(|curve| curve.name.to_owned()).collect();
    let looks = names::looks(&names);
    let groups = names.into_iter().zip(looks).map(|(name, colour)| Group { name, colour });
    let mut panels: Vec<Panel> = Vec::new();
    let mut last = None;
    for (group, curve) in found.iter().enumerate() {
        if last != Some(curve.value) {
            panels.push(panel(curve));
            last = Some(curve.value);
        }
        let values = xs.iter().map(|&x| curve.at(x)).collect();
        let drawn = figure::Curve { name: curve.name.to_owned(), group, values };
        panels.last_mut().expect("there is a panel").curves.push(drawn);
    }
    let plot = Panels {
        x: Axis::new(over.replace('_', " "), unit).logarithmic(),
        groups: groups.collect(),
        xs,
        panels,
        ..Panels::default()
    };
    let caption = "Computed from the formulas, not simulated.";
    let table = points(figure, &found);
    let name = format!("figure-{}", figure.id);
    Some(figure::Figure::new(&name, &figure.title, caption, Plot::Panels(plot), Some(table)))
}

/// A measure against what rows were run at, a curve per case.
fn swept(drawn: &DrawnFigure, sweep: &Sweep) -> Vec<Block> {
    let (figure, r) = (&drawn.figure, &drawn.reproduction);
    let mut blocks = told(r);
    let xs = places(sweep, r);
    let info = info(r, &sweep.measure);
    let about = info.map_or("", |info| &info.about);
    let cases = || sweep.cases.iter().map(|CaseId(case)| case).enumerate();
    let known: Vec<&str> = cases().map(|(_, case)| case.as_str()).collect();
    let known = names::of_cases(&r.rows, &known);
    let looks = names::looks(&known);
    let curve = |(group, case): (usize, &String)| {
        let value = |&x: &f64| value(sweep, r, case, x).map_or(f64::NAN, |ours| ours.mean);
        figure::Curve { name: known[group].clone(), group, values: xs.iter().map(value).collect() }
    };
    let panel = Panel {
        name: sweep.measure.clone(),
        y: info.map_or_else(|| Axis::new(&sweep.measure, ""), names::axis),
        curves: cases().map(curve).collect(),
        ..Panel::default()
    };
    let groups = known.iter().zip(looks);
    let groups = groups.map(|(name, colour)| Group { name: name.clone(), colour }).collect();
    let x = Axis::new(&sweep.x, "");
    let x = if sweep.log { x.logarithmic() } else { x };
    let plot = Panels { x, groups, panels: vec![panel], ..Panels::default() };
    let table = swept_numbers(figure, sweep, r);
    let plot = Plot::Panels(Panels { xs, ..plot });
    let name = format!("figure-{}", figure.id);
    blocks.push(figure::Figure::new(&name, &figure.title, about, plot, Some(table)).into());
    blocks
}

/// Measures of cases as bars.
fn bars(drawn: &DrawnFigure, chart: &BarChart) -> figure::Figure {
    let (figure, r) = (&drawn.figure, &drawn.reproduction);
    let cases = names::of_bars(chart, r);
    let mut known: Vec<&str> = Vec::new();
    for bar in chart.panels.iter().flat_map(|panel| &panel.bars) {
        if !known.contains(&bar.name.as_str()) {
            known.push(&bar.name);
        }
    }
    let panel = |own: &BarPanel| {
        let measure = own.bars.first().map_or("", |bar| bar.measure.as_str());
        let info = info(r, measure);
        let mut y = info.map_or_else(|| Axis::new(measure, ""), names::axis);
        if !own.quantity.is_empty() {
            y.title.clone_from(&own.quantity);
        }
        let group = |bar: &Bar| {
            let place = known.iter().position(|name| *name == bar.name).unwrap_or_default();
            Group { name: bar.name.clone(), colour: style::nth(place) }
        };
        let case = |(CaseId(id), name): (&CaseId, &String)| {
            let height = |bar: &Bar| height(r, id, bar).map(|ours| (ours.mean, ours.ci95));
            BarCase { name: name.clone(), heights: own.bars.iter().map(height).collect() }
        };
        let cases = chart.cases.iter().zip(&cases).map(case).collect();
        let bars = own.bars.iter().map(group).collect();
        figure::BarPanel { title: own.title.clone(), y, bars, cases }
    };
    let plot = Bars { panels: chart.panels.iter().map(panel).collect() };
    let shown =
        chart.panels.iter().flat_map(|panel| &panel.bars).filter_map(|bar| info(r, &bar.measure));
    let mut about: Vec<&str> = Vec::new();
    for info in shown {
        if !about.contains(&info.about.as_str()) {
            about.push(&info.about);
        }
    }
    let caption =
        format!("{}. Lines on bars are 95 % confidence intervals.", capital(&about.join("; ")));
    let name = format!("figure-{}", figure.id);
    plot.figure(&name, &figure.title, &caption)
}

/// Under which assumptions a figure was run.
fn told(r: &Reproduction) -> Vec<Block> {
    let quick = r.quick_note().map(|note| Block::Warning(format!("{}.", capital(note))));
    std::iter::once(Block::Text(format!("Reading: {}.", r.reading.name))).chain(quick).collect()
}

fn panel(curve: &Curve) -> Panel {
    let (value, unit) = curve.value;
    let y = Axis::new(value, unit);
    let y = if curve.log { y.logarithmic() } else { y };
    Panel { name: curve.name.to_owned(), y, ..Panel::default() }
}

/// The numbers that tell what is to be seen, and each row over time.
fn over_time(
    drawn: &DrawnFigure,
    folder: &Path,
    replicate: Option<u32>,
) -> Result<Vec<Block>, Error> {
    let r = &drawn.reproduction;
    let mut blocks = told(r);
    let mut figures = Vec::new();
    for (id, dir) in &drawn.folders {
        let Some(row) = r.rows.iter().find(|row| row.id == *id) else { continue };
        let title = title(drawn, row);
        let stored = match Stored::read(&folder.join(FIGURES).join(dir), replicate) {
            Ok(stored) => stored,
            Err(Error::NoResults(_) | Error::NoReplicate(_)) => {
                blocks.push(Block::Warning(format!("{title}: no run of this row is finished.")));
                continue;
            }
            Err(error) => return Err(error),
        };
        let variant = &row.variant;
        let name = format!("figure-{}-{}-at-{variant}", drawn.figure.id, row.case);
        let mut figure = results::over_time(&stored, &name, &title);
        if let Some(Plot::Panels(plot)) = figure.as_mut().map(|figure| &mut figure.plot) {
            plot.panels.retain(|panel| drawn.figure.has_panel(&panel.name));
        }
        figures.extend(figure);
    }
    blocks.push(Block::Table(measured(&drawn.figure, r)));
    let about = shown(&drawn.figure, r);
    let about = about.iter().map(|measure| (measure.name.clone(), measure.about.clone()));
    blocks.push(Block::Facts(about.collect()));
    same_scale(&mut figures);
    blocks.extend(figures.into_iter().map(Block::from));
    Ok(blocks)
}

/// `Case 8, delay 50 ms: RED, HSTCP`.
fn title(drawn: &DrawnFigure, row: &RowResult) -> String {
    let chosen: Vec<&str> = row.choose.values().map(String::as_str).collect();
    let variant = variant(&drawn.reproduction, row);
    match row.case.parse::<u32>() {
        Ok(_) => format!("Case {}, {variant}: {}", row.case, chosen.join(", ")),
        Err(_) if chosen.is_empty() => format!("{}, {variant}", row.case),
        // what it chooses says what its name abbreviates
        Err(_) => format!("{}, {variant}", chosen.join(", ")),
    }
}

/// Windows of all rows over one scale, and queues: only so they can be compared.
fn same_scale(figures: &mut [figure::Figure]) {
    fn shared(panel: &Panel) -> bool {
        panel.range.is_none() && (panel.name == "cwnd" || panel.name.starts_with("queue"))
    }
    fn top(panel: &Panel) -> f64 {
        let values = panel.curves.iter().flat_map(|curve| &curve.values);
        let high = values.copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
        // a limit shortly above is worth seeing
        let rules = panel.rules.iter().map(|rule| rule.1).filter(|&rule| rule <= 1.5 * high);
        rules.fold(high, f64::max)
    }
    let mut tops: Vec<(String, f64)> = Vec::new();
    for panel in figures.iter().flat_map(panels).filter(|panel| shared(panel)) {
        match tops.iter_mut().find(|(name, _)| *name == panel.name) {
            Some((_, high)) => *high = high.max(top(panel)),
            None => tops.push((panel.name.clone(), top(panel))),
        }
    }
    for figure in figures {
        let Plot::Panels(plot) = &mut figure.plot else { continue };
        for panel in plot.panels.iter_mut().filter(|panel| shared(panel)) {
            let high = tops.iter().find(|(name, _)| *name == panel.name);
            panel.range = high.filter(|(_, high)| *high > 0.0).map(|(_, high)| (0.0, 1.04 * high));
        }
    }
}

fn panels(figure: &figure::Figure) -> &[Panel] {
    match &figure.plot {
        Plot::Panels(plot) => &plot.panels,
        _ => &[],
    }
}

/// What a sweep measured: a line per place on its axis, a column per case.
fn swept_numbers(figure: &Figure, sweep: &Sweep, r: &Reproduction) -> Table {
    let measure = info(r, &sweep.measure);
    let cases = sweep.cases.iter().map(|CaseId(case)| case.clone());
    let head = std::iter::once(sweep.x.clone()).chain(cases).collect();
    let rows = places(sweep, r).into_iter().map(|x| {
        let value = |CaseId(case): &CaseId| {
            let ours = value(sweep, r, case, x);
            measure.map_or(NONE.to_owned(), |measure| estimate(ours, measure))
        };
        std::iter::once(number(x)).chain(sweep.cases.iter().map(value)).collect()
    });
    table(figure, head, rows)
}

/// The height of a case's bar.
fn height(r: &Reproduction, case: &str, bar: &Bar) -> Option<Estimate> {
    let here = |row: &&RowResult| row.case == case && row.variant == bar.at;
    r.rows.iter().find(here)?.values.get(&bar.measure)?.ours
}

/// The places of its rows on a sweep's axis, ascending.
fn places(sweep: &Sweep, r: &Reproduction) -> Vec<f64> {
    let rows = r.rows.iter().filter(|row| sweep.at.contains(&row.variant));
    let mut places: Vec<f64> = rows.filter_map(|row| row.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// What a sweep measured in a case at a place.
fn value(sweep: &Sweep, r: &Reproduction, case: &str, x: f64) -> Option<Estimate> {
    let here =
        |row: &&RowResult| row.case == case && row.x == Some(x) && sweep.at.contains(&row.variant);
    r.rows.iter().find(here)?.values.get(&sweep.measure)?.ours
}

/// The measures that tell what is to be seen in a figure.
fn shown<'a>(figure: &Figure, r: &'a Reproduction) -> Vec<&'a Measure> {
    figure.show.iter().filter_map(|name| info(r, name)).collect()
}

/// Those of its rows.
fn measured(figure: &Figure, r: &Reproduction) -> Table {
    let shown = shown(figure, r);
    let mut head = vec!["row".to_owned(), "what".to_owned()];
    head.extend(shown.iter().map(|m| {
        let unit = if m.unit.is_empty() { String::new() } else { format!(" {}", m.unit) };
        format!("{}{unit}", m.name)
    }));
    let rows = r.rows.iter().filter(|row| figure.rows.contains(&row.id));
    let rows = rows.map(|row| {
        let chosen: Vec<&str> = row.choose.values().map(String::as_str).collect();
        let cells = shown.iter().map(|measure| {
            let ours = row.values.get(&measure.name).and_then(|cell| cell.ours);
            estimate(ours, measure)
        });
        [row.id.clone(), chosen.join(", ")].into_iter().chain(cells).collect()
    });
    table(figure, head, rows)
}

/// What the paper's text reads off a curve, and what the curve says; else its
/// values at whole powers of ten.
fn points(figure: &Figure, found: &[Curve]) -> Table {
    let over = found.first().map_or("", |curve| curve.over);
    if figure.points.is_empty() {
        let names = found.iter().map(|curve| curve.name.to_owned());
        let head = std::iter::once(over.to_owned()).chain(names).collect();
        let row = |window: f64| {
            let values = found.iter().map(|curve| format!("{:.3}", curve.at(window)));
            std::iter::once(window.to_string()).chain(values).collect()
        };
        return table(figure, head, [10.0, 38.0, 100.0, 1e3, 1e4, 83e3, 1e5].map(row));
    }
    let head = ["curve", over, "paper", "ours"].map(str::to_owned).to_vec();
    let row = |point: &Point| {
        let curve = found.iter().find(|curve| curve.name == point.curve)?;
        let (says, ours) = (number(point.says), curve.at(point.x).round());
        Some(vec![point.curve.clone(), format!("{:e}", point.x), says, number(ours)])
    };
    table(figure, head, figure.points.iter().filter_map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paper;

    #[test]
    fn increase_and_decrease_have_axes_of_their_own_and_responses_share_one() {
        let paper = Paper::find("ghstcp").unwrap();
        let drawn = |id| functions(paper.figures(id).unwrap()[0]).unwrap();
        let (aimd, response) = (drawn("1"), drawn("2"));
        let curves = |figure: &figure::Figure| -> Vec<usize> {
            panels(figure).iter().map(|panel| panel.curves.len()).collect()
        };
        assert_eq!((curves(&aimd), curves(&response)), (vec![1, 1], vec![2]));
        assert!(panels(&response)[0].y.log && !panels(&aimd)[0].y.log);
        assert!(functions(paper.figures("4").unwrap()[0]).is_none());
    }

    #[test]
    fn windows_of_all_rows_share_a_scale_and_round_trips_do_not() {
        let figure = |high: f64| {
            let panel = |name: &str, rules| Panel {
                name: name.to_owned(),
                rules,
                curves: vec![figure::Curve { name: "f".to_owned(), group: 0, values: vec![high] }],
                ..Panel::default()
            };
            let limit = vec![("limit".to_owned(), 125.0), ("max_th".to_owned(), 1_000.0)];
            let panels =
                vec![panel("cwnd", Vec::new()), panel("srtt", Vec::new()), panel("queue", limit)];
            let plot = Plot::Panels(Panels { panels, ..Panels::default() });
            figure::Figure::new("f", "", "", plot, None)
        };
        let mut both = [figure(50.0), figure(100.0)];
        same_scale(&mut both);
        for figure in &both {
            let ranges: Vec<_> = panels(figure).iter().map(|panel| panel.range).collect();
            assert_eq!(ranges, [Some((0.0, 104.0)), None, Some((0.0, 130.0))]);
        }
    }
}
