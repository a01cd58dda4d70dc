//! A note on measuring windows that are too short: a law that grows until it loses
//! something has a long-term mean only after several losses.

use std::collections::BTreeMap;

use tusker_core::congestion::Kind;
use tusker_lab::Experiment;
use tusker_lab::plan::{cycle, cycle_of_losses, grows_until_loss};
use tusker_lab::sweep::Swept;
use tusker_plan::plan::{Flow, Limit, Plan};
use tusker_record::stats::Estimate;
use tusker_record::store::sweep::Run;
use tusker_record::summary::Summary;
use tusker_record::table::Unit;

/// With fewer congestion episodes per flow, a mean says where in its cycle the window
/// was, not what the algorithm gets in the long run.
const FEW: f64 = 3.0;

/// The note on the experiments of a comparison, if there is one.
pub fn compared(experiments: &[Experiment], summaries: &[Summary]) -> Option<String> {
    let few = |(experiment, summary): &(&Experiment, &Summary)| {
        let by_loss = |flow: &Flow| grows_until_loss(flow.cc.kind());
        let group = &summary.groups[0];
        let count = |estimate: Option<Estimate>| estimate.map_or(0.0, |estimate| estimate.mean);
        let episodes = count(group.measured.episodes) + count(group.measured.timeouts);
        // laws that look at delay or rate may live without any loss
        experiment.ready.plan.flows.first().is_some_and(by_loss)
            && !summary.seeds.is_empty()
            && episodes / f64::from(group.flows) < FEW
    };
    let short: Vec<_> = experiments.iter().zip(summaries).filter(few).collect();
    let names: Vec<&str> = short.iter().map(|(_, s)| s.scenario.as_str()).collect();
    let periods = short.iter().filter_map(|(of, _)| period(&of.ready.plan));
    let (period, who) = periods.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (!names.is_empty()).then(|| {
        let period = Unit::Time.text(period);
        format!(
            "note: {}: fewer than {FEW} congestion episodes per flow in the measuring window, too few \
             for a long-term mean\n      (on this path {who} about {period} from one loss to the \
             next); use a longer --duration",
            names.join(", "),
        )
    })
}

/// What the points of a sweep need: the groups that grow until a loss, and how long it
/// takes from one loss to the next.
#[derive(Debug, Default)]
pub struct Points {
    /// Different sets of groups; points mostly share a few.
    kinds: Vec<Vec<Group>>,
    /// For each point, the place of its set in `kinds`, and the time in seconds.
    of: BTreeMap<usize, (usize, Option<Period>)>,
}

/// A group of flows that grow until a loss.
#[derive(Debug, PartialEq)]
struct Group {
    name: String,
    law: &'static str,
    flows: u32,
}

impl Points {
    /// Keeps what is needed of a point's plan.
    pub fn look(&mut self, point: usize, plan: &Plan) {
        let mut groups: Vec<Group> = Vec::new();
        let lasting = &plan.flows[..plan.lasting()];
        // a flow of a given size ends where it ends
        let cyclic = |flow: &&Flow| {
            grows_until_loss(flow.cc.kind()) && flow.size.is_none() && flow.app.is_none()
        };
        for flow in lasting.iter().filter(cyclic) {
            let (name, law) = (&plan.groups[flow.group], flow.cc.name());
            match groups.iter_mut().find(|own| own.name == *name && own.law == law) {
                Some(own) => own.flows += 1,
                None => groups.push(Group { name: name.clone(), law, flows: 1 }),
            }
        }
        let known = self.kinds.iter().position(|kind| *kind == groups);
        let kind = known.unwrap_or_else(|| {
            self.kinds.push(groups);
            self.kinds.len() - 1
        });
        self.of.insert(point, (kind, period(plan)));
    }

