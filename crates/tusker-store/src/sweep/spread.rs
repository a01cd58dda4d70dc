//! How two measures of a point vary together from replicate to replicate, used to draw an
//! ellipse around the mean.

use super::Run;
use tusker_measure::stats::mean;

/// The most groups for which delay and goodput are combined.
const GROUPS: usize = 6;

/// Variances and covariance of two measures over the replicates of a point: variance
/// of the first, covariance, variance of the second. The denominator is n minus 1. In
/// the squared units of the measures.
pub type Spread = [f64; 3];

/// The pairs of measures for which points keep a [`Spread`]: mean RTT and goodput
/// of each group (the first six); utilisation and Jain's index.
pub fn pairs(measures: &[String]) -> Vec<[String; 2]> {
    let there = |name: &String| measures.contains(name);
    let groups = measures.iter().filter_map(|name| {
        let group = name.strip_prefix("groups.")?.strip_suffix(".rtt_mean_s")?;
        let goodput = format!("groups.{group}.goodput_bps");
        there(&goodput).then(|| [name.clone(), goodput])
    });
    let both = ["utilisation", "jain"].map(str::to_owned);
    let both = both.iter().all(there).then_some(both);
    groups.take(GROUPS).chain(both).collect()
}

/// From the runs that have both measures; `None` for fewer than two.
pub(super) fn spread(runs: &[Run], [first, second]: &[String; 2]) -> Option<Spread> {
    let both = |run: &Run| run.row.value(first).zip(run.row.value(second));
    let (a, b): (Vec<f64>, Vec<f64>) = runs.iter().filter_map(both).unzip();
    if a.len() < 2 {
        return None;
    }
    let (m, n) = (mean(&a), mean(&b));
    let over = (a.len() - 1) as f64;
    let sums = a.iter().zip(&b).fold([0.0; 3], |[x, xy, y], (&a, &b)| {
        [x + (a - m) * (a - m), xy + (a - m) * (b - n), y + (b - n) * (b - n)]
    });
    Some(sums.map(|sum| sum / over))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Fingerprint, Row};
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|&name| name.to_owned()).collect()
    }

    fn run(names: &Arc<[String]>, values: [f64; 2]) -> Run {
        let build =
            crate::Build { version: String::new(), hash: String::new(), plane: Default::default() };
        let row = Row { names: names.clone(), values: values.to_vec() };
        let key = Fingerprint::of("", &build).run(1);
        Run { point: 0, replicate: 1, seed: 1, key, row: Arc::new(row) }
    }

    #[test]
    fn variances_and_covariance_are_those_by_hand() {
        let own: Arc<[String]> = names(&["x", "y"]).into();
        let pair = ["x", "y"].map(str::to_owned);
        let all = [[1.0, 2.0], [2.0, 6.0], [3.0, 4.0], [f64::NAN, 9.0]];
        let runs: Vec<Run> = all.iter().map(|&values| run(&own, values)).collect();
        // means 2 and 4; deviations -1 0 1 and -2 2 0: 2/2, 2/2, 8/2
        assert_eq!(spread(&runs, &pair), Some([1.0, 1.0, 4.0]));
        assert_eq!(spread(&runs[..1], &pair), None);
        assert_eq!(spread(&runs[2..], &pair), None, "one has no x");
    }

    #[test]
    fn pairs_are_of_what_is_there() {
        let all = names(&["utilisation", "groups.a.goodput_bps", "groups.a.rtt_mean_s"]);
        let delay = names(&["groups.a.rtt_mean_s", "groups.a.goodput_bps"]);
        assert_eq!(pairs(&all), [[delay[0].clone(), delay[1].clone()]]);
        let all = names(&["utilisation", "jain", "groups.a.b.rtt_mean_s"]);
        assert_eq!(pairs(&all), [["utilisation".to_owned(), "jain".to_owned()]]);
    }
}
