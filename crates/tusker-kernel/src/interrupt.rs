//! Catches Ctrl-C, SIGTERM and SIGHUP, so that everything that was loaded into the kernel is
//! unloaded.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::failure::Failure;

/// Whether a signal has arrived.
pub struct Interrupts(Receiver<()>);

impl Interrupts {
    /// Starts to catch signals: from now on they end the program in an orderly way.
    ///
    /// # Errors
    /// If signals cannot be caught.
    pub fn listen() -> Result<Self, Failure> {
        let (send, receive) = channel();
        let heard = move || {
            // nothing waits any more: the program is about to end
            let _ = send.send(());
        };
        ctrlc::set_handler(heard).map_err(|error| {
            Failure::other(format!("cannot catch signals: {error}"), "please report this")
        })?;
        Ok(Self(receive))
    }

    /// Waits for a signal.
    pub fn wait(&self) {
        let _ = self.0.recv();
    }

    /// Waits up to this time for a signal; true if one arrived.
    pub fn within(&self, time: Duration) -> bool {
        !matches!(self.0.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }
}
