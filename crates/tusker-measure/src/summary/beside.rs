//! One scenario on two planes: simulated and measured results side by side.

use super::{GroupSummary, LinkSummary, Summary};
use crate::stats::Estimate;
use crate::table::{NONE, Unit};

/// How far apart the two may be, as a fraction of the simulated value.
pub const TOLERANCE: f64 = 0.05;

/// A measure on both planes.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Measure and owner: `goodput of a`.
    pub what: String,
    /// Simulated, as text with its unit.
    pub simulated: String,
    /// Measured, likewise.
    pub measured: String,
    /// Difference from the simulated value, as a fraction of it; `None` if one of
    /// them does not exist, or if zero was simulated and something else measured.
    pub difference: Option<f64>,
    /// Whether they differ by at most [`TOLERANCE`]; `None` if one does not exist.
    pub within: Option<bool>,
}

/// Heads of [`Beside::cells`].
pub const BESIDE_HEAD: [&str; 5] = ["", "simulated", "measured", "difference", "within 5 %"];

impl Beside {
    fn new(
        what: String,
        unit: Unit,
        simulated: Option<Estimate>,
        measured: Option<Estimate>,
    ) -> Self {
        let both = simulated.zip(measured).map(|(s, m)| (s.mean, m.mean));
        let difference = both.and_then(|(s, m)| match s {
            _ if s == m => Some(0.0),
            0.0 => None,
            _ => Some(m / s - 1.0),
        });
        let within = both.map(|_| difference.is_some_and(|d| d.abs() <= TOLERANCE));
        let (simulated, measured) = (unit.estimate(simulated), unit.estimate(measured));
        Self { what, simulated, measured, difference, within }
    }

    /// As the cells of a row.
    pub fn cells(&self) -> [String; 5] {
        let difference = match (self.difference, self.within) {
            (Some(difference), _) => format!("{:+.1} %", 100.0 * difference),
            _ => NONE.to_owned(),
        };
        let within = self.within.map_or(NONE, |within| if within { "yes" } else { "no" });
        [
            self.what.clone(),
            self.simulated.clone(),
            self.measured.clone(),
            difference,
            within.to_owned(),
        ]
    }
}

/// The measures that both have: goodput, round trips and episodes of each group;
/// utilisation, queue and loss of each bottleneck.
pub fn beside(simulated: &Summary, measured: &Summary) -> Vec<Beside> {
    let mut rows = Vec::new();
    let mut row = |what: String, unit, s, m| rows.push(Beside::new(what, unit, s, m));
    for s in &simulated.groups {
        let Some(m) = measured.groups.iter().find(|m| m.name == s.name) else { continue };
        let of = |what: &str| format!("{what} of {}", s.name);
        let mut add = |what: &str, unit, value: fn(&GroupSummary) -> Option<Estimate>| {
            row(of(what), unit, value(s), value(m));
        };
        add("goodput", Unit::Rate, |g| g.measured.goodput_bps);
        add("mean RTT", Unit::Time, |g| g.measured.rtt_mean_s);
        add("loss episodes", Unit::Count, |g| g.measured.episodes);
    }
    for s in simulated.links.iter().filter(|link| link.bottleneck) {
        let Some(m) = measured.links.iter().find(|m| m.name == s.name) else { continue };
        let of = |what: &str| format!("{what} of {}", s.name);
        let mut add = |what: &str, unit, value: fn(&LinkSummary) -> Option<Estimate>| {
            row(of(what), unit, value(s), value(m));
        };
        add("utilisation", Unit::Percent, |l| l.measured.utilisation);
        add("mean queue (pkt)", Unit::Count, |l| l.measured.queue_mean_pkt);
        add("loss rate", Unit::Probability, |l| l.measured.loss_rate);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::summary::View;
    use tusker_plan::run::Run;

    fn summary(run: &Run) -> Summary {
        let plan = example::plan();
        let view = View::new(&plan);
        Summary::of("e", &view, 1, &[view.replicate(1, run)])
    }

    #[test]
    fn both_planes_stand_beside_each_other_with_what_parts_them() {
        let simulated = example::run(1);
        let mut measured = example::run(1);
        // 49,000 segments were delivered: 5 % less, and 5.01 % less
        measured.flows[0].delivered = 46_550;
        measured.links[2].queue_mean = 31.5 * 1.06;
        measured.flows[0].rtt = Default::default();
        let rows = beside(&summary(&simulated), &summary(&measured));
        let row = |what: &str| rows.iter().find(|row| row.what == what).unwrap().clone();
        let goodput = row("goodput of slow");
        assert!((goodput.difference.unwrap() + 0.05).abs() < 1e-12, "{goodput:?}");
        assert_eq!(goodput.cells()[3], "-5.0 %");
        let queue = row("mean queue (pkt) of R->D");
        assert_eq!((queue.within, queue.cells()[3].as_str()), (Some(false), "+6.0 %"));
        // there are no samples of it
        let rtt = row("mean RTT of slow");
        assert_eq!((rtt.difference, rtt.within), (None, None));
        assert_eq!(rtt.cells()[4], "-");
        assert_eq!(row("utilisation of R->D").within, Some(true));
    }

    #[test]
    fn something_is_not_near_nothing() {
        let mut simulated = example::run(1);
        simulated.flows[1].episodes = 0;
        let rows = beside(&summary(&simulated), &summary(&example::run(1)));
        let row = rows.iter().find(|row| row.what == "loss episodes of fast").unwrap();
        assert_eq!((row.difference, row.within), (None, Some(false)));
        let same = beside(&summary(&simulated), &summary(&simulated));
        let row = same.iter().find(|row| row.what == "loss episodes of fast").unwrap();
        assert_eq!((row.difference, row.within), (Some(0.0), Some(true)));
    }
}
