//! What is seen of the points of a sweep when their scenarios are made: what all have in common,
//! what is expected of each, and the notes that follow from it.

use std::collections::{BTreeMap, BTreeSet};

use tusker_core::Time;
use tusker_core::congestion::Kind as Law;
use tusker_core::spec::Kind as _;
use tusker_measure::cycle::{delays, slowest};
use tusker_measure::doubts::Expected;
use tusker_measure::path_of::path_of;
use tusker_scenario::{Complete, Written};
use tusker_store::sweep::{Range, Setting, SweepSummary};

use crate::doubts;

/// What was seen of the points.
#[derive(Debug, Default)]
pub struct Seen {
    /// What is expected of each point.
    pub expected: BTreeMap<usize, Expected>,
    /// The path of each point, and its first seed.
    pub paths: BTreeMap<usize, (String, u64)>,
    window_s: Only<Range>,
    seed: Only<u64>,
    profile: Only<String>,
    /// The queue policies of the slowest links.
    queue: Only<&'static str>,
    recovery: Only<String>,
    /// The BDP and the segments of flows, in bytes.
    bdp: Only<(u64, u64)>,
    rate_bps: Option<Range>,
    rtt_s: Option<Range>,
    loss: Option<Range>,
    flows: Option<Range>,
    jitter_s: Option<Range>,
    /// The congestion controls, with their sources.
    laws: BTreeMap<&'static str, &'static str>,
    /// Groups that are called after a law and have another at some point.
    misnamed: BTreeSet<String>,
    /// Packets are lost at random, or flows come and go, at some point.
    random: bool,
}

/// A value that all have, as far as they are the same.
#[derive(Debug, Default)]
enum Only<T> {
    #[default]
    None,
    One(T),
    Several,
}

impl<T: PartialEq> Only<T> {
    fn add(&mut self, value: T) {
        match self {
            Self::None => *self = Self::One(value),
            Self::One(own) if *own != value => *self = Self::Several,
            _ => {}
        }
    }

    fn get(&self) -> Option<&T> {
        if let Self::One(value) = self { Some(value) } else { None }
    }
}

/// Random delays for every packet, which break the cycles of lone flows, and are so short that
/// they change little else (docs/guide.md, Pitfalls).
const JITTER: (&str, &str) = ("dumbbell.jitter", "100us");

impl Seen {
    /// Adds a point.
    pub fn look(&mut self, point: usize, complete: &Complete) {
        let (plan, seed) = (complete.plan(), complete.seed());
        let (from, to) = (plan.measure_from, plan.measure_to);
        self.expected.insert(point, Expected::of(plan));
        self.paths.insert(point, (path_of(plan), seed));
        self.window_s.add([seconds(from), seconds(to)]);
        self.seed.add(seed);
        self.profile.add(complete.profile().write());
        let jitters = plan.links.iter().flat_map(|link| link.jitter.values()).flatten();
        let jitter = jitters.map(|jitter| jitter.most().secs()).fold(0.0, f64::max);
        widen(&mut self.jitter_s, jitter);
        self.random |= plan.links.iter().any(|link| link.loss.values().any(|l| l.mean() > 0.0))
            || !plan.background.is_empty()
            || plan.lasting() < plan.flows.len()
            || plan.flows.iter().any(|flow| flow.app.is_some());
        widen(&mut self.flows, plan.flows.len() as f64);
        for flow in &plan.flows {
            let rtt = delays(plan, flow);
            if let Some(link) = slowest(plan, flow).map(|link| &plan.links[link]) {
                let rate = link.rate.bits_per_sec() as f64;
                widen(&mut self.rate_bps, rate);
                self.queue.add(link.queue.policy.name());
                self.bdp.add(((rate / 8.0 * rtt).round() as u64, flow.tcp.packet.get()));
                self.recovery.add(flow.tcp.recovery.write());
            }
            let kept = flow.route.iter().map(|&link| 1.0 - plan.links[link].mean_loss(from, to));
            widen(&mut self.loss, 1.0 - kept.product::<f64>());
            widen(&mut self.rtt_s, rtt);
            let (law, source) = (flow.cc.name(), flow.cc.sheet().source);
            // the first of several
            self.laws.insert(law, source.split("; ").next().unwrap_or(source));
            let group = &plan.groups[flow.group];
            if group != law && Law::ALL.iter().any(|law| law.sheet().name == group) {
                self.misnamed.insert(group.clone());
            }
        }
    }

