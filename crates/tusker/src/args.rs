//! The command line: every command, flag and example, once. Help, completions
//! and manual pages are made from it.

mod claim;
mod compare;
mod evaluate;
mod field;
mod generated;
mod plan;
mod real;
mod report;
mod request;
mod serve;
mod sweep;
mod traces;
mod verdict;
mod words;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use tusker_core::Bytes;
use tusker_scenario::Written;

use crate::screen::Color;

/// Congestion control for long fat networks: simulate, compare, explain
///
/// Tusker simulates TCP congestion controls and queue policies packet by packet,
/// fast enough for gigabit paths with long delays.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, arg_required_else_help = true)]
#[command(long_version = concat!(env!("CARGO_PKG_VERSION"), " (build ", env!("TUSKER_SHORT_BUILD"), ")"))]
#[command(after_help = "\
Examples:
  tusker demo                                     five Reno flows against HSTCP, then gHSTCP
  tusker compare --rate 1gbit --rtt 100ms --cc reno,hstcp,ghstcp
  tusker run experiment.toml --replicates 5       with 95 % confidence intervals
  tusker plan --size 5TB --rate 1gbit --rtt 80ms  how to send it, and how long it takes
  tusker reproduce ghstcp --quick                 a paper's tables and claims, and our results
  tusker evaluate hstcp                           by the criteria of RFC 9743
  tusker explain ghstcp                           source, equations, parameters

Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 failure,
2 wrong input, 3 a condition of --fail-on is met; interrupted by a signal: 129 SIGHUP,
130 Ctrl-C (SIGINT), 143 SIGTERM.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

// no documentation of its own: it would be that of the program
#[derive(Debug, Args)]
pub struct ScreenArgs {
    /// Show all columns and rows of a table, even if it becomes larger than the terminal
    #[arg(long, global = true, help_heading = "On the terminal")]
    pub wide: bool,
    /// Show the rest of an answer, too: how to read it, its reasons, and all notes
    #[arg(long, global = true, help_heading = "On the terminal")]
    pub explain: bool,
    /// When to use colours: auto, always or never; auto means on a terminal only
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(help_heading = "On the terminal", hide_possible_values = true)]
    pub color: Color,
}

pub use claim::ClaimArgs;
pub use compare::CompareArgs;
pub use evaluate::{EvaluateArgs, EvaluateWhen};
pub use field::{ColumnArgs, DiagnoseArgs, ImportArgs};
pub use generated::{CompletionsArgs, ManArgs, Schema, SchemaArgs};
pub use plan::PlanArgs;
pub use real::KernelArgs;
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub use real::{Client, Plane, PlaneArgs, ShellArgs, ShellPathArgs, TestbedArgs};
pub use report::ReportArgs;
pub use request::{EXPLAIN, Options, Request, command_line, explained, step};
pub use serve::ServeArgs;
pub use sweep::{SweepArgs, SweepPathArgs};
pub use traces::TracesArgs;
pub use verdict::{ConditionArgs, VerdictArgs, When};

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario file
    Run(RunArgs),
    /// Compare congestion controls on one or more paths, without a scenario file
    Compare(CompareArgs),
    /// Run a scenario over a grid of values: curves from one command
    Sweep(SweepArgs),
    /// Evaluate a congestion control by the experiments that RFC 9743 asks for, or others
    Evaluate(EvaluateArgs),
    /// Plan a transfer: which congestion control, how many streams, how long it takes
    Plan(PlanArgs),
    /// Find what limits a measured transfer: windows, loss, buffers, other traffic
    Diagnose(DiagnoseArgs),
    /// Turn a command of tc or Mahimahi, or a trace, into a scenario
    Import(ImportArgs),
    /// Make a report, or a figure for a paper, from stored results
    Report(ReportArgs),
    /// Show the live page and stored results in a browser on this machine
    Serve(ServeArgs),
    /// Run the main comparison of the gHSTCP paper
    Demo(DemoArgs),
    /// Run a paper's experiments and compare the results with its tables
    Reproduce(ReproduceArgs),
    /// Run a scenario on real sockets, across an emulated network
    ///
    /// Each host of the scenario is a network namespace, with the TCP of this machine's
    /// kernel. The emulator (a part of Tusker) delays, queues and drops packets on the links
    /// between the hosts as the simulator does, but in real time. So a run takes as long as
    /// the duration of the scenario. The testbed needs root, or a machine on which users may
    /// create user namespaces and open /dev/net/tun.
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    Testbed(TestbedArgs),
    /// Run any program across a scenario's path
    ///
    /// Hosts and links are made from the scenario, as in `tusker testbed`. Your shell, or the
    /// COMMAND, runs on the sender of the scenario's first flow. All that it sends to the
    /// other hosts goes across the emulated path. The scenario's flows, other traffic and
    /// duration are ignored. The receiver has the name `peer`, and its address is in
    /// $TUSKER_PEER; the other hosts have the names that the scenario gives them. The hosts
    /// reach no other network.
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    Shell(ShellArgs),
    /// Load congestion controls into the running Linux kernel, and watch them there
    #[command(disable_help_flag = true)]
    Kernel(KernelArgs),
    /// List congestion controls, queue policies and everything else with a name
    List(ListArgs),
    /// Explain one of the names that `list` shows: source, equations, parameters
    Explain(ExplainArgs),
    /// Check a scenario file without running it
    Check(CheckArgs),
    /// Print the JSON Schema of scenario files or of result files
    Schema(SchemaArgs),
    /// Print a completion script for your shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write a page for each command
    Man(ManArgs),
}

