//! `tusker evaluate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::HowArgs;

/// Evaluate a congestion control or a queue policy by a suite of experiments.
#[derive(Clone, Debug, Default, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
A suite is a set of experiments, such as those that RFC 9743 asks for. Every experiment also
runs the congestion control of --against. By the 95 % intervals of both, the congestion
control is better, worse, the same or undecided, in each measure of each experiment.

Examples:
  tusker evaluate --list                          the suites and their experiments
  tusker evaluate hstcp                           by RFC 9743, beside Linux's CUBIC
  tusker evaluate hcc:tau=0.005 --rate 200mbit --rtt 100ms --replicates 16
  tusker evaluate hstcp --print-scenario deep | tusker run -     one experiment, with curves
  tusker evaluate hstcp --format json > hstcp.json
  tusker evaluate hstcp:low_window=20 --baseline hstcp.json   fails if it became worse
  tusker evaluate ghstcp --fail-on worse --junit ghstcp.xml
  tusker evaluate --queue gared                   by RFC 7928, beside fq_codel
  tusker evaluate ./my_law.py:MyLaw               a class in Python (docs/python.md)
  tusker evaluate hstcp --suite my-suite          a folder with a suite.toml
  tusker evaluate --suite findings/recovery       one that compares its own experiments

Every run is stored when it is finished. If the command was stopped, the same command
continues it. docs/suites.md describes suites.")]
pub struct EvaluateArgs {
    /// Congestion control, with optional parameters; or a class in Python, as FILE.py:CLASS
    #[arg(value_name = "NAME[:PARAM=VALUE]")]
    #[arg(required_unless_present_any = ["queue", "suite", "list"], conflicts_with = "queue")]
    pub law: Option<String>,
    /// Queue policy, with optional parameters (or FILE.py:CLASS), by a suite for queue policies
    #[arg(long, value_name = "NAME[:PARAM=VALUE]")]
    pub queue: Option<String>,
    /// A suite that --list shows, or a folder with a suite.toml [default: rfc9743; with
    /// --queue aqm]. One that compares its own experiments needs no congestion control
    #[arg(long, value_name = "SUITE")]
    pub suite: Option<String>,
    /// What it is compared with [default: what the suite says, such as cubic-linux]
    #[arg(long, value_name = "NAME[:PARAM=VALUE]")]
    pub against: Option<String>,
    /// Rate of the bottleneck in most experiments, such as 1gbit [default: that of the suite]
    #[arg(long, allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// Round-trip time without queueing in most experiments [default: that of the suite]
    #[arg(long, allow_hyphen_values = true)]
    pub rtt: Option<String>,
    /// Simulated time of each run, of which the second half is measured [default: so many
    /// cycles of Reno on the path as the suite says]
    #[arg(long, allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// An earlier result of --format json: end with exit code 3 if a value is now surely worse
    #[arg(long, value_name = "FILE")]
    #[serde(skip_deserializing)]
    pub baseline: Option<PathBuf>,
    /// End with exit code 3 in this case
    #[arg(long, value_enum, value_name = "WHEN")]
    #[serde(skip_deserializing)]
    pub fail_on: Option<EvaluateWhen>,
    /// Write the comparisons to this file as JUnit XML, with a suite for each experiment.
    /// --baseline and --fail-on decide what counts as a failure
    #[arg(long, value_name = "FILE")]
    #[serde(skip_deserializing)]
    pub junit: Option<PathBuf>,
    /// List the suites, or the experiments of --suite, and run nothing
    #[arg(long)]
    #[serde(skip_deserializing)]
    pub list: bool,
    /// Print the scenario files of this experiment, for `tusker run -`, and run nothing
    #[arg(long, value_name = "EXPERIMENT")]
    #[serde(skip_deserializing)]
    pub print_scenario: Option<String>,
    #[command(flatten)]
    pub how: HowArgs,
    /// Run on a Ray cluster: `auto` finds a running one, `local` starts one on this machine,
    /// and an address is that of the cluster's head node. Needs Python with the packages
    /// tusker and ray
    #[arg(long, value_name = "ADDRESS")]
    pub ray: Option<String>,
    /// Folder for the results [default: results/SUITE-NAME]. With --ray it may be in shared
    /// storage, such as s3://BUCKET/FOLDER or another address that fsspec knows
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What makes an evaluation fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvaluateWhen {
    /// It is worse than what it is compared with, by some measure
    Worse,
}
