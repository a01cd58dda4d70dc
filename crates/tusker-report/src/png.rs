//! A figure as PNG.

use resvg::tiny_skia::{Pixmap, Transform};

use crate::tree::tree;

/// Pixels per unit of the drawing, a hundredth of an inch: 300 per inch.
const SCALE: f32 = 3.0;

/// The bytes of the file: what [`crate::svg::drawn`] wrote for paper.
///
/// # Panics
/// If the drawing is no SVG.
pub fn png(drawing: &str) -> Vec<u8> {
    let tree = tree(drawing);
    let size = tree.size();
    let [width, height] = [size.width(), size.height()].map(|side| (side * SCALE).round() as u32);
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
            scatter.points.push(Point {
                label: "p".to_owned(),
                group,
                x: (x, None),
                y: (y, None),
                doubts: String::new(),
            });
        }
        let figure = scatter.figure("fairness", "Fairness", "");
        let bytes = png(&crate::svg::svg(&figure, crate::svg::Theme::Paper));
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
