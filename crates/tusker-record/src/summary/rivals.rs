//! What a flow group loses because of others on its path: its performance alone,
//! beside as many flows of its own kind, and beside the others.

use super::{Group, Replicate, Summary};
use crate::harm::{Better, harm};
use crate::stats::Sample;

pub use super::measures::Harm;

impl Harm<Sample> {
    /// What a group loses `beside` another, given its results `alone` and beside its
    /// `own` kind, all on the same path with the same seed.
    pub fn of(alone: &Group<Sample>, own: &Group<Sample>, beside: &Group<Sample>) -> Self {
        // a group that never lost a packet has a rate of 0, one that sent none has no rate
        let by = |better, alone: &Sample, other: &Sample| {
            let both = alone.value.zip(other.value);
            Sample::once(both.and_then(|(alone, other)| harm(better, alone, other)))
        };
        let goodput = |other: &Group<_>| by(Better::More, &alone.goodput_bps, &other.goodput_bps);
        let rtt = |other: &Group<_>| by(Better::Less, &alone.rtt_mean_s, &other.rtt_mean_s);
        let loss = |other: &Group<_>| by(Better::Less, &alone.loss_rate, &other.loss_rate);
        Self {
            goodput_alone_bps: alone.goodput_bps.clone(),
            goodput_own_bps: own.goodput_bps.clone(),
            harm_goodput: goodput(beside),
            harm_goodput_own: goodput(own),
            rtt_alone_s: alone.rtt_mean_s.clone(),
            rtt_own_s: own.rtt_mean_s.clone(),
            harm_rtt: rtt(beside),
            harm_rtt_own: rtt(own),
            loss_alone: alone.loss_rate.clone(),
            loss_own: own.loss_rate.clone(),
            harm_loss: loss(beside),
            harm_loss_own: loss(own),
        }
    }
}

impl Summary {
    /// Fills in what the last group of this experiment, whose replicates are `beside`,
    /// loses because of the others: `alone` has it alone, `own` beside as many flows of
    /// its own law. Replicates with the same seed are compared; does nothing if no seed
    /// is in all three.
    pub fn note_harm(&mut self, beside: &[Replicate], alone: &[Replicate], own: &[Replicate]) {
        let last = |all: &'_ [Replicate], seed: u64| {
            let found = all.iter().find(|replicate| replicate.seed == seed);
            found.and_then(|replicate| replicate.groups.last().cloned())
        };
        let each = beside.iter().filter_map(|replicate| {
            let (seed, group) = (replicate.seed, replicate.groups.last()?);
            Some(Harm::of(&last(alone, seed)?, &last(own, seed)?, group))
        });
        let each: Vec<Harm<Sample>> = each.collect();
        if let Some(group) = self.groups.last_mut().filter(|_| !each.is_empty()) {
            group.harm = Some(Harm::over(&each.iter().collect::<Vec<_>>()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::summary::View;

    /// The second group with this goodput and loss; its window has 10 s.
    fn replicate(seed: u64, delivered: u64, dropped: u64, rtt_ms: u64) -> Replicate {
        let plan = example::plan();
        let view = View::new(&plan);
        let mut run = example::run(seed);
        run.flows[1].delivered = delivered;
        (run.flows[1].dropped, run.flows[1].arrived) = (dropped, 1_000 - dropped);
        run.flows[1].rtt = Default::default();
        run.flows[1].rtt.record(rtt_ms * 1_000_000);
        Replicate { seed, ..view.replicate(seed as u32, &run) }
    }

    fn group(delivered: u64, dropped: u64, rtt_ms: u64) -> Group<Sample> {
        replicate(1, delivered, dropped, rtt_ms).groups.pop().expect("there are two")
    }

    #[test]
    fn harm_to_goodput_delay_and_loss_by_hand() {
        let (alone, own) = (group(1_000, 0, 20), group(500, 10, 40));
        let harm = Harm::of(&alone, &own, &group(100, 10, 80));
        let near = |sample: &Sample, wanted: f64| {
            assert!((sample.value.expect("it has one") - wanted).abs() < 1e-12, "{harm:?}");
        };
        // of 1000 segments 100 are left, of its own kind 500 were
        near(&harm.harm_goodput, 0.9);
        near(&harm.harm_goodput_own, 0.5);
        // 20 ms became 80, and 40 beside its own
        near(&harm.harm_rtt, 0.75);
        near(&harm.harm_rtt_own, 0.5);
        // nothing was lost alone
        assert_eq!((harm.harm_loss.value, harm.harm_loss_own.value), (Some(1.0), Some(1.0)));
        let harm = Harm::of(&alone, &group(500, 0, 40), &group(1_250, 0, 80));
        assert!((harm.harm_goodput.value.unwrap() + 0.25).abs() < 1e-12, "it helped: {harm:?}");
        assert_eq!(harm.harm_loss.value.or(harm.harm_loss_own.value), None, "nothing is lost");
    }

    /// Of 1000 segments 100 are left with one seed, and 300 with the other: 0.9 and 0.7
    /// have the mean 0.8, s = 0.1 sqrt 2, and 12.706 s / sqrt 2 = 1.2706.
    #[test]
    fn harm_has_an_interval_over_replicates_of_one_seed() {
        let plan = example::plan();
        let beside = [replicate(1, 100, 0, 20), replicate(2, 300, 0, 20)];
        // in another order, and one without a partner
        let alone = [replicate(2, 1_000, 0, 20), replicate(1, 1_000, 0, 20)];
        let own = [replicate(3, 9, 0, 20), replicate(1, 500, 0, 20), replicate(2, 500, 0, 20)];
        let mut summary = Summary::of("e", &View::new(&plan), 2, &beside);
        summary.note_harm(&beside, &alone, &own);
        let harm = summary.groups.last().and_then(|group| group.harm.clone()).expect("it is noted");
        let goodput = harm.harm_goodput.expect("it has one");
        assert!((goodput.mean - 0.8).abs() < 1e-12, "{goodput:?}");
        assert!((goodput.ci95.expect("of two") - 1.2706).abs() < 1e-3, "{goodput:?}");
        assert_eq!(goodput.n, 2);
        // a row for each group, of which the last has it
        let csv = Summary::to_csv(std::slice::from_ref(&summary));
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        let at = rows[0].iter().position(|name| *name == "harm_goodput").expect("a column");
        assert_eq!((rows[1][at], rows[2][at], rows[2].len()), ("", "0.8", rows[0].len()));
        let mut summary = Summary::of("e", &View::new(&plan), 2, &beside);
        summary.note_harm(&beside, &alone, &own[..1]);
        assert_eq!(summary.groups.last().and_then(|group| group.harm.clone()), None);
    }
}
