//! What a flow group loses because of others on its path. This compares its performance alone,
//! beside as many flows of its own kind (the mean over both groups), and beside the others.

use super::{Group, Replicate, Summary};
use crate::harm::{Better, harm};
use crate::stats::{Sample, mean};

pub use super::measures::Harm;

/// What harm is a loss of; the mean over some groups of one run.
struct Performance {
    goodput: Sample,
    rtt: Sample,
    loss: Sample,
}

impl Performance {
    fn of(groups: &[Group<Sample>]) -> Self {
        let over = |measure: fn(&Group<Sample>) -> &Sample| {
            mean_of(&groups.iter().map(measure).collect::<Vec<_>>())
        };
        Self {
            goodput: over(|group| &group.goodput_bps),
            rtt: over(|group| &group.rtt_mean_s),
            loss: over(|group| &group.loss_rate),
        }
    }
}

/// The mean of samples of one run, batch by batch; of those that have a value.
fn mean_of(samples: &[&Sample]) -> Sample {
    let known: Vec<&Sample> =
        samples.iter().copied().filter(|sample| sample.value.is_some()).collect();
    let values: Vec<f64> = known.iter().filter_map(|sample| sample.value).collect();
    // a measure that has batches has them in every group of a run, and as many
    let count = known.iter().map(|sample| sample.batches.len()).min().unwrap_or(0);
    let batch = |at| mean(&known.iter().map(|sample| sample.batches[at]).collect::<Vec<_>>());
    Sample::batched((!values.is_empty()).then(|| mean(&values)), (0..count).map(batch).collect())
}

impl Harm<Sample> {
    /// What groups lose `beside` others, given the results of one `alone` and beside its
    /// `own` kind, all on the same path with the same seed. Of several groups it is the mean.
    pub fn of(alone: &Group<Sample>, own: &[Group<Sample>], beside: &[Group<Sample>]) -> Self {
        let alone = Performance::of(std::slice::from_ref(alone));
        let (own, beside) = (Performance::of(own), Performance::of(beside));
        // a group that never lost a packet has a rate of 0, one that sent none has no rate
        let by = |better, alone: &Sample, other: &Sample| {
            let both = alone.value.zip(other.value);
            Sample::once(both.and_then(|(alone, other)| harm(better, alone, other)))
        };
        let goodput = |other: &Performance| by(Better::More, &alone.goodput, &other.goodput);
        let rtt = |other: &Performance| by(Better::Less, &alone.rtt, &other.rtt);
        // of a group that loses nothing alone, any loss at all would be all harm
        let loss = |other: &Performance| match alone.loss.value {
            Some(loss) if loss > 0.0 => by(Better::Less, &alone.loss, &other.loss),
            _ => Sample::once(None),
        };
        Self {
            harm_goodput: goodput(&beside),
            harm_goodput_own: goodput(&own),
            harm_rtt: rtt(&beside),
            harm_rtt_own: rtt(&own),
            harm_loss: loss(&beside),
            harm_loss_own: loss(&own),
            goodput_alone_bps: alone.goodput,
            goodput_own_bps: own.goodput,
            rtt_alone_s: alone.rtt,
            rtt_own_s: own.rtt,
            loss_alone: alone.loss,
            loss_own: own.loss,
        }
    }
}

