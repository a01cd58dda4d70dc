//! Response functions: the mean window of a law under random loss.
//!
//! A share p of packets is lost, there is one flow with a round trip of R seconds, and
//! nothing else limits it. W is the mean window in segments with the law's default
//! parameters. The flow then carries W / R segments per second. The formulas are in the laws'
//! sheets (`tusker_core::congestion::Losses`).
//!
//! None of these windows falls below Reno's if the source lets the law grow like Reno. The
//! functions assume evenly spaced losses; with random ones the mean is slightly different.
//! Tests of tusker-core and of the simulator compare the laws with these functions.

use tusker_core::Kind as _;
use tusker_core::congestion::Kind;
use tusker_core::congestion::linux::{self, Counts};

/// The mean window of a law, in segments, for a share `p` of packets lost at random (above
/// 0) and a round trip of `rtt` seconds (above 0). `None` for laws without a closed form.
pub fn response(kind: Kind, p: f64, rtt: f64) -> Option<f64> {
    kind.sheet().losses.window.map(|window| window(p, rtt))
}

/// The same in the form that Linux has ([`linux::Module`]), with delayed ACKs: a law that
/// counts ACKs in congestion avoidance grows half as fast, so that it keeps the window of
/// twice the loss rate; a growth f that is scaled by g keeps g times the window of f at g p, but
/// not less than Reno's.
pub fn response_in_linux(kind: Kind, p: f64, rtt: f64) -> Option<f64> {
    let scale = kind.sheet().losses.scale;
    let on =
        |switch| linux::module(kind.sheet().name)?.params.iter().find(|(own, _)| *own == switch);
    if let Some(scale) = scale.filter(|scale| on(scale.switch).is_some_and(|(_, on)| *on == 1.0)) {
        let g = (scale.factor)(rtt);
        return Some((g * response(kind, g * p, rtt)?).max(response(Kind::Reno, p, rtt)?));
    }
    response(kind, p * segments_per_step(kind), rtt)
}

/// Segments for which the window of a law grows once in Linux, with delayed ACKs.
pub fn segments_per_step(kind: Kind) -> f64 {
    match linux::module(kind.sheet().name).map(|module| module.counts) {
        Some(Counts::Acks | Counts::AcksInAvoidance) => 2.0,
        _ => 1.0,
    }
}

/// Seconds from one loss to the next for a flow whose window reaches `peak` segments each
/// time, with a round trip of `rtt` seconds in the mean: about, or at least. `None` for laws
/// without a closed form.
pub fn cycle(kind: Kind, peak: f64, rtt: f64) -> Option<f64> {
    kind.sheet().losses.period.map(|period| (period.seconds)(peak, rtt))
}

