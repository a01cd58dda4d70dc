//! Options that make a command fail on its results.

use clap::{Args, ValueEnum};
use serde::Serialize;

/// When a command that ran experiments fails.
#[derive(Clone, Debug, Default, Args, Serialize)]
pub struct ConditionArgs {
    /// End with exit code 3 if an experiment meets this condition, such as
    /// 'utilisation < 0.9' or 'harm_goodput > harm_goodput_own + 0.1 surely' (repeatable).
    /// The means decide. A word at the end changes this where the 95 % intervals of both
    /// sides overlap: with `surely` the condition is then undecided, and nothing fails; with
    /// `possibly` it counts as met (`tusker explain fail-on`)
    #[arg(long, value_name = "CONDITION")]
    pub fail_on: Vec<String>,
}

/// When `tusker reproduce` fails.
#[derive(Clone, Debug, Default, Args, Serialize)]
pub struct VerdictArgs {
    /// End with exit code 3 in these cases, with the reasons on stderr
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHEN")]
    #[arg(conflicts_with_all = ["compare_readings", "conclusions"])]
    pub fail_on: Vec<When>,
}

/// What makes a reproduction fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// A row is outside its tolerance, or a claim does not hold
    Fails,
    /// A row is outside its tolerance although the recorded one is within it, or a claim has
    /// a worse verdict than the recorded one
    Worse,
    /// A number or a verdict differs from the recorded one
    Changed,
}
