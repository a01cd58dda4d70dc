//! What is said about a plan that was stopped by its budget: what is missing, and which budget
//! would be enough.

use super::super::text::packets as count;
use super::super::{PlanRow, PlanSummary, Spent};

/// How fast a plan was made until it was stopped.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Seconds since it began.
    pub seconds: f64,
    /// Packets per second of one simulation; none if no run has ended.
    pub packets: Option<f64>,
    /// Simulations at the same time.
    pub jobs: f64,
    /// Packets simulated so far, if the budget was given in packets.
    pub spent: Option<f64>,
}

impl Pace {
    /// Minutes that are likely to be enough to simulate so many packets more, this many at a
    /// time: a round number, because the pace differs from one time to the next.
    fn minutes(&self, packets: f64, at_a_time: f64) -> Option<f64> {
        const ROUND: [f64; 12] =
            [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0];
        let minutes = (self.seconds + packets / (self.packets? * at_a_time)) / 60.0;
        let round = ROUND.into_iter().find(|round| minutes <= *round);
        Some(round.unwrap_or_else(|| (minutes / 60.0).ceil() * 60.0))
    }

    /// The `--budget` that is likely to be enough for so many packets more.
    fn budget(&self, packets: f64, at_a_time: f64) -> Option<String> {
        if let Some(spent) = self.spent {
            return Some(count(spent + packets));
        }
        Some(format!("{:.0}min", self.minutes(packets, at_a_time)?))
    }
}

