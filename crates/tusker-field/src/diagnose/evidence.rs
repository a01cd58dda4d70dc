//! What a measurement says for and against a cause.

use serde::Serialize;

use super::question::{PAYLOAD, Question};
use super::{Candidate, Cause};
use crate::Interval;

/// How well a cause explains what was measured, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It fits, and the measurement supports it.
    Likely,
    /// It fits, and the measurement says nothing of it.
    Possible,
    /// It fits, but the measurement speaks against it.
    Unlikely,
    /// No value of it comes near the measured goodput.
    No,
}

/// Something that was measured, for or against a cause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What.
    pub evidence: Evidence,
    /// How much it counts: above 0 for the cause, below against it.
    pub weight: i32,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// Segments that were retransmitted, and as many as the simulation would have.
    Retransmits {
        /// That many.
        measured: u64,
        /// See there.
        simulated: f64,
    },
    /// Mean round trips, seconds.
    RoundTrip {
        /// In the measurement.
        measured_s: f64,
        /// In the simulation.
        simulated_s: f64,
    },
    /// How far the goodput over time is from the simulated one, as a share of its mean.
    OverTime {
        /// Root of the mean square.
        difference: f64,
    },
    /// Share of the time in which this limit held the sender up, by the kernel.
    HeldUp {
        /// Of 1.
        share: f64,
    },
    /// The congestion window was larger than what the limit leaves in flight, bytes.
    LargerWindow {
        /// The window.
        cwnd_bytes: f64,
    },
    /// The value is one that systems have by default, bytes.
    DefaultValue {
        /// That value.
        bytes: u64,
    },
    /// Slow start alone comes to the measured goodput.
    StartAlone,
    /// The application was told to send at this rate.
    TargetRate {
        /// Bits per second.
        bps: f64,
    },
    /// Whether the application had nothing to send.
    ApplicationLimited {
        /// It had not.
        limited: bool,
    },
    /// The buffer was said to be larger.
    BufferGiven,
    /// Share of a core that the busier host used.
    Processor {
        /// Of 1.
        share: f64,
    },
    /// One core carries more than this as a rule, bits per second.
    CoreCarries {
        /// See there.
        bps: f64,
    },
}

impl Candidate {
    /// How much speaks for it.
    pub(super) fn score(&self) -> i32 {
        self.findings.iter().map(|finding| finding.weight).sum()
    }
}

/// Receive windows without scaling, and what Linux offers by default: half of 6 MiB (until
/// 6.16), of 32 MiB, and of 208 KiB with a fixed SO_RCVBUF.
const WINDOWS: [u64; 4] = [65_535, 212_992, 3_145_728, 16_777_216];
/// Payload that Linux's default send buffer of 4 MiB keeps, and 208 KiB with a fixed SO_SNDBUF.
const BUFFERS: [u64; 2] = [212_992, 2_097_152];
/// A value is that default if it is so near.
const SAME: f64 = 0.1;
/// A part of a long transfer, seconds.
const PART_S: f64 = 60.0;
/// What one core carries at least (from memory; jumbo frames and offloads carry several times
/// as much).
const CORE: f64 = 5e9;

/// Collects what is known of a cause, and judges it. `start`: slow start alone explains the
/// goodput.
pub(super) fn judge(question: &Question, candidate: &mut Candidate, start: bool) {
    let mut findings = specific(question, candidate);
    findings.extend(by_simulation(question, candidate));
    if start && !matches!(candidate.cause, Cause::Start | Cause::Host) {
        findings.push((Evidence::StartAlone, -1));
    }
    candidate.findings =
        findings.into_iter().map(|(evidence, weight)| Finding { evidence, weight }).collect();
    let strong = candidate.findings.iter().any(|finding| finding.weight <= -2);
    candidate.verdict = match (candidate.fits, strong, candidate.score()) {
        (false, ..) => Verdict::No,
        (true, true, _) | (true, _, ..=-1) => Verdict::Unlikely,
        (true, false, 0..=1) => Verdict::Possible,
        (true, false, _) => Verdict::Likely,
    };
}

