//! Connections that begin and end during an experiment: the demand for them, and
//! the slots that they use.

use std::ops::Range;

use tusker_core::{Rng, Time};

use super::Start;

/// Transfers that come and go. They use connection slots, which are flows of the
/// plan without an application: each is reused, every time with the state of a new
/// connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Index of its group, which has the name.
    pub group: usize,
    /// Its slots among the flows.
    pub slots: Range<usize>,
    /// Whether each connection opens with a small segment and its ACK, which take a
    /// round trip, before data are sent.
    pub handshake: bool,
    /// Nothing new begins after this time.
    pub stop: Option<Time>,
    /// The demand for transfers.
    pub demand: Demand,
    /// Long-term rate in bits per second on the wire, if transfers took no time.
    pub mean_rate: f64,
}

impl Traffic {
    /// Approximate number of transfers that begin in this many seconds.
    pub fn expected(&self, secs: f64) -> f64 {
        match &self.demand {
            Demand::Arrivals { rate, .. } => rate * secs,
            Demand::Web(web) => {
                let pause = web.page_interval.mean().max(1e-3);
                web.sessions as f64 * (1.0 + secs / pause)
            }
        }
    }
}

/// The demand for transfers.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// A Poisson process. A transfer uses any free slot, or waits for one.
    Arrivals {
        /// Arrivals per second.
        rate: f64,
        /// Payload of each, bytes.
        size: Distribution,
        /// The first gap begins here.
        start: Time,
    },
    /// Users who load page after page (ns-2's PagePool/WebTraf).
    Web(Web),
}

/// Users, each of whom loads a page, reads it, and loads the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Web {
    /// How many users.
    pub sessions: usize,
    /// Servers per user; each page comes from one of them.
    pub servers: usize,
    /// Slots of each session for each of its servers. Those of session 0 come
    /// first, beginning with its first server.
    pub connections: usize,
    /// When sessions begin, with their first page.
    pub start: Vec<Start>,
    /// From the end of a page to the start of the next, seconds.
    pub page_interval: Distribution,
    /// Objects of a page, rounded up.
    pub objects: Distribution,
    /// From the start of an object to the start of the next, seconds.
    pub object_interval: Distribution,
    /// Payload of an object, bytes, rounded up.
    pub object_size: Distribution,
}

/// Distribution of random values.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// A constant.
    Constant(f64),
    /// Exponential with this mean.
    Exponential(f64),
    /// P(X > x) = (x_m / x)^shape from x_m = mean (shape - 1) / shape on.
    Pareto {
        /// Mean.
        mean: f64,
        /// Above 1.
        shape: f64,
    },
    /// One of these values, with these probabilities.
    List(Vec<(f64, f64)>),
}

impl Distribution {
    /// The mean.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(mean) | Self::Exponential(mean) | Self::Pareto { mean, .. } => *mean,
            Self::List(list) => list.iter().map(|(value, p)| value * p).sum(),
        }
    }

    /// Draws a value.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Exponential(mean) => rng.exponential(*mean),
            Self::Pareto { mean, shape } => rng.pareto(*mean, *shape),
            Self::List(list) => {
                let mut left = rng.unit();
                let found = list.iter().find(|(_, p)| {
                    left -= p;
                    left < 0.0
                });
                // probabilities may add up to a little less than 1
                found.or(list.last()).map_or(0.0, |(value, _)| *value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 3. Standard errors of the mean of 100,000 draws: exponential
    /// 1 / sqrt(1e5) = 0.32 %; the list's is 0.33 %: mean 28, variance
    /// 0.5 18^2 + 0.3 8^2 + 0.2 57^2 (from 10, 20, 85) is 831, 28.8 / 28 / 316.
    #[test]
    fn means_are_those_that_were_asked_for() {
        let list = Distribution::List(vec![(10.0, 0.5), (20.0, 0.3), (85.0, 0.2)]);
        assert_eq!(list.mean(), 28.0);
        for (what, tolerance) in [
            (Distribution::Constant(28.0), 0.0),
            (Distribution::Exponential(28.0), 0.01),
            (Distribution::Pareto { mean: 28.0, shape: 4.0 }, 0.01),
            (list, 0.01),
        ] {
            let mut rng = Rng::named(3, "distribution");
            let mean = (0..100_000).map(|_| what.draw(&mut rng)).sum::<f64>() / 1e5;
            assert!((mean / 28.0 - 1.0).abs() <= tolerance, "{what:?}: {mean}");
        }
    }
}
