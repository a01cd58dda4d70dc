//! The printed numbers, and values derived from them.

use std::collections::BTreeMap;

use tusker_lab::suite::claims::Operand;
use tusker_measure::condition::Value;

use crate::model::{About, TwoGroups};

/// Values that a paper prints, by row and measure.
#[derive(Clone, Debug, Default)]
pub struct Published {
    printed: BTreeMap<(String, String), Value>,
    derived: BTreeMap<(String, String), Value>,
    /// The text in each column, by row.
    cells: BTreeMap<String, BTreeMap<String, String>>,
}

impl Published {
    /// `text` has the columns that `about` names; both are left out if nothing is printed.
    pub(crate) fn read(text: Option<&str>, about: &About) -> Result<Self, (String, String)> {
        let (text, columns) = match (text, &about.published) {
            (Some(text), Some(columns)) => (text, columns),
            (None, None) => return Ok(Self::default()),
            (Some(_), None) => {
                let help =
                    "write published = { case = \"case\", variant = \"delay\" } in suite.toml";
                return Err(("which columns name a row?".to_owned(), help.to_owned()));
            }
            (None, Some(_)) => {
                let help = "write it, or leave out `published` at the top of suite.toml";
                return Err(("is missing".to_owned(), help.to_owned()));
            }
        };
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let head: Vec<&str> = lines.next().unwrap_or_default().split(',').map(str::trim).collect();
        let needed = [&columns.case, &columns.variant].into_iter().chain(
            about.measures.iter().filter_map(|m| m.published.as_ref()).flat_map(|published| {
                [Some(&published.column), published.ci95.as_ref()].into_iter().flatten()
            }),
        );
        for column in needed {
            if !head.contains(&column.as_str()) {
                let help = format!("its columns are {}", head.join(", "));
                return Err((format!("there is no column `{column}`"), help));
            }
        }
        let mut published = Self::default();
        for (number, line) in lines.enumerate() {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() != head.len() {
                let message = format!("line {} has {} cells", number + 2, cells.len());
                return Err((message, format!("as many cells as the head: {}", head.len())));
            }
            let cells: BTreeMap<&str, &str> = head.iter().copied().zip(cells).collect();
            let id =
                format!("{}@{}", cells[columns.case.as_str()], cells[columns.variant.as_str()]);
            let number_in = |column: &str| {
                let cell = cells[column];
                if cell.is_empty() {
                    return Ok(None);
                }
                cell.parse::<f64>().map(Some).map_err(|_| {
                    let message =
                        format!("line {}, {column}: `{cell}` is not a number", number + 2);
                    (message, "leave a cell empty if the paper has no value".to_owned())
                })
            };
            for measure in &about.measures {
                let Some(from) = &measure.published else { continue };
                let ci95 = match &from.ci95 {
                    Some(column) => number_in(column)?.map(|ci| ci * from.ci95_scale),
                    None => None,
                };
                if let Some(value) = number_in(&from.column)? {
                    let operand = (measure.name.clone(), id.clone());
                    published.printed.insert(operand, Value { value, ci95 });
                }
            }
            if let Some(groups) = &about.two_groups {
                published.derive(&id, cells[columns.case.as_str()], groups);
            }
            let cells = cells.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
            published.cells.insert(id, cells.collect());
        }
        Ok(published)
    }

    /// The printed value of a measure of a row.
    pub fn printed(&self, measure: &str, row: &str) -> Option<Value> {
        self.printed.get(&(measure.to_owned(), row.to_owned())).copied()
    }

    /// The printed value, or one derived from printed values.
    pub fn value(&self, operand: &Operand) -> Option<Value> {
        let key = (operand.measure.clone(), operand.row.to_string());
        self.printed.get(&key).or_else(|| self.derived.get(&key)).copied()
    }

    /// The text in a column of a row.
    pub fn cell(&self, row: &str, column: &str) -> Option<&str> {
        self.cells.get(row)?.get(column).map(String::as_str)
    }

