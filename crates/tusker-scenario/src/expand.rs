//! From what was written to what is meant: short forms become a graph, and
//! every value gets said. What depends on the routes (bandwidth-delay
//! products, the largest packet on a link) is left to [`super::layout`].

use tusker_core::params::{Need, ParamError, Sheet};
use tusker_core::spec::{Kind, Spec, SpecError};
use tusker_core::{Bytes, Duration, congestion, queue};

use super::comings::{expand_arrivals, expand_web};
use super::error::{Fault, Mistake, nearest, quote};
use super::forms::{Hops, Queue, Start, TraceLinks};
use super::impair;
use super::model::{
    Access, Background, Dumbbell, Flows, Hop, Link, Measure, ParkingLot, Reverse, Scenario, Trace,
};
use super::profile;
use super::source::Source;
use super::text::{Direction, Limit, Text};

/// Flows and background sources together. Each flow takes about 3 kB before
/// it has sent anything.
pub const MAX_FLOWS: u64 = 100_000;

const BYTES_PER_FLOW: u64 = 3_000;

/// More hops than any path of the Internet has.
const MAX_HOPS: usize = 1_000;

const ACCESS_DELAY: Duration = Duration::from_millis(1);
const ACCESS_LIMIT: Limit = Limit::Packets(10_000);

/// Where a value of the graph form may have been written: prefixes of paths
/// and what to put in their place, the most likely first.
#[derive(Default)]
pub(super) struct Origins(Vec<(String, String)>);

impl Origins {
    fn add(&mut self, here: impl Into<String>, there: impl Into<String>) {
        self.0.push((here.into(), there.into()));
    }

    /// A fault of the graph form as a fault of what was written.
    pub fn translate(&self, mut fault: Fault, source: &Source) -> Fault {
        let mut candidates = vec![fault.path.clone()];
        for (here, there) in &self.0 {
            if let Some(rest) = fault.path.strip_prefix(here.as_str())
                && (rest.is_empty() || rest.starts_with('.'))
            {
                candidates.push(format!("{there}{rest}").trim_matches('.').to_owned());
            }
        }
        let whole = candidates.iter().position(|path| source.has(path));
        let best = whole.unwrap_or_else(|| {
            let deep = |i: &usize| (source.depth(&candidates[*i]), std::cmp::Reverse(*i));
            (0..candidates.len()).max_by_key(deep).unwrap_or(0)
        });
        fault.path = candidates.swap_remove(best);
        fault
    }
}

/// The graph form of a scenario.
pub(super) fn graph(s: &Scenario, origins: &mut Origins) -> Result<Scenario, Fault> {
    let end = s.duration.0;
    if end == Duration::ZERO {
        return Err(Mistake::new("an experiment of no duration", "write duration = \"100s\"")
            .at("duration"));
    }
    if s.replicates == Some(0) {
        return Err(Mistake::new("no replicate at all", "at least 1").at("replicates"));
    }
    count_flows(s)?;
    let mut out = s.clone();
    out.seed = Some(s.seed.unwrap_or(1));
    // each replicate has the next one, and results hold them as 64-bit integers
    let more = u64::from(s.replicates.unwrap_or(1)) - 1;
    let most = i64::MAX as u64 - more;
    if let Some(seed) = out.seed.filter(|&seed| seed > most) {
        let message = match more {
            0 => format!("the seed {seed} is too large"),
            _ => format!("the seed {seed} is too large for {} replicates", more + 1),
        };
        let help = format!("at most {most}: each replicate has the next seed, below 2^63");
        return Err(Mistake::new(message, help).at("seed"));
    }
    out.replicates = Some(s.replicates.unwrap_or(1));
    out.measure = Some(measure(s.measure, end)?);
    let ends = topology(s, &mut out, origins)?;
    for (i, link) in out.links.iter_mut().enumerate() {
        origins.add(format!("links.{i}.reverse"), format!("links.{i}"));
        expand_link(link, &format!("links.{i}"))?;
    }
    impair::check_length(&out.links)?;
    let defaults = s.dumbbell.as_ref().map(|d| (d.access.as_ref(), "dumbbell"));
    let defaults = defaults.or(s.parking_lot.as_ref().map(|p| (p.access.as_ref(), "parking-lot")));
    for (i, group) in out.flows.iter_mut().enumerate() {
        let path = format!("flows.{i}");
        add_origins(origins, &path, defaults.map(|d| d.1));
        expand_group(group, s, ends.as_ref(), defaults.map(|d| d.0), &path)?;
    }
    for (i, arrivals) in out.arrivals.iter_mut().enumerate() {
        let path = format!("arrivals.{i}");
        add_origins(origins, &path, defaults.map(|d| d.1));
        expand_arrivals(arrivals, s, ends.as_ref(), defaults.map(|d| d.0), &path)?;
    }
    for (i, web) in out.web.iter_mut().enumerate() {
        let path = format!("web.{i}");
        add_origins(origins, &path, None);
        expand_web(web, s, ends.as_ref(), &path)?;
    }
    let flows = out.flows.iter().map(|g| &g.tcp).chain(out.arrivals.iter().map(|a| &a.tcp));
    let flows = flows.chain(out.web.iter().map(|w| &w.tcp));
    let packets = flows.filter_map(|tcp| tcp.as_ref()?.packet).map(|p| p.0);
    let packet = packets.max().unwrap_or(Bytes::new(1500));
    for (i, source) in out.background.iter_mut().enumerate() {
        expand_background(source, end, ends.as_ref(), packet, &format!("background.{i}"))?;
    }
    out.trace = s.trace.as_ref().map(|t| trace(t, s, &out)).transpose()?;
    out.tcp = None;
    Ok(out)
}

