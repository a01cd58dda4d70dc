//! What follows the wire: loss and jitter.

use tusker_core::wire::{Jitter, Loss, Spread};
use tusker_core::{Duration, Rng, Time};

/// Loses and delays packets.
#[derive(Debug)]
pub(crate) struct Impairments {
    loss: Loss,
    loss_rng: Rng,
    /// The chain of Gilbert and Elliott is in its bad state.
    bad: bool,
    jitter: Option<Jitter>,
    jitter_rng: Rng,
    /// When the last packet arrives.
    last: Time,
}

impl Impairments {
    pub(crate) fn new(loss: Loss, loss_rng: Rng, jitter: Option<Jitter>, jitter_rng: Rng) -> Self {
        Self { loss, loss_rng, bad: false, jitter, jitter_rng, last: Time::ZERO }
    }

    /// Nothing ever happens here.
    pub(crate) fn is_idle(&self) -> bool {
        self.loss == Loss::NONE && self.jitter.is_none()
    }

    /// The next packet is lost.
    pub(crate) fn loses(&mut self) -> bool {
        match self.loss {
            Loss::Bernoulli(loss) => loss > 0.0 && self.loss_rng.unit() < loss,
            Loss::GilbertElliott { p, r, loss_good, loss_bad } => {
                let turn = if self.bad { r } else { p };
                self.bad ^= self.loss_rng.unit() < turn;
                let loss = if self.bad { loss_bad } else { loss_good };
                loss >= 1.0 || (loss > 0.0 && self.loss_rng.unit() < loss)
            }
        }
    }

    /// The arrival time of a packet that would arrive at `at` without jitter.
    pub(crate) fn delays(&mut self, at: Time) -> Time {
        let Some(Jitter { spread, reorder }) = self.jitter else { return at };
        let at = at + draw(spread, &mut self.jitter_rng);
        if reorder {
            return at;
        }
        self.last = at.max(self.last);
        self.last
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

    fn impairments(loss: Loss, jitter: Option<Jitter>) -> Impairments {
        Impairments::new(loss, Rng::named(3, "loss"), jitter, Rng::named(3, "jitter"))
    }

    #[test]
    fn losses_come_in_bursts_of_one_in_r() {
        // 2 % in bursts of 4. Of 1e6 packets 5,000 bursts begin: the standard
        // error of their mean length, sqrt(12) / sqrt(5000), is 0.05, that of
        // the share about 0.02 sqrt(8 / 20,000) = 0.0004
        let mut impairments = impairments(Loss::bursts(0.02, 4.0), None);
        let (mut lost, mut bursts, mut before) = (0, 0, false);
        for _ in 0..1_000_000 {
            let loses = impairments.loses();
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
        let mut impairments = impairments(loss, None);
        let lost = (0..200_000).filter(|_| impairments.loses()).count();
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
            let mut impairments = impairments(Loss::NONE, Some(Jitter { spread, reorder }));
            let sent = (0..1000).map(|i| Time::from_nanos(i * 100_000));
            let arrived: Vec<Time> = sent.clone().map(|at| impairments.delays(at)).collect();
            assert!(sent.zip(&arrived).all(|(sent, &at)| at >= sent));
            assert_eq!(arrived.is_sorted(), !reorder);
        }
    }
}
