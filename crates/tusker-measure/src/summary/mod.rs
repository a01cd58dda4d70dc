//! The results of an experiment: the content of `summary.json`.
//!
//! A [`View`] of a plan turns one run into a [`Replicate`] (one value per
//! measure); a [`Summary`] is made of all replicates that finished (one
//! estimate per measure). The measures are explained at their definitions in
//! [`Total`], [`Group`] and [`Link`].
//!
//! The **bottlenecks** are determined from the plan alone, so that every replicate
//! reports the same links: those that carry data of more than one source and are
//! full when every flow gets its max-min fair rate. If none is full (flows may be
//! limited by their own access links), it is the shared link with the highest load;
//! without a shared link, the link with the highest load.

mod address;
mod audit;
mod bounds;
mod convergence;
mod csv;
mod earliest;
mod flat;
mod measures;
mod notes;
mod phase;
mod physics;
mod planes;
mod queueing;
mod rivals;
mod transfers;
mod view;

pub use address::{MeasureRef, Owner};
pub use audit::{AUDIT_HEAD, AUDIT_NOTE, Audit, AuditLimits, audit_rows, invalid_note};
pub use flat::{flat_names, flat_values, has_flat_names};
pub use measures::{
    Background, Entry, Group, Link, MEASURES, Quantity, Range, Total, Transfers, entry, unit,
};
pub use notes::{nothing_note, waiting_note};
pub use phase::phase_note;
pub use physics::Violation;
pub use planes::{OnPlanes, PLANES_HEAD, TOLERANCE, on_planes};
pub use rivals::Harm;
pub use transfers::{CLASSES, Comings};
pub use transfers::{ideal, slowdown, took};
pub use view::View;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::Time;
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;

use crate::doubts::{Doubt, Expected, Kind as DoubtKind};
use crate::stats::Sample;

/// Version of the format of `summary.json`. Removing a field or changing its
/// meaning raises it; adding one does not.
pub const FORMAT: u32 = 1;

/// The content of `summary.json`. Everything except `execution` depends only on the
/// scenario, the seeds and the version, and is the same on every machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Version of this format.
    pub format: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// All requested replicates are stored.
    pub complete: bool,
    /// Number of requested replicates.
    pub wanted: u32,
    /// Seeds of the stored replicates, in order.
    pub seeds: Vec<u64>,
    /// The measuring window.
    pub window: Window,
    /// Names of the bottleneck links.
    pub bottlenecks: Vec<String>,
    /// Everything together.
    pub total: Total,
    /// The flow groups, in the order of the scenario.
    pub groups: Vec<GroupSummary>,
    /// Connections that come and go, in the order of their groups.
    pub transfers: Vec<TransferSummary>,
    /// The bottlenecks and all other links that the data of more than one
    /// source cross. All others are in the links table of each replicate.
    pub links: Vec<LinkSummary>,
    /// The background sources.
    pub background: Vec<BackgroundSummary>,
    /// What ran the scenario: `simulator` or `testbed`.
    #[serde(default = "simulator")]
    pub plane: String,
    /// Seeds of the replicates that the testbed reports as invalid; `audits` says what is
    /// wrong with each.
    #[serde(default)]
    pub invalid: Vec<u64>,
    /// How well the testbed kept time, one entry per replicate; absent for the simulator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audits: Vec<Audit>,
    /// Why the results may not say what they seem to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// How the numbers were made.
    pub execution: Execution,
}

/// The measuring window, in seconds since the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// When it begins.
    pub from_s: f64,
    /// When it ends.
    pub to_s: f64,
    /// When the experiment ends.
    pub end_s: f64,
}

/// One flow group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupSummary {
    /// Name of the group.
    pub name: String,
    /// How many flows (connections) it has; for connections that come and go, how
    /// many can be in progress at a time.
    pub flows: u32,
    /// How many application flows it has: parallel connections count as one. 0 for
    /// connections that come and go.
    pub applications: u32,
    /// Its congestion control; several names if its flows differ.
    pub cc: Vec<String>,
    /// Sum of its flows' max-min fair rates, bits per second on the wire.
    pub fair_bps: f64,
    /// Sum of its application flows' max-min fair rates, bits per second on the
    /// wire.
    pub applications_fair_bps: f64,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Group,
    /// What it loses because of the other group; only in `tusker compare
    /// --against`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harm: Option<Harm>,
}