/// Where a group's values may have been written.
fn add_origins(origins: &mut Origins, path: &str, short: Option<&str>) {
    origins.add(format!("{path}.tcp.recovery"), format!("{path}.recovery"));
    origins.add(format!("{path}.tcp"), "tcp");
    if let Some(short) = short {
        origins.add(format!("{path}.access"), format!("{short}.access"));
    }
}

fn count_flows(s: &Scenario) -> Result<(), Fault> {
    let flows = s.flows.iter().enumerate().map(|(i, g)| {
        let parallel = g.parallel.unwrap_or(1);
        let key = if parallel == 1 { "count" } else { "parallel" };
        (format!("flows.{i}.{key}"), Some(g.count.unwrap_or(1).saturating_mul(parallel)))
    });
    let arrivals = s.arrivals.iter().enumerate();
    let flows =
        flows.chain(arrivals.map(|(i, a)| (format!("arrivals.{i}.connections"), Some(a.slots()))));
    let web = s.web.iter().enumerate();
    let flows = flows.chain(web.map(|(i, w)| (format!("web.{i}.sessions"), Some(w.slots()))));
    let udp = s.background.iter().enumerate();
    let udp = udp.map(|(i, b)| (format!("background.{i}.count"), b.count));
    let mut total = 0_u64;
    for (path, count) in flows.chain(udp) {
        let count = count.unwrap_or(1);
        if count == 0 {
            return Err(Mistake::new("a group of no flows", "at least 1, or delete it").at(path));
        }
        total = total.saturating_add(count);
        if total > MAX_FLOWS {
            let gigabytes = total.saturating_mul(BYTES_PER_FLOW) as f64 / 1e9;
            return Err(Mistake::new(
                format!("{total} flows would take about {gigabytes:.1} GB before the first packet"),
                format!("at most {MAX_FLOWS} flows in all"),
            )
            .at(path));
        }
    }
    if total == 0 {
        return Err(Mistake::new(
            "no traffic",
            "add [[flows]], [[arrivals]], [[web]] or [[background]]",
        )
        .at(""));
    }
    Ok(())
}

fn measure(measure: Option<Measure>, end: Duration) -> Result<Measure, Fault> {
    let half = Duration::from_nanos(end.nanos() / 2);
    let from = measure.map_or(half, |m| m.from.0);
    let to = measure.and_then(|m| m.to).map_or(end, |to| to.0);
    if to > end {
        return Err(Mistake::new(
            format!("the measuring window ends at {to}, after the experiment ends at {end}"),
            "measure.to is at most the duration",
        )
        .at("measure.to"));
    }
    if from >= to {
        return Err(Mistake::new(
            format!("the measuring window from {from} to {to} is empty"),
            "measure.from is before measure.to, and before the end of the experiment",
        )
        .at("measure.from"));
    }
    Ok(Measure { from: from.into(), to: Some(to.into()) })
}

