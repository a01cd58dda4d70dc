//! How a figure is drawn, apart from what it shows: its size, which part of its axes is shown,
//! and where its keys (the legend) go; also, what a kind of figure cannot do.

use crate::figure::{Axis, Plot};

/// How a figure is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    /// Hundredths of an inch: letters stay as high as they are, and panels go below each
    /// other where they have no room.
    pub wide: f64,
    /// The same; without it the height follows from what is drawn.
    pub high: Option<f64>,
    /// Ends of the horizontal axis, in its unit; what lies beyond is cut off.
    pub x: Option<(f64, f64)>,
    /// The same upwards.
    pub y: Option<(f64, f64)>,
    /// Where the keys stand.
    pub keys: Keys,
    /// Intervals of lines are bars at their points, not bands.
    pub bars: bool,
    /// Left edge of what is drawn, and room right of it, at least: for figures below each
    /// other.
    pub edges: (f64, f64),
    /// A dashed line across curves, at this value of the vertical axis.
    pub line: Option<f64>,
}

/// Where it is said which curve is which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// Where there is room: at the ends of curves, or above.
    #[default]
    Fitting,
    /// Above all panels.
    Above,
    /// In a list right of all panels.
    Right,
    /// Within the first panel, where the least is drawn.
    Inside,
    /// Nowhere.
    None,
}

/// Why a figure cannot be drawn so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was asked for: `height`, `x-range`, `y-range`, `line` or `legend`.
    pub what: &'static str,
    /// The reason.
    pub why: String,
    /// What can be done instead.
    pub help: String,
}

impl Refused {
    /// Something, the reason, and what to do.
    pub(super) fn new(what: &'static str, why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what, why: why.into(), help: help.into() }
    }
}

impl Format {
    /// Nothing but a width, in hundredths of an inch.
    pub fn wide(wide: f64) -> Self {
        Self {
            wide,
            high: None,
            x: None,
            y: None,
            keys: Keys::default(),
            bars: false,
            edges: (0.0, 0.0),
            line: None,
        }
    }

    /// Refuses what this kind of figure does not have.
    pub(super) fn check(&self, plot: &Plot) -> Result<(), Refused> {
        let ranged = [("x-range", self.x), ("y-range", self.y)];
        let ranged: Vec<&'static str> =
            ranged.into_iter().filter(|(_, ends)| ends.is_some()).map(|(what, _)| what).collect();
        let aside = matches!(self.keys, Keys::Right | Keys::Inside);
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
            Plot::Clouds(_) => Ok(()),
            Plot::Diagonal(_) if self.y.is_some() => {
                let why = "both axes have one range, so that the line is a diagonal";
                Err(Refused::new("y-range", why, "use --x-range, which sets both"))
            }
            Plot::Diagonal(_) => Ok(()),
            Plot::Dots(_) if self.high.is_some() => {
                let why = "the height of a dot plot follows from its rows";
                Err(Refused::new("height", why, "leave it out"))
            }
            Plot::Dots(_) if self.y.is_some() => {
                let why = "a dot plot has rows, and no vertical axis";
                Err(Refused::new("y-range", why, "leave it out; --x-range sets the values"))
            }
            Plot::Dots(_) if aside => {
                let why = "the two keys of a dot plot stand above it";
                Err(Refused::new("legend", why, "use --legend above or --legend none"))
            }
            Plot::Heat(_) if aside => {
                let why = "a heat map has a bar of colours above it in the place of keys";
                Err(Refused::new("legend", why, "use --legend above or --legend none"))
            }
            Plot::Heat(_) if !ranged.is_empty() => {
                let why = "a heat map has a cell for each value in the place of an axis";
                Err(Refused::new(ranged[0], why, "draw the curves of the same measure: --list"))
            }
            Plot::Bars(_) if self.x.is_some() => {
                let why = "the horizontal axis of bars has names in the place of numbers";
                Err(Refused::new("x-range", why, "leave it out; --y-range sets the heights"))
            }
            Plot::Bars(_) if self.keys == Keys::Inside => {
                let why = "bars leave no room for keys within a panel";
                Err(Refused::new("legend", why, "use --legend above or --legend right"))
            }
            Plot::Bars(own) if own.panels.len() > 1 && self.y.is_some() => {
                let why = format!("the {} panels have axes of their own", own.panels.len());
                Err(Refused::new("y-range", why, "leave it out"))
            }
            Plot::Dots(_) | Plot::Heat(_) | Plot::Bars(_) => Ok(()),
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
