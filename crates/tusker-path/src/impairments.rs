//! What follows the wire: propagation, loss and jitter.

use tusker_core::wire::{Loss, Spread};
use tusker_core::{Duration, Rng, Time};

use crate::setup::Setup;
use crate::varying::Current;

/// Loses and delays packets.
#[derive(Debug)]
pub(crate) struct Impairments {
    delay: Current<Duration>,
    loss: Current<Loss>,
    loss_rng: Rng,
    /// The chain of Gilbert and Elliott is in its bad state.
    bad: bool,
    jitter: Current<Option<Spread>>,
    jitter_rng: Rng,
    reorder: bool,
    /// When the last packet arrives.
    last: Time,
}

impl Impairments {
    pub(crate) fn new(setup: &Setup) -> Self {
        Self {
            delay: Current::new(setup.delay.clone()),
            loss: Current::new(setup.loss.clone()),
            loss_rng: setup.loss_rng.clone(),
            bad: false,
            jitter: Current::new(setup.jitter.clone()),
            jitter_rng: setup.jitter_rng.clone(),
            reorder: setup.reorder,
            last: Time::ZERO,
        }
    }

    /// The arrival of a packet that leaves the wire at this time, which does not decrease from
    /// call to call; `None` if it is lost.
    pub(crate) fn arrives(&mut self, leaves: Time) -> Option<Time> {
        let delay = self.delay.at(leaves);
        if self.loses(leaves) {
            return None;
        }
        let at = leaves + delay;
        let at =
            self.jitter.at(leaves).map_or(at, |spread| at + draw(spread, &mut self.jitter_rng));
        if self.reorder {
            return Some(at);
        }
        self.last = at.max(self.last);
        Some(self.last)
    }

    fn loses(&mut self, leaves: Time) -> bool {
        match self.loss.at(leaves) {
            Loss::Bernoulli(loss) => loss > 0.0 && self.loss_rng.unit() < loss,
            Loss::GilbertElliott { p, r, loss_good, loss_bad } => {
                let turn = if self.bad { r } else { p };
                self.bad ^= self.loss_rng.unit() < turn;
                let loss = if self.bad { loss_bad } else { loss_good };
                loss >= 1.0 || (loss > 0.0 && self.loss_rng.unit() < loss)
            }
        }
    }
}