/// Replaces a short form by its graph; gives its first and last router.
fn topology(
    s: &Scenario,
    out: &mut Scenario,
    origins: &mut Origins,
) -> Result<Option<(String, String)>, Fault> {
    let graph = !s.nodes.is_empty() || !s.links.is_empty();
    let choose = "choose one of [dumbbell], [parking-lot], or nodes with [[links]]";
    match (&s.dumbbell, &s.parking_lot, graph) {
        (None, None, false) => Err(Mistake::new("no topology", choose).at("")),
        (None, None, true) => Ok(None),
        (Some(dumbbell), None, false) => {
            for there in ["dumbbell.reverse", "dumbbell"] {
                origins.add("links.0.reverse", there);
            }
            origins.add("links.0", "dumbbell");
            out.dumbbell = None;
            out.links = vec![dumbbell_link(dumbbell)];
            out.nodes = vec!["R1".into(), "R2".into()];
            Ok(Some(("R1".into(), "R2".into())))
        }
        (None, Some(lot), false) => {
            out.parking_lot = None;
            out.links = parking_links(lot)?;
            for i in 0..out.links.len() {
                for there in
                    ["parking-lot.reverse", &format!("parking-lot.hops.{i}"), "parking-lot"]
                {
                    origins.add(format!("links.{i}.reverse"), there);
                }
                origins.add(format!("links.{i}"), format!("parking-lot.hops.{i}"));
                origins.add(format!("links.{i}"), "parking-lot");
            }
            out.nodes = (1..=out.links.len() + 1).map(|i| format!("R{i}")).collect();
            Ok(Some(("R1".into(), format!("R{}", out.nodes.len()))))
        }
        (dumbbell, lot, _) => {
            let second = match (dumbbell, lot) {
                (Some(_), Some(_)) => "parking-lot",
                _ if s.nodes.is_empty() => "links",
                _ => "nodes",
            };
            Err(Mistake::new("a second topology", choose).at_key(second))
        }
    }
}

fn dumbbell_link(d: &Dumbbell) -> Link {
    Link {
        name: None,
        from: "R1".into(),
        to: "R2".into(),
        rate: d.rate.clone(),
        delay: d.delay,
        queue: d.queue.clone(),
        loss: d.loss,
        jitter: d.jitter,
        duplex: Some(true),
        reverse: d.reverse.clone(),
    }
}

fn parking_links(lot: &ParkingLot) -> Result<Vec<Link>, Fault> {
    let hops = match &lot.hops {
        Hops::Equal(n) => vec![Hop::default(); (*n as usize).min(MAX_HOPS + 1)],
        Hops::Each(hops) => hops.clone(),
    };
    if hops.is_empty() || hops.len() > MAX_HOPS {
        return Err(Mistake::new(
            format!(
                "a parking lot of {}",
                if hops.is_empty() { "no hops" } else { "too many hops" }
            ),
            format!("from 1 to {MAX_HOPS}"),
        )
        .at("parking-lot.hops"));
    }
    let link = |(i, hop): (usize, Hop)| Link {
        name: None,
        from: format!("R{}", i + 1),
        to: format!("R{}", i + 2),
        rate: hop.rate.unwrap_or_else(|| lot.rate.clone()),
        delay: hop.delay.unwrap_or(lot.delay),
        queue: hop.queue.unwrap_or_else(|| lot.queue.clone()),
        loss: hop.loss.or(lot.loss),
        jitter: hop.jitter.or(lot.jitter),
        duplex: Some(true),
        reverse: lot.reverse.clone(),
    };
    Ok(hops.into_iter().enumerate().map(link).collect())
}

fn expand_link(link: &mut Link, path: &str) -> Result<(), Fault> {
    if let Some(name) = &link.name {
        check_name(name, &format!("{path}.name"))?;
    }
    link.loss = Some(impair::loss(link.loss, &format!("{path}.loss"))?);
    link.jitter = impair::jitter(link.jitter, &format!("{path}.jitter"))?;
    impair::check_rate(&link.rate, link.delay.0, path)?;
    let duplex = link.duplex.unwrap_or(true);
    link.duplex = Some(duplex);
    if duplex {
        let said = link.reverse.take().unwrap_or_default();
        let mut queue = said.queue.unwrap_or_else(|| link.queue.clone());
        expand_queue(&mut queue, &format!("{path}.reverse.queue"))?;
        link.reverse = Some(Reverse {
            rate: Some(said.rate.unwrap_or_else(|| link.rate.clone())),
            delay: Some(said.delay.unwrap_or(link.delay)),
            queue: Some(queue),
            loss: Some(impair::loss(said.loss, &format!("{path}.reverse.loss"))?),
            jitter: impair::jitter(said.jitter, &format!("{path}.reverse.jitter"))?,
        });
        if let Some(Reverse { rate: Some(rate), delay: Some(delay), .. }) = &link.reverse {
            impair::check_rate(rate, delay.0, &format!("{path}.reverse"))?;
        }
    } else if link.reverse.is_some() {
        return Err(Mistake::new(
            "a link of one direction has no reverse",
            "drop `duplex = false`",
        )
        .at_key(format!("{path}.reverse")));
    }
    expand_queue(&mut link.queue, &format!("{path}.queue"))
}

