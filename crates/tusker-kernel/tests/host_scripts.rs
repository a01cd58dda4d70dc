//! The laws in C are led by the scripts of the laws in Rust.

use tusker_kernel::host::HostLaw;
use tusker_kernel::prove::scripts;

#[test]
fn scripts_hold_in_c() {
    let mut laws: Vec<&str> = HostLaw::all().into_iter().map(HostLaw::name).collect();
    laws.push("ghstcp-refined");
    for law in laws {
        let found = scripts::run(law);
        assert!(found.failures.is_empty(), "\n{}", found.failures.join("\n"));
        // one of its own, and those that lead several laws
        assert!(found.led.len() >= 2, "{law} is led by {:?} only", found.led);
    }
}
