//! The laws in C are led by the scripts of the laws in Rust.

use tusker_core::congestion::Options;
use tusker_kernel::host::HostLaw;
use tusker_scripts::{Script, of_laws};

/// Fixed point rounds windows to 6e-8 of a segment and times to microseconds: a
/// script's number is met to this part of it, beyond half a unit of its last digit.
const SLACK: f64 = 1e-6;

/// Packet pairs, of which the kernel does not tell.
const NOT_IN_C: &str = "hcc_tau.script";

/// Leads the laws in C that the script names; gives which.
fn lead(script: &Script) -> Result<Vec<&'static str>, String> {
    let mut led = Vec::new();
    for spec in script.specs().map_err(|e| e.to_string())? {
        let Some(law) = HostLaw::named(spec.name()) else { continue };
        if law.controller(&spec, &Options::default()).is_err() {
            assert_eq!(script.text.file, NOT_IN_C, "the law in C refuses what it should know");
            continue;
        }
        let new = |options: &Options| law.controller(&spec, options).expect("it was set up");
        script.run_within(SLACK, spec.name(), new).map_err(|failure| failure.to_string())?;
        led.push(spec.name());
    }
    Ok(led)
}

#[test]
fn scripts_hold_in_c() {
    let mut failures = Vec::new();
    let mut led = Vec::new();
    for script in of_laws().into_iter().map(|script| script.expect("scripts are understood")) {
        match lead(&script) {
            Ok(laws) => led.extend(laws),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    for law in HostLaw::all() {
        assert!(led.contains(&law.name()), "no script leads {}", law.name());
    }
    assert!(led.contains(&"ghstcp-refined"), "no script leads the refined law");
}
