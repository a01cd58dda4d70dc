//! The path of a scenario in a few words, as `tusker compare` writes it: `20Mbit, 50ms, buffer
//! 83pkt`.

use std::collections::BTreeSet;

use tusker_core::Duration;
use tusker_plan::plan::{Limit, Plan};
use tusker_scenario::{self as scenario, Written};

use crate::cycle::slowest;

/// Rates and buffers of the slowest link of each flow, and round trips without queues:
/// where they differ, the least and the most. Empty if there is no flow.
pub fn path_of(plan: &Plan) -> String {
    let links: BTreeSet<usize> = plan.flows.iter().filter_map(|flow| slowest(plan, flow)).collect();
    let links = || links.iter().map(|&link| &plan.links[link]);
    let rtts = plan.flows.iter().map(|flow| {
        let way = flow.route.iter().chain(&flow.reverse);
        Duration::from_nanos(way.map(|&link| plan.links[link].propagation().nanos()).sum())
    });
    let buffers = links().filter_map(|link| match link.queue.limit {
        Limit::Packets(packets) => Some(format!("{packets}pkt")),
        Limit::Bytes(bytes) => Some(scenario::Limit::Bytes(bytes).write()),
        Limit::Unlimited | Limit::Backpressure(_) => None,
    });
    let buffers: BTreeSet<String> = buffers.collect();
    let buffer = match (buffers.len(), buffers.first()) {
        (1, Some(buffer)) => Some(format!("buffer {buffer}")),
        (0, _) => None,
        (many, _) => Some(format!("{many} buffers")),
    };
    let words = [range(links().map(|link| link.rate)), range(rtts), buffer];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `20ms`, `20ms to 60ms`.
fn range<T: Ord + Copy + Written>(all: impl Iterator<Item = T>) -> Option<String> {
    let all: BTreeSet<T> = all.collect();
    let (least, most) = (all.first()?, all.last()?);
    Some(match least == most {
        true => least.write(),
        false => format!("{} to {}", least.write(), most.write()),
    })
}
