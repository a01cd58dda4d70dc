//! `tusker shell --join`: opens another host of a running shell.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use serde_json::Value;
use tusker_testbed::{Place, Program, enter_that_of};

use super::{leave, running, signals, started, wait, wanted};
use crate::args::ShellArgs;
use crate::failure::Failure;
use crate::output::say;

pub fn join(args: &ShellArgs) -> Result<(), Failure> {
    let which = args.scenario.as_deref().map(|which| which.to_string_lossy().into_owned());
    let (process, stream) = running::ask(which.as_deref(), running::HOSTS)?;
    let gone =
        |why: String| Failure::other(format!("cannot join shell {process}: {why}"), running::MAYBE);
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).map_err(|error| gone(error.to_string()))?;
    if line.is_empty() {
        return Err(gone("it does not answer".to_owned()));
    }
    let answer: Value = serde_json::from_str(&line).map_err(|error| gone(error.to_string()))?;
    let host = host(&answer, args.host.as_deref())?;
    let text = |key: &str| host[key].as_str().unwrap_or_default();
    // before this process is another user
    let namespace = File::open(format!("/proc/{process}/fd/{}", host["file"]));
    let namespace = namespace.map_err(|error| gone(error.to_string()))?;
    enter_that_of(process).map_err(|error| gone(error.to_string()))?;
    let signals = signals()?;
    let (mut command, interactive) = wanted(&args.command, text("name"));
    for (name, value) in host["environment"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap_or_default());
    }
    let place = Place { host: text("name"), namespace: namespace.as_fd(), names: text("names") };
    let mut program = Program::start(place, command).map_err(|error| started(&error))?;
    drop(namespace);
    if !args.quiet {
        let peer = host["environment"][super::PEER].as_str().unwrap_or_default();
        say(&format!("{} {}; peer is {peer}", text("name"), text("address")));
    }
    let ended = stream.set_nonblocking(true);
    ended.map_err(|error| gone(error.to_string()))?;
    let code = wait(&mut program, &signals, || {
        has_ended(&stream).then(|| format!("shell {process}, which was joined, has ended"))
    });
    if interactive {
        signals.take_terminal();
    }
    drop(program);
    leave(code?)
}

/// It says nothing more, but its end is heard.
fn has_ended(mut stream: &UnixStream) -> bool {
    matches!(stream.read(&mut [0]), Ok(0))
}

/// The host of this name, or the shell's peer.
fn host<'a>(answer: &'a Value, name: Option<&str>) -> Result<&'a Value, Failure> {
    let hosts = answer["hosts"].as_array().map_or(&[][..], Vec::as_slice);
    let wanted = name.or(answer["joins"].as_str()).unwrap_or_default();
    hosts.iter().find(|host| host["name"] == wanted).ok_or_else(|| {
        let names: Vec<&str> = hosts.iter().filter_map(|host| host["name"].as_str()).collect();
        Failure::input(
            format!("the shell has no host {wanted}"),
            format!("it has {}", names.join(", ")),
        )
    })
}
