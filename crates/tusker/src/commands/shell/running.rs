//! Running shells, for those who join or watch them. Each listens on a socket without a file,
//! whose name disappears with the process, however it ends.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tusker_measure::summary::View;
use tusker_plan::plan::Plan;
use tusker_testbed::{Shell, other_end};

use super::lines;
use crate::failure::Failure;

/// How all their sockets begin; the number of the process and the scenario's name follow.
const PREFIX: &str = "tusker-shell/";

/// How often it looks for newcomers.
const LOOK: Duration = Duration::from_millis(50);

/// How often who watches is told.
const EVERY: Duration = Duration::from_secs(1);

/// Why it may not answer.
pub const MAYBE: &str = "it may have ended, or belong to another user: root's shells are for root, a \
                         user's for that user";

/// What is asked for.
pub const HOSTS: &str = "hosts";
/// What is asked for.
pub const LINKS: &str = "links";

/// Stops [`tell`] also if there is a panic.
pub struct Stopper<'a>(pub &'a AtomicBool);

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The socket of this process.
pub fn listen(name: &str) -> Result<UnixListener, Failure> {
    // a socket's name has room for 107 bytes
    let name: String = name.chars().take(24).collect();
    let name = format!("{PREFIX}{}/{name}", std::process::id());
    let listener = SocketAddr::from_abstract_name(name)
        .and_then(|address| UnixListener::bind_addr(&address))
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    listener.map_err(|error| {
        Failure::other(
            format!("cannot listen for --watch and --join: {error}"),
            "`ulimit -n` limits the number of open files",
        )
    })
}

/// Tells everybody who asks, until the end.
pub fn tell(
    listener: &UnixListener,
    hosts: &Value,
    plan: &Plan,
    shown: &[usize],
    shell: &Shell<'_>,
    stop: &AtomicBool,
) {
    let mut joined = Vec::new();
    let mut watching: Vec<UnixStream> = Vec::new();
    let mut before = shell.carried();
    let mut next = Instant::now() + EVERY;
    while !stop.load(Ordering::Relaxed) {
        if let Ok((mut stream, _)) = listener.accept() {
            match asked(&stream).as_deref() {
                Some(HOSTS) if writeln!(stream, "{hosts}").is_ok() => joined.push(stream),
                Some(LINKS) => watching.push(stream),
                _ => {}
            }
        }
        if Instant::now() >= next {
            next += EVERY;
            let now = shell.carried();
            let line = lines::line(plan, shown, &before, &now);
            // who has gone or does not read is told no more
            watching.retain_mut(|stream| writeln!(stream, "{line}").is_ok());
            before = now;
        }
        sleep(LOOK);
    }
}

/// What somebody wants who may ask.
fn asked(stream: &UnixStream) -> Option<String> {
    let (_, ours) = other_end(stream).ok()?;
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(LOOK)).ok()?;
    stream.set_write_timeout(Some(LOOK)).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    ours.then(|| line.trim_end().to_owned())
}

/// The links that are shown: bottlenecks, and the way back over each.
pub fn shown(plan: &Plan) -> Vec<usize> {
    let mut shown = Vec::new();
    for link in View::new(plan).bottlenecks {
        shown.push(link);
        let (from, to) = (plan.links[link].from, plan.links[link].to);
        shown.extend(plan.links.iter().position(|back| (back.from, back.to) == (to, from)));
    }
    let mut seen = std::collections::BTreeSet::new();
    shown.retain(|link| seen.insert(*link));
    shown
}

/// Asks a shell that runs; its process, and the answers. `which` is its number or the
/// name of its scenario; nothing is enough if there is one.
pub fn ask(which: Option<&str>, what: &str) -> Result<(u32, UnixStream), Failure> {
    let all = running();
    let fits = |(number, name, _): &&(u32, String, String)| {
        which.is_none_or(|which| which == number.to_string() || which == name)
    };
    let found: Vec<_> = all.iter().filter(fits).collect();
    let list = || {
        let names = all.iter().map(|(number, name, _)| format!("{number} ({name})"));
        names.collect::<Vec<_>>().join(", ")
    };
    let (number, name, address) = match (&found[..], all.is_empty()) {
        ([one], _) => one,
        (_, true) => {
            return Err(Failure::input(
                "no `tusker shell` is running here",
                "start one: tusker shell SCENARIO.toml",
            ));
        }
        ([], _) => {
            let which = which.unwrap_or_default();
            return Err(Failure::input(
                format!("there is no running shell {which}"),
                format!("these do: {}", list()),
            ));
        }
        _ => {
            return Err(Failure::input(
                "more than one `tusker shell` is running",
                format!("say which: {}", list()),
            ));
        }
    };
    let connect = || {
        let mut stream = UnixStream::connect_addr(&SocketAddr::from_abstract_name(address)?)?;
        // a socket of this name may be anybody's
        match other_end(&stream)? {
            (process, true) if process == *number => {}
            _ => return Err(io::ErrorKind::PermissionDenied.into()),
        }
        writeln!(stream, "{what}")?;
        Ok(stream)
    };
    let stream = connect().map_err(|error: io::Error| {
        Failure::other(format!("cannot ask shell {number} ({name}): {error}"), MAYBE)
    })?;
    Ok((*number, stream))
}

/// All that run here: number, name, address.
fn running() -> Vec<(u32, String, String)> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut found: Vec<(u32, String, String)> = Vec::new();
    for line in table.lines() {
        // an abstract name begins with @; connections to it have it as well
        let Some((_, address)) = line.split_once(" @") else { continue };
        let Some(rest) = address.strip_prefix(PREFIX) else { continue };
        let Some((number, name)) = rest.split_once('/') else { continue };
        let Ok(number) = number.parse() else { continue };
        if found.iter().all(|(other, ..)| *other != number) {
            found.push((number, name.to_owned(), address.to_owned()));
        }
    }
    found
}
