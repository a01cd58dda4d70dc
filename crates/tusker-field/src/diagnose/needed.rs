//! The value that each cause needs: by formula where there is one, then by simulations that
//! come nearer to the measured goodput.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tusker_measure::response::response_in_linux;
use tusker_scenario::Limit;

use super::Cause;
use super::question::PAYLOAD;
use super::simulate::{Bench, Case, MOST_LONG, NEAR, Simulated};
use crate::Mistake;

/// A cause, the value that it needs, and a simulation with it.
#[derive(Clone)]
pub(super) struct Found {
    pub cause: Cause,
    pub needed: Option<f64>,
    /// Bytes that a policer of this rate lets through at once.
    pub burst: Option<f64>,
    pub simulated: Option<Simulated>,
}

/// Causes that are simulated at the same time.
const THREADS: usize = 4;
/// Simulations of a cause, at most, and those of them that are coarse.
const STEPS: usize = 8;
const COARSE_STEPS: usize = 3;
/// Nearer than this, as a logarithm, no further value is tried; of coarse simulations, the next
/// one is complete.
const CLOSE: f64 = 0.03;
const ROUGHLY: f64 = 0.25;
/// Losses in the measured part of a simulation of a long transfer, if that is not too long.
const LOSSES: f64 = 10.0;
/// With fewer losses in a run, several runs are averaged.
const FEW: f64 = 50.0;
/// A goodput that follows from N losses has a standard deviation of this share of 1/sqrt(N) (test
/// `the_spread_over_losses_is_that_of_simulations`).
const PER_LOSS: f64 = 0.5;
/// The most other flows.
const MOST_FLOWS: f64 = 128.0;

