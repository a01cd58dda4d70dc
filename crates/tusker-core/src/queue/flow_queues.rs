//! How flows that have a queue each share a link in turns.

use crate::units::{Bytes, Duration};

/// The queues of flows that share a link in turns (deficit round robin).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowQueues {
    /// How many queues there are; at least one.
    pub count: u32,
    /// What a queue may send in a turn, in bytes; at least one.
    pub quantum: Bytes,
    /// What it may send in its first turn.
    pub initial_quantum: Bytes,
    /// If given, a queue that was empty for no longer than this keeps its credits.
    pub refill_delay: Option<Duration>,
    /// The largest number of packets in a queue.
    pub flow_limit: u32,
    /// The largest number of queues that may hold packets.
    pub active: u32,
    /// Queues that were empty go before the others (RFC 8290); otherwise to their end.
    pub new_first: bool,
    /// What is dropped when the queues are full.
    pub full: Full,
    /// How often the hash has changed.
    pub perturbations: u64,
}

/// What is dropped when the queues together are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Half of the packets of the queue with the most bytes, from its head, at most so many.
    Fattest(usize),
    /// The arriving packet.
    Arriving,
    /// The last packet of the queue with the most packets.
    Longest,
}

impl FlowQueues {
    /// RFC 8290 with this number of queues and this quantum.
    pub(super) const fn rfc8290(count: u32, quantum: Bytes) -> Self {
        Self {
            count,
            quantum,
            initial_quantum: quantum,
            refill_delay: None,
            flow_limit: u32::MAX,
            active: u32::MAX,
            new_first: true,
            full: Full::Fattest(DROP_BATCH),
            perturbations: 0,
        }
    }

    /// The queue of a flow.
    pub fn queue_of(&self, flow: u64) -> u32 {
        // the finaliser of SplitMix64: every bit of the flow reaches every bit
        let key = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(self.perturbations.wrapping_add(1));
        let mut hash = flow.wrapping_add(key);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((hash ^ (hash >> 31)) % u64::from(self.count)) as u32
    }
}

/// RFC 8290, section 4.1: at most this many packets are dropped at once.
const DROP_BATCH: usize = 64;

/// A number of bytes; zero stands for so many packets.
pub(super) fn bytes_or(bytes: f64, packets: u64, packet: Bytes) -> Bytes {
    match bytes as u64 {
        0 => Bytes::new((packets * packet.get()).max(1)),
        bytes => Bytes::new(bytes),
    }
}

/// Whether all of these are whole numbers.
pub(super) fn are_whole(values: &[f64]) -> bool {
    values.iter().all(|&value| value == libm::trunc(value))
}
