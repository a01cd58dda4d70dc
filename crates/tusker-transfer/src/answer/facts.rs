//! What is worth knowing of a plan beside its rows: each fact of a kind, with its numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tusker_plan::stock;

use super::{Better, PlanRow, PlanSummary, Spent};

/// More connections gain nothing that counts where a transfer takes at most this many times
/// as long as the path needs.
const NEARLY: f64 = 1.05;

/// A transfer that takes this many times as long is worth a word.
const SLOWER: f64 = 1.25;

/// A transfer takes about as long as another if it takes at most this many times as long.
const AS_LONG: f64 = 1.1;

/// Harm is less than another's if it is surely less by this.
const LESS: f64 = 0.1;

/// The most connections that `--streams` takes.
const MOST_STREAMS: u32 = 1_024;

/// A fact about a plan. Rows are places in `rows`, from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fact {
    /// A row is as fast as the recommended one, or faster, which is better in something else.
    AsFast {
        /// That row.
        row: u32,
        /// In what the recommended row is better.
        better: Better,
    },
    /// Rows are faster than the recommended one, or there is none, but they harm the others.
    PassedOver {
        /// Why they are not recommended.
        because: PassedOver,
        /// These rows.
        rows: Vec<u32>,
    },
    /// Rows may be faster than the recommended one, but have only a first estimate.
    PerhapsFaster {
        /// These rows.
        rows: Vec<u32>,
    },
    /// A simulated row takes about as long as what runs today, or less, and harms the others
    /// less; nothing but today's is recommended.
    Gentler {
        /// That row.
        row: u32,
    },
    /// With Linux's default socket buffers, what runs today is slower than its row.
    DefaultBuffers {
        /// The most that it has, bits per second.
        at_most_bps: f64,
        /// The time that the transfer takes at least, seconds.
        at_least_s: f64,
    },
    /// The recommended row has the most connections that were tried, and more may be faster.
    MoreStreams {
        /// That many.
        most: u32,
    },
    /// How many rows meet the deadline.
    Deadline {
        /// That many.
        met: u32,
        /// The fastest row.
        fastest: Option<u32>,
    },
    /// A limit ended the simulation before rows were as exact as asked.
    Stopped {
        /// The limit.
        by: Spent,
        /// Rows that were simulated, but not enough.
        begun: Vec<u32>,
        /// Rows that were not simulated.
        not_begun: Vec<u32>,
        /// The value of this limit that is likely to be enough, packets.
        needs_packets: Option<f64>,
    },
    /// The intervals of the first rows overlap, so which is the fastest is not certain.
    Tied {
        /// That many.
        rows: u32,
    },
}

/// Why a row that is faster is not recommended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PassedOver {
    /// The others may lose more than the limit, with the uncertainty of its harm.
    MayHarm,
    /// The others lose more than the limit.
    Harms,
    /// What the others lose is not known.
    Unknown,
}

impl PlanSummary {
    /// All facts, the most important first.
    pub(super) fn find_facts(&self) -> Vec<Fact> {
        let mut facts = self.as_fast();
        facts.extend(self.passed_over());
        facts.extend(self.gentler());
        facts.extend(self.stopped());
        facts.extend(self.deadline());
        facts.extend(self.perhaps_faster());
        facts.extend(self.more_streams());
        facts.extend(self.default_buffers());
        facts.extend(self.tied());
        facts
    }

    /// The row at a place, from 1.
    pub fn row(&self, place: u32) -> &PlanRow {
        &self.rows[place as usize - 1]
    }

    /// The places of rows, from 1.
    fn places(&self, is: impl Fn(usize, &PlanRow) -> bool) -> Vec<u32> {
        let rows = self.rows.iter().enumerate().filter(|(n, row)| is(*n, row));
        rows.map(|(n, _)| n as u32 + 1).collect()
    }

    fn place(&self, row: &PlanRow) -> u32 {
        self.rows.iter().position(|own| own == row).map_or(0, |n| n as u32 + 1)
    }

    fn as_fast(&self) -> Vec<Fact> {
        let Some(chosen) = self.chosen() else { return Vec::new() };
        let slower = chosen.speedup.is_some_and(|times| times <= 1.0);
        let today = self.today_row().filter(|today| slower || chosen.is_near(today));
        let first = self.fastest_kind().map(|n| &self.rows[n]);
        let first = first.filter(|first| first.is_near(chosen) && Some(*first) != today);
        let rows = today.into_iter().chain(first).filter(|row| *row != chosen);
        let fact = |row| Fact::AsFast { row: self.place(row), better: self.rather(chosen, row) };
        rows.map(fact).collect()
    }

    fn passed_over(&self) -> Vec<Fact> {
        let before = self.recommended.map_or(self.rows.len(), |place| place as usize - 1);
        let why = |row: &PlanRow| match self.is_kind(row) {
            true => None,
            false if self.harms_too_much(row) => Some(PassedOver::Harms),
            false if row.has_unknown_harm() => Some(PassedOver::Unknown),
            false => Some(PassedOver::MayHarm),
        };
        let rows = |because| {
            self.places(|n, row| n < before && row.took_s.is_some() && why(row) == Some(because))
        };
        // first what one might risk
        [PassedOver::MayHarm, PassedOver::Harms, PassedOver::Unknown]
            .map(|because| Fact::PassedOver { because, rows: rows(because) })
            .into_iter()
            .filter(|fact| !matches!(fact, Fact::PassedOver { rows, .. } if rows.is_empty()))
            .collect()
    }

