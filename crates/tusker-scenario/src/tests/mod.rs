//! Tests of the whole way from text to plan.

mod any_text;
mod builder;
mod fair_rates;
mod lists;
mod mistakes;
mod overrides;
mod quantities;
mod schema;
mod topologies;
mod traffic;
mod values;

use std::path::Path;

use tusker_plan::plan::Plan;

use crate::error::Error;
use crate::model::Scenario;

fn example(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Scenario::load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"))
}

const EXAMPLES: &[&str] = &[
    "dumbbell.toml",
    "ghstcp-demo.toml",
    "parking-lot.toml",
    "graph.toml",
    "arrivals.toml",
    "web.toml",
    "parallel.toml",
    "vbr.toml",
    "leo.toml",
    "route.toml",
];

/// A dumbbell whose lines the tests below change one at a time.
const SMALL: &str = r#"profile = "ns2"
duration = "10s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { limit = "1bdp" }
access = { rate = "100Mbit", delay = "5ms" }

[[flows]]
name = "a"
count = 2
cc = "reno"
start = "1s"

[[flows]]
name = "b"
cc = { name = "reno" }
"#;

const GRAPH: &str = r#"
profile = "ns2"
duration = "10s"
nodes = ["A", "B", "C", "D"]
links = [
    { from = "A", to = "B", rate = "1Mbit", delay = "30ms", queue = "10pkt" },
    { from = "A", to = "C", rate = "1Mbit", delay = "10ms", queue = "10pkt" },
    { from = "C", to = "B", rate = "1Mbit", delay = "10ms", queue = "10pkt" },
]
flows = [{ name = "f", cc = "reno", from = "A", to = "B" }]
"#;

fn parse(text: &str, sets: &[&str]) -> Result<Plan, Error> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    Scenario::parse("s.toml", text, &sets)?.plan()
}

fn planned(text: &str, sets: &[&str]) -> Plan {
    parse(text, sets).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The error from replacing a piece of [`SMALL`], as one line.
fn mistake(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    format!("{:?}", parse(&SMALL.replacen(old, new, 1), &[]).unwrap_err())
}
