//! A sweep as a table: a row per point.

use std::collections::{BTreeMap, BTreeSet};

use tusker_record::store::sweep::{PointSummary, SweepSummary};
use tusker_record::summary::unit;
use tusker_record::table::{Scaled, Table, Unit, counted};

use super::{lone, rest};
use crate::screen::{fit, most_rows, prose};

/// What the points of a sweep have in common, and how far they differ.
#[derive(Debug, Default)]
pub struct Setting {
    /// The measuring windows, without doubles, and the first seeds.
    windows: Vec<(f64, f64)>,
    seeds: Vec<u64>,
    /// Least and most of the rates of the slowest link of each flow, and of the round
    /// trips without queues.
    rate_bps: Option<(f64, f64)>,
    rtt_s: Option<(f64, f64)>,
    /// The same of the share of packets that the wires of a path lose at random, and of the
    /// number of flows.
    loss: Option<(f64, f64)>,
    flows: Option<(f64, f64)>,
    /// The same of the largest random delay of a link.
    jitter_s: Option<(f64, f64)>,
    /// Queue policies of the slowest links.
    policies: BTreeSet<&'static str>,
    /// The BDP and the segments that all flows have, and loss recovery.
    paths: BTreeSet<(u64, u64)>,
    recoveries: BTreeSet<String>,
    profiles: BTreeSet<String>,
    /// The congestion controls, with their sources.
    laws: BTreeMap<&'static str, &'static str>,
    /// That intervals are as narrow as was asked for.
    target: Option<String>,
}

impl Setting {
    /// Adds the measuring window of a point, in seconds, and its first seed.
    pub fn window(&mut self, window: (f64, f64), seed: u64) {
        // to the nanosecond: 30, not 30.000000000000004
        let window = (nanosecond(window.0), nanosecond(window.1));
        // more than one are not told
        if self.windows.len() < 2 && !self.windows.contains(&window) {
            self.windows.push(window);
        }
        if self.seeds.len() < 2 && !self.seeds.contains(&seed) {
            self.seeds.push(seed);
        }
    }

