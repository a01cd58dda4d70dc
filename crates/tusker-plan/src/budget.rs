//! The memory that an execution takes, and why an execution ended without a result.

use std::fmt;

use tusker_core::{Bytes, Time};

/// Bytes of memory by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Flows, links and sources, with their counters.
    pub setup: u64,
    /// Packets in flight and in queues, and the state kept about them.
    pub packets: u64,
    /// Transfers and pages that have begun, and waiting objects.
    pub transfers: u64,
    /// Values recorded over time.
    pub trace: u64,
}

impl Memory {
    /// All of it.
    pub fn total(&self) -> u64 {
        let Self { setup, packets, transfers, trace } = *self;
        setup.saturating_add(packets).saturating_add(transfers).saturating_add(trace)
    }

    /// The largest part, in words, and how to make it smaller.
    fn most(&self) -> (&'static str, u64, &'static str) {
        let parts = [
            (
                "packets in flight and in queues",
                self.packets,
                "give queues a limit, flows a smaller window or background traffic a lower rate",
            ),
            (
                "transfers and waiting objects",
                self.transfers,
                "ask for fewer objects or transfers, or make the experiment shorter",
            ),
            (
                "values recorded over time",
                self.trace,
                "lengthen trace.interval, set trace.flows = false, or trace fewer links",
            ),
            ("flows and links themselves", self.setup, "have fewer flows"),
        ];
        // the first if several are equal
        parts.into_iter().rev().max_by_key(|part| part.1).expect("there are four")
    }

    /// A sentence that says what takes the most memory, and what to do about it.
    pub fn remedy(&self) -> String {
        let (what, bytes, remedy) = self.most();
        format!("{what} take {} of it: {remedy}", size(bytes))
    }
}

impl std::ops::Add for Memory {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            setup: self.setup.saturating_add(other.setup),
            packets: self.packets.saturating_add(other.packets),
            transfers: self.transfers.saturating_add(other.transfers),
            trace: self.trace.saturating_add(other.trace),
        }
    }
}

/// A size for people: three digits and a unit.
pub fn size(bytes: u64) -> impl fmt::Display {
    const UNITS: [&str; 6] = ["MB", "GB", "TB", "PB", "EB", "ZB"];
    let mut value = bytes as f64 / 1e6;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    let digits = match value {
        0.0..10.0 => 1,
        _ => 0,
    };
    // nothing takes no memory at all
    format!("{:.digits$} {}", value.max(0.1), UNITS[unit])
}

/// Why an execution ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The progress callback stopped it.
    Interrupted,
    /// It was about to exceed its memory limit.
    OverBudget {
        /// The limit.
        budget: Bytes,
        /// What it would have needed next.
        needed: Memory,
        /// Simulated time that it reached.
        at: Time,
    },
    /// The machine could not do what was needed.
    Failed {
        /// What went wrong.
        why: String,
        /// What to do about it.
        remedy: String,
    },
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::Failed { why, .. } => f.write_str(why),
            Self::OverBudget { budget, needed, at } => write!(
                f,
                "would need {} of memory at {} s of simulated time; the limit is {}",
                size(needed.total()),
                at.secs(),
                size(budget.get())
            ),
        }
    }
}

impl std::error::Error for Stopped {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_that_suits_them() {
        for (bytes, text) in [
            (1, "0.1 MB"),
            (4_000_000, "4.0 MB"),
            (99_900_000, "100 MB"),
            (999_600_000, "1.0 GB"),
            (7_400_000_000, "7.4 GB"),
            (88_000_000_000_000, "88 TB"),
        ] {
            assert_eq!(size(bytes).to_string(), text);
        }
    }

    #[test]
    fn what_takes_most_is_named() {
        let memory = Memory { setup: 1, packets: 5_000_000, transfers: 7_000_000, trace: 0 };
        assert_eq!(memory.total(), 12_000_001);
        assert!(memory.remedy().starts_with("transfers and waiting objects take 7.0 MB"));
    }
}
