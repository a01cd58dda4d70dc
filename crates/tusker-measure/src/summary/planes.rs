//! One scenario on two planes: simulated and measured results side by side.

use super::{Entry, Group, Link, Summary};
use crate::stats::Estimate;
use crate::table::NONE;

/// How far apart the two may be, as a fraction of the simulated value.
pub const TOLERANCE: f64 = 0.05;

/// A measure on both planes.
#[derive(Clone, Debug)]
pub struct OnPlanes {
    /// The measure.
    pub measure: &'static Entry,
    /// The name of the group or link.
    pub of: String,
    /// The simulated value.
    pub simulated: Option<Estimate>,
    /// The measured one.
    pub measured: Option<Estimate>,
}

/// Heads of [`OnPlanes::cells`].
pub const PLANES_HEAD: [&str; 5] = ["", "simulated", "measured", "difference", "within 5 %"];

impl OnPlanes {
    /// Difference from the simulated value, as a fraction of it; `None` if one of them does not
    /// exist, or if zero was simulated and something else measured.
    pub fn difference(&self) -> Option<f64> {
        let (simulated, measured) = (self.simulated?.mean, self.measured?.mean);
        match simulated {
            _ if simulated == measured => Some(0.0),
            0.0 => None,
            _ => Some(measured / simulated - 1.0),
        }
    }

    /// Whether they differ by at most [`TOLERANCE`]; `None` if one does not exist.
    pub fn within(&self) -> Option<bool> {
        self.simulated.zip(self.measured)?;
        Some(self.difference().is_some_and(|difference| difference.abs() <= TOLERANCE))
    }

    /// As the cells of a row.
    pub fn cells(&self) -> [String; 5] {
        let (unit, suffix) = (self.measure.quantity.shown(), self.measure.suffix());
        let text = |value: Option<Estimate>| {
            unit.estimate(value) + if value.is_some() { suffix } else { "" }
        };
        let difference = self.difference();
        let difference = difference.map_or(NONE.to_owned(), |own| format!("{:+.1} %", 100.0 * own));
        let within = self.within().map_or(NONE, |within| if within { "yes" } else { "no" });
        let what = format!("{} of {}", self.measure.heading, self.of);
        [what, text(self.simulated), text(self.measured), difference, within.to_owned()]
    }
}

/// The measures that both have: goodput, round trips and episodes of each group;
/// utilisation, queue and loss of each bottleneck.
pub fn on_planes(simulated: &Summary, measured: &Summary) -> Vec<OnPlanes> {
    let mut rows = Vec::new();
    for s in &simulated.groups {
        let Some(m) = measured.groups.iter().find(|m| m.name == s.name) else { continue };
        rows.extend(["goodput_bps", "rtt_mean_s", "episodes"].map(|name| OnPlanes {
            measure: Group::entry(name),
            of: s.name.clone(),
            simulated: s.measured.named(name),
            measured: m.measured.named(name),
        }));
    }
    for s in simulated.links.iter().filter(|link| link.bottleneck) {
        let Some(m) = measured.links.iter().find(|m| m.name == s.name) else { continue };
        rows.extend(["utilisation", "queue_mean_pkt", "loss_rate"].map(|name| OnPlanes {
            measure: Link::entry(name),
            of: s.name.clone(),
            simulated: s.measured.named(name),
            measured: m.measured.named(name),
        }));
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
        let rows = on_planes(&summary(&simulated), &summary(&measured));
        let row = |what: &str| rows.iter().find(|row| row.cells()[0] == what).unwrap().clone();
        let goodput = row("goodput of slow");
        assert!((goodput.difference().unwrap() + 0.05).abs() < 1e-12, "{goodput:?}");
        assert_eq!(goodput.cells()[3], "-5.0 %");
        let queue = row("mean queue of R->D");
        assert_eq!((queue.within(), queue.cells()[3].as_str()), (Some(false), "+6.0 %"));
        assert!(queue.cells()[1].ends_with(" pkt"), "{:?}", queue.cells());
        // there are no samples of it
        let rtt = row("mean RTT of slow");
        assert_eq!((rtt.difference(), rtt.within()), (None, None));
        assert_eq!(rtt.cells()[4], "-");
        assert_eq!(row("utilisation of R->D").within(), Some(true));
    }

    #[test]
    fn something_is_not_near_nothing() {
        let mut simulated = example::run(1);
        simulated.flows[1].episodes = 0;
        let rows = on_planes(&summary(&simulated), &summary(&example::run(1)));
        let row = rows.iter().find(|row| row.cells()[0] == "episodes of fast").unwrap();
        assert_eq!((row.difference(), row.within()), (None, Some(false)));
        let same = on_planes(&summary(&simulated), &summary(&simulated));
        let row = same.iter().find(|row| row.cells()[0] == "episodes of fast").unwrap();
        assert_eq!((row.difference(), row.within()), (Some(0.0), Some(true)));
    }
}
