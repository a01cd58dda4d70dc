//! Why a result may not say what it seems to: made once, from a plan and what was measured,
//! and stored with the results. Tables, pages, figures and messages show the same.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::Bytes;
use tusker_plan::fairness;
use tusker_plan::plan::{Flow, Plan};

use crate::cycle::{Cycle, Least, round_up};
use crate::table::Unit;

/// With fewer congestion episodes per flow, a mean says where in its cycle the window
/// was, not what the algorithm gets in the long run.
pub const FEW: f64 = 3.0;

/// The window that is advised has room for so many cycles: three whole ones wherever it begins,
/// and one more, because no cycle is as the one before.
const ROOM: f64 = 4.0;

/// The same if the window was in slow start, of which the loss may shorten the next cycles.
const ROOM_EARLY: f64 = 6.0;

/// The same where chance decides when a packet is lost: of a Poisson process with a mean of 8,
/// fewer than three come once in 70 times.
const ROOM_BY_CHANCE: f64 = 8.0;

/// A duration that rests on an estimate alone is advised only up to so many times that of the run.
const MOST: f64 = 10.0;

/// A flow of which the mean window is at least this share of its buffer is limited by it.
const LIMITED: f64 = 0.9;

/// Number of in-step drops from which a result may depend on them: fewer are a
/// burst or two.
const MANY: f64 = 20.0;

/// Share of a full queue's drops that are in step from which this is not chance.
/// With random host times it is about a tenth, because of bursts that arrive at the rate
/// of an access link; without them and with round times, from about a half to all
/// (docs/findings/ties.md).
const SHARE: f64 = 0.25;

/// What is doubtful.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Too few congestion episodes for a long-term mean.
    FewEpisodes,
    /// As few, although a Reno flow would have had enough: a longer run may not have more.
    NoCycle,
    /// A buffer of an endpoint limits the window, not the congestion control.
    WindowLimited,
    /// A fixed rhythm of arrivals and departures decides which flow loses packets.
    PhaseEffects,
    /// The testbed reports replicates as invalid.
    InvalidRuns,
}

/// A doubt about a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doubt {
    /// What is doubtful.
    pub kind: Kind,
    /// The group of flows that it concerns; null if it concerns all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The congestion control of the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cc: Option<String>,
    /// In words, without the names of the group and its congestion control.
    pub about: String,
    /// A run of this many seconds should be long enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// An estimate of the time from one loss to the next, if it is so long that the run shows
    /// only the start of it; `duration_s` is then null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_s: Option<f64>,
}

impl Kind {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::FewEpisodes => "few-episodes",
            Self::NoCycle => "no-cycle",
            Self::WindowLimited => "window-limited",
            Self::PhaseEffects => "phase-effects",
            Self::InvalidRuns => "invalid-runs",
        }
    }

    /// In a few words, for captions.
    pub fn title(self) -> &'static str {
        match self {
            Self::FewEpisodes => "fewer than 3 congestion episodes per flow",
            Self::NoCycle => "hardly any congestion episode, even in a long run",
            Self::WindowLimited => "window limited by a buffer of an endpoint",
            Self::PhaseEffects => "phase effects decide which flow loses packets",
            Self::InvalidRuns => "some runs are invalid",
        }
    }
}

/// The kinds among these doubts, in order: `few-episodes phase-effects`.
pub fn names(doubts: &[Doubt]) -> String {
    let kinds: BTreeSet<Kind> = doubts.iter().map(|doubt| doubt.kind).collect();
    kinds.into_iter().map(Kind::name).collect::<Vec<_>>().join(" ")
}

/// What must be known of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// How long it runs, and how long of that is measured.
    duration_s: f64,
    window_s: f64,
    /// Flows and background sources.
    sources: usize,
    groups: Vec<Group>,
}

/// A group of flows that grow until a loss, from before the measuring window to its end.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: String,
    law: &'static str,
    flows: u32,
    cycle: Option<Cycle>,
    limit: Option<Limit>,
}

/// A buffer of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    key: &'static str,
    bytes: u64,
    /// Payload of the largest window that it allows.
    window: u64,
    /// What the path holds at the rate of its slowest link.
    bdp: u64,
    /// As many bits on the wire as its segments have.
    bits: f64,
}