    /// Whether every point has one flow.
    pub fn is_lone(&self) -> bool {
        self.flows == Some([1.0, 1.0])
    }

    /// What all points have in common, and how far they differ.
    pub fn setting(&self) -> Setting {
        let bdp = self.bdp.get();
        let laws = self.laws.iter().map(|(law, from)| ((*law).to_owned(), (*from).to_owned()));
        Setting {
            window_s: self.window_s.get().copied(),
            seed: self.seed.get().copied(),
            rate_bps: self.rate_bps,
            rtt_s: self.rtt_s,
            loss: self.loss,
            jitter_s: self.jitter_s,
            flows: self.flows,
            bdp_bytes: bdp.map(|(bdp, _)| *bdp),
            packet_bytes: bdp.map(|(_, packet)| *packet),
            queue: self.queue.get().map(|&policy| policy.to_owned()),
            recovery: self.recovery.get().cloned(),
            profile: self.profile.get().cloned(),
            laws: laws.collect(),
            tusker: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The note on single flows, of which seeds say little; `works` says whether the scenario has
    /// this key.
    pub fn lone(&self, works: &dyn Fn(&str, &str) -> bool) -> Option<String> {
        let alone = self.flows.is_none_or(|[_, most]| most <= 1.0);
        let jitters = self.jitter_s.is_some_and(|[_, most]| most > 0.0);
        let lone = self.paths.len() > 1 && alone && !jitters && !self.random;
        (lone && works(JITTER.0, JITTER.1)).then(|| {
            format!(
                "a single flow at each point, and nothing random on its path: seeds hardly \
                 differ, and a slightly different buffer or delay may give another value. --set \
                 {}={} makes delays vary (tusker explain jitter); this changes results, so name \
                 it with them",
                JITTER.0, JITTER.1
            )
        })
    }

    /// The note on groups whose columns have the name of a law that they do not run.
    pub fn misnamed(&self) -> Option<String> {
        let first = self.misnamed.first()?;
        Some(format!(
            "the group `{first}` is named after one congestion control, but has others at other \
             points. Columns and labels keep this name; --set \
             'flows.{first}.name=flow' gives the group another one"
        ))
    }

    /// Values with which the notes on these points would not be needed, and what for.
    pub fn better(
        &self,
        summary: &SweepSummary,
        works: &dyn Fn(&str, &str) -> bool,
    ) -> Option<(Vec<(&'static str, String)>, &'static str)> {
        let longer = doubts::long_enough(summary);
        let longer = longer.map(|duration| ("duration", format!("{duration}s")));
        let longer = longer.filter(|(key, value)| works(key, value));
        let jitter = self.lone(works).map(|_| (JITTER.0, JITTER.1.to_owned()));
        let what = match (&longer, &jitter) {
            (None, None) => return None,
            (Some(_), None) => "the same, long enough",
            (None, Some(_)) => "the same with random delays, so that seeds differ",
            (Some(_), Some(_)) => "the same, long enough and with random delays",
        };
        Some((longer.into_iter().chain(jitter).collect(), what))
    }
}

/// Takes a value into a range.
fn widen(range: &mut Option<Range>, value: f64) {
    let [least, most] = range.unwrap_or([value, value]);
    *range = Some([least.min(value), most.max(value)]);
}

/// Seconds without digits that floating point adds: 30, not 30.000000000000004.
fn seconds(time: Time) -> f64 {
    (time.nanos() as f64 / 1e9 * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_no_digits_that_floating_point_adds() {
        assert_eq!(seconds(Time::from_nanos(30_000_000_000)).to_string(), "30");
        assert_eq!(seconds(Time::from_nanos(300_000_000)).to_string(), "0.3");
    }

    #[test]
    fn a_value_that_differs_is_no_ones() {
        let mut only = Only::default();
        assert_eq!(only.get(), None);
        only.add(3);
        only.add(3);
        assert_eq!(only.get(), Some(&3));
        only.add(4);
        only.add(3);
        assert_eq!(only.get(), None);
    }
}
