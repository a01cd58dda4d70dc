//! What a law does to its window: the response function in closed form, and increase and
//! decrease as the law itself computes them.

use serde::Deserialize;
use serde_json::{Value, json};
use tusker_core::congestion::{
    Ack, Algorithm, Congestion, Controller as _, Options, Overrule as _, Rtt, Signal, Spec,
};
use tusker_core::{Duration, Need, Time};
use tusker_measure::response::response;

use crate::fault::Fault;
use crate::given::{json, within};
use crate::own::Own;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    law: String,
    /// Parameters that are not at their defaults.
    #[serde(default)]
    parameters: std::collections::BTreeMap<String, f64>,
    /// The reader's law.
    #[serde(default)]
    own: Option<Value>,
    /// Round trips, seconds.
    rtts: Vec<f64>,
    /// Windows, packets.
    windows: Vec<f64>,
    /// Shares of packets lost.
    #[serde(default)]
    losses: Vec<f64>,
    /// The window at a loss, packets, and seconds since then.
    #[serde(default = "loss_window")]
    loss_window: f64,
    #[serde(default)]
    times: Vec<f64>,
}

fn loss_window() -> f64 {
    1_000.0
}

/// The most points of a curve, and the most curves.
const MAX_POINTS: usize = 500;
const MAX_CURVES: usize = 8;

/// ACKs for one round trip at most; of larger windows each stands for several packets.
const MAX_ACKS: f64 = 2_000.0;

/// ACKs for one round trip at most after a loss, and the most round trips.
const MAX_ACKS_AFTER: f64 = 200.0;
const MAX_ROUNDS: usize = 20_000;

/// After a loss, a window is followed until it is so many times that at the loss.
const MOST_GROWTH: f64 = 3.0;

/// `{law, parameters, rtts, windows, losses, loss_window, times}` as `{response, increase,
/// decrease, after_loss}`: for each round trip a list of values, with null where there is none.
pub fn law_curves(input: &str) -> Result<String, Fault> {
    let wanted: Wanted = serde_json::from_value(json(input)?).map_err(|error| {
        let expected = "law, rtts, windows; and perhaps parameters, own, losses";
        Fault::new(error.to_string(), expected, "correct it")
    })?;
    let Wanted { law, parameters, own, rtts, windows, losses, loss_window, times } = &wanted;
    check("rtts", rtts, MAX_CURVES, 1e-6, 1e3)?;
    check("windows", windows, MAX_POINTS, 1.0, 1e7)?;
    check("losses", losses, MAX_POINTS, 1e-12, 1.0)?;
    check("loss_window", &[*loss_window], 1, 1.0, 1e6)?;
    check("times", times, MAX_POINTS, 0.0, 1e3)?;
    let own = own.as_ref().map(Own::read).transpose()?;
    let given = parameters.iter().map(|(name, value)| (name.as_str(), *value));
    let spec = within(own.as_ref(), || Spec::named(law, given)).map_err(|error| {
        let expected = "a law of the catalogue, with its parameters";
        Fault::new(format!("{law}: {error:?}"), expected, "choose another").at("law")
    })?;
    let curves = |of: &dyn Fn(f64) -> Vec<Option<f64>>| -> Vec<Value> {
        rtts.iter().map(|&rtt| json!({ "rtt_s": rtt, "values": of(rtt) })).collect()
    };
    // the formulas are for the defaults
    let defaults = spec == Spec::new(spec.kind());
    let responses = |rtt: f64| -> Vec<Option<f64>> {
        losses.iter().map(|&p| response(spec.kind(), p, rtt).filter(|_| defaults)).collect()
    };
    let steps = |after: fn(&mut Algorithm, f64, f64)| {
        move |rtt: f64| -> Vec<Option<f64>> {
            windows.iter().map(|&w| changed(&spec, w, rtt, after)).collect()
        }
    };
    Ok(json!({
        "law": law,
        "windows": windows,
        "losses": losses,
        "response": curves(&responses),
        "increase": curves(&steps(round_trip)),
        "decrease": curves(&steps(loss)),
        "loss_window": loss_window,
        "times": times,
        "after_loss": curves(&|rtt| after_loss(&spec, *loss_window, rtt, times)),
    })
    .to_string())
}

