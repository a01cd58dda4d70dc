//! Computes the measures of one replicate from a plan and a run.

use std::collections::{BTreeMap, BTreeSet};

use tusker_core::Duration;
use tusker_core::congestion::Modes;

use super::{Audit, Background, Group, GroupSummary, Link, Replicate, Total, queueing};
use crate::stats::{Sample, mean, quantile};
use tusker_plan::audit::Limits;
use tusker_plan::convergence::Steps;
use tusker_plan::fairness::{self, jain};
use tusker_plan::plan::{self, Plan};
use tusker_plan::run::{self, BATCHES, Histogram, Run};

/// A link counts as full at this share of its rate: max-min rates are sums of
/// rounded numbers.
const FULL: f64 = 0.999;

/// The most points of a trace that is made only for the report.
const REPORT_POINTS: u64 = 1_000;

/// Points times flows and links of it, about.
const REPORT_VALUES: u64 = 200_000;

/// With more flows than this, there is no automatic trace.
const REPORT_FLOWS: usize = 1_000;

/// A plan with what can be derived from it for every run: fair rates, bottlenecks.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Max-min fair rate of each flow, bits per second on the wire.
    pub fair: Vec<f64>,
    /// The same of each application flow, whose parallel connections count as
    /// one.
    pub applications_fair: Vec<f64>,
    /// Indices of the bottleneck links.
    pub bottlenecks: Vec<usize>,
    /// Indices of the links that a summary lists.
    pub shown: Vec<usize>,
    /// For each link, the flows whose data cross it.
    crossing: Vec<Vec<usize>>,
    /// What each link can carry over the measuring window, in bit/s.
    rates: Vec<f64>,
    /// The time steps over which arrivals of each flow are counted.
    pub(super) steps: Option<Steps>,
}

impl<'a> View<'a> {
    /// The view of a plan.
    pub fn new(plan: &'a Plan) -> Self {
        Self::with_fair_rates(plan, fairness::max_min(plan))
    }

    /// The view of a plan whose flows' max-min fair rates are `fair`.
    pub(super) fn with_fair_rates(plan: &'a Plan, fair: Vec<f64>) -> Self {
        let rates: Vec<f64> =
            plan.links.iter().map(|link| fairness::mean_rate(plan, link)).collect();
        let mut load = vec![0.0; plan.links.len()];
        let mut sources = vec![0_usize; plan.links.len()];
        let flows = plan.flows.iter().zip(&fair).map(|(flow, &rate)| (&flow.route, rate));
        let lasting = plan.lasting();
        let flows = flows.take(lasting);
        let background = plan.background.iter().map(|b| (&b.route, b.mean_rate()));
        for traffic in &plan.traffic {
            // all of its slots are one source
            let each = traffic.mean_rate / traffic.slots.len() as f64;
            let mut crossed = BTreeSet::new();
            for slot in &plan.flows[traffic.slots.clone()] {
                for &l in &slot.route {
                    load[l] += each / rates[l];
                    sources[l] += usize::from(crossed.insert(l));
                }
            }
        }
        for (route, rate) in flows.chain(background) {
            for &l in route {
                load[l] += rate / rates[l];
                sources[l] += 1;
            }
        }
        let shared: Vec<usize> = (0..load.len()).filter(|&l| sources[l] > 1).collect();
        let mut bottlenecks: Vec<usize> =
            shared.iter().copied().filter(|&l| load[l] >= FULL).collect();
        if bottlenecks.is_empty() {
            let used = (0..load.len()).filter(|&l| sources[l] > 0).collect();
            let candidates = if shared.is_empty() { used } else { shared.clone() };
            bottlenecks.extend(candidates.into_iter().max_by(|&a, &b| {
                // the first of equals: it is the one where a queue forms
                load[a].total_cmp(&load[b]).then(b.cmp(&a))
            }));
        }
        let mut crossing = vec![Vec::new(); plan.links.len()];
        for (f, flow) in plan.flows.iter().enumerate() {
            flow.route.iter().for_each(|&l| crossing[l].push(f));
        }
        let shown: BTreeSet<usize> = shared.into_iter().chain(bottlenecks.clone()).collect();
        let applications_fair = fairness::max_min_applications(plan);
        let steps = Steps::with(plan, &fair);
        Self {
            plan,
            fair,
            applications_fair,
            bottlenecks,
            shown: shown.into_iter().collect(),
            crossing,
            rates,
            steps,
        }
    }

