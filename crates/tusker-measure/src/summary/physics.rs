//! Impossible results: the rules that every replicate is checked against when it is summarised.
//! A number that breaks one is a bug of ours, whatever the scenario.
//!
//! `bounds.rs` lists the range of each measure, and which measure may not exceed which other
//! one; these checks need only the measures, so stored ones are checked too. The others need
//! the run: packets are conserved, nothing arrives faster than the last link of its path could
//! carry it, and no delay is below propagation and transmission at the best rates.
//! docs/results.md has the same list.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use tusker_core::{Bytes, Time};

use super::bounds::ORDER;
use super::earliest::{acknowledged_by, rounding, transfer_by, transfer_rounding};
use super::measures::Range::{self, Amount, Index, Number, Ratio, Share};
use super::measures::entry;
use super::transfers::slowdown;
use super::{Replicate, View};
use crate::stats::Sample;
use tusker_plan::plan::{Demand, Limit};
use tusker_plan::run::{Run, Totals};

/// An impossible number.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Seed of the replicate.
    pub seed: u64,
    /// Owner and measure: `group.reno.loss_rate`.
    pub measure: String,
    /// Its value.
    pub value: f64,
    /// Its required range.
    pub bound: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, measure, value, bound } = self;
        write!(f, "seed {seed}: {measure} is {value:?}, but must be {bound}")
    }
}

/// Tolerance for floating-point rounding.
const DIGITS: f64 = 1e-9;

/// Both tables for the measures of one kind, by index: built once, because looking
/// names up would cost a sweep of short runs one percent of its time.
struct Laws {
    /// By name.
    ranges: Vec<(usize, Range)>,
    order: Vec<(usize, usize)>,
}

static TOTAL: OnceLock<Laws> = OnceLock::new();
static GROUP: OnceLock<Laws> = OnceLock::new();
static TRANSFERS: OnceLock<Laws> = OnceLock::new();
static LINK: OnceLock<Laws> = OnceLock::new();
static BACKGROUND: OnceLock<Laws> = OnceLock::new();

