//! A run that is shown as it proceeds.

use std::sync::Arc;

use serde_json::{Value, json};
use tusker_core::queue::Aqm as _;
use tusker_core::{Bytes, Time};
use tusker_measure::summary::{Summary, View};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Paused, Subject};
use tusker_plan::fairness::{self, jain};
use tusker_plan::plan::{self, Limit, Plan};

use crate::fault::Fault;
use crate::given::{Given, object, within};
use crate::limits::Limits;
use crate::own::Own;

/// Rows over the whole run if the call does not say how many.
const ROWS: u64 = 1_000;

/// The most rows.
const MAX_ROWS: u64 = 20_000;

/// The most flows whose values are recorded over time.
const MAX_SHOWN: usize = 100;

/// About so many segments are simulated between two looks at the clock.
const SEGMENTS_PER_LOOK: f64 = 20_000.0;

/// A run and what is needed to show it.
pub struct Live {
    plan: Arc<Plan>,
    /// Taken when it ends.
    run: Option<Box<dyn Paused>>,
    /// Is found by no scenario once this is gone.
    _own: Option<Own>,
    name: String,
    interval: u64,
    /// Simulated time between two looks at the clock, nanoseconds.
    step: u64,
    /// Up to where the run has been simulated.
    now: u64,
    /// The last row, nanoseconds; none yet before the first.
    last_row: Option<u64>,
    columns: Vec<Column>,
    /// What each column was computed from at the last row.
    before: Vec<f64>,
    summary: Option<String>,
}

/// New values, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Simulated time, seconds.
    pub t: f64,
    /// Whether the end is reached.
    pub done: bool,
    /// How many rows.
    pub rows: usize,
    /// The values of the first column, then those of the next ..
    pub values: Vec<f64>,
}

/// One column.
#[derive(Clone, Debug)]
struct Column {
    of: Of,
    quantity: &'static str,
    unit: &'static str,
    /// An inner value of the law or the policy.
    state: bool,
    from: From,
}

/// Whose values they are.
#[derive(Clone, Copy, Debug)]
enum Of {
    Run,
    Flow(usize),
    Link(usize),
}

/// How a value is made of what the run shows.
#[derive(Clone, Copy, Debug)]
enum From {
    /// It is the value.
    Value,
    /// The growth of the value in a second, times this.
    Rate(f64),
}

impl Live {
    /// Reads, checks and sets up.
    pub fn open(input: &str) -> Result<(Self, Value), Fault> {
        let mut input = object(input)?;
        let limits = Limits::read(input.remove("limits"))?;
        let rows = match input.remove("rows") {
            None | Some(Value::Null) => ROWS,
            Some(rows) => {
                rows.as_u64().filter(|rows| (1..=MAX_ROWS).contains(rows)).ok_or_else(|| {
                    let expected = format!("a number from 1 to {MAX_ROWS}");
                    Fault::new(format!("{rows} rows"), expected, "leave `rows` out").at("rows")
                })?
            }
        };
        let name = match input.remove("name") {
            Some(Value::String(name)) => name,
            _ => "live".to_owned(),
        };
        let Given { scenario, own } = Given::read(&mut input)?;
        if let Some(key) = input.keys().next() {
            let expected = "scenario, own, limits, rows or name";
            return Err(Fault::new(format!("unknown key `{key}`"), expected, "delete it").at(key));
        }
        limits.check_scenario(&scenario)?;
        let complete = within(own.as_ref(), || scenario.complete())?;
        let (seed, plan) = (complete.seed(), complete.into_plan());
        let view = View::new(&plan);
        let estimate = limits.check_plan(&view)?;
        let segments = estimate["segments"].as_f64().unwrap_or_default();
        let mut traced = view.traced_for_report();
        traced.trace.interval = None;
        traced.trace.flows &= traced.lasting() <= MAX_SHOWN;
        let answer = described(&view, estimate);

        let end = plan.end.nanos();
        let rate = segments / plan.end.secs().max(1e-9);
        let step = (SEGMENTS_PER_LOOK / rate.max(1.0) * 1e9) as u64;
        let interval = end.div_ceil(rows).max(1);
        let memory = Bytes::new(limits.bytes as u64);
        let traced = Arc::new(traced);
        let mut run = tusker_sim::begin(Arc::clone(&traced), seed, memory)
            .map_err(|stopped| fault_of(&stopped))?;
        let (columns, before) = columns(&traced, &mut *run);
        let mut answer = answer;
        answer["columns"] = columns.iter().map(|column| column.described(&plan)).collect();
        answer["interval_s"] = json!(interval as f64 / 1e9);
        let live = Self {
            plan: traced,
            run: Some(run),
            _own: own,
            name,
            interval,
            step: step.clamp(1_000_000, interval.max(1_000_000)),
            now: 0,
            last_row: None,
            columns,
            before,
            summary: None,
        };
        Ok((live, answer))
    }

