//! What a plan needs from a run: how much data had arrived by which time, and a few numbers
//! from the second half of the run. It is stored like a row of a sweep.

use std::sync::Arc;

use tusker_core::Duration;
use tusker_plan::executor::Progress;
use tusker_plan::plan::Plan;
use tusker_store::sweep::Row;

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

/// Running totals of all flows, and of those that are judged: the transfer's connections, or
/// the others if there is no transfer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums([f64; COLUMNS]);

/// Payload of the transfer and of the others, bytes; packets sent by all; congestion episodes
/// of the others; and, of those that are judged, congestion episodes, segments sent,
/// retransmissions, the sum of the round trips in seconds, and their number.
const COLUMNS: usize = 9;

impl Sums {
    /// From what happened so far in a run of [`super::path::scenario`].
    pub fn of(plan: &Plan, flows: &[Progress]) -> Self {
        let mut sums = [0.0; COLUMNS];
        let alone = !plan.groups.iter().any(|name| name == OURS);
        for (planned, flow) in plan.flows.iter().zip(flows) {
            let ours = plan.groups[planned.group] == OURS;
            let payload = planned.tcp.payload().get() as f64;
            sums[usize::from(!ours)] += flow.delivered as f64 * payload;
            sums[2] += flow.sent as f64;
            let episodes = (flow.episodes + flow.timeouts) as f64;
            if !ours && !alone {
                sums[3] += episodes;
                continue;
            }
            let (sent, again) = (flow.sent as f64, flow.retransmitted as f64);
            let judged = [episodes, sent, again, flow.rtt_sum_s, flow.rtt_samples as f64];
            sums[4..].iter_mut().zip(judged).for_each(|(sum, value)| *sum += value);
        }
        Self(sums)
    }

    /// Packets sent.
    pub fn cost(&self) -> f64 {
        self.0[2]
    }

    /// At a place between these, counted from the first.
    fn at(all: &[Self], place: f64) -> [f64; COLUMNS] {
        let before = (place as usize).min(all.len() - 1);
        let (a, b) = (all[before].0, all[(before + 1).min(all.len() - 1)].0);
        let share = place - before as f64;
        std::array::from_fn(|column| a[column] + share * (b[column] - a[column]))
    }
}

impl Measured {
    /// From the totals at the edges of bins, which have this length, from the start of the
    /// transfer on. There may be more or fewer than [`BINS`] of them.
    pub fn of(bin: Duration, sums: &[Sums]) -> Self {
        let step = (sums.len() - 1) as f64 / BINS as f64;
        let edges: Vec<_> = (0..=BINS).map(|n| Sums::at(sums, n as f64 * step)).collect();
        let (start, middle, end) = (edges[0], edges[BINS / 2], edges[BINS]);
        let late = |column: usize| end[column] - middle[column];
        Self {
            bin: bin.secs() * step,
            ours: edges.iter().map(|edge| edge[0]).collect(),
            // what they delivered before does not count
            others: edges.iter().map(|edge| edge[1] - start[1]).collect(),
            cost: end[2],
            others_episodes: late(3),
            episodes: late(4),
            sent: late(5),
            again: late(6),
            rtt: late(7) / late(8),
        }
    }

    /// Only what arrived by the edges of bins of so many seconds, for tests.
    #[cfg(test)]
    pub fn carried(bin: f64, ours: Vec<f64>, others: Vec<f64>) -> Self {
        Self {
            bin,
            ours,
            others,
            cost: 0.0,
            others_episodes: 0.0,
            episodes: 0.0,
            sent: 0.0,
            again: 0.0,
            rtt: f64::NAN,
        }
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

    /// Two bins, of 100 and 300 bytes, are stretched to 400; the round trips of the second
    /// are 4 s / 40 = 100 ms.
    #[test]
    fn bins_are_stretched_to_the_same_number() {
        let of = |bytes: f64, rtt: f64, samples: f64| {
            Sums([bytes, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, rtt, samples])
        };
        let sums = [of(0.0, 0.0, 0.0), of(100.0, 3.0, 10.0), of(400.0, 7.0, 50.0)];
        let run = Measured::of(Duration::from_secs(1.0), &sums);
        assert_eq!((run.bin, run.length(), run.ours.len()), (0.005, 2.0, BINS + 1));
        assert_eq!(
            [run.ours[0], run.ours[100], run.ours[300], run.ours[400]],
            [0.0, 50.0, 250.0, 400.0]
        );
        assert_eq!(run.rtt, 0.1);
    }

    /// 1,000 bytes in the first two of four bins of half a second, 3,000 in the other two:
    /// 3,000 bytes in a second are 24 kbit/s.
    #[test]
    fn the_late_rate_is_that_of_the_second_half() {
        let ours = vec![0.0, 200.0, 1_000.0, 2_000.0, 4_000.0];
        let run = Measured::carried(0.5, ours, vec![0.0; 5]);
        assert_eq!(run.late_bps(), 24_000.0);
    }
}
