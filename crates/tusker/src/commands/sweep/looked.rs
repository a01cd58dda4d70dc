//! What is seen of the points of a sweep when they are made.

use std::collections::{BTreeMap, BTreeSet};

use tusker_core::Time;
use tusker_core::congestion::Kind as Law;
use tusker_core::spec::Kind as _;
use tusker_record::store::sweep::SweepSummary;
use tusker_scenario::{Complete, Written};

use crate::commands::path_of::path_of;
use crate::commands::too_short::{self, delays, slowest};
use crate::report;

/// What was seen of the points when they were made.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub setting: report::Setting,
    pub short: too_short::Points,
    /// Groups that are called after a law and have another at some point.
    misnamed: BTreeSet<String>,
    /// The path of each point, and its first seed.
    paths: BTreeMap<usize, (String, u64)>,
    /// Some group somewhere has several flows.
    several: bool,
    /// Some link somewhere delays packets at random.
    jitter: bool,
}

impl Looked {
    pub fn look(&mut self, point: usize, complete: &Complete) {
        let plan = complete.plan();
        self.short.look(point, plan);
        let seed = complete.seed();
        let seconds = |time: Time| time.nanos() as f64 / 1e9;
        let window = (seconds(plan.measure_from), seconds(plan.measure_to));
        self.setting.window(window, seed);
        self.paths.insert(point, (path_of(plan), seed));
        let groups: BTreeSet<usize> = plan.flows.iter().map(|flow| flow.group).collect();
        self.several |= plan.flows.len() > groups.len();
        self.jitter |= plan.links.iter().any(|link| link.jitter.is_some());
        self.setting.flows(plan.flows.len());
        for flow in &plan.flows {
            let narrow = slowest(plan, flow).map(|link| &plan.links[link]);
            let narrow =
                narrow.map(|link| (link.rate.bits_per_sec() as f64, link.queue.policy.name()));
            if let Some((rate, _)) = narrow {
                let (bdp, packet) = (rate / 8.0 * delays(plan, flow), flow.tcp.packet.get());
                self.setting.tcp(bdp, packet, flow.tcp.recovery.write());
            }
            let kept = flow.route.iter().map(|&link| 1.0 - plan.links[link].loss.mean());
            self.setting.path(narrow, delays(plan, flow), 1.0 - kept.product::<f64>());
            let name = &plan.groups[flow.group];
            if name != flow.cc.name() && Law::ALL.iter().any(|law| law.sheet().name == name) {
                self.misnamed.insert(name.clone());
            }
        }
    }

    /// The note on single flows of which every seed gives the same.
    pub fn single(&self, summary: &SweepSummary) -> Option<String> {
        if self.several { None } else { report::lone::note(summary, self.jitter) }
    }

    /// The path of each point, and its first seed.
    pub fn paths(&self) -> &BTreeMap<usize, (String, u64)> {
        &self.paths
    }

    /// The note on groups whose columns have the name of a law that they do not run.
    pub fn named(&self) -> Option<String> {
        let first = self.misnamed.first()?;
        Some(format!(
            "note: the group `{first}` is named after one congestion control, but has others at \
             other points.\n      Columns and labels keep this name; --set \
             'flows.{first}.name=flow' gives the group another one"
        ))
    }
}
