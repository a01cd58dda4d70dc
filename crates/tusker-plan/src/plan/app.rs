//! Applications that do not always have data.

use super::{Distribution, Flow};

/// An application that writes into its connection now and then. What it wrote and
/// TCP has not sent waits, without limit.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Payload of each write, bytes; sent as whole segments.
    pub write: Distribution,
    /// When it writes.
    pub gap: Gap,
    /// Seconds for which it writes, and does not; an on period begins with a write.
    /// Without pauses if `None`.
    pub pauses: Option<(Distribution, Distribution)>,
}

/// The time from one write to the next.
#[derive(Clone, Debug, PartialEq)]
pub enum Gap {
    /// Seconds.
    Every(Distribution),
    /// What the write takes at so many bits of payload per second.
    Rate(f64),
}

impl App {
    /// Segments per second that it has a flow send in the mean, if TCP can.
    pub fn mean_segments(&self, flow: &Flow) -> f64 {
        let payload = flow.tcp.payload().get().max(1) as f64;
        let segments = match self.write {
            Distribution::Constant(bytes) => (bytes / payload).ceil(),
            // what is drawn ends anywhere within a segment
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
