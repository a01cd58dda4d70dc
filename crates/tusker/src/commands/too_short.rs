//! A note on measuring windows that are too short: a law that grows until it loses packets
//! reaches its long-term mean only after several losses.

use std::collections::BTreeMap;

use tusker_core::congestion::{Kind, Spec, linux};
use tusker_lab::Experiment;
use tusker_lab::plan::{cycle, cycle_of_losses, grows_until_loss};
use tusker_lab::sweep::Swept;
use tusker_plan::plan::{Counting, Flow, Limit, Plan};
use tusker_record::stats::Estimate;
use tusker_record::store::sweep::{Run, SweepSummary};
use tusker_record::summary::Summary;
use tusker_record::table::{Unit, fold};

use crate::report::place;

/// With fewer congestion episodes per flow, a mean says where in its cycle the window
/// was, not what the algorithm gets in the long run.
const FEW: f64 = 3.0;

/// So many points are named.
const NAMED: usize = 3;

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
            "note: {}: fewer than {FEW} congestion episodes per flow in the measuring window, which \
             is too few for a long-term mean (on this path {who} about {period} from one loss to \
             the next). Use a longer --duration",
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
    of: BTreeMap<usize, At>,
}

/// What is known of a point.
#[derive(Debug)]
struct At {
    /// The place of its groups in `kinds`.
    kind: usize,
    period: Option<Period>,
    /// How long it runs, and how long of that is measured.
    duration_s: f64,
    window_s: f64,
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
        let (duration_s, window_s) =
            (plan.end.secs(), plan.measure_to.secs() - plan.measure_from.secs());
        self.of.insert(point, At { kind, period: period(plan), duration_s, window_s });
    }

    /// Points that had too few losses, if there are any: at how many points of each law, which
    /// they are, and which duration would do.
    pub fn few(&self, swept: &Swept, summary: &SweepSummary) -> Option<Few> {
        let mut laws: Vec<(&str, usize, usize)> = Vec::new();
        let mut longest: Option<Period> = None;
        let (mut places, mut duration) = (Vec::new(), 0.0_f64);
        let points = swept.runs.chunk_by(|a, b| a.point == b.point).zip(&summary.points);
        for (runs, point) in points {
            let Some(at) = self.of.get(&runs[0].point) else { continue };
            // the fewest episodes of a flow, for each law
            let mut here: Vec<(&str, f64)> = Vec::new();
            for group in &self.kinds[at.kind] {
                let own = episodes(runs, &group.name) / f64::from(group.flows);
                match here.iter_mut().find(|(law, _)| *law == group.law) {
                    Some((_, known)) => *known = known.min(own),
                    None => here.push((group.law, own)),
                }
            }
            let fewest = here.iter().map(|(_, own)| *own).fold(FEW, f64::min);
            if fewest < FEW {
                longest = longest.into_iter().chain(at.period).max_by(|a, b| a.0.total_cmp(&b.0));
                duration = duration.max(at.enough(fewest));
                places.push(place(summary, point));
            }
            for (law, own) in here {
                let short = usize::from(own < FEW);
                match laws.iter_mut().find(|(known, ..)| *known == law) {
                    Some((_, few, all)) => (*few, *all) = (*few + short, *all + 1),
                    None => laws.push((law, short, 1)),
                }
            }
        }
        let few = laws.iter().filter(|(_, few, _)| *few > 0);
        let laws = few.map(|(law, few, all)| format!("{law} at {few} of {all} points")).collect();
        (!places.is_empty()).then(|| Few { laws, longest, places, duration_s: round_up(duration) })
    }

    /// The note before the first run, if the cycle of a law is known and too long for the
    /// measuring window of some point.
    pub fn ahead(&self) -> Option<String> {
        let (mut laws, mut duration) = (BTreeMap::<&str, f64>::new(), 0.0_f64);
        let known = self.of.values().filter(|at| !self.kinds[at.kind].is_empty());
        for (at, (period, who)) in known.filter_map(|at| Some((at, at.own()?))) {
            if FEW * period > at.window_s {
                let longest = laws.entry(who).or_default();
                *longest = longest.max(period);
                duration = duration.max(at.enough(FEW));
            }
        }
        let laws: Vec<String> = laws
            .iter()
            .map(|(who, period)| format!("{who} up to about {}", Unit::Time.text(*period)))
            .collect();
        (!laws.is_empty()).then(|| {
            format!(
                "note: from one loss to the next {}; a long-term mean needs {FEW} of these in the \
                 measuring window: --set duration={}s",
                laws.join(", "),
                round_up(duration)
            )
        })
    }
}

