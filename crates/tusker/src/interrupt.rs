//! What Ctrl-C, SIGTERM and SIGHUP do.
//!
//! While experiments run, the first of these signals ends them in an orderly way, and the
//! second ends everything at once. At other times the first one ends everything at once,
//! because nothing has to be finished: files are replaced in one step, and results are whole
//! whenever the program ends. So code that takes long need not check for signals, unless it
//! runs experiments and stores results.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::output::say;

static STOPPED: AtomicBool = AtomicBool::new(false);
static ORDERLY: AtomicBool = AtomicBool::new(false);
static SCRATCH: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Begins to listen.
pub fn listen() {
    // nohup, and jobs in the background of a script: what is to be ignored stays so, and the
    // handler would take these signals as well
    if ignores_some() {
        return;
    }
    let stop = || {
        if STOPPED.swap(true, Ordering::SeqCst) || !ORDERLY.load(Ordering::SeqCst) {
            if let Some(dir) = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner).take() {
                // nobody will look for what is left
                let _ = std::fs::remove_dir_all(dir);
            }
            std::process::exit(130);
        }
        say("stopping; Ctrl-C again stops at once");
    };
    // without a handler Ctrl-C ends the program, which loses no finished replicate
    let _ = ctrlc::set_handler(stop);
}

/// Whether there was a signal.
pub fn stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
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

/// Whether this process was told to ignore SIGHUP (1), SIGINT (2) or SIGTERM (15), where Linux
/// says so.
fn ignores_some() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // bit 0 is signal 1
    [1, 2, 15].iter().any(|signal| mask >> (signal - 1) & 1 == 1)
}
