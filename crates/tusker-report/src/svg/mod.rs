//! A figure as SVG: for papers, with every colour written out, or for the page, whose style
//! sheet defines the colours for light and dark.

mod axis;
mod bars;
mod canvas;
mod clip;
mod clouds;
mod colours;
mod diagonal;
mod dots;
mod ends;
mod format;
mod heat;
mod keys;
mod labels;
mod lines;
mod multiples;
mod panels;
mod scatter;
mod several;

use std::ops::RangeInclusive;

use crate::figure::{Axis, Caption, Figure, Plot, number};
pub use canvas::escaped;
use canvas::{Canvas, Ink};
pub use format::{Format, Keys, Refused};
pub use several::{captions, several};

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
    /// From the second edge to the first.
    backwards: bool,
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
        let share = (of(value) - from) / (to - from);
        if self.backwards { 1.0 - share } else { share }
    }
}

impl From<RangeInclusive<f64>> for Scale {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self { range, log: false, linear: None, backwards: false }
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

/// A panel is at least so high, however low the figure is to be.
const LEAST: f64 = 40.0;

/// The drawing as it was asked for.
///
/// # Errors
/// What this figure cannot be.
pub fn drawn(figure: &Figure, theme: Theme, format: &Format) -> Result<String, Refused> {
    fitted(&figure.plot, theme, format).map(|canvas| canvas.finish(&figure.title))
}

/// What is drawn, as high as it was asked for.
fn fitted(plot: &Plot, theme: Theme, format: &Format) -> Result<Canvas, Refused> {
    format.check(plot)?;
    let mut panel = None;
    // panels of another height may have their keys elsewhere, and then the rest is another
    for _ in 0..6 {
        let mut canvas = Canvas::new(theme, format.clone());
        canvas.panel = panel;
        draw(&mut canvas, plot);
        let Some(high) = format.high else {
            return canvas.refused.take().map_or(Ok(canvas), Err);
        };
        let (rest, rows) = (high - canvas.height, canvas.rows.max(1.0));
        if (-0.5..rows).contains(&rest) {
            canvas.height = high;
            return canvas.refused.take().map_or(Ok(canvas), Err);
        }
        let own = canvas.panel.unwrap_or(LEAST);
        let next = own + rest / rows;
        if next < LEAST {
            let least = ((canvas.height - rows * (own - LEAST)) / 10.0).ceil() / 10.0;
            let why = format!("what is drawn needs a height of at least {least} inches");
            return Err(Refused::new("height", why, "make it higher, or draw less of it"));
        }
        panel = Some(next);
    }
    let why = "no height of the panels gives the figure this height";
    Err(Refused::new("height", why, "take another height"))
}

/// What stands below the drawing: how to read the figure, and what of this drawing may be
/// misread.
pub fn caption(figure: &Figure, format: &Format) -> Caption {
    let caption = figure.caption.clone();
    let (bars, cut) = match &figure.plot {
        Plot::Lines(lines) => (format.bars, lines::is_cut(lines, format)),
        _ => (false, false),
    };
    let caption = if bars { caption.with_bars() } else { caption };
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
        Plot::Dots(dots) => dots::draw(canvas, dots),
        Plot::Lines(lines) => lines::draw(canvas, lines),
        Plot::Heat(heat) => heat::draw(canvas, heat),
        Plot::Clouds(clouds) => clouds::draw(canvas, clouds),
        Plot::Diagonal(diagonal) => diagonal::draw(canvas, diagonal),
        Plot::Bars(bars) => bars::draw(canvas, bars),
    }
    keys::aside(canvas, 22.0);
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
