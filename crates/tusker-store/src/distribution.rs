//! How a quantity is distributed, in buckets, over all stored replicates.

/// The quantity of a [`Distribution`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// RTT samples of a flow group, seconds.
    Rtt,
    /// Packets in the queue of a link.
    Queue,
    /// Times of transfers and pages of a group, seconds.
    Completion,
}

impl Quantity {
    /// All quantities, in the order of their numbers in tables.
    pub(super) const ALL: [Self; 3] = [Self::Rtt, Self::Queue, Self::Completion];

    /// Its name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rtt => "rtt_s",
            Self::Queue => "queue_pkt",
            Self::Completion => "completion_s",
        }
    }
}

/// How often values fell into buckets.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Name of the group or link.
    pub subject: String,
    /// The quantity.
    pub quantity: Quantity,
    /// Lowest value, first value beyond, count; in order, none empty.
    pub buckets: Vec<(f64, f64, u64)>,
}

impl Distribution {
    /// Adds the buckets of another replicate, which have the same limits.
    pub(super) fn add(&mut self, bucket: (f64, f64, u64)) {
        match self.buckets.binary_search_by(|own| own.0.total_cmp(&bucket.0)) {
            Ok(at) => self.buckets[at].2 += bucket.2,
            Err(at) => self.buckets.insert(at, bucket),
        }
    }

    /// The cumulative distribution as corners of a line, rising from 0 to 1. An
    /// integer value with its own bucket gives a step; within wider buckets the
    /// line rises evenly.
    pub fn cumulative(&self) -> Vec<(f64, f64)> {
        let all: u64 = self.buckets.iter().map(|bucket| bucket.2).sum();
        let mut corners: Vec<(f64, f64)> = Vec::with_capacity(self.buckets.len() + 1);
        let mut seen = 0;
        for &(from, below, count) in &self.buckets {
            let step = self.quantity == Quantity::Queue && below - from <= 1.0;
            let before = seen as f64 / all as f64;
            if corners.last() != Some(&(from, before)) {
                corners.push((from, before));
            }
            seen += count;
            corners.push((if step { from } else { below }, seen as f64 / all as f64));
        }
        corners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cumulative_distribution_rises_from_0_to_1() {
        let mut queue = Distribution {
            subject: "R1->R2".to_owned(),
            quantity: Quantity::Queue,
            buckets: Vec::new(),
        };
        queue.add((64.0, 66.0, 2));
        queue.add((3.0, 4.0, 1));
        queue.add((3.0, 4.0, 1));
        // half of all is 3; the other half lies evenly between 64 and 66
        assert_eq!(queue.cumulative(), [(3.0, 0.0), (3.0, 0.5), (64.0, 0.5), (66.0, 1.0)]);
    }
}
