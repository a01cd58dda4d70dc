//! Response functions: the mean window of a law under random loss.
//!
//! A share p of packets is lost, there is one flow with a round trip of R seconds, and
//! nothing else limits it. W is the mean window in segments with the law's default
//! parameters. The flow then carries W / R segments per second.
//!
//! | law | W | source |
//! |---|---|---|
//! | `reno` | sqrt(3/2) p^-0.5 | Mathis, Semke, Mahdavi, Ott 1997, section 2 |
//! | `hstcp`, and `ghstcp` without a trend | 0.12 p^-0.835 | RFC 3649, section 5 |
//! | `cubic`, `cubic-linux` | 1.054 R^0.75 p^-0.75 | RFC 9438, section 5.1 |
//! | `scalable` | 0.0749 p^-1 | Kelly 2003, a = 0.01, b = 1/8 |
//! | `htcp` | of its growth from loss to loss | Leith and Shorten 2004 |
//!
//! None of them falls below Reno's where the source lets the law grow like Reno. They
//! assume evenly spaced losses; with random ones the mean is slightly different (Mathis et
//! al. have 1.31 instead of 1.22). Tests of tusker-core and of the simulator compare the
//! laws with them.

use tusker_core::congestion::Kind;

/// The mean window of a law, in segments, for a share `p` of packets lost at random (above
/// 0) and a round trip of `rtt` seconds (above 0). `None` for laws without a closed form.
pub fn response(kind: Kind, p: f64, rtt: f64) -> Option<f64> {
    let reno = libm::sqrt(1.5 / p);
    let law = match kind {
        Kind::Reno => reno,
        Kind::Hstcp | Kind::Ghstcp | Kind::GhstcpRefined => 0.12 / libm::pow(p, 0.835),
        // Linux has the RFC's C of 0.4 and its beta of 0.7
        Kind::Cubic | Kind::CubicLinux => 1.054 * libm::pow(rtt / p, 0.75),
        // RFC 9438, section 5.1 with beta = 0.8: (0.4 * 3.8 / 0.8)^(1/4)
        Kind::Cubic2005 => 1.174 * libm::pow(rtt / p, 0.75),
        // from (1 - b) W to W at a per ACK takes ln(1/(1 - b))/a round trips
        Kind::Scalable => return Some(0.01 / libm::log(8.0 / 7.0) / p),
        Kind::Htcp => htcp(p, rtt),
        _ => return None,
    };
    Some(law.max(reno))
}

/// Whether the law grows until a loss, so that its flow reaches its long-term mean only
/// after several losses.
pub fn grows_until_loss(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Reno
            | Kind::Hstcp
            | Kind::Ghstcp
            | Kind::GhstcpRefined
            | Kind::Scalable
            | Kind::Htcp
            | Kind::Westwood
            | Kind::Bic
            | Kind::Cubic
            | Kind::Cubic2005
            | Kind::CubicLinux
            | Kind::Hybla
            | Kind::Illinois
            | Kind::Compound
            | Kind::Udt
    )
}

/// H-TCP with a loss every T seconds, backing off to beta = 1/2: with f the growth
/// per round trip and F, G its first and second integral over T, the window rises by
/// 2 (1 - beta) F / R, so that its largest is 2 F / R, and
/// 2 (beta F T + (1 - beta) G) / R^2 segments pass, which are 1/p.
fn htcp(p: f64, rtt: f64) -> f64 {
    const BETA: f64 = 0.5;
    let segments = |t: f64| {
        // f = 1 up to a second, then 1 + 10 x + (x/2)^2
        let x = (t - 1.0).max(0.0);
        let first = t + 5.0 * x * x + x * x * x / 12.0;
        let second = t * t / 2.0 + 5.0 * x * x * x / 3.0 + x * x * x * x / 48.0;
        2.0 * (BETA * first * t + (1.0 - BETA) * second) / (rtt * rtt)
    };
    let (mut low, mut high) = (0.0, 1.0);
    while segments(high) < 1.0 / p && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if segments(middle) < 1.0 / p { low = middle } else { high = middle }
    }
    rtt / (p * high)
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

    #[test]
    fn laws_without_a_closed_form_have_none() {
        assert_eq!(response(Kind::Bbr3, 1e-4, 0.1), None);
        assert!(grows_until_loss(Kind::Cubic) && !grows_until_loss(Kind::Bbr1));
    }
}
