//! Connections that come and go: how long transfers and pages take.

use serde::{Deserialize, Serialize};

use super::earliest::{transfer_by, transfer_rounding};
use super::{ClassSummary, Replicate, TransferKind, TransferSummary, Transfers, View};
use crate::stats::{Sample, mean, quantile};
use tusker_plan::plan::{Demand, Plan, Traffic};
use tusker_plan::run::{Run, Transfer};

/// Limits of the size classes, bytes.
pub const CLASSES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// The results of one demand in one replicate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comings {
    /// All sizes together.
    pub all: Transfers<Sample>,
    /// By size: one more than [`CLASSES`].
    pub classes: Vec<Transfers<Sample>>,
}

/// The shortest possible time of a transfer in seconds: the opening, if there is
/// one, then all packets in sequence over the empty path, with the rates of its
/// links from the start of the transfer on. `None` for pages, which are not a
/// single transfer.
pub fn ideal(plan: &Plan, traffic: &Traffic, transfer: &Transfer) -> Option<f64> {
    if matches!(traffic.demand, Demand::Web(_)) {
        return None;
    }
    let flow = &plan.flows[traffic.slots.start];
    let (begin, bytes) = (transfer.begin, transfer.bytes);
    let fixed = |&l: &usize| plan.links[l].is_steady();
    if !flow.route.iter().chain(&flow.reverse).all(fixed) {
        return Some(transfer_by(plan, traffic, begin, bytes).since(begin).secs());
    }
    let along = |route: &[usize], size: u64| -> f64 {
        let link = |&l: &usize| {
            let link = &plan.links[l];
            link.propagation().secs() + size as f64 * 8.0 / link.rate.bits_per_sec() as f64
        };
        route.iter().map(link).sum()
    };
    let tcp = &flow.tcp;
    let rates = flow.route.iter().map(|&l| plan.links[l].rate.bits_per_sec());
    let slowest = rates.min().unwrap_or(u64::MAX) as f64;
    let opening = along(&flow.route, tcp.header.get()) + along(&flow.reverse, tcp.ack.get());
    let opening = if traffic.handshake { opening } else { 0.0 };
    let more = bytes.div_ceil(tcp.payload().get()).saturating_sub(1);
    let behind = more as f64 * tcp.packet.get() as f64 * 8.0 / slowest;
    Some(opening + along(&flow.route, tcp.packet.get()) + behind)
}

/// Its time divided by the ideal time.
pub fn slowdown(plan: &Plan, traffic: &Traffic, transfer: &Transfer) -> Option<f64> {
    let (took, ideal) = (took(transfer)?, ideal(plan, traffic, transfer)?);
    let rounding = transfer_rounding(plan, traffic).secs();
    Some(if took < ideal && took + rounding >= ideal { 1.0 } else { took / ideal })
}

/// How long it took, seconds.
pub fn took(transfer: &Transfer) -> Option<f64> {
    Some(transfer.end?.since(transfer.begin).secs())
}

impl View<'_> {
    /// Transfers of a demand that began in the measuring window.
    pub fn begun<'r>(&self, t: usize, run: &'r Run) -> impl Iterator<Item = &'r Transfer> {
        let window = self.plan.measure_from..self.plan.measure_to;
        let all = run.traffic.get(t).map_or(&[][..], |traffic| &traffic.transfers);
        all.iter().filter(move |transfer| window.contains(&transfer.begin))
    }

    pub(super) fn comings(&self, t: usize, run: &Run) -> Comings {
        let begun: Vec<&Transfer> = self.begun(t, run).collect();
        let class = |bytes: u64| CLASSES.iter().filter(|&&edge| bytes >= edge).count();
        let of = |c: usize| begun.iter().copied().filter(move |t| class(t.bytes) == c);
        Comings {
            all: self.measure_transfers(t, begun.clone()),
            classes: (0..=CLASSES.len())
                .map(|c| self.measure_transfers(t, of(c).collect()))
                .collect(),
        }
    }

    fn measure_transfers(&self, t: usize, begun: Vec<&Transfer>) -> Transfers<Sample> {
        let traffic = &self.plan.traffic[t];
        let done: Vec<(&Transfer, f64)> =
            begun.iter().filter_map(|&t| Some((t, took(t)?))).collect();
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let times = sorted(done.iter().map(|done| done.1).collect());
        let slow = done.iter().filter_map(|(transfer, _)| slowdown(self.plan, traffic, transfer));
        let slow = sorted(slow.collect());
        let average = |values: &[f64]| Sample::once((!values.is_empty()).then(|| mean(values)));
        let at = |values: &[f64], q: f64| Sample::once(quantile(values, q));
        let sizes: Vec<f64> = done.iter().map(|(transfer, _)| transfer.bytes as f64).collect();
        let waited: u64 = begun.iter().map(|transfer| transfer.waited).sum();
        Transfers {
            begun: (begun.len() as f64).into(),
            completed: Sample::once(
                (!begun.is_empty()).then(|| done.len() as f64 / begun.len() as f64),
            ),
            size_mean_bytes: average(&sizes),
            waited: (waited as f64).into(),
            time_mean_s: average(&times),
            time_p50_s: at(&times, 0.5),
            time_p95_s: at(&times, 0.95),
            time_p99_s: at(&times, 0.99),
            time_max_s: Sample::once(times.last().copied()),
            slowdown_mean: average(&slow),
            slowdown_p50: at(&slow, 0.5),
            slowdown_p95: at(&slow, 0.95),
            slowdown_p99: at(&slow, 0.99),
        }
    }
}

/// The summaries of all demands.
pub(super) fn over(plan: &Plan, replicates: &[&Replicate]) -> Vec<TransferSummary> {
    let one = |(t, traffic): (usize, &Traffic)| {
        let own: Vec<&Comings> = replicates.iter().filter_map(|r| r.transfers.get(t)).collect();
        let all: Vec<&Transfers<Sample>> = own.iter().map(|comings| &comings.all).collect();
        let class = |c: usize| {
            let own: Vec<&Transfers<Sample>> = own.iter().map(|own| &own.classes[c]).collect();
            own.iter().any(|class| class.begun.value > Some(0.0)).then(|| ClassSummary {
                from_bytes: c.checked_sub(1).map_or(0.0, |c| CLASSES[c] as f64),
                below_bytes: CLASSES.get(c).map(|&edge| edge as f64),
                measured: Transfers::over(&own),
            })
        };
        TransferSummary {
            name: plan.groups[traffic.group].clone(),
            kind: match traffic.demand {
                Demand::Arrivals { .. } => TransferKind::Arrivals,
                Demand::Web(_) => TransferKind::Web,
            },
            measured: Transfers::over(&all),
            classes: (0..=CLASSES.len()).filter_map(class).collect(),
        }
    };
    plan.traffic.iter().enumerate().map(one).collect()
}
