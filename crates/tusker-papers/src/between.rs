//! A paper, reduced to what can be judged from some of its rows.

use std::collections::BTreeSet;

use crate::paper::Paper;

impl Paper {
    /// The paper with only the comparisons between these rows, and with the claims and
    /// conclusions of which some comparison is left.
    #[must_use]
    pub fn between(&self, rows: &BTreeSet<String>) -> Self {
        let mut paper = self.clone();
        paper.claims.retain_mut(|claim| {
            claim.between = Some(rows.clone());
            claim.operands(self).is_ok_and(|left| !left.is_empty())
        });
        let claims = &paper.claims;
        for conclusion in &mut paper.conclusions.conclusions {
            conclusion.claims.retain(|id| claims.iter().any(|claim| claim.id == *id));
        }
        paper.conclusions.conclusions.retain(|conclusion| !conclusion.claims.is_empty());
        paper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case 7 is compared with Case 4 at 25, 50 and 100 ms, and each case with itself at
    /// other delays.
    #[test]
    fn only_comparisons_between_the_rows_are_left() {
        let paper = Paper::find("ghstcp").unwrap();
        let between =
            |rows: &[&str]| paper.between(&rows.iter().map(|row| (*row).into()).collect());
        let rows = |paper: &Paper, id: &str| {
            let claim = paper.claims.iter().find(|claim| claim.id == id);
            let operands = claim.map(|claim| claim.operands(paper).unwrap())?;
            Some(operands.into_iter().map(|operand| operand.row.to_string()).collect::<Vec<_>>())
        };
        let fairer = "case7-fairer-than-4";
        let two = between(&["4@50", "7@50", "7@25"]);
        assert_eq!(rows(&two, fairer).unwrap(), ["4@50", "7@50"]);
        // all three cases are compared over all three delays
        assert_eq!(rows(&two, "longer-delay-less-for-s1"), None);
        let judged = two.claims.iter().find(|claim| claim.id == fairer).unwrap();
        let judged = judged.judge(&two, &|_| None);
        assert_eq!((judged.of, judged.missing), (0, 1));
        assert!(!two.conclusions.conclusions.is_empty());
        let one = between(&["7@25"]);
        assert_eq!(rows(&one, fairer), None);
        let all: BTreeSet<String> = paper.rows().iter().map(crate::rows::Row::id).collect();
        let same = paper.between(&all);
        assert_eq!(same.claims.len(), paper.claims.len());
        assert_eq!(rows(&same, fairer).unwrap().len(), 6);
    }
}