impl PlanSummary {
    /// What is missing, and how long it would take: of all rows, and last of the row on
    /// which the answer hangs, if that was not simulated. `kept` is a further hint.
    pub fn stopped(&self, pace: &Pace, budget: &str, kept: &str) -> Vec<String> {
        let left = || self.rows.iter().filter(|row| row.spent == Some(Spent::Budget));
        let (unknown, unsure) = (left().filter(|row| row.runs == 0).count(), left().count());
        if unsure == 0 {
            // more time would change nothing: a limit of --row-packets is told elsewhere
            return Vec::new();
        }
        let all = self.rows.len();
        // the others without the transfer are simulated, too
        let alone = !self.path.with.is_empty() && self.alone.is_none();
        let alone = if alone { self.usual() } else { 0.0 };
        let packets = alone + left().map(|row| self.missing(row)).sum::<f64>();
        let hangs = [self.today_row(), self.chosen()];
        let hangs = hangs.into_iter().flatten().filter(|row| !row.is_simulated());
        let (by_time, by_packets): (Vec<&PlanRow>, Vec<&PlanRow>) = hangs
            .filter(|row| row.spent.is_some())
            .partition(|row| row.spent == Some(Spent::Budget));
        let least = by_time.iter().map(|row| self.missing(row)).fold(0.0, f64::max);
        // more time alone does not make all of them as sure as asked
        // a row that is not simulated does not know yet what it needs
        let may_need = |row: &PlanRow| row.needs_packets.is_none_or(|n| n > self.row_packets);
        let capped = |row: &PlanRow| match row.spent {
            Some(Spent::RowPackets) => true,
            Some(Spent::Budget) => may_need(row),
            Some(Spent::Interrupted) | None => false,
        };
        let all_of = match self.rows.iter().any(capped) {
            true => "all that --row-packets allows",
            false => "all",
        };
        // one row is simulated on one core
        let at_a_time = if packets > least { pace.jobs.min(packets / least.max(1.0)) } else { 1.0 };
        let enough = match pace.budget(packets, at_a_time) {
            Some(budget) => format!("--budget {budget} is likely to be enough for {all_of}"),
            None => "--budget 10min gives it longer".to_owned(),
        };
        let unit = if pace.spent.is_some() { " packets" } else { "" };
        let mut lines = vec![format!(
            "stopped after {budget}{unit} (--budget): {unknown} of {all} rows are not simulated, {} not known \
             as well as asked; {enough}, --budget none sets no limit{kept}",
            unsure - unknown
        )];
        let names = |rows: &[&PlanRow]| {
            let mut names: Vec<String> = Vec::new();
            for row in rows {
                let what = if self.is_today(row) { "today's" } else { "the recommended" };
                let name = format!("{what} row, {}", row.name());
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join(", and ")
        };
        if let Some(budget) = pace.budget(least, 1.0).filter(|_| !by_time.is_empty()) {
            lines.push(format!(
                "not simulated yet: {}; --budget {budget} is likely to be enough for that",
                names(&by_time)
            ));
        }
        if !by_packets.is_empty() {
            let needs = by_packets.iter().filter_map(|row| row.needs_packets).fold(0.0, f64::max);
            let hint = match needs > self.row_packets {
                true => format!("--row-packets {} at least", count(needs)),
                false => "more --row-packets".to_owned(),
            };
            lines.push(format!(
                "not simulated to its long-term rate, because of --row-packets: {}; more time does \
                 not help, it needs {hint}",
                names(&by_packets)
            ));
        }
        lines
    }

    /// The most packets that a finished row took; the limit of a row if none is finished.
    fn usual(&self) -> f64 {
        let finished = self.rows.iter().filter(|row| row.spent.is_none() && row.runs > 0);
        let most = finished.map(|row| row.packets).fold(0.0, f64::max);
        if most > 0.0 { most.min(self.row_packets) } else { self.row_packets }
    }

    /// The packets that a row may still cost: of one that does not say what it needs, as many
    /// as the finished ones took.
    fn missing(&self, row: &PlanRow) -> f64 {
        let needs = row.needs_packets.unwrap_or(self.usual()).min(self.row_packets);
        (needs - row.packets).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::made::{plan, row};
    use super::super::super::{Basis, PlanWay};
    use super::*;

    fn left(law: &str, basis: Basis, hours: f64, runs: u32) -> PlanRow {
        let spent = Some(Spent::Budget);
        PlanRow { spent, packets: 5e7 * f64::from(runs), ..row(law, basis, hours * 3_600.0, runs) }
    }

    /// Each of the rows may cost 2e8 packets, at 1e6 per second: 200 s. Two are missing, the
    /// third has had 5e7 and lacks 1.5e8: (2e8 + 2e8 + 1.5e8) / 2e6 = 275 s for two at a
    /// time, after 120 s: 395 s = 6.6 min, of the round numbers 7. One alone: 120 s + 200 s =
    /// 5.3 min, 7 as well.
    #[test]
    fn a_recommended_row_that_was_not_simulated_is_named_last_with_its_budget() {
        let rows = vec![
            left("hstcp", Basis::Estimate, 40.0, 0),
            left("htcp", Basis::Estimate, 80.0, 0),
            left("cubic", Basis::Wide, 60.0, 1),
        ];
        let mut plan = plan(rows, false);
        let today = PlanWay { law: "cubic".to_owned(), streams: 1, socket_buffer_bytes: 1_000 };
        plan.today = Some(today);
        plan.rank();
        let pace = Pace { seconds: 120.0, packets: Some(1e6), jobs: 2.0, spent: None };
        assert_eq!(
            plan.stopped(&pace, "2min", ", --out DIR keeps what was simulated"),
            [
                "stopped after 2min (--budget): 2 of 3 rows are not simulated, 1 not known as well as \
                 asked; --budget 7min is likely to be enough for all that --row-packets allows, \
                 --budget none sets no limit, --out DIR keeps what was simulated",
                "not simulated yet: the recommended row, 1 x hstcp; --budget 7min is likely to be \
                 enough for that",
            ]
        );
        // of each it is known that its packets are enough
        plan.rows.iter_mut().for_each(|row| row.needs_packets = Some(2e8));
        let told = plan.stopped(&pace, "2min", "");
        assert!(told[0].contains("is likely to be enough for all, --budget none"), "{told:?}");
        // with today's simulated and no faster row, there is nothing to add
        plan.rows.truncate(1);
        plan.rows[0] = left("cubic", Basis::Wide, 60.0, 1);
        plan.rank();
        assert_eq!(plan.stopped(&pace, "2min", "").len(), 1);
    }

    /// One row is finished after 1e8 packets; each of two others is taken to cost as much:
    /// 2e8 / 2e6 = 100 s after 120 s, 3.7 min.
    #[test]
    fn rows_that_were_not_begun_are_taken_to_cost_what_finished_ones_did() {
        let finished = PlanRow { packets: 1e8, ..row("cubic", Basis::Steady, 3_600.0, 3) };
        let others = ["hstcp", "htcp"].map(|law| left(law, Basis::Estimate, 80.0, 0));
        let rows = std::iter::once(finished).chain(others).collect();
        let plan = plan(rows, false);
        let pace = Pace { seconds: 120.0, packets: Some(1e6), jobs: 2.0, spent: None };
        let told = plan.stopped(&pace, "2min", "");
        assert!(told[0].contains("--budget 5min is likely to be enough for all"), "{told:?}");
    }

    /// Today's row had all of its packets, and needs 3.45e8: time is not what it lacks. Two at a
    /// time, the other row and the others alone lack 2 x 2e8 packets at 1e6 per second: 200 s
    /// after 120 s, 5.3 min.
    #[test]
    fn a_row_that_its_packets_stopped_is_not_promised_by_more_time() {
        let today = PlanRow {
            spent: Some(Spent::RowPackets),
            needs_packets: Some(3.45e8),
            ..left("cubic", Basis::Unsettled, 60.0, 1)
        };
        let mut plan = plan(vec![today, left("htcp", Basis::Estimate, 80.0, 0)], false);
        plan.path.with = vec!["reno".to_owned()];
        plan.today =
            Some(PlanWay { law: "cubic".to_owned(), streams: 1, socket_buffer_bytes: 1_000 });
        plan.rank();
        let pace = Pace { seconds: 120.0, packets: Some(1e6), jobs: 2.0, spent: None };
        assert_eq!(
            plan.stopped(&pace, "2min", ""),
            [
                "stopped after 2min (--budget): 1 of 2 rows are not simulated, 0 not known as well as \
                 asked; --budget 7min is likely to be enough for all that --row-packets allows, \
                 --budget none sets no limit",
                "not simulated to its long-term rate, because of --row-packets: today's row, 1 x \
                 cubic; more time does not help, it needs --row-packets 3.5e8 at least",
            ]
        );
    }

    #[test]
    fn without_a_run_no_time_is_promised() {
        let mut plan = plan(vec![left("cubic", Basis::Nothing, 1.0, 0)], false);
        plan.rows[0].took_s = None;
        plan.rank();
        let pace = Pace { seconds: 1.0, packets: None, jobs: 2.0, spent: None };
        let lines = plan.stopped(&pace, "1s", "");
        assert!(lines.len() == 1 && lines[0].contains("--budget 10min gives it longer"));
    }
}
