//! The calls that a congestion control receives at a timeout, and their order.

use tusker_core::congestion::{Ack, Algorithm, Controller, Kind, Options, RateSample, Rtt, Spec};
use tusker_core::{Duration, Time};
use tusker_plan::plan::Recovery;
use tusker_sim::tcp::{Job, Sender};

use crate::bench::Connection;

/// BBRv3 in ProbeBW_UP, as in tusker-core's script bbr3: 200 segments per second in
/// 100 ms, so that a BDP is 20 segments and the window 2 * 20 + 1, and one more in UP.
fn probing() -> Algorithm {
    // unpaced, so that a whole window leaves at once
    let options = Options { initial_window: 10.0, ..Options::default() };
    let mut bbr = Algorithm::new(&Spec::new(Kind::Bbr3), &options);
    let rtt = Duration::from_millis(100);
    let (mut now, mut delivered, mut round) = (Time::from_nanos(1_000_000_000), 0_u64, 0);
    let mut acks = |count: u32, flight: Option<u32>, pause: u64| {
        now += Duration::from_millis(pause);
        round = delivered;
        for _ in 0..count {
            delivered += 1;
            now += Duration::from_millis(5);
            let in_flight = flight.unwrap_or(bbr.cwnd() as u32);
            bbr.on_ack(&Ack {
                now,
                acked: 1,
                credit: 1.0,
                in_flight,
                rtt: Some(Rtt { latest: rtt, smoothed: rtt, min: rtt, forward: None }),
                cwnd_limited: true,
                rate: Some(RateSample {
                    delivered: 20,
                    interval: rtt,
                    prior_delivered: round,
                    total_delivered: delivered,
                    tx_in_flight: in_flight,
                    ..RateSample::default()
                }),
                ..Ack::default()
            });
        }
    };
    for count in [20, 41, 41, 41, 1] {
        acks(count, None, 0);
    }
    acks(1, Some(20), 0);
    acks(1, Some(15), 3_000);
    acks(1, Some(20), 0);
    bbr
}

fn shown(inspect: impl Fn(&mut dyn FnMut(&'static str, f64)), name: &str) -> f64 {
    let mut found = f64::NAN;
    inspect(&mut |seen, value| {
        if seen == name {
            found = value;
        }
    });
    found
}

/// Draft-ietf-ccwg-bbr, sections 5.5.10.2 and 5.6.4.4. All 42 segments are lost, the
/// first alone 100 % of what was in flight when it left: the bound is the least that
/// there is, beta min(BDP, C.cwnd) = 0.7 * min(20, 42) = 14, with the window from
/// before the timeout. Then nothing is in flight: C.cwnd = 0 + 1.
#[test]
fn losses_are_told_before_the_timeout() {
    let cc = probing();
    assert_eq!((shown(|see| cc.inspect(see), "state"), cc.cwnd()), (5.0, 42.0));
    let tcp = tusker_plan::plan::Tcp { recovery: Recovery::Sack, ..Connection::default_tcp() };
    let job = Job { segments: u64::MAX, stop: Time::NEVER };
    let mut sender = Sender::new(cc, tcp, job);
    let mut sent = 0;
    while sender.next_segment(Time::ZERO).is_some() {
        sent += 1;
    }
    assert_eq!(sent, 42);
    sender.on_timer(sender.timer());
    assert_eq!(sender.counters().timeouts, 1);
    assert_eq!(shown(|see| sender.cc().inspect(see), "inflight_longterm"), 14.0);
    assert_eq!((sender.cc().cwnd(), sender.pipe()), (1.0, 0));
}
