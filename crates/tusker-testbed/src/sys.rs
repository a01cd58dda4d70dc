//! The calls of the system that no safe crate of ours has: a TUN device for an open
//! `/dev/net/tun`, `TCP_INFO` of a length that the kernel decides, real-time scheduling, and
//! processes that end with who started them.

#![expect(unsafe_code, reason = "calls the system itself")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, id};

use nix::libc;

/// `struct ifreq`, as far as `TUNSETIFF` reads it, in its full length.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: i16,
    rest: [u8; 22],
}

/// Makes a TUN device called `name` in the namespace of this thread, plain packets
/// without a header. It lives as long as `file` is open.
pub fn attach(file: &File, name: &str) -> io::Result<()> {
    let mut request = Request { name: [0; libc::IFNAMSIZ], flags: 0, rest: [0; 22] };
    // the last byte stays 0
    let room = &mut request.name[..libc::IFNAMSIZ - 1];
    room.get_mut(..name.len()).ok_or(io::ErrorKind::InvalidInput)?.copy_from_slice(name.as_bytes());
    request.flags = (libc::IFF_TUN | libc::IFF_NO_PI) as i16;
    // SAFETY: the kernel reads and writes a `struct ifreq`, which is no longer than this
    let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
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
    scheduled(10)
}

/// The same behind those.
pub fn real_time_behind() -> bool {
    scheduled(5)
}

fn scheduled(priority: i32) -> bool {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the kernel reads one `struct sched_param`; 0 is this thread
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}

/// A process that this thread starts with `command` ends when this thread does, however
/// that comes.
pub fn ends_with_this_thread(command: &mut Command) {
    let parent = id() as libc::pid_t;
    let promise = move || {
        // SAFETY: both take and give numbers alone
        let (done, now) =
            unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), libc::getppid()) };
        match (done, now == parent) {
            (0, true) => Ok(()),
            (0, false) => Err(io::ErrorKind::Interrupted.into()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec it makes two calls of the system and takes no memory
    unsafe { command.pre_exec(promise) };
}