    /// The number of printed rows.
    pub fn rows(&self) -> usize {
        self.cells.len()
    }

    fn derive(&mut self, row: &str, case: &str, groups: &TwoGroups) {
        let printed = |measure: &str| self.printed(measure, row).map(|printed| printed.value);
        let Some((total, fairness)) = printed(&groups.total).zip(printed(&groups.fairness)) else {
            return;
        };
        let ahead = groups.slow_ahead.iter().any(|id| id == case);
        let (slow, fast) = two_groups(
            total * groups.total_scale,
            fairness,
            (groups.slow.fair, groups.fast.fair),
            ahead,
        );
        for (group, value) in [(&groups.slow, slow), (&groups.fast, fast)] {
            let operand = (group.measure.clone(), row.to_owned());
            self.derived.insert(operand, Value { value, ci95: None });
        }
    }
}

/// Throughputs of both groups; see [`TwoGroups`].
fn two_groups(total: f64, fairness: f64, fair: (f64, f64), first_ahead: bool) -> (f64, f64) {
    let k = (2.0 * fairness - 1.0).clamp(0.0, 1.0);
    let r = if k > 0.0 { (1.0 - (1.0 - k * k).sqrt()) / k } else { 0.0 };
    let (a, b) = if first_ahead { (1.0, r) } else { (r, 1.0) };
    let x = total / (fair.0 * a + fair.1 * b);
    (fair.0 * a * x, fair.1 * b * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paper;
    use crate::rows::Row;

    #[test]
    fn two_groups_follow_from_total_and_index() {
        // five flows of 50 and five of 400 with fair 100 and 400: x = 1/2 and 1,
        // F = 7.5^2 / (10 (5/4 + 5)) = 0.9, T = 2250
        let (slow, fast) = two_groups(2250.0, 0.9, (500.0, 2000.0), false);
        assert!((slow - 250.0).abs() < 1e-9 && (fast - 2000.0).abs() < 1e-9, "{slow} {fast}");
        // x = 1 and 1/2: the same F, T = 500 + 1000
        let (slow, fast) = two_groups(1500.0, 0.9, (500.0, 2000.0), true);
        assert!((slow - 500.0).abs() < 1e-9 && (fast - 1000.0).abs() < 1e-9, "{slow} {fast}");
        // one group has everything, or both have the same
        assert_eq!(two_groups(2000.0, 0.5, (500.0, 2000.0), false), (0.0, 2000.0));
        assert_eq!(two_groups(2500.0, 1.0, (500.0, 2000.0), false), (500.0, 2000.0));
    }

    #[test]
    fn published_rows_are_those_of_the_cases() {
        for key in Paper::keys() {
            let paper = Paper::find(key).unwrap();
            let rows = paper.rows();
            let printed = |row: &&Row<'_>| paper.published.cells.contains_key(&row.id());
            let printed: Vec<&Row<'_>> = rows.iter().filter(printed).collect();
            assert_eq!(printed.len(), paper.published.rows(), "{key}");
            for row in printed {
                // where the table has a column for a choice of its cases
                for (what, name) in &row.case.choose {
                    if let Some(cell) = paper.published.cell(&row.id(), what) {
                        assert_eq!(cell, name, "{what} of {}", row.id());
                    }
                }
                if let Some(table) = paper.published.cell(&row.id(), "table") {
                    assert_eq!(table, row.case.table, "{}", row.id());
                }
            }
        }
    }

    #[test]
    fn intervals_of_totals_become_points_of_utilisation() {
        // Table 1, Case 1 at 50 ms: 109.676 Mbit/s of 2.5 Gbit/s are 4.387 points
        let paper = Paper::find("ghstcp").unwrap();
        let printed = paper.published.printed("utilisation", "1@50").unwrap();
        assert_eq!(printed.value, 75.634);
        assert!((printed.ci95.unwrap() - 4.38704).abs() < 1e-9);
    }
}
