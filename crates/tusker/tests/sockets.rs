//! The simulator beside real Linux sockets: the scenarios of bench/sockets, which ran on the
//! testbed (`bench/sockets/sockets.py`), one or two flows behind six queue policies.
//!
//! | value | holds within |
//! |---|---|
//! | goodput of each flow | 5 % of the mean of the measured runs, or their 95 % interval |
//! | mean queue | 15 % of the mean |
//!
//! Ours is the mean of ten seeds. What misses these bounds is listed in bench/sockets/misses.csv,
//! with the reason as far as it is known and the band in which our mean lies: the test fails if
//! a miss is not listed, if a listed one holds, and if it lies outside its band. What
//! docs/testbed.md and bench/sockets/compared.md have of it is made from the same numbers;
//! `TUSKER_BLESS=1` writes it anew.

mod held;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;

use tusker_scenario::Scenario;

use held::{Held, faults, misses, old_table, on_all_processors, read};

const PAGE: &str = "docs/testbed.md";
const TABLE: &str = "bench/sockets/compared.md";
const MISSES: &str = "bench/sockets/misses.csv";

const SEEDS: u64 = 10;

/// Student's t for 95 % with this many runs less one.
const T: [f64; 5] = [0.0, 12.706, 4.303, 3.182, 2.776];

/// A value of a scenario: what was measured, and ours.
#[derive(Clone, Debug)]
struct Value {
    cell: String,
    /// The flow and its law, or `queue`.
    what: String,
    measured: Vec<f64>,
    ours: Vec<f64>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half of the interval of the mean, at 95 %.
fn half(values: &[f64]) -> f64 {
    let (n, m) = (values.len() as f64, mean(values));
    let variance = values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (n - 1.0);
    T[values.len() - 1] * (variance / n).sqrt()
}

impl Value {
    fn is_queue(&self) -> bool {
        self.what == "queue"
    }

