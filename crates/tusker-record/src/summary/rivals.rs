//! What a flow group loses because of others on its path: its performance alone,
//! beside as many flows of its own kind, and beside the others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GroupSummary, Summary};
use crate::harm::{Better, harm};

/// What a group loses because of another on its path. Each harm is 0 if there is
/// none, 1 if everything is lost, and negative if the other one helped
/// ([`crate::harm`]).
///
/// The value with `own` is the same caused by as many flows of the group's own law:
/// RFC 9743 asks whether a new law does more harm than existing ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Harm {
    /// The group's goodput alone on the path, bit/s.
    pub goodput_alone_bps: Option<f64>,
    /// Its goodput beside as many flows of its own law, bit/s.
    pub goodput_own_bps: Option<f64>,
    /// Harm to its goodput.
    pub harm_goodput: Option<f64>,
    /// The same caused by its own law.
    pub harm_goodput_own: Option<f64>,
    /// Its mean RTT alone, seconds.
    pub rtt_alone_s: Option<f64>,
    /// Its mean RTT beside its own law, seconds.
    pub rtt_own_s: Option<f64>,
    /// Harm to its mean RTT.
    pub harm_rtt: Option<f64>,
    /// The same caused by its own law.
    pub harm_rtt_own: Option<f64>,
    /// Its loss rate alone.
    pub loss_alone: Option<f64>,
    /// Its loss rate beside its own law.
    pub loss_own: Option<f64>,
    /// Harm to its loss rate.
    pub harm_loss: Option<f64>,
    /// The same caused by its own law.
    pub harm_loss_own: Option<f64>,
}

impl Harm {
    /// The names of these measures, for conditions and claims.
    pub const MEASURES: [&str; 6] = [
        "harm_goodput",
        "harm_goodput_own",
        "harm_rtt",
        "harm_rtt_own",
        "harm_loss",
        "harm_loss_own",
    ];

    /// What a group loses `beside` another, given its results `alone` and beside
    /// its `own` kind, all on the same path.
    pub fn of(alone: &GroupSummary, own: &GroupSummary, beside: &GroupSummary) -> Self {
        let mean = |group: &GroupSummary, name: &str| {
            let found = group.measured.iter().find(|(known, _)| *known == name);
            found.and_then(|(_, value)| value.as_ref()).map(|value| value.mean)
        };
        // a group that never lost a packet has a rate of 0, one that sent none has no rate
        let three = |name: &str, better| {
            let [alone, own, beside] = [alone, own, beside].map(|group| mean(group, name));
            let by = |other: Option<f64>| harm(better, alone?, other?);
            (alone, own, by(beside), by(own))
        };
        let goodput = three("goodput_bps", Better::More);
        let rtt = three("rtt_mean_s", Better::Less);
        let loss = three("loss_rate", Better::Less);
        Self {
            goodput_alone_bps: goodput.0,
            goodput_own_bps: goodput.1,
            harm_goodput: goodput.2,
            harm_goodput_own: goodput.3,
            rtt_alone_s: rtt.0,
            rtt_own_s: rtt.1,
            harm_rtt: rtt.2,
            harm_rtt_own: rtt.3,
            loss_alone: loss.0,
            loss_own: loss.1,
            harm_loss: loss.2,
            harm_loss_own: loss.3,
        }
    }

    /// The measures, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> {
        let values = [
            self.harm_goodput,
            self.harm_goodput_own,
            self.harm_rtt,
            self.harm_rtt_own,
            self.harm_loss,
            self.harm_loss_own,
        ];
        Self::MEASURES.into_iter().zip(values)
    }
}

impl Summary {
    /// Fills in what the last group of this experiment loses because of the others:
    /// `alone` has it alone, `own` beside as many flows of its own law. Does
    /// nothing if one of them is empty.
    pub fn note_harm(&mut self, alone: &Self, own: &Self) {
        let (Some(alone), Some(own)) = (alone.groups.last(), own.groups.last()) else { return };
        if let Some(group) = self.groups.last_mut() {
            group.harm = Some(Harm::of(alone, own, group));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::summary::View;

    /// The second group with this goodput and loss; its window has 10 s.
    fn group(delivered: u64, dropped: u64, rtt_ms: u64) -> GroupSummary {
        let plan = example::plan();
        let view = View::new(&plan);
        let mut run = example::run(1);
        run.flows[1].delivered = delivered;
        (run.flows[1].dropped, run.flows[1].arrived) = (dropped, 1_000 - dropped);
        run.flows[1].rtt = Default::default();
        run.flows[1].rtt.record(rtt_ms * 1_000_000);
        let summary = Summary::of("e", &view, 1, &[view.replicate(1, &run)]);
        summary.groups.last().unwrap().clone()
    }

    #[test]
    fn harm_to_goodput_delay_and_loss_by_hand() {
        let (alone, own) = (group(1_000, 0, 20), group(500, 10, 40));
        let harm = Harm::of(&alone, &own, &group(100, 10, 80));
        // of 1000 segments 100 are left, of its own kind 500 were
        assert!((harm.harm_goodput.unwrap() - 0.9).abs() < 1e-12, "{harm:?}");
        assert!((harm.harm_goodput_own.unwrap() - 0.5).abs() < 1e-12, "{harm:?}");
        // 20 ms became 80, and 40 beside its own
        assert!((harm.harm_rtt.unwrap() - 0.75).abs() < 1e-12, "{harm:?}");
        assert!((harm.harm_rtt_own.unwrap() - 0.5).abs() < 1e-12, "{harm:?}");
        // nothing was lost alone
        assert_eq!((harm.harm_loss, harm.harm_loss_own), (Some(1.0), Some(1.0)));
        let harm = Harm::of(&alone, &group(500, 0, 40), &group(1_250, 0, 80));
        assert!((harm.harm_goodput.unwrap() + 0.25).abs() < 1e-12, "it helped: {harm:?}");
        assert_eq!((harm.harm_loss, harm.harm_loss_own), (None, None), "there is no loss at all");
        assert_eq!(harm.iter().count(), Harm::MEASURES.len());
    }
}
