//! A figure as SVG: for papers, with every colour written out, or for the page, whose style
//! sheet defines the colours for light and dark.

mod axis;
mod bars;
mod canvas;
mod clip;
mod colours;
mod ends;
mod format;
mod heat;
mod keys;
mod lines;
mod multiples;
mod panels;
mod scatter;

use std::ops::RangeInclusive;

use crate::figure::{Axis, Caption, Figure, Plot, number};
pub use canvas::escaped;
use canvas::{Canvas, Ink};
pub use format::{Format, Refused};

pub use crate::style::{DARK, LIGHT};

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
    /// Of a logarithmic one: linear from zero to here.
    linear: Option<f64>,
}

impl Scale {
    /// The range of an axis, drawn as the axis is.
    fn of(axis: &Axis, range: RangeInclusive<f64>) -> Self {
        Self { log: axis.log, linear: axis.linear, ..range.into() }
    }

    /// How far a value lies from the first edge to the second; not finite for
    /// one that a logarithm does not have.
    fn share(&self, value: f64) -> f64 {
        let of = |value: f64| match self.linear.filter(|_| self.log) {
            // as long as a decade
            Some(least) if value <= least => value / least,
            Some(least) => 1.0 + (value / least).log10(),
            None if self.log => value.log10(),
            None => value,
        };
        let (from, to) = (of(*self.range.start()), of(*self.range.end()));
        (of(value) - from) / (to - from)
    }
}

impl From<RangeInclusive<f64>> for Scale {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self { range, log: false, linear: None }
    }
}

impl Frame {
    /// A stretch of time, as far as it is shown.
    fn shade(&self, canvas: &mut Canvas, (from, to): (f64, f64)) {
        let (from, to) = (from.max(*self.x.range.start()), to.min(*self.x.range.end()));
        if from < to {
            canvas.rect((self.x(from), self.top), (self.x(to), self.bottom), Ink::Shade);
        }
    }

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

/// The drawing with a width of its own, in hundredths of an inch.
///
/// # Panics
/// Never: nothing but a width is asked for, which every figure can have.
pub fn sized(figure: &Figure, theme: Theme, wide: f64) -> String {
    drawn(figure, theme, &Format::wide(wide)).expect("a width is never refused")
}

/// The drawing as it was asked for.
///
/// # Errors
/// What this figure cannot be.
pub fn drawn(figure: &Figure, theme: Theme, format: &Format) -> Result<String, Refused> {
    format.check(&figure.plot)?;
    let mut canvas = Canvas::new(theme, format.clone());
    draw(&mut canvas, &figure.plot);
    Ok(canvas.finish(&figure.title))
}

/// What stands below the drawing: how to read the figure, and what of this drawing may be
/// misread.
pub fn caption(figure: &Figure, format: &Format) -> Caption {
    let caption = figure.caption.clone();
    let cut = matches!(&figure.plot, Plot::Lines(lines) if lines::is_cut(lines, format));
    let log = match &figure.plot {
        Plot::Lines(lines) => lines.x.log,
        Plot::Scatter(scatter) => scatter.x.log,
        _ => false,
    };
    let log = if log { "The horizontal axis is logarithmic." } else { "" };
    let scale = match &figure.plot {
        Plot::Lines(lines) => Some(("The vertical axis is", &lines.y)),
        Plot::Scatter(scatter) => Some(("The vertical axis is", &scatter.y)),
        Plot::Heat(heat) => Some(("Colours are", &heat.z)),
        _ => None,
    };
    let linear = scale.and_then(|(what, axis)| Some((what, axis.linear?, &axis.unit)));
    let linear = linear.map(|(what, least, unit)| {
        format!("{what} logarithmic above {}, and linear below.", with_unit(least, unit))
    });
    let cut = if cut { "The vertical axis does not begin at zero." } else { "" };
    let line = match (format.line, &figure.plot) {
        (Some(line), Plot::Lines(lines)) => {
            Some(format!("The dashed line is at {}.", with_unit(line, &lines.y.unit)))
        }
        _ => None,
    };
    caption.and(log).and_all(linear).and(cut).and_all(line)
}

fn with_unit(value: f64, unit: &str) -> String {
    let value = number(value);
    if unit.is_empty() { value } else { format!("{value} {unit}") }
}

/// The same of [`svg`].
pub fn usual_caption(figure: &Figure) -> Caption {
    caption(figure, &Format::wide(WIDTH))
}

/// Width and height of a drawing for paper, in inches.
pub fn inches(drawing: &str) -> Option<(f64, f64)> {
    let length = |name: &str| {
        let (_, rest) = drawing.split_once(&format!(" {name}=\""))?;
        rest.split_once("in\"")?.0.parse().ok()
    };
    length("width").zip(length("height"))
}

fn draw(canvas: &mut Canvas, plot: &Plot) {
    match plot {
        Plot::Panels(panels) => panels::draw(canvas, panels),
        Plot::Scatter(scatter) => scatter::draw(canvas, scatter),
        Plot::Lines(lines) => lines::draw(canvas, lines),
        Plot::Heat(heat) => heat::draw(canvas, heat),
        Plot::Bars(bars) => bars::draw(canvas, bars),
    }
}

/// A stroke with its mark, for a row of a table: paper that prints no grounds keeps it.
pub(crate) fn swatch(look: usize) -> String {
    let mut canvas = Canvas::new(Theme::Page, Format::wide(26.0));
    canvas.height = 10.0;
    let ink = Ink::Curve(look);
    canvas.path(&[(0.0, 5.0), (26.0, 5.0)], ink, 2.0);
    canvas.mark((13.0, 5.0), 3.0, ink);
    canvas.small()
}

#[cfg(all(test, feature = "png"))]
mod tests;