impl Expected {
    /// What to expect of a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut others: BTreeSet<&str> = BTreeSet::new();
        for flow in &plan.flows[..plan.lasting()] {
            let name = plan.groups[flow.group].as_str();
            // a flow of a given size ends where it ends
            let to_the_end = flow.stop.is_none_or(|stop| stop >= plan.measure_to);
            let greedy = flow.size.is_none() && flow.app.is_none() && to_the_end;
            if !(greedy && flow.cc.sheet().grows_until_loss) {
                others.insert(name);
                continue;
            }
            match groups.iter_mut().find(|own| own.name == name) {
                Some(own) => own.flows += 1,
                None => groups.push(Group {
                    name: name.to_owned(),
                    law: flow.cc.name(),
                    flows: 1,
                    cycle: Cycle::of(plan, flow),
                    limit: Limit::of(plan, flow),
                }),
            }
        }
        // what is measured of a group is of all its flows
        groups.retain(|group| !others.contains(group.name.as_str()));
        let window = plan.measure_to.since(plan.measure_from);
        let sources = plan.flows.len() + plan.background.len();
        Self { duration_s: plan.end.secs(), window_s: window.secs(), sources, groups }
    }

    /// The laws of which it is known that they cannot have enough episodes, with the time that
    /// each takes at least from one to the next.
    pub fn too_slow(&self) -> impl Iterator<Item = Least> + '_ {
        let least = self.groups.iter().filter_map(|group| group.cycle?.least);
        least.filter(|least| FEW * least.seconds > self.window_s)
    }

    /// The doubts, given the value of a measure of a group, by their names: the mean over so
    /// many runs.
    pub fn doubts(&self, runs: usize, measured: &dyn Fn(&str, &str) -> Option<f64>) -> Vec<Doubt> {
        self.groups.iter().filter_map(|group| self.doubt(group, runs, measured)).collect()
    }

    /// The doubts about a point of a sweep, given the measures of a whole run by their full
    /// names, and the mean of each.
    pub fn at_point(&self, runs: usize, names: &[String], means: &[Option<f64>]) -> Vec<Doubt> {
        let value = |name: &str| means[names.iter().position(|own| own == name)?];
        let mut doubts =
            self.doubts(runs, &|group, measure| value(&format!("groups.{group}.{measure}")));
        let links = names.iter().filter_map(|name| name.strip_suffix(".in_step"));
        let decides = |link: &&str| {
            let of = |measure: &str| value(&format!("{link}.{measure}"));
            in_step(of("in_step"), of("overflowed"))
        };
        if let Some(link) = links.filter(|_| self.sources > 1).find(decides) {
            let link = link.trim_start_matches("links.");
            let about = format!("phase effects decide which flow loses packets at {link}");
            doubts.push(Doubt {
                kind: Kind::PhaseEffects,
                group: None,
                cc: None,
                about,
                duration_s: None,
                cycle_s: None,
            });
        }
        doubts
    }

    fn doubt(
        &self,
        group: &Group,
        runs: usize,
        measured: &dyn Fn(&str, &str) -> Option<f64>,
    ) -> Option<Doubt> {
        let value = |measure: &str| measured(&group.name, measure);
        let episodes = value("episodes")? + value("timeouts").unwrap_or(0.0);
        let each = episodes / f64::from(group.flows);
        if each >= FEW {
            return None;
        }
        let doubt = |kind, about| {
            let (group, cc) = (Some(group.name.clone()), Some(group.law.to_owned()));
            Some(Doubt { kind, group, cc, about, duration_s: None, cycle_s: None })
        };
        let rate = value("throughput_bps").unwrap_or(0.0) / f64::from(group.flows);
        let window = rate * value("rtt_mean_s").unwrap_or(0.0);
        if let Some(limit) = group.limit.filter(|limit| window >= LIMITED * limit.bits) {
            return doubt(Kind::WindowLimited, limit.text(rate));
        }
        let window_s = Unit::Time.text(self.window_s);
        let seen = format!("{} congestion episodes per flow in {window_s}", Unit::Count.text(each));
        let Some(cycle) = group.cycle else {
            let why = "nothing on the path ever loses a packet: the queue has no limit";
            return doubt(Kind::NoCycle, format!("{seen}; {why}"));
        };
        if each < 1.0 && self.window_s >= FEW * cycle.longest_s {
            let reno = Unit::Time.text(cycle.longest_s);
            let why = format!(
                "a flow that grows like Reno takes {reno} from one to the next, so that a longer \
                 run may not have more"
            );
            return doubt(Kind::NoCycle, format!("{seen}; {why}"));
        }
        let watched = f64::from(group.flows) * runs as f64;
        let one = self.between(each * watched, watched, &cycle);
        let duration = self.enough(one.unwrap_or(cycle.reckoned_s), &cycle);
        let far = one.is_none() && duration > MOST * self.duration_s;
        Some(Doubt {
            duration_s: (!far).then_some(duration),
            cycle_s: far.then_some(cycle.reckoned_s),
            ..doubt(Kind::FewEpisodes, format!("{seen}, too few for a long-term mean"))?
        })
    }

    /// The measured time from one loss to the next, if so many flows in all runs together had so
    /// many episodes in the window; `None` if the estimate says more.
    fn between(&self, seen: f64, flows: f64, cycle: &Cycle) -> Option<f64> {
        // the mean; one that has just not come may be missing
        let measured = self.window_s * flows / (seen - 0.5);
        let enough = seen >= 2.0 && cycle.settled || measured > cycle.reckoned_s;
        (seen >= 1.0 && enough).then_some(measured)
    }

    /// A run of so many seconds is long enough, if this is the time from one loss to the next;
    /// the window grows with the run.
    fn enough(&self, one: f64, cycle: &Cycle) -> f64 {
        let room = match (cycle.by_chance, cycle.settled) {
            (true, _) => ROOM_BY_CHANCE,
            (false, true) => ROOM,
            (false, false) => ROOM_EARLY,
        };
        round_up((self.duration_s * room * one / self.window_s).max(1.2 * self.duration_s))
    }

    /// How long the flows of a group take from one loss to the next, if that is known, in
    /// words: `Reno takes about 2.1 s`.
    pub fn cycle(&self, group: &str) -> Option<Cycle> {
        self.groups.iter().find(|own| own.name == group)?.cycle
    }
}

