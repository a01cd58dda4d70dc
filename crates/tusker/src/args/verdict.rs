//! Flags that make a command fail on what it found.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// When a command that ran experiments fails.
#[derive(Debug, Args)]
pub struct ConditionArgs {
    /// Ends with exit code 3 if this holds of an experiment: 'utilisation < 0.9',
    /// 'harm_goodput > 1.1 * harm_goodput_own'; repeat it for more
    #[arg(long, value_name = "CONDITION")]
    pub fail_on: Vec<String>,
    /// Writes what --fail-on found to this file as JUnit XML: a suite for each
    /// experiment, a case for each condition
    #[arg(long, value_name = "FILE", requires = "fail_on")]
    pub junit: Option<PathBuf>,
}

/// When `tusker reproduce` fails.
#[derive(Debug, Args)]
pub struct VerdictArgs {
    /// Ends with exit code 3, and says on stderr what is so
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHEN")]
    #[arg(conflicts_with_all = ["list_readings", "compare_readings", "conclusions", "print_scenario"])]
    pub fail_on: Vec<When>,
    /// Writes rows and claims to this file as JUnit XML: a suite for each table and one for
    /// the claims; what fails is what --fail-on says, `fails` unless given
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["list_readings", "compare_readings", "conclusions", "print_scenario"])]
    pub junit: Option<PathBuf>,
}

/// What makes a reproduction fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// A row is outside its tolerance, or a claim does not hold
    Fails,
    /// A row was within its tolerance when it was recorded and is not any more, or a
    /// claim has a worse verdict
    Worse,
    /// A number or a verdict is not what was recorded
    Changed,
}
