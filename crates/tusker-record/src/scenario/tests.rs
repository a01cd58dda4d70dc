//! Tests of the whole way from text to plan.

use super::*;
use crate::plan::{self, Plan};
use tusker_core::{Bytes, Time};

fn example(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Scenario::load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"))
}

const EXAMPLES: &[&str] = &["dumbbell.toml", "ghstcp-demo.toml", "parking-lot.toml", "graph.toml"];

fn planned(text: &str) -> Plan {
    let scenario = Scenario::parse("test.toml", text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    scenario.plan().unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn every_example_expands_to_the_same_plan() {
    for name in EXAMPLES {
        let scenario = example(name);
        let plan = scenario.plan().unwrap_or_else(|e| panic!("{e:?}"));
        let expanded = scenario.expanded().unwrap();
        let text = expanded.to_toml();
        println!("{text}");
        let again = Scenario::parse(name, &text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!(again, expanded, "{name}: text gives the same scenario");
        assert_eq!(again.expanded().unwrap(), expanded, "{name}: expansion is a fixed point");
        assert_eq!(again.plan().unwrap(), plan, "{name}: and has the same plan");
        let own = Scenario::parse(name, &scenario.to_toml(), &[]).unwrap();
        assert_eq!(own, scenario, "{name}: so has the short form");
    }
}
