//! A model of a transport that can report to a controller anything that a real one may report,
//! with checks of what the controller promises in return: a finite window of at least one
//! segment and at most the limit, whatever happens. The caller (a property test, a fuzzer)
//! chooses the events.

use tusker_core::congestion::{
    Ack, Algorithm, Congestion, Controller, LossSample, Options, Overrule, RateSample, Rtt, Signal,
    Spec, Timeout,
};
use tusker_core::{Duration, Time};

/// What a transport may tell a controller, in any order that it promises.
#[derive(Clone, Debug)]
pub enum Event {
    Acks {
        count: u8,
        credit: f64,
        rtt: Option<(u64, i64)>,
        /// One-way delays by a separate clock, with their slope.
        forward: Option<(u64, i64)>,
        round: bool,
        limited: bool,
        more: More,
    },
    Congestion {
        signal: Signal,
        flight: u32,
    },
    Recovered,
    Timeout {
        flight: u32,
    },
    /// The last congestion event or timeout was spurious.
    Undo,
    /// The application wrote nothing for this many nanoseconds; then the transport keeps
    /// the window, or this share of it.
    Idle {
        nanos: u64,
        kept: Option<f64>,
    },
}

/// Input that only some algorithms need.
#[derive(Clone, Copy, Debug)]
pub struct More {
    /// Detected as lost by the first of them.
    pub lost: u32,
    pub marked: u32,
    pub rate: Option<RateSample>,
    pub feedback: Option<f64>,
}

