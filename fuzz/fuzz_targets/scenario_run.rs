//! Arbitrary numbers as a small scenario, run for a few thousand events: never a panic,
//! time never decreases, and every packet is accounted for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;
use tusker_sim::Engine;

#[path = "../../crates/tusker-sim/tests/engine_support/mod.rs"]
mod engine_support;

use engine_support::{Choices, scenario};

const MOST_EVENTS: u64 = 5_000;

fuzz_target!(|bytes: &[u8]| {
    let numbers: Vec<u16> = bytes
        .chunks(2)
        .map(|b| u16::from(b[0]) | b.get(1).map_or(0, |&b| u16::from(b) << 8))
        .collect();
    let text = scenario(&mut Choices::new(&numbers));
    let plan = Scenario::parse("fuzz.toml", &text, &[]).and_then(|s| s.plan());
    let plan = plan.unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    let mut engine = Engine::new(&plan, 1, true);
    let mut time = engine.now();
    let mut events = 0;
    while events < MOST_EVENTS && engine.step() {
        events += 1;
        assert!(engine.now() >= time, "back in time in\n{text}");
        time = engine.now();
        if events % 499 == 0 {
            check(&engine, &text);
        }
    }
    check(&engine, &text);
});

fn check(engine: &Engine<&Plan>, text: &str) {
    let t = engine.totals();
    let conserved = t.sent == t.arrived + t.dropped + t.in_flight && t.delivered <= t.arrived;
    assert!(conserved, "{t:?} in\n{text}");
}
