//! Signals and the terminal of a process that only supervises another program.

use std::fs;
use std::io::{self, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};

/// Signals are held back. Signals from the keyboard are meant for the program, which
/// receives them as well; SIGTERM and SIGHUP ask for the end.
#[derive(Debug)]
pub struct Signals {
    /// The signal that asked for the end; 0 if none has.
    asked: Arc<AtomicI32>,
    /// Our process group, if it has the terminal.
    foreground: Option<Pid>,
}

impl Signals {
    /// Starts handling, for this thread and those that it starts from here on.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn hold() -> io::Result<Self> {
        let mut held = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGTTOU] {
            held.add(signal);
        }
        if !ignores_hangup() {
            held.add(Signal::SIGHUP);
        }
        held.thread_block()?;
        let asked = Arc::new(AtomicI32::new(0));
        let told = Arc::clone(&asked);
        thread::Builder::new().spawn(move || {
            while let Ok(signal) = held.wait() {
                if matches!(signal, Signal::SIGTERM | Signal::SIGHUP) {
                    told.store(signal as i32, Ordering::Relaxed);
                }
            }
        })?;
        let own = getpgrp();
        let foreground = tcgetpgrp(stdin()).ok().filter(|group| *group == own);
        Ok(Self { asked, foreground })
    }

    /// The number of the signal that has asked for the end.
    pub fn asked(&self) -> Option<i32> {
        Some(self.asked.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }

    /// Takes the terminal back from a shell that had it.
    pub fn take_terminal(&self) {
        if let Some(group) = self.foreground {
            // it may have gone
            let _ = tcsetpgrp(stdin(), group);
        }
    }
}

/// Whether this process was started to ignore SIGHUP, as by nohup.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // bit 0 is signal 1
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|m| m & 1 == 1)
}
