//! Traffic of a plan besides its flows: sources, and connections that come and go.

use crate::support::rights;
use crate::valid::{plan, valid};
use tusker_core::Time;
use tusker_plan::sources::{Background, Traffic};

/// 80 ms, plus the time that packets take on the wires: 1.224 ms for 1500 B.
const PATH: &str = "profile = 'linux'\nduration = '6s'\nmeasure = { from = '1s' }\n\
    [dumbbell]\nrate = '10Mbit'\ndelay = '40ms'\nqueue = { policy = 'droptail', limit = '2bdp' }\n\
    access = { rate = '1Gbit', delay = '0ms' }\n";

fn secs(time: Time) -> f64 {
    time.since(Time::ZERO).secs()
}

#[test]
fn sources_send_what_is_drawn_for_them() {
    if !rights("sources send what is drawn for them") {
        return;
    }
    let path = PATH.replace("2bdp", "100pkt");
    let plan = plan(&format!(
        "{path}[[background]]\nname = 'u'\nfrom = 'R1'\nto = 'R2'\nrate = '4Mbit'\n\
         packet = '500B'\nstart = '500ms'\nstop = '5500ms'\n\
         [[background]]\nname = 'v'\nfrom = 'R2'\nto = 'R1'\nrate = '8Mbit'\n\
         packet = '1000B'\non = '50ms'\noff = '50ms'\n"
    ));
    let (run, _) = valid(&plan);
    // 4 Mbit/s / 4,000 bit = 1000 packets a second, for 5 s; all arrive
    let total = run.background[0].total;
    assert_eq!((total.sent, total.dropped), (5_000, 0));
    // of the 5 s that are measured they arrive during 4.5 s and 41 ms, counted on the wire
    let arrived = run.background[0].arrived;
    assert!(arrived.abs_diff(4_541) <= 10, "{arrived}");
    assert_eq!(run.background[0].arrived_bytes, 500 * arrived);
    // the same draws as in the simulator
    let source = &plan.background[1];
    let mut drawn = Background::new(source, 1, plan.end);
    while drawn.next() < plan.end {
        drawn.on_sent();
        while !drawn.settle(100) {}
    }
    let total = run.background[1].total;
    assert!(drawn.sent > 2_000, "{}", drawn.sent);
    assert!(total.sent <= drawn.sent && total.sent + 30 >= drawn.sent, "{total:?}, {}", drawn.sent);
    assert_eq!(total.sent, total.arrived + total.dropped + total.in_flight);
}

#[test]
fn transfers_arrive_when_they_are_drawn() {
    if !rights("transfers arrive when they are drawn") {
        return;
    }
    // ten segments of 1448 B: the initial window of the profile, and of Linux
    let plan = plan(&format!(
        "{PATH}[[arrivals]]\nname = 'a'\ncc = 'reno'\nrate = 10\nsize = '14480B'\nstop = '5s'\n"
    ));
    let (run, _) = valid(&plan);
    let mut drawn = Traffic::new(&plan, &plan.traffic[0], 1);
    while drawn.next() < plan.end {
        let (at, mut left) = (drawn.next(), 1);
        drawn.act(at, &mut left);
    }
    let transfers = &run.traffic[0].transfers;
    let begins = |all: &[tusker_plan::run::Transfer]| -> Vec<(Time, u64)> {
        all.iter().map(|transfer| (transfer.begin, transfer.bytes)).collect()
    };
    assert_eq!(begins(transfers), begins(&drawn.transfers));
    assert!(transfers.len() > 30, "{}", transfers.len());
    assert!(transfers.iter().all(|transfer| transfer.end.is_some() && transfer.waited == 0));
    let mut times: Vec<f64> =
        transfers.iter().map(|t| t.end.map_or(f64::NAN, |end| secs(end) - secs(t.begin))).collect();
    times.sort_by(f64::total_cmp);
    // SYN and SYN-ACK take 80 ms, ten segments 40 ms and ten times 1.2 ms, and 24 us of the
    // last one on two links of a gigabit
    let least = 0.132;
    assert!((least..least + 0.006).contains(&times[0]), "{times:?}");
    // segments that arrive for the first time, in the slots of all
    let delivered: u64 = run.flows.iter().map(|flow| flow.total.delivered).sum();
    assert_eq!(delivered, 10 * transfers.len() as u64);
}

#[test]
fn transfers_wait_for_a_connection() {
    if !rights("transfers wait for a connection") {
        return;
    }
    // each takes 132 ms, and on average 50 ms pass between two
    let plan = plan(&format!(
        "{PATH}[[arrivals]]\nname = 'a'\ncc = 'reno'\nrate = 20\nsize = '14480B'\nconnections = 1\n"
    ));
    let (run, _) = valid(&plan);
    let transfers = &run.traffic[0].transfers;
    let ends: Vec<Time> = transfers.iter().filter_map(|transfer| transfer.end).collect();
    assert!(ends.is_sorted(), "one after the other");
    // the next one starts when the last ACK is back, 172 ms after the start of the one
    // before: 6 s have room for 34
    assert!((28..=34).contains(&ends.len()), "{}", ends.len());
    assert!(transfers.iter().filter(|transfer| transfer.waited == 1).count() > 50);
}

#[test]
fn pages_are_loaded_one_after_the_other() {
    if !rights("pages are loaded one after the other") {
        return;
    }
    let plan = plan(&format!(
        "{PATH}[[web]]\nname = 'w'\ncc = 'reno'\nsessions = 4\nservers = {{ count = 2, rate = '1Gbit', \
         delay = '0ms' }}\nclients = {{ count = 3, rate = '1Gbit', delay = '0ms' }}\n\
         page_interval = '300ms'\nobjects = 2\n\
         object_interval = '10ms'\nobject_size = '1448B'\n"
    ));
    let (run, _) = valid(&plan);
    let pages = &run.traffic[0].transfers;
    // a page: 10 ms to its second object, 80 ms to open, 40 ms and 1.2 ms for a segment; then
    // 300 ms. 431 ms, so that 6 s have room for 14 pages of four users
    assert!((4 * 13..=4 * 14).contains(&pages.len()), "{}", pages.len());
    let took = |page: &tusker_plan::run::Transfer| Some(secs(page.end?) - secs(page.begin));
    let times: Vec<f64> = pages.iter().filter_map(took).collect();
    assert!(times.len() + 4 >= pages.len());
    assert!(times.iter().all(|time| (0.1312..0.2).contains(time)), "{times:?}");
    assert!(pages.iter().all(|page| page.objects == 2));
}
