//! Applies a scenario's endpoint settings to the kernel. Settings that a host supports are
//! set; for the others, the differences are reported.
//!
//! A host has one set of them. If flows with different settings share a host, the first
//! flow's are used.

use tusker_core::Duration;
use tusker_core::congestion::SlowStart;
use tusker_core::congestion::linux::{self, Counts};
use tusker_plan::plan::{
    AfterIdle, Counting, Demand, Ecn, Flow, HostTime, Limit, Link, Plan, Recovery, Tcp,
};

use crate::error::Error;
use crate::host::Host;
use crate::laws;
use crate::netlink::Route;
use crate::ways::{ends, places};

/// The values that Linux accepts for `net.ipv4.tcp_rto_max_ms`.
const LONGEST_RTO_MS: std::ops::RangeInclusive<u64> = 1_000..=120_000;

/// Whether this kernel has that setting, which older ones do not have.
fn sets_longest_rto() -> bool {
    std::path::Path::new("/proc/sys/net/ipv4/tcp_rto_max_ms").exists()
}

/// The settings of hosts where flows with these endpoints send.
fn sysctls(tcp: &Tcp) -> Vec<(&'static str, String)> {
    let rack = tcp.recovery == Recovery::RackTlp;
    let sack = rack || tcp.recovery == Recovery::Sack;
    let number = |on: bool| u8::from(on).to_string();
    let mut all = vec![
        ("net.ipv4.tcp_sack", number(sack)),
        ("net.ipv4.tcp_recovery", number(rack)),
        // 3: tail loss probes
        ("net.ipv4.tcp_early_retrans", if rack { "3" } else { "0" }.to_owned()),
        ("net.ipv4.tcp_timestamps", number(tcp.timestamps)),
        ("net.ipv4.tcp_ecn", number(tcp.ecn.is_on())),
        ("net.ipv4.tcp_frto", if tcp.frto { "2" } else { "0" }.to_owned()),
        ("net.ipv4.tcp_slow_start_after_idle", number(tcp.after_idle != AfterIdle::Keep)),
    ];
    if let Some(most) = tcp.rmem {
        all.push(("net.ipv4.tcp_rmem", format!("4096 131072 {}", most.get())));
    }
    let longest = tcp.max_rto.nanos() / 1_000_000;
    if LONGEST_RTO_MS.contains(&longest) {
        all.push(("net.ipv4.tcp_rto_max_ms", longest.to_string()));
    }
    all
}

/// The first flow from a host of these nodes, and the first flow to it.
fn first<'a>(plan: &'a Plan, nodes: &[usize]) -> [Option<&'a Flow>; 2] {
    [0, 1].map(|end| plan.flows.iter().find(|flow| nodes.contains(&ends(plan, &flow.route)[end])))
}

/// The metrics of a host's route.
fn route(plan: &Plan, nodes: &[usize]) -> Route {
    let [from, to] = first(plan, nodes);
    let milliseconds = |time: Duration| (time.nanos() / 1_000_000).clamp(1, 120_000) as u32;
    Route {
        initcwnd: from.map(|flow| flow.tcp.initial_window.max(1)),
        rto_min: from.map(|flow| milliseconds(flow.tcp.min_rto)),
        quickack: to.is_some_and(|flow| flow.tcp.delayed_ack.is_none()),
    }
}

