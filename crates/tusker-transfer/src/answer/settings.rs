//! What has to be set on the hosts for a row, and the commands for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What has to be set on the hosts for a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// The name of the congestion control in Linux; null if no kernel has it.
    pub congestion_control: Option<String>,
    /// What has to be built for it; null if that is not so.
    pub needs: Option<String>,
    /// The command that gets it into the kernel; null if it is there.
    pub load: Option<String>,
    /// The command that undoes this.
    pub unload: Option<String>,
    /// What was simulated and is not set in Linux.
    pub differs: Option<String>,
    /// The most that the socket buffer of a connection may grow to in Linux, bytes.
    pub buffer_bytes: u64,
    /// The sender's queue is `fq`, which paces packets.
    pub fq: bool,
    /// The most that `fq` lets a connection send, bits per second; null for no limit.
    pub maxrate_bps: Option<u64>,
}

/// A host of the transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// The one that has the data.
    Sender,
    /// The one that gets them.
    Receiver,
}

impl Host {
    /// By the name that it has in JSON.
    pub(crate) fn read(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// What a command belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Settings and servers.
    Prepare,
    /// A test of the path.
    Test,
    /// The transfer itself.
    Transfer,
    /// What undoes the settings when all is done.
    Undo,
}

impl Step {
    /// By the name that it has in JSON.
    pub(crate) fn read(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// A command for a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// The host on which to run it.
    pub on: Host,
    /// What it belongs to.
    pub step: Step,
    /// What it is for; empty if that is said of the command before it.
    pub why: String,
    /// The command; a long one has several lines, joined by a backslash.
    pub line: String,
}
