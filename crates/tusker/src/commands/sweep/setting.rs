//! What is seen of the points of a sweep when they are made.

use std::collections::{BTreeMap, BTreeSet};

use tusker_store::sweep::{Range, Setting};

/// What the points of a sweep have in common, and how far they differ.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The measuring windows, without doubles, and the first seeds.
    windows: Vec<Range>,
    seeds: Vec<u64>,
    rate_bps: Option<Range>,
    rtt_s: Option<Range>,
    loss: Option<Range>,
    flows: Option<Range>,
    jitter_s: Option<Range>,
    /// Queue policies of the slowest links.
    policies: BTreeSet<&'static str>,
    /// The BDP and the segments that all flows have, and loss recovery.
    paths: BTreeSet<(u64, u64)>,
    recoveries: BTreeSet<String>,
    profiles: BTreeSet<String>,
    /// The congestion controls, with their sources.
    laws: BTreeMap<&'static str, &'static str>,
}

impl Seen {
    /// Adds the measuring window of a point, in seconds, and its first seed.
    pub fn window(&mut self, window: (f64, f64), seed: u64) {
        // to the nanosecond: 30, not 30.000000000000004
        let window = [nanosecond(window.0), nanosecond(window.1)];
        // more than one are not told
        if self.windows.len() < 2 && !self.windows.contains(&window) {
            self.windows.push(window);
        }
        if self.seeds.len() < 2 && !self.seeds.contains(&seed) {
            self.seeds.push(seed);
        }
    }

    /// Adds the path of a flow; `slowest` has the rate and the queue policy of its slowest link.
    pub fn path(&mut self, slowest: Option<(f64, &'static str)>, rtt_s: f64, loss: f64) {
        if let Some((rate, policy)) = slowest {
            widen(&mut self.rate_bps, rate);
            self.policies.insert(policy);
        }
        widen(&mut self.rtt_s, rtt_s);
        widen(&mut self.loss, loss);
    }

    /// Adds the bytes of a flow's BDP and of its packets, and its loss recovery.
    pub fn tcp(&mut self, bdp_bytes: f64, packet_bytes: u64, recovery: String) {
        // more than one are not told
        if self.paths.len() < 2 {
            self.paths.insert((bdp_bytes.round() as u64, packet_bytes));
        }
        if self.recoveries.len() < 2 {
            self.recoveries.insert(recovery);
        }
    }

    /// Adds the profile of a scenario.
    pub fn profile(&mut self, name: String) {
        self.profiles.insert(name);
    }

    /// Adds a congestion control, and its source.
    pub fn law(&mut self, name: &'static str, source: &'static str) {
        // the first of several
        self.laws.insert(name, source.split("; ").next().unwrap_or(source));
    }

    /// Adds the largest random delay of a point's links.
    pub fn jitter(&mut self, most_s: f64) {
        widen(&mut self.jitter_s, most_s);
    }

    /// Adds the number of flows of a point.
    pub fn flows(&mut self, flows: usize) {
        widen(&mut self.flows, flows as f64);
    }

    /// Whether every point has one flow.
    pub fn is_lone(&self) -> bool {
        self.flows == Some([1.0, 1.0])
    }

    /// What is known of all points.
    pub fn setting(&self) -> Setting {
        let path = if self.paths.len() == 1 { self.paths.first() } else { None };
        let only =
            |all: &BTreeSet<String>| if all.len() == 1 { all.first().cloned() } else { None };
        Setting {
            window_s: if let [window] = self.windows[..] { Some(window) } else { None },
            seed: if let [seed] = self.seeds[..] { Some(seed) } else { None },
            rate_bps: self.rate_bps,
            rtt_s: self.rtt_s,
            loss: self.loss,
            jitter_s: self.jitter_s,
            flows: self.flows,
            bdp_bytes: path.map(|(bdp, _)| *bdp),
            packet_bytes: path.map(|(_, packet)| *packet),
            queue: if self.policies.len() == 1 {
                self.policies.first().map(|&policy| policy.to_owned())
            } else {
                None
            },
            recovery: only(&self.recoveries),
            profile: only(&self.profiles),
            laws: self
                .laws
                .iter()
                .map(|(law, from)| ((*law).to_owned(), (*from).to_owned()))
                .collect(),
            tusker: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Takes a value into a range.
fn widen(range: &mut Option<Range>, value: f64) {
    let [least, most] = range.unwrap_or([value, value]);
    *range = Some([least.min(value), most.max(value)]);
}

/// Seconds, rounded to a nanosecond.
fn nanosecond(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_no_digits_that_floating_point_adds() {
        assert_eq!(nanosecond(30_000_000_000.0 * 1e-9).to_string(), "30");
        assert_eq!(nanosecond(0.1 + 0.2).to_string(), "0.3");
    }
}
