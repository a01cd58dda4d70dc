//! What `--conclusions`, `--compare-readings` and `--claim` cost, printed before they begin,
//! and what a suggested command costs.

use std::collections::{BTreeMap, BTreeSet};

use tusker_core::Time;
use tusker_lab::Experiment;
use tusker_papers::rows::{Row, Taken};
use tusker_plan::plan::Plan;
use tusker_record::store;
use tusker_record::summary::View;
use tusker_record::table::Unit;
use tusker_record::table::duration;

use super::places::place;
use super::{Job, ROWS};
use crate::failure::Failure;

/// Runs that are asked for and those that are stored, with what the others take.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Cost {
    runs: usize,
    stored: usize,
    /// Simulated seconds of the runs that are not stored.
    simulated_s: f64,
    /// What these take on one core, if runs of every such row are stored.
    wall_s: Option<f64>,
    /// Packets of the runs that are not stored, roughly.
    packets: f64,
}

/// Packets that a core simulates in a second, roughly: `tusker reproduce` prints 4.1 to 4.5
/// million for single rows of ghstcp and hcc on one core of the machine that this was written on.
const PACKETS_PER_S: f64 = 4e6;

/// One experiment as far as its cost goes.
struct Part<'a> {
    /// A row's name, the same under each reading and seed.
    name: &'a str,
    runs: usize,
    /// Simulated seconds of a run.
    seconds: f64,
    /// Packets at its bottleneck, if that is busy the whole time.
    packets: f64,
    /// Wall seconds of the stored runs.
    walls: Vec<f64>,
}

impl Cost {
    /// Of these experiments, each with its store.
    pub(super) fn of(experiments: &[Experiment]) -> Result<Self, Failure> {
        let mut parts = Vec::new();
        for Experiment { ready, store } in experiments {
            let mut stored = match store {
                Some(store) => store.finished(&View::new(&ready.plan))?,
                None => Vec::new(),
            };
            stored.retain(|replicate| replicate.number <= ready.replicates);
            parts.push(Part {
                name: &ready.name,
                runs: ready.replicates as usize,
                seconds: ready.plan.end.since(Time::ZERO).secs(),
                packets: packets(&ready.plan),
                walls: stored.iter().map(|replicate| replicate.wall_s).collect(),
            });
        }
        Ok(Self::sum(&parts))
    }

    fn sum(parts: &[Part<'_>]) -> Self {
        // wall and simulated seconds of what is stored, by row
        let mut known: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for part in parts.iter().filter(|part| !part.walls.is_empty()) {
            let (wall, simulated) = known.entry(part.name).or_default();
            *wall += part.walls.iter().sum::<f64>();
            *simulated += part.walls.len() as f64 * part.seconds;
        }
        let mut cost = Self { wall_s: Some(0.0), ..Self::default() };
        for part in parts {
            let lacking = part.runs.saturating_sub(part.walls.len());
            let seconds = lacking as f64 * part.seconds;
            cost.runs += part.runs;
            cost.stored += part.runs - lacking;
            cost.simulated_s += seconds;
            cost.packets += lacking as f64 * part.packets;
            if lacking > 0 {
                let wall = known.get(part.name).map(|(wall, simulated)| seconds * wall / simulated);
                cost.wall_s = cost.wall_s.zip(wall).map(|(sum, own)| sum + own);
            }
        }
        cost
    }

    /// In few words; `jobs` run at the same time.
    pub(super) fn brief(&self, jobs: usize) -> String {
        let count = |n: usize| Unit::Count.text(n as f64);
        let lacking = self.runs - self.stored;
        let word = |n: usize| if n == 1 { "run" } else { "runs" };
        if lacking == 0 {
            return format!("{} {}, stored already", count(self.runs), word(self.runs));
        }
        let stored = match self.stored {
            0 => String::new(),
            some => format!(" more ({} stored already)", count(some)),
        };
        let time = match self.wall_s {
            Some(wall) => format!("about {}", duration(wall / jobs.clamp(1, lacking) as f64)),
            None => {
                let seconds = count(self.simulated_s.round() as usize);
                let wall = self.guess().map_or(String::new(), |wall| format!(", {wall}"));
                format!("{seconds} s of simulated time{wall}")
            }
        };
        format!("{} {}{stored}, {time}", count(lacking), word(lacking))
    }

    /// `roughly 5 min of one core`, so that it is the same on every machine; none for a moment.
    fn guess(&self) -> Option<String> {
        let wall = self.packets / PACKETS_PER_S;
        (wall >= 1.0).then(|| format!("roughly {} of one core", plain(wall)))
    }

    /// In words; `jobs` run at the same time.
    pub(super) fn text(&self, jobs: usize) -> String {
        let count = |n: usize| Unit::Count.text(n as f64);
        let (runs, stored, lacking) = (self.runs, self.stored, self.runs - self.stored);
        let word = if runs == 1 { "run" } else { "runs" };
        if lacking == 0 {
            return format!("{} {word}, all of them stored already", count(runs));
        }
        let time = match self.wall_s {
            Some(wall) => {
                let wall = duration(wall / jobs.clamp(1, lacking) as f64);
                format!("about {wall}, as long as the stored runs of these rows took")
            }
            None => match self.guess() {
                Some(wall) => format!("{wall}; how long it takes here is shown after two runs"),
                None => "how long that takes is shown once two runs are done".to_owned(),
            },
        };
        format!(
            "{} {word}, {} of them stored already; {} to do, {} s of simulated time: {time}",
            count(runs),
            count(stored),
            count(lacking),
            count(self.simulated_s.round() as usize)
        )
    }
}

/// A rough time, rounded up: below ten to whole numbers, above to fives: `20 s`, `15 min`, `3 h`.
fn plain(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 90.0 => (s, "s"),
        s if s < 5_400.0 => (s / 60.0, "min"),
        s => (s / 3_600.0, "h"),
    };
    let step = if value < 10.0 { 1.0 } else { 5.0 };
    format!("{:.0} {unit}", (value / step).ceil() * step)
}

