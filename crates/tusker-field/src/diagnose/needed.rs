//! The value that each cause needs: by formula where there is one, then by simulations that
//! come nearer to the measured goodput.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tusker_measure::response::response_in_linux;
use tusker_scenario::Limit;

use super::Cause;
use super::question::PAYLOAD;
use super::simulate::{Bench, Case, MOST, Simulated};
use crate::Mistake;

/// A cause, the value that it needs, and a simulation with it.
type Found = (Cause, Option<f64>, Option<Simulated>);

/// The value that a cause needs, and a simulation with it.
type Value = (Option<f64>, Option<Simulated>);

/// Causes that are simulated at the same time.
const THREADS: usize = 4;
/// Simulations of a cause, at most.
const STEPS: usize = 6;
/// Nearer than this, as a logarithm, no further value is tried.
const CLOSE: f64 = 0.03;
/// Losses in a simulation of a long transfer, if that is not too long.
const LOSSES: f64 = 20.0;
/// With fewer losses in a run, several runs are averaged.
const FEW: f64 = 50.0;
/// The most other flows.
const MOST_FLOWS: f64 = 128.0;

/// All causes; `None` if it was stopped.
pub(super) fn all(bench: &Bench<'_>, unlimited: &Simulated) -> Result<Option<Vec<Found>>, Mistake> {
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Result<Option<Found>, Mistake>>> = Mutex::default();
    let work = || {
        while let Some(&cause) = Cause::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = find(bench, cause, unlimited);
            let found = found.map(|found| found.map(|(value, run)| (cause, value, run)));
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
    all.into_iter().collect()
}

fn find(bench: &Bench<'_>, cause: Cause, unlimited: &Simulated) -> Result<Option<Value>, Mistake> {
    let question = bench.question;
    let goodput = question.measured.goodput_bps;
    let streams = f64::from(question.measured.streams);
    let window = question.window();
    let rate = question.rate.bits_per_sec() as f64;
    let plain = || bench.plain();
    let found = match cause {
        Cause::Host => return Ok(Some((Some(goodput), None))),
        // a long transfer has left it behind
        Cause::Start if question.seconds.is_none() => return Ok(Some((None, None))),
        Cause::Start => {
            let value = length(unlimited, goodput);
            return Ok(Some((value, Some(unlimited.clone()))));
        }
        // where the data waits makes no difference on the path
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
            if question.seconds.is_none() {
                let few = (LOSSES / (guess * per_second)).min(MOST * 8.0 / per_second);
                seconds = seconds.max(few);
            }
            let case = |value: f64| {
                let seeds = if value * per_second * seconds < FEW { 3 } else { 1 };
                Case { loss: value, seconds, seeds, ..plain() }
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
        Cause::Policer => {
            let case = |value: f64| {
                let burst = (value / 8.0 * BURST_S).max(LEAST_BURST);
                Case { policer: Some((value, burst)), ..plain() }
            };
            search(bench, goodput * 1.1, goodput..=rate, 1.0, &case)
        }
        Cause::CompetingFlows => {
            let most = MOST_FLOWS;
            let guess = (streams * (rate * PAYLOAD / 1500.0 / goodput - 1.0)).clamp(1.0, most);
            let case = |value: f64| Case { others: value.round() as u32, ..plain() };
            search(bench, guess.round(), 1.0..=most, -1.0, &case)
        }
    };
    Ok(found?.map(|(value, run)| (Some(value), Some(run))))
}

/// What a policer lets through at once: the rate for this time, and at least so many bytes.
const BURST_S: f64 = 0.01;
const LEAST_BURST: f64 = 15_000.0;

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
    let mut value = guess.clamp(*range.start(), *range.end());
    let mut tried: Vec<f64> = Vec::new();
    for _ in 0..STEPS {
        if tried.iter().any(|own| (own / value - 1.0).abs() < 1e-3) {
            break;
        }
        tried.push(value);
        let Some(run) = bench.run(&case(value))? else { return Ok(None) };
        let off = (run.goodput_bps.max(1.0) / goodput).ln();
        if best.as_ref().is_none_or(|(_, own, _)| off.abs() < own.abs()) {
            best = Some((value, off, run));
        }
        if off.abs() < CLOSE {
            break;
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
        value = next.clamp(*range.start(), *range.end());
    }
    Ok(best.map(|(value, _, run)| (value, run)))
}
