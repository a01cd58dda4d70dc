//! First estimates within seconds: the minimum of what a response function allows, what
//! socket buffers allow, and what a short run gives on a slower path with the same round
//! trip.
//!
//! The slower path has the same round trip and loss; its rate, buffer and socket buffers are
//! scaled down in proportion. There a law soon reaches its long-term mean. What this path
//! cannot show is how much random loss affects the larger windows of the real path; the
//! response function gives that (`tusker_measure::response`).

use std::sync::Arc;

use tusker_core::Kind as _;
use tusker_core::congestion::Kind;
use tusker_core::{Bytes, Rate};
use tusker_measure::harm::{Better, harm};
use tusker_measure::response::response_in_linux;

use super::equilibrium::Shared;
use super::growing::{Growing, Path};
use super::measured::Measured;
use super::path::{BINS, On};
use super::{Way, Work};
use crate::answer::EstimateFrom;
use tusker_lab::Trouble;

/// Segments in a short run.
const SEGMENTS: f64 = 250_000.0;

/// Round trips of a short run for a law that needs no losses.
const ROUNDS: f64 = 150.0;

/// For a law that does: sawteeth of Reno, each of which takes half as many round trips as a
/// connection has segments on the path.
const TEETH: f64 = 10.0;

/// A first estimate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Estimate {
    /// Goodput, bits per second.
    pub goodput: f64,
    /// What limits it.
    pub from: EstimateFrom,
    /// The share that the others lose of what they have without the transfer; none without
    /// others.
    pub harm: Option<f64>,
    /// What all flows together have by their response functions, as a share of the
    /// bottleneck's rate; none without others, or if a law has no such function.
    pub load: Option<f64>,
}

impl Work<'_> {
    /// The approximate long-term rate of the transfer.
    pub(super) fn estimate(&self, way: &Way) -> Result<Estimate, Trouble> {
        let on = &self.ask.on;
        let (rtt, rate) = (on.rtt.secs(), on.rate.bits_per_sec() as f64);
        let flows = on.others.iter().map(|(count, _)| count).sum::<u32>() + way.streams;
        // rounds = TEETH / 2 x segments / flows, and rounds x segments = SEGMENTS
        let rounds = match way.law.kind.sheet().grows_until_loss {
            true => (SEGMENTS * TEETH / 2.0 / f64::from(flows)).sqrt().max(ROUNDS),
            false => ROUNDS,
        };
        let length = rounds * rtt;
        let small = (SEGMENTS / length * on.packet.get() as f64 * 8.0).min(rate);
        let share = small / rate;
        let scaled = on.scaled(Rate::from_bits_per_sec((small as u64).max(1)));
        let least = on.packet.get() as f64;
        let socket = (way.socket.get() as f64 * share).max(least);
        let own = Way { socket: Bytes::new(socket as u64), ..way.clone() };
        let run = self.short(&scaled, Some(&own), length)?;
        let half = |sums: &[f64]| {
            let (middle, end) = (sums[sums.len() / 2], sums[sums.len() - 1]);
            (end - middle) * 8.0 / (length / 2.0) / share
        };
        let (mut short, mut others) = (half(&run.ours), half(&run.others));
        let carried = short + others;
        let theirs = |rtt: f64| -> Option<f64> {
            let each = on
                .others
                .iter()
                .map(|(count, law)| Some(f64::from(*count) * self.at_loss(law.kind, rtt)?));
            each.sum()
        };
        // if random loss keeps the others small, the rest is free; but they wait in the
        // transfer's queue
        if let Some(most) = theirs(run.rtt.max(rtt)).filter(|most| *most < others) {
            others = most;
            short = short.max(carried - others);
        }
        let harm = match on.others.is_empty() {
            true => None,
            false => {
                let alone = half(&self.short(&scaled, None, length)?.others);
                harm(Better::More, alone.min(theirs(rtt).unwrap_or(alone)), others)
            }
        };
        let buffers = f64::from(way.streams) * way.socket.get() as f64 * 8.0 / rtt;
        let loss = self.alone_at_loss(way.law.kind).map(|rate| rate * f64::from(way.streams));
        let mut estimate =
            Estimate { goodput: short, from: EstimateFrom::SlowerPath, harm, load: None };
        if let Some(most) = loss.filter(|most| *most < estimate.goodput) {
            estimate = Estimate { goodput: most, from: EstimateFrom::RandomLoss, ..estimate };
        }
        if buffers < estimate.goodput {
            estimate = Estimate { goodput: buffers, from: EstimateFrom::SocketBuffer, ..estimate };
        }
        // a limit below its share of the slower path leaves more to the others
        let share = (estimate.goodput / short.max(1.0)).min(1.0);
        estimate.harm = estimate.harm.map(|harm| harm * share);
        // the slower path has too little random loss for its small windows: there others whom
        // loss keeps small seem to have room
        if let Some((harm, load)) = self.at_equilibrium(way) {
            estimate.harm = estimate.harm.map(|short| short.max(harm));
            estimate.load = Some(load);
        }
        estimate.goodput = estimate.goodput.max(1.0);
        Ok(estimate)
    }

    /// A run of this many seconds.
    fn short(&self, on: &On, way: Option<&Way>, seconds: f64) -> Result<Arc<Measured>, Trouble> {
        let path = Path::new(on, way, seconds)?;
        let mut run = Growing::new(self, &path, 1);
        let measured = run.until(BINS)?;
        run.end()?;
        Ok(measured)
    }

    /// Harm and load by response functions alone.
    fn at_equilibrium(&self, way: &Way) -> Option<(f64, f64)> {
        let on = &self.ask.on;
        let rate = on.rate.bits_per_sec() as f64 / 8.0;
        let shared = Shared {
            rate: on.segments_per_second(),
            rtt: on.rtt.secs(),
            loss: on.loss,
            buffer: on.buffer_bytes() / rate,
        };
        let others = on.others.iter().map(|(count, law)| (*count, law.kind, f64::INFINITY));
        let window = way.socket.get() as f64 / on.payload();
        shared.harm((way.streams, way.law.kind, window), &others.collect::<Vec<_>>())
    }

    /// The rate of one connection if only random loss limits it, bits per second.
    pub(super) fn alone_at_loss(&self, kind: Kind) -> Option<f64> {
        self.at_loss(kind, self.ask.on.rtt.secs())
    }

    /// The same with this round trip, seconds.
    fn at_loss(&self, kind: Kind, rtt: f64) -> Option<f64> {
        let on = &self.ask.on;
        let window = (on.loss > 0.0).then(|| response_in_linux(kind, on.loss, rtt)).flatten()?;
        Some(window * on.payload() * 8.0 / rtt)
    }
}
