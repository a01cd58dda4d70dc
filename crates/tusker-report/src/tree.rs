//! A drawing, read back for PNG and PDF with the font that comes with the program, so that it
//! is the same on every machine.

use std::sync::Arc;

use resvg::usvg::{Options, Tree, fontdb};

use crate::font::FONT;

/// What [`crate::svg::drawn`] wrote for paper.
pub(crate) fn tree(drawing: &str) -> Tree {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("Roboto");
    let options = Options {
        fontdb: Arc::new(fonts),
        font_family: "Roboto".to_owned(),
        // the drawing has its size in inches, and units of hundredths
        dpi: 100.0,
        ..Options::default()
    };
    Tree::from_str(drawing, &options).expect("the drawing is SVG")
}
