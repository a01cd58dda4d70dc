//! Summaries as CSV: a row per flow group.

use std::fmt::Write;

use super::{Group, Summary};
use crate::store::quoted;

impl Summary {
    /// One row per group of each summary; every measure has a column for its
    /// mean and one for half its 95 % confidence interval, empty if there is
    /// none.
    pub fn to_csv(summaries: &[Self]) -> String {
        let mut text = "scenario,group,flows,cc,replicates,fair_bps".to_owned();
        for (name, _) in Group::<Option<crate::stats::Estimate>>::default().iter() {
            let _ = write!(text, ",{name},{name}_ci95");
        }
        text.push('\n');
        for summary in summaries {
            for group in &summary.groups {
                let _ = write!(
                    text,
                    "{},{},{},{},{},{}",
                    quoted(&summary.scenario),
                    quoted(&group.name),
                    group.flows,
                    quoted(&group.cc.join(" ")),
                    summary.seeds.len(),
                    group.fair_bps
                );
                for (_, estimate) in group.measured.iter() {
                    text.push(',');
                    if let Some(estimate) = estimate {
                        let _ = write!(text, "{}", estimate.mean);
                    }
                    text.push(',');
                    if let Some(ci95) = estimate.and_then(|estimate| estimate.ci95) {
                        let _ = write!(text, "{ci95}");
                    }
                }
                text.push('\n');
            }
        }
        text
    }
}
