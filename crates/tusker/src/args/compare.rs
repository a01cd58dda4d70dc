//! `tusker compare`.

use std::path::PathBuf;

use clap::Args;

use super::{ConditionArgs, HowArgs};

/// Compare congestion controls on one or more paths, without a scenario file.
#[derive(Debug, Args)]
#[command(after_help = "\
Each congestion control runs alone on the same path; with --against, it shares the
path with the same number of flows of a rival. --rate, --rtt, --buffer and --loss also
take a list (0.5bdp,1bdp) or a range (FROM..TO:COUNT, with :log at the end for equal
ratios); every combination of them is a path.

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
    /// times as fast
    #[arg(long, allow_hyphen_values = true)]
    pub rate: String,
    /// Round-trip time without queueing, such as 100ms
    #[arg(long, allow_hyphen_values = true)]
    pub rtt: String,
    /// Queue limit at the bottleneck, such as 0.5bdp, 10000pkt or 1MB
    #[arg(long, default_value = "1bdp", allow_hyphen_values = true)]
    pub buffer: String,
    /// Share of packets lost on the bottleneck's wire, such as 1e-6 [default: none]
    #[arg(long, allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// Congestion controls to compare, with optional parameters; 8xreno is eight
    /// parallel connections that form one application flow
    #[arg(long, value_delimiter = ',', required = true, value_name = "[Nx]NAME[:PARAM=VALUE]")]
    pub cc: Vec<String>,
    /// Parallel connections of each flow of --cc that does not set its own number
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub parallel: u32,
    /// Flows of each congestion control
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub flows: u32,
    /// Queue policy at the bottleneck, with optional parameters
    #[arg(long, default_value = "droptail", value_name = "NAME[:PARAM=VALUE]")]
    pub queue: String,
    /// Mark packets instead of dropping them: `ecn = true` for the queue and for TCP
    #[arg(long)]
    pub ecn: bool,
    /// Share the path with the same number of flows of this congestion control; several
    /// take turns. Each also runs alone and against itself, to show what it loses
    #[arg(long, value_delimiter = ',', value_name = "[Nx]NAME[:PARAM=VALUE]")]
    pub against: Vec<String>,
    /// Simulated time; the second half is measured. Flows start at random within the
    /// first second. A note warns if this was too short
    #[arg(long, default_value = "100s", allow_hyphen_values = true)]
    pub duration: String,
    /// Bundle of TCP settings: linux (today) or ns2 (as in the papers)
    #[arg(long, default_value = "linux")]
    pub profile: String,
    /// Loss recovery: reno, newreno, sack or rack [default: rack for congestion controls
    /// that keep sending through losses (bbr3, copa); for others that of the profile,
    /// rack in linux and reno in ns2]
    #[arg(long)]
    pub recovery: Option<String>,
    /// Set a value of the scenarios before they are checked (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    #[command(flatten)]
    pub verdict: ConditionArgs,
    /// Print the scenario files that this command stands for and run nothing
    #[arg(long)]
    pub print_scenario: bool,
    #[command(flatten)]
    pub how: HowArgs,
    /// Folder for the results, with a folder for each congestion control and path
    /// [default: nothing is stored]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Remove the results in these folders first
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub force: bool,
    /// Keep the replicates in these folders and run the missing ones
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// File for the report [default: report.html in the folder of --out; none without
    /// --out]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}
