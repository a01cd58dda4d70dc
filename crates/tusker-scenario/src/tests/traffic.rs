//! Connections that come and go, and parallel ones.

use tusker_plan::plan::{self, Plan};

use super::{SMALL, parse, planned};
use crate::error::Error;

/// [`SMALL`] with a demand for connections that come and go.
fn with(demand: &str) -> Result<Plan, Error> {
    parse(&format!("{SMALL}\n{demand}"), &[])
}

#[test]
fn mistakes_in_traffic_that_comes_and_goes_are_told() {
    let arrivals = |more: &str| with(&format!("[[arrivals]]\nname = 'c'\ncc = 'reno'\n{more}"));
    let web = |more: &str| {
        let mut text = "[[web]]\nname = 'w'\ncc = 'reno'\nsessions = 2\nobjects = 2\n\
             servers = { count = 3, rate = '1Gbit' }\nclients = { count = 2, rate = '1Gbit' }\n\
             page_interval = '1s'\nobject_interval = '1s'\nobject_size = '1kB'\n"
            .to_owned();
        for line in more.lines() {
            let key = line.split(' ').next().unwrap();
            let old = text.lines().find(|l| l.starts_with(&format!("{key} "))).map(str::to_owned);
            match old {
                Some(old) => text = text.replace(&old, line),
                None => text += &format!("{line}\n"),
            }
        }
        with(&text)
    };
    let group = |line: &str| parse(&SMALL.replacen("count = 2", line, 1), &[]);
    let udp = |more: &str| with(&format!("[[background]]\nname = 'u'\nrate = '1Mbit'\n{more}"));
    for (plan, words) in [
        (arrivals("size = '1kB'"), "neither `rate` nor `load` is given"),
        (arrivals("size = '1kB'\nrate = 1\nload = 0.1"), "`load` together with `rate`"),
        (arrivals("size = '1kB'\nrate = 0"), "0 transfers per second"),
        (arrivals("size = '1kB'\nload = -1"), "a load of -1"),
        (arrivals("size = '0B'\nrate = 1"), "a value of 0"),
        (arrivals("size = { pareto = '1kB', shape = 1 }\nrate = 1"), "a shape of 1"),
        (arrivals("size = { pareto = '1kB' }\nrate = 1"), "expected"),
        (arrivals("size = { list = ['1kB'], weights = [] }\nrate = 1"), "0 weights for 1 values"),
        (arrivals("size = { list = ['1kB'], weights = [0] }\nrate = 1"), "not all of them 0"),
        (arrivals("size = 5\nrate = 1"), "expected"),
        (arrivals("size = '1kB'\nrate = 1e9"), "at most 10000000"),
        (arrivals("size = '1kB'\nrate = 1\nconnections = 0"), "a group without flows"),
        (arrivals("size = '1kB'\nrate = 1\nconnections = 200000"), "at most 100000"),
        (arrivals("size = '1kB'\nrate = 1\nstart = '11s'"), "not before the end"),
        (with("[[arrivals]]\nname = 'a'\ncc = 'reno'\nrate = 1\nsize = '1kB'"), "called `a`"),
        (web("servers_per_session = 4"), "4 servers per session"),
        (web("servers = { count = 0, rate = '1Gbit' }"), "0 hosts"),
        (web("clients = { count = 1, rate = ['2Gbit', '1Gbit'] }"), "runs backwards"),
        (web("sessions = 9000"), "at most 100000"),
        (web("queue = 'backpressure'"), "set `host_queue` instead"),
        (web("objects = { pareto = 3, shape = 0.5 }"), "a shape of 0.5"),
        (web("object_size = 3"), "expected"),
        (group("parallel = 0"), "a group without flows"),
        (group("parallel = 200000"), "at most 100000"),
        (group("size = '3B'\nparallel = 4"), "share less than a byte"),
        (udp("share = 1.1"), "a share of 1.1"),
        (udp("period = '1s'"), "`period` without `share`"),
        (udp("share = 0.5\nperiod = '0s'"), "a period of 0s"),
        // at the smallest values, a nanosecond would be an event
        (udp("share = 0.5\nperiod = '999ns'"), "at least 1us"),
        (udp("on = '1s'\noff = '1ns'"), "a mean of 1ns"),
        (group("tcp.rto = { initial = '1ns', min = '1ns', max = '1ns' }"), "and 1ms"),
        (group("app = { rate = '1Tbit', write = '1B' }"), "a write every 0.008 ns"),
        (udp("share = 0.5\njitter = 0.1"), "together with `share`"),
        (udp("share = 0.5\non = '1s'\noff = '1s'"), "together with `share`"),
    ] {
        let error = format!("{:?}", plan.map(|_| ()).expect_err(words));
        assert!(error.contains(words), "{words:?} is not in {error}");
        assert!(error.contains("s.toml:"), "no place in {error}");
    }
}

