//! How connections of a plan's flows are opened, and how much they send.

use tusker_plan::plan::{Flow, Plan};

use crate::error::Error;
use crate::ledger::port;
use crate::places::Hosts;
use crate::socket::Options;
use crate::ways::{ends, mtu};

/// How the connections of a flow are opened.
pub fn options(plan: &Plan, hosts: &Hosts, number: usize) -> Result<Options, Error> {
    let flow = &plan.flows[number];
    let [from, to] = ends(plan, &flow.route);
    // the data in flight must fit into both
    let buffer = flow.tcp.send_buffer.into_iter().chain(flow.tcp.receive_buffer).min();
    let most = i32::MAX as u32 / 4;
    Ok(Options {
        law: hosts.laws().of(&flow.cc)?,
        window: buffer.and_then(|bytes| u32::try_from(bytes.get()).ok()).filter(|b| *b < most),
        mss: mss(plan, flow),
        addresses: Some((hosts.address(from), hosts.address(to))),
        port: port(number),
        dscp: flow.tcp.dscp,
        ..Options::default()
    })
}

/// The largest segment of a flow, TCP options included, if its packets are smaller than the
/// hosts'. 40 bytes: the headers of IP and TCP without options.
fn mss(plan: &Plan, flow: &Flow) -> Option<u16> {
    let packet = u16::try_from(flow.tcp.packet.get()).ok()?;
    (packet < mtu(plan)).then(|| packet.saturating_sub(40))
}

/// The payload to send for this size: full segments, as in the simulator.
pub fn whole(flow: &Flow, bytes: u64) -> u64 {
    let payload = flow.tcp.payload().get().max(1);
    bytes.div_ceil(payload).saturating_mul(payload)
}
