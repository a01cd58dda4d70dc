//! One way to do the transfer, simulated until its long-term rate is known.
//!
//! If a run is too short for that, it is continued. Once its start-up phase is over, runs with
//! other seeds are added until the confidence interval is narrow. The cost limit of a row is
//! counted in packets, not in time, so that the answer is the same on every machine.

use std::sync::Arc;

use tusker_core::Kind as _;

use crate::answer::{Basis, Doubt};

use super::growing::{Growing, Path};
use super::measured::Measured;
use super::path::{BINS, Named};
use super::steady::{Mean, drifts, interval, start};
use super::{Way, Work};
use tusker_lab::Trouble;

/// Congestion episodes per connection required in the second half of a run, for a law that
/// grows until a loss: with fewer, the mean depends on the phase of its cycle.
const EPISODES_EACH: f64 = 3.0;

/// The same if others are on the path: it takes several losses of each until the shares
/// settle. From [`EPISODES_EACH`] on the mean is a rough one.
const EPISODES_BESIDE: f64 = 10.0;

/// The minimum over all connections together.
const EPISODES: f64 = 5.0;

/// Round trips in the first run.
const FIRST: f64 = 100.0;

/// Round trips in the shortest run, whatever it costs.
const SHORTEST: f64 = 4.0;

/// Seconds in the first run for laws with their own clock: BBRv1 looks for the shortest
/// round trip every 10 s, BBRv3 every 5 s.
const CLOCKS: f64 = 20.0;

/// Runs with other seeds before a longer run is tried.
const MOST_RUNS: usize = 6;

/// Runs of a whole transfer.
const WHOLE_RUNS: usize = 5;

/// The result.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    pub basis: Basis,
    /// Runs of equal length, each with a seed of its own.
    pub runs: Vec<Arc<Measured>>,
    /// Bins left out at the start of each.
    pub from: usize,
    pub note: Option<Doubt>,
    /// Packets that all its runs cost, the shorter ones before included.
    pub packets: f64,
    /// Set if the cost limit ended it: packets that may be enough.
    pub needs: Option<f64>,
}

/// What is judged: the transfer, or the others if there is no transfer.
pub(super) struct Subject<'a> {
    pub way: Option<&'a Way>,
    /// First estimate of all traffic on the path, simulated packets per second.
    pub packets: f64,
    /// That fills the link.
    pub full: bool,
    /// First estimate of the transfer's own goodput, bits per second.
    pub goodput: f64,
}

enum Verdict {
    /// It contains the whole transfer.
    Whole,
    /// It has reached its long-term mean from this bin on.
    Steady(usize),
    /// It would have to be this many times as long; from this bin on it has a rough mean, if
    /// it has.
    Short(f64, Doubt, Option<usize>),
}

impl Settled {
    /// How much is known.
    pub fn rank(&self) -> u8 {
        match (self.basis, &self.note) {
            (Basis::Nothing | Basis::Estimate | Basis::Unsettled, _) => 0,
            (Basis::Wide, Some(_)) => 1,
            (Basis::Wide, None) => 2,
            (Basis::Steady | Basis::Whole, _) => 3,
        }
    }

    /// It is of a longer run than another, and shows no less.
    fn is_longer(&self, other: Option<&Self>) -> bool {
        other.is_none_or(|other| {
            self.rank() >= other.rank() && self.runs[0].length() > other.runs[0].length()
        })
    }

    /// Payload per second of the transfer, or of the others, in bit/s.
    pub fn rate(&self, others: bool) -> Mean {
        let runs: Vec<Vec<f64>> = self.runs.iter().map(|run| rates(run, others)).collect();
        let rest: Vec<&[f64]> = runs.iter().map(|run| &run[self.from..]).collect();
        interval(&rest)
    }
}

/// Bits per second of each bin.
pub(super) fn rates(run: &Measured, others: bool) -> Vec<f64> {
    let sums = if others { &run.others } else { &run.ours };
    sums.windows(2).map(|pair| (pair[1] - pair[0]) * 8.0 / run.bin).collect()
}

