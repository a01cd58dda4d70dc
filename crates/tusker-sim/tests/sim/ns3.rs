//! The simulator compared with ns-3.44 (`make oracle-ns3`), for laws without another available
//! reference: one flow, one ACK per segment, and hosts that act at once, as in ns-3.
//!
//! | value | holds within |
//! |---|---|
//! | goodput, in whole packets | 3 % |
//! | mean queue | 10 %, or 3 packets |
//!
//! Misses are listed in bench/ns3/misses.csv, with the reason and the band in which our value
//! lies. A miss that is not listed fails, and so does a listed one that is outside its band or
//! no longer misses.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;

/// A compared value: its name in misses.csv, and the relative and absolute tolerance.
const HELD: [(&str, f64, f64); 2] = [("goodput", 0.03, 0.0), ("queue", 0.1, 3.0)];

#[test]
fn the_simulator_agrees_with_ns3() {
    let mut misses = misses();
    let mut wrong = Vec::new();
    for line in read("oracle.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[cc, rate, rtt, limit, mark, to, from, goodput, _window, _, _, queue] =
            fields.as_slice()
        else {
            panic!("oracle.csv: `{line}`")
        };
        let cell = format!("{cc}/{rate}mbit/{rtt}ms/{}", if mark == "0" { limit } else { mark });
        let ours = simulate(&plan(cc, rate, rtt, limit, mark, (from, to)));
        for ((name, part, least), (x, y)) in
            HELD.into_iter().zip(ours.into_iter().zip([number(goodput), number(queue)]))
        {
            let holds = (x - y).abs() <= (part * y).max(least);
            println!("{cell} {name}: {x:.3} / {y:.3}{}", if holds { "" } else { "  misses" });
            match (holds, misses.remove(&(cell.clone(), name.to_owned()))) {
                (true, None) => {}
                (true, Some(_)) => wrong.push(format!(
                    "{cell} {name}: {x:.3} against {y:.3} of ns-3 holds now: strike it off the misses"
                )),
                (false, Some((low, high))) if (low..=high).contains(&x) => {}
                (false, known) => wrong.push(format!(
                    "{cell} {name}: {x:.3} against {y:.3} of ns-3, known to miss within {known:?}"
                )),
            }
        }
    }
    wrong.extend(misses.keys().map(|(cell, name)| format!("{cell} {name}: a miss of nothing")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Goodput in Mbit/s of whole packets, and the mean queue in packets.
fn simulate(plan: &Plan) -> [f64; 2] {
    let run = support::run(plan, 1);
    let seconds = support::window(plan);
    let bits = run.flows[0].delivered * plan.flows[0].tcp.packet.get() * 8;
    [bits as f64 / seconds / 1e6, run.links[0].queue_mean]
}

/// The cell of bench/ns3/oracle.cc as a scenario. A header of 42 bytes: IP, TCP and PPP.
fn plan(cc: &str, rate: &str, rtt: &str, limit: &str, mark: &str, span: (&str, &str)) -> Plan {
    let queue = match mark {
        "0" => format!("{{ policy = \"droptail\", limit = \"{limit}pkt\" }}"),
        k => format!("{{ policy = \"step\", k = {k}, limit = \"{limit}pkt\", ecn = true }}"),
    };
    let (half, access) = (number(rtt) / 2.0, number(rate) * 10.0);
    let (from, to) = span;
    let text = format!(
        r#"
        profile = "linux"
        host_time = "0s"
        duration = "{to}s"
        measure = {{ from = "{from}s" }}
        nodes = ["sender", "router", "receiver"]
        [tcp]
        packet = "1500B"
        header = "42B"
        ack = "42B"
        delayed_ack = false
        linux_details = false
        [[links]]
        from = "router"
        to = "receiver"
        rate = "{rate}Mbit"
        delay = "{half}ms"
        queue = {queue}
        reverse = {{ queue = "unlimited" }}
        [[links]]
        from = "sender"
        to = "router"
        rate = "{access}Mbit"
        delay = "0ms"
        queue = "unlimited"
        reverse = {{ queue = "unlimited" }}
        [[flows]]
        name = "flow"
        cc = "{cc}"
        from = "sender"
        to = "receiver"
        start = "0s"
        "#
    );
    let scenario = Scenario::parse(cc, &text, &[]);
    scenario.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{cc}: {e:?}"))
}

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/ns3").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("bench/ns3: `{text}` is not a number"))
}

/// The band of ours for each known miss.
fn misses() -> BTreeMap<(String, String), (f64, f64)> {
    let rows = read("misses.csv");
    let rows = rows.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.splitn(5, ',').collect();
        let &[cell, name, low, high, reason] = fields.as_slice() else {
            panic!("misses.csv: `{line}`: expected cell,value,low,high,reason")
        };
        assert!(!reason.is_empty(), "misses.csv: no reason in `{line}`");
        ((cell.to_owned(), name.to_owned()), (number(low), number(high)))
    });
    rows.collect()
}
