//! Commands outside the simulator: the kernel, and real sockets.

use std::ffi::OsString;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use std::path::PathBuf;

use clap::Args;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use clap::ValueEnum;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use tusker_core::Bytes;

#[cfg(all(target_os = "linux", feature = "testbed"))]
use super::{ConditionArgs, Format, HowArgs, SaveArgs, TracesArgs};

/// Load congestion controls into the running Linux kernel, and watch them there.
///
/// The program `tusker-kernel` gets all arguments: see `tusker kernel --help`.
#[derive(Args, Debug)]
pub struct KernelArgs {
    /// What to do: load, unload, status, watch or prove; see --help
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// Run a scenario on real sockets, across an emulated network.
///
/// Each host is a network namespace with the kernel's own TCP. The links between them
/// treat each packet as the simulator's links do, in real time, so a run takes as long as
/// the experiment lasts. It needs root, or a machine that lets users have user namespaces
/// and /dev/net/tun.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo tusker testbed dumbbell.toml
  sudo tusker testbed dumbbell.toml --replicates 5 --out results/real
  sudo tusker testbed dumbbell.toml --compare --set flows.0.cc=cubic
  sudo tusker testbed dumbbell.toml --client iperf3
  sudo tusker testbed dumbbell.toml --record arrivals.csv
  sudo tusker testbed dumbbell.toml --pcap S1 --pcap 'R1->R2'

Results are stored and shown like those of `tusker run`; replicates run one after the
other. The emulator records how late it handled packets. A run outside its limits is
marked as invalid wherever it is shown, and the command ends with exit code 1.")]
pub struct TestbedArgs {
    /// Scenario file; - reads it from stdin
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Set a value of the scenario before it is checked (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Also simulate it, and show both side by side; the folder of --out then has the
    /// folders simulator and testbed, and a report on both
    #[arg(long, conflicts_with = "pcap")]
    pub compare: bool,
    /// Seed of the first replicate; the others use the seeds that follow
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Number of runs with different seeds, one after the other, for confidence intervals
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub replicates: Option<u32>,
    /// Memory for a run, such as 2GB [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = super::memory)]
    #[arg(allow_hyphen_values = true)]
    pub memory: Option<Bytes>,
    /// Program that sends and receives on the flows. With iperf3, its results are printed
    /// beside those from the wire, and nothing is stored
    #[arg(long, value_enum, default_value_t)]
    #[arg(conflicts_with_all = ["compare", "out", "force", "resume", "tables"])]
    pub client: Client,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Show no progress, and no messages on stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub save: SaveArgs,
    #[command(flatten)]
    pub traces: TracesArgs,
    /// Log windows and RTTs of the socket of a flow, or of each flow of a group, every
    /// 10 ms in the first replicate: a qlog file for qvis (repeatable)
    #[arg(long, value_name = "FLOW[=FILE]", conflicts_with = "compare")]
    pub qlog: Vec<String>,
    /// Do not store results
    #[arg(long, conflicts_with_all = ["out", "force", "resume", "tables"])]
    pub no_save: bool,
    /// Write every packet that arrives at a link, and what happens to it, to this CSV file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "resume"])]
    pub record: Option<PathBuf>,
    /// The link for --record [default: the slowest link of the first flow]
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
#[derive(Debug, Args)]
pub struct PlaneArgs {
    /// Where the rows run. testbed: on real sockets of this machine, one after the other,
    /// each up to three times until it is valid; they are simulated as well
    #[arg(long, value_enum, default_value_t)]
    #[arg(conflicts_with_all = ["recorded", "compare_readings", "conclusions", "print_scenario"])]
    pub plane: Plane,
}

/// Who sends and receives.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Tusker itself
    #[default]
    Tusker,
    /// The program iperf3, a server and a client for each flow
    Iperf3,
}

/// Run any program across a scenario's path.
///
/// The scenario's hosts and links are made as by `tusker testbed`. Your shell, or a
/// command, runs on the sender of its first flow, and what it sends to the other hosts
/// goes across the path. The scenario's flows, other traffic and duration are ignored. The
/// receiver is called `peer`, and its address is $TUSKER_PEER; the other hosts have their
/// names. There is no other network inside.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker shell dumbbell.toml                               a shell on the first sender
  tusker shell dumbbell.toml --serve 'iperf3 -s' -- iperf3 -c peer
  tusker shell dumbbell.toml -- ping -c 3 peer
  tusker shell --join                                      elsewhere: a shell at peer
  tusker shell --watch                                     elsewhere: the bottlenecks, live

The exit code is that of the command. Everything started inside ends with it. It needs
root, or a machine that lets users have user namespaces and /dev/net/tun.")]
pub struct ShellArgs {
    /// Scenario file; with --join and --watch, the number or name of a running shell, if
    /// there are several
    #[arg(value_name = "SCENARIO.toml", required_unless_present_any = ["join", "watch"])]
    pub scenario: Option<PathBuf>,
    /// Run on the sender of this flow
    #[arg(long, value_name = "NAME", conflicts_with_all = ["host", "join"])]
    pub flow: Option<String>,
    /// Run on this host [default with --join: the peer of the running shell]
    #[arg(long, value_name = "NODE")]
    pub host: Option<String>,
    /// Run this on the other host first, and end it with the shell (repeatable). The
    /// command starts when it listens; its output goes to stderr
    #[arg(long, value_name = "COMMAND", conflicts_with = "join")]
    pub serve: Vec<String>,
    /// Join a running shell
    #[arg(long, conflicts_with = "watch")]
    pub join: bool,
    /// Show the bottlenecks of a running shell every second, in both directions
    #[arg(long, conflicts_with_all = ["flow", "host", "serve", "command"])]
    pub watch: bool,
    /// Set a value of the scenario before it is checked (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", conflicts_with_all = ["join", "watch"])]
    pub sets: Vec<String>,
    /// Seed of the random streams
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    #[arg(conflicts_with_all = ["join", "watch"])]
    pub seed: Option<u64>,
    /// Show no messages on stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// Command to run instead of your shell
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What runs a scenario.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Plane {
    /// The simulator
    #[default]
    Simulator,
    /// Real sockets on this machine
    Testbed,
}
