//! Why rows are off and claims do not hold here, where it is known, and under
//! which runs each reason was found.
//!
//! A reason is told only of what it describes: of these rows, off in these
//! measures and directions, in runs of this length. It never goes with another
//! reading, other changes (`--set`) or another seed, as it was not found there.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::CaseId;

/// `reasons.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// Of rows. The first that fits a row is told of it.
    #[serde(default)]
    pub rows: Vec<RowReason>,
    /// Of claims.
    #[serde(default)]
    pub claims: Vec<ClaimReason>,
    /// What else came out.
    #[serde(default)]
    pub found: Vec<Found>,
}

/// Something that a paper does not say.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// What, and the command or page that shows it.
    pub says: String,
}

/// Why some rows are off.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowReason {
    /// Which cases; or `rows`.
    #[serde(default)]
    pub cases: Vec<CaseId>,
    /// At which variants; all if empty.
    #[serde(default)]
    pub at: Vec<String>,
    /// Which rows, one by one: `7@50`.
    #[serde(default)]
    pub rows: Vec<String>,
    /// In which measures they are off, and to which side: it fits a row if each
    /// measure in which that is off stands here, with its side.
    pub off: BTreeMap<String, Side>,
    /// In runs of which length.
    #[serde(default)]
    pub length: Length,
    /// In rows of how many replicates; any if left out.
    pub replicates: Option<usize>,
    /// Why.
    pub why: String,
}

/// Why a claim does not hold here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimReason {
    /// Which claims.
    pub ids: Vec<String>,
    /// In runs of which length.
    #[serde(default)]
    pub length: Length,
    /// Why.
    pub why: String,
}

/// On which side of the paper's number ours is.
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
    /// Whether a difference, ours less the paper's, is on this side.
    pub fn has(self, difference: f64) -> bool {
        match self {
            Self::Below => difference < 0.0,
            Self::Above => difference > 0.0,
            Self::Either => true,
        }
    }
}

/// In which runs something was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Length {
    /// In those of full length.
    #[default]
    Full,
    /// In the shortened ones of `--quick`.
    Quick,
    /// In both.
    Any,
}

impl Length {
    /// Whether it was found in runs that are shortened, or are not.
    pub fn fits(self, quick: bool) -> bool {
        match self {
            Self::Full => !quick,
            Self::Quick => quick,
            Self::Any => true,
        }
    }
}