    /// The application flows of a group.
    fn applications(&self, g: usize) -> BTreeSet<usize> {
        let own = self.plan.flows.iter().filter(|flow| flow.group == g);
        own.filter_map(|flow| flow.application).collect()
    }

    /// What is fixed of a group.
    pub(super) fn group(&self, g: usize) -> GroupSummary {
        let flows = || self.plan.flows.iter().zip(&self.fair).filter(|(flow, _)| flow.group == g);
        let cc: BTreeSet<String> = flows().map(|(flow, _)| flow.cc.name().to_owned()).collect();
        GroupSummary {
            name: self.plan.groups[g].clone(),
            flows: flows().count() as u32,
            applications: self.applications(g).len() as u32,
            cc: cc.into_iter().collect(),
            fair_bps: flows().fold(0.0, |sum, (_, fair)| sum + fair),
            applications_fair_bps: {
                // a sum of nothing is -0
                self.applications(g).iter().fold(0.0, |sum, &a| sum + self.applications_fair[a])
            },
            measured: Group::default(),
            harm: None,
        }
    }

    /// The plan with a trace for the report, if it has none of its own: the
    /// flows and the bottlenecks at about a thousand points, fewer of more flows.
    /// A trace changes no measure.
    pub fn traced_for_report(&self) -> Plan {
        let mut plan = self.plan.clone();
        if plan.trace.interval.is_some() {
            return plan;
        }
        let flows = plan.lasting() <= REPORT_FLOWS;
        let traced = if flows { plan.lasting() } else { 0 } + self.bottlenecks.len();
        let points = (REPORT_VALUES / traced.max(1) as u64).clamp(100, REPORT_POINTS);
        let interval = round_up(plan.end.nanos().div_ceil(points).max(1_000));
        // of other links no queue may be kept, and then none is reported
        let kept = |&l: &usize| {
            let own = |f: &usize| {
                let route = &plan.flows[*f].route;
                let slowest = route.iter().min_by_key(|&&link| plan.links[link].rate);
                slowest == Some(&l) && route.iter().all(|&link| self.crossing[link].len() == 1)
            };
            plan.links[l].queue.limit != plan::Limit::Unlimited
                || self.crossing[l].len() > 1
                || self.crossing[l].iter().any(own)
        };
        plan.trace = plan::Trace {
            interval: Some(Duration::from_nanos(interval)),
            flows,
            links: self.bottlenecks.iter().copied().filter(kept).collect(),
        };
        plan
    }

    /// What replicate `number` (from 1) gave.
    ///
    /// # Panics
    /// If the run does not belong to this plan.
    pub fn replicate(&self, number: u32, run: &Run) -> Replicate {
        assert_eq!(run.flows.len(), self.plan.flows.len(), "a run has the flows of its plan");
        assert_eq!(run.links.len(), self.plan.links.len(), "a run has the links of its plan");
        let groups = 0..self.plan.groups.len();
        Replicate {
            number,
            seed: run.seed,
            wall_s: run.wall.as_secs_f64(),
            events: run.events,
            segments: run.flows.iter().map(|flow| flow.total.delivered).sum(),
            total: self.total(run),
            groups: groups.map(|g| self.measure_group(g, run)).collect(),
            transfers: (0..self.plan.traffic.len()).map(|t| self.comings(t, run)).collect(),
            links: self.shown.iter().map(|&l| self.link(l, run)).collect(),
            background: run.background.iter().map(|b| self.measure_background(b)).collect(),
            audit: self.audit(number, run),
        }
    }

    fn audit(&self, number: u32, run: &Run) -> Option<Audit> {
        let audit = run.audit.as_ref()?;
        Some(Audit::of(number, run.seed, audit, &Limits::of(self.plan)))
    }