/// Slots have the hosts of flows; a user's go to hosts that users share.
#[test]
fn slots_of_pages_end_at_shared_hosts() {
    let plan = with(
        "[[arrivals]]\nname = 'c'\ncc = 'reno'\nload = 0.5\nsize = '146kB'\nconnections = 2\n\
         [[web]]\nname = 'w'\ncc = 'reno'\nsessions = 3\nobjects = 2\nconnections = 2\n\
         servers = { count = 5, rate = '1Gbit' }\n\
         clients = { count = 2, rate = ['100Mbit', '155Mbit'], delay = ['20ms', '50ms'] }\n\
         servers_per_session = 2\npage_interval = '9s'\nobject_interval = '500ms'\n\
         object_size = '14600B'\n",
    )
    .unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(plan.groups, ["a", "b", "c", "w"]);
    assert_eq!(plan.lasting(), 3);
    let slots: Vec<&str> = plan.flows[3..].iter().map(|f| f.name.as_str()).collect();
    assert_eq!(slots[..4], ["c.0", "c.1", "w.0.0.0", "w.0.0.1"]);
    assert_eq!((slots.len(), slots[13]), (2 + 3 * 2 * 2, "w.2.1.1"));
    let names = |f: usize| -> Vec<&str> {
        plan.flows[f].route.iter().map(|&l| plan.links[l].name.as_str()).collect()
    };
    assert_eq!(names(3), ["c.0.src->R1", "R1->R2", "R2->c.0.dst"]);
    // the third user's second server is the sixth, which is the first again
    assert_eq!(names(16), ["w.server.0->R1", "R1->R2", "R2->w.client.0"]);
    for link in plan.links.iter().filter(|link| link.name.starts_with("w.client")) {
        assert!((100_000_000..155_000_000).contains(&link.rate.bits_per_sec()));
        assert!((20_000_000..50_000_000).contains(&link.propagation().nanos()));
    }
    // half of 10 Mbit/s; 100 packets of 1500 B each
    let plan::Demand::Arrivals { rate, .. } = plan.traffic[0].demand else { panic!("arrivals") };
    assert!((rate - 5e6 / 1.2e6).abs() < 1e-12, "{rate}");
    // three users, 20 packets of 12,000 bit per 9 + 0.5 s and a round trip of
    // 2 (1 + 20 + 50) ms
    let expected = 3.0 * 20.0 * 12_000.0 / (9.5 + 0.142);
    assert!((plan.traffic[1].mean_rate / expected - 1.0).abs() < 1e-12);
}

#[test]
fn parallel_connections_share_hosts_start_and_size() {
    let sets = ["flows.a.parallel=3", "flows.a.size=1000B"];
    let plan = planned(SMALL, &sets);
    let names: Vec<&str> = plan.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["a.0.0", "a.0.1", "a.0.2", "a.1.0", "a.1.1", "a.1.2", "b.0"]);
    assert_eq!(plan.applications, ["a.0", "a.1", "b.0"]);
    assert_eq!(plan.flows[5].application, Some(1));
    assert_eq!(plan.flows[3].route, plan.flows[5].route);
    assert_ne!(plan.flows[2].route, plan.flows[3].route);
    let sizes: Vec<u64> = plan.flows[..3].iter().map(|f| f.size.unwrap().get()).collect();
    assert_eq!(sizes, [334, 333, 333]);
}

/// Only their ratios matter, not their sum.
#[test]
fn weights_of_any_size_are_shares() {
    for (weights, shares) in [
        ("[1e308, 1e308]", [0.5, 0.5]),
        ("[1.5e308, 0.5e308]", [0.75, 0.25]),
        ("[5e-324, 5e-324]", [0.5, 0.5]),
        ("[9, 1]", [0.9, 0.1]),
    ] {
        let plan = with(&format!(
            "[[arrivals]]\nname = 'c'\ncc = 'reno'\nrate = 1\n\
             size = {{ list = ['1kB', '9kB'], weights = {weights} }}"
        ));
        let plan = plan.unwrap_or_else(|error| panic!("{error:?}"));
        let plan::Demand::Arrivals { size, .. } = &plan.traffic[0].demand else {
            panic!("arrivals")
        };
        let plan::Distribution::List(list) = size else { panic!("{size:?}") };
        assert_eq!([list[0].1, list[1].1], shares, "{weights}");
    }
}
