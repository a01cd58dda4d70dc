//! Arbitrary bytes as a file of sending opportunities: never a panic; an error says what to
//! do; an accepted file has a plan that runs for a while.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tusker_scenario::Scenario;
use tusker_sim::Engine;

const SCENARIO: &str = "profile = 'linux'\nduration = '200ms'\n\
    [dumbbell]\nrate = { trace = 'trace.up' }\ndelay = '5ms'\nqueue = '20pkt'\n\
    access = { rate = '1Gbit' }\n[[flows]]\nname = 'a'\ncc = 'cubic'\n";

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("traces-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
});

fuzz_target!(|bytes: &[u8]| {
    fs::write(FOLDER.join("trace.up"), bytes).expect("a file can be written");
    let mut scenario = Scenario::parse("fuzz.toml", SCENARIO, &[]).expect("it is a scenario");
    let plan = scenario.read_traces(&FOLDER).and_then(|()| scenario.plan());
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            assert!(error.remedy().is_some(), "no remedy: {error:?}");
            return;
        }
    };
    let mut engine = Engine::new(&plan, 1, true);
    let mut events = 0;
    while events < 1_000 && engine.step() {
        events += 1;
    }
    let t = engine.totals();
    assert!(t.sent == t.arrived + t.dropped + t.in_flight && t.delivered <= t.arrived, "{t:?}");
});
