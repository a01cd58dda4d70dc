//! What Ctrl-C, SIGTERM and SIGHUP do.
//!
//! While experiments run, the first of these signals ends them in an orderly way, and the
//! second ends everything at once. At other times the first one ends everything at once,
//! because nothing has to be finished: files are replaced in one step, and results are whole
//! whenever the program ends. So code that takes long need not check for signals, unless it
//! runs experiments and stores results.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// The last signal; 0 if there was none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static ORDERLY: AtomicBool = AtomicBool::new(false);
static SCRATCH: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Begins to listen.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // nohup, and jobs in the background of a script: what is to be ignored stays so
    let ignored = ignored();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|n| ignored >> (n - 1) & 1 == 0);
    // without a handler a signal ends the program, which loses no finished replicate
    let Ok(mut signals) = Signals::new(heeded) else { return };
    let _ = std::thread::Builder::new().spawn(move || signals.forever().for_each(stop));
}

/// Ctrl-C ends the program at once, which loses no finished replicate.
#[cfg(not(unix))]
pub fn listen() {}

/// What a signal does.
#[cfg(unix)]
fn stop(signal: i32) {
    if SIGNAL.swap(signal, Ordering::SeqCst) != 0 || !ORDERLY.load(Ordering::SeqCst) {
        if let Some(dir) = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // nobody will look for what is left
            let _ = std::fs::remove_dir_all(dir);
        }
        std::process::exit(exit_code().into());
    }
    crate::screen::say_line("stopping; Ctrl-C again stops at once");
}

/// Whether there was a signal.
pub fn stopped() -> bool {
    SIGNAL.load(Ordering::SeqCst) != 0
}

/// The exit code of a program that a signal ended, as shells report it.
pub fn exit_code() -> u8 {
    match SIGNAL.load(Ordering::SeqCst) {
        // what asks to stop is Ctrl-C unless there was a signal
        0 => 130,
        signal => 128 + u8::try_from(signal).expect("signals have small numbers"),
    }
}

/// Does what asks [`stopped`] often and ends in order.
pub fn in_order<T>(work: impl FnOnce() -> T) -> T {
    ORDERLY.store(true, Ordering::SeqCst);
    let done = work();
    ORDERLY.store(false, Ordering::SeqCst);
    done
}

/// A folder that goes away however the program ends, unless it is killed.
pub struct Scratch(TempDir);

impl Scratch {
    /// A new one.
    pub fn new() -> std::io::Result<Self> {
        let dir = tempfile::tempdir()?;
        let mut scratch = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner);
        *scratch = Some(dir.path().to_owned());
        Ok(Self(dir))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The signals that this process was told to ignore, where Linux says so: bit 0 is signal 1.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
