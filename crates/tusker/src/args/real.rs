//! What leaves the simulator: the kernel, and sockets.

#[cfg(all(target_os = "linux", feature = "testbed"))]
use std::path::PathBuf;

use clap::Args;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use clap::ValueEnum;

#[cfg(all(target_os = "linux", feature = "testbed"))]
use super::Format;

/// Load congestion controls into the running Linux kernel, and watch them there.
///
/// All that follows goes to the program `tusker-kernel`: `tusker kernel --help`.
#[derive(Args, Debug)]
pub struct KernelArgs {
    /// What to do: load, unload, status, watch, prove; --help says more
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<std::ffi::OsString>,
}

/// Run a scenario on real sockets, across an emulated network.
///
/// Each host is a network namespace with the kernel's own TCP; the links between them
/// decide about each packet as the simulator's do, under the real clock. It takes as
/// long as the experiment does, and it needs root.
#[cfg(all(target_os = "linux", feature = "testbed"))]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo tusker testbed dumbbell.toml
  sudo tusker testbed dumbbell.toml --compare --set flows.0.cc=cubic
  sudo tusker testbed dumbbell.toml --client iperf3

What a run says of how late packets were decides whether it may be believed: one
outside the limits is printed, and ends with exit code 1. Results are not stored yet.")]
pub struct TestbedArgs {
    /// Scenario file; - reads it from stdin
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Sets a value of the scenario, before anything is checked; again for more
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Seed of the random streams
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Simulate it as well, and print both beside each other
    #[arg(long)]
    pub compare: bool,
    /// Who sends and receives on the flows; of iperf3 also its own figures are printed
    #[arg(long, value_enum, default_value_t)]
    pub client: Client,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// No progress, no word on stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
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