    /// See [`crate::Engine::advance`].
    pub fn advance(
        &mut self,
        sim_seconds: f64,
        wall_ms: f64,
        clock: &mut dyn FnMut() -> f64,
    ) -> Result<Rows, Fault> {
        let end = self.plan.end.nanos();
        let far = sim_seconds.max(0.0) * 1e9;
        let until = self.now.saturating_add(far as u64).min(end);
        let begun = clock();
        let mut rows: Vec<Vec<f64>> = vec![Vec::new(); self.columns.len()];
        if self.last_row.is_none() {
            self.row(&mut rows);
        }
        while self.now < until {
            let row_at = self.last_row.map_or(0, |last| last + self.interval).min(end);
            let to = (self.now + self.step).min(row_at).min(until);
            let Some(run) = &mut self.run else { break };
            let mut go_on = |_| std::ops::ControlFlow::Continue(());
            run.run_to(Time::from_nanos(to), &mut go_on).map_err(|stopped| fault_of(&stopped))?;
            self.now = to;
            if to == row_at {
                self.row(&mut rows);
            }
            // a clock that gives no number stops nothing
            if clock() - begun >= wall_ms {
                break;
            }
        }
        let count = rows.first().map_or(0, Vec::len);
        Ok(Rows {
            t: self.now as f64 / 1e9,
            done: self.now == end,
            rows: count,
            values: rows.concat(),
        })
    }

    /// Appends the present values.
    fn row(&mut self, rows: &mut [Vec<f64>]) {
        let now = self.now;
        let elapsed = self.last_row.map_or(0.0, |last| (now - last) as f64 / 1e9);
        let mut seen = Vec::with_capacity(self.columns.len());
        seen.push(now as f64 / 1e9);
        if let Some(run) = &mut self.run {
            run.inspect(&mut |_, _, value| seen.push(value));
        }
        let goodput = |(column, &new, &old): (&Column, &f64, &f64)| {
            let Of::Flow(flow) = column.of else { return None };
            // a flow that has not begun has no share
            let sends = column.quantity == "goodput" && new > 0.0;
            sends.then(|| (new - old) * self.plan.flows[flow].tcp.payload().get() as f64)
        };
        let columns = self.columns.iter().zip(&seen).zip(&self.before);
        let shares: Vec<f64> =
            columns.filter_map(|((column, new), old)| goodput((column, new, old))).collect();
        seen.push(if shares.is_empty() { f64::NAN } else { jain(&shares) });
        for (i, column) in self.columns.iter().enumerate() {
            let value = seen.get(i).copied().unwrap_or(f64::NAN);
            rows[i].push(match column.from {
                From::Value => value,
                From::Rate(_) if elapsed == 0.0 => 0.0,
                From::Rate(times) => (value - self.before[i]) / elapsed * times,
            });
        }
        self.before = seen;
        self.last_row = Some(now);
    }

    /// The text of `summary.json`, once the end is reached.
    pub fn summary(&mut self) -> Result<String, Fault> {
        if let Some(summary) = &self.summary {
            return Ok(summary.clone());
        }
        let end = self.plan.end.nanos();
        if self.now < end {
            let message =
                format!("the run is at {} s of {} s", self.now as f64 / 1e9, end as f64 / 1e9);
            return Err(Fault::new(message, "a run at its end", "advance it first"));
        }
        let mut go_on = |_| std::ops::ControlFlow::Continue(());
        let run = self.run.take();
        let run = run.ok_or_else(|| Fault::new("the run was broken off", "", "open it again"))?;
        let run = run.finish(&mut go_on).map_err(|stopped| fault_of(&stopped))?;
        let view = View::new(&self.plan);
        let text = Summary::of(&self.name, &view, 1, &[view.replicate(1, &run)]).to_json();
        self.summary = Some(text.clone());
        Ok(text)
    }
}

