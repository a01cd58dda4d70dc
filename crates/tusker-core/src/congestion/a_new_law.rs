//! Checks that the law that CONTRIBUTING.md builds from an empty file compiles and does what
//! the law's source says. CONTRIBUTING.md shows it exactly as it is in `tests/laws/gaimd`.

#[path = "../../tests/laws/gaimd/mod.rs"]
mod gaimd;

use super::{Ack, Law, Window};

use gaimd::{Gaimd, GaimdParams, SHEET};

/// 100 + 0.31/100; 7/8 of 96.
#[test]
fn the_law_of_the_page_grows_and_shrinks_as_its_source_says() {
    assert_eq!((SHEET.name, SHEET.params.len()), ("gaimd", 2));
    let mut law = Gaimd::new(GaimdParams::default());
    let mut w = Window { cwnd: 100.0, ssthresh: 2.0 };
    let ack = Ack { credit: 1.0, ..Ack::default() };
    law.grow(&mut w, &ack);
    assert!((w.cwnd - 100.0031).abs() < 1e-12, "{}", w.cwnd);
    assert_eq!(law.shrink(96.0), 84.0);
}