pub(super) fn expand_queue(queue: &mut Queue, path: &str) -> Result<(), Fault> {
    let name = queue.policy.get_or_insert_with(|| "droptail".into());
    let kind = find(name, "queue policy", &format!("{path}.policy"))?;
    // the short form of a queue names its limit; its policy is not in the text
    let policy: queue::Spec = spec(kind, &queue.params, path)?;
    queue.params = full_params(&policy);
    queue.ecn.get_or_insert(policy.needs(Need::Marking));
    if let Some(size) = queue.mean_packet
        && (size.get() == 0 || size.get() > profile::MAX_PACKET)
    {
        return Err(Mistake::new(format!("a mean packet of {size}"), "from 1B to 65535B")
            .at(format!("{path}.mean_packet")));
    }
    Ok(())
}

/// The algorithm of this name.
pub(super) fn find<K: Kind>(name: &str, what: &str, path: &str) -> Result<K, Fault> {
    K::named(name).ok_or_else(|| {
        let names: Vec<&str> = K::ALL.iter().map(|kind| kind.sheet().name).collect();
        Mistake::new(format!("unknown {what} `{}`", quote(name)), nearest(name, &names)).at(path)
    })
}

/// An algorithm with some of its parameters set.
pub(super) fn spec<K: Kind>(
    kind: K,
    given: &[(String, f64)],
    path: &str,
) -> Result<Spec<K>, Fault> {
    let given = given.iter().map(|(name, value)| (name.as_str(), *value));
    Spec::with(kind, given).map_err(|error| refused(kind.sheet(), error, path))
}

/// What the user is told of parameters that do not do.
fn refused(sheet: &Sheet, error: SpecError<'_>, path: &str) -> Fault {
    match error {
        SpecError::Name => unreachable!("its sheet is known"),
        SpecError::Param(name, _, ParamError::Unknown(_)) => {
            let names: Vec<&str> = sheet.params.iter().map(|p| p.name).collect();
            let message = format!("`{}` has no parameter `{}`", sheet.name, quote(name));
            let help = match names.as_slice() {
                [] => format!("`{}` has no parameters", sheet.name),
                _ => nearest(name, &names),
            };
            Mistake::new(message, help).at_key(format!("{path}.{name}"))
        }
        SpecError::Param(name, value, ParamError::OutOfRange(p)) => {
            let help = format!("from {} to {} {}", p.min, p.max, p.unit);
            Mistake::new(format!("{name} = {value} is out of range"), help.trim_end().to_owned())
                .at(format!("{path}.{name}"))
        }
        SpecError::Rule(rule) => {
            Mistake::new(format!("`{}` cannot work like this", sheet.name), rule).at(path)
        }
    }
}

fn full_params<K: Kind>(spec: &Spec<K>) -> Vec<(String, f64)> {
    spec.iter().map(|(p, value)| (p.name.to_owned(), value)).collect()
}

