//! The far end of a host's cable.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;

use nix::libc;

use crate::sys;

/// A TUN device, from outside its host: what the host sends can be received here, and
/// what is sent here the host receives. Plain IP packets, one per call, checksums
/// filled in, none longer than the host's MTU. Never waits.
///
/// The device is gone when this is dropped.
#[derive(Debug)]
pub struct Tun {
    file: File,
}

impl Tun {
    /// Makes the device in the namespace of this thread; it is down yet.
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let file = options.open("/dev/net/tun")?;
        sys::attach(&file, name)?;
        Ok(Self { file })
    }

    /// Takes the next packet that the host sends, and returns its length in bytes. What
    /// does not fit into `packet` is lost: let it be as long as the MTU.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is none now; else what the system says.
    pub fn recv(&self, packet: &mut [u8]) -> io::Result<usize> {
        (&self.file).read(packet)
    }

    /// Gives the host a packet, and returns its length in bytes.
    ///
    /// # Errors
    /// What the system says; `InvalidInput` if this is no IP packet.
    pub fn send(&self, packet: &[u8]) -> io::Result<usize> {
        (&self.file).write(packet)
    }
}

/// For `poll`: readable while the host has packets waiting.
impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
