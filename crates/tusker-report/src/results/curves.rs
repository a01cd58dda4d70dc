//! Figures over time: one for each experiment; the two planes of an experiment share one.

use super::{Case, overlay, overtime, slug};
use crate::page::Block;

/// The same, each behind its title.
pub(super) fn folded(cases: &[Case<'_>]) -> Vec<Block> {
    let behind = |block: Block| match block {
        Block::Figure(figure) => {
            let title = format!("{} over time, flow by flow", figure.title);
            Block::More(title, vec![Block::Figure(figure)])
        }
        other => other,
    };
    blocks(cases).into_iter().map(behind).collect()
}

pub(super) fn blocks(cases: &[Case<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (pairs, rest) = overlay::pairs(cases);
    let mut alone: Vec<&Case<'_>> = rest;
    for pair in &pairs {
        let name = match (pairs.len(), cases.len()) {
            (1, 2) => "time".to_owned(),
            _ => format!("time-{}", slug(&pair.measured.summary().scenario)),
        };
        match overlay::figure(pair, &name, &pair.measured.summary().scenario) {
            Some(figure) => blocks.push(figure.into()),
            // one of them has nothing to show
            None => alone.extend([pair.simulated, pair.measured]),
        }
    }
    for case in alone {
        let name = match cases.len() {
            1 => "time".to_owned(),
            _ => format!("time-{}", slug(&case.label)),
        };
        let Some((number, trace)) = &case.stored.series else {
            let label = &case.label;
            blocks.push(Block::Text(format!(
                "{label}: nothing was recorded over time. Run it again, or set trace.interval in \
                 its scenario.",
            )));
            continue;
        };
        if let Some(figure) = overtime::figure(&case.alone(), &name, *number, trace) {
            blocks.push(figure.into());
        }
    }
    blocks
}
