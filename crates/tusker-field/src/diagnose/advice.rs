//! Measurements that tell causes apart, and what to change.

use serde::Serialize;
use tusker_transfer::answer::kernel_buffer;

use super::evidence::Verdict;
use super::question::Question;
use super::simulate::{Bench, Case, Simulated};
use super::{Candidate, Cause};
use crate::Mistake;
use tusker_scenario::Limit;

/// What one can measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    /// What the kernel says that holds up the sender: rwnd_limited is 1, sndbuf_limited 2,
    /// app_limited 3, nothing 0.
    HeldUp,
    /// Share of segments that are retransmitted.
    Retransmits,
    /// Mean round trip under load, seconds.
    RoundTrip,
    /// How many times the goodput four connections have.
    FourStreams,
    /// Share of one core.
    Processor,
    /// How many times the goodput a measurement of ten times the length has.
    Longer,
}

/// A measurement that tells causes apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Test {
    /// What to measure.
    pub observe: Observation,
    /// What it is with each of the causes that are possible.
    pub expected: Vec<(Cause, f64)>,
}

impl Test {
    /// Whether two values differ enough to be told apart.
    pub fn differ(&self, a: f64, b: f64) -> bool {
        let least = match self.observe {
            Observation::RoundTrip => 0.15,
            Observation::Retransmits => 0.8,
            _ => 0.3,
        };
        (a - b).abs() > least * a.abs().max(b.abs())
    }
}

/// What to change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// Let the receiver's window grow: the maximum of `tcp_rmem`, bytes.
    ReceiveBuffer {
        /// That maximum.
        bytes: u64,
    },
    /// Let the send buffer grow: the maximum of `tcp_wmem`, bytes.
    SendBuffer {
        /// That maximum.
        bytes: u64,
    },
    /// Use parallel connections.
    Streams {
        /// So many.
        streams: u32,
    },
    /// Pace below the rate of the policer, bits per second.
    Pace {
        /// That rate on the wire.
        bps: f64,
    },
    /// Transfer more at once, or keep the connection open.
    LongerTransfer,
    /// Let the application send more at once.
    Application,
    /// Relieve the processor: offloads, larger packets, several connections on several cores.
    Processor,
}

/// A change, and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// The cause that it removes.
    pub cause: Cause,
    /// What to change.
    #[serde(flatten)]
    pub change: Change,
    /// Simulated goodput afterwards, bits per second; null if it was not simulated.
    pub goodput_bps: Option<f64>,
}

/// The most connections that are advised.
const MOST_STREAMS: f64 = 16.0;
/// Remedies for so many causes.
const MOST_REMEDIES: usize = 3;

