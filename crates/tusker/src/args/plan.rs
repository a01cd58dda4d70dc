//! `tusker plan`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};
use tusker_core::Bytes;

use super::{Format, memory, request};

/// Plan a transfer: which congestion control, how many streams, how long it takes.
#[derive(Clone, Debug, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
A row is one way to do the transfer: a congestion control (cc) with a number of \
parallel connections (streams). First estimates of all rows appear within seconds. Then \
the rows are simulated: first what you use today, then the row that is recommended, then \
its rivals. A long transfer is simulated from its start until its rate is known. We \
assume that the rest of it has the same rate (docs/plan.md).

Examples:
  tusker plan --size 200TB --rate 10gbit --rtt 160ms --loss 1e-6 --buffer 2MB
  tusker plan --size 5TB --rate 1gbit --rtt 80ms --with reno --deadline 24h
  tusker plan --size 5TB --rate 1gbit --rtt 80ms --today 4xreno --streams 1..32
  tusker plan --size 1TB --rate 1gbit --rtt 50ms --socket-buffer 4MB,enough
  tusker plan --size 1TB --rate 1gbit --rtt 50ms --budget none --out tonight

cubic-linux is the congestion control that Linux calls cubic; cubic is that of RFC 9438.

Ctrl-C prints what is known so far. With --out every run is stored. If the command was \
stopped, the same command continues it. The same transfer with other --cc or --streams \
adds rows.")]
pub struct PlanArgs {
    /// Size of the transfer, such as 200TB
    #[arg(long, value_name = "SIZE")]
    pub size: String,
    /// Rate of the bottleneck, such as 10gbit
    #[arg(long, value_name = "RATE")]
    pub rate: String,
    /// Round-trip time without queueing, such as 160ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rtt: String,
    /// Share of packets lost at random on the path, such as 1e-6
    #[arg(long, default_value = "0", value_name = "SHARE", allow_hyphen_values = true)]
    pub loss: String,
    /// Queue limit of the bottleneck router (not of your hosts), such as 2MB, 0.5bdp or
    /// 1000pkt. If you do not know it, give a list such as 0.1bdp,0.3bdp,1bdp: this makes a
    /// plan for each value. A value in the middle may be the worst [default: 1bdp]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub buffer: Option<String>,
    /// Other people's flows, which are on the path all the time, such as 4xcubic-linux,reno
    /// [default: none]
    #[arg(long, default_value = "", value_name = "LIST", hide_default_value = true)]
    pub with: String,
    /// What your transfers use today, such as 4xcubic-linux, or `none`. The plan
    /// compares the other ways to do the transfer (its rows) with this one
    #[arg(long, default_value = "cubic-linux", value_name = "[Nx]LAW")]
    #[arg(allow_hyphen_values = true)]
    pub today: String,
    /// Congestion controls to choose from, with optional parameters, such as ghstcp:z=2
    #[arg(long, visible_alias = "laws", default_value = tusker_transfer::LAWS, value_name = "LIST")]
    pub cc: String,
    /// Numbers of parallel connections: 1,4,16, or 1..32 for 1, 2, 4, 8, 16 and 32
    #[arg(long, visible_alias = "parallel", default_value = "1,2,4,8,16", value_name = "LIST")]
    #[arg(allow_hyphen_values = true)]
    pub streams: String,
    /// Payload that each connection may have in flight, such as 64MB; `enough` means twice
    /// the amount that the path and its buffer hold. A list makes rows for each value
    #[arg(long, default_value = "enough", value_name = "LIST", allow_hyphen_values = true)]
    pub socket_buffer: String,
    /// Size of a packet on the wire, such as 9000B for jumbo frames
    #[arg(long, default_value = "1500B", value_name = "SIZE", allow_hyphen_values = true)]
    pub packet: String,
    /// Simulate each row until half the 95 % interval of its rate is at most this share of
    /// the rate
    #[arg(long, default_value = "5%", value_name = "SHARE", allow_hyphen_values = true)]
    pub until: String,
    /// Recommend no row that may take more than this share, from 0 to 1, of the rate of the flows
    /// of --with. The ± of a row's share is added to that share. If this is a first estimate
    /// (~), 0.3 is added instead, or 0.15 if all flows together fill at most half of the link
    /// [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub max_harm: Option<String>,
    /// Print the commands to type on both hosts for the recommended row. If the plan in --out
    /// has it, nothing is simulated unless --budget is given
    #[arg(long)]
    #[serde(skip_deserializing)]
    pub commands: bool,
    /// Print them for this row instead, such as 4xbbr1
    #[arg(long = "for", value_name = "[Nx]LAW", allow_hyphen_values = true)]
    #[serde(rename = "for")]
    pub asked_for: Option<String>,
    /// Time within which the transfer must be done, such as 12h; the plan says how many rows
    /// take no longer
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub deadline: Option<String>,
    /// Largest number of packets to simulate for a row; 2e8 take about a minute on a free
    /// core
    #[arg(long, default_value = "1e9", value_name = "N", allow_hyphen_values = true)]
    pub row_packets: String,
    /// Packets after which no further row is simulated, such as 5e9, for each value of
    /// --buffer, or `none` for no limit; or a time, such as 10min, with which the answer depends
    /// on the machine [default: 2.5e9; with several buffers, 4e9 for all of them]
    #[arg(long, value_name = "N|TIME", allow_hyphen_values = true)]
    pub budget: Option<String>,
    /// What the budget is if none was given and there are several buffers.
    #[arg(skip)]
    #[serde(skip)]
    pub share: Option<String>,
    /// Number of runs at the same time [default: the number of cores]
    #[arg(long, short, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    #[serde(deserialize_with = "request::jobs")]
    pub jobs: Option<u32>,
    /// Memory that all runs together may use, such as 2GB [default: three quarters of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    #[arg(allow_hyphen_values = true)]
    #[serde(deserialize_with = "request::memory", serialize_with = "request::size")]
    pub memory: Option<Bytes>,
    /// What to print on stdout: `table` (text for people), `csv` (a line for each row) or
    /// `json`
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    #[serde(skip_deserializing)]
    pub format: Format,
    /// Show no progress; print only errors, and notes on doubtful results, on stderr
    #[arg(long, short)]
    #[serde(skip_deserializing)]
    pub quiet: bool,
    /// Folder for the runs and the plan [default: nothing is stored]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl PlanArgs {
    /// The limit as written.
    pub fn budget(&self) -> &str {
        self.budget.as_deref().or(self.share.as_deref()).unwrap_or("2.5e9")
    }
}

impl Default for PlanArgs {
    fn default() -> Self {
        request::defaults(&["--size=", "--rate=", "--rtt="])
    }
}