impl Laws {
    fn of(measures: &[(&'static str, Option<f64>)]) -> Self {
        let place = |wanted: &str| measures.iter().position(|(name, _)| *name == wanted);
        let range = |(at, name): (usize, &str)| {
            (at, entry(name).map_or(Number, |entry| entry.quantity.range()))
        };
        let names = measures.iter().map(|(name, _)| *name).enumerate();
        let mut ranges: Vec<(usize, Range)> = names.map(range).collect();
        ranges.sort_by_key(|(at, _)| measures[*at].0);
        let order = ORDER.iter().filter_map(|(less, more)| place(less).zip(place(more)));
        Self { ranges, order: order.collect() }
    }
}

/// Collects the findings.
struct Findings {
    seed: u64,
    found: Vec<Violation>,
}

impl Findings {
    fn add(&mut self, measure: String, value: f64, bound: String) {
        self.found.push(Violation { seed: self.seed, measure, value, bound });
    }

    /// The laws that need only the measures.
    fn measures<'s>(
        &mut self,
        laws: &OnceLock<Laws>,
        subject: &str,
        measures: impl Iterator<Item = (&'static str, &'s Sample)>,
    ) {
        let measures: Vec<(&'static str, Option<f64>)> =
            measures.map(|(name, sample)| (name, sample.value)).collect();
        let laws = laws.get_or_init(|| Laws::of(&measures));
        for &(at, range) in &laws.ranges {
            let (name, Some(value)) = measures[at] else { continue };
            let (holds, bound) = match range {
                Share => ((0.0..=1.0).contains(&value), "from 0 to 1"),
                Index => (value > 0.0 && value <= 1.0, "above 0, at most 1"),
                Ratio => (value >= 1.0, "at least 1"),
                Amount => (value >= 0.0, "at least 0"),
                Number => (value != 0.0 || value.is_sign_positive(), "a number"),
            };
            let sign = range == Number || value.is_sign_positive();
            if !(holds && value.is_finite() && sign) {
                self.add(format!("{subject}.{name}"), value, bound.to_owned());
            }
        }
        for &(less, more) in &laws.order {
            let ((less, a), (more, b)) = (measures[less], measures[more]);
            if let (Some(a), Some(b)) = (a, b)
                && a > b * (1.0 + DIGITS)
            {
                self.add(format!("{subject}.{less}"), a, format!("at most its {more}, {b}"));
            }
        }
    }

    fn at_least(&mut self, measure: impl FnOnce() -> String, value: f64, least: f64, why: &str) {
        if value < least {
            self.add(measure(), value, format!("at least {least}, {why}"));
        }
    }

    /// No queue is longer than its limit, if that is in packets.
    fn queue<'s>(
        &mut self,
        link: &str,
        limit: Limit,
        measures: impl Iterator<Item = (&'static str, &'s Sample)>,
    ) {
        let Limit::Packets(limit) = limit else { return };
        for (name, sample) in measures.filter(|(name, _)| name.starts_with("queue_")) {
            if let Some(value) = sample.value.filter(|value| *value > limit as f64) {
                self.add(format!("{link}.{name}"), value, format!("at most its limit, {limit}"));
            }
        }
    }

    fn conserved(&mut self, name: &str, t: &Totals) {
        if t.sent != t.arrived + t.dropped + t.in_flight {
            let (arrived, dropped, flying) = (t.arrived, t.dropped, t.in_flight);
            let bound = format!("{arrived} arrived + {dropped} dropped + {flying} in flight");
            self.add(format!("{name}.run_sent"), t.sent as f64, bound);
        }
        if t.delivered > t.arrived {
            let bound = format!("at most the {} that arrived", t.arrived);
            self.add(format!("{name}.run_delivered"), t.delivered as f64, bound);
        }
    }
}

impl View<'_> {
    /// The impossible numbers of a replicate, also of a stored one.
    pub fn impossible(&self, replicate: &Replicate) -> Vec<Violation> {
        let plan = self.plan;
        let mut findings = Findings { seed: replicate.seed, found: Vec::new() };
        findings.measures(&TOTAL, "total", replicate.total.iter());
        for (name, group) in plan.groups.iter().zip(&replicate.groups) {
            findings.measures(&GROUP, &format!("group.{name}"), group.iter());
        }
        for (traffic, comings) in plan.traffic.iter().zip(&replicate.transfers) {
            let name = format!("transfers.{}", plan.groups[traffic.group]);
            findings.measures(&TRANSFERS, &name, comings.all.iter());
            for class in &comings.classes {
                findings.measures(&TRANSFERS, &name, class.iter());
            }
        }
        for (&l, link) in self.shown.iter().zip(&replicate.links) {
            let name = format!("link.{}", plan.links[l].name);
            findings.measures(&LINK, &name, link.iter());
            findings.queue(&name, plan.links[l].queue.limit, link.iter());
        }
        for (source, background) in plan.background.iter().zip(&replicate.background) {
            let name = format!("background.{}", source.name);
            findings.measures(&BACKGROUND, &name, background.iter());
        }
        findings.found
    }

    /// The same, and what is impossible in the run behind the replicate.
    ///
    /// # Panics
    /// If the run does not belong to this plan.
    pub fn impossible_in(&self, replicate: &Replicate, run: &Run) -> Vec<Violation> {
        let found = self.impossible(replicate);
        let mut findings = Findings { seed: run.seed, found };
        self.conservation(run, &mut findings);
        self.delays(run, &mut findings);
        self.arrivals(run, &mut findings);
        findings.found
    }

    fn conservation(&self, run: &Run, findings: &mut Findings) {
        for (planned, flow) in self.plan.flows.iter().zip(&run.flows) {
            findings.conserved(&planned.name, &flow.total);
        }
        for (planned, source) in self.plan.background.iter().zip(&run.background) {
            findings.conserved(&planned.name, &source.total);
        }
    }

