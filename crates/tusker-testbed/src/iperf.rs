//! `iperf3` instead of our own sender and receiver: an independent check.
//!
//! Each flow has a server on its receiver's host and a client on its sender's, with the
//! flow's congestion control and buffers. For every tenth of a second the server reports
//! what it read; the emulator counts the same flow on the wire.
//!
//! The processes end with the run, and with the process that runs it.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration as Wall, Instant};

use serde_json::Value;
use tusker_core::Time;
use tusker_plan::plan::{Flow, Plan};

use crate::error::Error;
use crate::host::Host;
use crate::opening::{options, whole};
use crate::places::Hosts;
use crate::ways::ends;

/// What is run.
const PROGRAM: &str = "iperf3";

/// How long both ends may take to start, and to tell each other about the end.
const PATIENCE: Wall = Wall::from_secs(20);

/// How often a process is polled for its end.
const ASK: Wall = Wall::from_millis(10);

/// What a server reported about its flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Iperf3 {
    /// The flow.
    pub flow: usize,
    /// Goodput within the measuring window, bits per second.
    pub goodput: f64,
    /// Total payload that it read, bytes.
    pub bytes: u64,
}

/// Why `iperf3` cannot run a flow; `None` if it can.
pub fn refusal(flow: &Flow) -> Option<&'static str> {
    if flow.stop.is_some() {
        return Some("stops before the end, and iperf3 can only stop after whole seconds");
    }
    if flow.app.is_some() {
        return Some("writes at intervals (`app`), and iperf3 writes all the time");
    }
    None
}

/// Both processes of a flow.
pub struct Pair {
    flow: usize,
    server: Process,
    client: Option<Process>,
}

impl Pair {
    /// The server, ready for its client.
    pub fn new(plan: &Plan, hosts: &Hosts, flow: usize) -> Result<Self, Error> {
        let [_, to] = ends(plan, &plan.flows[flow].route);
        let options = options(plan, hosts, flow)?;
        let arguments = ["-s", "-1", "-J", "-i", "0.1"].map(str::to_owned);
        let bind = ["-B".to_owned(), hosts.address(to).to_string(), "-p".to_owned()];
        let mut all: Vec<String> = arguments.into_iter().chain(bind).collect();
        all.push(options.port.to_string());
        let server = Process::new(hosts.of(to), all)?;
        let pair = Self { flow, server, client: None };
        pair.ready(hosts.of(to), options.port)?;
        Ok(pair)
    }

    /// Waits until something listens on this port of a host.
    fn ready(&self, host: &Host, port: u16) -> Result<(), Error> {
        let begun = Instant::now();
        loop {
            let listens = host.run(|| {
                let table = std::fs::read_to_string("/proc/thread-self/net/tcp");
                let entry = format!(":{port:04X} 00000000:0000 0A");
                table.is_ok_and(|table| table.contains(&entry))
            })?;
            if listens {
                return Ok(());
            }
            if let Some(said) = self.server.ended() {
                return Err(failed(host.name(), &said));
            }
            if begun.elapsed() > PATIENCE {
                return Err(failed(host.name(), "it does not listen on its port"));
            }
            sleep(ASK);
        }
    }

    /// The client starts sending, until the end of the plan and at most a second more.
    pub fn begin(&mut self, plan: &Plan, hosts: &Hosts, now: Time) -> Result<(), Error> {
        let flow = &plan.flows[self.flow];
        let [from, to] = ends(plan, &flow.route);
        let options = options(plan, hosts, self.flow)?;
        let mut all = Vec::new();
        let mut add = |name: &str, value: String| all.extend([name.to_owned(), value]);
        add("-c", hosts.address(to).to_string());
        add("-p", options.port.to_string());
        add("-B", hosts.address(from).to_string());
        add("-C", options.law);
        match flow.size {
            Some(bytes) => add("-n", whole(flow, bytes.get()).to_string()),
            None => add("-t", plan.end.since(now).secs().ceil().max(1.0).to_string()),
        }
        // one value for both ends
        if let Some(bytes) = options.window {
            add("-w", bytes.to_string());
        }
        if let Some(bytes) = options.mss {
            add("-M", bytes.to_string());
        }
        add("-i", "0.1".to_owned());
        all.push("-J".to_owned());
        self.client = Some(Process::new(hosts.of(from), all)?);
        Ok(())
    }

    /// It has started.
    pub fn has_begun(&self) -> bool {
        self.client.is_some()
    }

    /// Whether both processes are running or have ended normally.
    pub fn check(&self) -> Result<(), Error> {
        for process in self.client.iter().chain([&self.server]) {
            if let Some(said) = process.ended()
                && let Some(error) = error_in(&said)
            {
                return Err(failed(&process.host, &error));
            }
        }
        Ok(())
    }

    /// Waits for both while packets still move, and keeps what the server reported.
    pub fn ended(self) -> Result<Ended, Error> {
        let until = Instant::now() + PATIENCE;
        let host = self.server.host.clone();
        // without a client its start was after the plan's end
        let Some(client) = &self.client else {
            return Ok(Ended { flow: self.flow, host, said: None });
        };
        client.wait(until)?;
        let said = self.server.wait(until)?;
        self.check()?;
        Ok(Ended { flow: self.flow, host, said: Some(said) })
    }
}

/// Both processes of a flow have ended.
pub struct Ended {
    flow: usize,
    host: String,
    said: Option<String>,
}

