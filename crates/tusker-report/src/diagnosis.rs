//! What people read of a diagnosis: which limits explain a goodput.

use tusker_core::{Duration, Rate};
use tusker_field::Tool;
use tusker_field::diagnose::{
    Candidate, Cause, Change, Diagnosis, Evidence, Finding, Observation, Remedy, Test, Verdict,
};
use tusker_measure::table::{Unit, counted, duration, significant, size};
use tusker_scenario::Written;

use crate::figure::{Axis, Caption, Curve, Figure, Group, Panel, Panels, Plot};
use crate::page::{Line, Meaning, Page, Span, Step, Table};

/// The page of a diagnosis.
pub fn page(own: &Diagnosis) -> Page {
    let mut page = Page {
        title: format!("What limits {}", rate(own.measured.goodput_bps)),
        lead: path(own),
        answer: answer(own),
        table: Some(table(own)),
        next: next(own),
        ..Page::default()
    };
    if let Some(figure) = over_time(own) {
        page.section("Over time", vec![figure.into()]);
    }
    if own.buffer_assumed {
        page.note(
            "the bottleneck's buffer is assumed to be one BDP; --buffer 0.1bdp tries a small one",
        );
    }
    if own.measured.retransmits.is_none() {
        page.note(
            "--retransmits N (iperf3 prints them) rules out either loss or windows; a file of \
             `iperf3 --json` or `ss -tin` says more",
        );
    }
    if own.seconds.is_none() {
        page.note("the goodput is taken as that of a long transfer; --duration 30s says how long");
    }
    if let Some(seconds) = own.seconds.filter(|seconds| own.simulated_s < seconds * 0.99) {
        let [part, all] = [own.simulated_s, seconds].map(duration);
        page.doubt(format!(
            "only the first {part} of {all} were simulated, because the path is fast"
        ));
    }
    page
}

/// The measured goodput over time, and that with each explanation.
fn over_time(own: &Diagnosis) -> Option<Figure> {
    let explained = own.explanations().filter_map(|candidate| {
        Some((name(candidate.cause).to_owned(), &candidate.simulated.as_ref()?.intervals))
    });
    let measured = ("measured".to_owned(), &own.measured.intervals);
    let all: Vec<_> = std::iter::once(measured).chain(explained).collect();
    let xs: Vec<f64> = all
        .iter()
        .find(|(_, parts)| !parts.is_empty())?
        .1
        .iter()
        .map(|part| (part.from_s + part.to_s) / 2.0)
        .collect();
    let mut panels = Panels { x: Axis::new("time", "s"), time: true, xs, ..Panels::default() };
    let mut panel = Panel {
        name: "goodput".to_owned(),
        y: Axis::new("goodput", "Mbit/s"),
        steps: true,
        ..Panel::default()
    };
    for (name, parts) in all.into_iter().filter(|(_, parts)| !parts.is_empty()) {
        let at = |x: &f64| {
            let part = parts.get(parts.partition_point(|part| part.to_s <= *x));
            part.filter(|part| part.from_s <= *x).map_or(f64::NAN, |part| part.goodput_bps / 1e6)
        };
        let group = panels.groups.len();
        panels.groups.push(Group { name: name.clone(), colour: group });
        panel.curves.push(Curve { name, group, values: panels.xs.iter().map(at).collect() });
    }
    panels.panels.push(panel);
    let title = "Goodput as measured, and simulated with each limit that is possible";
    Some(Figure::new("time", title, Caption::default(), Plot::Panels(panels), None))
}