    fn delays(&self, run: &Run, findings: &mut Findings) {
        let plan = self.plan;
        const BEST: &str = "what propagation and transmission take at the best rates";
        for (planned, flow) in plan.flows.iter().zip(&run.flows) {
            let along = |route: &[usize], size: Bytes| -> u64 {
                route.iter().map(|&l| plan.links[l].shortest(size).nanos()).sum()
            };
            // a slot's first packets are the openings of connections, and real sockets
            // send segments that are not full
            let lasting = planned.application.is_some();
            let full = lasting && run.audit.is_none();
            let data = if full { planned.tcp.packet } else { planned.tcp.header };
            if let Some(rtt) = flow.min_rtt {
                let there = planned.routes().map(|route| along(route, data)).min();
                let back = planned.reverses().map(|route| along(route, planned.tcp.ack)).min();
                let least = there.unwrap_or_default() + back.unwrap_or_default();
                let least = least.saturating_sub(rounding(planned).nanos());
                let name = || format!("flow.{}.rtt_min_s", planned.name);
                findings.at_least(name, rtt.secs(), least as f64 / 1e9, BEST);
            }
            let known = lasting && planned.reroutes.is_empty();
            if let (Some(end), true) = (flow.finished, known) {
                let least = acknowledged_by(plan, planned, flow.start, flow.total.delivered);
                let least = least.since(flow.start + rounding(planned));
                let name = || format!("flow.{}.completion_s", planned.name);
                findings.at_least(name, end.since(flow.start).secs(), least.secs(), BEST);
            }
        }
        let coming = plan.traffic.iter().zip(&run.traffic);
        for (traffic, ran) in coming.filter(|(t, _)| matches!(t.demand, Demand::Arrivals { .. })) {
            let rounding = transfer_rounding(plan, traffic);
            for transfer in &ran.transfers {
                let Some(end) = transfer.end else { continue };
                let least = transfer_by(plan, traffic, transfer.begin, transfer.bytes);
                let least = least.since(transfer.begin + rounding).secs();
                let name = |of: &str| format!("transfers.{}.{of}", plan.groups[traffic.group]);
                let time = end.since(transfer.begin).secs();
                findings.at_least(|| name("time_s"), time, least, BEST);
                // quantiles say nothing of the least of them
                if let Some(slowdown) = slowdown(plan, traffic, transfer) {
                    let why = "as long as the ideal time";
                    findings.at_least(|| name("slowdown"), slowdown, 1.0, why);
                }
            }
        }
    }

