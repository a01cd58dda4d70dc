//! A reproduction as CSV.

use std::fmt::Write;

use tusker_lab::suite::claims::Verdict;
use tusker_scenario::Scenario;

use super::{Reproduction, RowResult};
use crate::conclusions::cell;
use crate::measure::Measure;
use crate::recorded::{QUICK, READING, SEED};
use crate::rows::BASE;

impl RowResult {
    /// Its verdict, in tables: `within`, `off`, `undecided` or `open`.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Holds => "within",
            Verdict::DoesNotHold => "off",
            Verdict::Partly | Verdict::Undecided => "undecided",
            Verdict::Open => "open",
        }
    }
}

impl Reproduction {
    /// One line per row; for every measure the paper's value, ours and the difference,
    /// empty if missing. What was run otherwise than the base in full length has a column
    /// at the end: `reading` (with `--set`), `seed` and `quick`.
    pub fn to_csv(&self) -> String {
        let run_with = self.run_with();
        let choose = &self.paper.choose;
        let mut text = format!("table,case,{},{},replicates", choose.join(","), self.paper.variant);
        for Measure { name, .. } in &self.measures {
            for end in ["paper", "paper_ci95", "ours", "ours_ci95", "difference", "within"] {
                let _ = write!(text, ",{name}_{end}");
            }
        }
        text += ",verdict";
        run_with.iter().for_each(|(name, _)| text = format!("{text},{name}"));
        text.push('\n');
        for row in &self.rows {
            let _ = write!(text, "{},{}", row.table, row.case);
            for what in choose {
                let _ = write!(text, ",{}", row.choose.get(what).map_or("", String::as_str));
            }
            let _ = write!(text, ",{},{}", row.variant, row.replicates);
            for Measure { name, .. } in &self.measures {
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
            let _ = write!(text, ",{}", row.word());
            run_with.iter().for_each(|(_, value)| text = format!("{text},{}", cell(value)));
            text.push('\n');
        }
        text
    }

    /// Columns that say with what all rows were run, where that is not the base in full length
    /// with the seed of the paper's scenario.
    fn run_with(&self) -> Vec<(&'static str, String)> {
        let reading = Some(&self.reading.name).filter(|name| *name != BASE);
        let first = self.rows.iter().find_map(|row| row.seeds.first().copied());
        let seed = first.filter(|seed| Some(*seed) != self.paper_seed());
        let columns = [
            reading.map(|name| (READING, name.clone())),
            seed.map(|seed| (SEED, seed.to_string())),
            self.quick.then(|| (QUICK, "true".to_owned())),
        ];
        columns.into_iter().flatten().collect()
    }

    /// The seed of the paper's scenario.
    fn paper_seed(&self) -> Option<u64> {
        let scenario = Scenario::parse("scenario.toml", &self.scenario, &[]).ok()?;
        Some(scenario.seed.unwrap_or(1))
    }
}