/// Connections that come and go of one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransferSummary {
    /// Name of the group.
    pub name: String,
    /// `arrivals` or `web`.
    pub kind: TransferKind,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Transfers,
    /// The same fields for each size class: for the transfers or pages with payloads in one range
    /// (a page's payload is that of all its objects). Classes without transfers are left out.
    pub classes: Vec<ClassSummary>,
}

/// What comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransferKind {
    /// Single transfers.
    Arrivals,
    /// Pages of several objects.
    Web,
}

/// Transfers of a range of sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassSummary {
    /// The smallest payload of the class, bytes.
    pub from_bytes: f64,
    /// The first payload above the class; null if there is none.
    pub below_bytes: Option<f64>,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Transfers,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkSummary {
    /// Name of the link.
    pub name: String,
    /// Rate of its wire, bits per second; the nominal rate if it changes.
    pub rate_bps: f64,
    /// Its queue policy.
    pub queue: String,
    /// Whether it is one of the bottlenecks.
    pub bottleneck: bool,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Link,
}

/// One background source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundSummary {
    /// Name of the source.
    pub name: String,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Background,
}

/// How the numbers were made: what may differ between two machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// Version of Tusker.
    pub tusker: String,
    /// The command line.
    pub command: Vec<String>,
    /// Wall time of all replicates together, as if they ran one after another.
    pub wall_s: f64,
    /// Segments delivered for the first time, in all runs, from beginning to end.
    pub delivered_segments: u64,
    /// Simulated seconds per second of one core.
    pub speed: f64,
    /// `delivered_segments` per second of one core.
    pub segments_per_s: f64,
    /// Events handled per second of one core; null if there are none to count.
    pub events_per_s: Option<f64>,
}

/// The results of one replicate: the content of its `measures.json`, from which a
/// summary can be rebuilt without running anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replicate {
    /// Its number, from 1.
    pub number: u32,
    /// Its seed.
    pub seed: u64,
    /// Wall time.
    pub wall_s: f64,
    /// Events handled.
    pub events: u64,
    /// Segments delivered over the whole run.
    pub segments: u64,
    /// See [`Summary::total`].
    pub total: Total<Sample>,
    /// One per group.
    pub groups: Vec<Group<Sample>>,
    /// One per group of connections that come and go.
    #[serde(default)]
    pub transfers: Vec<Comings>,
    /// One per link that the summary lists.
    pub links: Vec<Link<Sample>>,
    /// One per background source.
    pub background: Vec<Background<Sample>>,
    /// How well a real-time executor kept time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
}

/// The plane of results that do not name it.
fn simulator() -> String {
    Plane::Simulator.name().to_owned()
}

