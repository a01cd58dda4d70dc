//! Options of `tusker reproduce` for one claim.

use clap::Args;

/// Which claims are asked about.
#[derive(Debug, Args)]
pub struct ClaimArgs {
    /// Judge only this claim, and run only the rows that it needs: an id or a sentence of
    /// --claims, several ids with commas, or a test of your own such as
    /// 'fairness(7) > fairness(4)', of a measure that --claims lists and a case. It is told with
    /// every seed and reading that is known
    #[arg(long = "claim", value_name = "CLAIM")]
    #[arg(conflicts_with_all = ["figures", "print_scenario"])]
    pub asked: Vec<String>,
    /// The sentence at the top of the claim's page, instead of the paper's
    #[arg(long, value_name = "TEXT", requires = "asked")]
    pub title: Option<String>,
    /// List the claims and conclusions with their ids, and the measures, and run nothing
    #[arg(long = "claims", conflicts_with_all = ["asked", "figures", "readings", "list_readings",
        "compare_readings", "conclusions", "print_scenario", "recorded", "fail_on", "junit"])]
    pub list: bool,
}
