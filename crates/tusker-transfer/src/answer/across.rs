//! Plans for one transfer over paths that differ in the buffer, whose size is not known, and
//! the row that is good with each of these buffers.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::in_short::gentler;
use super::with_all::{good_in_all, perhaps_in_all};
use super::{FORMAT, PlanRow, PlanSummary};
use crate::planned::of_buffer;
use tusker_record::table::Unit;

/// What `tusker plan --format json` prints for several buffers: a plan for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlansSummary {
    /// Version of this format.
    pub format: u32,
    /// Version of Tusker.
    pub tusker: String,
    /// The command line.
    pub command: Vec<String>,
    /// The buffers that were asked for, as written.
    pub buffers: Vec<String>,
    /// There is a complete plan for every buffer.
    pub complete: bool,
    /// The row to choose if the buffer is not known: of the rows that leave the other
    /// flows enough with every buffer, the one whose longest time is the shortest; or what
    /// runs today, if that is faster and not known to take too much. A first
    /// estimate counts with a longer time than estimated. Null if there is no such row, or
    /// if not every buffer has a plan.
    pub good_with_all: Option<GoodWithAll>,
    /// A plan for each buffer, in the order of `buffers`; `path.buffer` names it. After
    /// Ctrl-C, those that were not begun are missing.
    pub plans: Vec<PlanSummary>,
}

/// A row that is good with every buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoodWithAll {
    /// Congestion control, with its parameters.
    #[serde(rename = "cc", alias = "law")]
    pub law: String,
    /// Parallel connections.
    pub streams: u32,
    /// The place of the row in the `rows` of each plan, from 1.
    pub rows: Vec<u32>,
}

/// A document of `tusker plan --format json`: with one buffer a plan, with several a plan
/// for each.
#[derive(JsonSchema)]
#[schemars(title = "Plan")]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Printed {
    One(Box<PlanSummary>),
    Several(PlansSummary),
}

impl PlansSummary {
    /// The plans that were made for these buffers.
    ///
    /// # Panics
    /// If there is no plan.
    pub fn new(buffers: Vec<String>, plans: Vec<PlanSummary>) -> Self {
        let all = plans.len() == buffers.len();
        Self {
            format: FORMAT,
            tusker: plans[0].tusker.clone(),
            command: plans[0].command.clone(),
            complete: all && plans.iter().all(|plan| plan.complete),
            good_with_all: if all { GoodWithAll::of(&plans) } else { None },
            buffers,
            plans,
        }
    }

    /// As JSON text.
    ///
    /// # Panics
    /// Never: a summary holds only finite numbers and text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a summary is plain data");
        text.push('\n');
        text
    }

    /// One line per row of each plan: those of [`PlanSummary::to_csv`], with the buffer
    /// before them, and at the end whether the row is good with all buffers.
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        for (nth, plan) in self.plans.iter().enumerate() {
            let good = self.good_with_all.as_ref().map(|good| good.rows[nth]);
            let table = plan.to_csv();
            let mut lines = table.lines();
            let head = lines.next().unwrap_or_default();
            if nth == 0 {
                text += &format!("buffer,{head},good_with_all\n");
            }
            for (line, place) in lines.zip(1..) {
                text += &format!("{},{line},{}\n", plan.path.buffer, good == Some(place));
            }
        }
        text
    }
}

impl GoodWithAll {
    /// Of plans that differ in the buffer; `None` without such a row.
    fn of(plans: &[PlanSummary]) -> Option<Self> {
        let rows = good_in_all(plans)?;
        let place = |(row, plan): (&&PlanRow, &PlanSummary)| {
            plan.rows.iter().position(|own| own == *row).map(|place| place as u32 + 1)
        };
        Some(Self {
            law: rows[0].law.clone(),
            streams: rows[0].streams,
            rows: rows.iter().zip(plans).map(place).collect::<Option<_>>()?,
        })
    }
}

/// The JSON Schema of what `tusker plan --format json` prints; `plan.json` is its first
/// case.
///
/// # Panics
/// Never: a schema is plain data.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Printed);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text.push('\n');
    text
}

/// The plan with the largest buffer: its socket buffers are enough for all.
fn largest(plans: &[PlanSummary]) -> usize {
    let socket = |plan: &PlanSummary| plan.rows.first().map(|row| row.socket_buffer_bytes);
    (0..plans.len()).max_by_key(|&n| socket(&plans[n])).unwrap_or_default()
}