/// What had too few losses in a sweep.
#[derive(Debug)]
pub struct Few {
    laws: Vec<String>,
    longest: Option<Period>,
    places: Vec<String>,
    /// A run of so many seconds should be long enough.
    pub duration_s: f64,
}

impl Few {
    pub fn note(&self) -> String {
        let period = self.longest.map_or(String::new(), |(period, who)| {
            let period = Unit::Time.text(period);
            format!(" ({who} up to about {period} from one loss to the next)")
        });
        let more = match self.places.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let places: Vec<&str> = self.places.iter().take(NAMED).map(String::as_str).collect();
        let few = format!(
            "note: {}: fewer than {FEW} congestion episodes per flow in the measuring window, which \
             is too few for a long-term mean{period}.",
            self.laws.join(", ")
        );
        format!(
            "{}\n      Where: {}{more}.\n      Use a longer duration (--set duration={}s)",
            fold(&few, 94).join("\n      "),
            places.join(", "),
            self.duration_s
        )
    }
}

impl At {
    /// Seconds of a run that should be long enough, from the episodes of a flow that were
    /// seen in its window; the window grows with the run.
    fn enough(&self, seen: f64) -> f64 {
        let by_seen = if seen > 0.0 { FEW / seen } else { 2.0 };
        // of a law whose cycle is known, a run that is shorter than that is not enough
        let by_cycle = self.own().map_or(0.0, |(period, _)| FEW * period / self.window_s);
        self.duration_s * by_seen.max(by_cycle)
    }

    /// The cycle of the law itself, if that is known.
    fn own(&self) -> Option<Period> {
        self.period.filter(|(_, who)| *who != A_RENO_FLOW)
    }
}

/// The next round number: 1, 1.5, 2, 3, 4, 5, 6, 8 and these times powers of ten.
pub fn round_up(value: f64) -> f64 {
    const ROUND: [i32; 9] = [10, 15, 20, 30, 40, 50, 60, 80, 100];
    let power = value.log10().floor() as i32 - 1;
    let times = |round: i32| match power {
        0.. => f64::from(round) * 10_f64.powi(power),
        _ => f64::from(round) / 10_f64.powi(-power),
    };
    // what is round but for the last digits stays as it is
    let enough = |round: &f64| *round >= value * (1.0 - 1e-9);
    ROUND.map(times).into_iter().find(enough).unwrap_or(value)
}

/// Congestion episodes and timeouts of a group, the mean over its runs.
fn episodes(runs: &[Run], group: &str) -> f64 {
    let value = |run: &Run, name: &str| run.row.value(&format!("groups.{group}.{name}"));
    let both = |run| value(run, "episodes").unwrap_or(0.0) + value(run, "timeouts").unwrap_or(0.0);
    runs.iter().map(both).sum::<f64>() / runs.len() as f64
}

