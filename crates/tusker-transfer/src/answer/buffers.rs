//! Plans for one transfer over paths that differ in the buffer, whose size is not known, and
//! the row that is good with each of these buffers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ESTIMATE_TIMES, FORMAT, PlanRow, PlanSummary, json};

/// Harm that differs by less is as good.
const SAME_HARM: f64 = 0.05;

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

    /// The row that is good with every buffer, as it stands in each plan.
    pub fn good(&self) -> Option<Vec<&PlanRow>> {
        let good = self.good_with_all.as_ref()?;
        Some(good.rows.iter().zip(&self.plans).map(|(place, plan)| plan.row(*place)).collect())
    }

    /// As JSON text.
    ///
    /// # Panics
    /// Never: a summary holds only finite numbers and text.
    pub fn to_json(&self) -> String {
        json(self)
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
    json(&schemars::schema_for!(Printed))
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

impl PlanRow {
    /// The same way to do it; a socket buffer that is enough depends on the path.
    fn is_same_way(&self, other: &Self) -> bool {
        let enough = self.socket_buffer_enough && other.socket_buffer_enough;
        (&self.law, self.streams) == (&other.law, other.streams)
            && (enough || self.socket_buffer_bytes == other.socket_buffer_bytes)
    }

    /// How long it takes, with what a first estimate may be too short.
    fn likely_s(&self) -> Option<f64> {
        let times = if self.is_simulated() { 1.0 } else { ESTIMATE_TIMES };
        self.took_s.map(|took| took * times)
    }
}

/// Of the rows that leave the others enough in every plan, the one whose longest time is the
/// shortest: as it stands in each of them.
fn good_in_all(plans: &[PlanSummary]) -> Option<Vec<&PlanRow>> {
    best_of(plans, |plan, row| plan.is_kind(row) || plan.may_stay(row))
}

/// Rows that would be faster, and whose harm is within the limit in every plan if it is as it
/// was estimated or simulated, without regard to how far off that may be: the fastest, and the
/// one that does the least harm with its worst buffer.
fn perhaps_in_all(plans: &[PlanSummary]) -> Vec<Vec<&PlanRow>> {
    let most = good_in_all(plans).map_or(f64::INFINITY, |good| longest(&good));
    let within =
        |plan: &PlanSummary, row: &PlanRow| row.harm.is_some() && !plan.harms_too_much(row);
    let unsure = |rows: &Vec<&PlanRow>| {
        let unkind = rows.iter().zip(plans).any(|(row, plan)| !plan.is_kind(row));
        unkind && longest(rows) < most && !plans[0].is_today(rows[0])
    };
    let mut all: Vec<Vec<&PlanRow>> = fitting(plans, within).into_iter().filter(unsure).collect();
    all.sort_by(|a, b| longest(a).total_cmp(&longest(b)));
    let harm = |rows: &[&PlanRow]| {
        rows.iter().filter_map(|row| row.harm).fold(f64::NEG_INFINITY, f64::max)
    };
    // of the same harm, the faster
    let least = all.iter().map(|rows| harm(rows)).fold(f64::INFINITY, f64::min);
    let gentle = all.iter().position(|rows| harm(rows) <= least + SAME_HARM);
    match gentle {
        Some(0) => all.truncate(1),
        Some(gentle) => {
            all.swap(1, gentle);
            all.truncate(2);
        }
        None => {}
    }
    all
}

/// Of the rows that fit in every plan, the one whose longest time is the shortest.
fn best_of(
    plans: &[PlanSummary],
    fits: impl Fn(&PlanSummary, &PlanRow) -> bool,
) -> Option<Vec<&PlanRow>> {
    let all = fitting(plans, fits).into_iter();
    all.min_by(|a, b| longest(a).total_cmp(&longest(b)))
}

/// The rows that fit in every plan, each as it stands in all of them.
fn fitting(
    plans: &[PlanSummary],
    fits: impl Fn(&PlanSummary, &PlanRow) -> bool,
) -> Vec<Vec<&PlanRow>> {
    let in_all = |row: &PlanRow| -> Option<Vec<&PlanRow>> {
        let own = |plan: &'_ PlanSummary| plan.rows.iter().position(|own| own.is_same_way(row));
        plans.iter().map(|plan| Some(&plan.rows[own(plan)?])).collect()
    };
    let all = plans.iter().take(1).flat_map(|plan| &plan.rows).filter_map(in_all);
    let all = all.filter(|rows| rows.iter().zip(plans).all(|(row, plan)| fits(plan, row)));
    all.filter(|rows| longest(rows).is_finite()).collect()
}

/// The time with the worst buffer.
fn longest(rows: &[&PlanRow]) -> f64 {
    rows.iter().map(|row| row.likely_s().unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::made::{plan, row};
    use super::super::{Basis, PlanWay};
    use super::*;

    /// Seconds by law behind one buffer.
    fn behind(buffer: &str, rows: [(&str, f64); 3]) -> PlanSummary {
        let rows = rows.map(|(law, took)| row(law, Basis::Steady, took, 2));
        let mut plan = plan(rows.into(), true);
        plan.path.buffer = buffer.to_owned();
        plan.rank();
        plan
    }

    /// The law that is good with all.
    fn good(plans: &[PlanSummary]) -> Option<String> {
        good_in_all(plans).map(|rows| rows[0].law.clone())
    }

    /// HSTCP takes 20 s and 90 s, CUBIC 60 s and 30 s, BBR 70 s and 70 s: the longest are 90,
    /// 60 and 70 s.
    #[test]
    fn the_row_whose_longest_time_is_the_shortest_is_good_with_every_buffer() {
        let plans = [
            behind("0.1bdp", [("hstcp", 20.0), ("cubic", 60.0), ("bbr1", 70.0)]),
            behind("1bdp", [("hstcp", 90.0), ("cubic", 30.0), ("bbr1", 70.0)]),
        ];
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

    /// HSTCP is recommended with one buffer, BBR with the other, and CUBIC, 60 and 60 s, is good
    /// with both.
    #[test]
    fn what_may_be_good_with_all_buffers_is_simulated_with_each() {
        let plans = [
            behind("1bdp", [("hstcp", 20.0), ("cubic", 60.0), ("bbr1", 90.0)]),
            behind("0.1bdp", [("hstcp", 90.0), ("cubic", 60.0), ("bbr1", 30.0)]),
        ];
        assert_eq!(good(&plans).as_deref(), Some("cubic"));
        let laws: Vec<String> = candidates(&plans).into_iter().map(|(law, _)| law).collect();
        assert_eq!(laws, ["cubic", "hstcp", "bbr1"]);
    }

    /// Today's CUBIC may take 0.45 + 0.1 > 0.5 and needs 60 s; HSTCP takes 0.2 and needs 90 s.
    #[test]
    fn what_runs_today_is_good_with_all_if_all_kind_rows_are_slower() {
        let mut plans = ["0.1bdp", "1bdp"]
            .map(|buffer| behind(buffer, [("hstcp", 90.0), ("cubic", 60.0), ("bbr1", 95.0)]));
        for plan in &mut plans {
            plan.path.with = vec!["reno".to_owned()];
            let today = |law: &str| PlanWay {
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
        assert_eq!(good(&plans).as_deref(), Some("cubic"));
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
        assert_eq!(good(&plans).as_deref(), Some("cubic"));
        plans[0].max_harm = Some(0.1);
        assert_eq!(good(&plans), None);
    }
}
