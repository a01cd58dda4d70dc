//! Commands outside the simulator: the kernel, and real sockets.

use std::ffi::OsString;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use std::path::PathBuf;

use clap::Args;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use clap::ValueEnum;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use serde::Serialize;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use tusker_core::{Bytes, Duration};
#[cfg(all(target_os = "linux", feature = "testbed"))]
use tusker_scenario::Written;

#[cfg(all(target_os = "linux", feature = "testbed"))]
use super::{ConditionArgs, Format, HowArgs, SaveArgs, TracesArgs};

/// Load congestion controls into the running Linux kernel, and watch them there.
///
/// The program `tusker-kernel` does this; `tusker kernel --help` lists its commands.
#[derive(Args, Debug)]
pub struct KernelArgs {
    /// The command and its options: load, unload, status, watch or prove; see --help
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// Run a scenario on real sockets, across an emulated network.
///
/// Each host of the scenario is a network namespace, with the TCP of this machine's kernel.
/// The emulator (a part of Tusker) delays, queues and drops packets on the links between
/// the hosts as the simulator does, but in real time. So a run takes as long as the
/// duration of the scenario. The testbed needs root, or a machine on which users may create
/// user namespaces and open /dev/net/tun.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo tusker testbed examples/dumbbell.toml
  sudo tusker testbed examples/dumbbell.toml --replicates 5 --out results/real
  sudo tusker testbed examples/dumbbell.toml --compare --set flows.0.cc=cubic
  sudo tusker testbed examples/dumbbell.toml --client iperf3
  sudo tusker testbed examples/dumbbell.toml --record arrivals.csv
  sudo tusker testbed examples/dumbbell.toml --pcap reno.0.src --pcap 'R1->R2'

Results are stored and shown like those of `tusker run`. Replicates run one after the
other. The emulator records how late it handled each packet. If this was too late, the
run is marked as invalid wherever it is shown, and the command ends with exit code 1.")]
pub struct TestbedArgs {
    /// Scenario file, or - to read it from stdin
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Set a value of the scenario before it is checked, such as duration=20s (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Also simulate the scenario, and show both results side by side. The folder of --out
    /// then has the folders simulator and testbed, and a report on both
    #[arg(long, conflicts_with = "pcap")]
    pub compare: bool,
    /// Seed of the first replicate; each further replicate uses the next number [default:
    /// that of the scenario, or 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Number of runs with different seeds, for confidence intervals [default: that of the
    /// scenario, or 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub replicates: Option<u32>,
    /// Memory that a run may use, such as 2GB [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = super::memory)]
    #[arg(allow_hyphen_values = true)]
    pub memory: Option<Bytes>,
    /// Program that sends and receives the data of the flows. With iperf3, its own results
    /// are printed beside those that the emulator measured, and nothing is stored
    #[arg(long, value_enum, default_value_t)]
    #[arg(conflicts_with_all = ["compare", "out", "force", "resume", "tables"])]
    pub client: Client,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Show no progress; print only errors, and notes on doubtful results, on stderr
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub save: SaveArgs,
    #[command(flatten)]
    pub traces: TracesArgs,
    /// Write a qlog file (for qvis) with the windows and RTTs of this flow's socket, every
    /// 10 ms in the first replicate; or one file for each flow of this group (repeatable)
    #[arg(long, value_name = "FLOW[=FILE]", conflicts_with = "compare")]
    pub qlog: Vec<String>,
    /// Do not store results
    #[arg(long, conflicts_with_all = ["out", "force", "resume", "tables"])]
    pub no_save: bool,
    /// Write a CSV file with a row for each packet that arrives at a link (--record-link),
    /// which says what happened to the packet
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "resume"])]
    pub record: Option<PathBuf>,
    /// The link for --record, such as R1->R2 [default: the slowest link of the first flow]
    #[arg(long, value_name = "NAME", requires = "record")]
    pub record_link: Option<String>,
    #[command(flatten)]
    pub verdict: ConditionArgs,
}

