//! The throughput that groups would have if the path were shared fairly, beside what they got.

use tusker_measure::summary::{MeasureRef, Owner};
use tusker_plan::fairness::max_min;
use tusker_scenario::Scenario;

use super::{Reproduction, RowResult};
use crate::measure::Measure;
use crate::paper::Paper;

/// Adds the max-min fair shares of groups to the rows that were run, where their
/// throughputs are shown.
pub(super) fn add(paper: &Paper, measures: &[Measure], rows: &mut [RowResult]) {
    let shown = measures.iter().filter(|m| paper.about.beside.contains(&m.name));
    let shown: Vec<(&Measure, &str)> = shown.filter_map(|m| Some((m, group_of(&m.of)?))).collect();
    if shown.is_empty() {
        return;
    }
    for row in rows.iter_mut().filter(|row| row.replicates > 0) {
        let scenario = Scenario::parse("scenario.toml", &paper.scenario, &row.changes);
        let Some(plan) = scenario.ok().and_then(|scenario| scenario.plan().ok()) else { continue };
        let rates = max_min(&plan);
        for (measure, group) in &shown {
            let Some(g) = plan.groups.iter().position(|own| own == *group) else { continue };
            let own = plan.flows.iter().zip(&rates).filter(|(flow, _)| flow.group == g);
            let bps: f64 = own.map(|(_, rate)| rate).sum();
            if let Some(cell) = row.values.get_mut(&measure.name) {
                cell.fair = Some(bps * measure.scale);
            }
        }
    }
}

/// The group of `groups.S1.throughput_bps`.
fn group_of(of: &str) -> Option<&str> {
    match MeasureRef::parse(of)? {
        MeasureRef { of: Owner::Group(group), name: "throughput_bps" } => Some(group),
        _ => None,
    }
}

impl Reproduction {
    /// What is known of the fair share of a measure in these rows: `max-min fair share 500
    /// Mbit/s`, or from which to which it goes.
    pub fn fair_share(&self, measure: &Measure) -> Option<String> {
        let cells = self.rows.iter().filter_map(|row| row.values.get(&measure.name)?.fair);
        let digits = measure.decimals;
        let mut texts: Vec<f64> = cells.collect();
        texts.sort_by(f64::total_cmp);
        let [least, greatest] =
            [texts.first()?, texts.last()?].map(|value| format!("{value:.digits$}"));
        let range = if least == greatest { least } else { format!("{least} to {greatest}") };
        Some(format!("max-min fair share {range} {}", measure.unit).trim_end().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five flows behind 100 Mbit/s and five behind 1 Gbit/s share 2.5 Gbit/s less 60 Mbit/s
    /// of background: 500 Mbit/s, which their links allow, and the other 1,940.
    #[test]
    fn a_group_has_what_its_links_leave_it() {
        let paper = Paper::find("ghstcp").unwrap();
        let recorded = crate::recorded::read(paper.full_csv.as_deref().unwrap(), "delay").unwrap();
        let r = Reproduction::recorded(&paper, &recorded, false);
        let share = |name: &str| r.fair_share(r.measures.iter().find(|m| m.name == name).unwrap());
        assert_eq!(share("s1").as_deref(), Some("max-min fair share 500 Mbit/s"));
        assert_eq!(share("s2").as_deref(), Some("max-min fair share 1940 Mbit/s"));
        assert_eq!(share("utilisation"), None);
    }
}
