//! A figure as SVG: for papers, with every colour said, or for the page, whose
//! style sheet knows the colours of light and dark.

mod axis;
mod canvas;
mod clouds;
mod colours;
mod diagonal;
mod dots;
mod ends;
mod heat;
mod labels;
mod lines;
mod multiples;
mod panels;
mod scatter;

use std::ops::RangeInclusive;

use crate::figure::{Figure, Group, Plot};
use canvas::Canvas;
pub(crate) use canvas::escaped;

pub use crate::look::{DARK, LIGHT};

/// Where a drawing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Into a file of its own, on white.
    Paper,
    /// Into the page.
    Page,
}

/// Width of a drawing unless another was asked for; everything else follows from what
/// is in it.
pub const WIDTH: f64 = 720.0;

/// A rectangle to draw in, and what its edges stand for.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

/// Which values lie between two edges, and how.
#[derive(Clone, Debug, PartialEq)]
struct Scale {
    range: RangeInclusive<f64>,
    log: bool,
    /// From the second edge to the first.
    backwards: bool,
}

impl Scale {
    /// How far a value lies from the first edge to the second; not finite for
    /// one that a logarithm does not have.
    fn share(&self, value: f64) -> f64 {
        let of = |value: f64| if self.log { value.log10() } else { value };
        let (from, to) = (of(*self.range.start()), of(*self.range.end()));
        let share = (of(value) - from) / (to - from);
        if self.backwards { 1.0 - share } else { share }
    }
}

impl From<RangeInclusive<f64>> for Scale {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self { range, log: false, backwards: false }
    }
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - self.top)
    }
}

/// The whole drawing.
pub fn svg(figure: &Figure, theme: Theme) -> String {
    sized(figure, theme, WIDTH)
}

/// The drawing with a width of its own, in hundredths of an inch: letters stay as high
/// as they are, and panels go below each other where they have no room.
pub fn sized(figure: &Figure, theme: Theme, wide: f64) -> String {
    let mut canvas = Canvas::new(theme, wide);
    match &figure.plot {
        Plot::Panels(panels) => panels::draw(&mut canvas, panels),
        Plot::Scatter(scatter) => scatter::draw(&mut canvas, scatter),
        Plot::Dots(dots) => dots::draw(&mut canvas, dots),
        Plot::Lines(lines) => lines::draw(&mut canvas, lines),
        Plot::Heat(heat) => heat::draw(&mut canvas, heat),
        Plot::Clouds(clouds) => clouds::draw(&mut canvas, clouds),
        Plot::Diagonal(diagonal) => diagonal::draw(&mut canvas, diagonal),
    }
    canvas.finish(&figure.title)
}

/// A stroke with its mark, for a row of a table: paper that prints no grounds keeps it.
pub(crate) fn swatch(look: usize) -> String {
    let mut canvas = Canvas::new(Theme::Page, 26.0);
    canvas.height = 10.0;
    let ink = canvas::Ink::Curve(look);
    canvas.path(&[(0.0, 5.0), (26.0, 5.0)], ink, 2.0);
    canvas.mark((13.0, 5.0), 3.0, ink);
    canvas.small()
}

/// A row of names beside their colours, in as many lines as they need; gives
/// back where it ends.
fn legend(canvas: &mut Canvas, groups: &[Group], mut y: f64) -> f64 {
    let mut x = 8.0;
    for group in groups {
        let name = canvas::shortened(&group.name, canvas.wide - 48.0);
        let width = 40.0 + canvas::width(&name);
        if x + width > canvas.wide && x > 8.0 {
            (x, y) = (8.0, y + 18.0);
        }
        let ink = canvas::Ink::Curve(group.colour);
        canvas.path(&[(x, y), (x + 28.0, y)], ink, 1.8);
        canvas.mark((x + 14.0, y), 3.0, ink);
        canvas.text((x + 33.0, y + 4.0), canvas::Anchor::Start, canvas::Ink::Text, &name);
        x += width + 8.0;
    }
    if groups.is_empty() { y } else { y + 20.0 }
}

#[cfg(all(test, feature = "png"))]
mod tests;
