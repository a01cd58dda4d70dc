//! Which runs are in progress, visible to other processes as locks on bytes of a
//! file.
//!
//! On Linux these are open file description locks (`F_OFD_SETLK`): the system releases them
//! when the process ends, however it ends. Other systems have no such locks, so there only one
//! process at a time can use a folder ([`super::Journal::open`]).

use std::fs::File;
use std::path::Path;

use super::super::{Error, lock};
use super::Key;

/// The file.
const CLAIMS: &str = "claims";

/// Takes and releases claims.
#[derive(Debug)]
pub(super) struct Claims(File);

/// The right of this process to do a run. It ends when this is dropped.
#[derive(Debug)]
pub struct Claim<'a> {
    claims: &'a Claims,
    key: Key,
}

impl Claim<'_> {
    /// The run.
    pub fn key(&self) -> Key {
        self.key
    }
}

impl Claims {
    pub fn open(folder: &Path) -> Result<Self, Error> {
        lock::open(&folder.join(CLAIMS)).map(Self)
    }

    /// Claims a run; `None` if another process has it. Threads of this process must
    /// coordinate themselves.
    pub fn take(&self, key: Key) -> std::io::Result<Option<Claim<'_>>> {
        Ok(set(&self.0, key.place())?.then_some(Claim { claims: self, key }))
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        // if it fails, the lock goes with the process
        let _ = unlock(&self.claims.0, self.key.place());
    }
}

#[cfg(target_os = "linux")]
fn byte(kind: nix::libc::c_int, place: i64) -> nix::libc::flock {
    nix::libc::flock {
        l_type: kind as nix::libc::c_short,
        l_whence: nix::libc::SEEK_SET as nix::libc::c_short,
        l_start: place,
        l_len: 1,
        l_pid: 0,
    }
}

#[cfg(target_os = "linux")]
fn set(file: &File, place: i64) -> std::io::Result<bool> {
    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    match fcntl(file, FcntlArg::F_OFD_SETLK(&byte(nix::libc::F_WRLCK, place))) {
        Ok(_) => Ok(true),
        Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(target_os = "linux")]
fn unlock(file: &File, place: i64) -> std::io::Result<()> {
    use nix::fcntl::{FcntlArg, fcntl};
    fcntl(file, FcntlArg::F_OFD_SETLK(&byte(nix::libc::F_UNLCK, place)))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn set(_: &File, _: i64) -> std::io::Result<bool> {
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
fn unlock(_: &File, _: i64) -> std::io::Result<()> {
    Ok(())
}