/// Run a scenario file.
#[derive(Clone, Debug, Default, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
Examples:
  tusker run examples/dumbbell.toml
  tusker run examples/dumbbell.toml --replicates 10 --jobs 4
  tusker run examples/dumbbell.toml --set flows.0.cc=hstcp --set duration=200s
  tusker run examples/dumbbell.toml --format json | jq .total.jain.mean
  tusker run - < examples/dumbbell.toml --no-save
  tusker run examples/dumbbell.toml --pcap 'R1->R2' --pcap reno.0.src=a.pcapng
  tusker run results/dumbbell/scenario.toml       exactly the same run again

The results of each replicate are stored when it ends. If a run was interrupted,
--out DIR --resume keeps the finished replicates and runs the others.")]
pub struct RunArgs {
    /// Scenario file, or - to read it from stdin
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Set a value of the scenario before it is checked, such as duration=200s
    /// (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    #[serde(rename = "set")]
    pub sets: Vec<String>,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub save: SaveArgs,
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub traces: TracesArgs,
    /// Write a qlog file (for qvis) with the windows, RTTs and losses of this flow, or one
    /// file for each flow of this group, in the first replicate (repeatable)
    #[arg(long, value_name = "FLOW[=FILE]")]
    #[serde(skip_deserializing)]
    pub qlog: Vec<String>,
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub verdict: ConditionArgs,
    /// Do not store results
    #[arg(long, conflicts_with_all = ["out", "force", "resume", "tables"])]
    #[serde(skip_deserializing)]
    pub no_save: bool,
    /// Then serve the live page with this scenario, and open it in the browser
    #[arg(long)]
    #[serde(skip)]
    pub open: bool,
}

/// How to run and what to print.
#[derive(Clone, Debug, Default, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct HowArgs {
    /// Seed of the first replicate; each further replicate uses the next number [default: 1,
    /// or what the scenario says]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    #[serde(deserialize_with = "request::seed")]
    pub seed: Option<u64>,
    /// Number of runs with different seeds, for confidence intervals [default: 1, or
    /// what the scenario says]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    #[serde(deserialize_with = "request::count")]
    pub replicates: Option<u32>,
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
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    #[serde(skip_deserializing)]
    pub format: Format,
    /// Show no progress; print only errors, and notes on doubtful results, on stderr
    #[arg(long, short)]
    #[serde(skip_deserializing)]
    pub quiet: bool,
}

/// Where results go.
#[derive(Clone, Debug, Default, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SaveArgs {
    /// Folder for the results [default: results/SCENARIO; if this exists, results/SCENARIO-2
    /// and so on]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Remove earlier results from the folder first
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub force: bool,
    /// Keep the replicates that are in the folder, and run the missing ones
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Format of the stored tables and time series [default: parquet]
    #[arg(long, value_enum)]
    pub tables: Option<Tables>,
}

/// What to print on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Tables for people
    #[default]
    #[value(alias = "text")]
    Table,
    /// All results, for programs
    Json,
    /// One row for each group of flows; for a sweep, one for each point; for a paper, one
    /// for each row of its tables; for an evaluation, one for each comparison; of names, one for
    /// each
    Csv,
}