impl Limit {
    fn of(plan: &Plan, flow: &Flow) -> Option<Self> {
        let window = flow.tcp.largest_window()?.get();
        let all = [
            ("tcp.receive_buffer", flow.tcp.receive_buffer, 1),
            ("tcp.send_buffer", flow.tcp.send_buffer, 1),
            ("tcp.rmem", flow.tcp.rmem, 2),
        ];
        let sized = all.into_iter().filter_map(|(key, bytes, share)| Some((key, bytes?, share)));
        let (key, bytes, _) = sized.min_by_key(|(_, bytes, share)| bytes.get() / share)?;
        let segments = (window / flow.tcp.payload().get().max(1)).max(1);
        let bits = (segments * flow.tcp.packet.get() * 8) as f64;
        let rates = flow.route.iter().map(|&link| fairness::mean_rate(plan, &plan.links[link]));
        let bdp = rates.fold(f64::INFINITY, f64::min) * fairness::base_rtt(plan, flow) / 8.0;
        Some(Self { key, bytes: bytes.get(), window, bdp: bdp as u64, bits })
    }

    fn text(&self, rate: f64) -> String {
        let Self { key, bytes, window, bdp, .. } = self;
        let of_it = if window == bytes { String::new() } else { format!(" ({window}B of data)") };
        format!(
            "the window is limited by {key} = {bytes}B{of_it}, to {} per flow, not by congestion: \
             the path holds {} in a round trip. A longer run changes nothing, a larger buffer does",
            Unit::Rate.text(rate),
            Bytes::new(*bdp)
        )
    }
}

