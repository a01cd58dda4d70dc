//! The path with a cause, simulated for as long as was measured.

use std::ops::ControlFlow;

use serde::Serialize;
use tusker_core::{Bytes, Duration, Rate, Time};
use tusker_measure::response::cycle;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Job, Pausing, Progress};
use tusker_scenario::{
    Access, App, Flows, Limit, Loss, Measure, Profile, Queue, Scenario, Segments, Spread, Start,
    Tcp, Text, Written,
};

use super::question::{PAYLOAD, Question};
use crate::{Interval, Mistake};

/// The most packets that a run has at the rate of the path: of the length that was measured, and
/// of a long transfer.
const MOST: f64 = 5e6;
pub(super) const MOST_LONG: f64 = 2.5e6;
/// The least that is simulated of a long transfer, seconds, round trips, and times from one
/// full queue to the next.
const SECONDS: f64 = 30.0;
const ROUNDS: f64 = 200.0;
const CYCLES: f64 = 4.0;
/// Parts of a run, if the measurement has none.
const PARTS: usize = 40;
/// A coarse run is this many times shorter, but has so many round trips.
const COARSE: f64 = 4.0;
const COARSE_ROUNDS: f64 = 60.0;
/// Memory of a run.
const MEMORY: u64 = 4 << 30;
/// How far the simulated goodput may be from the measured one.
pub(super) const NEAR: f64 = 0.15;
/// Packets in the smallest window, so that several segments may be simulated as one packet,
/// packets in the buffer, and the most segments of one (docs/plan.md has what that changes).
const LEAST: f64 = 300.0;
const LEAST_BUFFER: f64 = 40.0;
const MOST_EACH: f64 = 8.0;

/// What a simulation came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Simulated {
    /// Goodput of the transfer, bits per second; the mean of its runs.
    pub goodput_bps: f64,
    /// The least of its runs, and of one with a neighbouring value if the measured goodput is
    /// between the two.
    pub least_bps: f64,
    /// The most of them.
    pub most_bps: f64,
    /// Retransmitted segments as a share of those sent.
    pub retransmitted: f64,
    /// Mean round trip, seconds; null if there is no sample.
    pub rtt_s: Option<f64>,
    /// Goodput over time, of the first run.
    pub intervals: Vec<Interval>,
}

/// What differs from the path as it was described.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The most payload in flight, per connection.
    pub window: Option<f64>,
    pub loss: f64,
    pub buffer: Limit,
    /// Rate and burst of a policer before the bottleneck, bits per second and bytes.
    pub policer: Option<(f64, f64)>,
    /// What the application writes, per connection.
    pub app: Option<f64>,
    pub others: u32,
    pub streams: u32,
    /// Slow start ends at this window of each connection, segments.
    pub ssthresh: Option<f64>,
    /// How long it is simulated.
    pub seconds: f64,
    /// Runs.
    pub seeds: u64,
}

/// Where cases are run.
pub(super) struct Bench<'a> {
    pub question: &'a Question,
    executor: &'a dyn Pausing,
    stopped: &'a (dyn Fn() -> bool + Sync),
    /// How long a run is.
    pub seconds: f64,
    each: u32,
}

impl<'a> Bench<'a> {
    pub fn new(
        question: &'a Question,
        executor: &'a dyn Pausing,
        stopped: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        let least = question.window() / PAYLOAD / 4.0 / LEAST;
        let each = 1 << least.clamp(1.0, MOST_EACH).log2().floor() as u32;
        let per_second = question.rate.bits_per_sec() as f64 / 12_000.0;
        let most = if question.seconds.is_some() { MOST } else { MOST_LONG };
        let most = most / per_second * f64::from(each);
        let rtt = question.rtt.secs();
        let peak = question.bdp() / 1500.0 + question.buffer_packets();
        let full = cycle(question.kind, peak, rtt).unwrap_or(0.0);
        let long = SECONDS.max(ROUNDS * rtt).max(CYCLES * full);
        let seconds = question.seconds.unwrap_or(long).min(most.max(20.0 * rtt));
        Self { question, executor, stopped, seconds, each }
    }

    /// The path without further limits.
    pub fn plain(&self) -> Case {
        Case {
            window: None,
            loss: 0.0,
            buffer: self.question.buffer,
            policer: None,
            app: None,
            others: 0,
            streams: self.question.measured.streams,
            ssthresh: None,
            seconds: self.seconds,
            seeds: 1,
        }
    }

    /// A case in a fraction of the time, to find roughly which value is needed.
    pub fn coarse(&self, case: Case) -> Case {
        let least = (COARSE_ROUNDS * self.question.rtt.secs()).max(1.0);
        let seconds = (case.seconds / COARSE).max(least).min(case.seconds);
        Case { seconds, seeds: 1, ..case }
    }

