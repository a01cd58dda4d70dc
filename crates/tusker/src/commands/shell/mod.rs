//! `tusker shell`: any program across a scenario's path.

pub mod choice;
mod join;
mod lines;
mod log;
mod path;
mod running;
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{IsTerminal as _, stderr, stdin};
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs as _};
use std::ops::ControlFlow;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use tusker_core::Time;
use tusker_lab::captures::{Captures, Tracing};
use tusker_measure::table::Unit;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Written as _;
use tusker_testbed::{Ended, Error, Limits, Names, Offer, Program, Reach, Rights, Shell, Signals};

use crate::args::ShellArgs;
use crate::commands::testbed;
use crate::commands::testbed::laws::{self, Loaded};
use crate::commands::testbed::record::Record;
use crate::failure::Failure;
use crate::output::{print, say};
use crate::{real, scenarios};

use choice::Choice;
use log::Log;

/// Names of environment variables: the host's name, and its peer's addresses.
const HOST: &str = "TUSKER_HOST";
const PEER: &str = "TUSKER_PEER";
const PEER_SIX: &str = "TUSKER_PEER6";
/// Of servers of this machine, separated by blanks.
const REACH: &str = "TUSKER_REACH";

pub fn shell(args: &ShellArgs) -> Result<(), Failure> {
    if args.watch {
        return watch::watch(args);
    }
    if args.join {
        return join::join(args);
    }
    let (name, mut scenario) = path::scenario(args)?;
    scenario.seed = args.seed.or(scenario.seed);
    if args.path.print_scenario {
        return print(&scenario.to_toml());
    }
    scenario.replicates = Some(1);
    let text = scenario.to_toml();
    let complete = scenario.complete().map_err(scenarios::wrong)?;
    let ready = scenarios::completed(name, complete)?;
    let plan = &ready.plan;
    tusker_testbed::fits(plan).map_err(|no| Failure::input(no.what, no.help))?;
    if args.with_flows {
        testbed::can(plan)?;
    }
    let choice = Choice::of(plan, args)?;
    let record = Record::of(args.record.as_deref(), args.record_link.as_deref(), &ready)?;
    let captures = Captures::of(&args.traces.pcap, &[], plan, args.out.is_some())?;
    let rights = real::rights()?;
    if args.with_flows {
        laws::check(plan, rights)?;
    }
    let log = args.out.as_deref().map(|out| Log::create(out, &text)).transpose()?;
    // another program with this name may run, but none with this number
    let listener = running::listen(&ready.name)?;
    let signals = signals()?;
    let laws = loaded(plan, rights, args.with_flows)?;
    let session = Session {
        args,
        choice: &choice,
        rights,
        laws: &laws.names,
        listener: &listener,
        signals: &signals,
        shown: running::shown(plan),
        record: record.as_ref().map(|record| record.link),
        log: log.as_ref(),
        ended: Mutex::default(),
    };
    let of = (ready.name.as_str(), ready.seed);
    let tracing = captures.as_ref().map(|own| Tracing::new(&session, own, of, args.out.as_deref()));
    let tracing = tracing.transpose()?;
    let executor: &dyn Executor = tracing.as_ref().map_or(&session, |tracing| tracing);
    let done = executor.execute(Job::new(plan, ready.seed, &mut |_| ControlFlow::Continue(())));
    signals.take_terminal();
    if let Err(Stopped::Failed { why, remedy }) = done {
        return Err(Failure::other(why, remedy));
    }
    if let Some(tracing) = tracing.filter(|_| !args.quiet) {
        tracing.tell(plan);
    }
    let Session { shown, ended, .. } = session;
    let ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut ended = ended.expect("it was executed").map_err(machine)?;
    if !args.quiet {
        conclude(plan, &shown, &ended);
    }
    if let Some(record) = record {
        record.write(&std::mem::take(&mut ended.arrivals), plan, args.quiet)?;
    }
    if let Some(log) = log {
        let page = log.finish(&ready.name, plan, &shown, &ended)?;
        if !args.quiet {
            say(&format!("the report is {}", page.display()));
        }
    }
    leave(ended.value?)
}

/// The program's exit code.
type ExitCode = Result<i32, Failure>;

/// Programs on a plan's hosts, as something that executes the plan.
struct Session<'a> {
    args: &'a ShellArgs,
    choice: &'a Choice,
    rights: Rights,
    laws: &'a Names,
    listener: &'a UnixListener,
    signals: &'a Signals,
    shown: Vec<usize>,
    record: Option<usize>,
    log: Option<&'a Log>,
    /// The program's exit code, and all else.
    ended: Mutex<Option<Result<Ended<ExitCode>, Error>>>,
}

