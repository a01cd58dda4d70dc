//! Options of `tusker reproduce` for one claim.

use clap::Args;
use serde::Serialize;

/// Which claims are asked about.
#[derive(Clone, Debug, Default, Args, Serialize)]
pub struct ClaimArgs {
    /// Judge only this claim, and run only the rows that it needs. CLAIM is an id that
    /// --claims lists, several ids separated by commas, or your own comparison of measures in
    /// cases, such as 'fairness(7) > fairness(4)'. The answer covers all seeds
    /// and readings for which results are stored. If a claim and a
    /// conclusion have the same id, claim:ID and conclusion:ID tell them apart
    #[arg(long = "claim", value_name = "CLAIM")]
    #[arg(conflicts_with = "figures")]
    pub asked: Vec<String>,
    /// Title of the page that --out writes, instead of the claim and its verdict
    #[arg(long, value_name = "TEXT", requires = "asked")]
    pub title: Option<String>,
    /// List the paper's claims and conclusions with their ids, and its measures; run nothing
    #[arg(long = "claims", alias = "list")]
    pub list: bool,
}