/// `10.00 Gbit/s, RTT 150 ms, buffer 1bdp, cubic-linux, 30.0 s`.
fn path(own: &Diagnosis) -> String {
    let streams = match own.measured.streams {
        1 => String::new(),
        many => format!("{many} x "),
    };
    let source = match own.measured.tool {
        Tool::Options => "",
        Tool::Iperf3 => "; measured by iperf3",
        Tool::Ss => "; measured by ss",
        Tool::Flent => "; measured by Flent",
        Tool::Qlog => "; measured in a qlog file",
        Tool::Pcap => "; measured in a capture",
    };
    let (path, rtt) = (rate(own.rate_bps as f64), Unit::Time.text(own.rtt_s));
    let assumed = if own.buffer_assumed { " (assumed)" } else { "" };
    let seconds = own.seconds.map_or("a long transfer".to_owned(), duration);
    let (buffer, cc) = (&own.buffer, &own.cc);
    format!("{path}, RTT {rtt}, buffer {buffer}{assumed}, {streams}{cc}, {seconds}{source}")
}

fn rate(bps: f64) -> String {
    Unit::Rate.text(bps)
}

fn answer(own: &Diagnosis) -> Vec<Line> {
    let goodput = own.measured.goodput_bps;
    let share = goodput / own.rate_bps as f64 * 100.0;
    let mut lines: Vec<Line> = Vec::new();
    let all: Vec<&Candidate> = own.explanations().collect();
    lines.push(match &all[..] {
        [] => vec![
            Span::bad("No single limit explains it"),
            format!(": {} of {}", rate(goodput), rate(own.rate_bps as f64)).into(),
        ],
        [one] => {
            let head = if one.verdict == Verdict::Likely { "Likely: " } else { "One limit fits: " };
            let simulated = one.simulated.as_ref();
            let simulated = simulated.map(|run| format!(" ({} simulated)", rate(run.goodput_bps)));
            let tail = simulated.unwrap_or_default();
            vec![head.into(), Span::strong(described(own, one)), tail.into()]
        }
        several => {
            let fit = if several[0].verdict == Verdict::Likely { "are likely" } else { "fit" };
            let head = format!("{} limits {fit}: ", several.len());
            let (named, more) = (1..=several.len().min(MOST_NAMED))
                .rev()
                .map(|count| named(several, count))
                .find(|(named, more)| head.len() + named.len() + more.len() <= LINE)
                .unwrap_or_else(|| named(several, 1));
            vec![head.into(), Span::strong(named), more.into()]
        }
    });
    lines.push(vec![
        Span::muted("measured: "),
        format!(
            "{} is {} % of the path; without a further limit, {} has {} (simulated)",
            rate(goodput),
            significant(share, 2),
            own.cc,
            rate(own.unlimited.goodput_bps)
        )
        .into(),
    ]);
    lines.extend(own.tests.iter().map(|test| vec![Span::muted("tell apart: "), tell(test).into()]));
    let change = |(n, remedy): (usize, &Remedy)| {
        let head = if n == 0 { "change first: " } else { "then: " };
        vec![Span::muted(head), changed(remedy).into()]
    };
    lines.extend(own.remedies.iter().enumerate().map(change));
    lines.truncate(9);
    lines
}

/// The first causes, and how many others there are.
fn named(all: &[&Candidate], count: usize) -> (String, String) {
    let few = all[..count].iter().map(|candidate| brief(candidate));
    let more = match all.len() - count {
        0 => String::new(),
        n => format!(" or {}", counted(n as u128, "other")),
    };
    (few.collect::<Vec<_>>().join(", "), more)
}

/// The longest first line, and the most causes in it.
const LINE: usize = 90;
const MOST_NAMED: usize = 4;

/// `receive window 39.4 MB`.
fn brief(candidate: &Candidate) -> String {
    match candidate.cause {
        Cause::CompetingFlows => value(candidate),
        Cause::Host | Cause::Start => name(candidate.cause).to_owned(),
        cause => format!("{} {}", name(cause), value(candidate)),
    }
}

/// `a receive window of 39.4 MB`.
fn described(own: &Diagnosis, candidate: &Candidate) -> String {
    let value = value(candidate);
    match candidate.cause {
        Cause::ReceiveWindow => format!("a receive window of {value}"),
        Cause::SendBuffer => format!("a send buffer that keeps {value}"),
        Cause::Start => {
            let seconds = own.seconds.map_or(String::new(), duration);
            format!("slow start in so short a transfer ({seconds})")
        }
        Cause::Application => format!("an application that sends {value}"),
        Cause::RandomLoss => format!("random loss of about {value}"),
        Cause::ShallowBuffer => format!("a bottleneck buffer of about {value}"),
        Cause::Policer => format!("a policer at about {value}"),
        Cause::CompetingFlows => format!("about {value}"),
        Cause::Host => "a host's processor".to_owned(),
    }
}