    /// Length of the measuring window in seconds.
    pub fn window(&self) -> f64 {
        self.plan.measure_to.since(self.plan.measure_from).secs()
    }

    /// Throughput of one flow, bits per second on the wire.
    pub fn throughput(&self, flow: usize, run: &Run) -> f64 {
        let (tcp, flow) = (&self.plan.flows[flow].tcp, &run.flows[flow]);
        let full = (flow.arrived - flow.opened) as f64 * tcp.packet.get() as f64;
        let opened = flow.opened as f64 * tcp.header.get() as f64;
        (full + opened) * 8.0 / self.window()
    }

    /// Goodput of one flow, bits per second of payload.
    pub fn goodput(&self, flow: usize, run: &Run) -> f64 {
        let payload = self.plan.flows[flow].tcp.payload().get() as f64;
        run.flows[flow].delivered as f64 * payload * 8.0 / self.window()
    }

    fn all_goodput(&self, flows: &[usize], run: &Run) -> Sample {
        let batch_s = self.window() / BATCHES as f64;
        let batch = |b: usize| {
            let bits = |&f: &usize| {
                run.flows[f].batches[b] as f64 * self.plan.flows[f].tcp.payload().get() as f64 * 8.0
            };
            flows.iter().map(bits).sum::<f64>() / batch_s
        };
        let value = flows.iter().map(|&f| self.goodput(f, run)).sum();
        Sample::batched(Some(value), (0..BATCHES).map(batch).collect())
    }

    fn fairness(&self, flows: &[usize], run: &Run) -> Sample {
        let shares: Vec<f64> = flows
            .iter()
            .filter(|&&f| self.fair[f] > 0.0)
            .map(|&f| self.throughput(f, run) / self.fair[f])
            .collect();
        // NaN, which is no value, if there is nothing to compare
        Sample::once(Some(jain(&shares)))
    }

    /// Jain's index over application flows, on shares of what is fair if each
    /// counts as one.
    fn applications_fairness(&self, applications: &BTreeSet<usize>, run: &Run) -> Sample {
        let mut shares = vec![0.0; self.applications_fair.len()];
        for (f, flow) in self.plan.flows.iter().enumerate() {
            if let Some(a) = flow.application {
                shares[a] += self.throughput(f, run) / self.applications_fair[a];
            }
        }
        let judged = applications.iter().filter(|&&a| self.applications_fair[a] > 0.0);
        let shares: Vec<f64> = judged.map(|&a| shares[a]).collect();
        Sample::once(Some(jain(&shares)))
    }

