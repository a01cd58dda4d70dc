//! The far end of a host's cable.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;

use nix::libc;

use crate::offload::{HEADER, Header};
use crate::sys;

/// A TUN device, from outside its host: what the host sends can be received here, and
/// what is sent here the host receives. Plain IP packets, one per call, checksums
/// filled in, none longer than the host's MTU, unless [`Self::offload`] was asked for.
/// Never waits.
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
        let mut header = [0; HEADER];
        let parts = &mut [IoSliceMut::new(&mut header), IoSliceMut::new(packet)];
        Ok((&self.file).read_vectored(parts)?.saturating_sub(HEADER))
    }

    /// From now on the host leaves the checksums of TCP and UDP out, and hands over what
    /// belongs together in one piece of at most 65,535 bytes: [`Self::recv_piece`].
    ///
    /// # Errors
    /// What the system says.
    pub fn offload(&self) -> io::Result<()> {
        sys::offload(&self.file)
    }

    /// Takes what the host sends next: its length in bytes, and what is to be done with
    /// it, as [`crate::offload::Pieces`] does.
    ///
    /// # Errors
    /// As [`Self::recv`].
    pub fn recv_piece(&self, piece: &mut [u8]) -> io::Result<(usize, Header)> {
        let mut header = [0; HEADER];
        let parts = &mut [IoSliceMut::new(&mut header), IoSliceMut::new(piece)];
        let length = (&self.file).read_vectored(parts)?.saturating_sub(HEADER);
        Ok((length, Header::read(header)))
    }

    /// Gives the host a packet, and returns its length in bytes.
    ///
    /// # Errors
    /// What the system says; `InvalidInput` if this is no IP packet.
    pub fn send(&self, packet: &[u8]) -> io::Result<usize> {
        self.send_piece(packet, &Header::default())
    }

    /// Gives the host what another one handed over: a checksum that is left out, it takes
    /// for right. Returns its length in bytes.
    ///
    /// # Errors
    /// As [`Self::send`]; `InvalidInput` also if the header does not fit to it.
    pub fn send_piece(&self, piece: &[u8], header: &Header) -> io::Result<usize> {
        let header = header.bytes();
        let parts = &[IoSlice::new(&header), IoSlice::new(piece)];
        Ok((&self.file).write_vectored(parts)?.saturating_sub(HEADER))
    }
}

/// For `poll`: readable while the host has packets waiting.
impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
