//! What leaves the simulator: the kernel, and sockets.

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
/// All that follows goes to the program `tusker-kernel`: `tusker kernel --help`.
#[derive(Args, Debug)]
pub struct KernelArgs {
    /// What to do: load, unload, status, watch, prove; --help says more
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// Run a scenario on real sockets, across an emulated network.
///
/// Each host is a network namespace with the kernel's own TCP; the links between them
/// decide about each packet as the simulator's do, under the real clock. It takes as
/// long as the experiment does. It needs root, or a machine whose users may have user
/// namespaces and /dev/net/tun.
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

Results are stored and shown as those of `tusker run`, one replicate after the other.
What the emulator says of how late packets were decides whether a run may be believed:
one outside the limits is marked invalid wherever it is shown, and the command ends with
exit code 1.")]
pub struct TestbedArgs {
    /// Scenario file; - reads it from stdin
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Sets a value of the scenario, before anything is checked; again for more
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Simulate it as well, and show both beside each other; results are two folders in
    /// that of --out, simulator and testbed, and a page of both
    #[arg(long, conflicts_with = "pcap")]
    pub compare: bool,
    /// Seed of the first replicate; the others have the next ones
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Runs with different seeds, one after the other, for confidence intervals
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub replicates: Option<u32>,
    /// Memory for a run: 2GB; three quarters of what is free unless said otherwise
    #[arg(long, value_name = "SIZE", value_parser = super::memory)]
    #[arg(allow_hyphen_values = true)]
    pub memory: Option<Bytes>,
    /// Who sends and receives on the flows. What iperf3 says is printed beside what the wire
    /// shows, and nothing is stored
    #[arg(long, value_enum, default_value_t)]
    #[arg(conflicts_with_all = ["compare", "out", "force", "resume", "tables"])]
    pub client: Client,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// No progress, no word on stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub save: SaveArgs,
    #[command(flatten)]
    pub traces: TracesArgs,
    /// Writes what the socket of a flow, or of each flow of a group, says in the first
    /// replicate, every 10 ms: windows and RTTs, as qlog for qvis; again for more
    #[arg(long, value_name = "FLOW[=FILE]", conflicts_with = "compare")]
    pub qlog: Vec<String>,
    /// Do not store any results
    #[arg(long, conflicts_with_all = ["out", "force", "resume", "tables"])]
    pub no_save: bool,
    /// Writes every packet that comes to a link, and what becomes of it, to this file as
    /// CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compare", "resume"])]
    pub record: Option<PathBuf>,
    /// The link that --record looks at; the slowest of the first flow unless said
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
    /// What runs the rows: testbed has real sockets on this machine, one row after the
    /// other and each up to three times until it is valid, and simulates them as well
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
/// The scenario's hosts and links are made as by `tusker testbed`, and your shell, or a
/// command, runs on the sender of its first flow: what it sends to the other hosts meets
/// the path. The scenario's flows, its traffic and its end are nothing here. The receiver
/// is called `peer`, and its address is $TUSKER_PEER; the other hosts have their names.
/// There is no other network inside.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker shell dumbbell.toml                               a shell on the first sender
  tusker shell dumbbell.toml --serve 'iperf3 -s' -- iperf3 -c peer
  tusker shell dumbbell.toml -- ping -c 3 peer
  tusker shell --join                                      elsewhere: a shell at peer
  tusker shell --watch                                     elsewhere: the bottlenecks, live

The exit code is that of the command. All that was started inside ends with it. It
needs root, or a machine whose users may have user namespaces and /dev/net/tun.")]
pub struct ShellArgs {
    /// Scenario file; with --join and --watch the number or the name of a shell that
    /// runs, if there are several
    #[arg(value_name = "SCENARIO.toml", required_unless_present_any = ["join", "watch"])]
    pub scenario: Option<PathBuf>,
    /// Be on the sender of this flow
    #[arg(long, value_name = "NAME", conflicts_with_all = ["host", "join"])]
    pub flow: Option<String>,
    /// Be on this host; with --join the peer of the shell that runs unless said
    #[arg(long, value_name = "NODE")]
    pub host: Option<String>,
    /// Runs this on the other host first, and ends it with the shell; again for more.
    /// The command begins when it listens; its output goes to stderr
    #[arg(long, value_name = "COMMAND", conflicts_with = "join")]
    pub serve: Vec<String>,
    /// Join a shell that runs
    #[arg(long, conflicts_with = "watch")]
    pub join: bool,
    /// Show each second what the bottlenecks of a shell that runs do, and their way back
    #[arg(long, conflicts_with_all = ["flow", "host", "serve", "command"])]
    pub watch: bool,
    /// Sets a value of the scenario, before anything is checked; again for more
    #[arg(long = "set", value_name = "KEY=VALUE", conflicts_with_all = ["join", "watch"])]
    pub sets: Vec<String>,
    /// Seed of the random streams
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    #[arg(conflicts_with_all = ["join", "watch"])]
    pub seed: Option<u64>,
    /// No word on stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// What to run in place of your shell
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
