//! Programs can choose laws freely: also over IPv6, and even a different one in mid-connection.

use crate::support::flow::Flow;
use crate::support::law::{Loaded, status};
use crate::support::laws;
use crate::support::rights::{rights, skip};

/// Each law takes over what another one left: its number of segments, and 104 bytes of
/// another law's state. The kernel's own Reno is among them.
#[test]
fn a_connection_goes_from_law_to_law() {
    if !rights("a connection goes from law to law") {
        return;
    }
    let laws: Vec<Loaded> = laws().into_iter().map(Loaded::new).collect();
    let mut flow = Flow::loopback("reno");
    for round in 1..=3 {
        for law in &laws {
            flow.choose(&law.name);
            flow.send(300_000);
            assert_eq!(flow.law(), law.name);
            let there = status(&law.name).expect("it is loaded");
            assert_eq!(there["connections"], 1, "{law:?}");
            assert_eq!(there["connections_ever"], round, "{law:?}");
            assert!(flow.number("cwnd") >= 2, "{law:?}");
        }
        flow.choose("reno");
        flow.send(300_000);
    }
    flow.arrived();
    for law in &laws {
        assert_eq!(status(&law.name).expect("it is loaded")["connections"], 0, "{law:?}");
    }
}

#[test]
fn laws_carry_ipv6() {
    if !rights("laws carry IPv6") {
        return;
    }
    if !std::fs::exists("/proc/net/if_inet6").unwrap_or(false) {
        return skip("laws carry IPv6", "needs IPv6");
    }
    for law in laws() {
        let loaded = Loaded::new(law);
        let mut flow = Flow::loopback_v6(&loaded.name);
        flow.send(1_000_000);
        flow.arrived();
        assert_eq!(flow.law(), loaded.name);
        assert_eq!(status(&loaded.name).expect("it is loaded")["connections"], 1);
    }
}
