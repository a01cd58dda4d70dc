//! What a packet carries for routers to read and write.

use crate::units::Duration;

/// What routers can read and write in the packets of a flow whose congestion
/// control needs it; the receiver sends it back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// The congestion header of XCP.
    Xcp {
        /// The sender's window in segments, at least 1.
        cwnd: f64,
        /// The sender's round-trip time, once known.
        rtt: Option<Duration>,
        /// The change of the window that the routers so far allow, in segments;
        /// `None` while no router has set it.
        feedback: Option<f64>,
    },
    /// The two bits of VCP.
    Vcp {
        /// The load of the most loaded router so far: 1 low, 2 high, 3 overload;
        /// 0 while no router has set it.
        load: u8,
    },
}

impl Header {
    /// Combines this with `owed`, the feedback that a delayed ACK already has to
    /// report. Changes of the window are added; of two loads the later one counts.
    pub fn answer(&self, owed: Option<f64>) -> Option<f64> {
        match *self {
            Self::Xcp { feedback: Some(more), .. } => Some(owed.unwrap_or(0.0) + more),
            Self::Vcp { load: load @ 1.. } => Some(f64::from(load)),
            Self::Xcp { .. } | Self::Vcp { .. } => owed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delayed_acks_lose_nothing() {
        let xcp = |feedback| Header::Xcp { cwnd: 10.0, rtt: None, feedback };
        assert_eq!(xcp(Some(1.5)).answer(None), Some(1.5));
        assert_eq!(xcp(Some(1.5)).answer(Some(-0.25)), Some(1.25));
        // if no router set anything, there is nothing to report
        assert_eq!(xcp(None).answer(None), None);
        assert_eq!(xcp(None).answer(Some(0.5)), Some(0.5));
    }

    #[test]
    fn the_latest_load_counts() {
        assert_eq!(Header::Vcp { load: 2 }.answer(Some(3.0)), Some(2.0));
        assert_eq!(Header::Vcp { load: 0 }.answer(None), None);
    }
}
