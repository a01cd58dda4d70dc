//! Rows that are not recommended although they would be faster, because they take too much from
//! the others, or might; and what is said if no row is recommended.

use std::fmt::Write;

use super::super::text::packets;
use super::super::{PlanRow, PlanSummary};
use super::RULE;

/// Rows that a sentence names.
const MOST_NAMED: usize = 4;

/// A transfer takes about as long as another if it takes at most this many times as long.
const AS_LONG: f64 = 1.1;

/// Harm is less than another's if it is surely less by this.
const LESS: f64 = 0.1;

impl PlanSummary {
    /// Rows that would be faster but take too much, or might; every reason with its rows.
    pub(super) fn unkind(&self) -> Option<String> {
        let before = self.recommended.map_or(self.rows.len(), |place| place as usize - 1);
        let known = self.rows[..before].iter().filter(|row| row.took_s.is_some());
        let (much, rest): (Vec<&PlanRow>, Vec<&PlanRow>) =
            known.partition(|row| self.harms_too_much(row));
        let (unknown, maybe): (Vec<&PlanRow>, Vec<&PlanRow>) = rest
            .into_iter()
            .filter(|row| !self.is_kind(row))
            .partition(|row| row.has_unknown_harm());
        let limit = self.most_harm() * 100.0;
        let too_much = format!("the others lose more than the limit, {limit:.0} % of their rate");
        let mut perhaps =
            format!("the others may lose more than the limit, {limit:.0} % of their rate");
        if let Some(first) = maybe.first().filter(|row| row.has_estimated_harm()) {
            let more = first.more_harm() * 100.0;
            let _ = write!(perhaps, ", and a first estimate (~) may be {more:.0} points too low");
        }
        let not_known = "what the others lose is not known (`?`)".to_owned();
        let (than, reasons) = match self.chosen() {
            Some(_) => (
                "Faster, but not recommended, ",
                // first what one might risk
                [(perhaps, maybe), (too_much, much), (not_known, unknown)],
            ),
            // the others are named as perhaps kind enough
            None => (
                "The fastest; careful: ",
                [(too_much, much), (perhaps, Vec::new()), (not_known, unknown)],
            ),
        };
        let because = if self.chosen().is_some() { "because " } else { "" };
        let first = reasons.iter().find_map(|(_, rows)| rows.first())?;
        let hint =
            format!("--for {}x{} prints what to type for the first", first.streams, first.law);
        let reasons = reasons.iter().filter(|(_, rows)| !rows.is_empty());
        let reasons = reasons.map(|(why, rows)| format!("{because}{why}: {}", self.first_of(rows)));
        Some(format!("{than}{}. {hint}.", reasons.collect::<Vec<_>>().join("; ")))
    }

    /// What is said if no row is recommended: the rule, and what today's row does.
    pub(super) fn nothing_kind(&self) -> String {
        let limit = format!("{:.0} % of their rate", self.most_harm() * 100.0);
        let mut text = format!(
            "No row is recommended: none is known to take at most {limit} from the others, {RULE}."
        );
        if self.max_harm.is_none() {
            text += " --max-harm 0.8, for example, allows more.";
        }
        if let Some(today) = self.today_row().filter(|row| row.took_s.is_some()) {
            let _ = write!(
                text,
                " What you run today, {}: {}. --for {}x{} prints what to type for it.",
                today.name(),
                self.took_and_harm(today),
                today.streams,
                today.law
            );
        }
        text
    }