/// The row that is good with every buffer, as it stands in the plan with the largest buffer.
pub fn for_all(plans: &[PlanSummary]) -> Option<(&PlanSummary, &PlanRow)> {
    let rows = good_in_all(plans)?;
    let n = largest(plans);
    Some((&plans[n], rows[n]))
}

/// What the row that is good with every buffer carries with each: `7.39 Gbit/s with 0.1bdp`.
pub fn rates_for_all(plans: &[PlanSummary]) -> Vec<String> {
    let rows = good_in_all(plans).unwrap_or_default();
    let each = rows.iter().zip(plans).filter_map(|(row, plan)| {
        let rate = Unit::Rate.text(row.goodput.as_ref()?.mean_bps);
        let about = if row.is_simulated() { "" } else { "about " };
        Some(format!("{about}{rate} with {}", plan.path.buffer))
    });
    each.collect()
}

/// Rows that should be simulated with every buffer, because one of them may be good with all:
/// what is so by what is known so far, what perhaps is, and what each plan recommends.
pub fn candidates(plans: &[PlanSummary]) -> Vec<(String, u32)> {
    let good = good_in_all(plans).into_iter().chain(perhaps_in_all(plans));
    let good = good.map(|rows| rows[0]);
    let mut ways: Vec<(String, u32)> = Vec::new();
    for row in good.chain(plans.iter().filter_map(PlanSummary::chosen)) {
        let way = (row.law.clone(), row.streams);
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// What plans that differ in the buffer come to: the recommendation of each, and what is
/// good with every buffer; a sentence per line. `dir` has the plans, if they are kept; with
/// `below`, the commands for the row that is good with every buffer follow.
pub fn across(plans: &[PlanSummary], dir: Option<&Path>, below: bool) -> Vec<String> {
    let each = plans
        .iter()
        .filter_map(|plan| Some(format!("buffer {}: {}", plan.path.buffer, plan.in_a_sentence()?)));
    let mut lines: Vec<String> = each.collect();
    if lines.len() < plans.len() {
        return lines;
    }
    let hint = |row: &PlanRow| {
        let buffer = &plans[largest(plans)].path.buffer;
        let out = dir.map(|dir| format!(" --out {}", of_buffer(dir, buffer).display()));
        format!(
            "The same command with --buffer {buffer} --for {}x{}{} prints what to type",
            row.streams,
            row.law,
            out.unwrap_or_default()
        )
    };
    let times = |rows: &[&PlanRow]| {
        let with = rows.iter().zip(plans);
        let with = with.map(|(row, plan)| format!("{} with {}", plan.took(row), plan.path.buffer));
        format!("{}, {}", rows[0].name(), with.collect::<Vec<_>>().join(", "))
    };
    let speed = |rows: &[&PlanRow]| -> String {
        let Some(today) = plans[0].today_row().filter(|_| !plans[0].is_today(rows[0])) else {
            return String::new();
        };
        let each = rows.iter().zip(plans).map(|(row, plan)| plan.speed_text(row));
        let each = each.collect::<Vec<_>>().join(", ");
        format!(" Speed against today's {}: {each}.", today.name())
    };
    let harm = |rows: &[&PlanRow]| -> String {
        if rows.iter().any(|row| row.harm.is_none()) {
            return String::new();
        }
        let each = rows.iter().map(|row| row.harm_text()).collect::<Vec<_>>();
        format!(" The others lose this share of their rate: {}.", each.join(", "))
    };
    lines.push(match good_in_all(plans) {
        None => {
            let today = plans.iter().map(PlanSummary::today_row).collect::<Option<Vec<_>>>();
            let today = today.filter(|rows| rows.iter().all(|row| row.took_s.is_some()));
            let today = today.map_or(String::new(), |rows| {
                format!(" What you run today: {}. {}.", times(&rows), hint(rows[0]))
            });
            format!("No row is known to leave the others enough with every buffer.{today}")
        }
        Some(rows) => {
            let alone = plans[0].path.with.is_empty();
            let stays = rows.iter().zip(plans).any(|(row, plan)| plan.may_stay(row));
            let why = match alone {
                true => "No other row takes less time with its worst buffer.",
                false if stays => {
                    "It is what you run today. It may take more from the other flows than the \
                     limit, as it may today, but no row that surely takes less is faster with its \
                     worst buffer."
                }
                false => {
                    "It leaves the other flows enough with every buffer, even if its harm is at the \
                     upper end of its range, and no other row that does so takes less time with its \
                     worst buffer."
                }
            };
            format!(
                "If the buffer is not known: {}.{}{} {why}{}",
                times(&rows),
                speed(&rows),
                harm(&rows),
                if below { String::new() } else { format!(" {}.", hint(rows[0])) }
            )
        }
    });
    let perhaps = perhaps_in_all(plans);
    if let Some(last) = perhaps.last() {
        let each = perhaps.iter().map(|rows| format!("{}.{}", times(rows), harm(rows)));
        let each = each.collect::<Vec<_>>().join(" Or ");
        let what = match good_in_all(plans) {
            None => "Perhaps within the limit with every buffer, but not surely",
            Some(_) => {
                "Faster with its worst buffer, and perhaps within the limit with every buffer, but \
                 not surely"
            }
        };
        let last = last[0];
        let same = |row: &PlanRow| (&row.law, row.streams) == (&last.law, last.streams);
        let others =
            |plan: &PlanSummary| plan.rows.iter().any(|row| !same(row) && !plan.is_today(row));
        let name = last.name();
        let hint = match plans.iter().any(others) {
            true => {
                format!("{} with the same command gives {name} all of the time", last.options())
            }
            false => format!("A longer --budget gives {name} more time"),
        };
        lines.push(format!("{what}: {each} {hint}."));
    }
    let good = good_in_all(plans).unwrap_or_default();
    if let Some(rows) = gentler(plans, &good) {
        lines.push(format!(
            "Gentler, and perhaps almost as fast: {}.{} {} with the same command gives it all of \
             the time.",
            times(&rows),
            harm(&rows),
            rows[0].options()
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::Basis;
    use super::super::made::{plan, row};
    use super::*;

    /// Seconds by law behind one buffer.
    fn behind(buffer: &str, rows: [(&str, f64); 3]) -> PlanSummary {
        let rows = rows.map(|(law, took)| row(law, Basis::Steady, took, 2));
        let mut plan = plan(rows.into(), true);
        plan.path.buffer = buffer.to_owned();
        plan.rank();
        plan
    }

    /// HSTCP takes 20 s and 90 s, CUBIC 60 s and 30 s, BBR 70 s and 70 s: the longest are 90,
    /// 60 and 70 s.
    #[test]
    fn the_row_whose_longest_time_is_the_shortest_is_good_with_every_buffer() {
        let plans = [
            behind("0.1bdp", [("hstcp", 20.0), ("cubic", 60.0), ("bbr1", 70.0)]),
            behind("1bdp", [("hstcp", 90.0), ("cubic", 30.0), ("bbr1", 70.0)]),
        ];
        let lines = across(&plans, None, false);
        assert_eq!(lines[0], "buffer 0.1bdp: Recommended: 1 x hstcp, 20.0 s.");
        assert_eq!(lines[1], "buffer 1bdp: Recommended: 1 x cubic, 30.0 s.");
        assert!(
            lines[2].starts_with(
                "If the buffer is not known: 1 x cubic, 60.0 s with 0.1bdp, 30.0 s with 1bdp."
            ),
            "{lines:?}"
        );
        assert!(lines[2].contains("--buffer 1bdp --for 1xcubic prints"), "{lines:?}");
        let told = across(&plans, None, true).pop().unwrap();
        assert!(told.ends_with("takes less time with its worst buffer."), "{told}");
        // the folder of all plans takes no single one
        let kept = across(&plans, Some(Path::new("tonight")), false).pop().unwrap();
        assert!(kept.ends_with("--for 1xcubic --out tonight/buffer-1bdp prints what to type."));
        // the second of three with one buffer, the first with the other
        let buffers = || vec!["0.1bdp".to_owned(), "1bdp".to_owned()];
        let all = PlansSummary::new(buffers(), plans.to_vec());
        let good = GoodWithAll { law: "cubic".to_owned(), streams: 1, rows: vec![2, 1] };
        assert_eq!((all.complete, all.good_with_all.as_ref()), (true, Some(&good)));
        let csv = all.to_csv();
        let ends: Vec<_> = csv.lines().filter(|line| line.ends_with(",true")).collect();
        assert!(ends[0].starts_with("0.1bdp,2,cubic,") && ends[1].starts_with("1bdp,1,cubic,"));
        assert_eq!((ends.len(), csv.lines().count()), (2, 7), "{csv}");
        // one that was stopped
        let some = PlansSummary::new(buffers(), plans[..1].to_vec());
        assert_eq!((some.complete, some.good_with_all), (false, None));
    }

    /// The row of the plan with the largest socket buffers is for all. HSTCP is recommended with
    /// one buffer, BBR with the other, and CUBIC, 60 and 60 s, is good with both.
    #[test]
    fn what_may_be_good_with_all_buffers_is_simulated_with_each() {
        let mut plans = [
            behind("1bdp", [("hstcp", 20.0), ("cubic", 60.0), ("bbr1", 90.0)]),
            behind("0.1bdp", [("hstcp", 90.0), ("cubic", 60.0), ("bbr1", 30.0)]),
        ];
        plans[0].rows.iter_mut().for_each(|row| row.socket_buffer_bytes *= 2);
        plans
            .iter_mut()
            .flat_map(|plan| &mut plan.rows)
            .for_each(|r| r.socket_buffer_enough = true);
        let (plan, row) = for_all(&plans).expect("a row");
        assert_eq!((plan.path.buffer.as_str(), row.law.as_str()), ("1bdp", "cubic"));
        let laws: Vec<String> = candidates(&plans).into_iter().map(|(law, _)| law).collect();
        assert_eq!(laws, ["cubic", "hstcp", "bbr1"]);
        let kept = across(&plans, None, false).pop().unwrap();
        assert!(kept.contains("--buffer 1bdp --for 1xcubic"), "{kept}");
    }

    /// Today's CUBIC may take 0.45 + 0.1 > 0.5 and needs 60 s; HSTCP takes 0.2 and needs 90 s.
    #[test]
    fn what_runs_today_is_good_with_all_if_all_kind_rows_are_slower() {
        let mut plans = ["0.1bdp", "1bdp"]
            .map(|buffer| behind(buffer, [("hstcp", 90.0), ("cubic", 60.0), ("bbr1", 95.0)]));
        for plan in &mut plans {
            plan.path.with = vec!["reno".to_owned()];
            let today = |law: &str| super::super::PlanWay {
                law: law.to_owned(),
                streams: 1,
                socket_buffer_bytes: plan.rows[0].socket_buffer_bytes,
            };
            plan.today = Some(today("cubic"));
            for row in &mut plan.rows {
                let harm = if row.law == "cubic" { 0.45 } else { 0.2 };
                (row.harm, row.harm_ci95) = (Some(harm), Some(0.1));
            }
            plan.rank();
        }
        let last = across(&plans, None, false).pop().unwrap();
        assert!(
            last.contains("known: 1 x cubic,") && last.contains("what you run today"),
            "{last}"
        );
    }

    #[test]
    fn a_row_that_takes_too_much_with_one_buffer_is_not_good_with_all() {
        let mut plans = ["0.1bdp", "1bdp"]
            .map(|buffer| behind(buffer, [("hstcp", 20.0), ("cubic", 60.0), ("bbr1", 70.0)]));
        let harm = [[0.2, 0.3, 0.9], [0.6, 0.3, 0.9]];
        for (plan, harm) in plans.iter_mut().zip(harm) {
            plan.path.with = vec!["reno".to_owned()];
            for row in &mut plan.rows {
                let nth = ["hstcp", "cubic", "bbr1"].iter().position(|law| *law == row.law);
                (row.harm, row.harm_ci95) = (nth.map(|nth| harm[nth]), Some(0.01));
            }
            plan.rank();
        }
        assert!(
            across(&plans, None, false)[2].contains("known: 1 x cubic,"),
            "{:?}",
            across(&plans, None, false)
        );
        plans[0].max_harm = Some(0.1);
        let last = across(&plans, None, false).pop();
        assert_eq!(
            last.as_deref(),
            Some("No row is known to leave the others enough with every buffer.")
        );
    }
}