/// Whether of so many drops at a full queue so many in step are too many.
pub fn in_step(in_step: Option<f64>, all: Option<f64>) -> bool {
    in_step.zip(all).is_some_and(|(in_step, all)| in_step >= MANY && in_step >= SHARE * all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(own: bool, buffer: Option<Limit>) -> Expected {
        let cycle = Cycle {
            about_s: 8.0,
            law: own.then_some("Reno"),
            least: None,
            longest_s: 40.0,
            reckoned_s: if own { 8.0 } else { 40.0 },
            settled: true,
            by_chance: false,
        };
        let group = Group {
            name: "f".to_owned(),
            law: "reno",
            flows: 2,
            cycle: Some(cycle),
            limit: buffer,
        };
        Expected { duration_s: 10.0, window_s: 5.0, sources: 2, groups: vec![group] }
    }

    fn found(expected: &Expected, episodes: f64) -> Vec<(Kind, Option<f64>)> {
        let measured = |_: &str, measure: &str| match measure {
            "episodes" => Some(episodes),
            "timeouts" => Some(0.0),
            "throughput_bps" => Some(2e6),
            "rtt_mean_s" => Some(0.1),
            _ => None,
        };
        let doubts = expected.doubts(1, &measured);
        doubts.into_iter().map(|doubt| (doubt.kind, doubt.duration_s)).collect()
    }

    /// 5 of 10 s are measured. Six episodes of two flows are three each. With four, one takes
    /// 2 x 5 / 3.5 = 2.86 s in the mean, and four of these are 11.4 s of a run of 22.9. With one,
    /// it is 2 x 5 / 0.5 = 20 s, which is more than the cycle of the law: 160 s. With none it is
    /// that cycle, 4 x 8 = 32 s of 64, or what a flow of any law needs, 160 of 320; with chance
    /// in it, twice as long.
    #[test]
    fn the_duration_follows_from_what_was_seen() {
        let few = |duration| vec![(Kind::FewEpisodes, Some(duration))];
        let (known, unknown) = (expected(true, None), expected(false, None));
        assert_eq!(found(&known, 6.0), []);
        assert_eq!(found(&known, 4.0), few(30.0));
        assert_eq!(found(&unknown, 4.0), few(30.0));
        assert_eq!(found(&known, 1.0), few(200.0));
        assert_eq!(found(&known, 0.0), few(80.0));
        // 320 s are advised after a run of 100 s, and not after one of 10 s, where nothing was
        // measured
        let doubts = unknown.doubts(1, &|_, measure| (measure == "episodes").then_some(0.0));
        assert_eq!((doubts[0].duration_s, doubts[0].cycle_s), (None, Some(40.0)));
        let unknown = Expected { duration_s: 100.0, window_s: 50.0, ..unknown };
        assert_eq!(found(&unknown, 0.0), few(400.0));
        let mut random = unknown.clone();
        random.groups[0].cycle.as_mut().unwrap().by_chance = true;
        assert_eq!(found(&random, 0.0), few(800.0));
        // the window is still in slow start, whose losses say nothing: 6 x 40 s of 480
        let mut early = unknown.clone();
        early.groups[0].cycle.as_mut().unwrap().settled = false;
        assert_eq!(found(&early, 4.0), few(500.0));
        let long = Expected { duration_s: 240.0, window_s: 120.0, ..unknown };
        assert_eq!(found(&long, 1.0), [(Kind::NoCycle, None)]);
        assert_eq!(found(&long, 5.0)[0].0, Kind::FewEpisodes);
    }

    /// 1 Mbit/s on 0.1 s are 100 kbit, of a buffer of 104 kbit, but not of one of 200.
    #[test]
    fn a_window_that_fills_its_buffer_is_limited() {
        let of = |bits| Limit {
            key: "tcp.receive_buffer",
            bytes: 13_000,
            window: 13_000,
            bdp: 50_000,
            bits,
        };
        assert_eq!(found(&expected(true, Some(of(104e3))), 0.0), [(Kind::WindowLimited, None)]);
        assert_eq!(found(&expected(true, Some(of(200e3))), 0.0)[0].0, Kind::FewEpisodes);
        assert_eq!(found(&expected(true, Some(of(104e3))), 6.0), []);
    }
}
