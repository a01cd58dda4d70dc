//! A connection follows its options, and the kernel reports how it is doing.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use crate::support::{MTU, Pair, rights};
use tusker_testbed::{CaState, Connection, Error, Host, Options, laws};

/// Far longer than anything here takes; a test that waits this long fails.
const LIMIT: Duration = Duration::from_secs(30);

fn with(law: &str) -> Options {
    Options { law: law.to_owned(), ..Options::default() }
}

#[test]
fn every_byte_arrives_and_the_kernel_counts_them() {
    if !rights("every_byte_arrives_and_the_kernel_counts_them") {
        return;
    }
    const BYTES: u64 = 50_000_000;
    let pair = Pair::new();
    let begin = Instant::now();
    let mut connection = Connection::open(&pair.left, &pair.right, &with("cubic")).expect("open");
    assert_eq!((connection.received(), connection.last_arrival()), (0, None));
    assert_eq!(connection.info().expect("told").state, 1, "established");
    connection.start(Some(BYTES)).expect("started");
    assert!(connection.wait(LIMIT).expect("in order"), "{} arrived", connection.received());
    assert_eq!((connection.sent(), connection.received()), (BYTES, BYTES));
    let last = connection.last_arrival().expect("something arrived");
    assert!(begin < last && last <= Instant::now());

    let info = connection.info().expect("told");
    // net/tcp_states.h: the sender has closed and the receiver has not
    assert!([4, 5].contains(&info.state), "{info:?}");
    // 20 bytes of IP, 20 of TCP, 12 of timestamps (RFC 7323)
    assert_eq!(info.snd_mss, 1500 - 20 - 20 - 12);
    assert_eq!(info.bytes_sent - info.bytes_retrans, BYTES);
    // 50,000,000 / 1448 = 34,530.4
    assert!(info.data_segs_out >= 34_531 && info.segs_out >= info.data_segs_out, "{info:?}");
    assert!(u64::from(info.total_retrans) * 1448 >= info.bytes_retrans, "{info:?}");
    assert!(info.min_rtt.is_some_and(|least| Duration::ZERO < least && least <= info.rtt));
    assert!(info.rto >= Duration::from_millis(200), "Linux's least: {info:?}");
    assert!(info.snd_cwnd >= 2 && info.delivery_rate > 0 && !info.busy.is_zero(), "{info:?}");
}

#[test]
fn a_sender_without_an_end_goes_on_until_it_is_stopped() {
    if !rights("a_sender_without_an_end_goes_on_until_it_is_stopped") {
        return;
    }
    let pair = Pair::new();
    let mut connection = Connection::open(&pair.left, &pair.right, &with("reno")).expect("open");
    connection.start(None).expect("started");
    while connection.received() < 5_000_000 {
        assert!(!connection.wait(Duration::from_millis(5)).expect("in order"), "over by itself");
    }
    let info = connection.info().expect("told");
    assert_eq!(info.state, 1, "established");
    assert!(info.ca_state <= CaState::Loss && info.delivered > 0, "{info:?}");
    connection.stop();
    assert!(connection.wait(LIMIT).expect("in order"));
    // everything that the socket accepted arrived
    assert_eq!(connection.received(), connection.sent());
}

#[test]
fn options_do_what_they_say() {
    if !rights("options_do_what_they_say") {
        return;
    }
    let pair = Pair::new();
    let options = Options { window: Some(65_536), mss: Some(1000), port: 4567, ..with("reno") };
    let mut connection = Connection::open(&pair.left, &pair.right, &options).expect("open");
    connection.start(Some(2_000_000)).expect("started");
    let (mut over, mut looks, mut wider) = (false, 0, 0);
    while !over {
        over = connection.wait(Duration::from_millis(1)).expect("in order");
        let info = connection.info().expect("told");
        // RFC 6691: the MSS less the options of every segment
        assert_eq!(info.snd_mss, 1000 - 12);
        // 65,536 bytes need a scale of one bit, whose widest window is 2 x 65,535
        assert!(info.snd_wnd.is_none_or(|window| window <= 131_070), "{info:?}");
        looks += 1;
        wider += u32::from(info.snd_wnd.is_some_and(|window| window > 65_536));
    }
    assert_eq!(connection.received(), 2_000_000);
    // Linux widens it at times, until the receiver reads again and narrows it
    assert!(2 * wider <= looks, "wider than 65,536 bytes in {wider} of {looks} looks");

    let taken = Connection::open(&pair.left, &pair.right, &options).expect_err("port in use");
    let taken = taken.to_string();
    assert!(taken.starts_with("connection from left to right: cannot listen on port 4567"));
    let options = Options { mss: Some(87), ..with("reno") };
    let small = Connection::open(&pair.left, &pair.right, &options).expect_err("too small");
    assert!(small.to_string().contains("from 88 to 32,767"), "{small}");
}

#[test]
fn an_unknown_law_is_refused_with_those_that_there_are() {
    if !rights("an_unknown_law_is_refused_with_those_that_there_are") {
        return;
    }
    assert!(laws().iter().any(|law| law == "reno"), "every kernel has it");
    let pair = Pair::new();
    // the kernel only looks at 15 characters
    for law in ["warp", "", "a_name_longer_than_fifteen"] {
        let error = Connection::open(&pair.left, &pair.right, &with(law)).expect_err("no such law");
        let Error::Law { law: told, available } = &error else { panic!("{error}") };
        assert_eq!((told.as_str(), available), (law, &laws()));
        assert!(error.to_string().contains("it has reno"), "{error}");
    }
}

#[test]
fn nobody_in_between_is_told_and_nothing_hangs() {
    if !rights("nobody_in_between_is_told_and_nothing_hangs") {
        return;
    }
    let (left, _one) = Host::new("left", Ipv4Addr::new(10, 0, 0, 1), MTU).expect("a host");
    let (right, _other) = Host::new("right", Ipv4Addr::new(10, 0, 0, 2), MTU).expect("a host");
    let options = Options { patience: Duration::from_millis(50), ..with("reno") };
    let error = Connection::open(&left, &right, &options).expect_err("no cable").to_string();
    assert!(error.contains("connect to 10.0.0.2:"), "{error}");
    assert!(error.contains("within 50ms: Connection timed out"), "{error}");
}

#[test]
fn a_connection_dropped_in_full_flight_ends_at_once() {
    if !rights("a_connection_dropped_in_full_flight_ends_at_once") {
        return;
    }
    let pair = Pair::new();
    for _ in 0..20 {
        let mut connection =
            Connection::open(&pair.left, &pair.right, &with("cubic")).expect("open");
        connection.start(None).expect("started");
        while connection.received() == 0 {
            connection.wait(Duration::from_millis(1)).expect("in order");
        }
        // joins its threads; otherwise this test hangs
        drop(connection);
    }
}
