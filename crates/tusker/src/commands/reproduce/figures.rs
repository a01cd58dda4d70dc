//! Figures: functions as CSV, sweeps as a table, and rows over time as the numbers that
//! describe what the figure shows.

use std::fmt;
use std::path::{Path, PathBuf};

use tusker_measure::stats::Estimate;
use tusker_measure::table::{NONE, Table};
use tusker_papers::paper::{Bar, BarChart, BarPanel, CaseId, Figure, Point, Sweep};
use tusker_papers::reproduction::{MeasureInfo, RowResult};
use tusker_papers::stored::FIGURES;
use tusker_papers::{Reproduction, curves};
use tusker_report::{Page, html};
use tusker_store::folder::{Change, Kind};

use super::{names, text};
use crate::failure::Failure;
use crate::outfile;
use crate::screen::{bold, fit};

/// A table, apart from where it is shown.
pub struct Numbers {
    /// Heads of the columns.
    pub head: Vec<String>,
    /// Cells of the rows.
    pub rows: Vec<Vec<String>>,
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(self.head.clone());
        self.rows.iter().for_each(|row| table.row(row.clone()));
        f.write_str(&fit(&table))
    }
}

/// A figure in words and numbers.
pub fn text(figure: &Figure, reproduction: &Reproduction) -> String {
    let head = bold(&format!("Figure {}: {}", figure.id, figure.title));
    if let Some((found, _)) = figure.curves.as_deref().and_then(curves::named) {
        return format!("{head}\n\n{}", points(figure, &found));
    }
    if let Some(sweep) = &figure.sweep {
        let about = reproduction.measures.iter().find(|m| m.name == sweep.measure);
        let about = about.map_or("", |measure| measure.about.as_str());
        let numbers = swept(sweep, reproduction);
        return format!("{head}\n\n{numbers}\n{}: {about}\n", sweep.measure);
    }
    if let Some(bars) = &figure.bars {
        let (shown, numbers) = barred(bars, reproduction);
        let what = shown.iter().map(|own| format!("{}: {}\n", own.name, own.about));
        return format!("{head}\n\n{numbers}\n{}", what.collect::<String>());
    }
    let (shown, numbers) = measured(figure, reproduction);
    let what = shown.iter().map(|measure| format!("{}: {}\n", measure.name, measure.about));
    format!("{head}\n\n{numbers}\n{}", what.collect::<String>())
}

/// What a sweep measured: a line per place on its axis, a column per case.
pub fn swept(sweep: &Sweep, reproduction: &Reproduction) -> Numbers {
    let measure = reproduction.measures.iter().find(|m| m.name == sweep.measure);
    let cases = sweep.cases.iter().map(|CaseId(case)| case.clone());
    let head = std::iter::once(sweep.x.clone()).chain(cases).collect();
    let rows = places(sweep, reproduction).into_iter().map(|x| {
        let value = |CaseId(case): &CaseId| {
            let ours = value(sweep, reproduction, case, x);
            measure.map_or(NONE.to_owned(), |measure| text::estimate(ours, measure))
        };
        std::iter::once(text::number(x)).chain(sweep.cases.iter().map(value)).collect()
    });
    Numbers { head, rows: rows.collect() }
}

/// What bars show: a line per case, a column per bar; and the measures, each once.
pub fn barred<'a>(chart: &BarChart, r: &'a Reproduction) -> (Vec<&'a MeasureInfo>, Numbers) {
    let bars = || {
        let panels = chart.panels.iter();
        panels.flat_map(|panel| panel.bars.iter().map(move |bar| (panel, bar)))
    };
    let info = |bar: &Bar| r.measures.iter().find(|measure| measure.name == bar.measure);
    let mut shown: Vec<&MeasureInfo> = Vec::new();
    for own in bars().filter_map(|(_, bar)| info(bar)) {
        if !shown.iter().any(|known| known.name == own.name) {
            shown.push(own);
        }
    }
    let names = names::of_bars(chart, r);
    let cell = |case: &str, bar: &Bar| {
        info(bar).map_or(NONE.to_owned(), |own| text::estimate(height(r, case, bar), own))
    };
    // panels of the same bars are told in lines below each other
    let bar_names = |panel: &BarPanel| -> Vec<String> {
        panel.bars.iter().map(|bar| bar.name.clone()).collect()
    };
    let first = chart.panels.first().map(bar_names).unwrap_or_default();
    if chart.panels.iter().all(|own| bar_names(own) == first && !own.title.is_empty()) {
        let head = ["panel", "case"].map(str::to_owned).into_iter().chain(first).collect();
        let rows = chart.panels.iter().flat_map(|panel| {
            let row = |(CaseId(case), name): (&CaseId, &String)| {
                let cells = panel.bars.iter().map(|bar| cell(case, bar));
                [panel.title.clone(), name.clone()].into_iter().chain(cells).collect()
            };
            chart.cases.iter().zip(&names).map(row).collect::<Vec<Vec<String>>>()
        });
        let rows = rows.collect();
        return (shown, Numbers { head, rows });
    }
    let name = |(panel, bar): (&BarPanel, &Bar)| {
        let of = [panel.title.as_str(), &panel.quantity, &bar.measure];
        match of.into_iter().find(|name| !name.is_empty()) {
            Some(of) if chart.panels.len() > 1 => format!("{of}: {}", bar.name),
            _ => bar.name.clone(),
        }
    };
    let head = std::iter::once("case".to_owned()).chain(bars().map(name)).collect();
    let rows = chart.cases.iter().zip(names).map(|(CaseId(case), name)| {
        std::iter::once(name).chain(bars().map(|(_, bar)| cell(case, bar))).collect()
    });
    let rows = rows.collect();
    (shown, Numbers { head, rows })
}

