//! Arbitrary numbers as events from a transport to a congestion control: the window must
//! stay finite, at least a segment and at most the limit; never a panic.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tusker_core::congestion::{Kind, Options, RateSample, Signal, SlowStart, Spec};
use tusker_core::spec::Kind as _;
use tusker_core::{Bytes, Duration};

#[path = "../../crates/tusker-core/tests/laws/law_model/mod.rs"]
mod law_model;

use law_model::{Event, More, play};

const MOST_EVENTS: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    // input that ends early is a shorter sequence
    let _ = any_law(&mut Unstructured::new(bytes));
});

fn any_law(u: &mut Unstructured<'_>) -> Result<()> {
    let kind = *u.choose(Kind::ALL)?;
    let mut given = Vec::new();
    for param in kind.sheet().params {
        if u.arbitrary()? {
            let value = param.min + share(u)? * (param.max - param.min);
            given.push((param.name, value.min(param.max)));
        }
    }
    let spec = Spec::with(kind, given).expect("inside their ranges");
    let options = options(u)?;
    let mut events = Vec::new();
    while !u.is_empty() && events.len() < MOST_EVENTS {
        events.push(event(u)?);
    }
    play(&spec, &options, &events);
    Ok(())
}

/// From 0 to 1, both included.
fn share(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u.arbitrary::<u16>()?) / f64::from(u16::MAX))
}

fn options(u: &mut Unstructured<'_>) -> Result<Options> {
    Ok(Options {
        initial_window: f64::from(u.int_in_range(1..=200_000_u32)?),
        initial_ssthresh: match u.arbitrary()? {
            true => f64::INFINITY,
            false => f64::from(u.int_in_range(0..=100_000_u32)?),
        },
        max_window: match u.arbitrary()? {
            true => f64::INFINITY,
            false => f64::from(u.int_in_range(1..=1_000_000_u32)?),
        },
        slow_start: match u.int_in_range(0..=2)? {
            0 => SlowStart::Standard,
            1 => SlowStart::Limited { max_ssthresh: f64::from(u.int_in_range(2..=10_000_u32)?) },
            _ => SlowStart::HyStartPlusPlus,
        },
        whole_ssthresh: u.arbitrary()?,
        pacing: u.arbitrary::<bool>()?.then(|| Bytes::new(1500)),
    })
}

fn event(u: &mut Unstructured<'_>) -> Result<Event> {
    Ok(match u.int_in_range(0..=9)? {
        0 => Event::Congestion {
            signal: if u.arbitrary()? { Signal::Loss } else { Signal::Mark },
            flight: u.arbitrary()?,
        },
        1 => Event::Recovered,
        2 => Event::Timeout { flight: u.arbitrary()? },
        3 => Event::Undo,
        4 => Event::Idle {
            nanos: u.int_in_range(0..=86_400_000_000_000)?,
            kept: maybe(u, share)?,
        },
        _ => Event::Acks {
            count: u.arbitrary()?,
            credit: f64::from(u.int_in_range(0..=640_u32)?) / 10.0,
            rtt: maybe(u, |u| Ok((u.int_in_range(1_000..=10_000_000_000)?, slope(u)?)))?,
            forward: maybe(u, |u| Ok((u.arbitrary()?, slope(u)?)))?,
            round: u.arbitrary()?,
            limited: u.arbitrary()?,
            more: More {
                lost: u.arbitrary()?,
                marked: u.arbitrary()?,
                rate: maybe(u, rate)?,
                feedback: maybe(u, |u| Ok(f64::from(u.arbitrary::<i32>()?) / 1e3))?,
            },
        },
    })
}

fn maybe<T>(
    u: &mut Unstructured<'_>,
    some: impl FnOnce(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if u.arbitrary()? { some(u).map(Some) } else { Ok(None) }
}

fn slope(u: &mut Unstructured<'_>) -> Result<i64> {
    u.int_in_range(-1_000_000..=1_000_000)
}

fn rate(u: &mut Unstructured<'_>) -> Result<RateSample> {
    Ok(RateSample {
        delivered: u.arbitrary::<u32>()?.max(1),
        interval: Duration::from_nanos(u.int_in_range(1..=10_000_000_000)?),
        prior_delivered: u64::from(u.arbitrary::<u32>()?),
        total_delivered: 0,
        tx_in_flight: u.arbitrary::<u32>()?.max(1),
        lost: u.arbitrary()?,
        app_limited: u.arbitrary()?,
        dispersion: maybe(u, |u| Ok(Duration::from_nanos(u.int_in_range(1..=1_000_000)?)))?,
    })
}
