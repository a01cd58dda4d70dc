//! Catches Ctrl-C, SIGTERM and SIGHUP, so that everything that was loaded into the kernel is
//! unloaded.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::Failure;

/// The signals that have arrived, by their numbers.
pub struct Interrupts(Receiver<u8>);

impl Interrupts {
    /// Starts to catch signals: from now on they end the program in an orderly way.
    ///
    /// # Errors
    /// If signals cannot be caught.
    pub fn listen() -> Result<Self, Failure> {
        let failed =
            |error| Failure::other(format!("cannot catch signals: {error}"), "please report this");
        let (send, receive) = channel();
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed)?;
        let listen = move || {
            for signal in signals.forever() {
                // nothing waits any more: the program is about to end
                let _ = send.send(u8::try_from(signal).expect("signals have small numbers"));
            }
        };
        thread::Builder::new().spawn(listen).map_err(failed)?;
        Ok(Self(receive))
    }

    /// Waits for a signal.
    pub fn wait(&self) {
        let _ = self.0.recv();
    }

    /// Waits up to this time for a signal, and returns its number.
    pub fn within(&self, time: Duration) -> Option<u8> {
        self.0.recv_timeout(time).ok()
    }
}
