//! A few sentences about the recommended row, and whether what runs today may as well stay.

use std::fmt::Write;

use super::super::text::speed;
use super::super::{PlanRow, PlanSummary};

/// How much smaller harm may be than by its first estimate (docs/plan.md).
const LESS_HARM: f64 = 0.2;

impl PlanSummary {
    /// What it comes to, in one sentence; `None` if nothing is known.
    pub fn in_a_sentence(&self) -> Option<String> {
        self.rows.iter().any(|row| row.took_s.is_some()).then_some(())?;
        let first = self.verdict().swap_remove(0);
        Some(first.split_once(". ").map_or(first.clone(), |(sentence, _)| format!("{sentence}.")))
    }

    /// The row that was asked for, if that is not the recommended one: its commands are
    /// printed.
    pub fn asked_in_a_sentence(&self) -> Option<String> {
        let asked = self.typed().filter(|row| self.asked_for.is_some() && row.took_s.is_some())?;
        if self.chosen() == Some(asked) {
            return None;
        }
        Some(format!(
            "The commands are for {} ({}), which --for asked for.",
            asked.name(),
            self.took_and_harm(asked)
        ))
    }

    /// If what is recommended is no faster than what runs today, but better in something
    /// else.
    pub(super) fn keep_today(&self, chosen: &PlanRow) -> Option<String> {
        let today = self.today_row().filter(|_| !self.is_today(chosen))?;
        let slower = chosen.speedup.is_some_and(|times| times <= 1.0);
        if !slower && !chosen.is_near(today) {
            return None;
        }
        let how = if slower { "is not faster" } else { "takes about as long" };
        Some(format!(
            "Keep what you run today, {} ({}), unless it matters that the recommended row {}: it \
             {how}.",
            today.name(),
            self.short(today),
            self.why_rather(chosen, today)
        ))
    }

    /// Why today's row stays.
    fn none_is_faster(&self) -> &'static str {
        match self.path.with.is_empty() {
            true => "Nothing else is clearly faster",
            false => "No clearly faster row is known to leave the others enough",
        }
    }

    /// The recommendation: its time, against today's, what the others lose, what it needs.
    pub(super) fn recommendation(&self, chosen: &PlanRow) -> String {
        let name = chosen.name();
        let mut text = match (self.is_today(chosen), chosen.is_simulated()) {
            (true, true) => format!(
                "Recommended: keep what you run today, {name}, {}. {}",
                self.took(chosen),
                self.none_is_faster()
            ),
            (false, true) => format!("Recommended: {name}, {}", self.took(chosen)),
            (true, false) => format!(
                "Recommended by a first estimate only, not by a simulation: keep what you run \
                 today, {name}, {}. {}",
                self.took(chosen),
                self.none_is_faster()
            ),
            (false, false) => format!(
                "Recommended by a first estimate only, not by a simulation: {name}, {}",
                self.took(chosen)
            ),
        };
        if let Some((today, times)) = self.today_row().zip(chosen.speedup)
            && !self.is_today(chosen)
        {
            let sure = today.is_simulated() && chosen.is_simulated();
            let about = if sure { "" } else { "about " };
            let _ = write!(
                text,
                ". That is {about}{}{} times as fast as today ({}, {})",
                speed(times),
                range(chosen, today, times).unwrap_or_default(),
                today.name(),
                self.short(today)
            );
        }
        text += &match chosen.harm {
            None => ".".to_owned(),
            Some(harm) if harm <= 0.0 && !chosen.has_estimated_harm() => {
                let half = chosen.harm_ci95.map(|half| half * 100.0);
                let half = half.map_or(String::new(), |half| format!(" ± {half:.0} %"));
                // without a sign before zero
                let percent = (harm * 100.0).round() + 0.0;
                let today = self.todays_harm(chosen).unwrap_or_default();
                format!(
                    ". The others lose no measurable share of their rate ({percent} %{half}){today}."
                )
            }
            Some(harm) => {
                let about = if chosen.has_estimated_harm() { "about " } else { "" };
                let half = chosen.harm_ci95.filter(|_| chosen.is_simulated());
                let half = match half {
                    Some(half) => format!(" ± {:.0} %", half * 100.0),
                    None if !chosen.has_estimated_harm() => String::new(),
                    None => {
                        let ends = [harm - LESS_HARM, harm + chosen.more_harm()];
                        let [low, high] = ends.map(|end| end.clamp(0.0, 1.0) * 100.0);
                        format!(" ({low:.0} % to {high:.0} %)")
                    }
                };
                let today = self.todays_harm(chosen).unwrap_or_default();
                let percent = harm * 100.0;
                format!(". The others lose {about}{percent:.0} %{half} of their rate{today}.")
            }
        };
        if self.may_stay(chosen) {
            text += " They may lose more than the limit, as they may today.";
        }
        let buffer = chosen.buffer_text();
        text += &match chosen.streams {
            1 => format!(" 1 connection, with {buffer}."),
            many => format!(" {many} connections, each with {buffer}."),
        };
        text
    }
}

