//! Harm: what a flow loses because of a competitor.
//!
//! Source: Ware, Mukerjee, Seshan and Sherry, "Beyond Jain's Fairness Index:
//! Setting the Bar For The Deployment of Congestion Control Algorithms", HotNets
//! 2019, section 4. With x the performance alone on the path (solo) and y the
//! performance with the competitor:
//!
//! ```text
//! more is better (throughput, goodput):           harm = (x - y) / x
//! less is better (delay, loss, completion time):  harm = (y - x) / y
//! ```
//!
//! 0 is no harm and 1 is the maximum. Below 0 the competitor helped: the paper has
//! no such case, and we print the value as it is, because truncating it at 0 would
//! hide the spread of repeated runs.
//!
//! Compare the harm that a newcomer does to a flow with the harm that a flow of the
//! same kind does in its place: the paper's harm-based threshold.

/// Whether more or less of a measure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Throughput, goodput.
    More,
    /// Delay, loss, completion time.
    Less,
}

/// Harm by performance `alone` (x) and `beside` the competitor (y): at most 1,
/// negative if the competitor helped.
///
/// `None` if there is nothing to lose or to compare: a value that is negative or
/// not a number, an `alone` of 0 where more is better, a `beside` of 0 where less
/// is. Where less is better, an infinite `beside` (a transfer that never completes)
/// is a harm of 1.
pub fn harm(better: Better, alone: f64, beside: f64) -> Option<f64> {
    let sound = |value: f64| value >= 0.0;
    if !sound(alone) || !sound(beside) || alone.is_infinite() {
        return None;
    }
    match better {
        Better::More if alone == 0.0 || beside.is_infinite() => None,
        Better::More => Some((alone - beside) / alone),
        Better::Less if beside == 0.0 => None,
        Better::Less if beside.is_infinite() => Some(1.0),
        Better::Less => Some((beside - alone) / beside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harm_by_hand() {
        // 10 Mbit/s alone and 4 beside are (10 - 4) / 10
        assert_eq!(harm(Better::More, 10.0, 4.0), Some(0.6));
        // 20 ms alone and 80 ms beside are (80 - 20) / 80
        assert_eq!(harm(Better::Less, 20.0, 80.0), Some(0.75));
        assert_eq!(harm(Better::More, 10.0, 10.0), Some(0.0));
        assert_eq!(harm(Better::Less, 10.0, 10.0), Some(0.0));
    }

    #[test]
    fn nothing_left_is_a_harm_of_one() {
        assert_eq!(harm(Better::More, 10.0, 0.0), Some(1.0));
        assert_eq!(harm(Better::Less, 10.0, f64::INFINITY), Some(1.0));
        // loss where there was none before
        assert_eq!(harm(Better::Less, 0.0, 0.01), Some(1.0));
    }

    #[test]
    fn help_is_negative() {
        assert_eq!(harm(Better::More, 8.0, 10.0), Some(-0.25));
        assert_eq!(harm(Better::Less, 10.0, 8.0), Some(-0.25));
    }

    #[test]
    fn without_something_to_lose_there_is_no_harm() {
        assert_eq!(harm(Better::More, 0.0, 1.0), None);
        assert_eq!(harm(Better::Less, 0.0, 0.0), None);
        for wrong in [-1.0, f64::NAN] {
            assert_eq!(harm(Better::More, wrong, 1.0), None);
            assert_eq!(harm(Better::Less, 1.0, wrong), None);
        }
        assert_eq!(harm(Better::More, f64::INFINITY, 1.0), None);
        assert_eq!(harm(Better::More, 1.0, f64::INFINITY), None);
    }
}
