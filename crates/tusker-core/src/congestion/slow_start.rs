//! How the window grows below ssthresh.

use super::{Ack, Window};

/// Which slow start a connection uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SlowStart {
    /// RFC 5681, section 3.1: one segment per segment acknowledged.
    Standard,
}

/// A slow start in progress.
#[derive(Clone, Debug)]
pub(super) enum SlowStartState {
    Standard,
}

impl SlowStartState {
    pub(super) fn new(kind: SlowStart) -> Self {
        match kind {
            SlowStart::Standard => Self::Standard,
        }
    }

    /// Grows the window for an ACK that advances it.
    #[inline]
    pub(super) fn on_ack(&mut self, w: &mut Window, ack: &Ack) {
        match self {
            Self::Standard => {
                if ack.cwnd_limited {
                    w.cwnd += ack.credit;
                }
            }
        }
    }

    /// A timeout starts slow start anew.
    pub(super) fn restart(&mut self) {}
}
