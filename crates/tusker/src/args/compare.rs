//! `tusker compare`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{ConditionArgs, HowArgs, request};

/// Compare congestion controls on one or more paths, without a scenario file.
#[derive(Clone, Debug, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
Each congestion control of --cc runs alone on the same path. With --against, it shares
the path with the same number of flows of a rival. --rate, --rtt, --buffer and --loss
also take a list (0.5bdp,1bdp) or a range (FROM..TO:COUNT; with :log at the end, the
ratios between values are equal). Every combination of their values is a path. The report
shows curves over time; for curves over the buffer, rate, RTT or loss, use `tusker sweep`.

Examples:
  tusker compare --rate 1gbit --rtt 100ms --buffer 0.5bdp --cc reno,hstcp,ghstcp
  tusker compare --rate 1gbit --rtt 10ms..200ms:5:log --cc reno,cubic,bbr3
  tusker compare --rate 10gbit --rtt 200ms --cc hstcp,ghstcp --against reno --flows 4
  tusker compare --rate 1gbit --rtt 50ms --cc ghstcp,bbr3 --against reno,cubic
  tusker compare --rate 1gbit --rtt 50ms --cc reno --queue red:min_th=100,max_p=0.02
  tusker compare --rate 1gbit --rtt 50ms --cc ghstcp,ghstcp:z=2 --replicates 5
  tusker compare --rate 200mbit --rtt 46ms --cc ghstcp,8xreno --against reno
  tusker compare --rate 1gbit --rtt 50ms --cc hstcp --print-scenario > hstcp.toml
  tusker compare --rate 1gbit --rtt 50ms --cc reno,hstcp --report both.html

Names: tusker list. Parameters: tusker explain NAME.")]
pub struct CompareArgs {
    /// Rate of the bottleneck, such as 1gbit or 622Mbit; the hosts' own links are ten
    /// times as fast as the bottleneck
    #[arg(long, allow_hyphen_values = true)]
    pub rate: String,
    /// Round-trip time without queueing, such as 100ms
    #[arg(long, allow_hyphen_values = true)]
    pub rtt: String,
    /// Queue limit at the bottleneck, such as 0.5bdp, 10000pkt or 1MB
    #[arg(long, default_value = "1bdp", allow_hyphen_values = true)]
    pub buffer: String,
    /// Share of packets that are lost at random on the bottleneck link, after its queue,
    /// such as 1e-6 [default: 0]
    #[arg(long, allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// Congestion controls to compare, with optional parameters; 8xreno means eight parallel
    /// connections that count as one flow of an application
    #[arg(long, value_delimiter = ',', required = true, value_name = "[Nx]NAME[:PARAM=VALUE]")]
    #[serde(deserialize_with = "request::list")]
    pub cc: Vec<String>,
    /// Number of parallel connections of each flow whose name in --cc does not begin
    /// with a number
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    #[serde(deserialize_with = "request::count")]
    pub parallel: u32,
    /// Number of flows of each congestion control
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    #[serde(deserialize_with = "request::count")]
    pub flows: u32,
    /// Queue policy at the bottleneck, with optional parameters
    #[arg(long, default_value = "droptail", value_name = "NAME[:PARAM=VALUE]")]
    pub queue: String,
    /// Use ECN: the queue marks packets instead of dropping them, and TCP reacts to the
    /// marks (`ecn = true` for both)
    #[arg(long)]
    pub ecn: bool,
    /// Let the flows of --cc share the path with the same number of flows of this congestion
    /// control (a rival). With a list, each rival takes its turn. Each rival also runs
    /// alone and against itself, to show how much it loses
    #[arg(long, value_delimiter = ',', value_name = "[Nx]NAME[:PARAM=VALUE]")]
    #[serde(deserialize_with = "request::list")]
    pub against: Vec<String>,
    /// Simulated time, of which the second half is measured. Flows start at random times
    /// within the first second (at most a tenth of the duration). A note says if the
    /// duration was too short
    #[arg(long, default_value = "100s", allow_hyphen_values = true)]
    pub duration: String,
    /// Set of defaults for the TCP settings: linux (those of Linux today) or ns2 (those of
    /// ns-2.35, with a few exceptions)
    #[arg(long, default_value = "linux")]
    pub profile: String,
    /// Loss recovery: reno, newreno, sack or rack [default: that of the profile, which is
    /// rack in linux and reno in ns2; rack in both for congestion controls that need it,
    /// such as bbr3 and copa]
    #[arg(long)]
    pub recovery: Option<String>,
    /// Set a value of the scenarios before they are checked, such as
    /// dumbbell.jitter=10us (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    #[serde(rename = "set")]
    pub sets: Vec<String>,
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub verdict: ConditionArgs,
    /// Print the scenario files that this command would run, and run nothing
    #[arg(long)]
    #[serde(skip_deserializing)]
    pub print_scenario: bool,
    #[command(flatten)]
    pub how: HowArgs,
    /// Folder for the results, which gets a folder for each congestion control and path
    /// [default: nothing is stored]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Remove earlier results from these folders first
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub force: bool,
    /// Keep the replicates that are in these folders, and run the missing ones
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// File for the report [default: report.html in the folder of --out; without --out,
    /// no report]
    #[arg(long, value_name = "FILE")]
    #[serde(skip_deserializing)]
    pub report: Option<PathBuf>,
}

impl Default for CompareArgs {
    fn default() -> Self {
        request::defaults(&["--rate=", "--rtt=", "--cc="])
    }
}
