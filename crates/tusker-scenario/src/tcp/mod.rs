//! The settings of a TCP endpoint as they are written.

mod forms;

pub use forms::{DelayedAck, Ecn, Segments, SlowStart};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::{Bytes, Duration};
use tusker_plan::plan;

use super::text::Text;

/// TCP settings; what is not said is the next level's: a flow's, the
/// scenario's, the profile's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// How losses are found and repaired. A group of flows says this outside
    /// of `tcp`.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Proportional rate reduction (RFC 9937); needs SACK or RACK.
    pub prr: Option<bool>,
    /// New data for the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: Option<bool>,
    /// Restart the retransmission timer at the first partial ACK only (RFC
    /// 6582, section 4).
    pub impatient: Option<bool>,
    /// Where ns-2.35's agents differ from the RFCs in recovery, growth and timer,
    /// do as they do (docs/ns2-notes.md). Nothing for `rack`.
    pub ns2_details: Option<bool>,
    /// Forget after a timeout what SACK reported (RFC 2018, section 8).
    pub forget_sack_on_timeout: Option<bool>,
    /// `false`, or how long an ACK waits for a second segment.
    pub delayed_ack: Option<DelayedAck>,
    /// Segments before the first ACK.
    pub initial_window: Option<u32>,
    /// Slow-start threshold at the start, in segments.
    pub initial_ssthresh: Option<Segments>,
    /// Below ssthresh.
    pub slow_start: Option<SlowStart>,
    /// What the window counts (RFC 3465).
    pub counting: Option<Text<plan::Counting>>,
    /// RFC 7323 timestamps.
    pub timestamps: Option<bool>,
    /// Explicit congestion notification: `false`, `true` (RFC 3168) or
    /// `"accurate"`, with an echo that counts marks (RFC 8257).
    pub ecn: Option<Ecn>,
    /// Space segments out over the round trip.
    pub pacing: Option<bool>,
    /// A full data packet on the wire.
    pub packet: Option<Text<Bytes>>,
    /// Its headers; 40 B, and 12 B for timestamps, unless said otherwise.
    pub header: Option<Text<Bytes>>,
    /// An ACK on the wire; as long as the header unless said otherwise.
    pub ack: Option<Text<Bytes>>,
    /// An ACK grows by its SACK blocks.
    pub sack_bytes: Option<bool>,
    /// Payload that the sender may have outstanding.
    pub send_buffer: Option<Text<Option<Bytes>>>,
    /// Payload that the receiver holds out of order.
    pub receive_buffer: Option<Text<Option<Bytes>>>,
    /// The retransmission timer.
    pub rto: Option<Rto>,
}

/// The retransmission timer (RFC 6298).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rto {
    /// Before the first sample.
    pub initial: Option<Text<Duration>>,
    /// Lower bound.
    pub min: Option<Text<Duration>>,
    /// Upper bound.
    pub max: Option<Text<Duration>>,
    /// Clock granularity.
    pub granularity: Option<Text<Duration>>,
}
