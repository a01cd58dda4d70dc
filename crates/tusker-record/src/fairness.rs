//! Max-min fair rates and Jain's index.
//!
//! Max-min fairness (Bertsekas and Gallager, *Data Networks*, section 6.5.2):
//! no flow's rate can be raised without lowering that of a flow which has no
//! more. Found by water-filling: raise all rates together; whenever a link is
//! full, freeze the flows through it, and a flow that has all that its buffers
//! allow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tusker_core::Bytes;

use crate::plan::{Flow, Link, Pace, Plan};

/// The max-min fair rate of each flow of a plan, in bit/s on the wire. Slots of
/// connections that come and go have none: 0.
///
/// A link has the rate that it has on average over the measuring window.
/// Background sources and connections that come and go take their mean rate
/// first. Every other flow counts as greedy and always there, up to what its
/// buffers allow ([`most`]): sizes, starts and stops are not looked at, nor is
/// what ACKs take on the way back.
pub fn max_min(plan: &Plan) -> Vec<f64> {
    let flows = plan.flows[..plan.lasting()].iter();
    let wants: Vec<Want<'_>> =
        flows.map(|flow| Want { route: &flow.route, most: most(plan, flow) }).collect();
    let mut rates = fill(plan, &wants);
    rates.resize(plan.flows.len(), 0.0);
    rates
}

/// The max-min fair rate of each application flow: its parallel connections
/// count as one, with the buffers of all.
pub fn max_min_applications(plan: &Plan) -> Vec<f64> {
    let mut wants = vec![Want { route: &[], most: 0.0 }; plan.applications.len()];
    for flow in &plan.flows {
        if let Some(application) = flow.application {
            wants[application].route = &flow.route;
            wants[application].most += most(plan, flow);
        }
    }
    fill(plan, &wants)
}

/// What a flow's buffers allow at most, in bit/s on the wire: the whole segments
/// that fit into the smaller of both, at least one, per [`base_rtt`]. Infinite
/// without a limit.
pub fn most(plan: &Plan, flow: &Flow) -> f64 {
    let buffers = flow.tcp.send_buffer.into_iter().chain(flow.tcp.receive_buffer);
    let Some(buffer) = buffers.min() else { return f64::INFINITY };
    let segments = (buffer.get() / flow.tcp.payload().get().max(1)).max(1);
    segments as f64 * flow.tcp.packet.get() as f64 * 8.0 / base_rtt(plan, flow)
}

/// The shortest round trip of a full segment and its ACK, in seconds: propagation
/// and transmission there and back, queues empty.
pub fn base_rtt(plan: &Plan, flow: &Flow) -> f64 {
    let along = |route: &[usize], size: Bytes| -> f64 {
        route.iter().map(|&l| plan.links[l].shortest(size).secs()).sum()
    };
    along(&flow.route, flow.tcp.packet) + along(&flow.reverse, flow.tcp.ack)
}

/// Bandwidth-delay product of a flow in segments: what its path holds of it at
/// the rate that is fair.
pub fn bdp(plan: &Plan, flow: &Flow, fair: f64) -> f64 {
    fair * base_rtt(plan, flow) / (flow.tcp.packet.get() as f64 * 8.0)
}

/// What is to be filled in.
#[derive(Clone, Copy, Debug)]
struct Want<'a> {
    route: &'a [usize],
    /// Its rate is not raised above this.
    most: f64,
}

fn fill(plan: &Plan, wants: &[Want<'_>]) -> Vec<f64> {
    let links = plan.links.iter().map(|link| Filling {
        left: mean_rate(plan, link),
        flows: Vec::new(),
        open: 0,
    });
    let mut links: Vec<Filling> = links.collect();
    let mut take = |link: usize, rate: f64| links[link].left = (links[link].left - rate).max(0.0);
    for source in &plan.background {
        source.route.iter().for_each(|&link| take(link, source.mean_rate()));
    }
    for traffic in &plan.traffic {
        let each = traffic.mean_rate / traffic.slots.len() as f64;
        for slot in &plan.flows[traffic.slots.clone()] {
            slot.route.iter().for_each(|&link| take(link, each));
        }
    }
    for (i, want) in wants.iter().enumerate() {
        for &link in want.route {
            links[link].flows.push(i);
            links[link].open += 1;
        }
    }
    // a limit of its own is like a link that a flow has for itself
    for (i, want) in wants.iter().enumerate().filter(|(_, want)| want.most.is_finite()) {
        links.push(Filling { left: want.most, flows: vec![i], open: 1 });
    }
    let mut rates: Vec<Option<f64>> = vec![None; wants.len()];
    // the level at which a link fills up only rises while others freeze, so a
    // level that was noted too low is noted anew when its turn comes
    let mut turns: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let note = |level: f64, link: usize| Reverse((level.to_bits(), link));
    for (i, link) in links.iter().enumerate().filter(|(_, link)| link.open > 0) {
        turns.push(note(link.level(), i));
    }
    while let Some(Reverse((noted, i))) = turns.pop() {
        if links[i].open == 0 {
            continue;
        }
        let level = links[i].level();
        if level.to_bits() > noted {
            turns.push(note(level, i));
            continue;
        }
        for flow in std::mem::take(&mut links[i].flows) {
            if rates[flow].is_none() {
                rates[flow] = Some(level);
                for &link in wants[flow].route {
                    links[link].left = (links[link].left - level).max(0.0);
                    links[link].open -= 1;
                }
            }
        }
    }
    rates.into_iter().map(|rate| rate.unwrap_or(f64::INFINITY)).collect()
}

/// What a link can carry over the measuring window, in bit/s.
pub fn mean_rate(plan: &Plan, link: &Link) -> f64 {
    match link.pace {
        Pace::Fixed => link.rate.bits_per_sec() as f64,
        _ => {
            let window = plan.measure_to.since(plan.measure_from).secs();
            // a trace may have no opportunity in the window
            link.capacity(plan.measure_from, plan.measure_to).max(1.0) / window
        }
    }
}

/// A link while rates rise.
struct Filling {
    /// What frozen flows leave.
    left: f64,
    flows: Vec<usize>,
    /// Flows that are not frozen.
    open: usize,
}

impl Filling {
    fn level(&self) -> f64 {
        self.left / self.open as f64
    }
}

/// Jain's fairness index (Jain, Chiu and Hawe 1984): `(sum x)^2 / (n sum x^2)`,
/// from 1/n if one has everything to 1 if all have the same. For shares of
/// what is fair, divide each rate by its [`max_min`] rate first. NaN if there
/// is nothing to compare.
pub fn jain(x: &[f64]) -> f64 {
    let sum: f64 = x.iter().sum();
    let squares: f64 = x.iter().map(|x| x * x).sum();
    sum * sum / (x.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

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
        // what a path of 46.08624 ms holds at 100 Mbit/s
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
}
