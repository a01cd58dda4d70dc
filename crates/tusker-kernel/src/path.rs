//! A path across three network namespaces of this machine, for as long as it is needed:
//!
//! ```text
//!   sender ---- router ====> receiver      the bottleneck: the router's outgoing link
//! ```
//!
//! The bottleneck is not the sender's own outgoing link: TCP keeps only a few segments in
//! its own host's queue, and would not fill it.

use std::fs;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// The receiver's address.
pub const RECEIVER: &str = "10.9.1.1";

/// The path; removed when this is dropped.
pub struct Path {
    name: String,
}

impl Path {
    /// Makes a path with this rate in Mbit/s and this buffer in bytes at the bottleneck.
    ///
    /// # Errors
    /// The error message of a program that was needed.
    pub fn new(rate_mbit: f64, queue: u32) -> Result<Self, Failure> {
        sweep();
        let path = Self { name: format!("{PREFIX}{}", std::process::id()) };
        let [a, r, b] = path.namespaces();
        let tbf = tbf(rate_mbit, queue);
        sh(&format!(
            "for n in {a} {r} {b}; do ip netns add $n && ip -n $n link set lo up || exit 1; done
             ip link add a0 netns {a} type veth peer name r0 netns {r}
             ip link add r1 netns {r} type veth peer name b0 netns {b}
             ip -n {a} addr add 10.9.0.1/24 dev a0
             ip -n {r} addr add 10.9.0.2/24 dev r0
             ip -n {r} addr add 10.9.1.2/24 dev r1
             ip -n {b} addr add {RECEIVER}/24 dev b0
             ip -n {a} link set a0 up
             ip -n {r} link set r0 up
             ip -n {r} link set r1 up
             ip -n {b} link set b0 up
             ip -n {a} route add default via 10.9.0.2
             ip -n {b} route add default via 10.9.1.2
             ip netns exec {r} sysctl -qw net.ipv4.ip_forward=1
             # a connection that begins with BBR stays paced under whatever law follows
             ip netns exec {a} sysctl -qw net.ipv4.tcp_congestion_control=reno
             ip netns exec {a} sysctl -qw net.ipv4.tcp_no_metrics_save=1
             tc -n {r} qdisc add dev r1 root {tbf}"
        ))?;
        Ok(path)
    }

    fn namespaces(&self) -> [String; 3] {
        ["a", "r", "b"].map(|host| format!("{}{host}", self.name))
    }

    /// Changes the bottleneck; queued packets stay queued.
    ///
    /// # Errors
    /// The error message of `tc`.
    pub fn change(&self, rate_mbit: f64, queue: u32) -> Result<(), Failure> {
        let [_, r, _] = self.namespaces();
        sh(&format!("tc -n {r} qdisc change dev r1 root {}", tbf(rate_mbit, queue)))
    }

    /// Drops everything towards the receiver, or stops doing so.
    ///
    /// # Errors
    /// The error message of `ip`.
    pub fn lose_everything(&self, lose: bool) -> Result<(), Failure> {
        let [_, r, _] = self.namespaces();
        let what = if lose { "add" } else { "del" };
        sh(&format!("ip -n {r} route {what} blackhole {RECEIVER}/32"))
    }

    /// A program on the sender.
    pub fn sender(&self, program: &str) -> Command {
        self.on(0, program)
    }

    /// A program on the receiver.
    pub fn receiver(&self, program: &str) -> Command {
        self.on(2, program)
    }

    fn on(&self, host: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespaces()[host], program]);
        command
    }
}

impl Drop for Path {
    fn drop(&mut self) {
        self.namespaces().iter().for_each(|name| remove(name));
    }
}

/// Prefix of the namespaces' names, followed by process and host.
const PREFIX: &str = "tusker";

/// Removes what killed processes left behind.
fn sweep() {
    let Ok(names) = fs::read_dir("/run/netns") else { return };
    for name in names.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
        let process = name.strip_prefix(PREFIX).map(|rest| rest.trim_end_matches(['a', 'r', 'b']));
        let Some(process) = process.and_then(|process| process.parse::<u32>().ok()) else {
            continue;
        };
        if !fs::exists(format!("/proc/{process}")).unwrap_or(true) {
            remove(&name);
        }
    }
}

fn remove(namespace: &str) {
    // nothing to do if it fails
    let _ = Command::new("ip").args(["netns", "del", namespace]).stderr(Stdio::null()).status();
}

fn tbf(rate_mbit: f64, queue: u32) -> String {
    format!("tbf rate {rate_mbit}mbit burst 24kb limit {queue}")
}

/// Runs lines of a shell and stops at the first one that fails.
fn sh(lines: &str) -> Result<(), Failure> {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-ec", lines])
        .env("PATH", format!("{path}:/usr/sbin:/sbin"))
        .output()
        .map_err(|error| Failure::other(format!("cannot run sh: {error}"), "is it in PATH?"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::other(
        format!("cannot make a path: {}", String::from_utf8_lossy(&output.stderr).trim()),
        "it needs root, and ip and tc of iproute2",
    ))
}