/// Format of stored tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tables {
    /// Small files with typed columns, which data tools can read
    Parquet,
    /// Text files
    Csv,
}

/// Run the main comparison of the gHSTCP paper.
#[derive(Clone, Debug, Default, Args, Serialize)]
#[command(after_help = "\
Five Reno flows and five faster flows share a link of 2.5 Gbit/s with a delay of
50 ms. The Reno flows have access links of 100 Mbit/s, the others of 1 Gbit/s. The
faster flows use HSTCP in the first run, and gHSTCP in the second. All flows use
SACK. The bottleneck has a DropTail queue of 10,000 packets. With this comparison,
Zhang, Hasegawa and Murata show the benefit of gHSTCP (Cases 4 and 7).")]
pub struct DemoArgs {
    /// Simulated time, of which the second half is measured [default: 150s]
    #[arg(long, allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// File for the report with its curves [default: results/demo.html]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the scenario files and run nothing
    #[arg(long)]
    pub print_scenario: bool,
    #[command(flatten)]
    pub how: HowArgs,
}

/// Run a paper's experiments and compare the results with its tables.
#[derive(Clone, Debug, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
Each row shows the paper's value, our value with a 95 % confidence interval, and the
difference. Then the paper's claims are checked with our numbers. Where the paper is
silent or unclear, we have to choose a reading of its text: --readings lists the
possible ones, and --print-scenario shows all settings.

Examples:
  tusker reproduce ghstcp --quick                 everything in short runs: minutes
  tusker reproduce ghstcp                         everything in full length
  tusker reproduce ghstcp --table 2 --at 50       one table, one delay
  tusker reproduce ghstcp --case 4,7 --replicates 5
  tusker reproduce ghstcp --figure 4,5            with windows and queue over time
  tusker reproduce ghstcp --case 7 --at 50 --print-scenario > case7.toml
  tusker reproduce ghstcp --readings              a list of ways to read the text
  tusker reproduce ghstcp --compare-readings --at 50 --quick
  tusker reproduce hcc --conclusions              which conclusions of the paper hold
  tusker reproduce all --recorded papers          recorded results, without a run
  tusker reproduce ghstcp --recorded results/ghstcp --case 4,7 --out page
  tusker reproduce ghstcp --claims                the paper's claims, with their ids
  tusker reproduce ghstcp --claim ghstcp-is-fairer --recorded papers --out page
  tusker reproduce ghstcp --claim 'fairness(7) > fairness(4)' --replicates 3