impl Ended {
    /// What the server reported. `begun` is when its first byte arrived.
    pub fn read(self, plan: &Plan, begun: Option<Time>) -> Result<Iperf3, Error> {
        let (Some(said), Some(begun)) = (&self.said, begun) else {
            return Ok(Iperf3 { flow: self.flow, goodput: 0.0, bytes: 0 });
        };
        read(said, self.flow, plan, begun).ok_or_else(|| {
            failed(&self.host, "what it printed is not what iperf3 3.x prints with -J")
        })
    }
}

/// Parses a server's output: bytes within the window; those of an interval are spread
/// evenly over it.
fn read(said: &str, flow: usize, plan: &Plan, begun: Time) -> Option<Iperf3> {
    let value: Value = serde_json::from_str(said).ok()?;
    let from = plan.measure_from.since(Time::ZERO).secs();
    let to = plan.measure_to.since(Time::ZERO).secs();
    let zero = begun.since(Time::ZERO).secs();
    let (mut within, mut bytes) = (0.0, 0.0);
    for interval in value.get("intervals")?.as_array()? {
        let sum = interval.get("sum")?;
        let of = |name: &str| sum.get(name).and_then(Value::as_f64);
        let (start, end, read) = (zero + of("start")?, zero + of("end")?, of("bytes")?);
        bytes += read;
        if end > start {
            let common = (end.min(to) - start.max(from)).max(0.0);
            within += read * common / (end - start);
        }
    }
    Some(Iperf3 { flow, goodput: within * 8.0 / (to - from), bytes: bytes as u64 })
}

/// The error as the process reports it.
fn error_in(said: &str) -> Option<String> {
    match serde_json::from_str::<Value>(said) {
        Ok(value) => value.get("error").map(|error| error.as_str().unwrap_or("it failed").into()),
        Err(_) => {
            Some(if said.trim().is_empty() { "it reported no reason".into() } else { said.into() })
        }
    }
}

fn failed(host: &str, said: &str) -> Error {
    Error::Iperf3 { host: host.to_owned(), said: said.trim().to_owned() }
}

/// A process on a host, and its output. Dropping this ends the process.
struct Process {
    host: String,
    stop: Arc<AtomicBool>,
    /// Starts it on a thread that stays as long as it does, because it ends with its
    /// thread.
    thread: Option<JoinHandle<()>>,
    said: Arc<std::sync::OnceLock<String>>,
}

impl Process {
    fn new(host: &Host, arguments: Vec<String>) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let said: Arc<std::sync::OnceLock<String>> = Arc::default();
        let (told, tells) = (Arc::clone(&said), Arc::clone(&stop));
        let thread = host.spawn(move || {
            let said = run(&arguments, &tells).unwrap_or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such program here".to_owned(),
                _ => error.to_string(),
            });
            let _ = told.set(said);
        })?;
        Ok(Self { host: host.name().to_owned(), stop, thread: Some(thread), said })
    }

    /// Its output, if it has ended.
    fn ended(&self) -> Option<String> {
        self.said.get().cloned()
    }

    fn wait(&self, until: Instant) -> Result<String, Error> {
        loop {
            match self.ended() {
                Some(said) => return Ok(said),
                None if Instant::now() > until => {
                    return Err(failed(&self.host, "it does not end"));
                }
                None => sleep(ASK),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Runs it to its end, or until `stop`.
fn run(arguments: &[String], stop: &AtomicBool) -> std::io::Result<String> {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    crate::sys::ends_with_this_thread(&mut command);
    let mut child = command.spawn()?;
    let said = reads(&mut child);
    while child.try_wait()?.is_none() {
        if stop.load(Ordering::Relaxed) {
            // it may have ended just now
            let _ = child.kill();
        }
        sleep(ASK);
    }
    Ok(said.and_then(|thread| thread.join().ok()).unwrap_or_default())
}

/// Reads a process's output, so that the process never blocks on it.
fn reads(child: &mut Child) -> Option<JoinHandle<String>> {
    let mut output = child.stdout.take()?;
    let read = move || {
        let mut text = String::new();
        // unreadable output is missing, which the parser reports
        let _ = output.read_to_string(&mut text);
        text
    };
    thread::Builder::new().spawn(read).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_scenario::Scenario;

    #[test]
    fn intervals_are_cut_at_the_window() {
        let text = "profile = 'linux'\nduration = '10s'\nmeasure = { from = '2s', to = '4s' }\n[dumbbell]\n\
                    rate = '10Mbit'\ndelay = '1ms'\nqueue = '10pkt'\n\
                    access = { rate = '1Gbit', delay = '0ms' }\n\
                    [[flows]]\nname = 'a'\ncc = 'reno'\n";
        let plan = Scenario::parse("test.toml", text, &[]).and_then(|s| s.plan()).expect("right");
        let said = r#"{"intervals": [
            {"sum": {"start": 0, "end": 1, "bytes": 1000}},
            {"sum": {"start": 1, "end": 2, "bytes": 2000}},
            {"sum": {"start": 2, "end": 3, "bytes": 4000}},
            {"sum": {"start": 3, "end": 4, "bytes": 8000}}]}"#;
        // begun after half a second: from 2 s to 4 s are half of the second, the third, and
        // half of the fourth interval
        let said = read(said, 0, &plan, Time::from_nanos(500_000_000)).expect("it is right");
        assert_eq!(said, Iperf3 { flow: 0, goodput: 9_000.0 * 8.0 / 2.0, bytes: 15_000 });
    }

    #[test]
    fn what_iperf3_says_of_an_error_is_found() {
        assert_eq!(error_in(r#"{"error": "unable to connect"}"#).unwrap(), "unable to connect");
        assert_eq!(error_in(r#"{"end": {}}"#), None);
        assert_eq!(error_in("iperf3: no\n").unwrap(), "iperf3: no\n");
        assert_eq!(error_in("").unwrap(), "it reported no reason");
    }
}
