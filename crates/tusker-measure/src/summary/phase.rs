//! Whether a fixed rhythm of arrivals and departures decides a result.

use super::{LinkSummary, Summary};
use crate::doubts::in_step;
use crate::stats::Estimate;
use crate::table::Unit;

/// A warning if, in any of these results, a fixed rhythm decides which flow loses
/// at a full queue: phase effects.
pub fn phase_note(summaries: &[Summary]) -> Option<String> {
    let of = |summary: &Summary| {
        // a flow alone loses its own packets in either case
        let sources = summary.groups.iter().map(|group| group.flows as usize).sum::<usize>()
            + summary.background.len();
        let link = summary.links.iter().find(|link| sources > 1 && is_in_step(link))?;
        Some((summary.scenario.clone(), link.clone()))
    };
    let all: Vec<(String, LinkSummary)> = summaries.iter().filter_map(of).collect();
    let (name, link) = all.first()?;
    let which = match (summaries.len(), all.len()) {
        (1, _) => "this result".to_owned(),
        (_, 1) => format!("the result of {name}"),
        (_, n) => format!("{n} results ({name} the first)"),
    };
    let m = &link.measured;
    Some(format!(
        "phase effects decide {which}: of {dropped} packets that {link} dropped because its \
         queue was full, {in_step} missed the next departure by the same time, to the \
         nanosecond, as another one shortly before. So the round numbers of the scenario \
         decide which flow loses packets. Real hosts take microseconds to act, and never \
         the same time: compare with host_time = \"10us\" (--set host_time=10us). If the \
         hosts have such a time already, compare with a delay a little longer.",
        dropped = Unit::Count.estimate(m.overflowed),
        link = link.name,
        in_step = Unit::Count.estimate(m.in_step),
    ))
}

/// The same of one result, in one sentence.
pub(super) fn decides(summary: &Summary) -> Option<String> {
    phase_note(std::slice::from_ref(summary))?;
    let link = summary.links.iter().find(|link| is_in_step(link))?;
    let m = &link.measured;
    Some(format!(
        "phase effects decide which flow loses packets at {}: {} of {} drops are in step",
        link.name,
        Unit::Count.estimate(m.in_step),
        Unit::Count.estimate(m.overflowed),
    ))
}

fn is_in_step(link: &LinkSummary) -> bool {
    let mean = |value: Option<Estimate>| value.map(|estimate| estimate.mean);
    in_step(mean(link.measured.in_step), mean(link.measured.overflowed))
}