/// What only one cause explains.
fn specific(question: &Question, candidate: &Candidate) -> Vec<(Evidence, i32)> {
    let (own, needed) = (&question.measured, candidate.needed.unwrap_or(f64::NAN));
    let mut found = Vec::new();
    let mut window = |share: Option<f64>, defaults: &[u64]| {
        let weight = |share: f64| match share {
            0.5.. => 3,
            ..0.1 => -2,
            _ => 0,
        };
        found.extend(share.map(|share| (Evidence::HeldUp { share }, weight(share))));
        let larger = own.cwnd_bytes.filter(|cwnd| *cwnd > 1.5 * needed);
        found.extend(larger.map(|cwnd_bytes| (Evidence::LargerWindow { cwnd_bytes }, 1)));
        let same = |bytes: &&u64| (needed / **bytes as f64 - 1.0).abs() < SAME;
        let default = defaults.iter().find(same);
        found.extend(default.map(|bytes| (Evidence::DefaultValue { bytes: *bytes }, 1)));
    };
    match candidate.cause {
        Cause::ReceiveWindow => window(own.receive_limited, &WINDOWS),
        Cause::SendBuffer => window(own.send_limited, &BUFFERS),
        Cause::Start => found.push((Evidence::StartAlone, if candidate.fits { 2 } else { 0 })),
        Cause::Application => {
            let near = |bps: &f64| (bps / own.goodput_bps - 1.0).abs() < 0.1;
            let target = own.target_bps.filter(near);
            found.extend(target.map(|bps| (Evidence::TargetRate { bps }, 3)));
            let weight = |limited| if limited { 2 } else { -1 };
            let limited = own.app_limited;
            found.extend(
                limited.map(|limited| (Evidence::ApplicationLimited { limited }, weight(limited))),
            );
        }
        Cause::ShallowBuffer if !question.buffer_assumed => {
            if needed < question.buffer_packets() * 0.8 {
                found.push((Evidence::BufferGiven, -2));
            }
        }
        Cause::Host => match own.cpu {
            Some(share) => {
                let weight = match share {
                    0.9.. => 3,
                    ..0.7 => -2,
                    _ => 0,
                };
                found.push((Evidence::Processor { share }, weight));
            }
            None if own.goodput_bps < CORE => {
                let weight = if own.goodput_bps < CORE / 5.0 { -2 } else { -1 };
                found.push((Evidence::CoreCarries { bps: CORE }, weight));
            }
            None => {}
        },
        Cause::RandomLoss | Cause::ShallowBuffer | Cause::Policer | Cause::CompetingFlows => {}
    }
    found.retain(|(_, weight)| *weight != 0);
    found
}

/// What the simulation has, beside what was measured.
fn by_simulation(question: &Question, candidate: &Candidate) -> Vec<(Evidence, i32)> {
    let own = &question.measured;
    let mut found = Vec::new();
    // without a simulation: the path loses nothing, and no queue forms
    let share = candidate.simulated.as_ref().map_or(0.0, |run| run.retransmitted);
    if let Some(measured) = own.retransmits {
        // none in a long transfer are none in any part of it
        let seconds = question.seconds.unwrap_or(PART_S);
        let simulated = share * own.goodput_bps * seconds / 8.0 / PAYLOAD;
        let times = (measured as f64 / simulated).max(simulated / measured as f64);
        let weight = match (measured, simulated) {
            (0, 0.0..1.0) => 1,
            (0, 3.0..) => -2,
            (3.., 0.0..1.0) => -2,
            (1.., 1.0..) if times <= 3.0 => 2,
            (1.., 1.0..) if times > 10.0 => -2,
            _ => 0,
        };
        found.push((Evidence::Retransmits { measured, simulated }, weight));
    }
    let base = question.rtt.secs();
    let rtts = own.rtt_s.zip(candidate.simulated.as_ref().and_then(|run| run.rtt_s));
    if let Some((measured_s, simulated_s)) = rtts {
        let off = (measured_s - simulated_s).abs() / base;
        let weight = if off > 0.5 { -2 } else { -i32::from(off > 0.15) };
        found.push((Evidence::RoundTrip { measured_s, simulated_s }, weight));
    }
    let parts = candidate.simulated.as_ref().map_or(&[][..], |run| &run.intervals);
    if let Some(difference) = over_time(&own.intervals, parts) {
        let weight = match difference {
            ..0.2 => 1,
            0.6.. => -1,
            _ => 0,
        };
        found.push((Evidence::OverTime { difference }, weight));
    }
    found.retain(|(_, weight)| *weight != 0);
    found
}

/// How far two curves are apart, as a share of the first one's mean; both have the same parts.
fn over_time(measured: &[Interval], simulated: &[Interval]) -> Option<f64> {
    let ends = |part: &Interval, own: &Interval| (part.to_s - own.to_s).abs() < 1e-6;
    let pairs: Vec<(f64, f64)> = measured
        .iter()
        .zip(simulated)
        .take_while(|(own, part)| ends(part, own))
        .map(|(own, part)| (own.goodput_bps, part.goodput_bps))
        .collect();
    if pairs.len() < 5 {
        return None;
    }
    let count = pairs.len() as f64;
    let mean = pairs.iter().map(|(own, _)| own).sum::<f64>() / count;
    let square = pairs.iter().map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / count;
    (mean > 0.0).then(|| square.sqrt() / mean)
}
