//! Merges two plans for the same transfer: for each row, the better-known version is kept.

use super::{Basis, PlanRow, PlanSummary};

impl PlanRow {
    /// Law, streams, socket buffer: the identity of a row.
    fn way(&self) -> (&str, u32, u64) {
        (&self.law, self.streams, self.socket_buffer_bytes)
    }

    /// The larger, the better the row is known.
    fn known(&self) -> (u8, f64) {
        let basis = match self.basis {
            Basis::Nothing => 0,
            Basis::Estimate => 1,
            Basis::Unsettled => 2,
            Basis::Wide | Basis::Steady => 3,
            Basis::Whole => 4,
        };
        (basis, self.simulated_s * f64::from(self.runs))
    }

    /// Whether its interval is as narrow as requested now, which may differ from
    /// the earlier request.
    fn judged(mut self, until: f64) -> Self {
        if let (Basis::Wide | Basis::Steady, Some(rate)) = (self.basis, self.goodput) {
            let narrow = rate.ci95_bps.is_some_and(|half| half <= until * rate.mean_bps);
            // a single run does not show what another seed would do
            let narrow = narrow && self.runs > 1;
            self.basis = if narrow { Basis::Steady } else { Basis::Wide };
        }
        self
    }
}

impl PlanSummary {
    /// Whether both are about the same transfer on the same path.
    pub fn same_question(&self, other: &Self) -> bool {
        self.size_bytes == other.size_bytes && self.path == other.path
    }

    /// Takes over rows of an earlier plan for the same transfer: those that were
    /// not requested now, and those that were better known then; none from another
    /// build, whose runs may differ. Returns whether there were any.
    pub fn absorb(&mut self, earlier: Self) -> bool {
        if earlier.build != self.build {
            return false;
        }
        let asked = |row: &PlanRow, of: &Self| of.rows.iter().any(|own| own.way() == row.way());
        let all_asked = earlier.rows.iter().all(|row| asked(row, self));
        let all_there = self.rows.iter().all(|row| asked(row, &earlier));
        let mut taken = 0;
        for row in earlier.rows {
            let row = row.judged(self.until);
            match self.rows.iter_mut().find(|own| own.way() == row.way()) {
                Some(own) if own.known() >= row.known() => {}
                Some(own) => (*own, taken) = (row, taken + 1),
                None => {
                    self.rows.push(row);
                    taken += 1;
                }
            }
        }
        if taken > 0 {
            for command in earlier.earlier.into_iter().chain([earlier.command]) {
                if command != self.command && !self.earlier.contains(&command) {
                    self.earlier.push(command);
                }
            }
        }
        let same = self.until >= earlier.until;
        self.complete = match self.complete {
            true => all_asked || (earlier.complete && same),
            false => all_there && earlier.complete && same,
        };
        if self.alone.is_none() {
            (self.alone, self.alone_start_s) = (earlier.alone, earlier.alone_start_s);
            self.alone_unsure = earlier.alone_unsure;
        }
        self.rank();
        taken > 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{plan, row};
    use super::*;

    #[test]
    fn rows_that_were_not_asked_for_stay() {
        let mut now = plan(vec![row("cubic", Basis::Steady, 20.0, 2)], true);
        assert!(now.absorb(plan(vec![row("reno", Basis::Steady, 10.0, 2)], true)));
        let laws: Vec<_> = now.rows.iter().map(|row| row.law.as_str()).collect();
        assert_eq!((laws, now.complete), (vec!["reno", "cubic"], true));
        // it is not known what else a stopped plan would have found
        now.absorb(plan(vec![row("bbr1", Basis::Estimate, 10.0, 0)], false));
        assert!(!now.complete && now.rows.len() == 3);
    }

    #[test]
    fn a_row_is_the_better_known_of_both() {
        let steady = row("cubic", Basis::Steady, 20.0, 3);
        let mut now = plan(vec![row("cubic", Basis::Estimate, 10.0, 0)], false);
        assert!(now.absorb(plan(vec![steady.clone()], true)));
        assert_eq!((&now.rows, now.complete), (&vec![steady.clone()], true));
        let mut now = plan(vec![steady.clone()], true);
        assert!(!now.absorb(plan(vec![row("cubic", Basis::Wide, 10.0, 2)], false)));
        assert_eq!((&now.rows, now.complete), (&vec![steady], true));
    }

    /// 4 % of the rate is narrow if 5 % was requested, and wide if 1 % was.
    #[test]
    fn a_row_is_judged_by_what_is_asked_now() {
        let mut now = plan(Vec::new(), true);
        now.until = 0.01;
        now.absorb(plan(vec![row("cubic", Basis::Steady, 20.0, 3)], true));
        assert_eq!((now.rows[0].basis, now.complete), (Basis::Wide, false));
    }

    /// It takes a second seed to know how much seeds differ.
    #[test]
    fn one_run_is_never_as_sure_as_asked() {
        let mut now = plan(Vec::new(), true);
        now.absorb(plan(vec![row("cubic", Basis::Wide, 20.0, 1)], true));
        assert_eq!(now.rows[0].basis, Basis::Wide);
    }

    #[test]
    fn another_transfer_is_another_question() {
        let one = plan(Vec::new(), true);
        let mut other = one.clone();
        assert!(one.same_question(&other));
        other.path.loss = 1e-6;
        assert!(!one.same_question(&other));
    }
}
