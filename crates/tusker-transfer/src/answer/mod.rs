//! The results of a plan for a transfer: congestion controls, numbers of streams
//! and socket buffers, ranked by how long the transfer takes.

mod buffers;
mod choice;
mod columns;
mod facts;
#[cfg(test)]
mod made;
mod ranges;
mod settings;
mod socket;
mod union;

pub use buffers::{GoodWithAll, PlansSummary, candidates, schema};
pub use choice::Better;
pub use facts::{Fact, PassedOver};
pub use settings::{Command, Host, Settings, Step};
pub use socket::{LEAST_BUFFER, kernel_buffer};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the format of `plan.json`. Removing a field or changing its meaning
/// raises it; adding one does not.
pub const FORMAT: u32 = 1;

/// A row that takes more than this share of the others' rate is recommended only if
/// more was allowed: it takes from them more than it leaves.
pub const MUCH_HARM: f64 = 0.5;

/// How many times as long as by its first estimate a transfer may take: docs/plan.md
/// has the measurement.
pub const ESTIMATE_TIMES: f64 = 1.25;

/// How much larger harm may be than by its first estimate (docs/plan.md).
pub const ESTIMATE_HARM: f64 = 0.3;

/// The same where all flows together fill at most [`HALF`] of the bottleneck.
const ESTIMATE_HARM_WITH_ROOM: f64 = 0.15;

/// The same behind a buffer below [`SHORT`] BDP, unless there is room: the queue of such a
/// buffer overflows long before the link is full.
const ESTIMATE_HARM_SHORT: f64 = 0.7;

/// A buffer below so many BDP is short.
pub const SHORT: f64 = 0.2;

/// How full a bottleneck may be by first estimates so that there is room for all.
const HALF: f64 = 0.5;

/// Harm that is not known to within this much on either side is not told: its interval
/// would be as wide as everything from none to all.
pub const HARM_UNKNOWN: f64 = 0.5;

/// The content of `plan.json`, and what `tusker plan --format json` prints for one buffer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanSummary {
    /// Version of this format.
    pub format: u32,
    /// Version of Tusker.
    pub tusker: String,
    /// Hash of everything in the program that decides results; empty if unknown.
    #[serde(default)]
    pub build: String,
    /// The command line.
    pub command: Vec<String>,
    /// Payload of the transfer, bytes.
    pub size_bytes: u64,
    /// The path.
    pub path: PlanPath,
    /// Nobody said how large the buffer is: that of `path` is an assumption.
    #[serde(default)]
    pub buffer_assumed: bool,
    /// How long the transfer takes at the full rate of the bottleneck with no other
    /// traffic on the path, seconds: no row can be shorter.
    #[serde(default)]
    pub least_s: f64,
    /// The transfer should take at most this long, seconds; null if not set.
    #[serde(default)]
    pub deadline_s: Option<f64>,
    /// Rows that harm the other flows more than this are not recommended; null if
    /// not set: then half of their rate is the limit.
    #[serde(default)]
    pub max_harm: Option<f64>,
    /// What runs today, with which the rows are compared; null if nothing was named.
    #[serde(default)]
    pub today: Option<PlanWay>,
    /// The row whose commands were asked for; null for those of the recommended row.
    #[serde(default, rename = "for")]
    pub asked_for: Option<PlanWay>,
    /// The place of the recommended row in `rows`, from 1; null if there is none.
    #[serde(default)]
    pub recommended: Option<u32>,
    /// Packets that were to be simulated for a row at most.
    #[serde(default)]
    pub row_packets: f64,
    /// Goodput of the other flows on the path without the transfer, bits per
    /// second; null if there are none, or it is not known yet.
    pub alone: Option<PlanRate>,
    /// Seconds simulated for `alone` if that was only their start, not their long-term
    /// rate; null if it is known.
    #[serde(default)]
    pub alone_start_s: Option<f64>,
    /// `alone` is not known as well as asked.
    #[serde(default)]
    pub alone_unsure: bool,
    /// Target for half the 95 % interval of a row's goodput, as a share of the
    /// goodput.
    pub until: f64,
    /// Every row is final: nothing was left out for lack of time.
    pub complete: bool,
    /// Command lines of earlier plans in the same folder of which there are rows.
    #[serde(default)]
    pub earlier: Vec<Vec<String>>,
    /// What is worth knowing beside the rows.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// The rows, the shortest time first, where a row that was not simulated counts
    /// with a longer time than estimated; those about which nothing is known last.
    pub rows: Vec<PlanRow>,
}

