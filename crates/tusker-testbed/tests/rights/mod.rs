//! Whether this machine allows a test to make hosts.

use std::env;
use std::fs;
use std::io::{Write as _, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// CAP_NET_ADMIN and CAP_SYS_ADMIN: namespaces and devices are made.
const CAPABILITIES: u64 = 1 << 12 | 1 << 21;

/// True if `test` can run here. Otherwise prints on one line what is missing, and counts
/// the skipped test; `TUSKER_NO_SKIPS=1` makes that a failure.
///
/// # Panics
/// If it cannot run but must.
pub fn rights(test: &str) -> bool {
    let Some(missing) = missing() else { return true };
    assert!(env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here: {missing}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    // past the harness, which hides a test's output unless it fails
    writeln!(stderr(), "skipped ({count} by now): {test}: {missing}").expect("stderr is open");
    false
}

/// What is missing.
fn missing() -> Option<&'static str> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|caps| u64::from_str_radix(caps.trim(), 16).ok())
        .unwrap_or(0);
    if effective & CAPABILITIES != CAPABILITIES {
        return Some("needs root");
    }
    (!Path::new("/dev/net/tun").exists()).then_some("needs /dev/net/tun; `modprobe tun` creates it")
}