/// Applies the settings that a host of these nodes supports.
pub fn set(plan: &Plan, nodes: &[usize], host: &Host) -> Result<(), Error> {
    if let [Some(flow), _] | [None, Some(flow)] = first(plan, nodes) {
        for (name, value) in sysctls(&flow.tcp) {
            match host.sysctl(name, &value) {
                // an older kernel, which the differences report
                Err(Error::Sysctl { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound => {}
                done => done?,
            }
        }
    }
    if let [Some(flow), _] = first(plan, nodes)
        && !flow.tcp.segmentation
    {
        host.send_one_by_one()?;
    }
    host.metrics(route(plan, nodes))
}

/// The host time of the profile `linux`; real hosts have their own instead.
const HOST_TIME: HostTime = HostTime::Exponential(Duration::from_nanos(5_000));

/// Endpoint settings of the scenario that this kernel handles differently, each in a few
/// words; empty if there are none.
pub fn differences(plan: &Plan) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |what: String| {
        if !all.contains(&what) {
            all.push(what);
        }
    };
    if plan.host_time != HOST_TIME {
        let given = match plan.host_time {
            HostTime::UpTo(most) => most.to_string(),
            HostTime::Exponential(mean) => format!("{{ exponential = \"{mean}\" }}"),
        };
        add(format!("host_time = {given} (these hosts take their own time)"));
    }
    for flow in &plan.flows {
        of_flow(flow, &mut add);
        if let Some(link) = waits(plan, flow) {
            add(format!("queue = \"backpressure\" of {} (its queue has no limit)", link.name));
        }
    }
    if plan.traffic.iter().any(|traffic| !traffic.handshake) {
        add("handshake = false (real sockets need a round trip to open)".to_owned());
    }
    if plan.traffic.iter().any(|traffic| matches!(traffic.demand, Demand::Web(_))) {
        add("the request for a web object (none is sent: the server opens the connection)".into());
    }
    for nodes in places(plan) {
        let from = |flow: &&Flow| nodes.contains(&ends(plan, &flow.route)[0]);
        let mut flows = plan.flows.iter().filter(from);
        let Some(one) = flows.next() else { continue };
        let of = |flow: &Flow| {
            let Tcp { initial_window, min_rto, segmentation, .. } = flow.tcp;
            (sysctls(&flow.tcp), initial_window, min_rto, segmentation)
        };
        if let Some(other) = flows.find(|other| of(other) != of(one)) {
            add(format!(
                "settings of {} (it shares its host with {}, whose settings are used)",
                other.name, one.name
            ));
        }
    }
    all
}

/// The link before which a simulated sender waits for room, if that is where its packets
/// queue: no later link is slower. The kernel no longer counts a packet as its socket's
/// once a TUN device has it, so that TCP small queues hold nothing back.
fn waits<'a>(plan: &'a Plan, flow: &Flow) -> Option<&'a Link> {
    let (first, rest) = flow.route.split_first()?;
    let first = &plan.links[*first];
    let narrowest = rest.iter().all(|link| first.rate <= plan.links[*link].rate);
    (matches!(first.queue.limit, Limit::Backpressure(_)) && narrowest).then_some(first)
}

/// This kernel's version: `6.18.1-generic`; empty if it does not say.
fn release() -> String {
    std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default()
}

/// Whether a kernel of this version detects losses of connections with SACK by RACK, whatever
/// `tcp_recovery` says: Linux 6.17 removed the code for RFC 6675.
fn has_rack_alone(release: &str) -> bool {
    let mut parts = release.split('.').map(|part| {
        part.split(|c: char| !c.is_ascii_digit()).next().and_then(|part| part.parse().ok())
    });
    let [major, minor] = [0; 2].map(|none: u32| parts.next().flatten().unwrap_or(none));
    (major, minor) >= (6, 17)
}