/// The path of a transfer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanPath {
    /// Rate of the bottleneck, bits per second.
    pub rate_bps: u64,
    /// Round trip on the empty path, seconds.
    pub rtt_s: f64,
    /// Fraction of packets that the path loses at random.
    pub loss: f64,
    /// The bottleneck's buffer, as written in a scenario.
    pub buffer: String,
    /// A packet on the wire, bytes.
    pub packet_bytes: u64,
    /// How many such packets are simulated as one.
    #[serde(default = "one")]
    pub segments_per_packet: u32,
    /// Other flows that are always on it: `4xcubic`.
    pub with: Vec<String>,
}

const fn one() -> u32 {
    1
}

/// Which row: the way to do the transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanWay {
    /// Congestion control, with its parameters.
    #[serde(rename = "cc", alias = "law")]
    pub law: String,
    /// Parallel connections.
    pub streams: u32,
    /// Payload that a connection may have in flight, bytes.
    pub socket_buffer_bytes: u64,
}

/// Which limit ended the simulation of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spent {
    /// The packets of `--row-packets`.
    RowPackets,
    /// The packets or the time of `--budget`.
    Budget,
    /// Ctrl-C.
    Interrupted,
}

/// A rate and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRate {
    /// Bits of payload per second.
    pub mean_bps: f64,
    /// Half the width of its 95 % confidence interval; null if it is not known.
    pub ci95_bps: Option<f64>,
}

/// What a row is based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Nothing yet.
    #[default]
    Nothing,
    /// The first estimate: a response function, or a short run on a slower path.
    Estimate,
    /// The first estimate, because simulation did not reach the long-term mean
    /// within the cost limit of a row.
    Unsettled,
    /// A simulated start, and a steady state with an interval wider than requested.
    Wide,
    /// A simulated start, and a steady state with an interval as narrow as
    /// requested.
    Steady,
    /// The whole transfer was simulated.
    Whole,
}