impl Summary {
    /// The summary of the replicates stored so far, in any order.
    pub fn of(scenario: &str, view: &View<'_>, wanted: u32, replicates: &[Replicate]) -> Self {
        let mut sorted: Vec<&Replicate> = replicates.iter().collect();
        sorted.sort_by_key(|replicate| replicate.number);
        let plan = view.plan;
        let groups = (0..plan.groups.len()).map(|g| GroupSummary {
            measured: Group::over(&sorted.iter().map(|r| &r.groups[g]).collect::<Vec<_>>()),
            ..view.group(g)
        });
        let links = view.shown.iter().enumerate().map(|(i, &l)| LinkSummary {
            name: plan.links[l].name.clone(),
            rate_bps: plan.links[l].rate.bits_per_sec() as f64,
            queue: plan.links[l].queue.policy.name().to_owned(),
            bottleneck: view.bottlenecks.contains(&l),
            measured: Link::over(&sorted.iter().map(|r| &r.links[i]).collect::<Vec<_>>()),
        });
        let background = plan.background.iter().enumerate().map(|(b, source)| BackgroundSummary {
            name: source.name.clone(),
            measured: Background::over(
                &sorted.iter().map(|r| &r.background[b]).collect::<Vec<_>>(),
            ),
        });
        let mut summary = Self {
            format: FORMAT,
            scenario: scenario.to_owned(),
            complete: sorted.len() >= wanted as usize,
            wanted,
            seeds: sorted.iter().map(|replicate| replicate.seed).collect(),
            window: Window {
                from_s: seconds(plan.measure_from),
                to_s: seconds(plan.measure_to),
                end_s: seconds(plan.end),
            },
            bottlenecks: view.bottlenecks.iter().map(|&l| plan.links[l].name.clone()).collect(),
            total: Total::over(&sorted.iter().map(|r| &r.total).collect::<Vec<_>>()),
            groups: groups.collect(),
            transfers: transfers::over(plan, &sorted),
            links: links.collect(),
            background: background.collect(),
            plane: simulator(),
            invalid: sorted.iter().filter(|r| r.is_invalid()).map(|r| r.seed).collect(),
            audits: sorted.iter().filter_map(|r| r.audit.clone()).collect(),
            doubts: Vec::new(),
            execution: Execution::of(plan.end.secs(), &sorted),
        };
        summary.doubts = summary.doubtful(plan);
        summary
    }

    /// The doubts about these results.
    fn doubtful(&self, plan: &Plan) -> Vec<Doubt> {
        if self.seeds.is_empty() {
            return Vec::new();
        }
        let measured = |group: &str, measure: &str| {
            let address = MeasureRef { of: Owner::Group(group), name: measure };
            self.find(address).map(|estimate| estimate.mean)
        };
        let whole = |kind, about| Doubt {
            kind,
            group: None,
            cc: None,
            about,
            duration_s: None,
            cycle_s: None,
        };
        let phase = phase::decides(self).map(|about| whole(DoubtKind::PhaseEffects, about));
        let invalid = invalid_note(self).map(|about| whole(DoubtKind::InvalidRuns, about));
        let of_groups = Expected::of(plan).doubts(self.seeds.len(), &measured);
        of_groups.into_iter().chain(phase).chain(invalid).collect()
    }

    /// The same for results of this plane.
    pub fn on(self, plane: &str) -> Self {
        Self { plane: plane.to_owned(), ..self }
    }

    /// Whether real sockets were measured.
    pub fn is_measured(&self) -> bool {
        self.plane != Plane::Simulator.name()
    }

    /// As the text of `summary.json`.
    ///
    /// # Panics
    /// Never: a summary holds only finite numbers and text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a summary is plain data");
        text.push('\n');
        text
    }

    /// The JSON Schema of `summary.json`.
    ///
    /// # Panics
    /// Never: a schema is plain data.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
        text.push('\n');
        text
    }
}

impl Replicate {
    /// Whether the executor itself reports it as invalid.
    pub fn is_invalid(&self) -> bool {
        self.audit.as_ref().is_some_and(|audit| !audit.valid)
    }
}

impl Execution {
    fn of(end_s: f64, replicates: &[&Replicate]) -> Self {
        let wall_s: f64 = replicates.iter().map(|r| r.wall_s).sum();
        let per_second = |amount: f64| if wall_s > 0.0 { amount / wall_s } else { 0.0 };
        let events: f64 = replicates.iter().map(|r| r.events as f64).sum();
        Self {
            tusker: env!("CARGO_PKG_VERSION").to_owned(),
            command: Vec::new(),
            wall_s,
            delivered_segments: replicates.iter().map(|r| r.segments).sum(),
            speed: per_second(end_s * replicates.len() as f64),
            segments_per_s: per_second(replicates.iter().map(|r| r.segments as f64).sum()),
            events_per_s: (events > 0.0).then(|| per_second(events)),
        }
    }
}

/// Seconds since the start, the nearest to the exact value: 60, not
/// 60.00000000000001.
pub fn seconds(time: Time) -> f64 {
    time.nanos() as f64 / 1e9
}

/// The same the other way round.
pub fn nanoseconds(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9).round() as u64)
}

#[cfg(test)]
mod tests;