fn draw(spread: Spread, rng: &mut Rng) -> Duration {
    let ns = |span: Duration| span.nanos() as f64;
    let nanos = match spread {
        Spread::Uniform { max } => rng.range(0.0, ns(max)),
        Spread::Normal { mean, sd, max } => loop {
            let nanos = rng.normal(ns(mean), ns(sd));
            if (0.0..=ns(max)).contains(&nanos) {
                break nanos;
            }
        },
        Spread::Exponential { mean, max } => rng.exponential_below(ns(mean), ns(max)),
    };
    Duration::from_nanos(nanos as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::varying::{Step, Varying};

    fn impairments(loss: Loss, jitter: Option<Spread>, reorder: bool) -> Impairments {
        let rate = tusker_core::Rate::from_bits_per_sec(1);
        let plain = crate::setup::plain(rate, Duration::ZERO);
        Impairments::new(&Setup {
            loss: loss.into(),
            jitter: jitter.into(),
            reorder,
            loss_rng: Rng::named(3, "loss"),
            jitter_rng: Rng::named(3, "jitter"),
            ..plain
        })
    }

    /// Steps of values at these milliseconds.
    fn varying<T: Copy>(list: &[(u64, T)]) -> Varying<T> {
        let at = |ms: u64| Time::from_nanos(ms * 1_000_000);
        Varying::steps(list.iter().map(|&(ms, value)| Step { at: at(ms), value }).collect(), None)
    }

    #[test]
    fn losses_come_in_bursts_of_one_in_r() {
        // 2 % in bursts of 4. Of 1e6 packets 5,000 bursts begin: the standard
        // error of their mean length, sqrt(12) / sqrt(5000), is 0.05, that of
        // the share about 0.02 sqrt(8 / 20,000) = 0.0004
        let mut impairments = impairments(Loss::bursts(0.02, 4.0), None, false);
        let (mut lost, mut bursts, mut before) = (0, 0, false);
        for _ in 0..1_000_000 {
            let loses = impairments.loses(Time::ZERO);
            lost += u32::from(loses);
            bursts += u32::from(loses && !before);
            before = loses;
        }
        let share = f64::from(lost) / 1e6;
        assert!((share - 0.02).abs() < 0.0015, "{share}");
        let length = f64::from(lost) / f64::from(bursts);
        assert!((length - 4.0).abs() < 0.2, "{length}");
    }

    #[test]
    fn both_states_can_lose() {
        // a third of the time bad: 1/3 x 0.5 + 2/3 x 0.1 = 0.2333
        let loss = Loss::GilbertElliott { p: 0.1, r: 0.2, loss_good: 0.1, loss_bad: 0.5 };
        let mut impairments = impairments(loss, None, false);
        let lost = (0..200_000).filter(|_| impairments.loses(Time::ZERO)).count();
        let share = lost as f64 / 2e5;
        assert!((share - 0.7 / 3.0).abs() < 0.01, "{share}");
    }

    #[test]
    fn jitter_keeps_its_bounds_and_its_mean() {
        let us = |n: u64| Duration::from_nanos(n * 1000);
        // uniform: half of max; normal, cut 4 deviations off: its mean;
        // exponential cut at its mean m: m (1 - 1/(e - 1)) = 0.41802 m
        for (spread, mean) in [
            (Spread::Uniform { max: us(2000) }, 1000.0),
            (Spread::Normal { mean: us(1000), sd: us(250), max: us(2000) }, 1000.0),
            (Spread::Exponential { mean: us(1000), max: us(1000) }, 418.02),
        ] {
            let max = match spread {
                Spread::Exponential { max, .. } | Spread::Normal { max, .. } => max,
                Spread::Uniform { max } => max,
            };
            let mut rng = Rng::named(1, "spread");
            let draws: Vec<Duration> = (0..100_000).map(|_| draw(spread, &mut rng)).collect();
            assert!(draws.iter().all(|&d| d <= max), "{spread:?}");
            let sum: f64 = draws.iter().map(|d| d.nanos() as f64 / 1000.0).sum();
            assert!((sum / 1e5 - mean).abs() < 8.0, "{spread:?}: {}", sum / 1e5);
        }
    }

    #[test]
    fn order_is_kept_unless_it_may_be_lost() {
        for reorder in [false, true] {
            let spread = Spread::Uniform { max: Duration::from_millis(5) };
            let mut impairments = impairments(Loss::NONE, Some(spread), reorder);
            let sent = (0..1000).map(|i| Time::from_nanos(i * 100_000));
            let arrived: Vec<Time> =
                sent.clone().filter_map(|at| impairments.arrives(at)).collect();
            assert!(sent.zip(&arrived).all(|(sent, &at)| at >= sent));
            assert_eq!((arrived.len(), arrived.is_sorted()), (1000, !reorder));
        }
    }

    /// From 1 to 2 s, bursts of 4 with a loss of 20 %: of 20,000 packets 4,000 are lost, with a
    /// standard error of about 0.4 sqrt(20,000 x 7) = 150.
    #[test]
    fn bursts_may_last_for_a_while() {
        let mut impairments = impairments(Loss::NONE, None, false);
        let steps = [(0, Loss::NONE), (1_000, Loss::bursts(0.2, 4.0)), (2_000, Loss::NONE)];
        impairments.loss = Current::new(varying(&steps));
        let lost = [0, 1, 2].map(|second: u64| {
            let at = |i: u64| Time::from_nanos(second * 1_000_000_000 + i * 50_000);
            (0..20_000).filter(|&i| impairments.arrives(at(i)).is_none()).count()
        });
        assert_eq!((lost[0], lost[2]), (0, 0));
        assert!((3_400..4_600).contains(&lost[1]), "{lost:?}");
    }
}
