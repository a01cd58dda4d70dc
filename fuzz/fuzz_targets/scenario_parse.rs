//! Arbitrary bytes as a scenario file: never a panic; an error says what is wrong and
//! where, or what to do; a valid scenario can be written out and gives the same plan again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tusker_scenario::Scenario;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let scenario = match Scenario::parse("fuzz.toml", &text, &[]) {
        Ok(scenario) => scenario,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            // something missing has no position
            let helps = error.place().is_some() || error.remedy().is_some();
            assert!(helps, "neither place nor remedy: {error:?}");
            return;
        }
    };
    match scenario.complete() {
        Ok(complete) => {
            let (written, plan) = (complete.to_toml(), complete.into_plan());
            let again = Scenario::parse("again.toml", &written, &[]).and_then(|s| s.plan());
            let again = again.unwrap_or_else(|e| panic!("{e:?} in\n{written}"));
            assert!(plan == again, "another plan from\n{written}");
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            assert!(error.remedy().is_some(), "no remedy: {error:?}");
        }
    }
});
