//! stub
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
/// stub
#[derive(Debug)]
pub struct Tun(OwnedFd);
impl Tun {
    /// x
    pub fn recv(&self, _: &mut [u8]) -> std::io::Result<usize> { todo!() }
    /// x
    pub fn send(&self, _: &[u8]) -> std::io::Result<usize> { todo!() }
}
impl AsFd for Tun { fn as_fd(&self) -> BorrowedFd<'_> { self.0.as_fd() } }
