//! A reproduction as CSV.

use std::fmt::Write;

use super::{MeasureInfo, Reproduction, RowVerdict};

impl Reproduction {
    /// One line per row; for every measure the paper's value, ours and the difference,
    /// empty if missing.
    pub fn to_csv(&self) -> String {
        let choose = &self.paper.choose;
        let mut text = format!("table,case,{},{},replicates", choose.join(","), self.paper.variant);
        for MeasureInfo { name, .. } in &self.measures {
            for end in ["paper", "paper_ci95", "ours", "ours_ci95", "difference", "within"] {
                let _ = write!(text, ",{name}_{end}");
            }
        }
        text += ",verdict\n";
        for row in &self.rows {
            let _ = write!(text, "{},{}", row.table, row.case);
            for what in choose {
                let _ = write!(text, ",{}", row.choose.get(what).map_or("", String::as_str));
            }
            let _ = write!(text, ",{},{}", row.variant, row.replicates);
            for MeasureInfo { name, .. } in &self.measures {
                let cell = row.values.get(name).cloned().unwrap_or_default();
                let numbers = [
                    cell.paper.map(|p| p.value),
                    cell.paper.and_then(|p| p.ci95),
                    cell.ours.map(|o| o.mean),
                    cell.ours.and_then(|o| o.ci95),
                    cell.difference,
                ];
                for number in numbers {
                    let _ = write!(text, ",{}", number.map_or(String::new(), |n| n.to_string()));
                }
                let _ = write!(text, ",{}", cell.within.map_or(String::new(), |w| w.to_string()));
            }
            let verdict = match row.verdict {
                RowVerdict::Within => "within",
                RowVerdict::Off => "off",
                RowVerdict::Undecided => "undecided",
                RowVerdict::Open => "open",
            };
            let _ = writeln!(text, ",{verdict}");
        }
        text
    }
}
