//! Max-min fair rates of scenarios, computed by hand.

use tusker_plan::fairness::{bdp, jain, max_min, max_min_applications};

use crate::model::Scenario;

fn rates(text: &str) -> Vec<f64> {
    let plan = Scenario::parse("test", text, &[]).and_then(|s| s.plan());
    max_min(&plan.unwrap_or_else(|e| panic!("{e:?}"))).iter().map(|r| r / 1e6).collect()
}

#[track_caller]
fn assert_close(got: &[f64], want: &[f64]) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b;
    assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{got:?}, not {want:?}");
}

#[test]
fn slow_access_leaves_the_rest_to_the_others() {
    // 5 x 100 Mbit/s, then (2,500 - 500) / 5 = 400 Mbit/s each
    let got = rates(
        r#"profile = "ns2"
        duration = "100s"
        dumbbell = { rate = "2.5Gbit", delay = "50ms", queue = "10000pkt" }
        flows = [
            { name = "S1", count = 5, cc = "reno", access = { rate = "100Mbit" } },
            { name = "S2", count = 5, cc = "reno", access = { rate = "1Gbit" } },
        ]"#,
    );
    assert_close(&got, &[100.0, 100.0, 100.0, 100.0, 100.0, 400.0, 400.0, 400.0, 400.0, 400.0]);
}

#[test]
fn a_long_path_takes_the_least_share_on_its_way() {
    // UDP takes 100 x 1/(1+3) = 25 of hop 1: 75 are left for 2 flows.
    // Hop 2 has 60 for 3 flows, 20 each; so of hop 1 75 - 20 = 55 are left
    // for its own flow, and of hop 3 100 - 20 = 80.
    let got = rates(
        r#"profile = "ns2"
        duration = "100s"
        flows = [
            { name = "long", cc = "reno" },
            { name = "one", cc = "reno", from = "R1", to = "R2" },
            { name = "two", count = 2, cc = "reno", from = "R2", to = "R3" },
            { name = "three", cc = "reno", from = "R3", to = "R4" },
            { name = "back", cc = "reno", direction = "reverse" },
        ]
        background = [
            { name = "udp", from = "R1", to = "R2", rate = "100Mbit", on = "1s", off = "3s" },
        ]
        [parking-lot]
        hops = [{}, { rate = "60Mbit" }, {}]
        rate = "100Mbit"
        delay = "10ms"
        queue = "100pkt"
        access = { rate = "1Gbit" }"#,
    );
    assert_close(&got, &[20.0, 55.0, 20.0, 20.0, 80.0, 60.0]);
}

/// The testbed of Zhang, Hasegawa and Murata, "Experimental Evaluations of
/// Gentle HighSpeed TCP", Table 1, with 8 parallel connections: two flows of
/// Reno behind 100 Mbit/s beside one application flow on 200 Mbit/s. As
/// three flows each has a third; as ten connections a tenth.
#[test]
fn parallel_connections_count_as_one_or_each() {
    let text = r#"profile = "ns2"
        duration = "100s"
        dumbbell = { rate = "200Mbit", delay = "23ms", queue = "500kB" }
        flows = [
            { name = "one", cc = "reno", parallel = 8, access = { rate = "1Gbit" } },
            { name = "two", count = 2, cc = "reno", access = { rate = "100Mbit" } },
        ]"#;
    assert_close(&rates(text), &[20.0; 10]);
    let plan = Scenario::parse("test", text, &[]).and_then(|s| s.plan()).unwrap();
    assert_eq!(plan.applications, ["one.0", "two.0", "two.1"]);
    let third = 200e6 / 3.0;
    assert_close(&max_min_applications(&plan), &[third, third, third]);
}

