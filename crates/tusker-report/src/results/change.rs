//! Two experiments side by side: the page of `tusker demo`.

use tusker_measure::stats::Estimate;
use tusker_measure::summary::{GroupSummary, Summary};
use tusker_measure::table::{NONE, Unit};

use super::answer::lead;
use super::contest::narrow;
use crate::columns::has_interval;
use crate::page::{Line, Page, Span, Table};

/// Two experiments that differ in one thing: a row per measure, with the difference.
pub fn of_change(before: (&str, &Summary), after: (&str, &Summary)) -> Page {
    let mut table = Table::new("Differences", ["", before.0, after.0, "difference"]);
    let (b, a) = (before.1, after.1);
    let mut row = |name: &str, unit: Unit, b: Option<Estimate>, a: Option<Estimate>| {
        table.intervals |= b.into_iter().chain(a).any(has_interval);
        let text = |own| Span::estimate(unit.estimate(own), own);
        table.row(None, [name.into(), text(b), text(a), difference(unit, b, a).into()]);
    };
    for (b, a) in b.groups.iter().zip(&a.groups) {
        let throughput = |group: &GroupSummary| group.measured.throughput_bps;
        // what is not alike stands in the heads
        let cc = if a.cc == b.cc { format!(" ({})", b.cc.join(", ")) } else { String::new() };
        let name = format!("throughput, {}{cc}", b.name);
        row(&name, Unit::Rate, throughput(b), throughput(a));
    }
    row("throughput, both", Unit::Rate, b.total.throughput_bps, a.total.throughput_bps);
    row("utilisation", Unit::Percent, b.total.utilisation, a.total.utilisation);
    row("  goodput", Unit::Percent, b.total.goodput_utilisation, a.total.goodput_utilisation);
    row("fairness (Jain)", Unit::Index, b.total.jain, a.total.jain);
    for (b, a) in b.groups.iter().zip(&a.groups) {
        let name = format!("  share of fair rate, {}", b.name);
        row(&name, Unit::Index, b.measured.fair_share, a.measured.fair_share);
    }
    row("loss rate", Unit::Probability, b.total.loss_rate, a.total.loss_rate);
    row("retransmissions", Unit::Count, b.total.retransmissions, a.total.retransmissions);
    row("timeouts", Unit::Count, b.total.timeouts, a.total.timeouts);
    let delay = |s: &Summary| narrow(s).and_then(|link| link.measured.queueing_delay_mean_s);
    row("queueing delay", Unit::Time, delay(b), delay(a));
    let index = |summary: &Summary| Unit::Index.estimate(summary.total.jain);
    let text = format!(
        " (Jain's index): {} with {}, {} with {}; difference {}",
        index(b),
        before.0,
        index(a),
        after.0,
        difference(Unit::Index, b.total.jain, a.total.jain)
    );
    let mut answer: Vec<Line> = vec![vec![Span::strong("fairness"), text.into()]];
    if is_chance(b.total.jain, a.total.jain) {
        answer.push(vec!["no clear difference: a longer --duration may show one".into()]);
    }
    let (title, lead) = (format!("{} and {}", before.0, after.0), lead(a, Some(&table)));
    Page { title, lead, answer, table: Some(table), ..Page::default() }
}

/// Whether the interval of their difference contains zero.
fn is_chance(before: Option<Estimate>, after: Option<Estimate>) -> bool {
    before.zip(after).is_some_and(|(before, after)| {
        let half = before.ci95.zip(after.ci95).map(|(a, b)| a.hypot(b));
        half.is_some_and(|half| (after.mean - before.mean).abs() <= half)
    })
}

/// From the first to the second: shares and indices by their difference, the rest as a
/// share of the first. Both are independent, so their intervals add in quadrature.
fn difference(unit: Unit, before: Option<Estimate>, after: Option<Estimate>) -> String {
    let (Some(before), Some(after)) = (before, after) else { return NONE.to_owned() };
    let difference = Estimate {
        mean: after.mean - before.mean,
        ci95: before.ci95.zip(after.ci95).map(|(a, b)| a.hypot(b)),
        ..after
    };
    let relative = |value: f64| value / before.mean;
    match unit {
        Unit::Percent => Unit::Points.difference(Some(difference)),
        Unit::Index => Unit::Index.difference(Some(difference)),
        _ if before.mean == 0.0 => unit.difference(Some(difference)),
        _ => Unit::Percent.difference(Some(Estimate {
            mean: relative(difference.mean),
            ci95: difference.ci95.map(relative),
            ..difference
        })),
    }
}

#[cfg(test)]
mod tests {
    use tusker_measure::stats::Over;

    use super::*;

    fn estimate(mean: f64, half: Option<f64>) -> Option<Estimate> {
        Some(Estimate { mean, ci95: half, n: 4, over: Over::Replicates })
    }

    #[test]
    fn a_difference_is_as_uncertain_as_both_values_together() {
        let text = |unit, before: (f64, f64), after: (f64, f64)| {
            difference(unit, estimate(before.0, Some(before.1)), estimate(after.0, Some(after.1)))
        };
        // 60 -> 270 is + 350 %, and sqrt(9^2 + 40^2) = 41 of 60 are 68.3 %
        assert_eq!(text(Unit::Rate, (60e6, 9e6), (270e6, 40e6)), "+350 ± 68 %");
        // sqrt(0.03^2 + 0.04^2) = 0.05
        assert_eq!(text(Unit::Index, (0.54, 0.03), (0.73, 0.04)), "+0.190 ± 0.050");
        assert_eq!(text(Unit::Percent, (0.9997, 0.0003), (0.9988, 0.0004)), "-0.09 ± 0.05 points");
        // sqrt(0.3^2 + 0.4^2) = 0.5 points, beside which the mean rounds to nothing
        assert_eq!(text(Unit::Percent, (0.5, 0.003), (0.500_001, 0.004)), "0.00 ± 0.50 points");
        assert_eq!(text(Unit::Count, (0.0, 0.0), (4.0, 3.0)), "+4 ± 3");
    }

    #[test]
    fn a_difference_that_chance_may_make_is_called_so() {
        let of = |before: (f64, f64), after: (f64, f64)| {
            is_chance(estimate(before.0, Some(before.1)), estimate(after.0, Some(after.1)))
        };
        // sqrt(0.03^2 + 0.04^2) = 0.05
        assert!(of((0.60, 0.03), (0.64, 0.04)) && of((0.65, 0.04), (0.61, 0.03)));
        assert!(!of((0.60, 0.03), (0.66, 0.04)));
        assert!(!is_chance(estimate(0.5, None), estimate(0.5, None)), "nothing is known of it");
    }

    #[test]
    fn a_single_run_has_a_difference_without_an_interval() {
        let text =
            |unit, before, after| difference(unit, estimate(before, None), estimate(after, None));
        assert_eq!(text(Unit::Count, 200.0, 50.0), "-75.00 %");
        assert_eq!(text(Unit::Count, 50.0, 50.0), "none");
        assert_eq!(text(Unit::Index, 0.5, 0.75), "+0.250");
        assert_eq!(difference(Unit::Index, None, estimate(0.5, None)), NONE);
    }
}
