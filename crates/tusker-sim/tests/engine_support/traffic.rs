//! Traffic: flows, connections that come and go, UDP.

use super::topology::Topology;
use super::{Choices, Keys, ms, tcp, text, wires};

pub fn flows(choices: &mut Choices, topology: &Topology, duration: u16, group: u16) -> Keys {
    let mut flows = Keys::default();
    flows.say("name", text(format_args!("g{group}")));
    flows.maybe(choices, "count", |choices| choices.range(1, 4));
    flows.maybe(choices, "parallel", |choices| choices.range(1, 3));
    tcp::connections(choices, &mut flows);
    if group == 0 {
        topology.first_way(choices, &mut flows);
    } else {
        topology.flows_way(choices, &mut flows);
    }
    flows.maybe(choices, "start", |choices| start(choices, duration));
    flows.maybe(choices, "stop", |choices| stop(choices, duration));
    flows.maybe(choices, "size", |choices| {
        format!("\"{}B\"", u32::from(choices.range(1, 60_000)) * 13)
    });
    flows.maybe(choices, "app", app);
    flows.maybe(choices, "hosts", |_| text("stock-linux"));
    flows
}

/// An application that writes at intervals.
fn app(choices: &mut Choices) -> String {
    let mut app = Keys::default();
    if choices.flag() {
        app.say("rate", format!("\"{}kbit\"", choices.range(50, 9_000)));
        app.maybe(choices, "write", |choices| draw(choices, "kB"));
    } else {
        app.say("every", draw(choices, "ms"));
        app.say("write", draw(choices, "kB"));
    }
    if choices.flag() {
        app.say("on", draw(choices, "ms"));
        app.say("off", draw(choices, "ms"));
    }
    app.inline()
}

/// A start in the first eighth of the time, for up to nine flows one after the other.
fn start(choices: &mut Choices, duration: u16) -> String {
    let at = choices.below(duration / 8);
    let mut start = Keys::default();
    match choices.below(3) {
        0 => return ms(at),
        1 => {
            let from = choices.below(at + 1);
            start.say("uniform", format!("[\"{from}ms\", \"{at}ms\"]"));
        }
        _ => {
            start.say("first", ms(at));
            start.say("every", ms(choices.below(4)));
        }
    }
    start.inline()
}

/// A stop after every start.
fn stop(choices: &mut Choices, duration: u16) -> String {
    ms(choices.range(duration / 4, duration))
}

/// The distribution of a transfer's size or time; the unit fits, or is empty.
fn draw(choices: &mut Choices, unit: &str) -> String {
    let mean = choices.range(1, 60);
    let value = |n: u16| if unit.is_empty() { n.to_string() } else { format!("\"{n}{unit}\"") };
    let mut draw = Keys::default();
    match choices.below(4) {
        0 => return value(mean),
        1 => draw.say("exponential", value(mean)),
        2 => {
            draw.say("pareto", value(mean));
            draw.say("shape", format!("1.{}", choices.range(1, 9)));
        }
        _ => {
            draw.say("list", format!("[{}, {}]", value(mean), value(1)));
            draw.maybe(choices, "weights", |choices| {
                choices.one(&["[1, 3]", "[0, 1]", "[1e308, 1e308]", "[5e-324, 1]", "[0.1, 0.7]"])
            });
        }
    }
    draw.inline()
}

pub fn arrivals(choices: &mut Choices, topology: &Topology, duration: u16) -> Keys {
    let mut arrivals = Keys::default();
    arrivals.say("name", text("come"));
    if choices.flag() {
        arrivals.say("rate", choices.range(1, 80));
    } else {
        arrivals.say("load", format!("0.{}", choices.range(1, 9)));
    }
    arrivals.say("size", draw(choices, "kB"));
    tcp::connections(choices, &mut arrivals);
    topology.way(choices, &mut arrivals);
    arrivals.maybe(choices, "hosts", |_| text("stock-linux"));
    arrivals.maybe(choices, "handshake", Choices::flag);
    arrivals.maybe(choices, "connections", |choices| choices.range(1, 9));
    arrivals.maybe(choices, "start", |choices| ms(choices.below(duration / 8)));
    arrivals.maybe(choices, "stop", |choices| stop(choices, duration));
    arrivals
}

pub fn web(choices: &mut Choices, topology: &Topology, duration: u16) -> Keys {
    let mut web = Keys::default();
    web.say("name", text("pages"));
    web.say("sessions", choices.range(1, 9));
    let servers = choices.range(1, 5);
    web.say("servers", hosts(choices, servers));
    let clients = choices.range(1, 5);
    web.say("clients", hosts(choices, clients));
    web.maybe(choices, "servers_per_session", |choices| choices.range(1, servers));
    web.say("page_interval", draw(choices, "ms"));
    web.say("objects", draw(choices, ""));
    web.say("object_interval", draw(choices, "ms"));
    web.say("object_size", draw(choices, "kB"));
    tcp::connections(choices, &mut web);
    topology.ends(choices, &mut web, true);
    web.maybe(choices, "hosts", |_| text("stock-linux"));
    web.maybe(choices, "handshake", Choices::flag);
    web.maybe(choices, "connections", |choices| choices.range(1, 5));
    web.maybe(choices, "queue", |choices| wires::queue(choices, true));
    web.maybe(choices, "host_queue", wires::host_queue);
    web.maybe(choices, "start", |choices| start(choices, duration));
    web.maybe(choices, "stop", |choices| stop(choices, duration));
    web
}

fn hosts(choices: &mut Choices, count: u16) -> String {
    let mut hosts = Keys::default();
    hosts.say("count", count);
    if choices.flag() {
        hosts.say("rate", format!("[\"5Mbit\", \"{}Mbit\"]", choices.range(10, 90)));
    } else {
        hosts.say("rate", wires::rate(choices));
    }
    hosts.maybe(choices, "delay", |choices| {
        let delay = wires::delay(choices);
        if choices.flag() { format!("[{delay}, \"21ms\"]") } else { delay }
    });
    hosts.inline()
}

pub fn background(choices: &mut Choices, topology: &Topology, duration: u16, n: u16) -> Keys {
    let mut source = Keys::default();
    source.say("name", text(format_args!("udp{n}")));
    source.maybe(choices, "count", |choices| choices.range(1, 2));
    source.say("rate", format!("\"{}kbit\"", choices.range(50, 9_000)));
    topology.ends(choices, &mut source, false);
    source.maybe(choices, "start", |choices| start(choices, duration));
    source.maybe(choices, "stop", |choices| stop(choices, duration));
    match choices.below(4) {
        0 => {}
        1 => source.say("jitter", format!("0.{:02}", choices.below(100))),
        2 => {
            source.say("on", ms(choices.range(1, 300)));
            source.say("off", ms(choices.range(1, 300)));
        }
        _ => {
            let share = choices.below(101);
            source.say("share", format!("{}.{:02}", share / 100, share % 100));
            source.maybe(choices, "period", |choices| ms(choices.range(1, 400)));
        }
    }
    source.maybe(choices, "packet", |choices| format!("\"{}B\"", choices.range(20, 9_000)));
    source.maybe(choices, "dscp", |choices| choices.below(64));
    source
}