    /// What arrived over the last link of a path left its wire a propagation delay
    /// earlier, or more with jitter: no more than the wire carries in that time,
    /// plus the rest of a packet that was already being sent.
    fn arrivals(&self, run: &Run, findings: &mut Findings) {
        let plan = self.plan;
        // bytes that arrived, and the largest packet among them
        let mut over: BTreeMap<usize, (f64, u64)> = BTreeMap::new();
        let mut add = |route: &[usize], bytes: f64, packet: u64| {
            if let Some(&last) = route.last() {
                let sum = over.entry(last).or_default();
                *sum = (sum.0 + bytes, sum.1.max(packet));
            }
        };
        for (f, planned) in plan.flows.iter().enumerate() {
            // what came over another last link is not known apart
            if planned.routes().all(|route| route.last() == planned.route.last()) {
                let bytes = self.throughput(f, run) * self.window() / 8.0;
                add(&planned.route, bytes, planned.tcp.packet.get());
            }
        }
        for (planned, source) in plan.background.iter().zip(&run.background) {
            add(&planned.route, source.arrived_bytes as f64, planned.packet.get());
        }
        for (l, (bytes, packet)) in over {
            let link = &plan.links[l];
            // a nanosecond on either side: departures are rounded to one
            let shift = |time: Time, by: u64| Time::from_nanos(time.nanos().saturating_sub(by));
            // packets that keep their order may arrive later
            let longest = link.longest_delay().nanos().saturating_add(1);
            let from = shift(plan.measure_from, longest);
            let to = Time::from_nanos(plan.measure_to.nanos() + 1);
            let to = shift(to, link.propagation().nanos());
            let most = link.capacity(from, to) + packet as f64 * 8.0;
            if bytes * 8.0 > most * (1.0 + DIGITS) {
                let measure = format!("link.{}.arrived_bits", link.name);
                let bound = format!("at most {most}, what its wire could carry");
                findings.add(measure, bytes * 8.0, bound);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn measures_that_bound_each_other_exist() {
        for name in ORDER.iter().flat_map(|(less, more)| [less, more]) {
            assert!(entry(name).is_some(), "no measure is called {name}");
        }
    }

    #[test]
    fn what_cannot_be_is_named_with_its_bound() {
        let (plan, run) = (example::plan(), example::run(7));
        let view = View::new(&plan);
        let good = view.replicate(1, &run);
        assert_eq!(view.impossible(&good), []);
        let mut bad = good.clone();
        bad.groups[0].loss_rate.value = Some(23.0);
        bad.links[0].idle.value = Some(-0.0);
        bad.links[0].queue_p99_pkt.value = Some(100.5);
        bad.total.jain.value = Some(0.0);
        bad.total.goodput_bps.value = bad.total.throughput_bps.value.map(|bps| 2.0 * bps);
        let found: Vec<String> =
            view.impossible(&bad).iter().map(|found| found.to_string()).collect();
        let (group, link) = (&plan.groups[0], &plan.links[view.shown[0]].name);
        assert_eq!(found[0], "seed 7: total.jain is 0.0, but must be above 0, at most 1");
        assert!(found[1].starts_with("seed 7: total.goodput_bps is "), "{}", found[1]);
        assert_eq!(
            found[2],
            format!("seed 7: group.{group}.loss_rate is 23.0, but must be from 0 to 1")
        );
        let idle = format!("seed 7: link.{link}.idle is -0.0, but must be from 0 to 1");
        let queue = format!(
            "seed 7: link.{link}.queue_p99_pkt is 100.5, but must be at most its limit, 100"
        );
        assert_eq!(found[3..], [idle, queue]);
    }

    /// 1500 B take 120 us at 100 Mbit/s and 12 us at 1 Gbit/s, with 10 ms each:
    /// 20.132 ms, where two links may round to a nanosecond, and one more. The
    /// transfer took 2.5 s; 49,999 more packets at 100 Mbit/s would take 6.
    #[test]
    fn nothing_is_faster_than_its_path() {
        let (plan, mut run) = (example::plan(), example::run(7));
        run.flows[0].total.delivered = 50_000;
        let view = View::new(&plan);
        let found = view.impossible_in(&view.replicate(1, &run), &run);
        let bound = |of: &str| {
            let found = found.iter().find(|found| found.measure == of);
            found.unwrap_or_else(|| panic!("nothing of {of}")).bound.clone()
        };
        let why = ", what propagation and transmission take at the best rates";
        assert_eq!(bound("flow.slow.0.rtt_min_s"), format!("at least 0.020131997{why}"));
        assert!(bound("flow.slow.0.completion_s").starts_with("at least 6.02001199"));
        assert_eq!(bound("udp.run_sent"), "0 arrived + 500 dropped + 0 in flight");
        assert_eq!(bound("fast.0.run_delivered"), "at most the 0 that arrived");
    }

    /// With the header alone 40 B take 3.2 us at 100 Mbit/s and 0.32 us at 1 Gbit/s, with
    /// 10 ms each: 20.00352 ms; two links may round to a nanosecond, and one more.
    #[test]
    fn a_real_segment_may_be_short() {
        let (plan, mut run) = (example::plan(), example::run(7));
        run.flows[0].total.delivered = 1;
        let view = View::new(&plan);
        let law = |run: &Run| {
            let found = view.impossible_in(&view.replicate(1, run), run);
            found.into_iter().find(|found| found.measure == "flow.slow.0.rtt_min_s")
        };
        run.flows[0].min_rtt = Some(tusker_core::Duration::from_nanos(20_003_520));
        assert!(law(&run).is_some(), "simulated segments are full");
        run.audit = Some(Default::default());
        assert_eq!(law(&run), None);
        run.flows[0].min_rtt = Some(tusker_core::Duration::from_nanos(20_003_510));
        assert_eq!(law(&run).unwrap().bound.split(',').next(), Some("at least 0.020003517"));
    }

    /// A link of 1 Gbit/s brings 10 Gbit in 10 s.
    #[test]
    fn no_more_arrives_than_the_last_link_brings() {
        let (plan, mut run) = (example::plan(), example::run(7));
        let view = View::new(&plan);
        let law = |run: &Run| {
            let found = view.impossible_in(&view.replicate(1, run), run);
            found.iter().any(|found| found.measure == "link.R->D.arrived_bits")
        };
        // 50,000 x 1500 B and 12,250 x 1000 B, which leave 775,166 x 1500 B
        run.flows[1].arrived = 775_166;
        (run.flows[1].sent, run.flows[1].delivered) = (775_166, 775_166);
        assert!(!law(&run), "it fits");
        run.flows[1].arrived = 775_180;
        assert!(law(&run), "14 packets too many");
    }
}
