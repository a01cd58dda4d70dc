//! Known reasons why rows are off and claims do not hold, and in which runs each reason was
//! found.
//!
//! A reason is shown only where it applies: for the rows that it lists, off in the measures and
//! directions that it lists, in runs of the length that it states. It is never shown with
//! another reading, other changes (`--set`) or another seed, because it was not found there.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::CaseId;

/// `reasons.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// For rows. The first that fits a row is shown with it.
    #[serde(default)]
    pub rows: Vec<RowReason>,
    /// For claims.
    #[serde(default)]
    pub claims: Vec<ClaimReason>,
    /// Other findings.
    #[serde(default)]
    pub found: Vec<Found>,
}

/// A finding that the paper does not mention.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// The finding, and the command or page that shows it.
    pub says: String,
}

/// Why some rows are off.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowReason {
    /// The cases; alternatively `rows`.
    #[serde(default)]
    pub cases: Vec<CaseId>,
    /// The variants; all if empty.
    #[serde(default)]
    pub at: Vec<String>,
    /// The rows one by one: `7@50`.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The measures in which they are off, and in which direction: the reason fits a row if
    /// every measure in which the row is off is listed here, with its direction.
    pub off: BTreeMap<String, Side>,
    /// The length of the runs.
    #[serde(default)]
    pub length: Length,
    /// The number of replicates of the rows; any if left out.
    pub replicates: Option<usize>,
    /// The reason.
    pub why: String,
    /// Where it is shown: a file in the repository, perhaps with a heading of it.
    pub source: Option<String>,
}

/// Why a claim does not hold here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimReason {
    /// The claims.
    pub ids: Vec<String>,
    /// The length of the runs.
    #[serde(default)]
    pub length: Length,
    /// The reason.
    pub why: String,
    /// Where it is shown: a file in the repository, perhaps with a heading of it.
    pub source: Option<String>,
}

/// Whether our number is below or above the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Ours is lower.
    Below,
    /// Ours is higher.
    Above,
    /// Lower in some rows and higher in others.
    Either,
}

impl Side {
    /// Whether a difference, ours minus the paper's, is on this side.
    pub fn has(self, difference: f64) -> bool {
        match self {
            Self::Below => difference < 0.0,
            Self::Above => difference > 0.0,
            Self::Either => true,
        }
    }
}

/// The runs in which something was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Length {
    /// Full-length runs.
    #[default]
    Full,
    /// The shortened runs of `--quick`.
    Quick,
    /// Both.
    Any,
}

impl Length {
    /// Whether it was found in runs of this length.
    pub fn fits(self, quick: bool) -> bool {
        match self {
            Self::Full => !quick,
            Self::Quick => quick,
            Self::Any => true,
        }
    }
}