    fn total(&self, run: &Run) -> Total<Sample> {
        let all: Vec<usize> = (0..run.flows.len()).collect();
        let sum =
            |of: fn(&run::Flow) -> u64| Sample::from(run.flows.iter().map(of).sum::<u64>() as f64);
        let at_bottlenecks = || self.bottlenecks.iter().map(|&l| &run.links[l]);
        // what a link has carried is told as time at its nominal rate
        let rate = |l: usize| self.plan.links[l].rate.bits_per_sec() as f64;
        let capacity: f64 = self.bottlenecks.iter().map(|&l| self.rates[l]).sum();
        let used_in_batch = |b: usize| {
            let busy = |&l: &usize| {
                let batches = run.links[l].busy_batches.as_ref();
                batches.map_or(0.0, |batches| batches[b].secs()) * rate(l)
            };
            let could: f64 = self.bottlenecks.iter().map(|&l| self.rate_in_batch(l, b)).sum();
            self.bottlenecks.iter().map(busy).sum::<f64>() / could * BATCHES as f64 / self.window()
        };
        let busy = |&l: &usize| run.links[l].busy.secs() * rate(l) / self.window();
        let carried: f64 = self.bottlenecks.iter().map(busy).sum();
        let rounding: f64 = self.bottlenecks.iter().map(|&l| self.rounding(l)).sum();
        let useful: f64 = self.bottlenecks.iter().map(|&l| self.goodput_over(l, run)).sum();
        let (convergence_s, converged) = self.convergence(run);
        Total {
            throughput_bps: all.iter().map(|&f| self.throughput(f, run)).sum::<f64>().into(),
            goodput_bps: self.all_goodput(&all, run),
            background_bps: run
                .background
                .iter()
                .map(|b| b.arrived_bytes as f64 * 8.0 / self.window())
                .sum::<f64>()
                .into(),
            utilisation: Sample::batched(
                ratio(carried, capacity).map(|share| at_most_one(share, rounding / capacity)),
                (0..BATCHES).map(used_in_batch).collect(),
            ),
            goodput_utilisation: Sample::once(
                ratio(useful, capacity).filter(|_| useful <= carried.min(capacity)),
            ),
            jain: self.fairness(&all, run),
            applications_jain: self
                .applications_fairness(&(0..self.plan.applications.len()).collect(), run),
            convergence_s,
            converged,
            rtt_exponent: self.rtt_exponent(run),
            loss_rate: Sample::once(ratio(
                at_bottlenecks().map(dropped).sum::<u64>() as f64,
                at_bottlenecks().map(|link| link.offered).sum::<u64>() as f64,
            )),
            wire_loss_rate: Sample::once(ratio(
                at_bottlenecks().map(|link| link.lost).sum::<u64>() as f64,
                at_bottlenecks().map(|link| link.sent).sum::<u64>() as f64,
            )),
            mark_rate: Sample::once(ratio(
                at_bottlenecks().map(|link| link.marked).sum::<u64>() as f64,
                at_bottlenecks().map(|link| link.offered).sum::<u64>() as f64,
            )),
            retransmissions: sum(|flow| flow.retransmitted),
            timeouts: sum(|flow| flow.timeouts),
            episodes: sum(|flow| flow.episodes),
        }
    }

