//! A plan, or the plans for several buffers together, summed up in one sentence; and a row that
//! is perhaps almost as fast and harms the others less.

use super::advice::times_between;
use super::with_all::{fitting, good_in_all, longest};
use super::{PlanRow, PlanSummary};
use tusker_record::table::Unit;

/// A row that takes at most so many times as long is almost as fast.
const ALMOST: f64 = 1.25;

/// A row that takes at most this share of what the others lose is gentler.
const GENTLER: f64 = 0.5;

/// `In short, with each of these buffers: 16 x cubic-linux takes 53.8 h to 62.3 h, 2.4 to 3.4
/// times as fast as today's 4 x cubic-linux. ...`; none if no row is recommended.
pub fn in_short(plans: &[PlanSummary]) -> Option<String> {
    let first = plans.first()?;
    let rows = match plans {
        [only] => vec![only.chosen()?],
        _ => good_in_all(plans)?,
    };
    let with = || rows.iter().copied().zip(plans);
    let ends: Option<Vec<(f64, f64)>> = with().map(|(row, plan)| plan.ends(row)).collect();
    let (low, high) = range(&ends?)?;
    let head = if plans.len() > 1 { "In short, with each of these buffers" } else { "In short" };
    let about = if rows.iter().all(|row| row.is_simulated()) { "" } else { "about " };
    let mut text = format!(
        "{head}: {} takes {about}{} to {}",
        rows[0].name(),
        first.time(low),
        first.time(high)
    );
    if let Some(today) = first.today_row() {
        let times: Option<Vec<(f64, f64)>> = with().map(|(row, plan)| faster(plan, row)).collect();
        match times.and_then(|times| range(&times)) {
            _ if first.is_today(rows[0]) => text += ", and it is what runs today",
            Some((low, high)) => {
                text += &format!(
                    ", {about}{low:.1} to {high:.1} times as fast as today's {}",
                    today.name()
                );
            }
            None => {}
        }
    }
    text.push('.');
    text += &beside(plans, &rows);
    Some(text)
}

/// What the others have and lose.
fn beside(plans: &[PlanSummary], rows: &[&PlanRow]) -> String {
    let Some((low, high, most)) = losses(rows) else { return String::new() };
    let mut text = format!(
        " The flows of --with then lose {} of what they have without the transfer",
        shares(low, high)
    );
    if most > high + 0.01 {
        text += &format!(" (up to {:.0} % within its \u{b1})", 100.0 * most);
    }
    let rates = |of: &dyn Fn(&PlanSummary, &PlanRow) -> Option<f64>| -> Option<String> {
        let all = rows.iter().zip(plans).map(|(row, plan)| of(plan, row));
        let all: Vec<f64> = all.collect::<Option<_>>()?;
        let (low, high) = range(&all.iter().map(|one| (*one, *one)).collect::<Vec<_>>())?;
        let (low, high) = (Unit::Rate.text(low), Unit::Rate.text(high));
        Some(if low == high { low } else { format!("{low} to {high}") })
    };
    let with = rates(&|_, row| row.others.as_ref().map(|rate| rate.mean_bps));
    let without = rates(&|plan, _| plan.alone.as_ref().map(|rate| rate.mean_bps));
    if let Some((with, without)) = with.zip(without) {
        text += &format!(": together they have {with} instead of {without}");
    }
    text.push('.');
    let today: Option<Vec<&PlanRow>> = plans.iter().map(PlanSummary::today_row).collect();
    let today = today.filter(|today| !plans[0].is_today(rows[0]) && !today.is_empty());
    if let Some((low, high, _)) = today.and_then(|today| losses(&today)) {
        text += &format!(" Beside today's they lose {}.", shares(low, high));
    }
    text
}

/// A row that is perhaps almost as fast as the one that is good with every buffer, and takes at
/// most half of what that takes from the others.
pub(super) fn gentler<'a>(plans: &'a [PlanSummary], good: &[&PlanRow]) -> Option<Vec<&'a PlanRow>> {
    let (_, most, _) = losses(good)?;
    let limit = ALMOST * longest(good);
    let fits = |_: &PlanSummary, row: &PlanRow| row.harm.is_some_and(|harm| harm <= GENTLER * most);
    let slower = |rows: &Vec<&PlanRow>| {
        let name = rows[0].name();
        longest(rows) <= limit && name != good[0].name() && !plans[0].is_today(rows[0])
    };
    let all = fitting(plans, fits).into_iter().filter(slower);
    all.min_by(|a, b| longest(a).total_cmp(&longest(b)))
}

