//! Summaries as CSV: one row per flow group.

use std::fmt::Write;

use super::{Group, Harm, Summary, Transfers};
use crate::csv::{quoted, written};
use crate::doubts::{self, Doubt};

impl Summary {
    /// One row per group of each summary; every measure has a column for its
    /// mean and one for half its 95 % confidence interval, empty if there is
    /// none. Then the same for connections that come and go, what ran it, and how many of the
    /// replicates are invalid.
    pub fn to_csv(summaries: &[Self]) -> String {
        let mut text = "scenario,group,flows,cc,replicates,fair_bps".to_owned();
        for (name, _) in Group::<Option<crate::stats::Estimate>>::default().iter() {
            let _ = write!(text, ",{name},{name}_ci95");
        }
        for (name, _) in Transfers::<Option<crate::stats::Estimate>>::default().iter() {
            let _ = write!(text, ",transfers_{name},transfers_{name}_ci95");
        }
        // of a comparison with rivals alone
        let groups = || summaries.iter().flat_map(|summary| &summary.groups);
        let some_harm = groups().any(|group| group.harm.is_some());
        for name in Harm::ENTRIES.iter().filter(|_| some_harm).map(|entry| entry.name) {
            let _ = write!(text, ",{name},{name}_ci95");
        }
        text += ",utilisation,utilisation_ci95,queue_mean_pkt,queue_mean_pkt_ci95,plane,invalid,doubts\n";
        let no_harm = Harm::default();
        let nothing = Transfers::default();
        for summary in summaries {
            for group in &summary.groups {
                let transfers = summary.transfers.iter().find(|t| t.name == group.name);
                let transfers = transfers.map_or(&nothing, |t| &t.measured);
                let _ = write!(
                    text,
                    "{},{},{},{},{},{}",
                    quoted(&summary.scenario),
                    quoted(&group.name),
                    group.flows,
                    quoted(&group.cc.join(" ")),
                    summary.seeds.len(),
                    digits(group.fair_bps)
                );
                let harm = group.harm.as_ref().unwrap_or(&no_harm);
                let harm = harm.iter().filter(|_| some_harm).map(|(_, estimate)| estimate);
                let own = group.measured.iter().chain(transfers.iter());
                let own = own.map(|(_, estimate)| estimate).chain(harm);
                for estimate in own.chain([&summary.total.utilisation, &summary.queue()]) {
                    text.push(',');
                    if let Some(estimate) = estimate {
                        let _ = write!(text, "{}", digits(estimate.mean));
                    }
                    text.push(',');
                    if let Some(ci95) = estimate.and_then(|estimate| estimate.ci95) {
                        let _ = write!(text, "{}", digits(ci95));
                    }
                }
                let own =
                    |doubt: &&Doubt| doubt.group.as_ref().is_none_or(|own| *own == group.name);
                let own: Vec<Doubt> = summary.doubts.iter().filter(own).cloned().collect();
                let (plane, invalid) = (&summary.plane, summary.invalid.len());
                let _ = writeln!(text, ",{plane},{invalid},{}", doubts::names(&own));
            }
        }
        text
    }
}

impl Summary {
    /// The mean queue of the bottleneck, if there is only one.
    fn queue(&self) -> Option<crate::stats::Estimate> {
        let mut bottlenecks = self.links.iter().filter(|link| link.bottleneck);
        let only = bottlenecks.next().filter(|_| bottlenecks.next().is_none())?;
        only.measured.queue_mean_pkt
    }
}

/// A number to twelve digits: 892265600, where a sum in floating point gives
/// 892265599.9999999.
fn digits(value: f64) -> String {
    written(format!("{value:.11e}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_last_digits_of_floating_point_are_left_out() {
        let cells = [892_265_599.999_999_9, 0.1 + 0.2, 1e-9, 0.0, 12_345_678_901.5];
        let written = cells.map(super::digits);
        assert_eq!(written, ["892265600", "0.3", "1e-9", "0", "12345678901.5"]);
    }
}
