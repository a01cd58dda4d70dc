//! When flows came to share fairly, and how their round-trip times affect their shares.

use tusker_plan::convergence::counted;
use tusker_plan::fairness::{base_rtt, jain};
use tusker_plan::run::Run;

use super::View;
use crate::stats::Sample;

/// How far from fair is still called so: of two flows one may have (1 + DELTA) / 2 of
/// what both have, and the other the rest.
///
/// This is the delta-fair convergence time that RFC 5166 cites after Bansal,
/// Balakrishnan, Floyd and Shenker, *Dynamic Behavior of Slowly-Responsive Congestion
/// Control Algorithms*, SIGCOMM 2001, as others quote both, which could not be opened;
/// 0.1 is our choice. For n flows it is Jain's index here: shares that
/// deviate from their mean by DELTA (as their standard deviation) have the index
/// 1 / (1 + DELTA^2), and of two flows that is the same.
const DELTA: f64 = 0.1;

/// How many steps fair rates have to last for, at least. What is fair for less may be so
/// by chance, as where one flow overtakes the other.
const HOLD: usize = 10;

/// The same as a share of the time after the last flow started: one in so many steps.
const HOLD_ONE_IN: usize = 10;

/// Round trips that differ by less say nothing about their effect.
const APART: f64 = 1.1;