/// The columns in the order in which the run shows its values, between time and Jain's index, and
/// the values at the beginning.
fn columns(plan: &Plan, paused: &mut dyn Paused) -> (Vec<Column>, Vec<f64>) {
    let run =
        |quantity, unit| Column { of: Of::Run, quantity, unit, state: false, from: From::Value };
    let (mut columns, mut before) = (vec![run("t", "s")], vec![0.0]);
    let mut seen: Vec<(Subject, &'static str)> = Vec::new();
    paused.inspect(&mut |subject, quantity, value| {
        seen.push((subject, quantity));
        before.push(value);
    });
    // of a flow the first five are the transport's, of a link the first and the last three
    let runs: Vec<&[(Subject, &str)]> = seen.chunk_by(|a, b| a.0 == b.0).collect();
    for run in runs {
        for (i, &(subject, quantity)) in run.iter().enumerate() {
            columns.push(match subject {
                Subject::Flow(flow) => {
                    let payload = plan.flows[flow].tcp.payload().get() as f64 * 8.0;
                    let of = Of::Flow(flow);
                    let (quantity, unit, from) = match quantity {
                        _ if i >= 5 => (quantity, "", From::Value),
                        "delivered" => ("goodput", "bit/s", From::Rate(payload)),
                        "srtt" => ("rtt", "s", From::Value),
                        other => (other, "packets", From::Value),
                    };
                    Column { of, quantity, unit, state: i >= 5, from }
                }
                Subject::Link(link) => {
                    let rate = plan.links[link].rate.bits_per_sec() as f64;
                    let state = i > 0 && i + 3 < run.len();
                    let (quantity, unit, from) = match quantity {
                        _ if state => (quantity, "", From::Value),
                        "busy" => ("throughput", "bit/s", From::Rate(rate)),
                        other => (other, "packets", From::Value),
                    };
                    Column { of: Of::Link(link), quantity, unit, state, from }
                }
            });
        }
    }
    columns.push(run("jain", ""));
    before.push(f64::NAN);
    (columns, before)
}

impl Column {
    fn described(&self, plan: &Plan) -> Value {
        let (of, index, name) = match self.of {
            Of::Run => ("run", None, ""),
            Of::Flow(flow) => ("flow", Some(flow), &*plan.flows[flow].name),
            Of::Link(link) => ("link", Some(link), &*plan.links[link].name),
        };
        json!({
            "of": of, "index": index, "name": name, "quantity": self.quantity,
            "unit": self.unit, "state": self.state,
        })
    }
}

/// What a page shows of a run before it begins.
fn described(view: &View<'_>, estimate: Value) -> Value {
    let plan = view.plan;
    let lasting = &plan.flows[..plan.lasting()];
    let flows =
        lasting.iter().take(MAX_SHOWN).zip(&view.fair).enumerate().map(|(i, (flow, fair))| {
            json!({
                "index": i, "label": flow.name, "group": plan.groups[flow.group],
                "law": flow.cc.name(), "parameters": parameters(flow.cc.iter()),
                "base_rtt_s": fairness::base_rtt(plan, flow), "fair_bps": fair,
                "packet_bytes": flow.tcp.packet.get(),
            })
        });
    let links = view.shown.iter().map(|&l| {
        let link = &plan.links[l];
        json!({
            "index": l, "name": link.name, "rate_bps": link.rate.bits_per_sec(),
            "delay_s": link.propagation().secs(), "policy": link.queue.policy.name(),
            "parameters": parameters(link.queue.policy.iter()),
            "buffer_packets": buffer(link), "target_packets": link.queue.policy(link.rate).target(),
            "bottleneck": view.bottlenecks.contains(&l),
        })
    });
    let bottleneck = view.bottlenecks.first().map(|&l| &plan.links[l]);
    let capacity = bottleneck.map(|link| link.rate.bits_per_sec() as f64);
    let base_rtt = lasting.iter().map(|flow| fairness::base_rtt(plan, flow)).reduce(f64::max);
    let packet = plan.flows.first().map(|flow| flow.tcp.packet.get() as f64 * 8.0);
    let bdp = capacity.zip(base_rtt).zip(packet).map(|((rate, rtt), bits)| rate * rtt / bits);
    json!({
        "ok": true,
        "flows": flows.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "capacity_bps": capacity,
        "base_rtt_s": base_rtt,
        "bdp_packets": bdp,
        "buffer_packets": bottleneck.and_then(buffer),
        "duration_s": plan.end.secs(),
        "measure": [plan.measure_from.secs(), plan.measure_to.secs()],
        "estimate": estimate,
    })
}

fn parameters<'a>(of: impl Iterator<Item = (&'a tusker_core::params::Param, f64)>) -> Value {
    Value::Object(of.map(|(param, value)| (param.name.to_owned(), json!(value))).collect())
}

/// The limit of a queue in packets.
fn buffer(link: &plan::Link) -> Option<f64> {
    match link.queue.limit {
        Limit::Unlimited => None,
        Limit::Packets(packets) | Limit::Backpressure(packets) => Some(packets as f64),
        Limit::Bytes(bytes) => Some(bytes as f64 / link.queue.mean_packet.get().max(1) as f64),
    }
}

fn fault_of(stopped: &Stopped) -> Fault {
    match stopped {
        Stopped::OverBudget { .. } => Fault::new(
            "the run needs more memory than it may take",
            "a run within `limits.bytes`",
            "a shorter path, or fewer flows; or run it with `tusker run`",
        ),
        other => Fault::new(format!("the run ended: {other}"), "", "open it again"),
    }
}