    fn perhaps_faster(&self) -> Option<Fact> {
        let most = self.chosen().filter(|chosen| chosen.is_simulated())?.took_s?;
        let after = self.recommended? as usize;
        let may = |row: &PlanRow| !row.is_simulated() && !self.harms_too_much(row);
        let rows = self
            .places(|n, row| n >= after && may(row) && row.took_s.is_some_and(|took| took < most));
        (!rows.is_empty()).then_some(Fact::PerhapsFaster { rows })
    }

    fn gentler(&self) -> Option<Fact> {
        if self.chosen().is_some_and(|chosen| !self.is_today(chosen)) {
            return None;
        }
        let today = self.today_row()?;
        let (most, harm) = (today.took_s? * AS_LONG, today.harm? - LESS);
        let rows = self.rows.iter().filter(|row| row.took_s.is_some_and(|took| took <= most));
        let rows = rows.filter(|row| row.is_simulated() && !row.has_estimated_harm());
        let rows = rows.filter(|row| !self.is_today(row));
        let rows = rows.filter_map(|row| Some((row.harm_at_most()?, row)));
        let rows = rows.filter(|(upper, _)| *upper <= harm);
        let (_, row) = rows.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Fact::Gentler { row: self.place(row) })
    }

    /// Of the default buffers the sender's are the smaller ones.
    fn default_buffers(&self) -> Option<Fact> {
        let today = self.today_row().filter(|row| row.socket_buffer_enough)?;
        let at_most_bps = f64::from(today.streams) * stock::at_most(self.path.rtt_s);
        let at_least_s = self.size_bytes as f64 * 8.0 / at_most_bps;
        let slower = at_least_s > SLOWER * today.took_s?;
        slower.then_some(Fact::DefaultBuffers { at_most_bps, at_least_s })
    }

    fn more_streams(&self) -> Option<Fact> {
        let chosen = self.chosen()?;
        let most = self.rows.iter().map(|row| row.streams).max()?;
        let gains = chosen.took_s.is_some_and(|took| took > NEARLY * self.least_s);
        let more = chosen.streams == most && gains && most <= MOST_STREAMS / 4;
        more.then_some(Fact::MoreStreams { most })
    }

    fn deadline(&self) -> Option<Fact> {
        let deadline = self.deadline_s?;
        let met = self.places(|_, row| row.took_s.is_some_and(|took| took <= deadline));
        let known = self.rows.iter().filter(|row| row.took_s.is_some());
        let fastest = known.min_by(|a, b| a.took_s.partial_cmp(&b.took_s).expect("no NaN"));
        Some(Fact::Deadline { met: met.len() as u32, fastest: fastest.map(|row| self.place(row)) })
    }

    fn stopped(&self) -> Vec<Fact> {
        let fact = |by: Spent| {
            let rows =
                |begun| self.places(|_, row| row.spent == Some(by) && (row.runs > 0) == begun);
            let (begun, not_begun) = (rows(true), rows(false));
            let needs_packets = match by {
                Spent::RowPackets => {
                    let all = self.rows.iter().filter(|row| row.spent == Some(by));
                    all.filter_map(|row| row.needs_packets).reduce(f64::max)
                }
                Spent::Budget => Some(self.enough()),
                Spent::Interrupted => None,
            };
            let any = !begun.is_empty() || !not_begun.is_empty();
            any.then_some(Fact::Stopped { by, begun, not_begun, needs_packets })
        };
        [Spent::Interrupted, Spent::Budget, Spent::RowPackets]
            .into_iter()
            .filter_map(fact)
            .collect()
    }

    /// Packets that all rows are likely to cost: those that do not say what they need, as many
    /// as the finished ones took. The others without the transfer are simulated, too.
    fn enough(&self) -> f64 {
        let finished = self.rows.iter().filter(|row| row.spent.is_none() && row.runs > 0);
        let most = finished.map(|row| row.packets).fold(0.0, f64::max);
        let usual = if most > 0.0 { most.min(self.row_packets) } else { self.row_packets };
        let cost = |row: &PlanRow| match row.spent {
            Some(Spent::Budget) => {
                row.packets.max(row.needs_packets.unwrap_or(usual).min(self.row_packets))
            }
            _ => row.packets,
        };
        let alone = if self.path.with.is_empty() { 0.0 } else { usual };
        alone + self.rows.iter().map(cost).sum::<f64>()
    }

    fn tied(&self) -> Option<Fact> {
        let high = self.rows.first().filter(|row| row.is_simulated())?.took_high_s?;
        let within = |row: &&PlanRow| row.took_low_s.is_some_and(|low| low <= high);
        let rows = self.rows.iter().take_while(within).count() as u32;
        (rows > 1).then_some(Fact::Tied { rows })
    }
}

#[cfg(test)]
mod tests;