/// What a cause is called in the table.
fn name(cause: Cause) -> &'static str {
    match cause {
        Cause::ReceiveWindow => "receive window",
        Cause::SendBuffer => "send buffer",
        Cause::Start => "slow start",
        Cause::Application => "application",
        Cause::RandomLoss => "random loss",
        Cause::ShallowBuffer => "shallow buffer",
        Cause::Policer => "policer",
        Cause::CompetingFlows => "competing flows",
        Cause::Host => "host CPU",
    }
}

/// The value that it needs, with its unit.
fn value(candidate: &Candidate) -> String {
    let Some(value) = candidate.needed else { return "-".to_owned() };
    match candidate.cause {
        Cause::ReceiveWindow | Cause::SendBuffer => size(value.round() as u64),
        Cause::Start => duration(value),
        Cause::Application | Cause::Policer | Cause::Host => rate(value),
        Cause::RandomLoss => format!("{value:.0e}"),
        Cause::ShallowBuffer => counted(value.round().max(1.0) as u128, "packet"),
        Cause::CompetingFlows => counted(value.round() as u128, "other flow"),
    }
}

/// All that a cause needs.
fn needs(candidate: &Candidate) -> String {
    let burst = candidate.burst_bytes.map(|bytes| format!(", burst {}", size(bytes as u64)));
    value(candidate) + &burst.unwrap_or_default()
}

fn table(own: &Diagnosis) -> Table {
    let heads = ["cause", "needs", "simulated", "fits?", "for (+) and against (-)"];
    let caption = "The value with which each limit comes nearest to the measured goodput";
    let mut table = Table::new(caption, heads);
    table.words = true;
    for candidate in &own.causes {
        let simulated = candidate.simulated.as_ref();
        let (verdict, meaning) = match candidate.verdict {
            Verdict::Likely => ("likely", Meaning::Good),
            Verdict::Possible => ("possible", Meaning::Plain),
            Verdict::Unlikely => ("unlikely", Meaning::Muted),
            Verdict::No => ("no", Meaning::Muted),
        };
        let findings: Vec<String> =
            candidate.findings.iter().map(|finding| found(candidate, finding)).collect();
        table.row(
            None,
            [
                Span::from(name(candidate.cause)),
                needs(candidate).into(),
                simulated.map_or("-".to_owned(), |run| rate(run.goodput_bps)).into(),
                Span::new(verdict, meaning),
                findings.join(", ").into(),
            ],
        );
    }
    table
}

/// `+ held up 97 % of the time`.
fn found(candidate: &Candidate, finding: &Finding) -> String {
    let percent = |share: f64| format!("{} %", significant(share * 100.0, 2));
    let text = match finding.evidence {
        Evidence::Retransmits { measured, simulated } => {
            format!("{measured} retransmits, {simulated:.0} expected")
        }
        Evidence::RoundTrip { measured_s, simulated_s } => {
            let [own, expected] = [measured_s, simulated_s].map(|s| Unit::Time.text(s));
            format!("RTT {own}, {expected} expected")
        }
        Evidence::OverTime { difference } => {
            format!("over time {} off", percent(difference))
        }
        Evidence::HeldUp { share } => format!("held up {} of the time", percent(share)),
        Evidence::LargerWindow { cwnd_bytes } => format!("cwnd {}", size(cwnd_bytes as u64)),
        Evidence::DefaultValue { bytes } => format!("a default is {}", size(bytes)),
        Evidence::StartAlone if candidate.cause == Cause::Start => "needs nothing else".to_owned(),
        Evidence::StartAlone => "slow start alone explains it".to_owned(),
        Evidence::TargetRate { bps } => format!("told to send {}", rate(bps)),
        Evidence::ApplicationLimited { limited: true } => "app_limited".to_owned(),
        Evidence::ApplicationLimited { limited: false } => "not app_limited".to_owned(),
        Evidence::BufferGiven => "--buffer is larger".to_owned(),
        Evidence::Processor { share } => format!("{} of a core", percent(share)),
        Evidence::CoreCarries { bps } => format!("a core carries {}", rate(bps)),
    };
    format!("{} {text}", if finding.weight > 0 { '+' } else { '-' })
}

