//! Two queues at one link (RFC 9332): the interface between their policy and the
//! code that holds them.
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
    /// Share of the classic queue in the bytes that leave while both hold packets:
    /// 0 to 1.
    pub classic_share: f64,
    /// A typical packet: the round robin starts with one.
    pub packet: Bytes,
}

/// When the packets at the heads of the two queues arrived; `None` for an empty
/// one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// The L4S queue.
    pub l4s: Option<Time>,
    /// The classic queue.
    pub classic: Option<Time>,
}
