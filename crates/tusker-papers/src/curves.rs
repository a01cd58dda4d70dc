//! Figures that show functions: computed, not simulated.
//!
//! - `aimd`: a(w) and b(w) of HSTCP, from `tusker-core`.
//! - `response`: the average window at a loss rate p, in segments: HSTCP's by
//!   inverting its p(w), Reno's sqrt(3/2) / sqrt(p) (Mathis et al., 1997;
//!   RFC 3649, section 1, has 1.2 / sqrt(p)).

use tusker_core::congestion::HighSpeedAt;

/// A function that is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// Its name: `a`.
    pub name: &'static str,
    /// What its horizontal axis shows.
    pub over: &'static str,
    /// What its values are, with their unit: functions with the same text share an axis.
    pub value: (&'static str, &'static str),
    /// Its values span powers of ten.
    pub log: bool,
    /// The function.
    of: fn(f64) -> f64,
}

impl Curve {
    /// Its value at a point.
    pub fn at(&self, x: f64) -> f64 {
        (self.of)(x)
    }
}

/// The curves of this name and the range over which they are drawn; `None` if there are
/// none.
pub fn named(name: &str) -> Option<(Vec<Curve>, [f64; 2])> {
    match name {
        "aimd" => {
            let a = |w| HighSpeedAt::window(w).a;
            let b = |w| HighSpeedAt::window(w).b;
            let (over, log) = ("window", false);
            let increase = ("increase a(w) per round trip", "segments");
            let a = Curve { name: "a", over, value: increase, log, of: a };
            let b = Curve { name: "b", over, value: ("decrease b(w)", ""), log, of: b };
            Some((vec![a, b], [1.0, 1e5]))
        }
        "response" => {
            let (over, value, log) = ("loss_rate", ("average window", "segments"), true);
            let reno = Curve { name: "reno", over, value, log, of: reno_window };
            let hstcp = Curve { name: "hstcp", over, value, log, of: hstcp_window };
            Some((vec![reno, hstcp], [1e-10, 1e-1]))
        }
        _ => None,
    }
}

/// The points at which curves are drawn: evenly spaced on a logarithmic scale.
pub fn places([from, to]: [f64; 2]) -> Vec<f64> {
    const STEPS: i32 = 400;
    let at = |step| from * (to / from).powf(f64::from(step) / f64::from(STEPS));
    (0..=STEPS).map(at).collect()
}

/// A figure as CSV: the horizontal axis, then one column per curve.
pub fn csv(curves: &[Curve], range: [f64; 2]) -> String {
    let over = curves.first().map_or("", |curve| curve.over);
    let names: Vec<&str> = curves.iter().map(|curve| curve.name).collect();
    let mut text = format!("{over},{}\n", names.join(","));
    for x in places(range) {
        let values: Vec<String> = curves.iter().map(|curve| curve.at(x).to_string()).collect();
        text += &format!("{x},{}\n", values.join(","));
    }
    text
}

fn reno_window(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// The window, between 1 and 10^12 segments, for which p(w) has this value.
fn hstcp_window(p: f64) -> f64 {
    let (mut low, mut high) = (1.0_f64, 1e12_f64);
    // p falls with w; each step halves the distance on a logarithmic scale
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if HighSpeedAt::window(middle).p > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_those_of_the_rfc() {
        // p = 0.078 / w^1.2: w = (0.078 / 1e-7)^(1/1.2) = 780,000^(5/6) = 81,298
        assert!((hstcp_window(1e-7) / 81_298.0 - 1.0).abs() < 1e-3, "{}", hstcp_window(1e-7));
        // RFC 3649, section 1: 83,333 segments need a loss rate of about 2e-10
        assert!((reno_window(2e-10) / 83_333.0 - 1.0).abs() < 0.05, "{}", reno_window(2e-10));
        // RFC 3649, section 5: both meet at 38 segments, p = 1e-3
        assert!((hstcp_window(1e-3) - 38.0).abs() < 0.5, "{}", hstcp_window(1e-3));
        assert!((reno_window(1e-3) - 38.7).abs() < 0.1, "{}", reno_window(1e-3));
    }

    #[test]
    fn a_figure_has_a_line_per_point() {
        let (curves, range) = named("aimd").unwrap();
        let text = csv(&curves, range);
        assert!(text.starts_with("window,a,b\n1,1,0.5\n"), "{}", &text[..40]);
        assert_eq!(text.lines().count(), 402);
        assert!(named("no").is_none());
    }
}
