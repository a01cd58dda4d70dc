//! Rows whose results are decided by phase effects.

use super::Reproduction;

/// Rows that are named; if there are more, they are only counted.
const NAMED: usize = 6;

impl Reproduction {
    /// Which rows phase effects decide, what that is, and what can be done; nothing if
    /// there is none, or if it is not known because the rows come from a table.
    pub fn phase_note(&self) -> Option<String> {
        let one = |(id, [in_step, all]): (&str, [f64; 2])| {
            format!("{id} ({in_step:.0} of {all:.0} drops)")
        };
        let rows = self.rows.iter().filter_map(|row| Some((row.id.as_str(), row.in_step?)));
        let all: Vec<String> = rows.map(one).collect();
        let more = match all.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!all.is_empty()).then(|| {
            format!(
                "phase effects decide {}{more}: round numbers, not congestion control, decide \
                 which flow loses packets. Compare with --set host_time=10us; `tusker explain \
                 phase-effects` says more",
                all[..all.len().min(NAMED)].join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::Paper;

    use super::*;

    #[test]
    fn rows_that_phase_effects_decide_are_named() {
        let paper = Paper::find("ghstcp").unwrap();
        let mut r = Reproduction::recorded(&paper, &BTreeMap::new(), false);
        assert_eq!(r.phase_note(), None);
        r.rows[0].in_step = Some([3900.4, 4000.0]);
        let id = r.rows[0].id.clone();
        let note = r.phase_note().unwrap();
        let wanted = format!("phase effects decide {id} (3900 of 4000 drops): round numbers, not");
        assert!(note.starts_with(&wanted), "{note}");
        for row in &mut r.rows[..7] {
            row.in_step = Some([30.0, 40.0]);
        }
        assert!(r.phase_note().unwrap().contains(" drops) and 1 more: round numbers"));
    }
}
