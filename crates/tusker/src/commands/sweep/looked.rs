//! What is noted about the points of a sweep when they are made.

use std::collections::{BTreeMap, BTreeSet};

use tusker_core::Time;
use tusker_core::congestion::Kind as Law;
use tusker_core::spec::Kind as _;
use tusker_measure::cycle::{delays, slowest};
use tusker_measure::doubts::Expected;
use tusker_measure::path_of::path_of;
use tusker_report::doubts;
use tusker_report::sweep::lone;
use tusker_scenario::{Complete, Written};
use tusker_store::sweep::SweepSummary;

use super::setting::Seen;

/// What was seen of the points when they were made.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub setting: Seen,
    /// What is expected of each point.
    pub expected: BTreeMap<usize, Expected>,
    /// Groups that are called after a law and have another at some point.
    misnamed: BTreeSet<String>,
    /// The path of each point, and its first seed.
    paths: BTreeMap<usize, (String, u64)>,
    /// There are several flows at some point.
    several: bool,
    /// Some link somewhere delays packets at random.
    jitter: bool,
    /// Something else that is random somewhere: packets are lost, flows come and go.
    random: bool,
    /// The note on flows of which seeds say little, if it is of these; and whether it was said.
    lone: Option<String>,
    pub said: bool,
}

/// Random delays for every packet, which break the cycles of lone flows, and are so short that
/// they change little else (docs/guide.md, Pitfalls).
const JITTER: (&str, &str) = ("dumbbell.jitter", "100us");

impl Looked {
    pub fn look(&mut self, point: usize, complete: &Complete) {
        let plan = complete.plan();
        self.expected.insert(point, Expected::of(plan));
        let seed = complete.seed();
        let seconds = |time: Time| time.nanos() as f64 / 1e9;
        let window = (seconds(plan.measure_from), seconds(plan.measure_to));
        self.setting.window(window, seed);
        self.setting.profile(complete.profile().write());
        self.paths.insert(point, (path_of(plan), seed));
        self.several |= plan.flows.len() > 1;
        let jitters = plan.links.iter().flat_map(|link| link.jitter.values()).flatten();
        let most = jitters.map(|jitter| jitter.most().secs()).fold(0.0, f64::max);
        self.jitter |= most > 0.0;
        self.setting.jitter(most);
        let (from, to) = (plan.measure_from, plan.measure_to);
        self.random |= plan.links.iter().any(|link| link.loss.values().any(|l| l.mean() > 0.0))
            || !plan.background.is_empty()
            || plan.lasting() < plan.flows.len()
            || plan.flows.iter().any(|flow| flow.app.is_some());
        self.setting.flows(plan.flows.len());
        for flow in &plan.flows {
            let narrow = slowest(plan, flow).map(|link| &plan.links[link]);
            let narrow =
                narrow.map(|link| (link.rate.bits_per_sec() as f64, link.queue.policy.name()));
            if let Some((rate, _)) = narrow {
                let (bdp, packet) = (rate / 8.0 * delays(plan, flow), flow.tcp.packet.get());
                self.setting.tcp(bdp, packet, flow.tcp.recovery.write());
            }
            let kept = flow.route.iter().map(|&link| 1.0 - plan.links[link].mean_loss(from, to));
            self.setting.path(narrow, delays(plan, flow), 1.0 - kept.product::<f64>());
            self.setting.law(flow.cc.name(), flow.cc.sheet().source);
            let name = &plan.groups[flow.group];
            if name != flow.cc.name() && Law::ALL.iter().any(|law| law.sheet().name == name) {
                self.misnamed.insert(name.clone());
            }
        }
    }

    /// The note on single flows of which every seed gives the same.
    pub fn single(&self, summary: &SweepSummary) -> Option<String> {
        if self.several {
            return None;
        }
        let lone = || self.lone.clone().filter(|_| !self.said);
        lone::note(summary, self.jitter).or_else(lone)
    }

    /// What can be said before the first run: that it will be too short, or that lone flows
    /// will repeat themselves; `works` says whether the scenario has this key.
    pub fn ahead(
        &mut self,
        works: &dyn Fn(&str, &str) -> bool,
    ) -> (Option<String>, Option<String>) {
        let lone = self.paths.len() > 1 && !self.several && !self.jitter && !self.random;
        self.lone = (lone && works(JITTER.0, JITTER.1)).then(|| {
            format!(
                "a single flow at each point, and nothing random on its path: seeds hardly \
                 differ, and a slightly different buffer or delay may give another value. --set \
                 {}={} makes delays vary (tusker explain jitter); this changes results, so name \
                 it with them",
                JITTER.0, JITTER.1
            )
        });
        (doubts::ahead(self.expected.values()), self.lone.clone())
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
        let lone = !self.jitter && self.single(summary).is_some() && works(JITTER.0, JITTER.1);
        let jitter = lone.then(|| (JITTER.0, JITTER.1.to_owned()));
        let what = match (&longer, &jitter) {
            (None, None) => return None,
            (Some(_), None) => "the same, long enough",
            (None, Some(_)) => "the same with random delays, so that seeds differ",
            (Some(_), Some(_)) => "the same, long enough and with random delays",
        };
        Some((longer.into_iter().chain(jitter).collect(), what))
    }

    /// The path of each point, and its first seed.
    pub fn paths(&self) -> &BTreeMap<usize, (String, u64)> {
        &self.paths
    }

    /// The note on groups whose columns have the name of a law that they do not run.
    pub fn named(&self) -> Option<String> {
        let first = self.misnamed.first()?;
        Some(format!(
            "the group `{first}` is named after one congestion control, but has others at other \
             points. Columns and labels keep this name; --set \
             'flows.{first}.name=flow' gives the group another one"
        ))
    }
}
