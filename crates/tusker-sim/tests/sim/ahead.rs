//! Computing ahead of the clock changes nothing, also where events happen at the same time.
//!
//! The random scenarios of `engine_properties` seldom have ties, and seldom several routes that
//! share links in other ways than a line. Here, all links are alike and ACKs may be as large as
//! segments, so that packets come to junctions at the same nanosecond.

use tusker_core::congestion;
use tusker_scenario::Scenario;

use crate::engine_properties::{assert_same, for_any};
use crate::engine_support::Choices;
use crate::engine_support::tcp::{law, needs};
use crate::support::{parse, run_ahead};

/// Settings of a group's connections that have lanes of their own.
fn settings(choices: &mut Choices, cc: &str) -> String {
    let own = |need: &str| needs(cc, need);
    let [stamps, pacing] = ["timestamps", "pacing"].map(|need| choices.flag() || own(need));
    let ecn = match choices.one(&["false", "true", "'accurate'", "'l4s'"]) {
        _ if own("ecn") => "'accurate'",
        _ if own("l4s") => "'l4s'",
        _ if own("no ecn") => "false",
        any => any,
    };
    let recovery = choices.one(&["sack", "rack", "newreno", "reno"]);
    let prr = matches!(recovery, "sack" | "rack") && choices.flag();
    let delayed = choices.one(&["false", "'1ms'", "'40ms'"]);
    let gro = choices.one(&["false", "false", "true", "{ segments = 4, wait = '200us' }"]);
    let host = choices.one(&["unlimited", "backpressure", "backpressure:3pkt", "4pkt"]);
    let burst = choices.one(&["'unlimited'", "'unlimited'", "3"]);
    format!(
        "cc = '{cc}'\nrecovery = '{recovery}'\nhost_queue = '{host}'\ntcp.timestamps = {stamps}\n\
         tcp.pacing = {pacing}\ntcp.ecn = {ecn}\ntcp.prr = {prr}\ntcp.delayed_ack = {delayed}\n\
         tcp.gro = {gro}\ntcp.max_burst = {burst}\n"
    )
}

/// Every law in both profiles, with random settings: three flows and a source of UDP meet.
#[test]
fn no_law_sees_a_difference() {
    for_any("laws ahead", 6, |numbers, seed| {
        let mut choices = Choices::new(numbers);
        for sheet in congestion::ALL {
            let cc = sheet.name;
            let profile = choices.one(&["ns2", "linux"]);
            let queue = choices.one(&["20pkt", "8pkt", "unlimited"]);
            let queue = match (needs(cc, "one segment"), choices.below(4)) {
                (false, 3) => "{ policy = 'red', limit = '30pkt', ecn = true }".to_owned(),
                _ => format!("'{queue}'"),
            };
            let text = format!(
                "profile = '{profile}'\nduration = '400ms'\n[dumbbell]\nrate = '24Mbit'\n\
                 delay = '4ms'\nqueue = {queue}\naccess = {{ rate = '120Mbit', delay = '1ms' }}\n\
                 [[flows]]\nname = 'f'\ncount = 3\n{}\
                 [[background]]\nname = 'u'\nrate = '3Mbit'\n",
                settings(&mut choices, cc),
            );
            differs_not(&text, seed);
        }
    });
}

fn differs_not(text: &str, seed: u64) {
    let plan = parse(text);
    let [ahead, by_the_clock] = [true, false].map(|ahead| run_ahead(&plan, seed, ahead));
    assert_same(ahead, by_the_clock, "ahead and by the clock differ", seed, text);
}

