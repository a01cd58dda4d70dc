//! The far end of a host's cable: a TUN device, seen from outside the host.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;

use nix::libc;

use crate::offload::{HEADER, Header};
use crate::sys;

/// A TUN device, seen from outside its host: what the host sends is received here, and what
/// is sent here reaches the host. Each call transfers one plain IP packet, with checksums
/// filled in and no longer than the host's MTU, unless [`Self::offload`] was called. Never
/// waits.
///
/// The device disappears when this is dropped.
#[derive(Debug)]
pub struct Tun {
    file: File,
}

impl Tun {
    /// Makes the device in the namespace of this thread, and returns its name, where the
    /// kernel has put a number for `%d`; it is not up yet.
    pub(crate) fn new(name: &str) -> io::Result<(Self, String)> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let file = options.open("/dev/net/tun")?;
        let name = sys::attach(&file, name)?;
        Ok((Self { file }, name))
    }

    /// Receives the next packet from the host, and returns its length in bytes. The part
    /// that does not fit into `packet` is lost, so it should be as long as the MTU.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is none now; otherwise the system's error.
    pub fn recv(&self, packet: &mut [u8]) -> io::Result<usize> {
        let mut header = [0; HEADER];
        let parts = &mut [IoSliceMut::new(&mut header), IoSliceMut::new(packet)];
        Ok((&self.file).read_vectored(parts)?.saturating_sub(HEADER))
    }

    /// From now on the host leaves out the checksums of TCP and UDP, and hands over
    /// consecutive data as one piece of at most 65,535 bytes: [`Self::recv_piece`].
    ///
    /// # Errors
    /// The system's error.
    pub fn offload(&self) -> io::Result<()> {
        sys::offload(&self.file)
    }

    /// Receives the next piece from the host: its length in bytes, and the header for
    /// [`crate::offload::Pieces`].
    ///
    /// # Errors
    /// As for [`Self::recv`].
    pub fn recv_piece(&self, piece: &mut [u8]) -> io::Result<(usize, Header)> {
        let mut header = [0; HEADER];
        let parts = &mut [IoSliceMut::new(&mut header), IoSliceMut::new(piece)];
        let length = (&self.file).read_vectored(parts)?.saturating_sub(HEADER);
        Ok((length, Header::read(header)))
    }

    /// Sends a packet to the host, and returns its length in bytes.
    ///
    /// # Errors
    /// The system's error; `InvalidInput` if this is not an IP packet.
    pub fn send(&self, packet: &[u8]) -> io::Result<usize> {
        self.send_piece(packet, &Header::default())
    }

    /// Sends on to the host what another host handed over; it accepts a left-out checksum
    /// as correct. Returns its length in bytes.
    ///
    /// # Errors
    /// As for [`Self::send`]; `InvalidInput` also if the header does not fit the packet.
    pub fn send_piece(&self, piece: &[u8], header: &Header) -> io::Result<usize> {
        let header = header.bytes();
        let parts = &[IoSlice::new(&header), IoSlice::new(piece)];
        Ok((&self.file).write_vectored(parts)?.saturating_sub(HEADER))
    }

    /// The same of a piece in up to 1,000 parts, one after the other.
    ///
    /// # Errors
    /// As for [`Self::send_piece`].
    pub fn send_parts<'a>(
        &self,
        parts: impl Iterator<Item = &'a [u8]>,
        header: &Header,
    ) -> io::Result<usize> {
        let header = header.bytes();
        let mut all = vec![IoSlice::new(&header)];
        parts.for_each(|part| all.push(IoSlice::new(part)));
        Ok((&self.file).write_vectored(&all)?.saturating_sub(HEADER))
    }
}

/// For `poll`: readable while the host has packets waiting.
impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
