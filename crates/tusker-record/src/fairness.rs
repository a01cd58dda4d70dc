//! Max-min fair rates and Jain's index.
//!
//! Max-min fairness (Bertsekas and Gallager, *Data Networks*, section 6.5.2):
//! no flow's rate can be raised without lowering that of a flow which has no
//! more. Found by water-filling: raise all rates together; whenever a link is
//! full, freeze the flows through it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::plan::{Pattern, Plan};

/// The max-min fair rate of each flow of a plan, in bit/s on the wire.
///
/// Background sources take their mean rate first. Every flow counts as greedy
/// and always there: sizes, starts and stops are not looked at, nor is what
/// ACKs take on the way back.
pub fn max_min(plan: &Plan) -> Vec<f64> {
    let mut links: Vec<Filling> = plan
        .links
        .iter()
        .map(|link| Filling { left: link.rate.bits_per_sec() as f64, flows: Vec::new(), open: 0 })
        .collect();
    for source in &plan.background {
        let share = match source.pattern {
            Pattern::Constant { .. } => 1.0,
            Pattern::OnOff { on, off } => on.secs() / (on.secs() + off.secs()),
        };
        for &link in &source.route {
            let mean = source.rate.bits_per_sec() as f64 * share;
            links[link].left = (links[link].left - mean).max(0.0);
        }
    }
    for (i, flow) in plan.flows.iter().enumerate() {
        for &link in &flow.route {
            links[link].flows.push(i);
            links[link].open += 1;
        }
    }
    let mut rates: Vec<Option<f64>> = vec![None; plan.flows.len()];
    // the level at which a link fills up only rises while others freeze, so a
    // level that was noted too low is noted anew when its turn comes
    let mut turns: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let note = |level: f64, link: usize| Reverse((level.to_bits(), link));
    for (i, link) in links.iter().enumerate().filter(|(_, link)| link.open > 0) {
        turns.push(note(link.level(), i));
    }
    while let Some(Reverse((noted, i))) = turns.pop() {
        if links[i].open == 0 {
            continue;
        }
        let level = links[i].level();
        if level.to_bits() > noted {
            turns.push(note(level, i));
            continue;
        }
        for flow in std::mem::take(&mut links[i].flows) {
            if rates[flow].is_none() {
                rates[flow] = Some(level);
                for &link in &plan.flows[flow].route {
                    links[link].left = (links[link].left - level).max(0.0);
                    links[link].open -= 1;
                }
            }
        }
    }
    rates.into_iter().map(|rate| rate.unwrap_or(f64::INFINITY)).collect()
}

/// A link while rates rise.
struct Filling {
    /// What frozen flows leave.
    left: f64,
    flows: Vec<usize>,
    /// Flows that are not frozen.
    open: usize,
}

impl Filling {
    fn level(&self) -> f64 {
        self.left / self.open as f64
    }
}

/// Jain's fairness index (Jain, Chiu and Hawe 1984): `(sum x)^2 / (n sum x^2)`,
/// from 1/n if one has everything to 1 if all have the same. For shares of
/// what is fair, divide each rate by its [`max_min`] rate first. NaN if there
/// is nothing to compare.
pub fn jain(x: &[f64]) -> f64 {
    let sum: f64 = x.iter().sum();
    let squares: f64 = x.iter().map(|x| x * x).sum();
    sum * sum / (x.len() as f64 * squares)
}