fn of_flow(flow: &Flow, add: &mut impl FnMut(String)) {
    let tcp = &flow.tcp;
    // laws that set their rate themselves
    let paces = matches!(flow.cc.name(), "bbr1" | "bbr3");
    match tcp.recovery {
        Recovery::Reno => add("recovery = \"reno\" (NewReno)".to_owned()),
        Recovery::Sack if has_rack_alone(&release()) => {
            add("recovery = \"sack\" (RACK instead, since Linux 6.17)".to_owned());
        }
        Recovery::Sack | Recovery::NewReno | Recovery::RackTlp => {}
    }
    let sack = matches!(tcp.recovery, Recovery::Sack | Recovery::RackTlp);
    if sack && !tcp.prr && !paces {
        add("prr = false (PRR)".to_owned());
    }
    if !tcp.linux_details && !tcp.ns2_details {
        add("linux_details = false (Linux's own details)".to_owned());
    }
    if tcp.ns2_details {
        add("the details of ns-2's agents".to_owned());
    }
    if !tcp.undo && (tcp.timestamps || sack) {
        add("undo = false (unneeded reductions are undone)".to_owned());
    }
    if tcp.after_idle == AfterIdle::Restart {
        add("after_idle = \"restart\" (\"halve\")".to_owned());
    }
    if tcp.max_burst.is_some() {
        add("max_burst (unlimited)".to_owned());
    }
    if sack && tcp.scoreboard.is_some() {
        add("scoreboard (unlimited)".to_owned());
    }
    match tcp.delayed_ack {
        Some(time) if time != Duration::from_millis(40) => {
            add(format!("delayed_ack = {time} (40 ms to 200 ms, and none at first)"));
        }
        _ => {}
    }
    if tcp.segments_per_packet > 1 {
        add(format!("segments_per_packet = {} (1)", tcp.segments_per_packet));
    }
    if tcp.initial_ssthresh.is_some() {
        add("initial_ssthresh (none)".to_owned());
    }
    match tcp.slow_start {
        SlowStart::Standard if flow.cc.name() == "cubic" => {
            add("the slow start of cubic (with HyStart)".to_owned());
        }
        SlowStart::Standard => {}
        SlowStart::Limited { .. } => add("limited slow start (standard)".to_owned()),
        SlowStart::HyStartPlusPlus => add("HyStart++ (the law's own)".to_owned()),
    }
    if let Some(what) = counting(flow) {
        add(what);
    }
    if tcp.pacing && !paces {
        add("pacing (none)".to_owned());
    }
    if tcp.initial_rto != Duration::from_secs(1.0) {
        add(format!("rto.initial = {} (1 s)", tcp.initial_rto));
    }
    let longest = tcp.max_rto.nanos() / 1_000_000;
    let can_set = LONGEST_RTO_MS.contains(&longest) && sets_longest_rto();
    if longest != *LONGEST_RTO_MS.end() && !can_set {
        add(format!("rto.max = {} (120 s)", tcp.max_rto));
    }
    match tcp.ecn {
        Ecn::Accurate if flow.cc.name() == "dctcp" => {
            add("AccECN (the echo of RFC 8257, which gives the same information about each segment)".to_owned());
        }
        Ecn::Accurate => add("accurate ECN (ECN of RFC 3168)".to_owned()),
        Ecn::L4s => add("L4S: ECT(1) with AccECN (ECN of RFC 3168)".to_owned()),
        Ecn::Off | Ecn::Classic => {}
    }
    // headers of IP and TCP, and what timestamps take
    let header = if tcp.timestamps { 52 } else { 40 };
    if tcp.header.get() != header {
        add(format!("headers of {} ({header} B)", tcp.header));
    }
    if tcp.ack.get() != header {
        add(format!("ACKs of {} ({header} B)", tcp.ack));
    }
}

/// What a flow's window counts, if that is not what its law in this kernel counts: the
/// kernel's own where it is used ([`laws::changed`]), or else ours, which counts segments.
fn counting(flow: &Flow) -> Option<String> {
    let module = linux::module(flow.cc.name()).filter(|_| laws::changed(&flow.cc).is_none());
    let counted = match module.map_or(Counts::Segments, |module| module.counts) {
        Counts::Segments => Counting::Segments(u32::MAX),
        Counts::AcksInAvoidance => Counting::SegmentsThenAcks,
        Counts::Acks => Counting::Acks,
        Counts::Neither => return None,
    };
    let name = |counting: Counting| match counting {
        Counting::Segments(_) => "segments",
        Counting::SegmentsThenAcks => "segments-then-acks",
        Counting::Acks => "acks",
    };
    let (asked, counted) = (name(flow.tcp.counting), name(counted));
    (asked != counted)
        .then(|| format!("counting = \"{asked}\" of {} (\"{counted}\")", flow.cc.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_without_the_older_recovery_are_known() {
        for (release, rack_alone) in [
            ("6.1.0-41-amd64", false),
            ("6.16.12", false),
            ("6.17-rc1", true),
            ("6.18.44-generic\n", true),
            ("7.0.0", true),
            ("", false),
        ] {
            assert_eq!(has_rack_alone(release), rack_alone, "{release}");
        }
    }

    #[test]
    fn receive_buffers_grow_as_far_as_the_scenario_says() {
        let of = |rmem| {
            let tcp = Tcp { rmem, ..Tcp::PLAIN };
            sysctls(&tcp).into_iter().find(|(name, _)| *name == "net.ipv4.tcp_rmem")
        };
        assert_eq!(of(None), None);
        let (_, value) = of(Some(tusker_core::Bytes::new(6 << 20))).expect("a setting");
        assert_eq!(value, "4096 131072 6291456");
    }
}
