//! `tusker kernel watch --out`: shows what `tusker-kernel watch` shows, and stores it.
//!
//! tusker-kernel also sends its events over a socket, so that its table appears where it always
//! does. Ctrl-C reaches both programs, which then shut down cleanly; if this program ends in
//! any other way, the socket closes, and tusker-kernel ends, too.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use clap::ValueEnum;
use tusker_measure::watched::Watching;
use tusker_store::watched::Store;

use super::{cannot_run, program};
use crate::args::Tables;
use crate::failure::Failure;
use crate::interrupt::{self, Scratch};
use crate::output::say;
use crate::running::command_line;
use crate::tables;

/// How long to wait for anything before signals are looked at.
const WAIT: Duration = Duration::from_millis(100);

/// What was asked for.
#[derive(Debug, PartialEq)]
pub struct Wanted {
    out: PathBuf,
    force: bool,
    tables: Option<Tables>,
    /// For `tusker-kernel`.
    rest: Vec<OsString>,
}

impl Wanted {
    /// Reads the arguments of `tusker kernel`; `None` if all of them are for
    /// `tusker-kernel`, which knows their help and what is wrong with them.
    pub fn of(args: &[OsString]) -> Result<Option<Self>, Failure> {
        let [command, args @ ..] = args else { return Ok(None) };
        if command != "watch" || args.iter().any(|arg| arg == "--help" || arg == "-h") {
            return Ok(None);
        }
        let (mut out, mut force, mut format) = (None, false, None);
        let mut rest = vec![command.clone()];
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let text = arg.to_str().unwrap_or_default();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            match name {
                "--out" => {
                    let value = value.or_else(|| args.next().cloned());
                    let value = value.filter(|value| !value.is_empty()).ok_or_else(|| {
                        Failure::input("--out: no folder is given", "such as --out watched")
                    })?;
                    out = Some(PathBuf::from(value));
                }
                "--tables" => {
                    let value = value.or_else(|| args.next().cloned()).unwrap_or_default();
                    format = Some(value);
                }
                "--force" if value.is_none() => force = true,
                _ => rest.push(arg.clone()),
            }
        }
        let Some(out) = out else { return Ok(None) };
        if rest.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.starts_with("--events"))) {
            return Err(Failure::input(
                "--events: not together with --out",
                "--out stores the events; leave one of them out",
            ));
        }
        let format = format.map(|value| {
            let text = value.to_string_lossy();
            Tables::from_str(&text, false).map_err(|_| {
                Failure::input(
                    format!("--tables: there is no format `{}`", text.escape_debug()),
                    "parquet or csv",
                )
            })
        });
        Ok(Some(Self { out, force, tables: format.transpose()?, rest }))
    }
}

/// Watches, and stores what was seen when that is over.
pub fn watch(wanted: &Wanted) -> Result<(), Failure> {
    let store = Store::open(&wanted.out, tables::format(wanted.tables)?, wanted.force)?;
    let mut watching = Watching::new(command_line());
    let status = interrupt::in_order(|| listen(wanted, &mut watching))?;
    if !watching.has_begun() {
        // it said why
        return Err(Failure::Reported(code(status)));
    }
    let (watched, moments) = watching.finish();
    let (connections, missed) = (watched.connections.len(), watched.missed);
    let dir = store.dir().to_owned();
    store.save(watched, &moments)?;
    if missed.is_some_and(|missed| missed > 0) {
        say(&format!(
            "note: {} events were lost because the kernel's ring was full; a longer --every gives fewer events",
            missed.unwrap_or_default()
        ));
    }
    let dir = dir.display();
    let what = if connections == 1 { "connection" } else { "connections" };
    say(&format!(
        "{connections} {what} watched, stored in {dir}; for a report: tusker report {dir}"
    ));
    if status.success() { Ok(()) } else { Err(Failure::Reported(code(status))) }
}

/// Runs `tusker-kernel` and hears all that it tells, to its end.
fn listen(wanted: &Wanted, watching: &mut Watching) -> Result<ExitStatus, Failure> {
    let broken = |error| {
        let message = format!("cannot open a socket for the events: {error}");
        Failure::other(message, "TMPDIR sets where it is made; a short path helps")
    };
    let scratch = Scratch::new().map_err(broken)?;
    let path = scratch.path().join("events");
    let listener = UnixListener::bind(&path).map_err(broken)?;
    listener.set_nonblocking(true).map_err(broken)?;
    let program = program();
    let mut command = Command::new(&program);
    let child = command.args(&wanted.rest).arg("--events").arg(&path).spawn();
    let mut child = child.map_err(|error| cannot_run(&program, &error))?;
    let heard = match accept(&listener, &mut child).map_err(broken)? {
        // it shows the way of the socket, and its end
        Some(socket) => hear(socket, watching),
        None => Ok(()),
    };
    let status = child.wait().map_err(|error| cannot_run(&program, &error))?;
    heard?;
    Ok(status)
}

