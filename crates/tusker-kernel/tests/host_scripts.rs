//! The laws in C pass the test scripts of the laws in Rust.

use tusker_kernel::host::HostLaw;
use tusker_kernel::prove::scripts;

#[test]
fn scripts_hold_in_c() {
    let mut laws: Vec<&str> = HostLaw::all().into_iter().map(HostLaw::name).collect();
    laws.push("ghstcp-refined");
    for law in laws {
        let found = scripts::run(law);
        assert!(found.failures.is_empty(), "\n{}", found.failures.join("\n"));
        assert!(!found.led.is_empty(), "no script leads {law}");
    }
}
