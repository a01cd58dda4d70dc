//! The legend: which curve is which, where names at the ends of the curves do not show it.

use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use crate::figure::Group;

/// A row of names beside their colours, in as many lines as they need, if it is `wanted`; gives
/// back where what is below begins.
pub(super) fn keys(canvas: &mut Canvas, groups: &[Group], wanted: bool) -> f64 {
    let (mut x, mut y) = (8.0, 14.0);
    if !wanted || groups.is_empty() {
        return y;
    }
    for group in groups {
        let name = shortened(&group.name, canvas.wide - 48.0);
        let width = 40.0 + width(&name);
        if x + width > canvas.wide && x > 8.0 {
            (x, y) = (8.0, y + 18.0);
        }
        let ink = Ink::Curve(group.colour);
        if canvas.squares {
            canvas.rect((x + 14.0, y - 6.0), (x + 27.0, y + 6.0), ink);
        } else {
            canvas.path(&[(x, y), (x + 28.0, y)], ink, 1.8);
            canvas.mark((x + 14.0, y), 3.0, ink);
        }
        canvas.text((x + 33.0, y + 4.0), Anchor::Start, Ink::Text, &name);
        x += width + 8.0;
    }
    y + 20.0
}
