//! Two queues before one link (RFC 9332): what their policy and whoever holds them
//! tell each other.
//!
//! ```text
//!   ECT(1), CE -------> | L: hardly waits | --\
//!                                              weighted round robin --> link
//!   Not-ECT, ECT(0) --> | C: some ms      | --/
//! ```

use crate::units::{Bytes, Time};

/// How two queues share a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoQueues {
    /// Of the bytes that leave while both queues hold packets, so much are the
    /// classic one's: 0 to 1.
    pub classic_share: f64,
    /// A usual packet: the turns begin with one.
    pub packet: Bytes,
}

/// When the packets at the heads of two queues arrived; `None` of an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// Of the queue of L4S.
    pub l4s: Option<Time>,
    /// Of the other one.
    pub classic: Option<Time>,
}