impl View<'_> {
    /// From when the last flow started until rates were fair and stayed so, seconds; and
    /// whether they ever did, as 1 or 0. They stay fair from a step on if what the flows
    /// got from its begin to the end, all together, is fair as well.
    pub(super) fn convergence(&self, run: &Run) -> (Sample, Sample) {
        let none = || (Sample::once(None), Sample::once(None));
        let Some(steps) = self.steps else { return none() };
        let flows: Vec<usize> = counted(self.plan).collect();
        if flows.iter().any(|&f| run.flows[f].steps.len() != steps.count) {
            return none();
        }
        let last = flows.iter().map(|&f| run.flows[f].start).max().unwrap_or_default();
        let Some(first) = (0..steps.count).find(|&i| steps.begin(i) >= last) else {
            return none();
        };
        let after = steps.count - first;
        let hold = HOLD.max(after.div_ceil(HOLD_ONE_IN));
        if after < hold {
            return none();
        }
        let is_fair = |shares: &[f64]| jain(shares) >= 1.0 / (1.0 + DELTA * DELTA);
        // from the end on, so that what came from each step on is known
        let mut rest = vec![0.0; flows.len()];
        let mut found = None;
        for i in (first..steps.count).rev() {
            let share = |&f: &usize| {
                let bits = self.plan.flows[f].tcp.packet.get() as f64 * 8.0;
                run.flows[f].steps[i] as f64 * bits / self.fair[f]
            };
            let shares: Vec<f64> = flows.iter().map(share).collect();
            rest.iter_mut().zip(&shares).for_each(|(rest, share)| *rest += share);
            if steps.count - i >= hold && is_fair(&shares) && is_fair(&rest) {
                found = Some(i);
            }
        }
        let time = found.map(|i| steps.begin(i + 1).since(last).secs());
        (Sample::once(time), Sample::from(f64::from(u8::from(found.is_some()))))
    }

    /// The exponent k of goodput ~ RTT^-k among flows of one law: the slope of a line
    /// through the logarithms, by least squares within each law.
    pub(super) fn rtt_exponent(&self, run: &Run) -> Sample {
        // by law and round trip: sum of the shares, how many
        let mut classes: Vec<(usize, f64, f64, f64)> = Vec::new();
        let mut laws = Vec::new();
        for f in counted(self.plan).filter(|&f| self.fair[f] > 0.0) {
            let flow = &self.plan.flows[f];
            let law = laws.iter().position(|law| *law == &flow.cc).unwrap_or_else(|| {
                laws.push(&flow.cc);
                laws.len() - 1
            });
            let (rtt, share) = (base_rtt(self.plan, flow), self.goodput(f, run) / self.fair[f]);
            match classes.iter_mut().find(|own| own.0 == law && own.1 == rtt) {
                Some((_, _, sum, count)) => {
                    *sum += share;
                    *count += 1.0;
                }
                None => classes.push((law, rtt, share, 1.0)),
            }
        }
        let (mut above, mut below) = (0.0, 0.0);
        for law in 0..laws.len() {
            let own = classes.iter().filter(|class| class.0 == law);
            let points: Vec<(f64, f64)> =
                own.map(|(_, rtt, sum, count)| (libm::log(*rtt), libm::log(sum / count))).collect();
            let n = points.len() as f64;
            let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
            let (x, y) = (sum_x / n, sum_y / n);
            let most = points.iter().map(|p| (p.0 - points[0].0).abs()).fold(0.0, f64::max);
            if most < libm::log(APART) {
                continue;
            }
            above -= points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>();
            below += points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>();
        }
        // a flow that got nothing has no logarithm
        Sample::once((below > 0.0).then(|| above / below + 0.0).filter(|k| k.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use tusker_core::{Duration, Time};
    use tusker_plan::convergence::Steps;
    use tusker_plan::plan::Plan;

    /// Two flows of equal fair rates and equal round trips, without an end.
    fn two() -> Plan {
        let mut plan = example::plan();
        let (a, b) = plan.flows.split_at_mut(1);
        b[0].route.clone_from(&a[0].route);
        b[0].reverse.clone_from(&a[0].reverse);
        b[0].tcp = a[0].tcp;
        b[0].cc = a[0].cc;
        plan.flows.iter_mut().for_each(|flow| (flow.size, flow.stop) = (None, None));
        plan
    }

    fn run(plan: &Plan, counts: &[[u64; 2]]) -> (Run, Steps) {
        let steps = Steps::of(plan).expect("it is long enough");
        let mut run = example::run(1);
        for (f, flow) in run.flows.iter_mut().enumerate() {
            flow.steps = counts.iter().map(|both| both[f]).collect();
            flow.steps.resize(steps.count, flow.steps[flow.steps.len() - 1]);
        }
        run.flows[0].start = Time::ZERO;
        run.flows[1].start = steps.begin(2);
        (run, steps)
    }

    #[test]
    fn shares_of_54_and_46_are_fair_and_those_of_56_and_44_are_not() {
        let plan = two();
        let view = View::new(&plan);
        // before the second flow starts, nothing counts
        let counts = [[50, 50], [50, 50], [1000, 10], [56, 44], [46, 54], [50, 50]];
        let (run, steps) = run(&plan, &counts);
        let (time, whether) = view.convergence(&run);
        // the step from 4 to 5 is the first, and the flow started at 2
        assert_eq!(time.value, Some(3.0 * steps.length.secs()));
        assert_eq!(whether.value, Some(1.0));
    }

    #[test]
    fn rates_that_were_fair_once_and_then_diverged_did_not_converge() {
        let plan = two();
        let view = View::new(&plan);
        let whether = |counts: &[[u64; 2]]| view.convergence(&run(&plan, counts).0);
        // one flow overtakes the other, and Jain's index ends at 1 / (2 (0.9^2 + 0.1^2))
        let (time, ever) = whether(&[[90, 10], [90, 10], [90, 10], [50, 50], [10, 90]]);
        assert_eq!((time.value, ever.value), (None, Some(0.0)));
        // fair at 2, then 40 steps of 10 and 90, then fair to the end, but for one step
        let count = Steps::of(&plan).expect("it is long enough").count;
        let length = Steps::of(&plan).expect("it is long enough").length.secs();
        // then 50 + 40 * 10 + 50 * (count - 43) is 16 % below the mean
        assert!((90..=100).contains(&count), "{count}");
        let mut counts = vec![[50, 50]; count];
        counts[..2].fill([90, 10]);
        counts[3..43].fill([10, 90]);
        counts[60] = [60, 40];
        let (time, ever) = whether(&counts);
        assert!((time.value.expect("it converged") / length - (44.0 - 2.0)).abs() < 1e-9);
        assert_eq!(ever.value, Some(1.0));
        // what is fair in the last steps alone may be so by chance
        counts.fill([90, 10]);
        counts[count - 9..].fill([50, 50]);
        assert_eq!(whether(&counts).1.value, Some(0.0));
    }

    #[test]
    fn what_never_was_fair_has_no_time_and_says_so() {
        let plan = two();
        let view = View::new(&plan);
        let (mut run, _) = run(&plan, &[[90, 10]]);
        let (time, whether) = view.convergence(&run);
        assert_eq!((time.value, whether.value), (None, Some(0.0)));
        // nobody counted
        run.flows[0].steps.clear();
        let (time, whether) = view.convergence(&run);
        assert_eq!((time.value, whether.value), (None, None));
    }

    /// 40 ms and 80 ms: a quarter of the goodput is 2^-2.
    #[test]
    fn a_quarter_of_the_goodput_at_twice_the_round_trip_is_an_exponent_of_two() {
        let mut plan = two();
        let own = plan.links[plan.flows[1].route[0]].clone();
        plan.links.push(own);
        let last = plan.links.len() - 1;
        plan.flows[1].route[0] = last;
        let (a, b) = (base_rtt(&plan, &plan.flows[0]), base_rtt(&plan, &plan.flows[1]));
        assert!((a - b).abs() < 1e-12);
        // so much longer that it is twice as long
        let delay = plan.links[last].propagation() + Duration::from_secs(a);
        plan.links[last].delay = delay.into();
        let (mut run, _) = run(&plan, &[[50, 50]]);
        run.links.push(Default::default());
        run.flows[0].delivered = 40_000;
        run.flows[1].delivered = 10_000;
        let view = View::new(&plan);
        assert_eq!(view.fair[0], view.fair[1]);
        let found = view.rtt_exponent(&run).value.unwrap();
        assert!((found - 2.0).abs() < 1e-6, "{found}");
        // nothing says it of two laws, or of one round trip
        assert_eq!(View::new(&two()).rtt_exponent(&run).value, None);
        run.flows[1].delivered = 0;
        assert_eq!(view.rtt_exponent(&run).value, None);
    }
}