#[cfg(all(target_os = "linux", feature = "testbed"))]
impl TestbedArgs {
    /// How to run: one at a time, because those at the same time disturb each other.
    pub fn how(&self) -> HowArgs {
        HowArgs {
            seed: self.seed,
            replicates: self.replicates,
            jobs: Some(1),
            memory: self.memory,
            format: self.format,
            quiet: self.quiet,
        }
    }
}

/// Where a paper's rows are run.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Clone, Default, Debug, Args, Serialize)]
pub struct PlaneArgs {
    /// Where to run the rows. With testbed they run on real sockets of this machine, one
    /// after the other, and are also simulated. A row whose run is invalid is repeated, and
    /// runs three times at most
    #[arg(long, value_enum, default_value_t)]
    #[arg(conflicts_with_all = ["recorded", "compare_readings", "conclusions"])]
    pub plane: Plane,
}

/// Who sends and receives.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Tusker itself
    #[default]
    Tusker,
    /// The program iperf3, with a server and a client for each flow
    Iperf3,
}

/// Run any program across an emulated path.
///
/// Hosts and links are made from a scenario, as in `tusker testbed`, or from --rtt, --rate
/// and so on, as in `tusker compare`. Your shell, or the COMMAND, runs on the sender of the
/// scenario's first flow. All that it sends to the other
/// hosts goes across the emulated path. The scenario's flows and other traffic are sent only
/// with --with-flows, and its duration is ignored. The receiver has the name `peer`, and its
/// address is in $TUSKER_PEER; the other hosts have the names that the scenario gives them.
/// The hosts reach no other network.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker shell --rate 20mbit --rtt 50ms -- ping -c 3 peer
  tusker shell --rtt 50ms --trace lte.up lte.down          a shell, across a Mahimahi trace
  tusker shell examples/dumbbell.toml                      a shell on the first sender
  tusker shell examples/dumbbell.toml --serve 'iperf3 -s' -- iperf3 -c peer
  tusker shell --join                                      in another terminal: a shell on peer
  tusker shell --watch                                     in another terminal: the bottlenecks

