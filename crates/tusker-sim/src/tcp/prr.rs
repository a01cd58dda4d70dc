//! Proportional rate reduction (RFC 9937): during recovery, data is sent in proportion to
//! what arrives, so that the window reaches ssthresh at the end of recovery and not at its
//! start.

/// A recovery under PRR. All in segments.
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    ssthresh: f64,
    /// FlightSize at the start of recovery.
    recover_fs: f64,
    delivered: u64,
    out: u64,
    /// What may be sent now.
    quota: u64,
}

impl Prr {
    /// Recovery starts with this much outstanding that was not delivered before the ACK
    /// that started it.
    pub fn new(ssthresh: f64, recover_fs: u64) -> Self {
        Self { ssthresh, recover_fs: recover_fs.max(1) as f64, delivered: 0, out: 0, quota: 0 }
    }

    /// RecoverFS is what was outstanding before the ACK that started the recovery, which
    /// delivered this much of it.
    pub fn count_before(&mut self, delivered: u64) {
        self.recover_fs += delivered as f64;
    }

    /// An ACK in recovery delivered `delivered` segments; `in_flight` are in
    /// the network. `safe`: it advanced SND.UNA and indicated no further loss.
    pub fn on_ack(&mut self, delivered: u64, in_flight: u64, safe: bool) {
        self.delivered += delivered;
        let in_flight = in_flight as f64;
        let quota = if in_flight > self.ssthresh {
            // "sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out"
            (self.delivered as f64 * self.ssthresh / self.recover_fs).ceil() - self.out as f64
        } else {
            // PRR-CRB, or PRR-SSRB if the ACK is safe
            let quota = (self.delivered as f64 - self.out as f64).max(delivered as f64);
            let quota = if safe { quota + 1.0 } else { quota };
            quota.min(self.ssthresh - in_flight)
        };
        self.quota = quota.max(0.0) as u64;
        // "Force a fast retransmit upon entering recovery"
        if self.out == 0 && self.quota == 0 {
            self.quota = 1;
        }
    }

    /// Segments that may be sent now.
    pub fn quota(&self) -> u64 {
        self.quota
    }

    /// A segment was sent.
    pub fn on_sent(&mut self) {
        self.out += 1;
        self.quota = self.quota.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6937, section 4 has this case: 20 outstanding, one lost, the window halves to
    /// 10. Every second ACK releases a segment.
    #[test]
    fn one_loss_sends_on_every_other_ack() {
        let mut prr = Prr::new(10.0, 20);
        let mut in_flight = 19_u64;
        let mut sent = Vec::new();
        for _ in 0..8 {
            in_flight -= 1;
            prr.on_ack(1, in_flight, false);
            let now = prr.quota();
            (0..now).for_each(|_| prr.on_sent());
            in_flight += now;
            sent.push(now);
        }
        // ceil(k/2) - out: 1 0 1 0 1 0 1 0
        assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn below_ssthresh_it_sends_what_was_delivered_and_one_more_if_safe() {
        let mut prr = Prr::new(10.0, 20);
        prr.on_ack(1, 4, false);
        assert_eq!(prr.quota(), 1);
        prr.on_sent();
        prr.on_ack(1, 4, true);
        assert_eq!(prr.quota(), 2);
        // never beyond ssthresh
        prr.on_ack(9, 8, true);
        assert_eq!(prr.quota(), 2);
    }
}