impl PlanSummary {
    /// ` (today: 19 % ± 2 %)`: what the others lose to what runs today.
    fn todays_harm(&self, chosen: &PlanRow) -> Option<String> {
        let today = self.today_row().filter(|today| *today != chosen)?;
        let percent = today.harm?.max(0.0) * 100.0;
        Some(match today.harm_ci95.filter(|_| today.is_simulated()) {
            _ if today.has_estimated_harm() => format!(" (today: about {percent:.0} %)"),
            Some(half) => format!(" (today: {percent:.0} % ± {:.0} %)", half * 100.0),
            None => format!(" (today: {percent:.0} %)"),
        })
    }
}

/// ` (1.35 to 1.75)`: the 95 % interval of the ratio of two times, if both have one.
fn range(chosen: &PlanRow, today: &PlanRow, times: f64) -> Option<String> {
    let ends = |row: &PlanRow| {
        let took = row.took_s.filter(|_| row.is_simulated())?;
        Some((took, row.took_low_s.zip(row.took_high_s)?))
    };
    let (low, high) = times_between(ends(chosen)?, ends(today)?, times)?;
    Some(format!(" ({} to {})", speed(low), speed(high)))
}

/// The interval of the ratio of two times, each with its ends, as of two independent estimates:
/// on a logarithmic scale, squares of what lies between an end and the mean add up.
pub(in super::super) fn times_between(
    (took, (low, high)): (f64, (f64, f64)),
    (today, (today_low, today_high)): (f64, (f64, f64)),
    times: f64,
) -> Option<(f64, f64)> {
    let below = (high / took).ln().hypot((today / today_low).ln());
    let above = (took / low).ln().hypot((today_high / today).ln());
    let (low, high) = (times * (-below).exp(), times * above.exp());
    (low < high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::super::super::made::{plan, row};
    use super::super::super::{Basis, PlanWay};
    use super::*;

    #[test]
    fn what_the_others_lose_today_is_said_beside_it() {
        let harm = |harm, ci95, law: &str, took| PlanRow {
            harm: Some(harm),
            harm_ci95: ci95,
            ..row(law, Basis::Steady, took, 2)
        };
        let rows =
            vec![harm(0.3, Some(0.03), "hstcp", 10.0), harm(0.19, Some(0.02), "cubic", 20.0)];
        let mut plan = plan(rows, true);
        plan.path.with = vec!["reno".to_owned()];
        let today = PlanWay { law: "cubic".to_owned(), streams: 1, socket_buffer_bytes: 1_000 };
        plan.today = Some(today);
        plan.rank();
        let said = plan.recommendation(plan.chosen().expect("a row"));
        assert!(said.contains("lose 30 % ± 3 % of their rate (today: 19 % ± 2 %)."), "{said}");
        // what runs today is compared with nothing
        let today = plan.todays_harm(plan.today_row().expect("today's row"));
        assert_eq!(today, None);
    }

    /// 200 s / 100 s = 2. Its lower end: ln(112/100) = 0.1133 and ln(200/180) = 0.1054, together
    /// 0.1547, and 2 exp(-0.1547) = 1.71; the upper one: ln(100/90) = 0.1054 and ln(220/200) =
    /// 0.0953, together 0.1421, and 2 exp(0.1421) = 2.31.
    #[test]
    fn a_ratio_of_times_is_as_uncertain_as_both() {
        let took = |took: f64, low: f64, high: f64| PlanRow {
            took_low_s: Some(low),
            took_high_s: Some(high),
            ..row("reno", Basis::Steady, took, 3)
        };
        let (chosen, today) = (took(100.0, 90.0, 112.0), took(200.0, 180.0, 220.0));
        assert_eq!(range(&chosen, &today, 2.0).as_deref(), Some(" (1.71 to 2.31)"));
        let unknown = PlanRow { took_high_s: None, ..today };
        assert_eq!(range(&chosen, &unknown, 2.0), None);
    }
}