/// Seconds from one loss to the next, and who takes them: `HSTCP takes`.
type Period = (f64, &'static str);

/// Who, of a law of which the time is not known.
const A_RENO_FLOW: &str = "a Reno flow would need";

/// How long the first flow takes from one loss to the next, if that is known of its law,
/// else how long a flow of Reno would need: the shorter of what the queue and what the wire
/// gives it. `None` if nothing is ever lost.
fn period(plan: &Plan) -> Option<Period> {
    let flow = plan.flows.first()?;
    // the formulas are for the default parameters, and for those of Linux's modules
    let of_module = |(param, value)| linux::default(flow.cc.name(), param) == value;
    let usual = flow.cc == Spec::new(flow.cc.kind()) || flow.cc.iter().all(of_module);
    let own = match flow.cc.kind() {
        _ if !usual => None,
        Kind::Reno => Some("Reno takes"),
        Kind::Hstcp => Some("HSTCP takes"),
        Kind::Cubic | Kind::CubicLinux => Some("CUBIC takes"),
        Kind::Scalable => Some("Scalable TCP takes"),
        Kind::Htcp => Some("H-TCP takes"),
        _ => None,
    };
    let (kind, who) = match own {
        Some(who) => (flow.cc.kind(), who),
        None => (Kind::Reno, A_RENO_FLOW),
    };
    let slower = if own.is_some() { slower(plan, flow) } else { 1.0 };
    let of_queue = queue_cycle(plan).and_then(|(window, rtt)| {
        match flow.cc.kind() {
            // its window rises by 1/slower of that of the formula in the same time, but no
            // slower than Reno's
            Kind::Htcp if own.is_some() => {
                let reno = cycle(Kind::Reno, window, rtt)?;
                Some(cycle(kind, slower * window, rtt)?.min(reno))
            }
            _ => Some(slower * cycle(kind, window, rtt)?),
        }
    });
    let kept = flow.route.iter().map(|&l| 1.0 - plan.links[l].loss.mean()).product::<f64>();
    let of_wire = match kept < 1.0 {
        true if flow.cc.kind() == Kind::Htcp && own.is_some() => {
            cycle_of_losses(kind, (1.0 - kept) / slower, delays(plan, flow))
        }
        true => cycle_of_losses(kind, slower * (1.0 - kept), delays(plan, flow))
            .map(|period| slower * period),
        false => None,
    };
    Some((of_queue.into_iter().chain(of_wire).min_by(f64::total_cmp)?, who))
}

/// How many times slower than its formula a flow grows. A delayed ACK that counts as one is
/// for two segments; the growth of H-TCP may be scaled with the round trip.
fn slower(plan: &Plan, flow: &Flow) -> f64 {
    if flow.cc.value("rtt_scaling") == Some(1.0) {
        return 1.0 / (delays(plan, flow) / 0.1).clamp(0.1, 2.0);
    }
    let delayed = flow.tcp.delayed_ack.is_some() || flow.tcp.segments_per_packet > 1;
    match flow.tcp.counting {
        Counting::Acks | Counting::SegmentsThenAcks if delayed => 2.0,
        _ => 1.0,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_rounded_up() {
        for (value, round) in [
            (0.21, 0.3),
            (7.5, 8.0),
            (10.0, 10.0),
            (10.1, 15.0),
            (59.95, 60.0),
            (61.0, 80.0),
            (810.0, 1000.0),
            (0.3 * 2.0 * 10.0, 6.0),
        ] {
            assert_eq!(round_up(value).to_string(), round.to_string(), "{value}");
        }
    }

    /// 10 s of which 5 are measured. Two episodes: 10 x 3 / 2. None: twice. Three cycles of
    /// 8 s in a window of half of the run: 48 s.
    #[test]
    fn enough_follows_from_the_losses_and_from_the_cycle() {
        let at = |period| At { kind: 0, period, duration_s: 10.0, window_s: 5.0 };
        assert_eq!(at(None).enough(2.0), 15.0);
        assert_eq!(at(Some((8.0, A_RENO_FLOW))).enough(0.0), 20.0);
        assert_eq!(at(Some((8.0, "Reno takes"))).enough(2.0), 48.0);
    }
}
