//! The earliest times possible on a path at its given rates and without other traffic:
//! completion times are compared with them, and no delay can be shorter.

use tusker_core::wire::{OPPORTUNITY, opportunities_before, opportunity_at};
use tusker_core::{Bytes, Duration, Time};

use tusker_plan::plan::{Flow, Link, Pace, Plan, Traffic};

const NANOBITS_PER_BYTE: u128 = 8_000_000_000;

/// The earliest time at which the last bit of this many bytes, all present at
/// `from`, leaves the wire, rounded down to a nanosecond.
fn carries_by(link: &Link, from: Time, bytes: u64) -> Time {
    let after = |from: Time, nanobits: u128, rate: u64| {
        let nanos = u64::try_from(nanobits / u128::from(rate)).unwrap_or(u64::MAX);
        Time::from_nanos(from.nanos().saturating_add(nanos))
    };
    let mut left = u128::from(bytes) * NANOBITS_PER_BYTE;
    match &link.pace {
        Pace::Fixed | Pace::Steps(_) => {
            let rates = link.rates().unwrap_or_else(|| link.rate.into());
            let mut now = from;
            loop {
                let (_, end, rate) = rates.span(now);
                let down = link.outages.as_ref().map(|outages| outages.down.span(now));
                let (_, ends, down) = down.unwrap_or((now, Time::NEVER, false));
                let rate = if down { 0 } else { rate.bits_per_sec() };
                let end = if down { ends } else { end.min(ends) };
                let room = u128::from(end.since(now).nanos()) * u128::from(rate);
                if rate > 0 && left <= room {
                    return after(now, left, rate);
                }
                left -= room;
                now = end;
            }
        }
        Pace::Trace { opportunities, .. } => match bytes.div_ceil(OPPORTUNITY.get()) {
            0 => from,
            needed => {
                let gone = opportunities_before(opportunities, from);
                opportunity_at(opportunities, gone + needed - 1).max(from)
            }
        },
    }
}

/// The earliest time at which this many packets of one size, all present at
/// `begin`, reach the end of a route, without other traffic and without loss.
///
/// For each link: the first packet reaches it over the empty links before; then the
/// link transmits all of them; then the last one travels the rest of the path. The
/// result is the latest of the times that the links give.
pub(crate) fn earliest(
    plan: &Plan,
    route: &[usize],
    size: Bytes,
    packets: u64,
    begin: Time,
) -> Time {
    let over = |from: Time, l: usize, packets: u64| {
        let link = &plan.links[l];
        carries_by(link, from, packets.saturating_mul(size.get())) + link.propagation()
    };
    let (mut first, mut latest) = (begin, begin);
    for (i, &l) in route.iter().enumerate() {
        let last = over(first, l, packets);
        latest = latest.max(route[i + 1..].iter().fold(last, |at, &l| over(at, l, 1)));
        first = over(first, l, 1);
        if packets == 1 {
            // it is the last as well
            return latest;
        }
    }
    latest
}

/// The earliest time at which a transfer of this payload, started at `begin`, can
/// be at its receiver: the opening, if there is one, then everything.
pub(crate) fn transfer_by(plan: &Plan, traffic: &Traffic, begin: Time, bytes: u64) -> Time {
    let flow = &plan.flows[traffic.slots.start];
    let tcp = &flow.tcp;
    let open = match traffic.handshake {
        true => {
            let there = earliest(plan, &flow.route, tcp.header, 1, begin);
            earliest(plan, &flow.reverse, tcp.ack, 1, there)
        }
        false => begin,
    };
    let packets = bytes.div_ceil(tcp.payload().get()).max(1);
    earliest(plan, &flow.route, tcp.packet, packets, open)
}

/// The earliest time at which the sender can know that this many full segments,
/// which it had at `begin`, have arrived.
pub(crate) fn acknowledged_by(plan: &Plan, flow: &Flow, begin: Time, segments: u64) -> Time {
    let there = earliest(plan, &flow.route, flow.tcp.packet, segments, begin);
    earliest(plan, &flow.reverse, flow.tcp.ack, 1, there)
}