impl Executor for Session<'_> {
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        let Job { plan, seed, progress, observe, .. } = job;
        let offer = Offer {
            seed,
            within: path::around().map(|_| self.choice.peer),
            flows: self.args.with_flows.then(|| self.laws.clone()),
            record: self.record,
            observe,
        };
        let stop = AtomicBool::new(false);
        let ended = tusker_testbed::shell(plan, offer, |shell| {
            let hosts = choice::described(plan, shell, self.choice);
            thread::scope(|scope| {
                let (listener, shown) = (self.listener, &self.shown);
                scope.spawn(|| running::tell(listener, &hosts, plan, shown, shell, &stop));
                if let Some(log) = self.log {
                    scope.spawn(|| log.keep(plan, shown, shell, &stop));
                }
                let stopper = running::Stopper(&stop);
                let code = self.run(plan, shell, progress);
                drop(stopper);
                code
            })
        });
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        Ok(Run::default())
    }
}

/// Ends with a program's exit code.
fn leave(code: i32) -> Result<(), Failure> {
    match u8::try_from(code) {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::Reported(code)),
        Err(_) => Err(Failure::Reported(1)),
    }
}

fn signals() -> Result<Signals, Failure> {
    Signals::hold().map_err(|error| {
        Failure::other(
            format!("cannot handle signals: {error}"),
            "`ulimit -u` limits the number of threads",
        )
    })
}

fn machine(error: Error) -> Failure {
    Failure::other(error.to_string(), "nothing is left behind")
}

/// Laws of ours that the plan asks for. Without them programs begin with another one, but the
/// plan's flows do not.
fn loaded(plan: &Plan, rights: Rights, needed: bool) -> Result<Loaded, Failure> {
    if rights == Rights::OwnNamespace {
        return Ok(Loaded::default());
    }
    match laws::load(plan) {
        Ok(loaded) => Ok(loaded),
        Err(Stopped::Failed { why, remedy }) if needed => Err(Failure::other(why, remedy)),
        Err(error) => {
            say(&format!("note: {error}"));
            Ok(Loaded::default())
        }
    }
}

impl Session<'_> {
    /// Runs the program; its exit code.
    fn run(
        &self,
        plan: &Plan,
        shell: &Shell<'_>,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<i32, Failure> {
        let Self { args, choice, rights, laws, .. } = *self;
        let talk = |text: &str| {
            if !args.quiet {
                say(text);
            }
        };
        talk(&choice::table(shell, choice));
        if let Some(outer) = path::around() {
            let peer = std::env::var(PEER).unwrap_or_default();
            talk(&format!("in series with the path from {outer}, where peer is {peer}"));
        }
        if rights == Rights::OwnNamespace {
            talk("in a user namespace: without real-time scheduling");
        }
        if plan.flows.iter().any(|flow| flow.tcp.gro.is_some()) {
            talk("hosts merge TCP segments before they acknowledge them (tcp.gro)");
        }
        for (node, ..) in shell.hosts().filter(|host| host.0 != choice.node) {
            if let Some(flow) = Choice::on(plan, node).map(|choice| choice.flow) {
                // who is there may ask for it
                let _ = shell.law(node, flow, laws);
            }
        }
        match shell.law(choice.node, choice.flow, laws) {
            Ok(law) => {
                talk(&format!("connections from here use {law} unless a program says otherwise"));
            }
            Err(error) => talk(&format!(
                "note: connections from here use reno unless a program says otherwise: {error}"
            )),
        }
        let id = std::process::id();
        talk(&format!("elsewhere: tusker shell --watch {id}, tusker shell --join {id}"));
        let mut servers = Vec::new();
        for command in &args.serve {
            servers.push(serve(shell, choice, command, args.serve_wait)?);
        }
        let (mut command, interactive) = wanted(&args.command, &plan.nodes[choice.node]);
        let reached = args.reach.iter().map(|server| reach(shell, choice, server));
        let (_reached, addresses): (Vec<Reach>, Vec<String>) =
            reached.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        if !addresses.is_empty() {
            command.env(REACH, addresses.join(" "));
        }
        let mut program = start(shell, choice.node, choice.peer, command, talk)?;
        let code = wait(&mut program, self.signals, || {
            let stopped = progress(Time::ZERO).is_break();
            shell.failure().or_else(|| stopped.then(|| "a capture cannot be written".to_owned()))
        });
        if interactive {
            self.signals.take_terminal();
        }
        drop(program);
        // each has its second to end
        drop(servers);
        code
    }
}

/// Waits for the end of a program, its exit code; or until `failed` tells why it has no
/// point any more.
fn wait(
    program: &mut Program,
    signals: &Signals,
    mut failed: impl FnMut() -> Option<String>,
) -> Result<i32, Failure> {
    loop {
        if let Some(code) = program.wait(Duration::from_millis(50)) {
            return Ok(code);
        }
        if let Some(signal) = signals.asked() {
            // as a shell reports a program that this signal ended
            return Ok(128 + signal);
        }
        if let Some(why) = failed() {
            return Err(Failure::other(why, "its programs have ended, and nothing is left behind"));
        }
    }
}