The exit code is that of the command; 127 if there is no such program, 126 if it
cannot be executed. When the command ends, all other programs that
were started on the hosts are ended too. This needs root, or a machine on which users
may create user namespaces and open /dev/net/tun.")]
pub struct ShellArgs {
    /// Scenario file. With --join and --watch: the number or name of a running shell, needed
    /// only if there are several
    #[arg(value_name = "SCENARIO.toml", required_unless_present_any = ["rtt", "join", "watch"])]
    pub scenario: Option<PathBuf>,
    #[command(flatten)]
    pub path: ShellPathArgs,
    /// Run the shell or COMMAND on the sender of this flow
    #[arg(long, value_name = "NAME", conflicts_with_all = ["host", "join"])]
    pub flow: Option<String>,
    /// Run the shell or COMMAND on this host [default: the sender of the first flow; with
    /// --join, the peer of the running shell]
    #[arg(long, value_name = "NODE")]
    pub host: Option<String>,
    /// Start this server on the receiver first, and end it when the shell or COMMAND ends
    /// (repeatable). The shell or COMMAND starts when the server listens on a port. The
    /// server's output goes to stderr
    #[arg(long, value_name = "COMMAND", conflicts_with = "join")]
    pub serve: Vec<String>,
    /// How long a server of --serve may take until it listens; then the shell or COMMAND starts
    /// anyway
    #[arg(long, value_name = "TIME", default_value = "5s", requires = "serve")]
    #[arg(value_parser = time)]
    pub serve_wait: Duration,
    /// Offer a server of this machine at the same port of the receiver, over TCP and UDP; HOST
    /// must be a loopback address [default of HOST: 127.0.0.1]. $TUSKER_REACH has the address
    /// that it has inside (repeatable)
    #[arg(long, value_name = "[HOST:]PORT", conflicts_with = "join")]
    pub reach: Vec<String>,
    /// Also send the scenario's flows, transfers and background traffic, which then share the
    /// path with the shell or COMMAND
    #[arg(long, conflicts_with_all = ["join", "watch"])]
    pub with_flows: bool,
    /// New folder for what the bottlenecks carried: a page with curves, a summary, and a line
    /// per link and second
    #[arg(long, value_name = "DIR", conflicts_with_all = ["join", "watch"])]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub traces: TracesArgs,
    /// Write a CSV file with a row for each packet that arrives at a link (--record-link)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["join", "watch"])]
    pub record: Option<PathBuf>,
    /// The link for --record, such as R1->R2 [default: the slowest link of the first flow]
    #[arg(long, value_name = "NAME", requires = "record")]
    pub record_link: Option<String>,
    /// Open a further shell in the network of a running `tusker shell`
    #[arg(long, conflicts_with_all = ["watch", "pcap"])]
    pub join: bool,
    /// Show the state of the bottlenecks of a running `tusker shell` every second, for both
    /// directions
    #[arg(long, conflicts_with_all = ["flow", "host", "serve", "reach", "pcap", "command"])]
    pub watch: bool,
    /// Set a value of the scenario before it is checked, such as duration=20s (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", conflicts_with_all = ["join", "watch"])]
    pub sets: Vec<String>,
    /// Seed of the random losses and delays of the path [default: that of the scenario, or 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    #[arg(conflicts_with_all = ["join", "watch"])]
    pub seed: Option<u64>,
    /// Print only errors on stderr
    #[arg(long, short)]
    pub quiet: bool,
    /// Command to run instead of your shell
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// A time on the command line, written as in scenario files.
#[cfg(all(target_os = "linux", feature = "testbed"))]
fn time(text: &str) -> Result<Duration, String> {
    Duration::read(text).map_err(|(message, help)| format!("{message}; {help}"))
}

/// A path without a scenario file: `tusker compare` says what the options mean.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(next_help_heading = "Without a file")]
pub struct ShellPathArgs {
    /// Instead of SCENARIO.toml: a path with this round-trip time without queueing, such as
    /// 50ms
    #[arg(long, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["scenario", "join", "watch", "flow"])]
    pub rtt: Option<String>,
    /// Rate of the bottleneck in both directions, such as 20mbit [default: 1gbit]
    #[arg(long, requires = "rtt", allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// Instead of --rate: Mahimahi traces of the directions from the shell and to it
    #[arg(long, requires = "rtt", conflicts_with = "rate", num_args = 2)]
    #[arg(value_names = ["UP", "DOWN"])]
    pub trace: Option<Vec<String>>,
    /// Queue limit of the bottleneck in each direction, such as 0.5bdp, 100pkt or 1MB
    /// [default: 1bdp]
    #[arg(long, requires = "rtt", allow_hyphen_values = true)]
    pub buffer: Option<String>,
    /// Share of packets that are lost at random in each direction, such as 0.01 [default: 0]
    #[arg(long, requires = "rtt", allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// Queue policy of the bottleneck, with optional parameters [default: droptail]
    #[arg(long, requires = "rtt", value_name = "NAME[:PARAM=VALUE]")]
    pub queue: Option<String>,
    /// Use ECN: the queue marks packets instead of dropping them
    #[arg(long, requires = "rtt")]
    pub ecn: bool,
    /// Congestion control that connections use unless their program chooses another, with
    /// optional parameters [default: cubic-linux, the kernel's CUBIC]
    #[arg(long, requires = "rtt", value_name = "NAME[:PARAM=VALUE]")]
    pub cc: Option<String>,
    /// Print the scenario file that these options stand for, and run nothing
    #[arg(long, requires = "rtt", conflicts_with_all = ["host", "serve", "reach", "with_flows",
        "out", "pcap", "record", "command"])]
    pub print_scenario: bool,
}

/// What runs a scenario.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plane {
    /// The simulator
    #[default]
    Simulator,
    /// Real sockets on this machine
    Testbed,
}