/// The height of a case's bar.
pub fn height(r: &Reproduction, case: &str, bar: &Bar) -> Option<Estimate> {
    let here = |row: &&RowResult| row.case == case && row.variant == bar.at;
    r.rows.iter().find(here)?.values.get(&bar.measure)?.ours
}

/// The places of its rows on a sweep's axis, ascending.
pub fn places(sweep: &Sweep, reproduction: &Reproduction) -> Vec<f64> {
    let rows = reproduction.rows.iter().filter(|row| sweep.at.contains(&row.variant));
    let mut places: Vec<f64> = rows.filter_map(|row| row.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// What a sweep measured in a case at a place.
pub fn value(sweep: &Sweep, r: &Reproduction, case: &str, x: f64) -> Option<Estimate> {
    let here =
        |row: &&RowResult| row.case == case && row.x == Some(x) && sweep.at.contains(&row.variant);
    r.rows.iter().find(here)?.values.get(&sweep.measure)?.ours
}

/// The measures that tell what is to be seen in a figure, and those of its rows.
pub fn measured<'a>(
    figure: &Figure,
    reproduction: &'a Reproduction,
) -> (Vec<&'a MeasureInfo>, Numbers) {
    let info = |name: &String| reproduction.measures.iter().find(|m| m.name == *name);
    let shown: Vec<_> = figure.show.iter().filter_map(info).collect();
    let mut head = vec!["row".to_owned(), "what".to_owned()];
    head.extend(shown.iter().map(|m| {
        let unit = if m.unit.is_empty() { String::new() } else { format!(" {}", m.unit) };
        format!("{}{unit}", m.name)
    }));
    let rows = reproduction.rows.iter().filter(|row| figure.rows.contains(&row.id));
    let rows = rows.map(|row| {
        let chosen: Vec<&str> = row.choose.values().map(String::as_str).collect();
        let cells = shown.iter().map(|measure| {
            let ours = row.values.get(&measure.name).and_then(|cell| cell.ours);
            text::estimate(ours, measure)
        });
        [row.id.clone(), chosen.join(", ")].into_iter().chain(cells).collect()
    });
    let rows = rows.collect();
    (shown, Numbers { head, rows })
}

/// What the paper's text reads off a curve, and what the curve says; else its
/// values at whole powers of ten.
pub fn points(figure: &Figure, found: &[curves::Curve]) -> Numbers {
    let over = found.first().map_or("", |curve| curve.over);
    if figure.points.is_empty() {
        let names = found.iter().map(|curve| curve.name.to_owned());
        let head = std::iter::once(over.to_owned()).chain(names).collect();
        let row = |window: f64| {
            let values = found.iter().map(|curve| format!("{:.3}", curve.at(window)));
            std::iter::once(window.to_string()).chain(values).collect()
        };
        let rows = [10.0, 38.0, 100.0, 1e3, 1e4, 83e3, 1e5].map(row).to_vec();
        return Numbers { head, rows };
    }
    let head = ["curve", over, "paper", "ours"].map(str::to_owned).to_vec();
    let row = |point: &Point| {
        let curve = found.iter().find(|curve| curve.name == point.curve)?;
        let (says, ours) = (text::number(point.says), curve.at(point.x).round());
        Some(vec![point.curve.clone(), format!("{:e}", point.x), says, text::number(ours)])
    };
    Numbers { head, rows: figure.points.iter().filter_map(row).collect() }
}

/// Writes a figure that is a function; what was written.
pub fn write_curves(figure: &Figure, folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let Some((found, range)) = figure.curves.as_deref().and_then(curves::named) else {
        return Ok(None);
    };
    let name = format!("{FIGURES}/figure-{}.csv", figure.id);
    write(folder, &name, &curves::csv(&found, range))?;
    Ok(Some(folder.join(name)))
}

/// Writes a file into the folder of a reproduction, whole or not at all.
pub fn write(folder: &Path, name: &str, content: &str) -> Result<(), Failure> {
    let mut change = Change::begin(folder, Kind::Reproduction)?;
    change.put(name, content.as_bytes())?;
    Ok(change.commit()?)
}

/// Writes a page into such a folder, not over anything else.
pub fn write_page(path: &Path, page: &Page) -> Result<(), Failure> {
    outfile::within(path)?;
    outfile::write(path, outfile::Kind::Page, html::html(page).as_bytes())
}