/// One way to do the transfer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRow {
    /// Congestion control, with its parameters.
    #[serde(rename = "cc", alias = "law")]
    pub law: String,
    /// Parallel connections; they share one pool of data.
    pub streams: u32,
    /// Payload that a connection may have in flight, bytes.
    pub socket_buffer_bytes: u64,
    /// Whether that is enough not to limit the connection.
    pub socket_buffer_enough: bool,
    /// What the row stands on.
    pub basis: Basis,
    /// How long the transfer takes, seconds.
    pub took_s: Option<f64>,
    /// Lower end of its 95 % confidence interval.
    pub took_low_s: Option<f64>,
    /// Upper end of that interval.
    pub took_high_s: Option<f64>,
    /// How many times as fast as what runs today; null if that is not known.
    #[serde(default)]
    pub speedup: Option<f64>,
    /// The transfer takes longer than the simulated time.
    pub extrapolated: bool,
    /// Long-term goodput (for a completely simulated transfer: its mean).
    pub goodput: Option<PlanRate>,
    /// Goodput in the second half of what was simulated, bits per second, if the rate had not
    /// settled (`basis` is `unsettled`); null otherwise.
    #[serde(default)]
    pub seen_bps: Option<f64>,
    /// Long-term goodput of the other flows beside it; null if there are none.
    pub others: Option<PlanRate>,
    /// Harm to the other flows: what they lose, as a share of what they have
    /// without the transfer (Ware et al. 2019). If a long-term rate is not known, it
    /// compares equal spans of both simulations. Null if its interval is so wide
    /// (more than 0.5 on either side) that it says nothing. If `basis` is `estimate` or
    /// `unsettled`, or `alone` is null, it comes from short runs on a slower path.
    pub harm: Option<f64>,
    /// Half the width of its 95 % confidence interval.
    pub harm_ci95: Option<f64>,
    /// Retransmissions as a share of the data packets.
    pub retransmitted: Option<f64>,
    /// Mean round trip, seconds.
    pub rtt_s: Option<f64>,
    /// Length of the start phase, which is not part of the steady state, seconds.
    pub start_s: Option<f64>,
    /// Simulated seconds of the longest run.
    pub simulated_s: f64,
    /// Number of runs of that length.
    pub runs: u32,
    /// Congestion episodes and timeouts in the second halves of these runs.
    pub episodes: u64,
    /// The first estimate of its goodput, bits per second.
    pub estimate_bps: Option<f64>,
    /// The first estimate of the harm; null if there are no others.
    #[serde(default)]
    pub estimate_harm: Option<f64>,
    /// What all flows together would have by their response functions, as a share of the
    /// bottleneck's rate; null if there are no others, or if a law has no such function.
    #[serde(default)]
    pub estimate_load: Option<f64>,
    /// The bottleneck's buffer is below 0.2 BDP, where a first estimate of harm may be far too
    /// low.
    #[serde(default)]
    pub short_buffer: bool,
    /// The source of the estimate; empty before it is made.
    pub estimate_from: EstimateFrom,
    /// Why the row is not known more precisely, if it is not.
    pub note: Option<Doubt>,
    /// Packets simulated for it.
    #[serde(default)]
    pub packets: f64,
    /// The limit that ended its simulation before it was as sure as asked; null if it
    /// is, or if there is more to come.
    #[serde(default)]
    pub spent: Option<Spent>,
    /// Packets needed at least to make it as sure as asked; null if it is, or if that
    /// is not known.
    #[serde(default)]
    pub needs_packets: Option<f64>,
    /// What has to be set on the hosts.
    #[serde(default)]
    pub settings: Settings,
    /// The commands to run.
    pub commands: Vec<Command>,
}

/// What a first estimate comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum EstimateFrom {
    /// Nothing yet.
    #[default]
    #[serde(rename = "")]
    Nothing,
    /// A simulation of the path at a lower rate.
    #[serde(rename = "a short run on a slower path")]
    SlowerPath,
    /// What random loss allows, by the law's response function.
    #[serde(rename = "the law's response to random loss")]
    RandomLoss,
    /// The payload that may be in flight in a round trip.
    #[serde(rename = "socket buffer / round trip")]
    SocketBuffer,
}

/// Why a row is not known more precisely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Doubt {
    /// No part of a run has a steady rate.
    #[serde(rename = "its rate had not levelled off yet")]
    NotLevelled,
    /// Both halves of a run differ.
    #[serde(rename = "its rate was still drifting")]
    Drifting,
    /// The mean depends on where in a sawtooth a run ended.
    #[serde(rename = "too few losses yet for a mean")]
    TooFewLosses,
    /// Shares beside other flows settle slowly.
    #[serde(rename = "few losses yet for a mean")]
    FewLosses,
    /// The budget ended before.
    #[serde(rename = "not simulated: the budget ran out")]
    Budget,
    /// Ctrl-C came before.
    #[serde(rename = "not simulated: interrupted")]
    Interrupted,
}

impl PlanSummary {
    /// As the text of `plan.json`.
    ///
    /// # Panics
    /// Never: a summary holds only finite numbers and text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// Sorts by time, compares each row with what runs today, and recommends one. A
    /// first estimate is mostly too short: it comes first only if the transfer would be
    /// faster even if it took [`ESTIMATE_TIMES`] as long. Equal rows keep their order.
    pub fn rank(&mut self) {
        let key = |row: &PlanRow| {
            let times = if row.is_simulated() { 1.0 } else { ESTIMATE_TIMES };
            row.took_s.map_or(f64::INFINITY, |took| took * times)
        };
        self.rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let today = self.today_row().and_then(|row| row.took_s);
        for row in &mut self.rows {
            let times = today.zip(row.took_s).map(|(today, took)| today / took);
            row.speedup = times.filter(|times| times.is_finite());
        }
        self.recommended = self.choice().map(|place| place as u32 + 1);
        self.facts = self.find_facts();
    }