/// A transport that keeps its promises: one congestion per episode, and the first
/// expiry of the timer distinguished from those that follow it.
pub fn play(spec: &Spec, options: &Options, events: &[Event]) {
    let mut law = Algorithm::new(spec, options);
    let shown = names(&law);
    check(&law, options, &shown);
    let (mut now, mut recovering, mut expired) = (Time::from_nanos(1 << 40), false, false);
    let (mut delivered, mut answered) = (0_u64, false);
    for event in events {
        match *event {
            Event::Acks { count, credit, rtt, forward, round, limited, more } => {
                for i in 0..count {
                    let before = law.cwnd();
                    now += Duration::from_nanos(1_000);
                    let latest = rtt.map(|(base, slope)| {
                        Duration::from_nanos(
                            base.saturating_add_signed(slope * i64::from(i)).max(1),
                        )
                    });
                    delivered += credit as u64;
                    let lost = if i == 0 { more.lost } else { 0 };
                    let rate = more.rate.map(|rate| RateSample {
                        prior_delivered: delivered.saturating_sub(rate.prior_delivered),
                        total_delivered: delivered,
                        ..rate
                    });
                    for lost in [lost / 2, lost].into_iter().filter(|&lost| lost > 0) {
                        let tx_in_flight = rate.map_or(1, |rate| rate.tx_in_flight);
                        let loss =
                            LossSample { departed: now, tx_in_flight, lost, app_limited: false };
                        law.on_lost(now, &loss);
                        check(&law, options, &shown);
                    }
                    law.on_ack(&Ack {
                        lost,
                        rate,
                        now,
                        acked: credit as u32,
                        credit,
                        in_flight: law.cwnd() as u32,
                        rtt: latest.map(|latest| Rtt {
                            latest,
                            smoothed: latest,
                            min: latest,
                            // sometimes none, as if an ACK carries no echo
                            forward: forward.filter(|_| i % 7 != 3).map(|(at, slope)| {
                                let moved = slope.wrapping_mul(i64::from(i));
                                Duration::from_nanos(at.wrapping_add_signed(moved))
                            }),
                        }),
                        departed: Time::from_nanos(now.nanos() - latest.map_or(0, |l| l.nanos())),
                        leaves: Time::ZERO,
                        round_start: round && i == 0,
                        cwnd_limited: limited,
                        marked: more.marked.min(credit as u32),
                        feedback: more.feedback,
                    });
                    let after = law.cwnd();
                    if spec.sheet().shrinks_on_acks {
                        // may shrink because of delay without any loss
                    } else if recovering || !limited || credit == 0.0 {
                        assert_eq!(after, before, "this ACK must not move the window");
                    } else {
                        assert!(after >= before, "an ACK took from the window");
                    }
                    check(&law, options, &shown);
                }
                expired &= count == 0 || credit == 0.0;
            }
            Event::Congestion { .. } if recovering => {}
            Event::Congestion { signal, flight } => {
                let before = law.cwnd();
                law.on_congestion(&Congestion { now, signal, flight });
                assert!(law.cwnd() <= before, "congestion added to the window");
                (recovering, answered) = (true, true);
            }
            Event::Recovered if recovering => {
                law.on_recovered(now);
                recovering = false;
            }
            Event::Recovered => {}
            Event::Timeout { flight } => {
                let (before, window, in_flight) = (law.ssthresh(), law.cwnd(), flight / 3);
                law.on_timeout(&Timeout { now, flight, in_flight, first: !expired });
                let expected = match spec.name() {
                    // its authors' code does nothing
                    "copa" => window,
                    // "C.cwnd = C.inflight + 1"
                    "bbr3" => (f64::from(in_flight) + 1.0).min(options.max_window),
                    // nothing, or once per round trip as a loss
                    "swift" | "c4" | "scream" | "vivace" => law.cwnd().min(window),
                    _ => 1.0,
                };
                assert_eq!(law.cwnd(), expected, "the loss window");
                if expired {
                    assert_eq!(law.ssthresh(), before, "a repeated timeout holds ssthresh");
                }
                (recovering, expired, answered) = (false, true, true);
            }
            Event::Undo if !answered => {}
            Event::Undo => {
                let (cwnd, ssthresh) = (law.cwnd(), law.ssthresh());
                law.on_undo(now);
                assert!(law.cwnd() >= cwnd, "an undo took from the window");
                assert!(law.ssthresh() >= ssthresh, "an undo took from ssthresh");
                answered = false;
            }
            // with nothing in flight no episode is left
            Event::Idle { .. } if recovering => {}
            Event::Idle { nanos, kept } => {
                let (cwnd, ssthresh) = (law.cwnd(), law.ssthresh());
                now += Duration::from_nanos(nanos);
                law.on_idle(now, Duration::from_nanos(nanos));
                // BBR's ProbeRTT may end
                assert!(law.cwnd() >= cwnd, "reducing the window is up to the transport");
                let cwnd = law.cwnd();
                assert_eq!(law.ssthresh(), ssthresh, "so is the threshold");
                if let Some(kept) = kept {
                    law.overrule((kept * cwnd).max(1.0), ssthresh.max(0.75 * cwnd));
                    assert!(law.cwnd() <= cwnd, "a transport that takes from the window added");
                }
            }
        }
        check(&law, options, &shown);
    }
}

fn check(law: &Algorithm, options: &Options, shown: &[&str]) {
    let (cwnd, ssthresh) = (law.cwnd(), law.ssthresh());
    assert!(cwnd.is_finite(), "cwnd is {cwnd}");
    assert!(cwnd >= 1.0, "cwnd is {cwnd}");
    assert!(cwnd <= options.max_window, "cwnd is {cwnd}");
    assert!(ssthresh >= 2.0, "ssthresh is {ssthresh}");
    assert_eq!(names(law), shown);
    if let Some(rate) = law.pacing_rate() {
        assert!(rate.bits_per_sec() > 0);
    }
}

fn names(law: &Algorithm) -> Vec<&'static str> {
    let sheet = tusker_core::Kind::sheet(law.kind());
    let mut names = Vec::new();
    law.inspect(&mut |name, value| {
        assert!(value.is_finite(), "{name} is {value}");
        if matches!(name, "state" | "mode") {
            assert!(value.fract() == 0.0 && value >= 0.0, "{name} is {value}");
            assert!((value as usize) < sheet.states.len(), "{name} {value} has no name");
        }
        names.push(name);
    });
    names
}
