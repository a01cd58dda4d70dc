//! Arbitrary bytes as a file of another tool, and as a command of another emulator: never a
//! panic; an error says what to do; what is accepted is finite, and a scenario is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tusker_field::{import, read};
use tusker_scenario::Scenario;
use tusker_scenario::recorded::{self, Columns, Wanted};

fuzz_target!(|bytes: &[u8]| {
    match read("file", bytes) {
        Ok(own) => assert!(own.goodput_bps.is_finite() && own.intervals.len() <= bytes.len()),
        Err(wrong) => assert!(!wrong.message.is_empty() && !wrong.help.is_empty()),
    }
    for wanted in [Wanted::Rate, Wanted::Delay] {
        if let Err((message, help)) = recorded::read("file", bytes, wanted, &Columns::default()) {
            assert!(!message.is_empty() && !help.is_empty());
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(own) = import::commands(text, bytes.len() % 2 == 0) {
        let toml = own.scenario.to_toml();
        Scenario::parse("imported", &toml, &[]).expect("it is a scenario");
    }
});