/// Two to six links, nearly all alike, between two to four nodes: a ring and a few more, which
/// data and ACKs pass on routes that part, meet again and come back. `None` if a route would
/// pass a link twice.
fn ties(choices: &mut Choices) -> Option<String> {
    let n = choices.range(2, 4);
    let rate = choices.one(&["12Mbit", "120Mbit"]);
    let delay = choices.one(&["0s", "1ms", "100us"]);
    let queue = choices.one(&["unlimited", "10pkt", "3pkt", "60pkt"]);
    let ack = choices.one(&["1500B", "40B", "750B"]);
    let profile = choices.one(&["ns2", "linux"]);
    let host_time = choices.one(&["0s", "0s", "0s", "10us"]);
    let nodes: Vec<String> = (0..n).map(|i| format!("'N{i}'")).collect();
    let mut text = format!(
        "profile = '{profile}'\nduration = '60ms'\nhost_time = '{host_time}'\nnodes = [{}]\n",
        nodes.join(", ")
    );
    let mut links = Vec::new();
    for i in 0..n + choices.below(7 - n) {
        let (from, to) = match i < n {
            true => (i, (i + 1) % n),
            false => {
                let from = choices.below(n);
                (from, (from + choices.range(1, n - 1)) % n)
            }
        };
        links.push(format!("'l{i}'"));
        text +=
            &format!("[[links]]\nname = 'l{i}'\nfrom = 'N{from}'\nto = 'N{to}'\nduplex = false\n");
        // now and then a link is faster, or further away, or does something to packets
        let [rate, delay] = match choices.below(8) {
            6 => ["1Gbit", delay],
            7 => [rate, "2ms"],
            _ => [rate, delay],
        };
        text += &format!("rate = '{rate}'\ndelay = '{delay}'\n");
        text += &match choices.below(12) {
            9 => "queue = { policy = 'codel', limit = '30pkt' }\n".to_owned(),
            10 => format!("queue = '{queue}'\nloss = 0.02\n"),
            11 => format!(
                "queue = '{queue}'\njitter = {{ distribution = 'uniform', max = '2ms', reorder = {} }}\n",
                choices.flag()
            ),
            _ => format!("queue = '{queue}'\n"),
        };
    }
    for group in 0..choices.range(1, 3) {
        let from = choices.below(n);
        let to = (from + choices.range(1, n - 1)) % n;
        let cc = law(choices).name;
        let count = choices.range(1, 3);
        text += &format!(
            "[[flows]]\nname = 'f{group}'\ncount = {count}\nfrom = 'N{from}'\nto = 'N{to}'\n\
             tcp.ack = '{ack}'\n{}",
            settings(choices, cc)
        );
        if choices.flag() {
            text += "access = { rate = '120Mbit', delay = '0s', queue = 'unlimited' }\n";
        }
        let via = |choices: &mut Choices| {
            let places: Vec<&str> = (0..choices.below(4))
                .map(|_| match choices.below(4) > 0 {
                    true => links[usize::from(choices.below(links.len() as u16))].as_str(),
                    false => nodes[usize::from(choices.below(n))].as_str(),
                })
                .collect();
            places.join(", ")
        };
        let mut routes = Vec::new();
        for at in 0..[0, 1, 1, 1, 2][usize::from(choices.below(5))] {
            let (there, back) = (via(choices), via(choices));
            routes.push(format!("{{ at = '{}ms', via = [{there}], back = [{back}] }}", 20 * at));
        }
        if !routes.is_empty() {
            text += &format!("route = [{}]\n", routes.join(", "));
        }
    }
    for source in 0..choices.below(3) {
        let from = choices.below(n);
        let to = (from + choices.range(1, n - 1)) % n;
        let rate = choices.one(&["1.2Mbit", "6Mbit", "12Mbit", "60Mbit"]);
        text += &format!(
            "[[background]]\nname = 'u{source}'\nrate = '{rate}'\nfrom = 'N{from}'\nto = 'N{to}'\n"
        );
    }
    Scenario::parse("test.toml", &text, &[]).and_then(|scenario| scenario.plan()).ok()?;
    Some(text)
}

#[test]
fn packets_that_come_at_the_same_time_meet_in_one_order() {
    for_any("ties", 1_500, |numbers, seed| {
        if let Some(text) = ties(&mut Choices::new(numbers)) {
            differs_not(&text, seed);
        }
    });
}

/// A segment per millisecond over links of 1 Gbit/s, on the way `first` or `second`, between which
/// it changes every 20 ms.
fn changing(nodes: &str, links: &[(&str, &str, &str, &str)], first: &str, second: &str) -> String {
    let routes: Vec<String> = (0..20)
        .map(|i| {
            let via = if i % 2 == 0 { first } else { second };
            format!("{{ at = '{}ms', via = [{via}], back = ['back'] }}", 20 * i)
        })
        .collect();
    let mut text = format!("profile = 'ns2'\nduration = '400ms'\nnodes = [{nodes}]\n");
    for (name, ends, rate, delay) in links {
        let (from, to) = ends.split_once(' ').expect("two nodes");
        text += &format!(
            "[[links]]\nname = '{name}'\nfrom = '{from}'\nto = '{to}'\nduplex = false\n\
             rate = '{rate}'\ndelay = '{delay}'\nqueue = 'unlimited'\n"
        );
    }
    text += &format!(
        "[[flows]]\nname = 'f'\ncc = 'reno'\nrecovery = 'sack'\nfrom = 'A'\nto = 'D'\n\
         tcp.initial_window = 100\napp = {{ every = '1ms', write = '1kB' }}\nroute = [{}]\n",
        routes.join(", ")
    );
    text
}

/// Segments of two routes come to one junction in pairs, leave it half a millisecond apart, and
/// come to the receiver together.
#[test]
fn two_ways_behind_one_junction_end_together() {
    let links = [
        ("a1", "A M", "1Gbit", "7ms"),
        ("a2", "A M", "1Gbit", "3ms"),
        ("middle", "M N", "24Mbit", "1ms"),
        ("x1", "N D", "1Gbit", "1500us"),
        ("x2", "N D", "1Gbit", "1ms"),
        ("back", "D A", "1Gbit", "1ms"),
    ];
    let [first, second] = ["'a1', 'middle', 'x1'", "'a2', 'middle', 'x2'"];
    let text = changing("'A', 'M', 'N', 'D'", &links, first, second);
    (1..=3).for_each(|seed| differs_not(&text, seed));
}

/// Segments of two routes enter their last links, which others use, too, at different times, and
/// come to the receiver together.
#[test]
fn two_ways_over_two_junctions_end_together() {
    let links = [
        ("a1", "A M", "1Gbit", "7ms"),
        ("a2", "A N", "1Gbit", "2500us"),
        ("x1", "M D", "24Mbit", "1ms"),
        ("x2", "N D", "24Mbit", "1500us"),
        ("back", "D A", "1Gbit", "1ms"),
    ];
    let mut text = changing("'A', 'M', 'N', 'D'", &links, "'a1', 'x1'", "'a2', 'x2'");
    for from in ["M", "N"] {
        text += &format!(
            "[[background]]\nname = 'u{from}'\nrate = '1kbit'\nfrom = '{from}'\nto = 'D'\n\
             start = '350ms'\n"
        );
    }
    (1..=3).for_each(|seed| differs_not(&text, seed));
}