Every row is stored when it is finished. If the command was stopped, the same command
continues it. A row that was run with the same settings is not repeated, except with
--force.")]
pub struct ReproduceArgs {
    /// A paper (`tusker list paper`), `all` of them, or a folder of files like
    /// those in papers/ghstcp
    pub paper: String,
    /// Only these tables; with --case and --at, only rows that match all of them
    #[arg(long = "table", value_delimiter = ',', value_name = "N")]
    #[serde(rename = "table", deserialize_with = "request::list")]
    pub tables: Vec<String>,
    /// Only these cases
    #[arg(long = "case", value_delimiter = ',', value_name = "N")]
    #[serde(rename = "case", deserialize_with = "request::list")]
    pub cases: Vec<String>,
    /// Only these values of what varies within a case: for ghstcp, delays in ms
    #[arg(long = "at", visible_alias = "delay", value_delimiter = ',', value_name = "VALUE")]
    #[serde(deserialize_with = "request::list")]
    pub at: Vec<String>,
    /// Only these figures. A figure that shows a function is computed. For the others,
    /// the experiments are run, and their windows and queues over time are stored
    #[arg(long = "figure", value_delimiter = ',', value_name = "N")]
    #[arg(conflicts_with_all = ["tables", "cases", "at", "compare_readings"])]
    #[serde(skip_deserializing)]
    pub figures: Vec<String>,
    /// Shorter runs, for a first look
    #[arg(long)]
    pub quick: bool,
    /// Use this reading of the paper's text instead of ours. A plus sign combines: a+b is one
    /// reading that makes the changes of both. A comma separates: a,b are two readings, each
    /// run and judged by itself, which only --compare-readings does
    #[arg(long = "reading", value_delimiter = ',', value_name = "NAME")]
    #[serde(rename = "reading", deserialize_with = "request::list")]
    pub readings: Vec<String>,
    /// List the readings of the paper's text and run nothing
    #[arg(long = "readings")]
    #[serde(skip_deserializing)]
    pub list_readings: bool,
    /// Run the rows under our own reading (the base) and under every other one (or those
    /// of --reading), and print a line for each reading
    #[arg(long)]
    #[serde(skip_deserializing)]
    pub compare_readings: bool,
    /// Find out which of the paper's conclusions hold, and how robust that is. Runs
    /// the rows that they need (with --case or --at only the chosen ones) with every seed and
    /// reading that the paper's conclusions.toml lists
    #[arg(long, conflicts_with_all = ["figures", "readings", "compare_readings", "replicates"])]
    #[serde(skip_deserializing)]
    pub conclusions: bool,
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub claim: ClaimArgs,
    /// Set a value of every scenario before it is checked, such as duration=200s
    /// (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    #[serde(rename = "set")]
    pub sets: Vec<String>,
    /// Run nothing, and judge stored results: a file that --format csv printed, a folder of
    /// results (--out), or a folder with the files PAPER/full.csv (with --quick:
    /// PAPER/quick.csv). `papers` means the results that come with the program, unless the
    /// current folder has a folder `papers`. With --claim, several places, separated by commas,
    /// are judged together: papers,results/ghstcp. --seed N selects the results with this seed.
    /// --out DIR writes a page with the results to DIR
    #[arg(long, value_name = "PATH")]
    #[arg(conflicts_with_all = ["figures", "sets", "force", "tables_format", "replicates", "jobs",
        "memory"])]
    pub recorded: Option<PathBuf>,
    /// Print the scenario file of the chosen row (without a choice: the one that all rows are
    /// based on), and run nothing
    #[arg(long)]
    #[serde(skip_deserializing)]
    pub print_scenario: bool,
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub on: PlaneArgs,
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub verdict: VerdictArgs,
    #[command(flatten)]
    pub how: HowArgs,
    /// Run on a Ray cluster: `auto` finds a running one, `local` starts one on this machine,
    /// and an address is that of the cluster's head node. Needs Python with the packages
    /// tusker and ray
    #[arg(long, value_name = "ADDRESS", conflicts_with = "recorded")]
    pub ray: Option<String>,
    /// Folder for the results [default: results/PAPER]. With --ray it may be in shared
    /// storage, such as s3://BUCKET/FOLDER or another address that fsspec knows
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Repeat rows that are in the folder already
    #[arg(long)]
    pub force: bool,
    /// Format of the stored tables and time series [default: parquet]
    #[arg(long = "tables", alias = "tables-as", value_enum)]
    #[serde(rename = "tables")]
    pub tables_format: Option<Tables>,
}

/// List congestion controls, queue policies and everything else with a name.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List only this kind of name
    #[arg(value_enum)]
    pub what: Option<Kind>,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Congestion controls
    Cc,
    /// Queue policies
    Queue,
    /// Kinds of traffic
    Traffic,
    /// Kinds of slow start
    SlowStart,
    /// Kinds of loss recovery
    Recovery,
    /// Profiles: sets of defaults for the TCP settings
    Profile,
    /// Papers that can be reproduced
    Paper,
    /// Measures of results, with units (listed only if asked for)
    Measure,
}

/// Explain one of the names that `list` shows: source, equations, parameters.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A name that `tusker list` or `tusker list measure` shows; or `jitter`,
    /// `phase-effects` or `fail-on`
    pub name: String,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Check a scenario file without running it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tusker check dumbbell.toml
  tusker check dumbbell.toml --expand > full.toml      with all defaults")]
pub struct CheckArgs {
    /// Scenario file, or - to read it from stdin
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Set a value of the scenario before it is checked, such as duration=200s
    /// (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Print the scenario with the values of all keys, defaults included
    #[arg(long)]
    pub expand: bool,
    /// What to print on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Also check that the simulator, or the testbed (`tusker testbed`), can run the scenario
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    #[arg(long, value_enum, default_value_t)]
    pub plane: Plane,
}

/// A size on the command line, written as in scenario files.
fn memory(text: &str) -> Result<Bytes, String> {
    Bytes::read(text).map_err(|(message, help)| format!("{message}; {help}"))
}

impl Default for ReproduceArgs {
    fn default() -> Self {
        request::defaults(&[""])
    }
}