    /// The note on the points of a sweep, if there is one: at how many points each law
    /// had too few losses.
    pub fn note(&self, swept: &Swept) -> Option<String> {
        let mut laws: Vec<(&str, usize, usize)> = Vec::new();
        let mut longest: Option<Period> = None;
        for runs in swept.runs.chunk_by(|a, b| a.point == b.point) {
            let Some((kind, period)) = self.of.get(&runs[0].point) else { continue };
            let groups = &self.kinds[*kind];
            let mut here: Vec<(&str, bool)> = Vec::new();
            for group in groups {
                let short = episodes(runs, &group.name) / f64::from(group.flows) < FEW;
                match here.iter_mut().find(|(law, _)| *law == group.law) {
                    Some((_, known)) => *known |= short,
                    None => here.push((group.law, short)),
                }
            }
            if here.iter().any(|(_, short)| *short) {
                longest = longest.into_iter().chain(*period).max_by(|a, b| a.0.total_cmp(&b.0));
            }
            for (law, short) in here {
                match laws.iter_mut().find(|(known, ..)| *known == law) {
                    Some((_, few, all)) => (*few, *all) = (*few + usize::from(short), *all + 1),
                    None => laws.push((law, short.into(), 1)),
                }
            }
        }
        let few = laws.iter().filter(|(_, few, _)| *few > 0);
        let few = few.map(|(law, few, all)| format!("{law} at {few} of {all} points"));
        let few: Vec<String> = few.collect();
        (!few.is_empty()).then(|| {
            let period = longest.map_or(String::new(), |(period, who)| {
                let period = Unit::Time.text(period);
                format!(" ({who} up to about {period} from one loss to the next)")
            });
            format!(
                "note: {}: fewer than {FEW} congestion episodes per flow in the measuring window,\n      \
                 too few for a long-term mean{period}; use a longer duration (--set duration=..)",
                few.join(", ")
            )
        })
    }
}

/// Congestion episodes and timeouts of a group, the mean over its runs.
fn episodes(runs: &[Run], group: &str) -> f64 {
    let value = |run: &Run, name: &str| run.row.value(&format!("groups.{group}.{name}"));
    let both = |run| value(run, "episodes").unwrap_or(0.0) + value(run, "timeouts").unwrap_or(0.0);
    runs.iter().map(both).sum::<f64>() / runs.len() as f64
}

/// Seconds from one loss to the next, and who takes them: `HSTCP takes`.
type Period = (f64, &'static str);

/// How long the first flow takes from one loss to the next, if that is known of its law,
/// else how long a flow of Reno would need: the shorter of what the queue and what the wire
/// gives it. `None` if nothing is ever lost.
fn period(plan: &Plan) -> Option<Period> {
    let flow = plan.flows.first()?;
    let own = match flow.cc.kind() {
        Kind::Reno => Some("Reno takes"),
        Kind::Hstcp => Some("HSTCP takes"),
        Kind::Cubic | Kind::CubicLinux => Some("CUBIC takes"),
        Kind::Scalable => Some("Scalable TCP takes"),
        Kind::Htcp => Some("H-TCP takes"),
        _ => None,
    };
    let (kind, who) = match own {
        Some(who) => (flow.cc.kind(), who),
        None => (Kind::Reno, "a Reno flow would need"),
    };
    let of_queue = queue_cycle(plan).and_then(|(window, rtt)| cycle(kind, window, rtt));
    let kept = flow.route.iter().map(|&l| 1.0 - plan.links[l].loss.mean()).product::<f64>();
    let of_wire = match kept < 1.0 {
        true => cycle_of_losses(kind, 1.0 - kept, delays(plan, flow)),
        false => None,
    };
    Some((of_queue.into_iter().chain(of_wire).min_by(f64::total_cmp)?, who))
}

/// Propagation there and back, seconds.
pub fn delays(plan: &Plan, flow: &Flow) -> f64 {
    flow.route.iter().chain(&flow.reverse).map(|&l| plan.links[l].delay.secs()).sum()
}

/// The slowest link on the way of a flow.
pub fn slowest(plan: &Plan, flow: &Flow) -> Option<usize> {
    flow.route.iter().copied().min_by_key(|&l| plan.links[l].rate.bits_per_sec())
}

/// The largest window of a flow in segments, W = (BDP + B) / n, and the round trip in
/// seconds with a queue that is half full in the mean. `None` without a limit.
fn queue_cycle(plan: &Plan) -> Option<(f64, f64)> {
    let flow = plan.flows.first()?;
    let slowest = slowest(plan, flow)?;
    let link = &plan.links[slowest];
    let packet = flow.tcp.packet.get() as f64;
    let per_second = link.rate.bits_per_sec() as f64 / 8.0 / packet;
    let buffer = match link.queue.limit {
        Limit::Packets(n) => n as f64,
        Limit::Bytes(n) => n as f64 / packet,
        Limit::Unlimited | Limit::Backpressure(_) => return None,
    };
    let rtt = delays(plan, flow);
    // connections that come and go are too short to take a share for long
    let lasting = &plan.flows[..plan.lasting()];
    let flows = lasting.iter().filter(|flow| flow.route.contains(&slowest)).count().max(1);
    let window = (rtt * per_second + buffer) / flows as f64;
    Some((window, rtt + buffer / 2.0 / per_second))
}