impl Summary {
    /// Fills in what the last group of this experiment, whose replicates are `beside`,
    /// loses because of the others: `alone` has it alone, `own` beside as many flows of
    /// its own law. Replicates with the same seed are compared; does nothing if no seed
    /// is in all three.
    ///
    /// The groups of `own` are the same but for their names, and only chance decides which
    /// of them gets more: the mean over them is taken. If `beside` is that run itself, the
    /// same applies to it.
    pub fn note_harm(&mut self, beside: &[Replicate], alone: &[Replicate], own: &[Replicate]) {
        let groups = |all: &'_ [Replicate], seed: u64| {
            let found = all.iter().find(|replicate| replicate.seed == seed);
            found.map(|replicate| replicate.groups.clone())
        };
        let each = beside.iter().filter_map(|replicate| {
            let (seed, all) = (replicate.seed, replicate.groups.as_slice());
            let (alone, own) = (groups(alone, seed)?, groups(own, seed)?);
            let last = &all[all.len().checked_sub(1)?..];
            let beside = if all == own { all } else { last };
            Some(Harm::of(alone.last()?, &own, beside))
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
        let harm = Harm::of(&alone, &[own], &[group(100, 10, 80)]);
        let near = |sample: &Sample, wanted: f64| {
            assert!((sample.value.expect("it has one") - wanted).abs() < 1e-12, "{harm:?}");
        };
        // of 1000 segments 100 are left, of its own kind 500 were
        near(&harm.harm_goodput, 0.9);
        near(&harm.harm_goodput_own, 0.5);
        // 20 ms became 80, and 40 beside its own
        near(&harm.harm_rtt, 0.75);
        near(&harm.harm_rtt_own, 0.5);
        // nothing was lost alone, so that one packet or many would be a harm of 1
        assert_eq!(harm.harm_loss.value.or(harm.harm_loss_own.value), None);
        // 10 of 1,000 became 40, and 20 beside its own
        let losing = Harm::of(&group(1_000, 10, 20), &[group(500, 20, 40)], &[group(100, 40, 80)]);
        near(&losing.harm_loss, 0.75);
        near(&losing.harm_loss_own, 0.5);
        let harm = Harm::of(&alone, &[group(500, 0, 40)], &[group(1_250, 0, 80)]);
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

    /// Of 1000 segments alone, two groups of one law have 300 and 700, or 100 and 500: they
    /// lose 0.7 and 0.3, or 0.9 and 0.5. The mean of 0.5 and 0.7 is 0.6, whichever is first.
    #[test]
    fn harm_by_its_own_is_the_mean_over_both_groups() {
        let plan = example::plan();
        let both = |seed, one, other| {
            let (first, second) = (replicate(seed, one, 0, 20), replicate(seed, other, 0, 20));
            let groups = [first.groups.last(), second.groups.last()];
            Replicate { groups: groups.into_iter().flatten().cloned().collect(), ..second.clone() }
        };
        let alone = [replicate(1, 1_000, 0, 20), replicate(2, 1_000, 0, 20)];
        let own = [both(1, 300, 700), both(2, 500, 100)];
        // the law under test leaves 200 of 1000
        let other = [both(1, 800, 200), both(2, 800, 200)];
        for (beside, expected) in [(&other, 0.8), (&own, 0.6)] {
            let mut summary = Summary::of("e", &View::new(&plan), 2, beside);
            summary.note_harm(beside, &alone, &own);
            let harm = summary.groups.last().and_then(|group| group.harm.clone()).expect("noted");
            let (harm, own) = (harm.harm_goodput.unwrap(), harm.harm_goodput_own.unwrap());
            assert!((own.mean - 0.6).abs() < 1e-12, "{own:?}");
            // s = 0.1 sqrt 2, and 12.706 s / sqrt 2 = 1.2706
            assert!((own.ci95.expect("of two") - 1.2706).abs() < 1e-3, "{own:?}");
            assert!((harm.mean - expected).abs() < 1e-12, "{harm:?}");
        }
        let one = Harm::of(&group(1_000, 0, 20), &own[0].groups, &[group(300, 0, 20)]);
        let values = [&one.harm_goodput, &one.harm_goodput_own].map(|own| own.value.unwrap());
        assert!((values[0] - 0.7).abs() < 1e-12 && (values[1] - 0.5).abs() < 1e-12, "{one:?}");
        // batch by batch: (1 + 5) / 2 and (3 + 7) / 2
        let (a, b) = (
            Sample::batched(Some(2.0), vec![1.0, 3.0]),
            Sample::batched(Some(6.0), vec![5.0, 7.0]),
        );
        assert_eq!(mean_of(&[&a, &b]), Sample::batched(Some(4.0), vec![3.0, 5.0]));
        assert_eq!(mean_of(&[&a, &Sample::default()]), a);
    }
}