    /// Segments that a packet of a case stands for.
    fn each(&self, case: &Case) -> u32 {
        let packets = match case.buffer {
            _ if case.policer.is_some() => case.policer.map_or(0.0, |own| own.1 / 1_500.0),
            Limit::Packets(packets) => packets as f64,
            _ => self.question.buffer_packets(),
        };
        let most = (packets / LEAST_BUFFER).clamp(1.0, f64::from(self.each));
        1 << most.log2().floor() as u32
    }

    /// Where the measured part of a run begins: only the long-run rate of a long transfer
    /// counts.
    fn from(&self, case: &Case) -> f64 {
        if self.question.seconds.is_some() { 0.0 } else { case.seconds / 2.0 }
    }

    pub fn fits(&self, simulated: &Simulated) -> bool {
        let measured = self.question.measured.goodput_bps;
        (simulated.goodput_bps / measured - 1.0).abs() <= NEAR
            || (simulated.least_bps..=simulated.most_bps).contains(&measured)
    }

    /// Runs a case; `None` if it was stopped.
    pub fn run(&self, case: &Case) -> Result<Option<Simulated>, Mistake> {
        let mut all: Vec<Simulated> = Vec::new();
        for seed in 1..=case.seeds {
            let Some(run) = self.once(case, seed)? else { return Ok(None) };
            all.push(run);
        }
        Ok(Some(mean_of(all)))
    }

    /// The runs of a case of which the first one is known; `None` if it was stopped.
    pub fn complete(&self, first: Simulated, case: &Case) -> Result<Option<Simulated>, Mistake> {
        let mut all = vec![first];
        for seed in 2..=case.seeds {
            let Some(run) = self.once(case, seed)? else { return Ok(None) };
            all.push(run);
        }
        Ok(Some(mean_of(all)))
    }

    pub(super) fn once(&self, case: &Case, seed: u64) -> Result<Option<Simulated>, Mistake> {
        let broken = |message: String, help: String| Mistake::new(message, help);
        let (scenario, start) = self.scenario(case);
        let plan = scenario.plan().map_err(|error| {
            broken(
                format!("the path cannot be simulated: {error}"),
                "change --rate, --rtt or --buffer".into(),
            )
        })?;
        let ours: Vec<usize> =
            (0..plan.flows.len()).filter(|&n| plan.groups[plan.flows[n].group] == OURS).collect();
        let payload = plan.flows.first().map_or(PAYLOAD, |flow| flow.tcp.payload().get() as f64);
        let sums = |flows: &[Progress]| {
            let own = || ours.iter().map(|&n| &flows[n]);
            let delivered = own().map(|flow| flow.delivered).sum::<u64>() as f64 * payload;
            let sent = own().map(|flow| flow.sent).sum::<u64>() as f64;
            let again = own().map(|flow| flow.retransmitted).sum::<u64>() as f64;
            let samples = own().map(|flow| flow.rtt_samples).sum::<u64>();
            let rtt = own().map(|flow| flow.rtt_sum_s).sum::<f64>() / samples as f64;
            (delivered, sent, again, (samples > 0).then_some(rtt))
        };
        let stopped = |_: Time| match (self.stopped)() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let at = |seconds: f64| Time::ZERO + Duration::from_secs(start + seconds);
        let from = self.from(case);
        let mut intervals: Vec<Interval> = Vec::new();
        let simulate = || {
            let (mut first, mut progress) = (stopped, stopped);
            let job = Job { memory: Bytes::new(MEMORY), ..Job::new(&plan, seed, &mut first) };
            let mut run = self.executor.begin(job)?;
            run.run_to(at(0.0), &mut progress)?;
            let mut before = sums(&run.flows()).0;
            let mut first = (0.0, 0.0, 0.0);
            for (from_s, to_s) in self.parts(case.seconds) {
                if from_s <= from {
                    let (delivered, sent, again, _) = sums(&run.flows());
                    first = (delivered, sent, again);
                }
                run.run_to(at(to_s), &mut progress)?;
                let now = sums(&run.flows()).0;
                let goodput_bps = (now - before) * 8.0 / (to_s - from_s);
                intervals.push(Interval { from_s, to_s, goodput_bps, ..Interval::default() });
                before = now;
            }
            let (delivered, sent, again, rtt) = sums(&run.flows());
            run.end();
            Ok((delivered - first.0, sent - first.1, again - first.2, rtt))
        };
        let done: Result<_, Stopped> = { simulate }();
        let (delivered, sent, again, rtt_s) = match done {
            Ok(end) => end,
            Err(Stopped::Interrupted) => return Ok(None),
            Err(Stopped::Failed { why, remedy }) => return Err(broken(why, remedy)),
            Err(_) => {
                let help = "a shorter --duration, or a lower --rate";
                return Err(broken("the simulation needs too much memory".into(), help.into()));
            }
        };
        let goodput_bps = delivered * 8.0 / (case.seconds - from);
        Ok(Some(Simulated {
            goodput_bps,
            least_bps: goodput_bps,
            most_bps: goodput_bps,
            retransmitted: if sent > 0.0 { again / sent } else { 0.0 },
            rtt_s,
            intervals,
        }))
    }