/// By how much rounding can make a packet and its ACK too fast.
pub(crate) fn rounding(flow: &Flow) -> Duration {
    rounding_of(flow.route.len() + flow.reverse.len())
}

/// The same for a transfer: its opening crosses the wires before its data.
pub(crate) fn transfer_rounding(plan: &Plan, traffic: &Traffic) -> Duration {
    let flow = &plan.flows[traffic.slots.start];
    let opening = if traffic.handshake { flow.route.len() + flow.reverse.len() } else { 0 };
    rounding_of(opening + flow.route.len())
}

/// Each wire rounds the end of a busy period down to a nanosecond.
fn rounding_of(wires: usize) -> Duration {
    Duration::from_nanos(wires as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_scenario::Scenario;

    fn plan(rate: &str) -> Plan {
        let text = format!(
            "profile = \"linux\"\nduration = \"10s\"\nnodes = [\"A\", \"B\", \"C\"]\n\
             links = [ {{ from = \"A\", to = \"B\", rate = \"8Mbit\", delay = \"1ms\", \
             queue = \"9pkt\" }}, {{ from = \"B\", to = \"C\", rate = {rate}, \
             delay = \"2ms\", queue = \"9pkt\" }} ]\n\
             flows = [ {{ name = \"f\", cc = \"reno\", from = \"A\", to = \"C\" }} ]\n"
        );
        let plan = Scenario::parse("test", &text, &[]).and_then(|s| s.plan());
        plan.unwrap_or_else(|error| panic!("{error:?}"))
    }

    fn by(rate: &str, packets: u64, begin_us: u64) -> u64 {
        let plan = plan(rate);
        let route = &plan.flows[0].route;
        let begin = Time::from_nanos(begin_us * 1_000);
        earliest(&plan, route, Bytes::new(1000), packets, begin).nanos() / 1_000
    }

    #[test]
    fn packets_follow_each_other_at_the_slowest_link() {
        // 1000 B take 1 ms at 8 Mbit/s and 4 ms at 2 Mbit/s: 1 + 1, then 10 x 4, then 2
        assert_eq!(by("\"2Mbit\"", 10, 0), 44_000);
        // ten at 8 Mbit/s, 1 ms, the last at 80 Mbit/s in 0.1 ms, 2 ms
        assert_eq!(by("\"80Mbit\"", 10, 0), 13_100);
        assert_eq!(by("\"80Mbit\"", 1, 500), 500 + 1_000 + 1_000 + 100 + 2_000);
    }

    #[test]
    fn a_link_is_as_fast_as_it_is_then() {
        // 2 Mbit/s until 10 ms, then 80: from 2 ms on 2 packets until 10 ms, 8 in
        // 0.8 ms: but the tenth comes at 11 ms and takes 0.1 ms, then 2 ms
        let rises = "[{ at = \"0s\", rate = \"2Mbit\" }, { at = \"10ms\", rate = \"80Mbit\" }]";
        assert_eq!(by(rises, 10, 0), 13_100);
        // 80 until 4 ms: from 2 ms on 20 packets would fit; the third comes at 4 ms,
        // and at 2 Mbit/s it takes 4 ms
        let falls = "[{ at = \"0s\", rate = \"80Mbit\" }, { at = \"4ms\", rate = \"2Mbit\" }]";
        assert_eq!(by(falls, 3, 0), 4_000 + 4_000 + 2_000);
        // later begins find what is then: 20 + 1 + 1 + 0.1 + 2
        assert_eq!(by(rises, 1, 20_000), 24_100);
    }

    #[test]
    fn a_trace_carries_at_its_opportunities() {
        // every 5 ms: 1000 B that come at 2 ms go at 5 ms; 4000 B need three
        let trace = "{ trace = \"t\", opportunities = \"0x5 1\" }";
        assert_eq!(by(trace, 1, 0), 5_000 + 2_000);
        assert_eq!(by(trace, 4, 0), 15_000 + 2_000);
        // one that comes at the very time of an opportunity is taken
        assert_eq!(by(trace, 1, 3_000), 5_000 + 2_000);
    }
}