/// How a measurement tells causes apart: those with about the same value stand together.
fn tell(test: &Test) -> String {
    let mut groups: Vec<(f64, Vec<&str>)> = Vec::new();
    for (cause, value) in &test.expected {
        match groups.iter_mut().find(|(own, _)| !test.differ(*own, *value)) {
            Some((_, names)) => names.push(name(*cause)),
            None => groups.push((*value, vec![name(*cause)])),
        }
    }
    let value = |value: f64| match test.observe {
        Observation::RoundTrip => Unit::Time.text(value),
        Observation::FourStreams | Observation::Longer => format!("{} x", significant(value, 2)),
        Observation::HeldUp => ["none", "rwnd_limited", "sndbuf_limited", "app_limited"]
            [(value as usize).min(3)]
        .to_owned(),
        Observation::Retransmits if value == 0.0 => "none".to_owned(),
        Observation::Retransmits => format!("{value:.0e} of the segments"),
        Observation::Processor if value == 0.0 => "idle".to_owned(),
        Observation::Processor => "busy".to_owned(),
    };
    let what = match test.observe {
        Observation::HeldUp => "`ss -tin` while it runs",
        Observation::Retransmits => "retransmits",
        Observation::RoundTrip => "RTT under load",
        Observation::FourStreams => "goodput of iperf3 -P 4",
        Observation::Processor => "one core (iperf3 -V)",
        Observation::Longer => "goodput of ten times the duration",
    };
    let groups = groups.iter().map(|(own, names)| format!("{}: {}", value(*own), names.join(", ")));
    format!("{what}: {}", groups.collect::<Vec<_>>().join("; "))
}

fn changed(remedy: &Remedy) -> String {
    let what = match remedy.change {
        Change::ReceiveBuffer { bytes } => {
            format!("on the receiver sysctl net.ipv4.tcp_rmem=\"4096 131072 {bytes}\"")
        }
        Change::SendBuffer { bytes } => {
            format!("on the sender sysctl net.ipv4.tcp_wmem=\"4096 16384 {bytes}\"")
        }
        Change::Streams { streams } => format!("{streams} parallel connections"),
        Change::Pace { bps } => {
            format!("pace below the policer: tc qdisc add dev DEV root fq maxrate {bps:.0}bit")
        }
        Change::LongerTransfer => "a longer transfer on one connection".to_owned(),
        Change::Application => "let the application send more at once".to_owned(),
        Change::Processor => "offloads, jumbo frames, or connections on several cores".to_owned(),
    };
    let worth = remedy.goodput_bps.map(|bps| format!(" ({} simulated)", rate(bps)));
    format!("against {}: {what}{}", name(remedy.cause), worth.unwrap_or_default())
}

/// What to type next for the first explanation.
fn next(own: &Diagnosis) -> Vec<Step> {
    let Some(first) = own.explanations().next() else { return Vec::new() };
    let rate = Rate::from_bits_per_sec(own.rate_bps).write();
    let path = format!("--rate {rate} --rtt {}", Duration::from_secs(own.rtt_s).write());
    let loss = match (first.cause, first.needed) {
        (Cause::RandomLoss, Some(share)) => format!(" --loss {share:.1e}"),
        _ => String::new(),
    };
    let today = match own.measured.streams {
        1 => format!("--today {}", own.cc),
        many => format!("--today {many}x{}", own.cc),
    };
    let plan = format!("plan --size 1TB {path}{loss} {today}");
    vec![Step::new(plan, "ranks ways to do a transfer on this path")]
}
