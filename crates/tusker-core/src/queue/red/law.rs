//! The drop law of RED: from the average queue to the probability of a signal.
//!
//! ```text
//! p_b = max_p (avg - min_th) / (max_th - min_th)            min_th <= avg < max_th
//! p_b = max_p + (1 - max_p) (avg - max_th) / max_th         gentle: max_th <= avg < 2 max_th
//! forced drop                                               beyond
//!
//! p_a = p_b / (1 - count p_b), 1 from count p_b = 1 on      count: packets since the last signal
//! wait: p_a = 0 while count p_b < 1, then p_b / (2 - count p_b), 1 from count p_b = 2 on
//! ```
//!
//! Floyd and Jacobson 1993, sections 4 and 7; gentle: Floyd, "Recommendation on
//! using the gentle variant of RED", 2000; `wait` is ns-2's. p_a makes the gap
//! between two signals uniform instead of geometric.

/// Thresholds in packets, prepared for the hot path: no division by a constant.
#[derive(Clone, Copy, Debug)]
pub(in crate::queue) struct DropLaw {
    /// Below this average nothing is signalled.
    pub(in crate::queue) min_th: f64,
    /// The average at which p_b reaches max_p.
    pub(in crate::queue) max_th: f64,
    /// From this average on every packet is dropped.
    pub(super) forced: f64,
    per_band: f64,
    per_max_th: f64,
    wait: bool,
    /// Where the gentle slope starts; at the current max_p if `None`.
    gentle_from: Option<f64>,
}

impl DropLaw {
    /// A `max_th` of zero means 3 `min_th`. One below `min_th` becomes `min_th`: a
    /// step without a slope.
    pub(super) fn new(min_th: f64, max_th: f64, gentle: bool, wait: bool) -> Self {
        let max_th = if max_th == 0.0 { 3.0 * min_th } else { max_th.max(min_th) };
        Self {
            min_th,
            max_th,
            forced: if gentle { 2.0 * max_th } else { max_th },
            per_band: 1.0 / (max_th - min_th),
            per_max_th: 1.0 / max_th,
            wait,
            gentle_from: None,
        }
    }

    /// Makes the gentle slope always start at this probability.
    pub(super) fn keep_gentle_slope(&mut self, max_p: f64) {
        self.gentle_from = Some(max_p);
    }

    /// The probability from the average queue alone, `p_b`.
    #[inline]
    pub(super) fn p_b(&self, avg: f64, max_p: f64) -> f64 {
        if avg < self.min_th {
            0.0
        } else if avg >= self.forced {
            1.0
        } else if avg < self.max_th {
            max_p * (avg - self.min_th) * self.per_band
        } else {
            let from = self.gentle_from.unwrap_or(max_p);
            from + (1.0 - from) * (avg - self.max_th) * self.per_max_th
        }
    }

    /// `p_b` spread over the packets since the last signal, `p_a`.
    #[inline]
    pub(super) fn p_a(&self, p_b: f64, count: u32) -> f64 {
        let due = f64::from(count) * p_b;
        let left = if self.wait { 2.0 - due } else { 1.0 - due };
        if self.wait && due < 1.0 {
            0.0
        } else if left > p_b {
            p_b / left
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min_th 4, max_th 12: a band of 8, so that eighths are exact.
    fn law(gentle: bool, wait: bool) -> DropLaw {
        DropLaw::new(4.0, 12.0, gentle, wait)
    }

    #[test]
    fn probability_rises_linearly_from_min_th_to_max_p() {
        let law = law(false, false);
        assert_eq!(law.p_b(3.999, 0.5), 0.0);
        assert_eq!(law.p_b(4.0, 0.5), 0.0);
        assert_eq!(law.p_b(6.0, 0.5), 0.125); // 0.5 x 2/8
        assert_eq!(law.p_b(8.0, 0.5), 0.25);
        assert_eq!(law.p_b(12.0, 0.5), 1.0);
    }

    #[test]
    fn gentle_rises_from_max_p_to_one_at_twice_max_th() {
        let law = law(true, false);
        assert_eq!(law.p_b(8.0, 0.5), 0.25);
        assert_eq!(law.p_b(12.0, 0.5), 0.5);
        assert_eq!(law.p_b(18.0, 0.5), 0.75); // 0.5 + 0.5 x 6/12
        assert_eq!(law.p_b(24.0, 0.5), 1.0);
        // at any max_p the two slopes meet
        assert_eq!(law.p_b(12.0, 0.125), 0.125);
        assert_eq!(law.p_b(15.0, 0.125), 0.343_75); // 0.125 + 0.875 x 3/12
    }

    #[test]
    fn a_kept_slope_leaves_a_jump_at_max_th() {
        let mut law = law(true, false);
        law.keep_gentle_slope(0.125);
        assert_eq!(law.p_b(8.0, 0.5), 0.25);
        assert_eq!(law.p_b(12.0, 0.5), 0.125);
        assert_eq!(law.p_b(15.0, 0.5), 0.343_75); // 0.125 + 0.875 x 3/12
    }

    #[test]
    fn max_th_of_zero_is_three_min_th() {
        let law = DropLaw::new(5.0, 0.0, false, true);
        assert_eq!((law.min_th, law.max_th, law.forced), (5.0, 15.0, 15.0));
    }

    #[test]
    fn a_max_th_below_min_th_is_a_step() {
        let law = DropLaw::new(10.0, 5.0, false, false);
        assert_eq!(law.p_b(9.9, 0.1), 0.0);
        assert_eq!(law.p_b(10.0, 0.1), 1.0);
    }

    #[test]
    fn spreading_ends_in_certainty() {
        // p_b = 1/4: counts 1, 2, 3 give (1/4)/(3/4), (1/4)/(2/4), (1/4)/(1/4)
        let law = law(false, false);
        assert_eq!(law.p_a(0.25, 0), 0.25);
        assert_eq!(law.p_a(0.25, 1), 1.0 / 3.0);
        assert_eq!(law.p_a(0.25, 2), 0.5);
        assert_eq!(law.p_a(0.25, 3), 1.0);
        assert_eq!(law.p_a(0.25, 4), 1.0);
        assert_eq!(law.p_a(0.0, 1_000_000), 0.0);
    }

    #[test]
    fn waiting_keeps_quiet_for_one_over_p_packets() {
        // p_b = 1/4: 0 for counts 1..3, then (1/4)/(4/4), /(3/4), /(2/4), /(1/4)
        let law = law(false, true);
        for count in 0..4 {
            assert_eq!(law.p_a(0.25, count), 0.0);
        }
        assert_eq!(law.p_a(0.25, 4), 0.25);
        assert_eq!(law.p_a(0.25, 5), 1.0 / 3.0);
        assert_eq!(law.p_a(0.25, 6), 0.5);
        assert_eq!(law.p_a(0.25, 7), 1.0);
        assert_eq!(law.p_a(0.25, 8), 1.0);
    }
}