/// The socket's other end; `None` if the program ends before it has opened it.
fn accept(listener: &UnixListener, child: &mut Child) -> std::io::Result<Option<UnixStream>> {
    loop {
        match listener.accept() {
            Ok((socket, _)) => return Ok(Some(socket)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if child.try_wait()?.is_some() {
            return Ok(None);
        }
        sleep(WAIT / 10);
    }
}

/// Hears every line to the end. A signal asks the program to come to that.
fn hear(socket: UnixStream, watching: &mut Watching) -> Result<(), Failure> {
    let broken = |error| {
        let message = format!("cannot receive the events: {error}");
        Failure::other(message, "this should not happen: please report it")
    };
    // Linux lets what it accepts block whatever the listener does; others do not
    socket.set_nonblocking(false).map_err(broken)?;
    socket.set_read_timeout(Some(WAIT)).map_err(broken)?;
    let (mut reader, mut line) = (BufReader::new(&socket), Vec::new());
    let mut asked = false;
    loop {
        if interrupt::stopped() && !asked {
            asked = true;
            // it may be gone already
            let _ = socket.shutdown(Shutdown::Write);
        }
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            // what was read so far stays in the line
            Err(error) if is_early(error.kind()) => continue,
            Err(error) => return Err(broken(error)),
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        watching.hear(text.trim_end()).map_err(|error| {
            Failure::other(
                format!("cannot understand an event of tusker-kernel: {error}"),
                "compare their versions: `tusker --version`, `tusker kernel --version`",
            )
        })?;
        line.clear();
    }
}

fn is_early(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Its exit code; 1 if a signal ended it.
fn code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(words: &[&str]) -> Result<Option<Wanted>, Failure> {
        Wanted::of(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_stored_is_taken_out_of_the_arguments() {
        let given = ["watch", "gentle", "--out", "w", "--every=1s", "--force", "--tables=csv"];
        let rest = ["watch", "gentle", "--every=1s"].map(OsString::from).to_vec();
        let expected = Wanted { out: "w".into(), force: true, tables: Some(Tables::Csv), rest };
        assert_eq!(wanted(&given).unwrap(), Some(expected));
        assert_eq!(wanted(&["watch", "--out=w"]).unwrap().unwrap().out, PathBuf::from("w"));
    }

    #[test]
    fn the_rest_is_for_the_other_program() {
        for words in [
            &["watch", "gentle"][..],
            &["load", "ghstcp", "--", "iperf3", "--out", "x"],
            &["watch", "--out", "w", "--help"],
            // it says that this needs --out
            &["watch", "--force"],
            &[],
        ] {
            assert_eq!(wanted(words).unwrap(), None, "{words:?}");
        }
    }

    /// The lines of a real watch, as the other program would write them: in pieces.
    #[test]
    fn everything_is_heard_to_the_end() {
        use std::io::Write;

        let lines = include_str!("../../../../tusker-measure/src/watched/fixture.jsonl");
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let other = std::thread::spawn(move || {
            for piece in lines.as_bytes().chunks(1000) {
                theirs.write_all(piece).unwrap();
            }
        });
        let mut watching = Watching::new(Vec::new());
        hear(ours, &mut watching).unwrap();
        other.join().unwrap();
        let (watched, _) = watching.finish();
        // read off the fixture
        assert_eq!((watched.connections.len(), watched.missed), (2, Some(0)));
        assert_eq!(watched.connections[0].lost, 97);
    }

    #[test]
    fn what_is_not_understood_is_told() {
        use std::io::Write;

        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"{\"what\":\"dance\"}\n").unwrap();
        let told = hear(ours, &mut Watching::new(Vec::new()));
        assert!(matches!(told, Err(Failure::Other(_))), "{told:?}");
        // and the other one is not kept waiting
        assert!(theirs.write_all(b"more").is_err());
    }

    #[test]
    fn mistakes_are_told() {
        for words in [
            &["watch", "--out"][..],
            &["watch", "--out="],
            &["watch", "--out", "w", "--tables", "xml"],
            &["watch", "--out", "w", "--events", "e"],
        ] {
            assert!(matches!(wanted(words), Err(Failure::Input(_))), "{words:?}");
        }
    }
}