fn start(
    shell: &Shell<'_>,
    node: usize,
    peer: usize,
    mut command: Command,
    talk: impl Fn(&str),
) -> Result<Program, Failure> {
    command.envs(environment(shell, node, peer));
    let program = shell.start(node, peer, command).map_err(|error| started(&error))?;
    if let Err(error) = program.names() {
        talk(&format!(
            "note: hosts have no names here, only addresses such as $TUSKER_PEER: {error}"
        ));
    }
    Ok(program)
}

/// What could not be started.
fn started(error: &Error) -> Failure {
    match error {
        Error::Program { source, .. } => {
            let help = "put a program and its arguments after --";
            Failure::not_run(error.to_string(), help, source)
        }
        _ => Failure::other(error.to_string(), "nothing is left behind"),
    }
}

/// The variables of programs on the host of `node`.
fn environment(shell: &Shell<'_>, node: usize, peer: usize) -> BTreeMap<&'static str, String> {
    let host = |wanted| shell.hosts().find(|host| host.0 == wanted);
    let name = host(node).map(|host| host.1.to_owned());
    let mut all = BTreeMap::from([(HOST, name.unwrap_or_default())]);
    if path::around().is_some() {
        // the peer is that of the outer shell
        let outer = [PEER, PEER_SIX].map(|name| Some((name, std::env::var(name).ok()?)));
        all.extend(outer.into_iter().flatten());
    } else {
        all.extend(host(peer).map(|host| (PEER, host.2.to_string())));
        all.extend(shell.six(peer).map(|six| (PEER_SIX, six.to_string())));
    }
    all
}

/// What is to run: a command, or the user's shell; and whether that is a shell at a
/// terminal.
fn wanted(words: &[OsString], host: &str) -> (Command, bool) {
    if let Some((program, args)) = words.split_first() {
        let mut command = Command::new(program);
        command.args(args);
        return (command, false);
    }
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    let mut command = Command::new(shell.unwrap_or_else(|| "/bin/sh".into()));
    // bash sets its own prompt after it has read its files, which know nothing of this
    if host.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) {
        command.env("PROMPT_COMMAND", format!("PS1=\"[{host}] $PS1\"; unset PROMPT_COMMAND"));
    }
    (command, stdin().is_terminal())
}

/// Starts a server at the other end, and waits until it listens.
fn serve(
    shell: &Shell<'_>,
    choice: &Choice,
    line: &str,
    patience: tusker_core::Duration,
) -> Result<Program, Failure> {
    let waiting = || shell.waiting_sockets(choice.peer).map_err(machine);
    let before = waiting()?;
    let mut command = Command::new("/bin/sh");
    // stdout is the command's
    command.args(["-c", line]).stdin(Stdio::null()).stdout(stderr());
    let mut server = start(shell, choice.peer, choice.node, command, |_| ())?;
    let end = Instant::now() + Duration::from_nanos(patience.nanos());
    while waiting()? <= before {
        if let Some(code) = server.wait(Duration::ZERO) {
            return Err(Failure::input(
                format!("the server ended before it listened, with exit code {code}: {line}"),
                "--serve needs a command that stays in the foreground",
            ));
        }
        if Instant::now() > end {
            let after = patience.write();
            say(&format!("note: nothing listens at peer after {after} (--serve-wait): {line}"));
            break;
        }
        sleep(Duration::from_millis(10));
    }
    Ok(server)
}

/// Offers a server of this machine at the other end, and returns its address there.
fn reach(shell: &Shell<'_>, choice: &Choice, text: &str) -> Result<(Reach, String), Failure> {
    let address = match text.parse::<u16>() {
        Ok(port) => Some((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => text.to_socket_addrs().ok().and_then(|mut all| all.next()),
    };
    let address = address.filter(|server: &SocketAddr| server.ip().is_loopback());
    let server = address.filter(|server| server.port() != 0).ok_or_else(|| {
        Failure::input(
            format!("--reach {text}: this is no server of this machine's loopback device"),
            "give its port, such as 8000, or an address such as [::1]:8000",
        )
    })?;
    let (reach, at) = shell.reach(choice.peer, server).map_err(machine)?;
    Ok((reach, at.to_string()))
}

/// What the links and flows carried, and how well the emulator kept its times.
fn conclude<T>(plan: &Plan, shown: &[usize], ended: &Ended<T>) {
    say(&lines::totals(plan, shown, &ended.carried, &ended.links));
    for (flow, bps) in log::goodput(plan, ended) {
        say(&format!("{flow}: goodput {}", Unit::Rate.text(bps)));
    }
    let Some(audit) = &ended.audit else { return };
    say(&testbed::timing(audit));
    let faults = audit.faults(&Limits::of(plan));
    if !faults.is_empty() {
        say(&format!("note: the emulator was too late: {}", faults.join("; ")));
    }
}