/// The least and the most that is lost, and the most within its interval.
fn losses(rows: &[&PlanRow]) -> Option<(f64, f64, f64)> {
    let each: Vec<(f64, f64)> = rows
        .iter()
        .map(|row| Some((row.harm?, row.harm? + row.harm_ci95.unwrap_or(0.0))))
        .collect::<Option<_>>()?;
    let most = each.iter().map(|own| own.1).fold(f64::MIN, f64::max);
    let (low, high) = range(&each.iter().map(|own| (own.0, own.0)).collect::<Vec<_>>())?;
    Some((low, high, most.min(1.0)))
}

/// `13 to 28 %`; what is not lost is 0.
fn shares(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(|share| format!("{:.0}", (100.0 * share).max(0.0)));
    if low == high { format!("{low} %") } else { format!("{low} to {high} %") }
}

/// How many times as fast as today's, with the intervals of both.
fn faster(plan: &PlanSummary, row: &PlanRow) -> Option<(f64, f64)> {
    let today = plan.today_row()?;
    let times = today.took_s? / row.took_s?;
    times_between((row.took_s?, plan.ends(row)?), (today.took_s?, plan.ends(today)?), times)
}

/// From the least to the most.
fn range(all: &[(f64, f64)]) -> Option<(f64, f64)> {
    let low = all.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
    let high = all.iter().map(|own| own.1).fold(f64::NEG_INFINITY, f64::max);
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::super::made::{plan, row};
    use super::super::{Basis, PlanRate, PlanWay};
    use super::*;

    /// CUBIC takes 100 s to 120 s with one buffer, 90 s to 110 s with the other; Reno, which runs
    /// today, 270 to 330 s. 300/110 = 2.73; sqrt(ln(120/110)^2 + ln(300/270)^2) = 0.137 and
    /// sqrt(ln(110/100)^2 + ln(330/300)^2) = 0.135, so 2.38 to 3.12; 300/100 = 3 with 0.142 and
    /// 0.142: 2.60 to 3.46.
    fn plans() -> [PlanSummary; 2] {
        [("0.1bdp", 110.0, 0.3), ("1bdp", 100.0, 0.1)].map(|(buffer, took, harm)| {
            let made = |law: &str, took: f64, half: f64, harm: f64| PlanRow {
                took_low_s: Some(took - half),
                took_high_s: Some(took + half),
                harm: Some(harm),
                harm_ci95: Some(0.1),
                others: Some(PlanRate { mean_bps: 1e9 * (1.0 - harm), ci95_bps: None }),
                socket_buffer_enough: true,
                ..row(law, Basis::Steady, took, 2)
            };
            let rows = [made("cubic", took, 10.0, harm), made("reno", 300.0, 30.0, 0.02)];
            let mut plan = plan(rows.into(), true);
            plan.path.buffer = buffer.to_owned();
            plan.path.with = vec!["vegas".to_owned()];
            plan.alone = Some(PlanRate { mean_bps: 1e9, ci95_bps: None });
            plan.today = Some(PlanWay {
                law: "reno".to_owned(),
                streams: 1,
                socket_buffer_bytes: plan.rows[0].socket_buffer_bytes,
            });
            plan.rank();
            plan
        })
    }

    #[test]
    fn a_sentence_has_the_range_of_all_buffers() {
        let plans = plans();
        assert_eq!(
            in_short(&plans).unwrap(),
            "In short, with each of these buffers: 1 x cubic takes 1.50 min to 2.00 min, 2.4 to 3.5 \
             times as fast as today's 1 x reno. The flows of --with then lose 10 to 30 % of what \
             they have without the transfer (up to 40 % within its ±): together they have 700.0 \
             Mbit/s to 900.0 Mbit/s instead of 1.000 Gbit/s. Beside today's they lose 2 %."
        );
        let one = in_short(&plans[..1]).unwrap();
        assert!(
            one.starts_with("In short: 1 x cubic takes 1.67 min to 2.00 min, 2.4 to 3.1 times"),
            "{one}"
        );
    }

    /// HSTCP takes 120 s at most, less than 1.25 x 110 s, and 0.1 of the rate, a third of 0.3.
    #[test]
    fn what_is_almost_as_fast_and_gentler_is_named() {
        let mut plans = plans();
        let good: Vec<PlanRow> = plans.iter().map(|plan| plan.rows[0].clone()).collect();
        let good: Vec<&PlanRow> = good.iter().collect();
        assert_eq!(gentler(&plans, &good), None);
        for plan in &mut plans {
            let own = PlanRow { harm: Some(0.1), law: "hstcp".to_owned(), ..plan.rows[0].clone() };
            plan.rows.push(PlanRow { took_s: Some(120.0), ..own });
        }
        let found = gentler(&plans, &good).expect("a gentler row");
        assert_eq!(found[0].law, "hstcp");
        plans[1].rows.last_mut().unwrap().took_s = Some(140.0);
        assert_eq!(gentler(&plans, &good), None);
    }
}
