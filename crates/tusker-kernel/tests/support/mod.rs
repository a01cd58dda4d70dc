//! Support for tests of laws in the running kernel: a small network of namespaces, laws that
//! are loaded for as long as a test needs them, traffic between independent programs, and the
//! kernel's own lists of its BPF objects.
//!
//! All of it goes away when it is dropped, even if a test fails.

pub mod command;
pub mod flow;
pub mod iperf;
pub mod law;
pub mod net;
pub mod objects;
pub mod rights;

use std::thread::sleep;
use std::time::Duration;

use tusker_kernel::host::HostLaw;

/// The laws as `tusker kernel load` has them.
pub fn laws() -> Vec<&'static str> {
    HostLaw::all().into_iter().map(HostLaw::name).collect()
}

/// Checks 20 times a second, for at most 20 s, until there is an answer.
///
/// # Panics
/// If there is none.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..400 {
        if let Some(found) = look() {
            return found;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("waited 20 s in vain: {what}");
}
