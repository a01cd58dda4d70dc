//! A program inside a host: it has the host's network, its own host names, and its own
//! processes, which all end with it.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, pipe2};

use crate::error::Error;
use crate::sys;

/// How long programs have to end by themselves after they are asked to.
const PATIENCE: Duration = Duration::from_secs(1);

/// A host as a program inside sees it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its name in messages.
    pub host: &'a str,
    /// Its network namespace.
    pub namespace: BorrowedFd<'a>,
    /// The contents of `/etc/hosts`.
    pub names: &'a str,
}

/// A program inside a host, with all that it started. All of it ends when this is dropped,
/// and when this process ends for any reason.
#[derive(Debug)]
pub struct Program {
    /// The first process of its PID namespace, until it has ended.
    first: Arc<Mutex<Option<Pid>>>,
    ended: Receiver<i32>,
    code: Option<i32>,
    thread: Option<JoinHandle<()>>,
    names: io::Result<()>,
}

impl Program {
    /// Starts it.
    ///
    /// # Errors
    /// If the host cannot be entered or the program cannot be started.
    pub fn start(place: Place<'_>, mut command: Command) -> Result<Self, Error> {
        let host = place.host.to_owned();
        let thread_error = |source| Error::Thread { whose: format!("host {host}"), source };
        let namespace = place.namespace.try_clone_to_owned().map_err(thread_error)?;
        let names = place.names.to_owned();
        let named = host.clone();
        let first = Arc::new(Mutex::new(None));
        let of_thread = Arc::clone(&first);
        let (tell_started, started) = mpsc::channel();
        let (tell_ended, ended) = mpsc::channel();
        // the program ends with the thread that started it, so that thread waits for it
        let work = move || {
            let begun = enter(&named, namespace.as_fd(), &names)
                .and_then(|names| Ok((names, start(&named, &mut command)?)));
            drop(namespace);
            let (names, mut child) = match begun {
                Ok(begun) => begun,
                Err(error) => return drop(tell_started.send(Err(error))),
            };
            let pid = Pid::from_raw(child.id().cast_signed());
            *lock(&of_thread) = Some(pid);
            // if the caller has gone, it ends this process
            let _ = tell_started.send(Ok(names));
            while waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).is_err() {}
            // from here on its process number may be reused
            *lock(&of_thread) = None;
            let code = child.wait().ok().and_then(|status| status.code());
            let _ = tell_ended.send(code.unwrap_or(128 + Signal::SIGKILL as i32));
        };
        let thread = thread::Builder::new().spawn(work).map_err(thread_error)?;
        match started.recv() {
            Ok(Ok(names)) => Ok(Self { first, ended, code: None, thread: Some(thread), names }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(thread_error(io::Error::other("it ended"))),
        }
    }

    /// Its exit code as a shell would report it, if it ends within this time.
    pub fn wait(&mut self, time: Duration) -> Option<i32> {
        if self.code.is_none() {
            self.code = match self.ended.recv_timeout(time) {
                Ok(code) => Some(code),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(1),
            };
        }
        self.code
    }

    /// Why it cannot resolve the names of hosts, if it cannot.
    pub fn names(&self) -> Result<(), &io::Error> {
        self.names.as_ref().copied()
    }

    /// Asks it and everything that it started to end, as SIGTERM does.
    pub fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    fn signal(&self, signal: Signal) {
        if let Some(first) = *lock(&self.first) {
            // it may have ended already; it is waited for below
            let _ = kill(first, signal);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let end = Instant::now() + PATIENCE;
        self.terminate();
        if self.wait(end.saturating_duration_since(Instant::now())).is_none() {
            self.signal(Signal::SIGKILL);
        }
        // the kernel ends the others before the first, so none is left now
        self.thread.take().map(JoinHandle::join);
    }
}

fn lock(first: &Mutex<Option<Pid>>) -> std::sync::MutexGuard<'_, Option<Pid>> {
    first.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This thread enters the host. Returns whether names can be resolved there.
fn enter(host: &str, namespace: BorrowedFd<'_>, names: &str) -> Result<io::Result<()>, Error> {
    let failed = |what| {
        move |error: nix::Error| Error::Namespace {
            host: host.to_owned(),
            what,
            source: error.into(),
        }
    };
    setns(namespace, CloneFlags::CLONE_NEWNET).map_err(failed("enter its network namespace"))?;
    unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID)
        .map_err(failed("make namespaces for its processes and names"))?;
    Ok(tell_names(names))
}

/// Installs `/etc/hosts` for this thread and its children, without leaving a file behind.
fn tell_names(names: &str) -> io::Result<()> {
    const NONE: Option<&str> = None;
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
    // any folder will do, and this one is replaced for the program
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("tmpfs"), "/proc", Some("tmpfs"), flags, Some("mode=0755,size=1m"))?;
    let own = fs::read_to_string("/etc/hosts").unwrap_or_default();
    let told = fs::write("/proc/hosts", with_others(names, &own)).and_then(|()| {
        mount(Some("/proc/hosts"), "/etc/hosts", NONE, MsFlags::MS_BIND, NONE)?;
        Ok(())
    });
    umount2("/proc", MntFlags::MNT_DETACH)?;
    told
}

/// These lines, and those of `others` that give addresses to other names.
fn with_others(names: &str, others: &str) -> String {
    let name = |line: &'_ str| line.split_whitespace().nth(1).map(str::to_owned);
    let ours: Vec<String> = names.lines().filter_map(name).collect();
    // the loopback address has many names
    let local = |name: &String| name == "localhost";
    let is_other = |line: &&str| name(line).is_none_or(|n| local(&n) || !ours.contains(&n));
    others.lines().filter(is_other).fold(names.to_owned(), |all, line| all + line + "\n")
}

fn start(host: &str, command: &mut Command) -> Result<Child, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| Error::Program { program, host: host.to_owned(), source };
    let mut begin = || {
        let (held, holds) = pipe2(OFlag::O_CLOEXEC)?;
        sys::first_of_namespace(command, held.as_raw_fd(), holds.as_raw_fd());
        command.spawn()
    };
    begin().map_err(failed)
}
