//! What a run may take, checked before it begins.

use serde::Deserialize;
use serde_json::{Value, json};
use tusker_measure::summary::View;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;

use crate::fault::Fault;

/// The most that a run may take.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Simulated time, seconds.
    duration_s: f64,
    /// Segments sent, as estimated.
    segments: f64,
    /// Memory, bytes, as estimated; while it runs, an exact limit.
    pub bytes: f64,
    /// Flows, slots of connections and background sources.
    flows: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { duration_s: 3_600.0, segments: 5e7, bytes: 512e6, flows: 1_000.0 }
    }
}

impl Limits {
    /// From the key `limits`.
    pub fn read(value: Option<Value>) -> Result<Self, Fault> {
        let value = value.filter(|value| !value.is_null()).unwrap_or_else(|| json!({}));
        serde_json::from_value(value).map_err(|error| {
            let expected = "duration_s, segments, bytes and flows, as numbers";
            Fault::new(format!("limits: {error}"), expected, "correct it").at("limits")
        })
    }

    /// Checks what can be checked before anything is made of the scenario.
    pub fn check_scenario(&self, s: &Scenario) -> Result<(), Fault> {
        let flows = s.flows.iter();
        let flows = flows.map(|f| f.count.unwrap_or(1).saturating_mul(f.parallel.unwrap_or(1)));
        let background = s.background.iter().map(|b| b.count.unwrap_or(1));
        let all = flows.chain(background).fold(0_u64, u64::saturating_add);
        self.check("flows", "flows", all as f64, self.flows, "fewer flows")?;
        self.check("duration", "s", s.duration.0.secs(), self.duration_s, "a shorter `duration`")
    }

    /// Checks a plan; returns what it is expected to take.
    pub fn check_plan(&self, view: &View<'_>) -> Result<Value, Fault> {
        let plan = view.plan;
        let sources = (plan.flows.len() + plan.background.len()) as f64;
        self.check("flows", "flows", sources, self.flows, "fewer flows or connections")?;
        let segments = segments(view);
        let remedy = "a lower rate, or a shorter `duration`";
        self.check("duration", "segments", segments, self.segments, remedy)?;
        let memory = plan.memory().total() as f64;
        self.check("", "bytes", memory, self.bytes, "a shorter path, or fewer flows")?;
        Ok(json!({ "segments": segments.round(), "memory_bytes": memory }))
    }

    fn check(
        &self,
        place: &str,
        unit: &str,
        value: f64,
        limit: f64,
        remedy: &str,
    ) -> Result<(), Fault> {
        if value <= limit {
            return Ok(());
        }
        let remedy = format!("{remedy}; or run it with `tusker run`");
        let fault =
            Fault::new(format!("{value} {unit}"), format!("at most {limit} {unit}"), &remedy);
        Err(fault.at(place))
    }
}

/// About how many segments are sent: every flow at its fair rate, and what else is sent.
fn segments(view: &View<'_>) -> f64 {
    let plan: &Plan = view.plan;
    let end = plan.end.secs();
    let flows = plan.flows[..plan.lasting()].iter().zip(&view.fair).map(|(flow, fair)| {
        let most = fair * end / (flow.tcp.packet.get() as f64 * 8.0);
        let size = flow.size.map_or(f64::INFINITY, |size| size.get() as f64);
        most.min(size / flow.tcp.payload().get() as f64)
    });
    let background = plan.background.iter();
    let background =
        background.map(|source| source.mean_rate() * end / (source.packet.get() as f64 * 8.0));
    let traffic = plan.traffic.iter().map(|traffic| {
        traffic.mean_rate * end / (plan.flows[traffic.slots.start].tcp.packet.get() as f64 * 8.0)
    });
    flows.chain(background).chain(traffic).sum()
}
