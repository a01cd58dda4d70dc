//! The window and the threshold, and how the window grows.

/// Congestion window and threshold, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

/// RFC 5681, section 3.1, equation 4: ssthresh is never under two segments.
pub(super) const MIN_SSTHRESH: f64 = 2.0;

/// RFC 5681, section 3.1: the loss window is one segment.
pub(super) const LOSS_WINDOW: f64 = 1.0;

/// Grows by `step` per unit of credit, up to ssthresh. Returns the unused credit.
#[inline]
pub(super) fn climb(w: &mut Window, credit: f64, step: f64) -> f64 {
    let room = w.ssthresh - w.cwnd;
    let growth = credit * step;
    if growth < room {
        w.cwnd += growth;
        0.0
    } else {
        w.cwnd = w.ssthresh;
        credit - room / step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_ends_at_ssthresh() {
        // 7 of 10 segments fill the room; 3 are left
        let mut w = Window { cwnd: 13.0, ssthresh: 20.0 };
        assert_eq!(climb(&mut w, 10.0, 1.0), 3.0);
        assert_eq!(w.cwnd, 20.0);
        // at a quarter per segment 12 fill a room of 3; 4 are left
        let mut w = Window { cwnd: 17.0, ssthresh: 20.0 };
        assert_eq!(climb(&mut w, 16.0, 0.25), 4.0);
        assert_eq!(w.cwnd, 20.0);
        let mut w = Window { cwnd: 17.0, ssthresh: f64::INFINITY };
        assert_eq!(climb(&mut w, 16.0, 0.25), 0.0);
        assert_eq!(w.cwnd, 21.0);
    }
}