    /// Adds the path of a flow; `slowest` has the rate and the queue policy of its slowest link.
    pub fn path(&mut self, slowest: Option<(f64, &'static str)>, rtt_s: f64, loss: f64) {
        if let Some((rate, policy)) = slowest {
            widen(&mut self.rate_bps, rate);
            self.policies.insert(policy);
        }
        widen(&mut self.rtt_s, rtt_s);
        widen(&mut self.loss, loss);
    }

    /// Adds the bytes of a flow's BDP and of its packets, and its loss recovery.
    pub fn tcp(&mut self, bdp_bytes: f64, packet_bytes: u64, recovery: String) {
        // more than one are not told
        if self.paths.len() < 2 {
            self.paths.insert((bdp_bytes.round() as u64, packet_bytes));
        }
        if self.recoveries.len() < 2 {
            self.recoveries.insert(recovery);
        }
    }

    /// Adds the profile of a scenario.
    pub fn profile(&mut self, name: String) {
        self.profiles.insert(name);
    }

    /// Adds a congestion control, and its source.
    pub fn law(&mut self, name: &'static str, source: &'static str) {
        self.laws.insert(name, source);
    }

    /// Adds the largest random delay of a point's links.
    pub fn jitter(&mut self, most_s: f64) {
        widen(&mut self.jitter_s, most_s);
    }

    /// Whether every point has one flow.
    fn is_lone(&self) -> bool {
        self.flows == Some((1.0, 1.0))
    }

    /// Writes into a summary what all of its points have in common.
    pub fn describe(&self, summary: &mut SweepSummary) {
        summary.lone = self.is_lone();
        summary.setting = self.caption(summary);
    }

    /// Adds the number of flows of a point.
    pub fn flows(&mut self, flows: usize) {
        widen(&mut self.flows, flows as f64);
    }

    /// All that is known, as the caption of a figure needs it: the text, the BDP, the number of
    /// flows, the queue policy, loss recovery, the program; and what intervals do not show of
    /// single flows.
    fn caption(&self, summary: &SweepSummary) -> String {
        let mut text = self.text(summary);
        if let (1, Some((bdp, packet))) = (self.paths.len(), self.paths.first()) {
            let packets = *bdp as f64 / *packet as f64;
            text += &format!("; 1 BDP is {packets:.0} packets of {packet} bytes");
        }
        if let Some((least, most)) = self.flows {
            text += &match (least == most, most) {
                (true, 1.0) => "; one flow".to_owned(),
                (true, most) => format!("; {most} flows"),
                (false, most) => format!("; {least} to {most} flows"),
            };
        }
        if let (1, Some(policy)) = (self.policies.len(), self.policies.first()) {
            text += &format!("; queue policy {policy}");
        }
        if let (1, Some(recovery)) = (self.recoveries.len(), self.recoveries.first()) {
            text += &format!("; loss recovery {recovery}");
        }
        text += concat!("; simulated packet by packet with Tusker ", env!("CARGO_PKG_VERSION"));
        if let (1, Some(profile)) = (self.profiles.len(), self.profiles.first()) {
            text += &format!(", profile {profile}");
        }
        // of many laws the caption would be too long
        if (1..=MOST_SOURCES).contains(&self.laws.len()) {
            let laws = self.laws.iter().map(|(name, source)| format!("{name}: {}", first(source)));
            text += &format!(". Congestion controls: {}", laws.collect::<Vec<_>>().join("; "));
        }
        if self.is_lone() {
            if let Some(tooth) = lone::one_tooth(summary) {
                text += &format!(
                    ". One additional or missing sawtooth in the measuring window would change \
                     the utilisation by up to {tooth}"
                );
            }
            let outside = lone::outside(summary).into_iter().map(|(at, _)| at.replace(", ", " "));
            let outside = outside.collect::<Vec<_>>().join(", ");
            if !outside.is_empty() {
                text += &format!(
                    ". The utilisation lies far from those of both neighbours at {outside}: the \
                     flow may have got into a cycle of its own there"
                );
            }
        }
        text
    }

    /// That intervals are as narrow as was asked for, if they are.
    pub fn target(&mut self, met: Option<String>) -> &Self {
        self.target = met;
        self
    }

    /// `measured from 30 s to 60 s; one run each, seed 1; 50.00 Mbit/s, RTT 40.00 ms without
    /// queues`.
    pub fn text(&self, summary: &SweepSummary) -> String {
        let mut text = String::new();
        if let [(from, to)] = self.windows[..] {
            text += &format!("measured from {from} s to {to} s; ");
        }
        let counts = || summary.points.iter().map(|point| point.replicates);
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        text += &match (least, most) {
            (1, 1) => "one run each".to_owned(),
            (least, most) if least == most => format!("{most} replicates each"),
            (least, most) => format!("{least} to {most} replicates each"),
        };
        if let [first] = self.seeds[..] {
            text += &match u64::from(most) {
                1 => format!(", seed {first}"),
                most => format!(", seeds {first} to {}", first + most - 1),
            };
        }
        let range = |(least, most): (f64, f64), unit: Unit| match unit.text(least) {
            same if same == unit.text(most) => same,
            least => format!("{least} to {}", unit.text(most)),
        };
        if let Some(rates) = self.rate_bps {
            text += &format!("; {}", range(rates, Unit::Rate));
        }
        if let Some(rtts) = self.rtt_s {
            text += &format!(", RTT {} without queues", range(rtts, Unit::Time));
        }
        if let Some(losses) = self.loss.filter(|(_, most)| *most > 0.0) {
            text += &format!(", random loss {}", range(losses, Unit::Percent));
        }
        if let Some(jitter) = self.jitter_s.filter(|(_, most)| *most > 0.0) {
            text += &format!(", random delays of at most {}", range(jitter, Unit::Time));
        }
        if let Some(target) = &self.target {
            text += &format!("; {target}");
        }
        text
    }
}

/// Of so many congestion controls captions name the sources, at most.
const MOST_SOURCES: usize = 6;

/// The first of several sources, without what was read in another one.
fn first(source: &str) -> &str {
    source.split("; ").next().unwrap_or(source)
}

/// Takes a value into a range.
fn widen(range: &mut Option<(f64, f64)>, value: f64) {
    let (least, most) = range.unwrap_or((value, value));
    *range = Some((least.min(value), most.max(value)));
}

/// Which point it is: `cc=reno dumbbell.queue=1bdp`.
pub fn place(summary: &SweepSummary, point: &PointSummary) -> String {
    let keys = summary.axes.iter().map(|axis| axis.name());
    let at = keys.zip(&point.values).map(|(key, value)| format!("{key}={value}"));
    at.collect::<Vec<_>>().join(" ")
}

/// A row per point: its values, and means with their intervals.
pub fn sweep(summary: &SweepSummary, measures: &[String], setting: &Setting) -> String {
    let columns: Vec<(String, String)> = match measures {
        [] => {
            let first = summary.first().into_iter();
            first.map(|(title, name)| (title.to_owned(), name.to_owned())).collect()
        }
        _ => measures.iter().map(|name| (name.clone(), name.clone())).collect(),
    };
    let heads = summary.axes.iter().map(|axis| axis.name().to_owned());
    let heads = heads.chain(["runs".to_owned()]);
    let mut table = Table::new(heads.chain(columns.iter().map(|(head, _)| head.clone())));
    table = table.bold_head().keys(summary.axes.len());
    let shown = &summary.points[..summary.points.len().min(most_rows())];
    let units = columns.iter().map(|(_, name)| {
        unit(name).of(shown.iter().map(|point| summary.with_interval(point, name)))
    });
    let units: Vec<Scaled> = units.collect();
    for point in shown {
        let cells =
            columns.iter().zip(&units).map(|((_, name), unit)| cell(summary, point, name, *unit));
        let own = point.values.iter().cloned().chain([point.replicates.to_string()]);
        table.row(own.chain(cells));
    }
    let mut text = fit(&table);
    text += &rest(summary.points.len(), "points");
    let interval = match text.contains('±') {
        true => "; ±: 95 % confidence over replicates (Student's t)",
        false => "",
    };
    let has_it = columns.iter().any(|(_, name)| name == lone::UTILISATION);
    let wider = match has_it && summary.is_widened() {
        true => {
            ", of the utilisation at least what one additional or missing sawtooth in the measuring \
             window would change"
        }
        false => "",
    };
    let several = shown.iter().any(|point| point.replicates > 1);
    let median = match several && columns.iter().any(|(_, name)| name == CONVERGENCE) {
        true => "; convergence_s: the median of the runs that converged",
        false => "",
    };
    let runs: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let points = counted(summary.points.len() as u128, "point");
    let runs = counted(runs, "run");
    let heading = prose(&format!(
        "{}: {points}, {runs}, {}{interval}{wider}{median}",
        summary.name,
        setting.text(summary)
    ));
    format!("{heading}\n\n{text}")
}

/// The measure that runs lack in which rates never came to be fair.
const CONVERGENCE: &str = "convergence_s";

/// A measure at a point. Of convergence it says in how many of the runs.
fn cell(summary: &SweepSummary, point: &PointSummary, name: &str, unit: Scaled) -> String {
    let estimate = summary.with_interval(point, name);
    let all = point.replicates;
    let share = summary.estimate(point, "converged").0;
    let converged = share.map(|share| (share * f64::from(all)).round() as u32);
    match (name, converged) {
        ("converged", Some(some)) => format!("{some} of {all}"),
        (CONVERGENCE, Some(some)) if some > 0 && some < all => {
            format!("{} ({some} of {all} converged)", unit.estimate(estimate))
        }
        _ => {
            let end = if estimate.is_some() && name.ends_with("_pkt") { " pkt" } else { "" };
            unit.estimate(estimate) + end
        }
    }
}

/// Seconds, rounded to a nanosecond.
fn nanosecond(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tusker_record::store::sweep::AxisSummary;

    use super::*;

    #[test]
    fn times_have_no_digits_that_floating_point_adds() {
        assert_eq!(nanosecond(30_000_000_000.0 * 1e-9).to_string(), "30");
        assert_eq!(nanosecond(0.1 + 0.2).to_string(), "0.3");
    }

    /// Three of four runs converged, half of them after 3 s.
    #[test]
    fn convergence_is_told_with_how_many_runs_converged() {
        let point = |converged: f64, time: Option<f64>| PointSummary {
            values: vec!["reno".to_owned()],
            numbers: vec![None],
            replicates: 4,
            mean: vec![Some(converged), time, Some(7.5)],
            ci95: vec![None; 3],
            spread: Vec::new(),
            doubts: Vec::new(),
        };
        let axis =
            AxisSummary { key: "cc".to_owned(), option: None, unit: String::new(), numeric: false };
        let mut summary = SweepSummary {
            format: SweepSummary::FORMAT,
            name: "newcomer".to_owned(),
            command: Vec::new(),
            earlier: Vec::new(),
            axes: vec![axis],
            measures: ["converged", "convergence_s", "links.l.queue_mean_pkt"]
                .map(str::to_owned)
                .to_vec(),
            pairs: Vec::new(),
            setting: String::new(),
            lone: false,
            laws: BTreeMap::new(),
            points: vec![point(0.75, Some(3.0)), point(1.0, Some(2.0)), point(0.0, None)],
        };
        let setting = Setting::default();
        let text = sweep(&summary, &summary.measures, &setting).replace("\u{fdd0}[1m", "");
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip_while(|line| !line.starts_with("cc"))
            .skip(1)
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(
            rows,
            [
                ["reno", "4", "3 of 4", "3.000 s (3 of 4 converged)", "7.500 pkt"],
                ["reno", "4", "4 of 4", "2.000 s", "7.500 pkt"],
                ["reno", "4", "0 of 4", "-", "7.500 pkt"],
            ],
            "{text}"
        );
        assert!(text.contains("the median of the runs that converged"), "{text}");
        // of one run each there is nothing to take the middle of
        summary.points.iter_mut().for_each(|point| point.replicates = 1);
        assert!(!sweep(&summary, &summary.measures, &setting).contains("median"));
    }
}