    /// The most harm that a recommended row may do.
    pub fn most_harm(&self) -> f64 {
        self.max_harm.unwrap_or(MUCH_HARM)
    }

    /// It is known to leave the others enough, or there are none: even the largest harm
    /// that is likely is within the limit.
    pub fn is_kind(&self, row: &PlanRow) -> bool {
        self.path.with.is_empty() || row.harm_at_most().is_some_and(|most| most <= self.most_harm())
    }

    /// The others lose more to it than allowed, as far as is known.
    pub fn harms_too_much(&self, row: &PlanRow) -> bool {
        !self.path.with.is_empty() && row.harm.is_some_and(|harm| harm > self.most_harm())
    }

    /// The row to recommend: the first that does not harm the other flows more than
    /// allowed, where harm counts with its interval, or [`ESTIMATE_HARM`] if it is a first
    /// estimate; or a near-tie of it (docs/plan.md); or what runs today, if that is faster
    /// and not known to harm them too much. `None` if there is no such row.
    pub fn chosen(&self) -> Option<&PlanRow> {
        self.rows.get((self.recommended? - 1) as usize)
    }

    /// The row of what runs today.
    pub fn today_row(&self) -> Option<&PlanRow> {
        self.rows.iter().find(|row| self.is_today(row))
    }

    /// Whether the row is what runs today.
    pub fn is_today(&self, row: &PlanRow) -> bool {
        self.today.as_ref().is_some_and(|today| row.is(today))
    }

    /// The row whose commands are printed: the one asked for, or the recommended one.
    pub fn typed(&self) -> Option<&PlanRow> {
        match &self.asked_for {
            Some(way) => self.rows.iter().find(|row| row.is(way)),
            None => self.chosen(),
        }
    }
}

/// Plain data as JSON text.
fn json(data: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(data).expect("it is plain data");
    text.push('\n');
    text
}

impl PlanRow {
    /// `4 x bbr1`.
    pub fn name(&self) -> String {
        format!("{} x {}", self.streams, self.law)
    }

    /// Whether it is this way to do the transfer.
    pub fn is(&self, way: &PlanWay) -> bool {
        (&self.law, self.streams, self.socket_buffer_bytes)
            == (&way.law, way.streams, way.socket_buffer_bytes)
    }

    /// Its time comes from simulation, not from a first estimate.
    pub fn is_simulated(&self) -> bool {
        matches!(self.basis, Basis::Wide | Basis::Steady | Basis::Whole)
    }

    /// Its harm comes from a first estimate: the row was not simulated, or there was no
    /// time yet for the others without the transfer.
    pub fn has_estimated_harm(&self) -> bool {
        let not_compared = self.harm_ci95.is_none() && self.harm == self.estimate_harm;
        !self.is_simulated() || not_compared
    }

    /// The largest harm that is likely: with the interval of a simulated one, or with
    /// [`ESTIMATE_HARM`] more than a first estimate: less where there is room, more behind a
    /// short buffer.
    pub fn harm_at_most(&self) -> Option<f64> {
        let more = match self.has_estimated_harm() {
            true => self.more_harm(),
            false => self.harm_ci95.unwrap_or(0.0),
        };
        self.harm.map(|harm| harm + more)
    }

    /// How much larger its harm may be than by its first estimate.
    pub fn more_harm(&self) -> f64 {
        match self.estimate_load {
            Some(load) if load <= HALF => ESTIMATE_HARM_WITH_ROOM,
            _ if self.short_buffer => ESTIMATE_HARM_SHORT,
            _ => ESTIMATE_HARM,
        }
    }

    /// It was simulated beside others, but its harm to them cannot be told.
    pub fn has_unknown_harm(&self) -> bool {
        self.is_simulated() && self.others.is_some() && self.harm.is_none()
    }
}
