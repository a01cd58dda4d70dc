//! `tusker compare`.

use std::path::PathBuf;

use clap::Args;

use super::{ConditionArgs, HowArgs};

/// Compare congestion controls on a path or several, without writing a file.
#[derive(Debug, Args)]
#[command(after_help = "\
Each congestion control is run alone on the same path; with --against, it shares
the path with as many flows of each of others. --rate, --rtt, --buffer and --loss take a
list or a range as well, and then every combination is a path: 0.5bdp,1bdp or
FROM..TO:COUNT, with :log behind it for equal ratios.

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
    /// Rate of the bottleneck: 1gbit, 622Mbit; the hosts' own links are ten times
    /// as fast
    #[arg(long, allow_hyphen_values = true)]
    pub rate: String,
    /// Round-trip time without queueing: 100ms
    #[arg(long, allow_hyphen_values = true)]
    pub rtt: String,
    /// Queue limit at the bottleneck: 0.5bdp, 10000pkt, 1MB
    #[arg(long, default_value = "1bdp", allow_hyphen_values = true)]
    pub buffer: String,
    /// Share of packets lost on the bottleneck's wire: 1e-6; none unless said
    #[arg(long, allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// Congestion controls to compare, each with parameters if you like; 8xreno
    /// is eight parallel connections as one application flow
    #[arg(long, value_delimiter = ',', required = true, value_name = "[Nx]NAME[:PARAM=VALUE]")]
    pub cc: Vec<String>,
    /// Parallel connections of each flow of --cc that does not say its own
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub parallel: u32,
    /// Flows of each congestion control
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub flows: u32,
    /// Queue policy at the bottleneck, with parameters if you like
    #[arg(long, default_value = "droptail", value_name = "NAME[:PARAM=VALUE]")]
    pub queue: String,
    /// Marks instead of drops: sets `ecn = true` for the queue and for TCP
    #[arg(long)]
    pub ecn: bool,
    /// Shares the path with as many flows of this congestion control; with several, with
    /// each in turn. Each is run alone and against itself as well, to tell what it loses
    #[arg(long, value_delimiter = ',', value_name = "[Nx]NAME[:PARAM=VALUE]")]
    pub against: Vec<String>,
    /// Simulated time; the latter half is measured. Flows start at random within
    /// the first second. A note tells when this was too short
    #[arg(long, default_value = "100s", allow_hyphen_values = true)]
    pub duration: String,
    /// Bundle of TCP settings: linux (today) or ns2 (as in the papers)
    #[arg(long, default_value = "linux")]
    pub profile: String,
    /// Loss recovery: reno, newreno, sack or rack. Unless given, rack for congestion
    /// controls that keep sending through losses (bbr3, copa), and for others what
    /// the profile says: rack in linux, reno in ns2
    #[arg(long)]
    pub recovery: Option<String>,
    /// Sets a value of the scenarios, before anything is checked; again for more
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    #[command(flatten)]
    pub verdict: ConditionArgs,
    /// Print the scenario files that this stands for, and run nothing
    #[arg(long)]
    pub print_scenario: bool,
    #[command(flatten)]
    pub how: HowArgs,
    /// Folder for the results, one folder in it per congestion control and path; nothing
    /// is stored unless said
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Remove the results that are in these folders first
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub force: bool,
    /// Keep the replicates that are in these folders and run those that are missing
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// File for the report; report.html in --out unless said otherwise, and
    /// nowhere without either
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}
