//! iperf3: an independent program that sends data and counts what arrives.

use std::process::{Child, Stdio};

use serde_json::Value;

use super::command::{Background, output};
use super::net::{Host, Net, RECEIVER};
use super::until;

/// A running flow.
#[derive(Debug)]
pub struct Iperf {
    client: Background,
    server: Background,
}

impl Iperf {
    /// Sends for this many seconds under a congestion control, through an unused port of
    /// the receiver.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(net: &Net, law: &str, port: u16, seconds: u32) -> Self {
        let port = port.to_string();
        let piped = |host, args: &[&str]| {
            let mut command = net.on(host, "iperf3", args);
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            Background(child.expect("iperf3 is there"))
        };
        let server = piped(Host::Receiver, &["-s", "-1", "-J", "-p", &port]);
        until("iperf3 listens", || {
            let args = ["-Htln".to_owned(), format!("sport = :{port}")];
            let listens = output(&mut net.on(Host::Receiver, "ss", &args));
            (!listens.stdout.is_empty()).then_some(())
        });
        let seconds = seconds.to_string();
        let client =
            piped(Host::Sender, &["-c", RECEIVER, "-p", &port, "-C", law, "-t", &seconds, "-J"]);
        Self { client, server }
    }

    /// Waits for its end; returns what the receiver counted.
    ///
    /// # Panics
    /// If either side fails.
    pub fn received(mut self) -> Received {
        let sent = json(&mut self.client.0);
        assert!(sent["error"].is_null(), "the sender: {}", sent["error"]);
        let got = json(&mut self.server.0);
        assert!(got["error"].is_null(), "the receiver: {}", got["error"]);
        Received {
            law: sent["end"]["sender_tcp_congestion"].as_str().unwrap_or_default().to_owned(),
            got,
        }
    }
}

/// All its output, read to the end.
fn json(child: &mut Child) -> Value {
    let stdout = child.stdout.take().expect("it was asked for");
    let value = serde_json::from_reader(stdout).expect("iperf3 -J prints JSON");
    child.wait().expect("it is our child");
    value
}

/// What the receiver of a flow counted.
#[derive(Debug)]
pub struct Received {
    /// The congestion control that it used, according to the sender's kernel.
    pub law: String,
    got: Value,
}

impl Received {
    /// Bits per second in each second.
    ///
    /// # Panics
    /// If iperf3 did not report it.
    pub fn seconds(&self) -> Vec<f64> {
        let intervals = self.got["intervals"].as_array().expect("iperf3 tells of each second");
        let bits = |interval: &Value| interval["sum"]["bits_per_second"].as_f64();
        intervals.iter().map(|i| bits(i).expect("with its rate")).collect()
    }

    /// Bits per second over the seconds from number `from` on.
    pub fn goodput(&self, from: usize) -> f64 {
        let intervals = self.got["intervals"].as_array().expect("iperf3 tells of each second");
        let sum = |key: &str| -> f64 {
            intervals.iter().skip(from).filter_map(|i| i["sum"][key].as_f64()).sum()
        };
        8.0 * sum("bytes") / sum("seconds")
    }
}