pub(super) fn expand_group(
    group: &mut Flows,
    s: &Scenario,
    ends: Option<&(String, String)>,
    access: Option<Option<&Access>>,
    path: &str,
) -> Result<(), Fault> {
    check_name(&group.name, &format!("{path}.name"))?;
    enter_and_leave(&mut group.from, &mut group.to, &mut group.direction, ends, path)?;
    group.count.get_or_insert(1);
    let kind: congestion::Kind =
        find(&group.cc.name, "congestion control", &format!("{path}.cc.name"))?;
    let sheet = kind.sheet();
    s.profile.0.choose_params(sheet, &mut group.cc.params);
    group.cc.params = full_params(&spec(kind, &group.cc.params, &format!("{path}.cc"))?);
    let mut said = group.tcp.take().unwrap_or_default();
    if group.recovery.is_some() && said.recovery.is_some() {
        return Err(Mistake::new("the recovery is said twice", "keep the group's `recovery`")
            .at(format!("{path}.tcp.recovery")));
    }
    said.recovery = group.recovery.or(said.recovery);
    let mut tcp = profile::resolve(s.profile.0, sheet.needs, s.tcp.as_ref(), &said);
    profile::check_needs(&tcp, sheet, path)?;
    profile::endpoint(&tcp, path)?;
    group.recovery = tcp.recovery.take();
    group.tcp = Some(tcp);
    if let Some(default) = access {
        group.access = Some(merge(group.access.as_ref(), default));
    }
    if let Some(access) = &mut group.access {
        if access.rate.is_none() {
            return Err(Mistake::new(
                format!("the access links of `{}` have no rate", group.name),
                "write access = { rate = \"1Gbit\", delay = \"1ms\" } here or for all flows",
            )
            .at(format!("{path}.access")));
        }
        access.delay.get_or_insert(ACCESS_DELAY.into());
        let queue = access.queue.get_or_insert(Queue::droptail(ACCESS_LIMIT));
        expand_queue(queue, &format!("{path}.access.queue"))?;
        group.host_queue.get_or_insert(s.profile.0.host_queue().into());
    } else if group.host_queue.is_some() {
        return Err(Mistake::new(
            "these flows have no hosts of their own",
            "give them `access`, or set the queue of the link out of the host",
        )
        .at_key(format!("{path}.host_queue")));
    }
    let parallel = group.parallel.unwrap_or(1);
    if group.size.is_some_and(|Text(size)| size.get() < parallel) && parallel > 1 {
        let message = format!("{parallel} connections share less than a byte each");
        return Err(Mistake::new(message, "a larger size, or fewer").at(format!("{path}.size")));
    }
    if group.size == Some(Text(Bytes::ZERO)) {
        return Err(Mistake::new("a flow of no size", "at least 1B").at(format!("{path}.size")));
    }
    let start = *group.start.get_or_insert(Start::At(Duration::ZERO));
    check_times(start, group.stop, group.count, s.duration.0, path)
}

fn merge(group: Option<&Access>, all: Option<&Access>) -> Access {
    let nothing = Access::default();
    let (group, all) = (group.unwrap_or(&nothing), all.unwrap_or(&nothing));
    Access {
        rate: group.rate.or(all.rate),
        delay: group.delay.or(all.delay),
        queue: group.queue.clone().or_else(|| all.queue.clone()),
    }
}

fn enter_and_leave(
    from: &mut Option<String>,
    to: &mut Option<String>,
    direction: &mut Option<Text<Direction>>,
    ends: Option<&(String, String)>,
    path: &str,
) -> Result<(), Fault> {
    let direction = direction.take().map(|d| d.0);
    match ends {
        Some(_) if direction.is_some() && (from.is_some() || to.is_some()) => {
            Err(Mistake::new("a direction besides from and to", "keep the one or the other")
                .at_key(format!("{path}.direction")))
        }
        Some((first, last)) => {
            let reverse = direction == Some(Direction::Reverse);
            let (first, last) = if reverse { (last, first) } else { (first, last) };
            from.get_or_insert_with(|| first.clone());
            to.get_or_insert_with(|| last.clone());
            Ok(())
        }
        None if direction.is_some() => {
            Err(Mistake::new("a general graph has no direction", "write `from` and `to`")
                .at_key(format!("{path}.direction")))
        }
        None if from.is_none() || to.is_none() => {
            let key = if from.is_none() { "from" } else { "to" };
            Err(Mistake::new(format!("`{key}` is missing here"), "in a graph, name both nodes")
                .at(path))
        }
        None => Ok(()),
    }
}

pub(super) fn check_times(
    start: Start,
    stop: Option<Text<Duration>>,
    count: Option<u64>,
    end: Duration,
    path: &str,
) -> Result<(), Fault> {
    let last = match start {
        Start::At(time) => time,
        Start::Uniform(_, to) => to,
        Start::Staggered { first, every } => {
            let later = every * count.unwrap_or(1).saturating_sub(1);
            Duration::from_nanos(first.nanos().saturating_add(later.nanos()))
        }
    };
    if last >= end {
        return Err(Mistake::new(
            format!("a start at {last} is not before the end of the experiment at {end}"),
            "start earlier, or prolong the experiment",
        )
        .at(format!("{path}.start")));
    }
    match stop {
        Some(Text(stop)) if stop <= last => Err(Mistake::new(
            format!("a stop at {stop} is not after the start at {last}"),
            "stop after the last start",
        )
        .at(format!("{path}.stop"))),
        _ => Ok(()),
    }
}