fn check(place: &str, values: &[f64], most: usize, low: f64, high: f64) -> Result<(), Fault> {
    if values.len() > most || values.iter().any(|value| !(low..=high).contains(value)) {
        let message = format!("{place}: {} values", values.len());
        let expected = format!("at most {most} numbers from {low} to {high}");
        return Err(Fault::new(message, expected, "correct it").at(place));
    }
    Ok(())
}

/// The law with this window, to which it has shrunk just now; `None` if it does not keep one that
/// can be set.
fn set_to(spec: &Spec, w: f64) -> Option<Algorithm> {
    let mut algorithm = Algorithm::new(spec, &Options::default());
    if [Need::RateSamples, Need::RouterFeedback].iter().any(|need| algorithm.needs(*need)) {
        return None;
    }
    algorithm.overrule(w, w);
    ((algorithm.cwnd() - w).abs() <= 1e-6 * w).then_some(algorithm)
}

/// By how much a window changes.
fn changed(spec: &Spec, w: f64, rtt: f64, after: fn(&mut Algorithm, f64, f64)) -> Option<f64> {
    let mut algorithm = set_to(spec, w)?;
    let before = algorithm.cwnd();
    after(&mut algorithm, w, rtt);
    Some(algorithm.cwnd() - before)
}

/// The window at these times after a loss at a window `w`; round trips stay as they are.
fn after_loss(spec: &Spec, w: f64, rtt: f64, times: &[f64]) -> Vec<Option<f64>> {
    let Some(mut algorithm) = set_to(spec, w) else { return vec![None; times.len()] };
    loss(&mut algorithm, w, rtt);
    let end = times.iter().copied().fold(0.0, f64::max);
    // the loss is noticed at 1.5 round trips, and recovered from one later
    let mut windows = vec![(0.0, algorithm.cwnd()), (rtt, algorithm.cwnd())];
    for round in 0..MAX_ROUNDS {
        let (since, own) = windows[windows.len() - 1];
        if since > end || own > MOST_GROWTH * w {
            break;
        }
        let begun = rtt * (2.5 + round as f64);
        let acks = own.floor().clamp(1.0, MAX_ACKS_AFTER);
        for i in 0..acks as u64 {
            algorithm.on_ack(&ack(begun, i, acks, own / acks, own, rtt));
        }
        windows.push((since + rtt, algorithm.cwnd()));
    }
    let at = |time: f64| {
        let next = windows.partition_point(|(since, _)| *since <= time);
        let (&(from, low), &(to, high)) = (windows.get(next.checked_sub(1)?)?, windows.get(next)?);
        Some(low + (high - low) * (time - from) / (to - from))
    };
    times.iter().map(|&time| at(time)).collect()
}

/// A round trip of ACKs.
fn round_trip(algorithm: &mut Algorithm, w: f64, rtt: f64) {
    let acks = w.floor().clamp(1.0, MAX_ACKS);
    let credit = w / acks;
    for i in 0..acks as u64 {
        algorithm.on_ack(&ack(rtt, i, acks, credit, w, rtt));
    }
}

fn loss(algorithm: &mut Algorithm, w: f64, rtt: f64) {
    // a round trip without growth, so that it knows the round trip
    algorithm.on_ack(&ack(rtt, 0, 1.0, 0.0, w, rtt));
    let now = at(rtt * 1.5);
    let flight = w as u32;
    algorithm.on_congestion(&Congestion { now, signal: Signal::Loss, flight });
    algorithm.on_recovered(at(rtt * 2.5));
}

fn at(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9) as u64)
}

/// One of the ACKs of a round trip that began then.
fn ack(begun: f64, i: u64, acks: f64, credit: f64, w: f64, rtt: f64) -> Ack {
    let round = Duration::from_nanos((rtt * 1e9) as u64);
    let now = at(begun + rtt * (i as f64 + 1.0) / acks);
    let departed = at(begun - rtt + rtt * (i as f64 + 1.0) / acks);
    let half = Duration::from_nanos((rtt * 5e8) as u64);
    Ack {
        now,
        acked: credit.round() as u32,
        credit,
        in_flight: w as u32,
        rtt: Some(Rtt { latest: round, smoothed: round, min: round, forward: Some(half) }),
        departed,
        leaves: departed,
        round_start: i == 0,
        cwnd_limited: true,
        lost: 0,
        marked: 0,
        rate: None,
        feedback: None,
    }
}
