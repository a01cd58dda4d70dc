//! Runs the laws in C through the test scripts of the laws in Rust. The numbers in the scripts
//! were worked out by hand.

use tusker_core::congestion::Options;
use tusker_scripts::Script;

use crate::host::HostLaw;

include!(concat!(env!("OUT_DIR"), "/scripts.rs"));

/// Fixed point rounds windows to 6e-8 of a segment and times to microseconds: a script's
/// number must be met within this relative error, in addition to half a unit of its last
/// digit.
const SLACK: f64 = 1e-6;

/// Packet pairs, which the kernel does not report.
const NOT_IN_C: &str = "hcc_tau.script";

/// The results of the scripts that name a law.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scripts {
    /// The script files, in order.
    pub led: Vec<&'static str>,
    /// What differed from the scripts.
    pub failures: Vec<String>,
}

/// Runs the C version of this law through all scripts that name it.
pub fn run(name: &str) -> Scripts {
    let mut found = Scripts::default();
    for &(file, text) in SCRIPTS {
        match lead(name, file, text) {
            Ok(true) => found.led.push(file),
            Ok(false) => {}
            Err(failure) => found.failures.push(failure),
        }
    }
    found
}

/// Whether the script names the law.
fn lead(name: &str, file: &str, text: &str) -> Result<bool, String> {
    let failed = |failure: tusker_scripts::Failure| failure.to_string();
    let script = Script::parse(file, text).map_err(failed)?;
    let mut led = false;
    for spec in script.specs().map_err(failed)?.iter().filter(|spec| spec.name() == name) {
        let Some(law) = HostLaw::named(name) else { continue };
        if let Err(refused) = law.controller(spec, &Options::default()) {
            if file == NOT_IN_C {
                continue;
            }
            return Err(format!("{file}: {}", refused.0));
        }
        let new = |options: &Options| law.controller(spec, options).expect("it was set up");
        script.run_within(SLACK, name, new).map_err(failed)?;
        led = true;
    }
    Ok(led)
}