    fn measure_group(&self, g: usize, run: &Run) -> Group<Sample> {
        let members: Vec<usize> =
            (0..run.flows.len()).filter(|&f| self.plan.flows[f].group == g).collect();
        let flows = || members.iter().map(|&f| &run.flows[f]);
        let sum = |of: fn(&run::Flow) -> u64| flows().map(of).sum::<u64>() as f64;
        let throughput: f64 = members.iter().map(|&f| self.throughput(f, run)).sum();
        let fair: f64 = members.iter().map(|&f| self.fair[f]).sum();
        let mut rtt = Histogram::default();
        flows().for_each(|flow| rtt.merge(&flow.rtt));
        // a bucket's middle may lie below the smallest sample
        let least = flows().filter_map(|f| f.min_rtt).min().map_or(0.0, |rtt| rtt.nanos() as f64);
        let rtt_s = |ns: Option<f64>| Sample::once(ns.map(|ns| ns.max(least) * 1e-9));

        let [q_mean, q50, q95, q99] = queueing::measures(flows().map(|flow| &flow.queueing));
        let modes: Vec<Modes> = flows().filter_map(|flow| flow.modes).collect();
        let decided = |of: fn(&Modes) -> u64| modes.iter().map(of).sum::<u64>() as f64;
        let part = |of: fn(&Modes) -> u64, all: fn(&Modes) -> u64| {
            Sample::once(ratio(decided(of), decided(all)))
        };
        let switches = |of| Sample::once((!modes.is_empty()).then(|| decided(of)));

        let applications = self.applications(g);
        let applications_fair: f64 = applications.iter().map(|&a| self.applications_fair[a]).sum();
        // an application flow is done when its last connection is
        let sized = |&&f: &&usize| {
            self.plan.flows[f].size.is_some() && self.plan.flows[f].application.is_some()
        };
        let mut transfers: BTreeMap<Option<usize>, Option<f64>> = BTreeMap::new();
        for &f in members.iter().filter(sized) {
            let took = run.flows[f].finished.map(|end| end.since(run.flows[f].start).secs());
            let slowest = transfers.entry(self.plan.flows[f].application).or_insert(Some(0.0));
            *slowest = slowest.zip(took).map(|(a, b)| a.max(b));
        }
        let sized = transfers.len();
        let mut times: Vec<f64> = transfers.into_values().flatten().collect();
        times.sort_by(f64::total_cmp);
        Group {
            throughput_bps: throughput.into(),
            goodput_bps: self.all_goodput(&members, run),
            fair_share: Sample::once(ratio(throughput, fair)),
            jain: self.fairness(&members, run),
            applications_fair_share: Sample::once(ratio(throughput, applications_fair)),
            applications_jain: self.applications_fairness(&applications, run),
            loss_rate: Sample::once(ratio(
                sum(|flow| flow.dropped),
                sum(|flow| flow.dropped + flow.arrived),
            )),
            marked: sum(|flow| flow.marked).into(),
            sent: sum(|flow| flow.sent).into(),
            retransmissions: sum(|flow| flow.retransmitted).into(),
            timeouts: sum(|flow| flow.timeouts).into(),
            episodes: sum(|flow| flow.episodes).into(),
            undone: Sample::once(
                flows().map(|flow| flow.undone).sum::<Option<u64>>().map(|n| n as f64),
            ),
            reordered_ratio: Sample::once(
                flows()
                    .map(|flow| flow.reordered)
                    .sum::<Option<u64>>()
                    .and_then(|n| ratio(n as f64, sum(|flow| flow.arrived))),
            ),
            reordering_extent: Sample::once(ratio(
                sum(|flow| flow.extent),
                sum(|flow| flow.reordered.unwrap_or(0)),
            )),
            switches_below_bdp: switches(|modes| modes.below.switches),
            switches_above_bdp: switches(|modes| modes.above.switches),
            reno_mode_below_bdp: part(|modes| modes.below.gentle, |modes| modes.below.made),
            reno_mode_above_bdp: part(|modes| modes.above.gentle, |modes| modes.above.made),
            rtt_mean_s: rtt_s(rtt.mean()),
            rtt_p5_s: rtt_s(rtt.quantile(0.05)),
            rtt_p50_s: rtt_s(rtt.quantile(0.5)),
            rtt_p95_s: rtt_s(rtt.quantile(0.95)),
            rtt_p99_s: rtt_s(rtt.quantile(0.99)),
            rtt_min_s: Sample::once(flows().filter_map(|f| f.min_rtt).min().map(|d| d.secs())),
            queueing_delay_mean_s: q_mean,
            queueing_delay_p50_s: q50,
            queueing_delay_p95_s: q95,
            queueing_delay_p99_s: q99,
            completed: Sample::once(ratio(times.len() as f64, sized as f64)),
            completion_mean_s: Sample::once((!times.is_empty()).then(|| mean(&times))),
            completion_p50_s: Sample::once(quantile(&times, 0.5)),
            completion_p95_s: Sample::once(quantile(&times, 0.95)),
            completion_max_s: Sample::once(times.last().copied()),
        }
    }

