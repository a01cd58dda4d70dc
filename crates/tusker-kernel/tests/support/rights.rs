//! Whether this machine allows tests to load laws. If it does not, a test says on one line what
//! is missing, and is counted as skipped; `TUSKER_NO_SKIPS=1` makes that a failure.

use std::env;
use std::fs;
use std::io::{Write as _, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// CAP_NET_ADMIN and CAP_SYS_ADMIN: namespaces are made, laws are loaded.
const CAPABILITIES: u64 = 1 << 12 | 1 << 21;

const PROGRAMS: [&str; 7] = ["ip", "tc", "ss", "iperf3", "bpftool", "setpriv", "unshare"];

/// True if `test` can run here.
///
/// # Panics
/// If it cannot run but must.
pub fn rights(test: &str) -> bool {
    let Some(missing) = missing() else { return true };
    skip(test, &missing);
    false
}

/// Reports and counts that `test` does not run, because something is missing.
///
/// # Panics
/// If it must run.
pub fn skip(test: &str, missing: &str) {
    assert!(env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here: {missing}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    // past the harness, which hides a test's output unless it fails
    writeln!(stderr(), "skipped ({count} by now): {test}: {missing}").expect("stderr is open");
}

/// What is missing, and what to do about it.
fn missing() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|caps| u64::from_str_radix(caps.trim(), 16).ok())
        .unwrap_or(0);
    if effective & CAPABILITIES != CAPABILITIES {
        return Some("needs root".to_owned());
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Some("needs a kernel with type information: /sys/kernel/btf/vmlinux".to_owned());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let absent =
        |program: &&&str| !env::split_paths(&path).any(|folder| folder.join(program).exists());
    let absent: Vec<&str> = PROGRAMS.iter().filter(absent).copied().collect();
    (!absent.is_empty())
        .then(|| format!("needs {}; `make setup-kernel` installs it", absent.join(", ")))
}