fn expand_background(
    b: &mut Background,
    end: Duration,
    ends: Option<&(String, String)>,
    packet: Bytes,
    path: &str,
) -> Result<(), Fault> {
    check_name(&b.name, &format!("{path}.name"))?;
    enter_and_leave(&mut b.from, &mut b.to, &mut b.direction, ends, path)?;
    b.count.get_or_insert(1);
    let size = b.packet.get_or_insert(packet.into()).0;
    if size.get() == 0 || size.get() > profile::MAX_PACKET {
        return Err(Mistake::new(format!("a packet of {size}"), "from 1B to 65535B")
            .at(format!("{path}.packet")));
    }
    expand_share(b, path)?;
    match (b.on, b.off) {
        _ if b.share.is_some() => {}
        (None, None) => {
            let jitter = *b.jitter.get_or_insert(0.0);
            if !(0.0..1.0).contains(&jitter) {
                return Err(Mistake::new(format!("a jitter of {jitter}"), "from 0 to below 1")
                    .at(format!("{path}.jitter")));
            }
        }
        (Some(on), Some(off)) => {
            if b.jitter.is_some() {
                let mistake =
                    Mistake::new("jitter besides on and off", "keep the one or the other");
                return Err(mistake.at_key(format!("{path}.jitter")));
            }
            for (time, key) in [(on, "on"), (off, "off")] {
                if time.0 == Duration::ZERO {
                    return Err(Mistake::new("a mean of zero", "write a time such as \"500ms\"")
                        .at(format!("{path}.{key}")));
                }
            }
        }
        _ => {
            return Err(
                Mistake::new("`on` and `off` come together", "write both, or neither").at(path)
            );
        }
    }
    let start = *b.start.get_or_insert(Start::At(Duration::ZERO));
    check_times(start, b.stop, b.count, end, path)
}

/// ns-2's Exponential has 500 ms of each unless told otherwise.
const PERIOD: Duration = Duration::from_millis(1000);

fn expand_share(b: &mut Background, path: &str) -> Result<(), Fault> {
    let Some(share) = b.share else {
        return match b.period {
            None => Ok(()),
            Some(_) => Err(Mistake::new("a period of nothing", "write `share` with it")
                .at_key(format!("{path}.period"))),
        };
    };
    if !(0.0..=1.0).contains(&share) {
        let help = "from 0, never on, to 1, always on";
        return Err(Mistake::new(format!("a share of {share}"), help).at(format!("{path}.share")));
    }
    let others = [("jitter", b.jitter.is_some()), ("on", b.on.is_some()), ("off", b.off.is_some())];
    if let Some((other, _)) = others.into_iter().find(|(_, said)| *said) {
        let help = "keep `share` and `period`, or the others";
        let mistake = Mistake::new(format!("`{other}` besides a share"), help);
        return Err(mistake.at_key(format!("{path}.{other}")));
    }
    if b.period.get_or_insert(PERIOD.into()).0 == Duration::ZERO {
        let mistake = Mistake::new("a period of zero", "write a time such as \"1s\"");
        return Err(mistake.at(format!("{path}.period")));
    }
    Ok(())
}

fn trace(t: &Trace, s: &Scenario, out: &Scenario) -> Result<Trace, Fault> {
    if t.interval.0 == Duration::ZERO {
        return Err(Mistake::new("an interval of zero", "write a time such as \"10ms\"")
            .at("trace.interval"));
    }
    let mut links = t.links.clone().unwrap_or(TraceLinks::Bottleneck);
    let short = s.dumbbell.is_some() || s.parking_lot.is_some();
    if short && links == TraceLinks::Bottleneck {
        let names = out.links.iter().map(|l| format!("{}->{}", l.from, l.to));
        links = TraceLinks::Named(names.collect());
    }
    Ok(Trace { interval: t.interval, flows: Some(t.flows.unwrap_or(true)), links: Some(links) })
}

const LONGEST_NAME: usize = 64;

/// Names end up in files, tables and on the command line.
pub(super) fn check_name(name: &str, path: &str) -> Result<(), Fault> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    if !name.is_empty() && name.chars().count() <= LONGEST_NAME && name.chars().all(fits) {
        return Ok(());
    }
    Err(Mistake::new(
        format!("`{}` cannot be a name", quote(name)),
        format!("1 to {LONGEST_NAME} letters, digits, `_`, `-`, `.`, `+`"),
    )
    .at(path))
}
