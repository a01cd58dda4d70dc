//! What is known about each row: its first estimate, or its simulated results.

use crate::answer::{Basis, Doubt, PlanRate, PlanRow, PlanSummary, Spent};

use super::commands::{commands, settings};
use super::estimate::Estimate;
use super::measured::Measured;
use super::settle::Settled;
use super::spans::harm_of;
use super::{Way, Work};
use tusker_lab::lock::lock;

impl Work<'_> {
    /// What is known so far.
    pub(super) fn summary(&self) -> PlanSummary {
        let state = lock(&self.state);
        let alone = state.alone.as_ref().map(|settled| rate(settled, true));
        let sure = |basis: Basis| matches!(basis, Basis::Steady | Basis::Whole);
        let alone_unsure = state.alone.as_ref().is_some_and(|settled| !sure(settled.basis));
        let start = state.alone.as_ref().filter(|settled| settled.basis == Basis::Unsettled);
        let alone_start_s = start.map(|settled| settled.runs[0].length());
        let over = self.stopped();
        let (spent, why) = match self.watch.stopped() {
            true => (Spent::Interrupted, Doubt::Interrupted),
            false => (Spent::Budget, Doubt::Budget),
        };
        let rows = self.ways.iter().enumerate().map(|(n, way)| {
            let mut row = self.row(way, state.estimates[n].as_ref());
            match &state.settled[n] {
                Some(settled) => self.fill(&mut row, settled, state.alone.as_ref()),
                None if over => row.note = Some(why),
                None => {}
            }
            row.settings = settings(way, &self.ask.on);
            row.commands = commands(way, &self.ask.on, &row.settings, row.goodput);
            let unsure = !sure(row.basis);
            if over && unsure && row.spent.is_none() {
                row.spent = Some(spent);
            }
            row
        });
        let final_ = |settled: &Option<Settled>| settled.is_some();
        let complete = !over && state.done == self.ways.len() && state.settled.iter().all(final_);
        let summary = self.planner.about(self.ask, rows.collect());
        let mut summary = PlanSummary { alone, alone_start_s, alone_unsure, complete, ..summary };
        summary.rank();
        summary
    }

    /// A row by its first estimate.
    fn row(&self, way: &Way, estimate: Option<&Estimate>) -> PlanRow {
        let on = &self.ask.on;
        let took = estimate.map(|estimate| self.ask.size.get() as f64 * 8.0 / estimate.goodput);
        let rate = |estimate: &Estimate| PlanRate { mean_bps: estimate.goodput, ci95_bps: None };
        PlanRow {
            law: way.law.label.clone(),
            streams: way.streams,
            socket_buffer_bytes: way.socket.get(),
            socket_buffer_enough: way.enough,
            basis: estimate.map_or(Basis::Nothing, |_| Basis::Estimate),
            took_s: took,
            extrapolated: estimate.is_some(),
            goodput: estimate.map(rate),
            harm: estimate.and_then(|estimate| estimate.harm),
            estimate_bps: estimate.map(|estimate| estimate.goodput),
            estimate_harm: estimate.and_then(|estimate| estimate.harm),
            estimate_load: estimate.and_then(|estimate| estimate.load),
            short_buffer: on.has_short_buffer(),
            estimate_from: estimate.map(|estimate| estimate.from).unwrap_or_default(),
            ..PlanRow::default()
        }
    }

    /// The results of the simulation.
    fn fill(&self, row: &mut PlanRow, settled: &Settled, alone: Option<&Settled>) {
        let runs = &settled.runs;
        let sum = |of: fn(&Measured) -> f64| runs.iter().map(|run| of(run)).sum::<f64>();
        row.basis = settled.basis;
        row.note = settled.note;
        row.simulated_s = runs[0].length();
        row.runs = runs.len() as u32;
        row.packets = settled.packets;
        row.spent = settled.needs.map(|_| Spent::RowPackets);
        row.needs_packets = settled.needs;
        row.episodes = sum(|run| run.episodes) as u64;
        let (sent, again) = (sum(|run| run.sent), sum(|run| run.again));
        row.retransmitted = (sent > 0.0).then(|| again / sent);
        row.rtt_s = Some(sum(|run| run.rtt) / runs.len() as f64).filter(|rtt| rtt.is_finite());
        let size = self.ask.size.get() as f64;
        let times: Vec<f64> = runs.iter().filter_map(|run| run.took(size)).collect();
        let known = match settled.basis {
            Basis::Whole => times.iter().any(|took| took.is_finite()),
            _ => settled.rate(false).mean > 0.0,
        };
        if !known && matches!(settled.basis, Basis::Steady | Basis::Wide | Basis::Whole) {
            // nothing arrived where the rate is measured, which is not to say that nothing ever
            // does
            row.basis = Basis::Unsettled;
        }
        match row.basis {
            Basis::Steady | Basis::Wide => {
                let mean = settled.rate(false);
                let before = runs.iter().map(|run| run.ours[settled.from]).sum::<f64>();
                let start = settled.from as f64 * runs[0].bin;
                let rest = (size - before / runs.len() as f64).max(0.0) * 8.0;
                let took = |rate: f64| start + rest / rate;
                row.took_s = Some(took(mean.mean));
                row.took_low_s = Some(took(mean.mean + mean.half));
                row.took_high_s = Some(mean.mean - mean.half).filter(|rate| *rate > 0.0).map(took);
                row.start_s = Some(start);
                row.extrapolated = true;
                row.goodput = Some(rate(settled, false));
            }
            Basis::Whole => {
                let mean = tusker_measure::stats::mean(&times);
                let half = tusker_measure::stats::half_width(&times);
                row.took_s = Some(mean);
                row.took_low_s = half.map(|half| mean - half);
                row.took_high_s = half.map(|half| mean + half);
                row.extrapolated = false;
                let bps = size * 8.0 / mean;
                let ci95_bps = half.map(|half| bps * half / mean);
                row.goodput = Some(PlanRate { mean_bps: bps, ci95_bps });
            }
            // what was seen so far may be worse than estimated
            Basis::Unsettled => {
                let seen = sum(Measured::late_bps) / runs.len() as f64;
                row.seen_bps = Some(seen).filter(|seen| seen.is_finite());
                let seen = alone.and_then(|alone| harm_of(settled, alone, size));
                let seen = seen.map_or(f64::NEG_INFINITY, |(harm, _)| harm);
                row.harm = row.harm.map(|harm| harm.max(seen));
                return;
            }
            Basis::Estimate | Basis::Nothing => return,
        }
        if self.ask.on.others.is_empty() {
            return;
        }
        row.others = Some(rate(settled, true));
        if let Some(alone) = alone {
            (row.harm, row.harm_ci95) = harm_of(settled, alone, size).unzip();
        }
    }
}

/// The rate of the transfer or of the others.
fn rate(settled: &Settled, others: bool) -> PlanRate {
    let mean = settled.rate(others);
    PlanRate { mean_bps: mean.mean, ci95_bps: Some(mean.half).filter(|half| half.is_finite()) }
}
