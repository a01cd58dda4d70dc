//! Applications that do not always have data.

use super::{Distribution, Flow};

/// An application that writes to its connection from time to time. Data that TCP
/// has not sent yet waits, without limit.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Payload of each write, bytes; sent as whole segments.
    pub write: Distribution,
    /// When it writes.
    pub gap: Gap,
    /// Lengths in seconds of periods with and without writes; an on period begins
    /// with a write. Without pauses if `None`.
    pub pauses: Option<(Distribution, Distribution)>,
}

/// The time from one write to the next.
#[derive(Clone, Debug, PartialEq)]
pub enum Gap {
    /// Seconds.
    Every(Distribution),
    /// The time that the write takes at this many bits of payload per second.
    Rate(f64),
}

impl App {
    /// Mean number of segments per second that a flow sends for it, if TCP can.
    pub fn mean_segments(&self, flow: &Flow) -> f64 {
        let payload = flow.tcp.payload().get().max(1) as f64;
        let segments = match self.write {
            Distribution::Constant(bytes) => (bytes / payload).ceil(),
            // drawn sizes can end anywhere within a segment
            _ => self.write.mean() / payload + 0.5,
        };
        let gap = match &self.gap {
            Gap::Every(gap) => gap.mean(),
            Gap::Rate(rate) => self.write.mean() * 8.0 / rate,
        };
        let writes = match &self.pauses {
            None => 1.0 / gap,
            Some((on, off)) => (on.mean() / gap).max(1.0) / (on.mean() + off.mean()),
        };
        segments.max(1.0) * writes
    }
}
