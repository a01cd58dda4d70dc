//! How the replay of a live flow handles the order in which Linux calls a law's hooks. The
//! numbers are Reno's, because HSTCP behaves like Reno below 38 segments (RFC 3649, section 5).

use tusker_core::congestion::Spec;
use tusker_kernel::events::{Event, What};
use tusker_kernel::prove::replay::{Replay, Replayed};

const OPEN: u32 = 0;
const CWR: u32 = 2;
const LOSS: u32 = 4;

/// A window of 20 segments, all of them outstanding.
fn event(now: u64, what: What, state: u32) -> Event {
    Event {
        now,
        flow: 1,
        forward: None,
        before: 20.0,
        cwnd: 20.0,
        ssthresh: f64::INFINITY,
        credit: 0.0,
        shows: [0; 6],
        what,
        state,
        rtt: Some(10_000),
        srtt: 10_000,
        rtt_min: 10_000,
        acked: 0,
        in_flight: 20,
        flight: 20,
        lost: 0,
        snd_cwnd: 20,
        delivered: 0,
        mss: 1_448,
        from: ([10, 0, 0, 1].into(), 1),
        to: ([10, 0, 0, 2].into(), 2),
        round_start: false,
        cwnd_limited: true,
        slow_start: false,
    }
}

fn replay(events: &[Event]) -> Replayed {
    let spec = Spec::named("hstcp", []).expect("it is in the registry");
    let mut replay = Replay::new(&spec, &[]);
    events.iter().for_each(|event| replay.hear(event));
    replay.end()
}

/// The ACK after a tail loss probe acknowledged everything outstanding (RFC 8985, section
/// 7.4): the window is halved, recovery ends at once, and the ACK increases the window of
/// 10 by 20/10.
#[test]
fn an_ack_lets_the_window_grow_that_it_has_shrunk() {
    let found = replay(&[
        event(1_000_000, What::Open, OPEN),
        Event { acked: 20, flight: 0, in_flight: 0, ..event(2_000_000, What::Ack, OPEN) },
        Event { ssthresh: 10.0, ..event(2_000_000, What::Shrink, OPEN) },
        Event { ssthresh: 10.0, ..event(2_000_000, What::State, CWR) },
        Event { ssthresh: 10.0, ..event(2_000_000, What::State, OPEN) },
        Event {
            before: 10.0,
            cwnd: 12.0,
            ssthresh: 10.0,
            credit: 20.0,
            acked: 20,
            ..event(2_000_000, What::Grow, OPEN)
        },
    ]);
    assert_eq!((found.shrinks, found.windows), (1, 1));
    assert!(found.hold(), "{found}");
}

/// A timeout in slow start was spurious (RFC 5682): the kernel restores window and
/// threshold before the ACK that showed it increases the window, still in slow start.
#[test]
fn slow_start_goes_on_after_a_timeout_that_was_for_nothing() {
    let found = replay(&[
        event(1_000_000, What::Open, OPEN),
        Event { ssthresh: 10.0, ..event(2_000_000, What::Timeout, OPEN) },
        Event { ssthresh: 10.0, ..event(2_000_000, What::State, LOSS) },
        Event {
            before: 1.0,
            cwnd: 1.0,
            ssthresh: 10.0,
            acked: 4,
            ..event(3_000_000, What::Ack, LOSS)
        },
        Event { before: 1.0, cwnd: 1.0, ssthresh: 10.0, ..event(3_000_000, What::Undo, LOSS) },
        Event { before: 1.0, cwnd: 1.0, ssthresh: 10.0, ..event(3_000_000, What::State, OPEN) },
        Event { cwnd: 24.0, credit: 4.0, acked: 4, ..event(3_000_000, What::Grow, OPEN) },
    ]);
    assert_eq!((found.timeouts, found.undone, found.windows), (1, 1, 1));
    assert!(found.hold(), "{found}");
}
