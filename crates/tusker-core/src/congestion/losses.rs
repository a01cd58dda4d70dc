//! What losses do to a flow of a law, in closed form: a part of its sheet. Each law's file has
//! its own formulas, for the law's default parameters.

/// A formula. Its arguments are a share of packets or a window in segments, and a round trip in
/// seconds.
pub type Formula = fn(f64, f64) -> f64;

/// What is known of a law in closed form.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// The mean window in segments of a flow that loses a share p of its packets, evenly spaced:
    /// the response function.
    pub window: Option<Formula>,
    /// From one loss to the next.
    pub period: Option<Period>,
    /// From one loss to the next it is at most so many seconds for a flow whose window reaches
    /// so many segments, if that is more than by linear growth.
    pub longest: Option<Formula>,
    /// The smallest growth of the window per round trip, as a multiple of Reno's.
    pub least_growth: f64,
    /// A parameter scales the growth with the round trip.
    pub scale: Option<Scale>,
}

/// The time from one loss to the next.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// The law, as sentences name it: `HSTCP`.
    pub law: &'static str,
    /// Seconds, for a flow whose window reaches so many segments each time.
    pub seconds: Formula,
    /// Whether a flow takes about so long, or at least.
    pub bound: Bound,
    /// A flow grows by a share of its window, so that it may come near this period only long
    /// after slow start.
    pub proportional: bool,
}

/// What a period says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// About so long.
    About,
    /// At least so long.
    AtLeast,
}

/// A growth that is scaled with the round trip. Without scaling, the growth per round trip
/// follows from the time since the last loss.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The parameter that switches it on.
    pub switch: &'static str,
    /// The factor at a round trip of so many seconds.
    pub factor: fn(f64) -> f64,
}

impl Losses {
    /// Nothing is known, except that the law never grows slower than Reno.
    pub const UNKNOWN: Self =
        Self { window: None, period: None, longest: None, least_growth: 1.0, scale: None };

    /// Reno's, with which other laws are compared.
    pub(super) const RENO: Self = Self::of("Reno", reno_window, reno_period);

    /// The response function, and the time from one loss to the next.
    pub(super) const fn of(law: &'static str, window: Formula, seconds: Formula) -> Self {
        let period = Period { law, seconds, bound: Bound::About, proportional: false };
        Self { window: Some(window), period: Some(period), ..Self::UNKNOWN }
    }
}

/// Reno's response function, sqrt(3/2) p^-0.5: Mathis, Semke, Mahdavi, Ott 1997, section 2. With
/// random losses they give 1.31 instead of 1.22.
pub(super) fn reno_window(p: f64, _: f64) -> f64 {
    libm::sqrt(1.5 / p)
}

/// Reno's period: from half of the window to all of it by one segment per round trip.
pub(super) fn reno_period(peak: f64, rtt: f64) -> f64 {
    peak / 2.0 * rtt
}
