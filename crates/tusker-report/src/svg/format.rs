//! How a figure is drawn, apart from what it shows: its width, and which part of its axes is
//! shown; also, what a kind of figure cannot do.

use crate::figure::{Axis, Plot};

/// How a figure is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    /// Hundredths of an inch: letters stay as high as they are, and panels go below each
    /// other where they have no room.
    pub wide: f64,
    /// Ends of the horizontal axis, in its unit; what lies beyond is cut off.
    pub x: Option<(f64, f64)>,
    /// The same upwards.
    pub y: Option<(f64, f64)>,
    /// A dashed line across curves, at this value of the vertical axis.
    pub line: Option<f64>,
}

/// Why a figure cannot be drawn so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was asked for: `x-range`, `y-range` or `line`.
    pub what: &'static str,
    /// The reason.
    pub why: String,
    /// What can be done instead.
    pub help: String,
}

impl Refused {
    /// Something, the reason, and what to do.
    fn new(what: &'static str, why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what, why: why.into(), help: help.into() }
    }
}

impl Format {
    /// Nothing but a width, in hundredths of an inch.
    pub fn wide(wide: f64) -> Self {
        Self { wide, x: None, y: None, line: None }
    }

    /// Refuses what this kind of figure does not have.
    pub(super) fn check(&self, plot: &Plot) -> Result<(), Refused> {
        let ranged = [("x-range", self.x), ("y-range", self.y)];
        let ranged = ranged.into_iter().find(|(_, ends)| ends.is_some());
        if self.line.is_some() && !matches!(plot, Plot::Lines(_)) {
            let why = "only curves of means have a line across, such as those of a sweep";
            return Err(Refused::new("line", why, "leave it out"));
        }
        match plot {
            Plot::Panels(own) => {
                if own.panels.len() > 1 && self.y.is_some() {
                    let names: Vec<&str> = own.panels.iter().map(|p| p.name.as_str()).collect();
                    let why = format!("the {} panels have axes of their own", names.len());
                    let help =
                        format!("draw one of them, --figure NAME.PANEL: {}", names.join(", "));
                    return Err(Refused::new("y-range", why, help));
                }
                positive("x-range", &own.x, self.x)?;
                own.panels.iter().try_for_each(|panel| positive("y-range", &panel.y, self.y))
            }
            Plot::Lines(own) => {
                positive("x-range", &own.x, self.x)?;
                positive("line", &own.y, self.line.map(|line| (line, line)))?;
                positive("y-range", &own.y, self.y)
            }
            Plot::Scatter(own) => positive("x-range", &own.x, self.x),
            Plot::Heat(_) => ranged.map_or(Ok(()), |(what, _)| {
                let why = "a heat map has a cell for each value in the place of an axis";
                Err(Refused::new(what, why, "draw the curves of the same measure: --list"))
            }),
            Plot::Bars(_) if self.x.is_some() => {
                let why = "the horizontal axis of bars has names in the place of numbers";
                Err(Refused::new("x-range", why, "leave it out; --y-range sets the heights"))
            }
            Plot::Bars(own) if own.panels.len() > 1 && self.y.is_some() => {
                let why = format!("the {} panels have axes of their own", own.panels.len());
                Err(Refused::new("y-range", why, "leave it out"))
            }
            Plot::Bars(_) => Ok(()),
        }
    }
}

/// A logarithm has no zero.
fn positive(what: &'static str, axis: &Axis, ends: Option<(f64, f64)>) -> Result<(), Refused> {
    match ends {
        Some((low, _)) if axis.log && axis.linear.is_none() && low <= 0.0 => {
            let why = format!("{} has a logarithmic axis, without zero", axis.label());
            Err(Refused::new(what, why, "begin above 0"))
        }
        _ => Ok(()),
    }
}
