//! Measures of a claim's rows that are shown beside the measures that the claim compares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Run, value_over};
use super::{Compare, distinct};
use crate::expr::Operand;
use crate::paper::Paper;
use crate::reproduction::Printed;

/// A measure that is shown beside those that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Beside {
    /// The row: `7@50`.
    pub row: String,
    /// The measure: `s1`.
    pub measure: String,
    /// In the paper.
    pub paper: Option<f64>,
    /// Ours, over all seeds together.
    pub ours: Option<Printed>,
}

/// The measures beside the judged ones in the rows that are compared, except those that are
/// compared themselves.
pub(super) fn of(paper: &Paper, own: &[&Run], comparisons: &[Compare]) -> Vec<Beside> {
    let compared = |name: &String| comparisons.iter().any(|one| one.measures.contains(name));
    let rows = distinct(comparisons.iter().flat_map(|one| one.rows.iter().cloned()));
    let mut all = Vec::new();
    for row in rows {
        for measure in paper.about.beside.iter().filter(|name| !compared(name)) {
            let operand = Operand { measure: measure.clone(), row: row.clone() };
            let paper = paper.published.value(&operand).map(|own| own.value);
            let ours = value_over(own, &operand);
            let ours = ours.map(|own| Printed { value: own.value, ci95: own.ci95 });
            all.push(Beside { row: row.clone(), measure: measure.clone(), paper, ours });
        }
    }
    all.retain(|one| one.paper.is_some() || one.ours.is_some());
    all
}
