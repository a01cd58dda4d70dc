//! Ctrl-C, SIGTERM and SIGHUP: whatever was put into the kernel is taken out again.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::failure::Failure;

/// Whether one of them came.
pub struct Interrupts(Receiver<()>);

impl Interrupts {
    /// Begins to listen: from now on they end the program only in order.
    ///
    /// # Errors
    /// If signals cannot be caught.
    pub fn listen() -> Result<Self, Failure> {
        let (send, receive) = channel();
        let heard = move || {
            // nobody waits any more: the program is about to end
            let _ = send.send(());
        };
        ctrlc::set_handler(heard).map_err(|error| {
            Failure::other(format!("cannot listen to signals: {error}"), "this is not expected")
        })?;
        Ok(Self(receive))
    }

    /// Waits for one.
    pub fn wait(&self) {
        let _ = self.0.recv();
    }

    /// Waits so long for one; true if it came.
    pub fn within(&self, time: Duration) -> bool {
        !matches!(self.0.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }
}