    fn holds(&self) -> bool {
        let (theirs, ours) = (mean(&self.measured), mean(&self.ours));
        let within = match self.is_queue() {
            true => 0.15 * theirs,
            false => (0.05 * theirs).max(half(&self.measured)),
        };
        (ours - theirs).abs() <= within
    }
}

#[test]
fn the_simulator_agrees_with_sockets() {
    let values = values();
    let held = values.iter().map(|value| Held {
        cell: &value.cell,
        value: &value.what,
        measured: mean(&value.measured),
        ours: mean(&value.ours),
        holds: value.holds(),
    });
    let mut wrong = faults(held, MISSES);
    let (table, reasons) = table(&values);
    wrong.extend(old_table(PAGE, "sockets", &reasons, "make compare-sockets"));
    wrong.extend(old_table(TABLE, "sockets", &table, "make compare-sockets"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A row for each scenario; how much agrees, and the reasons of what misses.
fn table(values: &[Value]) -> (String, String) {
    let mut cells: Vec<(&str, Vec<&Value>)> = Vec::new();
    for value in values {
        match cells.last_mut() {
            Some((cell, of)) if *cell == value.cell => of.push(value),
            _ => cells.push((&value.cell, vec![value])),
        }
    }
    let mut table = String::from(
        "| scenario | goodput of each flow, simulated | measured | mean queue, simulated | measured \
         | misses |\n|---|---|---|--:|--:|---|\n",
    );
    let (mut goodput, mut queue) = (0, 0);
    for (cell, of) in &cells {
        let (queues, flows): (Vec<&Value>, Vec<&Value>) =
            of.iter().copied().partition(|value| value.is_queue());
        goodput += usize::from(flows.iter().all(|value| value.holds()));
        queue += usize::from(queues.iter().all(|value| value.holds()));
        let all = |of: &[&Value], show: &dyn Fn(&Value) -> String| {
            of.iter().map(|value| show(value)).collect::<Vec<_>>().join(" / ")
        };
        let ours = |digits: usize| move |v: &Value| format!("{:.digits$}", mean(&v.ours));
        let theirs = |v: &Value| format!("{:.1} ± {:.1}", mean(&v.measured), half(&v.measured));
        let missed = of.iter().filter(|value| !value.holds());
        writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} |",
            cell.replacen('_', ", ", 1),
            all(&flows, &ours(1)),
            all(&flows, &theirs),
            all(&queues, &ours(1)),
            all(&queues, &|v: &Value| format!("{:.1}", mean(&v.measured))),
            missed.map(|value| value.what.as_str()).collect::<Vec<_>>().join(", "),
        )
        .unwrap();
    }
    let mut reasons = format!(
        "The goodput of every flow agrees in {goodput} of {} scenarios, the queue in {queue}.\n\n",
        cells.len()
    );
    for miss in misses(MISSES) {
        let cell = miss.cell.replacen('_', ", ", 1);
        writeln!(reasons, "- {cell}, {}: {}", miss.value, miss.reason).unwrap();
    }
    (table, reasons)
}

/// Flows first, then the queue, scenario by scenario in the order of the file.
fn values() -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    let mut add = |cell: &str, what: &str, number: &str| {
        let number = number.parse().unwrap_or_else(|_| panic!("measured.csv: `{number}`"));
        let known = values.iter_mut().find(|value| value.cell == cell && value.what == what);
        match known {
            Some(value) => value.measured.push(number),
            None => values.push(Value {
                cell: cell.to_owned(),
                what: what.to_owned(),
                measured: vec![number],
                ours: Vec::new(),
            }),
        }
    };
    for line in read("bench/sockets/measured.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[cell, _seed, _, flow, cc, goodput, queue, ..] = fields.as_slice() else {
            panic!("measured.csv: `{line}`")
        };
        add(cell, &format!("{flow} ({cc})"), goodput);
        // both flows of a run tell the same queue
        if flow == "a" {
            add(cell, "queue", queue);
        }
    }
    // the queue after all flows
    values.sort_by_key(|value| (value.cell.clone(), value.is_queue()));
    let mut cells: Vec<String> = values.iter().map(|value| value.cell.clone()).collect();
    cells.dedup();
    let found = Mutex::new(BTreeMap::new());
    on_all_processors(cells.iter(), |cell| {
        let seen = simulate(cell);
        found.lock().expect("nobody panics with it").insert(cell.clone(), seen);
    });
    let found = found.into_inner().expect("nobody panics with it");
    for value in &mut values {
        let flow = if value.is_queue() { 0 } else { usize::from(value.what.starts_with('b')) };
        let of_run = |(goodput, queue): &(Vec<f64>, f64)| match value.is_queue() {
            true => *queue,
            false => goodput[flow],
        };
        value.ours = found[&value.cell].iter().map(of_run).collect();
    }
    values
}

/// The goodput of each flow and the mean queue, run by run.
fn simulate(cell: &str) -> Vec<(Vec<f64>, f64)> {
    let path = format!("bench/sockets/cells/{cell}.toml");
    let scenario = Scenario::parse(cell, &read(&path), &[]);
    let plan = scenario.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{path}: {e:?}"));
    let bottleneck = plan.links.iter().position(|link| link.name == "R1->R2").expect("a dumbbell");
    let seconds = plan.measure_to.since(plan.measure_from).secs();
    let run = |seed| {
        let run = tusker_sim::run(&plan, seed, &mut |_| ControlFlow::Continue(()));
        let run = run.expect("nobody breaks off");
        let flows = run.flows.iter().zip(&plan.flows);
        let goodput = flows.map(|(flow, planned)| {
            let payload = planned.tcp.payload().get();
            (flow.delivered * payload * 8) as f64 / seconds / 1e6
        });
        (goodput.collect(), run.links[bottleneck].queue_mean)
    };
    (1..=SEEDS).map(run).collect()
}
