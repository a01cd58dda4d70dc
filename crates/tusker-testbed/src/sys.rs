//! The calls of the system that no safe crate of ours has: a TUN device for an open
//! `/dev/net/tun` and what it may leave to us, `TCP_INFO` of a length that the kernel
//! decides, and scheduling.

#![expect(unsafe_code, reason = "calls ioctl, getsockopt and sched_setattr")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _};

use nix::libc;

/// `struct ifreq`, as far as `TUNSETIFF` reads it, in its full length.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: i16,
    rest: [u8; 22],
}

/// Makes a TUN device called `name` in the namespace of this thread. Before each packet
/// there is a `struct virtio_net_hdr`. It lives as long as `file` is open.
pub fn attach(file: &File, name: &str) -> io::Result<()> {
    let mut request = Request { name: [0; libc::IFNAMSIZ], flags: 0, rest: [0; 22] };
    // the last byte stays 0
    let room = &mut request.name[..libc::IFNAMSIZ - 1];
    room.get_mut(..name.len()).ok_or(io::ErrorKind::InvalidInput)?.copy_from_slice(name.as_bytes());
    request.flags = (libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as i16;
    // SAFETY: the kernel reads and writes a `struct ifreq`, which is no longer than this
    let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// From now on the host leaves the checksums of TCP and UDP out, and hands over segments
/// and datagrams that belong together in one piece, as far as this kernel can.
pub fn offload(file: &File) -> io::Result<()> {
    let tcp = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO_ECN;
    // datagrams since Linux 6.2, and only with those of IPv6, which no host here speaks
    for what in [tcp | libc::TUN_F_USO4 | libc::TUN_F_USO6, tcp] {
        // SAFETY: the argument of this call is a number, and no memory is touched
        let done = unsafe {
            libc::ioctl(file.as_raw_fd(), libc::TUNSETOFFLOAD, libc::c_ulong::from(what))
        };
        if done == 0 {
            return Ok(());
        }
    }
    Err(io::Error::last_os_error())
}

/// `TCP_INFO` of a socket, and how many bytes of it the kernel wrote.
pub fn tcp_info(socket: impl AsFd) -> io::Result<([u8; 256], usize)> {
    let mut bytes = [0; 256];
    let mut length = bytes.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, and says how many it wrote
    let done = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if done == 0 { Ok((bytes, length as usize)) } else { Err(io::Error::last_os_error()) }
}

/// This thread goes before all that are not like it (`SCHED_FIFO`); whether it may.
pub fn real_time() -> bool {
    let parameters = libc::sched_param { sched_priority: 10 };
    // SAFETY: the kernel reads one `struct sched_param`; 0 is this thread
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}
