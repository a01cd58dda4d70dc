//! System calls that none of the safe crates we use offers: making a TUN device from an open
//! `/dev/net/tun` and setting its offloads, reading `TCP_INFO` in the length that the kernel
//! supports, scheduling, and what a new process does before it executes its program.

#![expect(unsafe_code, reason = "calls ioctl, getsockopt, setsockopt, sched_setattr and fork")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, id};
use std::ptr;

use nix::libc;

/// `struct ifreq`, as far as `TUNSETIFF` reads it, in its full length.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: i16,
    rest: [u8; 22],
}

/// Makes a TUN device called `name` in the namespace of this thread; the kernel puts a number
/// for `%d`. Returns its name. A `struct virtio_net_hdr` precedes each packet. The device
/// lives as long as `file` is open.
pub fn attach(file: &File, name: &str) -> io::Result<String> {
    let mut request = Request { name: [0; libc::IFNAMSIZ], flags: 0, rest: [0; 22] };
    // the last byte stays 0
    let room = &mut request.name[..libc::IFNAMSIZ - 1];
    room.get_mut(..name.len()).ok_or(io::ErrorKind::InvalidInput)?.copy_from_slice(name.as_bytes());
    request.flags = (libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as i16;
    // SAFETY: the kernel reads and writes a `struct ifreq`, which is no longer than this
    let done = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    let length = request.name.iter().position(|byte| *byte == 0).unwrap_or(request.name.len());
    Ok(String::from_utf8_lossy(&request.name[..length]).into_owned())
}

/// From now on the host leaves out the checksums of TCP and UDP, and hands over consecutive
/// segments or datagrams as one piece, as far as this kernel can.
pub fn offload(file: &File) -> io::Result<()> {
    let tcp = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
    // datagrams since Linux 6.2
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

/// The window of a socket never exceeds this many bytes (tcp(7)); accepted connections
/// inherit the limit.
pub fn window_clamp(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    let bytes = bytes.cast_signed();
    // SAFETY: the kernel reads one int, whose length is said
    let done = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_WINDOW_CLAMP,
            (&raw const bytes).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// `TCP_INFO` of a socket, and how many bytes the kernel wrote.
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

/// This thread gets `share` of a processor before all others, in turns of a millisecond
/// (`SCHED_DEADLINE`). Returns whether that is permitted.
///
/// Since Linux 6.12, if the other threads got less than 50 ms in a second, they get 50 ms
/// at once: not from a thread like this, but from one of [`real_time`].
pub fn deadline(share: f64) -> bool {
    const PERIOD_NS: u64 = 1_000_000;
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_DEADLINE as u32,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: (PERIOD_NS as f64 * share) as u64,
        sched_deadline: PERIOD_NS,
        sched_period: PERIOD_NS,
    };
    // SAFETY: the kernel reads one `struct sched_attr` of the size that stands in it; the
    // first 0 is this thread, the last says that there are no flags
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) == 0 }
}

/// This thread takes precedence over ordinary threads and over those of the same kind with
/// a lower `priority` (`SCHED_FIFO`). Returns whether that is permitted.
pub fn real_time(priority: i32) -> bool {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the kernel reads one `struct sched_param`; 0 is this thread
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}

/// This thread's sleeps end when they should, not up to 50 us later together with others'.
/// Those of real-time threads do so anyway.
pub fn wake_in_time() {
    // SAFETY: it takes and returns only numbers. Without it, sleeps are longer
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

/// A process that this thread starts with `command` ends when this thread does, for any
/// reason.
pub fn ends_with_this_thread(command: &mut Command) {
    let parent = id() as libc::pid_t;
    let promise = move || {
        // SAFETY: both take and return only numbers
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

/// Lets `command` be started by the first process of a new PID namespace, which the
/// starting thread has requested. That process is killed when the thread ends, and with it
/// all others of the namespace. It ends when the command does, with the command's exit
/// code, or 128 plus the number of the signal that ended it; it passes SIGTERM on to all
/// others.
///
/// `held` is the reading end of a pipe and `holds` the writing end, which only this process
/// may have: a new process that finds it closed was started too late, and ends.
pub fn first_of_namespace(command: &mut Command, held: RawFd, holds: RawFd) {
    let split = move || {
        // SAFETY: these are calls of the system, with pointers to what lives long enough.
        // There is one thread, and none of it allocates or takes a lock
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::close(holds);
            let mut pipe = libc::pollfd { fd: held, events: 0, revents: 0 };
            if libc::poll(&raw mut pipe, 1, 0) != 0 {
                libc::_exit(1);
            }
            // shows the processes of this namespace; if not permitted, the machine's stays
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            let proc = c"proc".as_ptr();
            libc::mount(proc, c"/proc".as_ptr(), proc, flags, ptr::null());
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            let mut awaited = none;
            libc::sigaddset(&raw mut awaited, libc::SIGCHLD);
            libc::sigaddset(&raw mut awaited, libc::SIGTERM);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const awaited, ptr::null_mut());
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => {
                    libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
                    Ok(())
                }
                command => look_after(command, &awaited),
            }
        }
    };
    // SAFETY: as above; between fork and exec nothing else is done
    unsafe { command.pre_exec(split) };
}

/// What the first process of a namespace does until `command` ends.
fn look_after(command: libc::pid_t, awaited: &libc::sigset_t) -> ! {
    // SAFETY: as in `first_of_namespace`. Nobody misses the files: this process never
    // uses them, and they are those of another process anyway
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) != 0 {
            // Linux before 5.9
            (3..libc::sysconf(libc::_SC_OPEN_MAX).clamp(0, 65_536) as RawFd).for_each(|fd| {
                libc::close(fd);
            });
        }
        loop {
            if libc::sigwaitinfo(awaited, ptr::null_mut()) == libc::SIGTERM {
                libc::kill(-1, libc::SIGTERM);
            }
            let mut status = 0;
            loop {
                match libc::waitpid(-1, &raw mut status, libc::WNOHANG) {
                    pid if pid <= 0 => break,
                    pid if pid != command => {}
                    _ if libc::WIFSIGNALED(status) => libc::_exit(128 + libc::WTERMSIG(status)),
                    _ => libc::_exit(libc::WEXITSTATUS(status)),
                }
            }
        }
    }
}