/// The two measurements that together tell most of the explanations apart.
pub(super) fn tests(question: &Question, causes: &[Candidate], unlimited: &Simulated) -> Vec<Test> {
    let best = causes.first().map(|own| own.verdict).filter(|own| *own <= Verdict::Possible);
    let all: Vec<&Candidate> = causes.iter().filter(|own| Some(own.verdict) == best).collect();
    let own = &question.measured;
    let room = unlimited.goodput_bps / own.goodput_bps;
    let expected = |candidate: &Candidate, observe| {
        let run = candidate.simulated.as_ref();
        Some(match observe {
            Observation::HeldUp => match candidate.cause {
                Cause::ReceiveWindow => 1.0,
                Cause::SendBuffer => 2.0,
                Cause::Application => 3.0,
                _ => 0.0,
            },
            Observation::Processor => f64::from(u8::from(candidate.cause == Cause::Host)),
            Observation::Retransmits => run.map_or(0.0, |run| run.retransmitted),
            Observation::RoundTrip => run.map_or(Some(question.rtt.secs()), |run| run.rtt_s)?,
            Observation::Longer if candidate.cause == Cause::Start => 2.0,
            Observation::Longer => 1.0,
            Observation::FourStreams => match candidate.cause {
                Cause::Policer | Cause::Host => 1.0,
                Cause::CompetingFlows => {
                    let others = candidate.needed.unwrap_or(1.0);
                    4.0 * (others + 1.0) / (others + 4.0)
                }
                _ => room.clamp(1.0, 4.0),
            },
        })
    };
    let open = [
        (Observation::Retransmits, own.retransmits.is_none()),
        (Observation::HeldUp, own.receive_limited.is_none()),
        (Observation::Longer, question.seconds.is_some()),
        (Observation::RoundTrip, own.rtt_s.is_none()),
        (Observation::FourStreams, own.streams == 1),
        (Observation::Processor, own.cpu.is_none()),
    ];
    let test = |observe| {
        let expected =
            all.iter().filter_map(|own| Some((own.cause, expected(own, observe)?))).collect();
        Test { observe, expected }
    };
    let mut left: Vec<Test> =
        open.into_iter().filter(|(_, open)| *open).map(|(observe, _)| test(observe)).collect();
    let (mut chosen, mut separate) = (Vec::<Test>::new(), Vec::<(Cause, Cause)>::new());
    while chosen.len() < 2 {
        let pairs = |test: &Test| -> Vec<(Cause, Cause)> {
            let own = &test.expected;
            let pairs =
                own.iter().enumerate().flat_map(|(n, a)| own[n + 1..].iter().map(move |b| (a, b)));
            let new = pairs.filter(|(a, b)| test.differ(a.1, b.1)).map(|(a, b)| (a.0, b.0));
            new.filter(|pair| !separate.contains(pair)).collect()
        };
        let most = (0..left.len()).rev().max_by_key(|&n| pairs(&left[n]).len());
        let Some(at) = most.filter(|&n| !pairs(&left[n]).is_empty()) else { break };
        let new = pairs(&left[at]);
        separate.extend(new);
        chosen.push(left.remove(at));
    }
    chosen
}

/// What to change for the first explanations; `None` if it was stopped.
pub(super) fn remedies(
    bench: &Bench<'_>,
    causes: &[Candidate],
    unlimited: &Simulated,
) -> Result<Option<Vec<Remedy>>, Mistake> {
    let question = bench.question;
    let goodput = question.measured.goodput_bps;
    let room = unlimited.goodput_bps / goodput;
    let own = f64::from(question.measured.streams);
    let streams = (own * room.ceil().max(2.0)).min(own.max(MOST_STREAMS)) as u32;
    let payload = (2.0 * (question.bdp() + question.buffer_packets() * 1500.0)) / own;
    let bytes = kernel_buffer(payload as u64, true);
    let mut all = Vec::new();
    let best = causes.first().map(|own| own.verdict).filter(|own| *own <= Verdict::Possible);
    let chosen = causes.iter().filter(|own| Some(own.verdict) == best).take(MOST_REMEDIES);
    for candidate in chosen {
        let needed = candidate.needed.unwrap_or(goodput);
        let case = match candidate.cause {
            Cause::RandomLoss => Some(Case { loss: needed, streams, ..bench.plain() }),
            Cause::ShallowBuffer => {
                let buffer = Limit::Packets(needed.round().max(1.0) as u64);
                Some(Case { buffer, streams, ..bench.plain() })
            }
            Cause::CompetingFlows => {
                Some(Case { others: needed.round() as u32, streams, ..bench.plain() })
            }
            _ => None,
        };
        let run = match case {
            Some(case) => match bench.run(&case)? {
                Some(run) => Some(run.goodput_bps),
                None => return Ok(None),
            },
            None => None,
        };
        let full = Some(unlimited.goodput_bps);
        let (change, goodput_bps) = match candidate.cause {
            Cause::ReceiveWindow => (Change::ReceiveBuffer { bytes }, full),
            Cause::SendBuffer => (Change::SendBuffer { bytes }, full),
            Cause::RandomLoss | Cause::ShallowBuffer | Cause::CompetingFlows => {
                (Change::Streams { streams }, run)
            }
            Cause::Policer => (Change::Pace { bps: needed }, Some(needed * 1448.0 / 1500.0)),
            Cause::Start => (Change::LongerTransfer, None),
            Cause::Application => (Change::Application, full),
            Cause::Host => (Change::Processor, full),
        };
        all.push(Remedy { cause: candidate.cause, change, goodput_bps });
    }
    let gain = |remedy: &Remedy| remedy.goodput_bps.unwrap_or(0.0);
    all.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    Ok(Some(all))
}
