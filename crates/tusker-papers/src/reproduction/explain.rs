//! Finds the reason that fits a result.

use tusker_lab::suite::claims::Verdict;

use super::{ClaimResult, RowResult};
use crate::paper::Paper;
use crate::reasons::{ClaimReason, Reasons, RowReason};

/// Adds the known reasons to rows and claims under the base assumptions.
pub(super) fn explain(
    paper: &Paper,
    rows: &mut [RowResult],
    claims: &mut [ClaimResult],
    quick: bool,
) {
    for row in rows {
        let found = paper.reasons.of_row(row, quick);
        row.reason = found.map(|reason| reason.why.clone());
        row.reason_source = found.and_then(|reason| reason.source.clone());
    }
    for claim in claims.iter_mut().filter(|claim| claim.ours.verdict.falls_short()) {
        let found = paper.reasons.of_claim(&claim.id, quick);
        claim.reason = found.map(|reason| reason.why.clone());
        claim.reason_source = found.and_then(|reason| reason.source.clone());
    }
}

impl RowReason {
    /// Whether it fits the results of a row.
    pub fn fits(&self, row: &RowResult, quick: bool) -> bool {
        let at = self.at.is_empty() || self.at.contains(&row.variant);
        let case = at && self.cases.iter().any(|case| case.0 == row.case);
        let off = row.values.iter().filter(|(_, cell)| cell.within == Some(false));
        let described = |(name, difference): (&String, Option<f64>)| {
            self.off.get(name).zip(difference).is_some_and(|(side, d)| side.has(d))
        };
        row.verdict == Verdict::DoesNotHold
            && self.length.fits(quick)
            && self.replicates.is_none_or(|replicates| replicates == row.replicates)
            && (case || self.rows.contains(&row.id))
            && off.map(|(name, cell)| (name, cell.difference)).all(described)
    }
}

impl Reasons {
    /// Why a row is off, if known.
    pub fn of_row(&self, row: &RowResult, quick: bool) -> Option<&RowReason> {
        self.rows.iter().find(|reason| reason.fits(row, quick))
    }

    /// Why a claim does not hold, if known.
    pub fn of_claim(&self, id: &str, quick: bool) -> Option<&ClaimReason> {
        let fits = |reason: &&ClaimReason| {
            reason.length.fits(quick) && reason.ids.iter().any(|own| own == id)
        };
        self.claims.iter().find(fits)
    }
}
