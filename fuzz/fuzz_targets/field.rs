//! Arbitrary bytes as a file of another tool, and as a command of another emulator: never a
//! panic; an error says what to do; what is accepted is finite, and a scenario is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tusker_field::{import, read};
use tusker_scenario::Scenario;
use tusker_scenario::recorded::{self, Columns, Recorded, Wanted};

fuzz_target!(|bytes: &[u8]| {
    // the second connection, too
    for flow in [None, Some("2")] {
        match read("file", bytes, flow) {
            Ok(own) => assert!(own.goodput_bps.is_finite() && own.intervals.len() <= bytes.len()),
            Err(wrong) => assert!(!wrong.message.is_empty() && !wrong.help.is_empty()),
        }
    }
    let said = Columns {
        time: Some("1 ms".into()),
        value: Some("2 bytes".into()),
        over: Some("3 ms".into()),
        rows: Some("1=1".into()),
    };
    for wanted in [Wanted::Rate, Wanted::Delay, Wanted::Jitter, Wanted::Loss] {
        for columns in [&Columns::default(), &said] {
            match recorded::read("file", bytes, wanted, columns) {
                Ok(Recorded::Steps(steps)) => {
                    let times = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
                    assert!(times && steps.iter().all(|own| own.1.is_finite() && own.1 >= 0.0));
                }
                Ok(Recorded::Opportunities(times)) => assert!(times.is_sorted()),
                Err((message, help)) => assert!(!message.is_empty() && !help.is_empty()),
            }
        }
    }
    if let Ok(own) = import::trace("file", bytes, &Columns::default()) {
        Scenario::parse("imported", &own.scenario.to_toml(), &[]).expect("it is a scenario");
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(own) = import::commands(text, bytes.len() % 2 == 0) {
        let toml = own.scenario.to_toml();
        Scenario::parse("imported", &toml, &[]).expect("it is a scenario");
    }
});