    /// The simulated row with the least harm of those that take about as long as what runs
    /// today or less, and surely less from the others; none if something else is recommended.
    pub(super) fn gentler(&self) -> Option<String> {
        if self.chosen().is_some_and(|chosen| !self.is_today(chosen)) {
            return None;
        }
        let today = self.today_row()?;
        let (most, harm) = (today.took_s? * AS_LONG, today.harm? - LESS);
        let upper = |row: &PlanRow| {
            let known = row.is_simulated() && !row.has_estimated_harm();
            row.harm.filter(|_| known).map(|own| own + row.harm_ci95.unwrap_or(0.0))
        };
        let rows = self.rows.iter().filter(|row| row.took_s.is_some_and(|took| took <= most));
        let rows = rows.filter_map(|row| Some((upper(row)?, row)));
        let rows = rows.filter(|(upper, row)| *upper <= harm && !self.is_today(row));
        let (_, row) = rows.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!(
            "In about the same time as what you run today or less, and gentler to the others: {} \
             ({}; today {}). --for {}x{} prints what to type for it.",
            row.name(),
            self.took_and_harm(row),
            self.took_and_harm(today),
            row.streams,
            row.law
        ))
    }

    /// `46.2 h, 52 % ± 5 %`, `~218 h, ~20 %`, `218 h, harm not known`.
    pub(super) fn took_and_harm(&self, row: &PlanRow) -> String {
        let took = self.took_text(row);
        let Some(harm) = row.harm else {
            let unknown = if row.has_unknown_harm() { ", harm not known" } else { "" };
            return took + unknown;
        };
        let mark = if row.has_estimated_harm() { "~" } else { "" };
        // the interval counts where it decides
        let half = row.harm_ci95.filter(|half| (harm - self.most_harm()).abs() < *half);
        let half = half.map_or(String::new(), |half| format!(" ± {:.0} %", half * 100.0));
        // no `-0 %`
        let percent = (harm * 100.0).round() + 0.0;
        format!("{took}, {mark}{percent:.0} %{half}")
    }

    /// `64 x bbr1 (46.2 h, 99 %) and 3 more`: the first with its time and harm.
    fn first_of(&self, rows: &[&PlanRow]) -> String {
        let more = match rows.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{} ({}){more}", rows[0].name(), self.took_and_harm(rows[0]))
    }

    /// Rows that might be faster than the recommended one, or might leave the others enough
    /// where none is known to, but were not simulated.
    pub(super) fn perhaps(&self) -> Option<String> {
        let most = match self.chosen() {
            Some(chosen) if !chosen.is_simulated() => return None,
            Some(chosen) => chosen.took_s?,
            None => f64::INFINITY,
        };
        let kind = |row: &PlanRow| row.harm.is_none_or(|harm| harm <= self.most_harm());
        let may = |row: &&PlanRow| match self.chosen() {
            Some(_) => !row.is_simulated() && kind(row),
            None => row.harm.is_some() && kind(row),
        };
        // those before the recommended row are named with the reason
        let told = self.recommended.map_or(0, |place| place as usize);
        let rows = self.rows[told..].iter().filter(may);
        let rows = rows.filter(|row| row.took_s.is_some_and(|took| took < most));
        let rows: Vec<&PlanRow> = rows.collect();
        let first = rows.first()?;
        let one = |row: &&PlanRow| match self.chosen() {
            Some(_) => format!("{} ({})", row.name(), self.took_text(row)),
            None => format!("{} ({})", row.name(), self.took_and_harm(row)),
        };
        let named: Vec<String> = rows.iter().take(MOST_NAMED).map(one).collect();
        let more = match rows.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let what = match self.chosen() {
            Some(_) => "Perhaps faster, but known from a first estimate alone",
            None => "Perhaps within the limit, but not surely",
        };
        let hint = match first.needs_packets {
            Some(needs) => format!("The first needs at least --row-packets {}", packets(needs)),
            None => format!("{} gives one of them all of the --budget", first.options()),
        };
        // what to type for today's row is told with it
        let named_before = self.chosen().is_some() || self.is_today(first);
        let typed = match named_before {
            true => String::new(),
            false => {
                format!("; --for {}x{} prints what to type for it", first.streams, first.law)
            }
        };
        Some(format!("{what}: {}{more}. {hint}{typed}.", named.join(", ")))
    }
}