/// All causes; `None` if it was stopped.
pub(super) fn all(bench: &Bench<'_>, unlimited: &Simulated) -> Result<Option<Vec<Found>>, Mistake> {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Result<Option<Found>, Mistake>>> = Mutex::default();
    let work = || {
        while let Some(&cause) = ORDER.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = find(bench, cause, unlimited);
            let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            all.push(found);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    thread::scope(|scope| {
        (1..threads).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let all = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let all: Option<Vec<Found>> = all.into_iter().collect::<Result<_, _>>()?;
    Ok(all.map(|mut all| {
        // where the data waits makes no difference on the path
        let window = all.iter().find(|own| own.cause == Cause::ReceiveWindow).cloned();
        all.extend(window.map(|own| Found { cause: Cause::SendBuffer, ..own }));
        all
    }))
}

/// What is searched, that which takes longest first.
const ORDER: [Cause; 8] = [
    Cause::RandomLoss,
    Cause::CompetingFlows,
    Cause::ShallowBuffer,
    Cause::Policer,
    Cause::Application,
    Cause::ReceiveWindow,
    Cause::Start,
    Cause::Host,
];

fn find(bench: &Bench<'_>, cause: Cause, unlimited: &Simulated) -> Result<Option<Found>, Mistake> {
    let question = bench.question;
    let goodput = question.measured.goodput_bps;
    let streams = f64::from(question.measured.streams);
    let window = question.window();
    let rate = question.rate.bits_per_sec() as f64;
    let plain = || bench.plain();
    let told = |needed, simulated| Ok(Some(Found { cause, needed, burst: None, simulated }));
    let found = match cause {
        Cause::Host => return told(Some(goodput), None),
        // a long transfer has left it behind
        Cause::Start if question.seconds.is_none() => return told(None, None),
        Cause::Start => return told(length(unlimited, goodput), Some(unlimited.clone())),
        Cause::ReceiveWindow | Cause::SendBuffer => {
            let case = |value: f64| Case { window: Some(value), ..plain() };
            search(bench, window, PAYLOAD..=16.0 * window, 1.0, &case)
        }
        Cause::Application => {
            let case = |value: f64| Case { app: Some(value / streams), ..plain() };
            search(bench, goodput, goodput..=goodput, 1.0, &case)
        }
        Cause::RandomLoss => {
            let per_second = goodput / 8.0 / PAYLOAD;
            let guess = loss(bench, window / PAYLOAD).unwrap_or(1e-3);
            let mut seconds = bench.seconds;
            // a long transfer begins with the window that it has in the mean
            let ssthresh = question.seconds.is_none().then_some(window / PAYLOAD);
            if ssthresh.is_some() {
                let few = (2.0 * LOSSES / (guess * per_second)).min(MOST_LONG * 8.0 / per_second);
                seconds = seconds.max(few);
            }
            let case = |value: f64| {
                let seeds = if value * per_second * seconds < FEW { 3 } else { 1 };
                Case { loss: value, seconds, seeds, ssthresh, ..plain() }
            };
            search(bench, guess, 1e-10..=0.5, -0.75, &case)
        }
        Cause::ShallowBuffer => {
            let most = question.buffer_packets();
            let case =
                |value: f64| Case { buffer: Limit::Packets(value.round() as u64), ..plain() };
            let guess = (most * (goodput / rate)).clamp(1.0, most.max(1.0));
            search(bench, guess, 1.0..=most.max(1.0), 0.5, &case)
        }
        Cause::Policer => return policer(bench),
        Cause::CompetingFlows => {
            let most = MOST_FLOWS;
            let guess = (streams * (rate * PAYLOAD / 1500.0 / goodput - 1.0)).clamp(1.0, most);
            let case = |value: f64| Case { others: value.round() as u32, ..plain() };
            search(bench, guess.round(), 1.0..=most, -1.0, &case)
        }
    };
    Ok(found?.map(|(needed, run)| Found {
        cause,
        needed: Some(needed),
        burst: None,
        simulated: Some(run),
    }))
}

/// A policer that lets a round trip's worth of its rate through at once, as operators are
/// advised to so that TCP comes near to the rate, or else 10 ms of it. The larger burst stands
/// unless the smaller one fits better, or only its retransmissions come near to the measured ones.
fn policer(bench: &Bench<'_>) -> Result<Option<Found>, Mistake> {
    let question = bench.question;
    let goodput = question.measured.goodput_bps;
    let rate = question.rate.bits_per_sec() as f64;
    let measured = question.measured.retransmits.zip(question.seconds);
    let share = measured.map(|(count, s)| count as f64 * PAYLOAD * 8.0 / goodput / s);
    // of a run: whether it does not fit, and whether its retransmissions are far off
    let rank = |run: &Simulated| {
        let off = |share: f64| ((run.retransmitted + LITTLE) / (share + LITTLE)).ln().abs();
        (!bench.fits(run), share.is_some_and(|share| off(share) > 10_f64.ln()))
    };
    let mut best: Option<(f64, f64, Simulated)> = None;
    for burst_s in [question.rtt.secs().max(BURST_S), BURST_S] {
        let burst = |value: f64| (value / 8.0 * burst_s).max(LEAST_BURST);
        let case = |value: f64| Case { policer: Some((value, burst(value))), ..bench.plain() };
        let found = search(bench, goodput * 1.1, goodput..=rate, 1.0, &case)?;
        let Some((value, run)) = found else { return Ok(None) };
        let better = |own: &(f64, f64, Simulated)| rank(&run) < rank(&own.2);
        if best.as_ref().is_none_or(better) {
            best = Some((value, burst(value), run));
        }
        if best.as_ref().is_some_and(|own| rank(&own.2) == (false, false)) {
            break;
        }
    }
    Ok(best.map(|(value, burst, run)| Found {
        cause: Cause::Policer,
        needed: Some(value),
        burst: Some(burst),
        simulated: Some(run),
    }))
}

/// What a policer lets through at once: the rate for this time, and at least so many bytes.
const BURST_S: f64 = 0.01;
const LEAST_BURST: f64 = 15_000.0;
/// Shares of retransmissions below this are alike.
const LITTLE: f64 = 1e-5;

/// The share of packets whose loss leaves a law this window in segments, by its response
/// function.
pub(super) fn loss(bench: &Bench<'_>, window: f64) -> Option<f64> {
    let question = bench.question;
    let response = |p: f64| response_in_linux(question.kind, p, question.rtt.secs());
    response(1e-6)?;
    // windows fall with losses
    let (mut low, mut high) = (1e-12_f64, 0.5);
    for _ in 0..80 {
        let middle = (low * high).sqrt();
        if response(middle)? > window { low = middle } else { high = middle }
    }
    Some(high)
}

/// The length of a transfer without further limits that comes to this mean goodput.
fn length(unlimited: &Simulated, goodput: f64) -> Option<f64> {
    let mut bits = 0.0;
    for part in &unlimited.intervals {
        let before = (part.from_s, bits);
        bits += part.goodput_bps * (part.to_s - part.from_s);
        if bits / part.to_s >= goodput {
            // within this part it sent evenly: (bits + r t) / (from + t) = goodput
            let rest = goodput * before.0 - before.1;
            let rate = part.goodput_bps - goodput;
            let within = if rate > 0.0 { rest / rate } else { 0.0 };
            return Some(before.0 + within.clamp(0.0, part.to_s - part.from_s));
        }
    }
    None
}

/// Tries values until the simulated goodput is near the measured one. `slope` is how the
/// logarithm of the goodput follows that of the value.
fn search(
    bench: &Bench<'_>,
    guess: f64,
    range: std::ops::RangeInclusive<f64>,
    slope: f64,
    case: &dyn Fn(f64) -> Case,
) -> Result<Option<(f64, Simulated)>, Mistake> {
    let goodput = bench.question.measured.goodput_bps;
    let mut best: Option<(f64, f64, Simulated)> = None;
    // the nearest values with too much and too little goodput
    let mut over: Option<(f64, f64)> = None;
    let mut under: Option<(f64, f64)> = None;
    // values of a count are rounded, so that none is simulated twice
    let whole = |value: f64| {
        let own = case(value);
        own.others > 0 || matches!(own.buffer, Limit::Packets(_))
    };
    let within = |value: f64| {
        let value = if whole(value) { value.round() } else { value };
        value.clamp(*range.start(), *range.end())
    };
    let apart = |run: &Simulated| (run.goodput_bps.max(1.0) / goodput).ln();
    let closeness =
        |case: &Case| if case.loss > 0.0 { noise(bench, case).max(CLOSE) } else { CLOSE };
    let mut value = within(guess);
    let mut tried: Vec<f64> = Vec::new();
    // a coarse run has too few losses, and ends before flows have found their shares
    let first = case(value);
    let slow = first.loss > 0.0 || first.others > 0;
    let mut coarse = bench.question.seconds.is_none() && !slow;
    // of several runs only the first, until one is near
    let mut seeds = 1;
    for step in 0..STEPS {
        if tried.iter().any(|own| (own / value - 1.0).abs() < 1e-3) {
            break;
        }
        tried.push(value);
        let full = case(value);
        let mut own = Case { seeds: seeds.min(full.seeds), ..full.clone() };
        own = if coarse { bench.coarse(own) } else { own };
        let Some(mut run) = bench.run(&own)? else { return Ok(None) };
        let mut off = apart(&run);
        let mut close = closeness(&own);
        if !coarse && own.seeds < full.seeds && off.abs() < close {
            // what the first runs said is not exact enough to stand beside the mean of several
            (best, over, under, seeds) = (None, None, None, full.seeds);
            let Some(mean) = bench.complete(run, &full)? else { return Ok(None) };
            (off, close, run) = (apart(&mean), closeness(&full), mean);
        }
        if coarse {
            // a complete run decides, of this value or of the next
            coarse = off.abs() >= ROUGHLY && step + 1 < COARSE_STEPS;
            if off.abs() < close {
                tried.clear();
                continue;
            }
        } else {
            if best.as_ref().is_none_or(|(_, best, _)| off.abs() < best.abs()) {
                best = Some((value, off, run));
            }
            if off.abs() < close {
                break;
            }
        }
        if off > 0.0 {
            over = Some((value, off));
        } else {
            under = Some((value, off));
        }
        let next = match (over, under) {
            (Some((a, above)), Some((b, below))) => {
                // where the line between the two crosses, not too near to either
                let share = (above / (above - below)).clamp(0.15, 0.85);
                (a.ln() + share * (b.ln() - a.ln())).exp()
            }
            _ => value * (-off / slope).clamp(-3.0, 3.0).exp(),
        };
        value = within(next);
        // of counts, the next one where rounding leads back
        if whole(value) && tried.contains(&value) {
            let up = (off > 0.0) != (slope > 0.0);
            value = within(if up { value + 1.0 } else { value - 1.0 });
        }
        if !coarse && best.is_none() {
            // the complete run may have another result
            (over, under) = (None, None);
            tried.clear();
        }
    }
    let Some((value, _, mut run)) = best else { return Ok(None) };
    if seeds == 1 {
        let Some(mean) = bench.complete(run, &case(value))? else { return Ok(None) };
        run = mean;
    }
    // the goodput jumps over the measured one between two values that are near to each other
    if let (Some((a, above)), Some((b, below))) = (over, under)
        && (a / b).ln().abs() < NEIGHBOURS
    {
        run.most_bps = run.most_bps.max(goodput * above.exp());
        run.least_bps = run.least_bps.min(goodput * below.exp());
    }
    Ok(Some((value, run)))
}

/// Values are neighbours if their logarithms differ by less.
const NEIGHBOURS: f64 = 0.1;

/// How far the goodput of a case with random loss may be from its mean, as a logarithm; what is
/// near fits anyway.
fn noise(bench: &Bench<'_>, case: &Case) -> f64 {
    (PER_LOSS / losses(bench, case).sqrt()).min((1.0 + NEAR).ln())
}

/// Losses in the measured half of the runs of a case, at the measured goodput.
fn losses(bench: &Bench<'_>, case: &Case) -> f64 {
    let packets = bench.question.measured.goodput_bps / 8.0 / PAYLOAD;
    case.loss * packets * case.seconds / 2.0 * case.seeds as f64
}

#[cfg(test)]
mod tests {
    use tusker_sim::Simulator;

    use super::super::{Question, Words};
    use super::*;

    /// The standard deviation of ln(goodput) over 60 seeds, as a share of 1/sqrt(losses), is known
    /// within a tenth (1/sqrt(2 x 59)): 0.40 and 0.53 with 4 and 22 losses of CUBIC, 0.50 with 7
    /// of Reno.
    #[test]
    fn the_spread_over_losses_is_that_of_simulations() {
        for (cc, seconds) in [("cubic-linux", 10.0), ("cubic-linux", 60.0), ("reno", 20.0)] {
            let (rate, rtt, measured) = ("100mbit", "40ms", "15mbit");
            let words = Words { rate, rtt, measured, cc, ..Words::default() };
            let question = Question::read(&words, None).expect("a question");
            let bench = Bench::new(&question, &Simulator, &|| false);
            let window = question.window() / PAYLOAD;
            let loss = loss(&bench, window).expect("both have a response function");
            let case = Case { loss, seconds, ssthresh: Some(window), ..bench.plain() };
            let once = |seed| bench.once(&case, seed).expect("it runs").expect("not stopped");
            let logs: Vec<f64> = (1..=60).map(|seed| once(seed).goodput_bps.ln()).collect();
            let mean = logs.iter().sum::<f64>() / 60.0;
            let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 59.0;
            let spread = (variance * losses(&bench, &case)).sqrt();
            assert!((0.75..=1.25).contains(&(spread / PER_LOSS)), "{cc}: {spread}");
        }
    }
}