/// Table 1 of the same paper, in Mbit/s: 76 and 12, 12 with buffers of 64 KB,
/// 33 and 33, 33 with 512 KB on 100 Mbit/s; 176 and 12, 12, then 100 and 50, 50
/// on 200 Mbit/s. Flow-2 is two connections over one access link of 100 Mbit/s.
///
/// 65,536 B hold 44 segments of 1460 B. A full one of 1500 B and its ACK of 40 B
/// take 123.2 us over a link of 100 Mbit/s, 61.6 us at 200 Mbit/s, 12.32 us at
/// 1 Gbit/s. Flow-2 has three links, and 46 ms of propagation: 46.3696 ms on 100
/// Mbit/s and 46.3080 ms on 200.
#[test]
fn buffers_limit_what_is_fair() {
    let text = |rate: u32, buffer: &str, first: &str| {
        format!(
            r#"profile = "ns2"
            duration = "100s"
            nodes = ["IPS", "IRS", "PCI", "3Com", "IPC", "IRC"]
            links = [
                {{ from = "IPS", to = "PCI", rate = "1Gbit", delay = "0s", queue = "100pkt" }},
                {{ from = "IRS", to = "PCI", rate = "100Mbit", delay = "0s", queue = "100pkt" }},
                {{ from = "PCI", to = "3Com", rate = "{rate}Mbit", delay = "23ms", queue = "200kB" }},
                {{ from = "3Com", to = "IPC", rate = "1Gbit", delay = "0s", queue = "100pkt" }},
                {{ from = "3Com", to = "IRC", rate = "100Mbit", delay = "0s", queue = "100pkt" }},
            ]
            flows = [
                {{ name = "one", from = "IPS", to = "IPC", cc = "reno", {first} }},
                {{ name = "two", from = "IRS", to = "IRC", cc = "reno", count = 2,
                   tcp.send_buffer = "{buffer}" }},
            ]"#
        )
    };
    let narrow: f64 = 44.0 * 12_000.0 / 46_369.6;
    let wide: f64 = 44.0 * 12_000.0 / 46_308.0;
    assert!((narrow - 12.0).abs() < 1.0 && (wide - 12.0).abs() < 1.0, "as in Table 1");
    let third = 100.0 / 3.0;
    for (rate, buffer, expected) in [
        (100, "64KiB", [100.0 - 2.0 * narrow, narrow, narrow]),
        (100, "512KiB", [third; 3]),
        (200, "64KiB", [200.0 - 2.0 * wide, wide, wide]),
        (200, "512KiB", [100.0, 50.0, 50.0]),
    ] {
        assert_close(&rates(&text(rate, buffer, "")), &expected);
        // the same of 16 connections as one application flow
        let first = "parallel = 16, tcp.receive_buffer = \"64KiB\"";
        let plan = Scenario::parse("test", &text(rate, buffer, first), &[]);
        let plan = plan.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{e:?}"));
        let applications: Vec<f64> =
            max_min_applications(&plan).iter().map(|rate| rate / 1e6).collect();
        assert_close(&applications, &expected);
    }
    // Two connections with 64 KiB each want less than there is: over 1 Gbit/s at
    // both ends 46 ms + 2 x 12.32 us + 61.6 us.
    let few = text(200, "512KiB", "parallel = 2, tcp.send_buffer = \"64KiB\"");
    let plan = Scenario::parse("test", &few, &[]).and_then(|s| s.plan()).unwrap();
    let own = 44.0 * 12_000.0 / 46.086_24e-3;
    assert_close(&max_min_applications(&plan), &[2.0 * own, 50e6, 50e6]);
    // what fits into a path of 46.08624 ms at 100 Mbit/s
    assert_close(&[bdp(&plan, &plan.flows[0], 100e6)], &[4_608.624 / 12.0]);
}

/// Arrivals take their mean rate first: 10 transfers a second of 146,000 B
/// are 100 packets of 1500 B each, 12 Mbit/s of 100.
#[test]
fn what_comes_and_goes_takes_its_mean_first() {
    let got = rates(
        r#"profile = "ns2"
        duration = "100s"
        dumbbell = { rate = "100Mbit", delay = "10ms", queue = "100pkt", access = { rate = "1Gbit" } }
        flows = [{ name = "long", count = 2, cc = "reno" }]
        arrivals = [{ name = "short", rate = 10, size = "146kB", connections = 3, cc = "reno" }]"#,
    );
    assert_close(&got, &[44.0, 44.0, 0.0, 0.0, 0.0]);
}

#[test]
fn jain_of_equals_is_one_and_of_a_monopoly_one_in_n() {
    assert_close(&[jain(&[3.0, 3.0, 3.0])], &[1.0]);
    assert_close(&[jain(&[5.0, 0.0, 0.0, 0.0])], &[0.25]);
    // (1 + 2 + 3)^2 / (3 x 14)
    assert_close(&[jain(&[1.0, 2.0, 3.0])], &[36.0 / 42.0]);
    assert!(jain(&[]).is_nan());
}

/// What a token bucket lets pass is shared, not the link's rate.
#[test]
fn a_token_bucket_is_what_flows_share() {
    for policy in ["policer", "tbf"] {
        let text = format!(
            "profile = 'linux'\nduration = '9s'\n[dumbbell]\nrate = '1Gbit'\ndelay = '5ms'\n\
             queue = {{ policy = '{policy}', limit = '99pkt', rate = '100Mbit', burst = '15kB' }}\n\
             [[flows]]\nname = 'f'\ncount = 4\ncc = 'reno'\n"
        );
        assert_close(&rates(&text), &[25.0; 4]);
    }
}