impl Work<'_> {
    /// Simulates until the interval is narrow or the row's cost limit is reached; `first`
    /// stops with the first run that reaches the long-term mean. `done` is called whenever
    /// more is known.
    pub(super) fn settle(
        &self,
        subject: &Subject<'_>,
        first: bool,
        done: &mut dyn FnMut(&Settled),
    ) -> Result<Option<Settled>, Trouble> {
        // the others and the transfer start within a round trip
        let shortest = SHORTEST * self.ask.on.rtt.secs();
        let length = self.first_length(subject, first).max(shortest);
        let path = Path::new(&self.ask.on, subject.way, length)?;
        let mut run = Growing::new(self, &path, 1);
        let mut best: Option<Settled> = None;
        match self.go_on(subject, first, &path, &mut run, &mut best, done) {
            Ok(()) => run.end()?,
            // a partial result is better than none
            Err(Trouble::Interrupted) => {
                let part = run.so_far().map(|part| {
                    let cost = part.cost;
                    self.judged(subject, Arc::new(part), cost).0
                });
                if let Some(part) = part.filter(|part| part.is_longer(best.as_ref())) {
                    best = Some(part);
                }
            }
            Err(trouble) => return Err(trouble),
        }
        Ok(best)
    }

    fn go_on<'a>(
        &'a self,
        subject: &Subject<'_>,
        first: bool,
        path: &'a Path,
        run: &mut Growing<'a>,
        best: &mut Option<Settled>,
        done: &mut dyn FnMut(&Settled),
    ) -> Result<(), Trouble> {
        let cap = self.planner.cost;
        // packets before the run that grows
        let mut spent = 0.0;
        let mut per_second = subject.packets.max(1.0);
        let (mut bins, mut last) = (BINS, 0);
        loop {
            let affordable = path.bins((cap - spent) / per_second);
            if bins > affordable && last > 0 {
                if 2 * affordable < 3 * last {
                    if let Some(best) = best {
                        best.needs = Some(spent + path.seconds(bins) * per_second);
                    }
                    return Ok(());
                }
                bins = affordable;
            }
            last = bins;
            let measured = run.until(bins)?;
            let each = measured.cost;
            per_second = (each / measured.length()).max(1.0);
            let (mut now, longer) = self.judged(subject, measured, spent + each);
            if let Some(factor) = longer {
                bins = (bins as f64 * factor).round() as usize;
                let rough = now.basis == Basis::Wide;
                // a mean that is known with a wide interval is better than none
                if best.as_ref().is_none_or(|best| now.rank() >= best.rank()) {
                    done(&now);
                    *best = Some(now);
                }
                if first && rough {
                    return Ok(());
                }
                continue;
            }
            std::mem::replace(run, Growing::new(self, path, 1)).end()?;
            spent = now.packets;
            loop {
                now.packets = spent;
                if self.is_narrow(&now) {
                    if now.basis == Basis::Wide {
                        now.basis = Basis::Steady;
                    }
                    done(&now);
                    *best = Some(now);
                    return Ok(());
                }
                done(&now);
                *best = Some(now.clone());
                if first {
                    return Ok(());
                }
                let most = if now.basis == Basis::Whole { WHOLE_RUNS } else { MOST_RUNS };
                if now.runs.len() >= most {
                    break;
                }
                if spent + each > cap {
                    now.needs = Some(spent + self.more_runs(&now) * each);
                    *best = Some(now);
                    return Ok(());
                }
                let seed = now.runs.len() as u64 + 1;
                let mut other = Growing::new(self, path, seed);
                let run = other.until(bins)?;
                other.end()?;
                spent += run.cost;
                match (now.basis, self.judge(subject, &run)) {
                    // the transfer is not finished yet
                    (Basis::Whole, Verdict::Steady(_) | Verdict::Short(..)) => break,
                    (_, Verdict::Steady(from)) => now.from = now.from.max(from),
                    // half of it is measured, at least as for the others
                    (_, Verdict::Short(..)) => now.from = now.from.max(run.ours.len() / 2),
                    (_, Verdict::Whole) => {}
                }
                now.runs.push(run);
            }
            if now.basis == Basis::Whole && now.runs.len() >= WHOLE_RUNS {
                return Ok(());
            }
            bins *= 2;
        }
    }

    /// What a run shows that cost so many packets, with all before it; and by what factor it
    /// must be longer, if it must.
    fn judged(
        &self,
        subject: &Subject<'_>,
        run: Arc<Measured>,
        packets: f64,
    ) -> (Settled, Option<f64>) {
        let (basis, from, short) = match self.judge(subject, &run) {
            Verdict::Whole => (Basis::Whole, 0, None),
            Verdict::Steady(from) => (Basis::Wide, from, None),
            Verdict::Short(factor, why, Some(from)) => (Basis::Wide, from, Some((factor, why))),
            Verdict::Short(factor, why, None) => (Basis::Unsettled, 0, Some((factor, why))),
        };
        let note = short.map(|(_, why)| why);
        let settled = Settled { basis, runs: vec![run], from, note, packets, needs: None };
        (settled, short.map(|(factor, _)| factor))
    }

    /// Long enough for the start-up phase and for some losses, or for the whole transfer if
    /// that is short. `first` is satisfied with a rough mean.
    fn first_length(&self, subject: &Subject<'_>, first: bool) -> f64 {
        let on = &self.ask.on;
        let (rtt, cap) = (on.rtt.secs(), self.planner.cost);
        let mut length = (FIRST * rtt).max(0.1);
        let streams = subject.way.map_or(0.0, |way| f64::from(way.streams));
        // on a full link, the queue drops packets as well, and a short run may be enough
        let short = first && subject.full;
        if !self.grows(subject) {
            length = length.max(CLOCKS);
        } else if on.loss > 0.0 {
            let each = if short { EPISODES_EACH } else { self.episodes_each() };
            let wanted = EPISODES.max(each * streams) * 1.5;
            let own = subject.goodput / 8.0 / on.payload();
            length = length.max(2.0 * wanted / (on.loss * own.max(1e-3)));
        }
        if !short {
            length = length.max(self.others_need());
        }
        let affordable = cap / 2.0 / subject.packets.max(1.0);
        length = length.min(affordable);
        let size = self.ask.size.get() as f64;
        if subject.way.is_some() && size / on.payload() / f64::from(on.each) <= self.planner.whole {
            let whole = 1.25 * size * 8.0 / subject.goodput.max(1.0) + 30.0 * rtt;
            length = whole.min(affordable);
        }
        length
    }

    /// Seconds until random loss alone has given the others their losses, if these are rare:
    /// a run that is too short for them is run in vain.
    fn others_need(&self) -> f64 {
        let on = &self.ask.on;
        let segments = self.others_at_loss();
        let count: u32 = on.others.iter().map(|(count, _)| count).sum();
        let wanted = EPISODES.max(EPISODES_EACH * f64::from(count)) * 1.2;
        // with more, it is the queue that drops their packets
        let full = on.segments_per_second();
        let segments = segments.filter(|s| *s > 0.0 && *s < full / 2.0);
        // in the second half of the run
        segments.map_or(0.0, |s| 2.0 * wanted / (on.loss * s))
    }

    /// Segments per second of all others if only random loss limits them; none if that is not
    /// known of one of them.
    pub(super) fn others_at_loss(&self) -> Option<f64> {
        let on = &self.ask.on;
        let each = on.others.iter().map(|(count, law)| {
            let rate =
                self.alone_at_loss(law.kind).filter(|_| law.kind.sheet().grows_until_loss)?;
            Some(f64::from(*count) * rate / 8.0 / on.payload())
        });
        each.sum()
    }

    fn episodes_each(&self) -> f64 {
        if self.ask.on.others.is_empty() { EPISODES_EACH } else { EPISODES_BESIDE }
    }

    fn grows(&self, subject: &Subject<'_>) -> bool {
        self.law(subject).is_some_and(|law| law.kind.sheet().grows_until_loss)
    }

    fn law<'a>(&'a self, subject: &Subject<'a>) -> Option<&'a Named> {
        let first = self.ask.on.others.first().map(|(_, law)| law);
        subject.way.map(|way| &way.law).or(first)
    }

    fn judge(&self, subject: &Subject<'_>, run: &Measured) -> Verdict {
        let alone = subject.way.is_none();
        let size = self.ask.size.get() as f64;
        if !alone && run.took(size).is_some() {
            return Verdict::Whole;
        }
        let others = rates(run, true);
        let (own, also) = match alone {
            true => (others, None),
            false => (rates(run, false), Some(others).filter(|_| !self.ask.on.others.is_empty())),
        };
        let first = also.as_ref().map_or(Some(0), |also| start(also));
        let Some(from) = start(&own).zip(first).map(|(a, b)| a.max(b)) else {
            return Verdict::Short(2.0, Doubt::NotLevelled, None);
        };
        let drifting = drifts(&own[from..], self.ask.until);
        let lacking = |each| self.too_few_losses(subject, run, &own, each);
        if let Some(factor) = lacking(self.episodes_each()) {
            let factor = factor.clamp(1.5, 4.0);
            return match lacking(EPISODES_EACH) {
                None if !drifting => Verdict::Short(factor, Doubt::FewLosses, Some(from)),
                _ => Verdict::Short(factor, Doubt::TooFewLosses, None),
            };
        }
        if drifting {
            return Verdict::Short(2.0, Doubt::Drifting, None);
        }
        Verdict::Steady(from)
    }

    /// By what factor a run must be lengthened to have enough congestion episodes of the
    /// transfer and of the others, so many `each`, for laws that reach their mean only over
    /// several.
    fn too_few_losses(
        &self,
        subject: &Subject<'_>,
        run: &Measured,
        own: &[f64],
        each: f64,
    ) -> Option<f64> {
        let wanted = |streams: u32| EPISODES.max(each * f64::from(streams));
        let lacking = |had: f64, wanted: f64| (had < wanted).then(|| 1.2 * wanted / had.max(0.1));
        let on = &self.ask.on;
        let others: u32 = on.others.iter().map(|(count, _)| count).sum();
        let Some(way) = subject.way else {
            return lacking(run.episodes, wanted(others)).filter(|_| self.grows(subject));
        };
        let grow =
            !on.others.is_empty() && on.others.iter().all(|(_, l)| l.kind.sheet().grows_until_loss);
        let theirs = lacking(run.others_episodes, wanted(others)).filter(|_| grow);
        let ours = lacking(run.episodes, wanted(way.streams))
            .filter(|_| self.grows(subject) && !self.is_held_back(subject, run, own));
        [ours, theirs].into_iter().flatten().reduce(f64::max)
    }

    /// The socket buffer is what limits it.
    fn is_held_back(&self, subject: &Subject<'_>, run: &Measured, own: &[f64]) -> bool {
        let Some(way) = subject.way.filter(|way| !way.enough) else { return false };
        let half = &own[own.len() / 2..];
        let rate = tusker_measure::stats::mean(half) / 8.0;
        rate * run.rtt >= 0.9 * f64::from(way.streams) * way.socket.get() as f64
    }

    /// What is still to be simulated until the interval is narrow, in runs of the present
    /// length: its width falls with the root of what was simulated.
    fn more_runs(&self, now: &Settled) -> f64 {
        let (count, rate) = (now.runs.len() as f64, now.rate(false));
        let ratio = rate.half / (self.ask.until * rate.mean);
        let all = if ratio.is_finite() { (count * ratio * ratio).ceil() } else { count };
        match now.basis {
            Basis::Whole => (all.min(WHOLE_RUNS as f64) - count).max(1.0),
            _ => lengths_to_go(count, all),
        }
    }

    fn is_narrow(&self, now: &Settled) -> bool {
        if now.basis == Basis::Whole {
            let size = self.ask.size.get() as f64;
            let times: Vec<f64> = now.runs.iter().filter_map(|run| run.took(size)).collect();
            let half = tusker_measure::stats::half_width(&times);
            let mean = tusker_measure::stats::mean(&times);
            return times.len() >= 3 && half.is_some_and(|half| half <= self.ask.until * mean);
        }
        let rate = now.rate(false);
        let rate = if rate.mean > 0.0 { rate } else { now.rate(true) };
        now.runs.len() >= 2 && rate.half <= self.ask.until * rate.mean
    }
}

/// What is still to be simulated after `had` runs if `all` runs of this length make the
/// interval narrow: runs are added up to [`MOST_RUNS`]; if these are not enough, all begins
/// anew with runs twice as long, of which half as many are needed, but at least two.
fn lengths_to_go(had: f64, all: f64) -> f64 {
    let most = MOST_RUNS as f64;
    if all <= most {
        return (all - had).max(1.0);
    }
    let (mut sum, mut length) = (most - had, 2.0);
    while all / length > most {
        sum += most * length;
        length *= 2.0;
    }
    sum + (all / length).ceil().max(2.0) * length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of five runs are there: three more. Two of twelve: four more, then six that are
    /// twice as long, 4 + 12. Two of thirteen: four, six of twice the length, which are too
    /// few, and four of four times the length: 4 + 12 + 16.
    #[test]
    fn what_is_to_go_includes_the_longer_runs() {
        assert_eq!([5.0, 12.0, 13.0].map(|all| lengths_to_go(2.0, all)), [3.0, 16.0, 32.0]);
        // there is always one to go
        assert_eq!(lengths_to_go(3.0, 3.0), 1.0);
    }
}
