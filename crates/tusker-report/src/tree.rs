//! A figure's SVG, read back for PNG and PDF, with a font of our own, so that it is the
//! same on every machine.

use std::sync::Arc;

use resvg::usvg::{Options, Tree, fontdb};

use crate::figure::Figure;
use crate::svg::{self, Theme};

/// Roboto, cut down to Latin, Greek and Cyrillic letters and some signs.
pub(crate) const FONT: &[u8] = include_bytes!("../../../report/vendor/Roboto-Regular.subset.ttf");

/// The drawing of so many hundredths of an inch, for paper.
pub(crate) fn tree(figure: &Figure, wide: f64) -> Tree {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("Roboto");
    let options =
        Options { fontdb: Arc::new(fonts), font_family: "Roboto".to_owned(), ..Options::default() };
    let text = svg::sized(figure, Theme::Paper, wide);
    Tree::from_str(&text, &options).expect("the drawing is SVG")
}
