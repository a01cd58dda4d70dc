//! Any text at all must not cause a panic.

use std::path::Path;

use proptest::prelude::*;

use super::{EXAMPLES, SMALL};
use crate::model::Scenario;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC*", set in "\\PC{0,20}") {
        let _ = Scenario::parse("any", &text, &[]);
        let _ = Scenario::parse("any", SMALL, &[set]);
    }

    #[test]
    fn no_damage_makes_it_panic(
        which in 0..EXAMPLES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, "[-0-9a-z\"\\[\\]{}=. ]{0,4}"), 1..4),
        set in "(flows|links|dumbbell|tcp)(\\.[a-z0-9]{1,6}){1,3}=[-a-z0-9.\"\\[{]{0,6}",
    ) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(EXAMPLES[which]);
        let mut text: Vec<char> = std::fs::read_to_string(path).unwrap().chars().collect();
        for (at, len, new) in cuts {
            let at = at.index(text.len());
            let end = (at + len).min(text.len());
            text.splice(at..end, new.chars());
        }
        let text: String = text.into_iter().collect();
        for sets in [vec![], vec![set]] {
            match Scenario::parse("damaged", &text, &sets).and_then(|s| s.complete()) {
                Ok(complete) => {
                    let again = Scenario::parse("again", &complete.to_toml(), &[]).unwrap();
                    prop_assert_eq!(&again.plan().unwrap(), complete.plan());
                }
                Err(error) => {
                    let shown = format!("{error:?}");
                    prop_assert!(!shown.is_empty());
                }
            }
        }
    }
}
