//! Captions of figures that stand below each other.

use std::collections::BTreeSet;

/// What of a caption was not said before, of the same section; the first figure has it all.
pub(crate) fn unsaid(caption: &str, said: &mut BTreeSet<String>) -> String {
    let mut kept = String::new();
    let mut rest = caption;
    while !rest.is_empty() {
        let ends = rest.match_indices(". ").map(|(at, _)| at + 2);
        let starts = |at: &usize| rest[*at..].starts_with(|c: char| c.is_uppercase());
        let (sentence, more) = rest.split_at({ ends }.find(starts).unwrap_or(rest.len()));
        if said.insert(sentence.trim().to_owned()) {
            kept += sentence;
        }
        rest = more;
    }
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_says_a_sentence_once_below_its_figures() {
        let mut said = BTreeSet::new();
        let all = "Means of 2 runs. As in RFC 9438, sec. 4. Drawn from a.";
        assert_eq!(unsaid(all, &mut said), all);
        let next = "Means of 2 runs. As in RFC 9438, sec. 4. Drawn from b.";
        assert_eq!(unsaid(next, &mut said), "Drawn from b.");
        assert_eq!(unsaid(next, &mut said), "");
        assert_eq!(unsaid(all, &mut BTreeSet::new()), all);
    }
}