/// The same where a share `p` of packets is lost at random: after 1/p packets in the mean.
pub fn cycle_of_losses(kind: Kind, p: f64, rtt: f64) -> Option<f64> {
    Some(rtt / (p * response(kind, p, rtt)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(got: Option<f64>, expected: f64, relative: f64) {
        let got = got.expect("a closed form");
        assert!((got / expected - 1.0).abs() < relative, "{got} instead of {expected}");
    }

    #[test]
    fn windows_of_the_rfcs_tables() {
        // RFC 3649, Table 3: 1e-7 has 83,981 segments for HighSpeed TCP; 0.12 and
        // 0.835 are rounded. Table 2, of standard TCP: 1e-6 has 1,200 by 1.2/sqrt(p)
        near(response(Kind::Hstcp, 1e-7, 0.1), 83_981.0, 0.005);
        near(response(Kind::Reno, 1e-6, 0.1), 1_200.0, 0.03);
        // RFC 9438, Table 2: round trip 0.1 s, C = 0.4
        near(response(Kind::Cubic, 1e-6, 0.1), 5_926.0, 0.002);
        near(response(Kind::Cubic, 1e-8, 0.1), 187_400.0, 0.002);
        near(response(Kind::CubicLinux, 1e-6, 0.1), 5_926.0, 0.002);
        // a / (p ln(8/7)) = 0.0748888/p
        near(response(Kind::Scalable, 1e-5, 0.1), 7_488.88, 1e-5);
    }

    #[test]
    fn where_losses_are_frequent_they_are_reno() {
        for kind in [Kind::Hstcp, Kind::Cubic, Kind::Htcp] {
            near(response(kind, 0.01, 0.01), 12.247, 0.001);
        }
    }

    /// Growth per round trip is 1 for the first second, so that a loss every second
    /// is Reno's sawtooth of 1/R round trips: W rises by 1/R from 1/R to 2/R, 3/2 /R
    /// on average, 1.5/R^2 segments. With R = 0.1 s: p = 1/150, W = 15. Two seconds
    /// have F = 2 + 5 + 1/12 = 7.0833 and G = 2 + 5/3 + 1/48 = 3.6875, so
    /// 2 (7.0833 + 1.84375)/0.01 = 1785.4 segments and W = 1785.4 * 0.1/2 = 89.27.
    #[test]
    fn htcp_by_hand() {
        near(response(Kind::Htcp, 1.0 / 150.0, 0.1), 15.0, 0.001);
        near(response(Kind::Htcp, 1.0 / 1785.4, 0.1), 89.27, 0.001);
    }

    /// Reno: 50 round trips of 0.1 s from 50 to 100. Scalable: 1.01^n = 8/7. H-TCP: see
    /// above, to 2/R in a second and to 2 x 7.0833/R in two. HSTCP: RFC 3649, section 5,
    /// has b = 0.1 and a = 72 at 83,000 segments: 8,300 / 72 round trips; the formula
    /// rounds. CUBIC: cbrt(0.3 x 1000 / 0.4).
    #[test]
    fn times_from_loss_to_loss_by_hand() {
        near(cycle(Kind::Reno, 100.0, 0.1), 5.0, 1e-12);
        near(cycle(Kind::Scalable, 5_000.0, 0.1), 1.335, 1e-3);
        near(cycle(Kind::Htcp, 20.0, 0.1), 1.0, 1e-9);
        near(cycle(Kind::Htcp, 141.667, 0.1), 2.0, 1e-5);
        near(cycle(Kind::Hstcp, 83_000.0, 0.1), 0.1 * 8_300.0 / 72.0, 0.05);
        near(cycle(Kind::Hstcp, 30.0, 0.1), 1.5, 1e-12);
        near(cycle(Kind::Cubic, 1_000.0, 0.1), 9.086, 1e-3);
        assert_eq!(cycle(Kind::Westwood, 1_000.0, 0.1), None);
        // 10,000 packets at sqrt(1.5e4) = 122.47 per 0.1 s
        near(cycle_of_losses(Kind::Reno, 1e-4, 0.1), 8.165, 1e-4);
    }

    /// HSTCP: 0.12/(2e-4)^0.835 = 147.17. H-TCP at 100 ms is the papers'; at 200 ms growth is
    /// doubled: with a loss every second, W rises by 2/R from 2/R to 4/R, 3/R on average, and
    /// 3/R^2 segments pass; R = 0.2: p = 1/75, W = 15.
    #[test]
    fn linux_counts_acks_and_scales_with_the_round_trip() {
        near(response_in_linux(Kind::Hstcp, 1e-4, 0.1), 147.17, 0.001);
        near(response_in_linux(Kind::Reno, 1.5e-4, 0.1), 100.0, 1e-9);
        near(response_in_linux(Kind::Htcp, 1.0 / 1785.4, 0.1), 89.27, 0.001);
        near(response_in_linux(Kind::Htcp, 1.0 / 75.0, 0.2), 15.0, 0.001);
    }

    #[test]
    fn laws_without_a_closed_form_have_none() {
        assert_eq!(response(Kind::Bbr3, 1e-4, 0.1), None);
    }
}
