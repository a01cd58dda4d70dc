//! What a plan needs from a run: how much had arrived when, and a few numbers from its
//! second half. It is stored like a row of a sweep.

use std::sync::Arc;

use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_record::store::sweep::Row;

use super::path::{BINS, OURS};

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    /// Length of a bin in seconds.
    pub bin: f64,
    /// Payload that the transfer's connections had delivered by the start of each bin and
    /// by the end of the last, bytes.
    pub ours: Vec<f64>,
    /// The same for the others.
    pub others: Vec<f64>,
    /// Packets sent in the whole run: its cost.
    pub cost: f64,
    /// Congestion episodes and timeouts of the others in the second half.
    pub others_episodes: f64,
    /// For the transfer in the second half: congestion episodes and timeouts ...
    pub episodes: f64,
    /// ... segments sent ...
    pub sent: f64,
    /// ... retransmissions among these ...
    pub again: f64,
    /// ... and the mean round trip, seconds; NaN without one.
    pub rtt: f64,
}

const SINGLE: [&str; 7] =
    ["bin_s", "cost", "others_episodes", "episodes", "sent", "retransmissions", "rtt_mean_s"];

impl Measured {
    /// From a run of [`super::path::scenario`].
    pub fn of(plan: &Plan, run: &Run) -> Self {
        let mut all = [vec![0.0; BINS + 1], vec![0.0; BINS + 1]];
        let rows = run.trace.times.len();
        let first = rows.saturating_sub(BINS + 1);
        for series in run.trace.series.iter().filter(|series| series.quantity == "delivered") {
            let flow = plan.flows.iter().find(|flow| flow.name == series.subject);
            let Some(flow) = flow else { continue };
            let payload = flow.tcp.payload().get() as f64;
            let kind = usize::from(plan.groups[flow.group] != OURS);
            for (sum, value) in all[kind].iter_mut().zip(&series.values[first..]) {
                *sum += value * payload;
            }
        }
        let [ours, mut others] = all;
        // what they delivered before does not count
        let before = others[0];
        others.iter_mut().for_each(|value| *value -= before);
        let own = |group: &str| group == OURS || !plan.groups.iter().any(|name| name == OURS);
        let flows = plan.flows.iter().zip(&run.flows);
        let mut measured = Self {
            bin: plan.trace.interval.map_or(0.0, |interval| interval.secs()),
            ours,
            others,
            cost: run.flows.iter().map(|flow| flow.total.sent).sum::<u64>() as f64,
            others_episodes: 0.0,
            episodes: 0.0,
            sent: 0.0,
            again: 0.0,
            rtt: f64::NAN,
        };
        let (mut rtt, mut samples) = (0.0, 0.0);
        for (planned, flow) in flows {
            let episodes = (flow.episodes + flow.timeouts) as f64;
            if !own(&plan.groups[planned.group]) {
                measured.others_episodes += episodes;
                continue;
            }
            measured.episodes += episodes;
            measured.sent += flow.sent as f64;
            measured.again += flow.retransmitted as f64;
            if let Some(mean) = flow.rtt.mean() {
                let count = flow.rtt.count() as f64;
                rtt += mean * 1e-9 * count;
                samples += count;
            }
        }
        measured.rtt = rtt / samples;
        measured
    }

    /// Seconds from the start of the transfer to the end of the run.
    pub fn length(&self) -> f64 {
        self.bin * (self.ours.len() - 1) as f64
    }

    /// The transfer's goodput in the second half of the run, bit/s.
    pub fn late_bps(&self) -> f64 {
        let last = self.ours.len() - 1;
        let middle = last / 2;
        (self.ours[last] - self.ours[middle]) * 8.0 / ((last - middle) as f64 * self.bin)
    }

    /// When this many bytes had been delivered, in seconds from the start; `None` if they
    /// were not.
    pub fn took(&self, size: f64) -> Option<f64> {
        let at = self.ours.iter().position(|sum| *sum >= size)?;
        let Some(before) = at.checked_sub(1) else { return Some(0.0) };
        let (from, to) = (self.ours[before], self.ours[at]);
        Some((before as f64 + (size - from) / (to - from)) * self.bin)
    }

    /// In stored form.
    pub fn row(&self) -> Row {
        let names = SINGLE.map(str::to_owned).into_iter();
        let series = |name: &'static str| (0..=BINS).map(move |bin| format!("{name}.{bin}"));
        let names = names.chain(series("transfer_bytes")).chain(series("others_bytes"));
        let names: Arc<[String]> = names.collect();
        let theirs = self.others_episodes;
        let single = [self.bin, self.cost, theirs, self.episodes, self.sent, self.again, self.rtt];
        let values = single.iter().chain(&self.ours).chain(&self.others).copied().collect();
        Row { names, values }
    }

    /// From stored form; `None` if it is something else.
    pub fn read(row: &Row) -> Option<Self> {
        let single = SINGLE.len();
        let [bin, cost, others_episodes, episodes, sent, again, rtt] = *row.values.get(..single)?
        else {
            return None;
        };
        let ours = row.values.get(single..=single + BINS)?.to_vec();
        let others = row.values.get(single + BINS + 1..)?.to_vec();
        let whole = others.len() == BINS + 1 && row.names.first()? == SINGLE[0];
        whole.then_some(Self {
            bin,
            ours,
            others,
            cost,
            others_episodes,
            episodes,
            sent,
            again,
            rtt,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 bytes in the first two of four bins of half a second, 3,000 in the other two:
    /// 3,000 bytes in a second are 24 kbit/s.
    #[test]
    fn the_late_rate_is_that_of_the_second_half() {
        let run = Measured {
            bin: 0.5,
            ours: vec![0.0, 200.0, 1_000.0, 2_000.0, 4_000.0],
            others: vec![0.0; 5],
            cost: 0.0,
            others_episodes: 0.0,
            episodes: 0.0,
            sent: 0.0,
            again: 0.0,
            rtt: f64::NAN,
        };
        assert_eq!(run.late_bps(), 24_000.0);
    }
}