/// Packets at the slowest link that most flows cross, as if it were busy to the end.
fn packets(plan: &Plan) -> f64 {
    let crossed = |link: usize| plan.flows.iter().filter(|flow| flow.route.contains(&link)).count();
    let most = (0..plan.links.len()).map(crossed).max().unwrap_or(0);
    let busy = (0..plan.links.len()).filter(|link| crossed(*link) == most);
    let rates = busy.map(|link| plan.links[link].rate.bits_per_sec() as f64);
    let rate = rates.min_by(f64::total_cmp).unwrap_or(0.0);
    let size = plan.flows.iter().map(|flow| flow.tcp.packet.get() as f64).fold(1.0, f64::max);
    plan.end.since(Time::ZERO).secs() * rate / 8.0 / size
}

impl Job<'_> {
    /// Of these rows under each of these, each so often, with what the folder has of them.
    pub(super) fn cost_of(&self, rows: &[Row<'_>], of: &[(Taken<'_>, u32)]) -> Cost {
        let folder = self.folder.join(ROWS);
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut parts: Vec<(String, usize, f64, f64, Vec<f64>)> = Vec::new();
        for (taken, replicates) in of {
            for row in rows {
                // what a reading changes may not fit this row
                let Ok(ready) = self.alone(row, taken) else { continue };
                let dir = folder.join(place(&ready));
                if !known.insert(place(&ready)) {
                    continue;
                }
                let view = View::new(&ready.plan);
                let mut stored = match dir.is_dir() {
                    true => store::replicates(&dir, &ready.identity, &view).unwrap_or_default(),
                    false => Vec::new(),
                };
                stored.retain(|replicate| replicate.number <= *replicates);
                let seconds = ready.plan.end.since(Time::ZERO).secs();
                let walls = stored.iter().map(|replicate| replicate.wall_s).collect();
                let packets = packets(&ready.plan);
                parts.push((ready.name.clone(), *replicates as usize, seconds, packets, walls));
            }
        }
        let own = parts.iter().map(|(name, runs, seconds, packets, walls)| Part {
            name,
            runs: *runs,
            seconds: *seconds,
            packets: *packets,
            walls: walls.clone(),
        });
        Cost::sum(&own.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part<'a>(name: &'a str, runs: usize, seconds: f64, walls: &[f64]) -> Part<'a> {
        Part { name, runs, seconds, packets: seconds * 1e6, walls: walls.to_vec() }
    }

    #[test]
    fn time_is_told_only_if_runs_of_every_row_are_stored() {
        // a took 10 s for 100 simulated ones, b 40: one of each is lacking
        let parts =
            [part("a", 2, 100.0, &[10.0]), part("b", 1, 100.0, &[40.0]), part("b", 1, 100.0, &[])];
        let told = "4 runs, 2 of them stored already; 2 to do, 200 s of simulated time: about ";
        let why = ", as long as the stored runs of these rows took";
        // 10 s and 40 s on one core, or half of that on two
        assert_eq!(Cost::sum(&parts).text(1), format!("{told}50.0 s{why}"));
        assert_eq!(Cost::sum(&parts).text(2), format!("{told}25.0 s{why}"));
        let parts = [part("a", 2, 100.0, &[10.0]), part("c", 1, 1000.0, &[])];
        let told = "3 runs, 1 of them stored already; 2 to do, 1,100 s of simulated time: roughly \
                    5 min of one core; how long it takes here is shown after two runs";
        assert_eq!(Cost::sum(&parts).text(2), told);
        // 1,100 million packets at four million a second: 275 s
        let told = "2 runs more (1 stored already), 1,100 s of simulated time, roughly 5 min of one \
                    core";
        assert_eq!(Cost::sum(&parts).brief(2), told);
        // 10 s for each of two
        let parts = [part("a", 3, 100.0, &[10.0])];
        assert_eq!(Cost::sum(&parts).brief(1), "2 runs more (1 stored already), about 20.0 s");
        let parts = [part("a", 1, 100.0, &[])];
        // 100 million at four million a second
        let told = "1 run, 100 s of simulated time, roughly 25 s of one core";
        assert_eq!(Cost::sum(&parts).brief(1), told);
        let parts = [part("a", 2, 100.0, &[10.0, 12.0])];
        assert_eq!(Cost::sum(&parts).text(2), "2 runs, all of them stored already");
        assert_eq!(Cost::sum(&parts).brief(2), "2 runs, stored already");
    }
}
