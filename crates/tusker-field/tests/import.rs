//! Commands of other emulators as scenarios, compared with what their manuals say.

use tusker_field::import::{Difference, commands, trace};
use tusker_scenario::recorded::Columns;

/// The scenario's text, which is read again and has a plan, and the differences.
fn imported(text: &str) -> (String, Vec<Difference>) {
    let own = commands(text, false).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
    let toml = own.scenario.to_toml();
    let again = tusker_scenario::Scenario::parse("a", &toml, &[]).expect("it is a scenario");
    if !toml.contains("trace") {
        again.plan().unwrap_or_else(|wrong| panic!("{toml}\n{wrong}"));
    }
    (toml, own.differences)
}

fn has(text: &str, all: &[&str]) {
    for word in all {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
}

/// tc-netem(8): 50 ms +- 10 ms are from 40 to 60 ms, so 40 ms and up to 20 ms more. A link of
/// 100 Mbit/s holds 100e6 x 0.05 / 12,000 = 416 packets in the delay: 584 of 1000 are left.
#[test]
fn netem_with_jitter_and_loss() {
    let line = "tc qdisc add dev eth0 root netem delay 50ms 10ms loss 1% limit 1000 rate 100mbit";
    let (toml, differences) = imported(line);
    has(&toml, &["rate = \"100Mbit\"", "delay = \"20ms\"", "584pkt", "loss = 0.01"]);
    has(&toml, &["max = \"20ms\"", "uniform", "reorder = true"]);
    for own in
        [Difference::LimitHoldsDelayed { limit: 1_000, delayed: 416 }, Difference::LossOfBatches]
    {
        assert!(differences.contains(&own), "{own:?} in {differences:?}");
    }
    // 300 ms, sd 15 ms: a mean of 60 ms on top of 240 ms
    let (toml, differences) = imported(
        "sudo tc qdisc add dev lo root netem delay 300ms 15ms 25% distribution normal rate 144mbit",
    );
    has(&toml, &["delay = \"120ms\"", "mean = \"60ms\"", "sd = \"15ms\"", "normal"]);
    assert!(differences.contains(&Difference::Correlation("delay")));
    // tc-netem(8): p, r, 1-h, 1-k
    let (toml, _) =
        imported("tc qdisc add dev a root netem loss gemodel 1% 16.7% 90% 0.1% rate 12mbit");
    has(&toml, &["p = 0.01", "r = 0.167", "loss_bad = 0.9", "loss_good = 0.001"]);
}

/// tc-tbf(8): latency 50 ms at 1 Mbit/s are 6,250 bytes, and 1,540 of the bucket: 7,790.
#[test]
fn shapers_and_queues() {
    let line = "tc qdisc add dev eth0 root tbf rate 1mbit burst 1540 latency 50ms";
    has(&imported(line).0, &["rate = \"1Mbit\"", "7790B"]);
    let line = "tc qdisc add dev eth0 root handle 1: htb default 10; \
                tc class add dev eth0 parent 1: classid 1:10 htb rate 50mbit ceil 80mbit && \
                tc qdisc add dev eth0 parent 1:10 handle 10: fq_codel limit 600 target 5ms ecn";
    let (toml, _) = imported(line);
    has(&toml, &["rate = \"80Mbit\"", "fq_codel", "600pkt", "ecn = true", "target"]);
    // bytes per second: 12 MB/s are 96 Mbit/s
    has(&imported("tc qdisc add dev a root netem delay 9ms rate 12mbps").0, &["96Mbit"]);
    has(&imported("tc qdisc add dev a root pfifo limit 33").0, &["33pkt"]);
    has(&imported("tc qdisc replace dev a root cake bandwidth 20mbit").0, &["cake", "20Mbit"]);
}

/// mm-delay is of each direction. The shells within each other lose 1 - 0.99 x 0.98 = 0.0298.
#[test]
fn shells_of_mahimahi() {
    let line = "mm-delay 40 mm-loss uplink 0.01 mm-loss uplink 0.02 mm-link up.trace down.trace \
                --downlink-queue=droptail --downlink-queue-args=packets=100 -- iperf3 -c x";
    let (toml, differences) = imported(line);
    has(&toml, &["delay = \"40ms\"", "down.trace", "up.trace", "100pkt", "loss = 0.0298"]);
    assert!(differences.contains(&Difference::LeftOut("the command iperf3 -c x".to_owned())));
    let own = commands("mm-delay 5 mm-link up down", true).unwrap().scenario.to_toml();
    let data = own.find("trace = \"up\"").expect("data goes up");
    assert!(data < own.find("trace = \"down\"").expect("and ACKs down"), "{own}");
    has(&own, &["unlimited"]);
}

#[test]
fn unknown_words_are_named() {
    for (text, message, help) in [
        ("tc qdisc add dev a root netem slot 1ms", "`slot`", "known: delay"),
        ("tc qdisc add dev a root netem delay", "no value behind `delay`", "50ms"),
        ("tc qdisc add dev a root netem delay 5parsec", "delay 5parsec", "50ms"),
        ("tc qdisc add dev a root netem delay 5ms 1ms distribution pareto", "pareto", "normal"),
        ("tc qdisc add dev a root netem loss 101%", "loss 101%", "1%"),
        ("tc qdisc add dev a root netem rate 1e999bit", "rate", "100mbit"),
        ("tc qdisc add dev a root red limit 5", "`red`", "known: netem"),
        ("tc qdisc show", "`show`", "add"),
        ("tc qdisc add dev a root", "the end of the line", "netem"),
        ("tc qdisc add dev a root tbf burst 5kb", "tbf without rate", "rate"),
        ("mm-delay", "which delay", "MILLISECONDS"),
        ("mm-loss sideways 0.1", "`sideways`", "uplink"),
        ("mm-link a", "which traces", "DOWNLINK"),
        ("mm-link a b --uplink-queue=drophead", "`drophead`", "droptail"),
        ("mm-webreplay x", "`mm-webreplay`", "mm-delay"),
        ("ip link add", "no command", "tc or mm-delay"),
        ("", "no command", "trace file"),
    ] {
        let wrong = commands(text, false).map(|_| ()).unwrap_err();
        assert!(wrong.message.contains(message) && wrong.help.contains(help), "{text}: {wrong:?}");
    }
}

#[test]
fn traces_become_rates() {
    let own = trace("a.csv", b"0,10\n1.5,2.5\n", &Columns::default()).unwrap();
    has(&own.scenario.to_toml(), &["at = \"1500ms\"", "rate = \"2.5Mbit\""]);
    own.scenario.plan().unwrap();
    let own = trace("a.down", b"0\n5\n10\n", &Columns::default()).unwrap();
    has(&own.scenario.to_toml(), &["trace = \"a.down\"", "unlimited"]);
    let wrong = trace("a", b"{}", &Columns::default()).map(|_| ()).unwrap_err();
    assert!(wrong.message.contains("JSON"), "{wrong:?}");
}
