//! A figure as PNG: its SVG, drawn with a font of our own, so that it is the
//! same on every machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::figure::Figure;
use crate::svg::{self, Theme};

/// Roboto, cut down to Latin, Greek and Cyrillic letters and some signs.
const FONT: &[u8] = include_bytes!("../../../report/vendor/Roboto-Regular.subset.ttf");

/// Pixels per unit of the drawing, which is 720 wide: 300 per inch at 7.2
/// inches.
const SCALE: f32 = 3.0;

/// The bytes of the file.
///
/// # Panics
/// Never: what [`svg::svg`] writes is SVG, and of a size.
pub fn png(figure: &Figure) -> Vec<u8> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("Roboto");
    let options =
        Options { fontdb: Arc::new(fonts), font_family: "Roboto".to_owned(), ..Options::default() };
    let text = svg::svg(figure, Theme::Paper);
    let tree = Tree::from_str(&text, &options).expect("the drawing is SVG");
    let size = tree.size();
    let [width, height] = [size.width(), size.height()].map(|side| (side * SCALE).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).expect("a drawing has a size");
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().expect("memory takes everything")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Group, Point, Scatter};

    #[test]
    fn points_and_letters_are_drawn() {
        let mut scatter = Scatter::new(Axis::new("x", ""), Axis::new("y", ""));
        for (x, y) in [(0.0, 0.0), (1.0, 1.0)] {
            let group = Group { name: "g".to_owned(), colour: 0 };
            scatter.points.push(Point { label: "p".to_owned(), group, x: (x, None), y: (y, None) });
        }
        let bytes = png(&scatter.figure("fairness", "Fairness", ""));
        let pixels = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!(pixels.width(), 2160);
        let count = |colour: (u8, u8, u8)| {
            let same = |p: &&resvg::tiny_skia::PremultipliedColorU8| {
                (p.red(), p.green(), p.blue()) == colour
            };
            pixels.pixels().iter().filter(same).count()
        };
        // two discs of radius 15: 2 x 707 pixels, less their edges
        let blue = count((0x00, 0x72, 0xb2));
        assert!((1_200..=1_414).contains(&blue), "{blue} pixels of the points");
        assert!(count((0x55, 0x60, 0x6e)) > 500, "numbers at the axes");
    }
}
