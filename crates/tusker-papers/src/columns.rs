//! A reproduction as tables in memory, for further processing.

use serde::Serialize;
use tusker_store::{Columns, Values};

use crate::reproduction::{Cell, ClaimResult, Reproduction, RowResult};

/// One row per row of the paper's tables: which row it is, then for every measure the
/// paper's value and ours, each with half its 95 % interval, the difference, and whether it
/// is within the tolerance (`true`, `false` or nothing), in the paper's units.
pub fn rows(reproduction: &Reproduction) -> Columns {
    let rows = &reproduction.rows;
    let mut table = Columns::default();
    let text = |value: &dyn Fn(&RowResult) -> String| texts(rows.iter().map(value));
    table.0.push(("row".into(), text(&|row| row.id.clone())));
    table.0.push(("table".into(), text(&|row| row.table.clone())));
    table.0.push(("case".into(), text(&|row| row.case.clone())));
    for what in &reproduction.paper.choose {
        let chosen = text(&|row| row.choose.get(what).cloned().unwrap_or_default());
        table.0.push((what.clone().into(), chosen));
    }
    let variant = reproduction.paper.variant.clone();
    table.0.push((variant.into(), text(&|row| row.variant.clone())));
    table.0.push(("x".into(), numbers(rows.iter().map(|row| row.x))));
    let replicates = rows.iter().map(|row| row.replicates as i64).collect();
    table.0.push(("replicates".into(), Values::Int(replicates)));
    for measure in &reproduction.measures {
        let cell = |row: &RowResult| row.values.get(&measure.name).cloned().unwrap_or_default();
        let mut add = |end: &str, value: &dyn Fn(Cell) -> Option<f64>| {
            let values = numbers(rows.iter().map(|row| value(cell(row))));
            table.0.push((format!("{}_{end}", measure.name).into(), values));
        };
        add("paper", &|cell| cell.paper.map(|paper| paper.value));
        add("paper_ci95", &|cell| cell.paper.and_then(|paper| paper.ci95));
        add("ours", &|cell| cell.ours.map(|ours| ours.mean));
        add("ours_ci95", &|cell| cell.ours.and_then(|ours| ours.ci95));
        add("difference", &|cell| cell.difference);
        let within =
            |row: &RowResult| cell(row).within.map_or(String::new(), |within| within.to_string());
        table.0.push((format!("{}_within", measure.name).into(), text(&within)));
    }
    table.0.push(("verdict".into(), text(&|row| name(&row.verdict))));
    table.0.push(("reason".into(), text(&|row| row.reason.clone().unwrap_or_default())));
    table
}

/// One row per claim: what the paper says, whether it holds by our numbers and by the
/// paper's own, and how many comparisons were made.
pub fn claims(reproduction: &Reproduction) -> Columns {
    let claims = &reproduction.claims;
    let mut table = Columns::default();
    let text = |value: &dyn Fn(&ClaimResult) -> String| texts(claims.iter().map(value));
    let count = |value: &dyn Fn(&ClaimResult) -> usize| {
        Values::Int(claims.iter().map(|claim| value(claim) as i64).collect())
    };
    table.0.push(("claim".into(), text(&|claim| claim.id.clone())));
    table.0.push(("place".into(), text(&|claim| claim.place.clone())));
    table.0.push(("says".into(), text(&|claim| claim.says.clone())));
    table.0.push(("verdict".into(), text(&|claim| name(&claim.ours.verdict))));
    table.0.push(("held".into(), count(&|claim| claim.ours.held)));
    table.0.push(("undecided".into(), count(&|claim| claim.ours.undecided)));
    table.0.push(("of".into(), count(&|claim| claim.ours.of)));
    table.0.push(("missing".into(), count(&|claim| claim.ours.missing)));
    table.0.push(("paper_verdict".into(), text(&|claim| name(&claim.paper.verdict))));
    table.0.push(("reason".into(), text(&|claim| claim.reason.clone().unwrap_or_default())));
    table
}

/// Texts; most of them occur more than once.
fn texts(values: impl Iterator<Item = String>) -> Values {
    let mut texts: Vec<String> = Vec::new();
    let rows = values.map(|value| {
        let place = texts.iter().position(|own| *own == value).unwrap_or_else(|| {
            texts.push(value);
            texts.len() - 1
        });
        place as u32
    });
    let rows = rows.collect();
    Values::Text(texts, rows)
}

fn numbers(values: impl Iterator<Item = Option<f64>>) -> Values {
    Values::Float(values.map(|value| value.unwrap_or(f64::NAN)).collect())
}

/// As written in `reproduction.json`.
fn name(verdict: &impl Serialize) -> String {
    let text = serde_json::to_value(verdict).unwrap_or_default();
    text.as_str().unwrap_or_default().to_owned()
}