    /// Borders of the parts of a run: those of the measurement, if it has enough.
    fn parts(&self, seconds: f64) -> Vec<(f64, f64)> {
        let measured = &self.question.measured.intervals;
        let mut own = Vec::new();
        let mut last = 0.0;
        for part in measured.iter().filter(|part| part.to_s <= seconds).take(10_000) {
            if part.to_s > last {
                own.push((last, part.to_s));
                last = part.to_s;
            }
        }
        if own.len() < 5 {
            own.clear();
            last = 0.0;
            let each = seconds / PARTS as f64;
            own.extend((0..PARTS).map(|n| (each * n as f64, each * (n + 1) as f64)));
            last = own.last().map_or(last, |part| part.1);
        }
        if last < seconds * (1.0 - 1e-9) {
            own.push((last, seconds));
        }
        own
    }

    /// The scenario of a case, and when its transfer starts, seconds.
    fn scenario(&self, case: &Case) -> (Scenario, f64) {
        let Question { rtt, cc, .. } = self.question;
        let start = if case.others > 0 { (20.0 * rtt.secs()).max(2.0) } else { 0.0 };
        let delay = Duration::from_nanos(rtt.nanos() / 2);
        let buffer = match case.buffer {
            // of a packet's bytes, however many segments it stands for
            Limit::Packets(packets) => Limit::Bytes(packets.saturating_mul(1500)),
            other => other,
        };
        let mut queue = Queue::droptail(buffer);
        if let Some((rate, burst)) = case.policer {
            let rate = Rate::from_bits_per_sec((rate as u64).max(1_000)).write();
            let text = format!("policer:rate={rate}:burst={}B", burst.round());
            // a policy of the registry with its own parameters
            queue = Queue::read(&text, buffer).unwrap_or(queue);
        }
        let mut scenario = Scenario::dumbbell(Profile::Linux, self.question.rate, delay, queue);
        scenario.duration = Duration::from_secs(start + case.seconds + 0.001).into();
        let from = Text(Duration::from_secs(start + self.from(case)));
        scenario.measure = Some(Measure { from, to: None });
        let each = self.each(case);
        if each > 1 {
            let segments_per_packet = Some(each);
            let packet = Some(Text(Bytes::new(1500 * u64::from(each))));
            scenario.tcp = Some(Tcp { packet, segments_per_packet, ..Tcp::default() });
        }
        if let Some(dumbbell) = &mut scenario.dumbbell {
            let loss = 1.0 - (1.0 - case.loss).powi(each as i32);
            dumbbell.loss = (case.loss > 0.0).then(|| Loss::Bernoulli(loss).into());
            let fast =
                self.question.rate.bits_per_sec().saturating_mul(10).min(100_000_000_000_000);
            let rate = Some(Rate::from_bits_per_sec(fast).into());
            let delay = Some(Spread::from(Duration::ZERO));
            dumbbell.access = Some(Access { rate, delay, queue: None });
        }
        let flows = |name: &str, count: u32, start| Flows {
            count: Some(u64::from(count)),
            start: Some(start),
            ..Flows::new(name, cc.clone())
        };
        if case.others > 0 {
            let early = Start::Uniform(Duration::ZERO, *rtt);
            scenario.flows.push(flows("other", case.others, early));
        }
        let mut own = flows(OURS, case.streams, Start::At(Duration::from_secs(start)));
        let least = PAYLOAD * f64::from(each) * 2.0;
        let bytes = case.window.map(|window| Bytes::new(window.max(least) as u64));
        let segments = case.ssthresh.map(|segments| segments.max(2.0 * f64::from(each)));
        if bytes.is_some() || segments.is_some() {
            let send_buffer = bytes.map(|bytes| Text(Some(bytes)));
            let initial_ssthresh = segments.map(|segments| Segments(Some(segments as u32)));
            own.tcp = Some(Tcp { send_buffer, initial_ssthresh, ..Tcp::default() });
        }
        if let Some(rate) = case.app {
            let rate = Some(Rate::from_bits_per_sec((rate as u64).max(1)).into());
            own.app = Some(App { rate, every: None, write: None, on: None, off: None });
        }
        scenario.flows.push(own);
        (scenario, start)
    }
}

/// One of several runs.
fn mean_of(mut all: Vec<Simulated>) -> Simulated {
    let rates = || all.iter().map(|run| run.goodput_bps);
    let mean = |of: &dyn Fn(&Simulated) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    Simulated {
        goodput_bps: mean(&|run| run.goodput_bps),
        least_bps: rates().fold(f64::INFINITY, f64::min),
        most_bps: rates().fold(0.0, f64::max),
        retransmitted: mean(&|run| run.retransmitted),
        rtt_s: all.iter().filter_map(|run| run.rtt_s).reduce(|a, b| (a + b) / 2.0),
        intervals: all.swap_remove(0).intervals,
    }
}

/// Name of the group of the transfer.
const OURS: &str = "transfer";
