//! How this process gets the rights to make hosts: as root, or in its own user namespace.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::socket::{getsockopt, sockopt};
use nix::unistd::{getgid, getuid};

use crate::can::Refusal;

/// The rights with which hosts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Those of root, or of a process that may do as much with networks.
    Root,
    /// In a user namespace, where every user is root. Only laws that the kernel already has
    /// are available, and no thread gets priority over the machine's other processes.
    OwnNamespace,
}

/// CAP_NET_ADMIN and CAP_SYS_ADMIN, capabilities(7).
const CAPABILITIES: u64 = 1 << 12 | 1 << 21;

/// This process's rights, as far as they can be seen without trying.
///
/// # Errors
/// What is missing.
pub fn rights() -> Result<Rights, Refusal> {
    let refuse = |what: String, help: &str| Err(Refusal { what, help: help.to_owned() });
    if let Err(error) = OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
        return refuse(
            format!("cannot open /dev/net/tun: {error}"),
            match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    "run it as root, or allow all users to open the device: chmod 666 /dev/net/tun"
                }
                _ => "`modprobe tun` creates it; a container must be given the device",
            },
        );
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|caps| u64::from_str_radix(caps.trim(), 16).ok());
    if effective.unwrap_or(0) & CAPABILITIES == CAPABILITIES {
        return Ok(Rights::Root);
    }
    for (file, setting) in [
        ("/proc/sys/user/max_user_namespaces", "user.max_user_namespaces"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone"),
    ] {
        if fs::read_to_string(file).is_ok_and(|value| value.trim() == "0") {
            return refuse(
                format!("this machine does not allow user namespaces: {setting} is 0"),
                "run it as root",
            );
        }
    }
    Ok(Rights::OwnNamespace)
}

/// Gets the missing rights: this process enters a new user namespace unless it has the
/// rights of root. It must have only one thread so far.
///
/// # Errors
/// What is missing.
pub fn enter() -> Result<Rights, Refusal> {
    let rights = rights()?;
    if rights == Rights::OwnNamespace {
        let (user, group) = (getuid(), getgid());
        let entered = alone(|| unshare(CloneFlags::CLONE_NEWUSER))
            .map_err(io::Error::from)
            // user_namespaces(7): without this no group may be mapped
            .and_then(|()| fs::write("/proc/self/setgroups", "deny"))
            .and_then(|()| fs::write("/proc/self/uid_map", format!("0 {user} 1")))
            .and_then(|()| fs::write("/proc/self/gid_map", format!("0 {group} 1")));
        entered.map_err(|error| Refusal {
            what: format!("cannot make a user namespace: {error}"),
            help: "run it as root; `sysctl user.max_user_namespaces \
                   kernel.apparmor_restrict_unprivileged_userns` shows what users may do"
                .to_owned(),
        })?;
    }
    Ok(rights)
}

/// Does what a process with one thread can. A thread that was joined may count for a moment.
fn alone(enter: impl Fn() -> nix::Result<()>) -> nix::Result<()> {
    for _ in 0..100 {
        match enter() {
            Err(Errno::EINVAL) => std::thread::sleep(Duration::from_millis(1)),
            done => return done,
        }
    }
    enter()
}

/// Enters the user namespace of another process, if it has its own. This process must have
/// only one thread so far.
///
/// # Errors
/// The system's error.
pub fn enter_that_of(process: u32) -> io::Result<()> {
    let path = format!("/proc/{process}/ns/user");
    if fs::read_link(&path)? != fs::read_link("/proc/self/ns/user")? {
        let namespace = File::open(path)?;
        alone(|| setns(&namespace, CloneFlags::CLONE_NEWUSER))?;
    }
    Ok(())
}

/// The number of the process at the other end of a socket, and whether it belongs to root
/// or to this user.
///
/// # Errors
/// The system's error.
pub fn other_end(socket: impl AsFd) -> io::Result<(u32, bool)> {
    let other = getsockopt(&socket, sockopt::PeerCredentials)?;
    let ours = other.uid() == 0 || other.uid() == getuid().as_raw();
    Ok((other.pid().cast_unsigned(), ours))
}