    /// The results of one link in a run.
    pub fn link(&self, l: usize, run: &Run) -> Link<Sample> {
        let (link, nominal) = (&run.links[l], self.plan.links[l].rate.bits_per_sec() as f64);
        let rate = self.rates[l];
        let share = link.busy.secs() / self.window() * (nominal / rate);
        let share = at_most_one(share, self.rounding(l) / rate);
        let batch_s = self.window() / BATCHES as f64;
        let busy = link.busy_batches.iter().flat_map(|batches| batches.iter()).enumerate();
        let busy: Vec<f64> = busy
            .map(|(b, busy)| busy.secs() / batch_s * (nominal / self.rate_in_batch(l, b)))
            .collect();
        let idle = busy.iter().map(|busy| 1.0 - busy).collect();
        let limit = match self.plan.links[l].queue.limit {
            plan::Limit::Packets(packets) => packets as f64,
            _ => f64::INFINITY,
        };
        let lasting = self.crossing[l].iter().any(|&f| self.plan.flows[f].application.is_some());
        // nor above what the queue holds
        let queue = |q: f64| Sample::once(link.queue.quantile(q).map(|q| q.min(limit)));
        let [q_mean, q50, q95, q99] = queueing::measures([&link.queueing]);
        Link {
            carried_bps: (share * rate).into(),
            utilisation: Sample::batched(Some(share), busy),
            goodput_utilisation: Sample::once(
                ratio(self.goodput_over(l, run), rate).filter(|useful| *useful <= share),
            ),
            idle: Sample::batched(Some(1.0 - share), idle),
            loss_rate: Sample::once(ratio(dropped(link) as f64, link.offered as f64)),
            wire_loss_rate: Sample::once(ratio(link.lost as f64, link.sent as f64)),
            mark_rate: Sample::once(ratio(link.marked as f64, link.offered as f64)),
            offered: (link.offered as f64).into(),
            overflowed: (link.overflowed as f64).into(),
            tied: (link.tied as f64).into(),
            in_step: (link.in_step as f64).into(),
            dropped_early: (link.dropped_early as f64).into(),
            lost: (link.lost as f64).into(),
            marked: (link.marked as f64).into(),
            // executors leave out queues that nobody looks at
            queue_mean_pkt: Sample::once((link.queue.count() > 0).then_some(link.queue_mean)),
            queue_p5_pkt: queue(0.05),
            queue_p50_pkt: queue(0.5),
            queue_p95_pkt: queue(0.95),
            queue_p99_pkt: queue(0.99),
            queueing_delay_mean_s: q_mean,
            queueing_delay_p50_s: q50,
            queueing_delay_p95_s: q95,
            queueing_delay_p99_s: q99,
            loss_episodes: Sample::once(link.losses.map(|losses| losses.episodes as f64)),
            synchronisation: Sample::once(
                link.losses
                    .filter(|losses| losses.episodes > 0 && lasting)
                    .map(|losses| losses.synchronisation),
            ),
        }
    }

    fn measure_background(&self, source: &run::Background) -> Background<Sample> {
        let total = &source.total;
        Background {
            throughput_bps: (source.arrived_bytes as f64 * 8.0 / self.window()).into(),
            loss_rate: Sample::once(ratio(total.dropped as f64, total.sent as f64)),
        }
    }

    /// By how much, in bit/s, the carried traffic of a link may exceed its capacity
    /// because of rounding: if the rate changes it is reported in whole nanoseconds
    /// at the nominal rate, and may be one too many.
    fn rounding(&self, l: usize) -> f64 {
        let link = &self.plan.links[l];
        if link.is_steady() {
            return 0.0;
        }
        link.rate.bits_per_sec() as f64 * 1e-9 / self.window()
    }

    /// What a link could carry in a batch, in bit/s.
    fn rate_in_batch(&self, l: usize, b: usize) -> f64 {
        let link = &self.plan.links[l];
        if link.is_steady() {
            return self.rates[l];
        }
        let (from, window) = (self.plan.measure_from, self.window() * 1e9);
        let at =
            |b: usize| from + Duration::from_nanos((window * b as f64 / BATCHES as f64) as u64);
        // a trace may have no opportunity in a batch: then nothing was carried
        link.capacity(at(b), at(b + 1)).max(1.0) / (self.window() / BATCHES as f64)
    }

    /// Goodput of the flows whose data cross a link.
    fn goodput_over(&self, l: usize, run: &Run) -> f64 {
        self.crossing[l].iter().map(|&f| self.goodput(f, run)).sum()
    }
}

/// To the next of 1, 2, 5, 10, 20, ...
fn round_up(nanos: u64) -> u64 {
    let decade = 10_u64.pow(nanos.max(1).ilog10());
    let nice = [1, 2, 5, 10].into_iter().map(|n| n * decade);
    nice.into_iter().find(|&n| n >= nanos).unwrap_or(nanos)
}

/// A share with rounding errors above 1 removed; larger excesses stay, and are
/// detected by [`super::physics`].
fn at_most_one(share: f64, rounding: f64) -> f64 {
    if share > 1.0 && share <= 1.0 + rounding + 1e-9 { 1.0 } else { share }
}

fn dropped(link: &run::Link) -> u64 {
    link.overflowed + link.dropped_early
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
