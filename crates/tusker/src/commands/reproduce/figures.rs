//! Figures: functions as CSV, rows over time as the numbers that tell what is
//! to be seen.

use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr};
use tusker_papers::paper::Figure;
use tusker_papers::{Reproduction, curves};
use tusker_record::table::Table;

use super::text;
use crate::failure::Failure;
use crate::output::bold;

/// A figure in words and numbers.
pub fn text(figure: &Figure, reproduction: &Reproduction) -> String {
    let head = bold(&format!("Figure {}: {}", figure.id, figure.title));
    if let Some((found, _)) = figure.curves.as_deref().and_then(curves::named) {
        return format!("{head}\n\n{}", points(figure, &found));
    }
    let info = |name: &String| reproduction.measures.iter().find(|m| m.name == *name);
    let shown: Vec<_> = figure.show.iter().filter_map(info).collect();
    let mut table = Table::new(["row".to_owned(), "what".to_owned()].into_iter().chain(
        shown.iter().map(|m| {
            let unit = if m.unit.is_empty() { String::new() } else { format!(" {}", m.unit) };
            format!("{}{unit}", m.name)
        }),
    ));
    for row in reproduction.rows.iter().filter(|row| figure.rows.contains(&row.id)) {
        let chosen: Vec<&str> = row.choose.values().map(String::as_str).collect();
        let cells = shown.iter().map(|measure| {
            let ours = row.values.get(&measure.name).and_then(|cell| cell.ours);
            text::estimate(ours, measure.decimals)
        });
        table.row([row.id.clone(), chosen.join(", ")].into_iter().chain(cells));
    }
    let what = shown.iter().map(|measure| format!("{}: {}\n", measure.name, measure.about));
    format!("{head}\n\n{table}\n{}", what.collect::<String>())
}

/// What the paper's text reads off a curve, and what the curve says; else its
/// values at whole powers of ten.
fn points(figure: &Figure, found: &[curves::Curve]) -> String {
    let over = found.first().map_or("", |curve| curve.over);
    if figure.points.is_empty() {
        let mut table = Table::new(
            [over.to_owned()].into_iter().chain(found.iter().map(|c| c.name.to_owned())),
        );
        for window in [10.0, 38.0, 100.0, 1e3, 1e4, 83e3, 1e5] {
            let values = found.iter().map(|curve| format!("{:.3}", curve.at(window)));
            table.row([window.to_string()].into_iter().chain(values));
        }
        return table.to_string();
    }
    let mut table = Table::new(["curve", over, "paper", "ours"]);
    for point in &figure.points {
        let Some(curve) = found.iter().find(|curve| curve.name == point.curve) else { continue };
        table.row([
            point.curve.clone(),
            format!("{:e}", point.x),
            text::number(point.says),
            text::number(curve.at(point.x).round()),
        ]);
    }
    table.to_string()
}

/// Writes a figure that is a function; what was written.
pub fn write_curves(figure: &Figure, folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let Some((found, range)) = figure.curves.as_deref().and_then(curves::named) else {
        return Ok(None);
    };
    let path = folder.join("figures").join(format!("figure-{}.csv", figure.id));
    write(&path, &curves::csv(&found, range))?;
    Ok(Some(path))
}

/// Writes a file, and the folders it is in; whole or not at all.
pub fn write(path: &Path, content: &str) -> Result<(), Failure> {
    let partial = path.with_extension("partial");
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(&partial, content))
        .and_then(|()| std::fs::rename(&partial, path))
        .into_diagnostic()
        .wrap_err_with(|| {
            format!("cannot write {}; give another folder with --out", path.display())
        })
        .map_err(Failure::Other)
}
