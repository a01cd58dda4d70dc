//! Which of several experiments is the best in what.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tusker_measure::harm::Better;
use tusker_measure::stats::Estimate;
use tusker_measure::summary::{Entry, Harm, Link, LinkSummary, Summary, Total};

use crate::page::{Line, Span};

/// Experiments that are named, at most.
const NAMED: usize = 3;

/// Several experiments on one path or several.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The experiments.
    pub summaries: &'a [Summary],
    /// What the paths differ in.
    pub heads: &'a [&'a str],
    /// These values of each experiment.
    pub values: &'a [Vec<String>],
}

/// The first bottleneck.
pub(super) fn narrow(summary: &Summary) -> Option<&LinkSummary> {
    summary.links.iter().find(|link| link.bottleneck)
}

/// What experiments are compared by.
struct Contest {
    best: &'static str,
    none: &'static str,
    measure: &'static Entry,
    /// Values that differ by at most this share are alike.
    alike: f64,
    value: fn(&Summary) -> Option<Estimate>,
}

static CONTESTS: LazyLock<[Contest; 4]> = LazyLock::new(|| {
    [
        Contest {
            best: "highest utilisation",
            none: "utilisation",
            measure: Total::entry("utilisation"),
            alike: 0.0,
            value: |summary| summary.total.utilisation,
        },
        Contest {
            best: "shortest queueing delay",
            none: "queueing delay",
            measure: Link::entry("queueing_delay_mean_s"),
            alike: 0.01,
            value: |summary| narrow(summary)?.measured.queueing_delay_mean_s,
        },
        Contest {
            best: "least harm to others",
            none: "harm to others",
            measure: Harm::entry("harm_goodput"),
            alike: 0.01,
            value: |summary| summary.groups.last()?.harm.as_ref()?.harm_goodput,
        },
        Contest {
            best: "fairest (Jain's index)",
            none: "fairness (Jain's index)",
            measure: Total::entry("jain"),
            alike: 0.01,
            value: |summary| {
                let flows: u32 = summary.groups.iter().map(|group| group.flows).sum();
                summary.total.jain.filter(|_| flows > 1)
            },
        },
    ]
});

/// Which of several experiments is the best in what; on several paths, on how many of them.
pub(super) fn winners(comparison: Comparison<'_>) -> Vec<Line> {
    let Comparison { summaries, values, .. } = comparison;
    // only what has the same path and the same rival can be compared
    type Path<'a> = (&'a [String], Option<&'a [String]>);
    let mut cases: BTreeMap<Path<'_>, Vec<&Summary>> = BTreeMap::new();
    for (summary, values) in summaries.iter().zip(values) {
        let rival = summary.groups.get(1).map(|rival| &rival.cc[..]);
        cases.entry((values, rival)).or_default().push(summary);
    }
    let cases: Vec<Vec<&Summary>> = cases.into_values().filter(|own| own.len() > 1).collect();
    CONTESTS.iter().filter_map(|contest| contest.line(&cases)).take(3).collect()
}

impl Contest {
    /// The best of a case, and those that are as good as far as chance allows to tell; whether
    /// that is all of them.
    fn best<'a>(&self, case: &[&'a Summary]) -> Option<(Vec<&'a Summary>, bool)> {
        let known = case.iter().filter_map(|summary| Some((*summary, (self.value)(summary)?)));
        let mut known: Vec<(&Summary, Estimate)> = known.collect();
        let sign = if self.measure.better == Some(Better::More) { -1.0 } else { 1.0 };
        known.sort_by(|(_, a), (_, b)| (sign * a.mean).total_cmp(&(sign * b.mean)));
        let (_, first) = *known.first()?;
        let same = |own: &Estimate| {
            let half = first.ci95.zip(own.ci95).map_or(0.0, |(a, b)| a.hypot(b));
            let least = self.alike * first.mean.abs().max(own.mean.abs());
            (own.mean - first.mean).abs() <= half.max(least)
        };
        let all = known.len();
        known.retain(|(_, own)| same(own));
        let every = all > 1 && known.len() == all;
        (all > 1).then(|| (known.into_iter().map(|(summary, _)| summary).collect(), every))
    }

    fn line(&self, cases: &[Vec<&Summary>]) -> Option<Line> {
        let best: Vec<_> = cases.iter().filter_map(|case| self.best(case)).collect();
        if best.is_empty() {
            return None;
        }
        if best.iter().all(|(_, every)| *every) {
            return Some(vec![Span::strong(self.none), ": no clear difference".into()]);
        }
        let head = Span::strong(self.best);
        if let ([(own, _)], [case]) = (&best[..], cases) {
            let unit =
                self.measure.quantity.shown().of(case.iter().map(|summary| (self.value)(summary)));
            let first = unit.estimate((self.value)(own[0]));
            let mut text = format!(": {}, {first}", own[0].groups[0].name);
            let others: Vec<&str> =
                own[1..].iter().map(|own| own.groups[0].name.as_str()).collect();
            if !others.is_empty() {
                text += &format!("; no clear difference from {}", others.join(", "));
            }
            return Some(vec![head, text.into()]);
        }
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let clear = best.iter().filter(|(_, every)| !every);
        for name in clear.flat_map(|(own, _)| own).map(|own| own.groups[0].name.as_str()) {
            match counts.iter_mut().find(|(own, _)| *own == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counts = counts.iter().take(NAMED).map(|(name, count)| format!("{name} in {count}"));
        let text = format!(": {} of {} cases", counts.collect::<Vec<_>>().join(", "), best.len());
        Some(vec![head, text.into()])
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn value(mean: f64, ci95: Option<f64>) -> Value {
        json!({ "mean": mean, "ci95": ci95, "n": 20, "over": "batches" })
    }

    pub(in crate::results) fn group(law: &str, bps: f64) -> Value {
        json!({
            "name": law, "flows": 2, "applications": 2, "cc": [law], "fair_bps": 50e6,
            "applications_fair_bps": 50e6, "throughput_bps": value(bps, None),
            "retransmissions": value(7.0, None),
            "queueing_delay_mean_s": value(0.012, None),
            "queueing_delay_p95_s": value(0.02, None),
        })
    }

    pub(in crate::results) fn of_groups(groups: &[Value], used: f64, half: f64) -> Summary {
        let link = json!({
            "name": "R1->R2", "rate_bps": 100e6, "queue": "droptail", "bottleneck": true,
            "utilisation": value(used, Some(half)), "loss_rate": value(0.0001, None),
            "queueing_delay_mean_s": value(0.004, None),
            "queueing_delay_p95_s": value(0.009, None),
            "queue_mean_pkt": value(33.0, None),
        });
        let execution = json!({
            "tusker": "1", "command": [], "wall_s": 1.0, "delivered_segments": 1, "speed": 1.0,
            "segments_per_s": 1.0, "events_per_s": null,
        });
        serde_json::from_value(json!({
            "format": 1, "scenario": "e", "complete": true, "wanted": 1, "seeds": [1],
            "window": { "from_s": 10.0, "to_s": 20.0, "end_s": 20.0 },
            "bottlenecks": ["R1->R2"],
            "total": {
                "utilisation": value(used, Some(half)), "goodput_bps": value(9e7, Some(1e6)),
                "throughput_bps": value(96e6, None), "jain": value(0.98, None),
            },
            "groups": groups, "transfers": [], "links": [link], "background": [],
            "execution": execution,
        }))
        .unwrap()
    }

    /// An experiment with this law, utilisation and half its interval.
    pub(in crate::results) fn of(law: &str, used: f64, half: f64) -> Summary {
        of_groups(&[group(law, 1e8 * used)], used, half)
    }

    fn lines(summaries: &[Summary], values: &[&str]) -> Vec<String> {
        let values: Vec<Vec<String>> =
            values.iter().map(|value| vec![(*value).to_owned()]).collect();
        let of = Comparison { summaries, heads: &["buffer"], values: &values };
        let text = |line: &Line| line.iter().map(|span| span.text.as_str()).collect::<String>();
        winners(of).iter().map(text).collect()
    }

    /// 0.3 and 0.4 points beside each other: sqrt(0.09 + 0.16) = 0.5 points.
    #[test]
    fn the_best_is_named_with_those_that_chance_may_put_before_it() {
        let all = [of("reno", 0.96, 0.003), of("hstcp", 0.995, 0.003), of("cubic", 0.991, 0.004)];
        let first = "highest utilisation: hstcp, 99.50 ± 0.30 %; no clear difference from cubic";
        assert_eq!(lines(&all, &["1bdp", "1bdp", "1bdp"])[0], first);
        let all = [of("reno", 0.994, 0.003), of("hstcp", 0.995, 0.003)];
        assert_eq!(lines(&all, &["1bdp", "1bdp"])[0], "utilisation: no clear difference");
        // one of each has nothing to be compared with
        assert!(lines(&all, &["1bdp", "2bdp"]).is_empty());
    }

    #[test]
    fn of_several_paths_it_is_told_on_how_many_a_law_is_the_best() {
        let all = [
            of("reno", 0.9, 0.0),
            of("cubic", 0.95, 0.0),
            of("reno", 0.99, 0.0),
            of("cubic", 0.98, 0.0),
        ];
        let told = lines(&all, &["1bdp", "1bdp", "2bdp", "2bdp"]);
        assert_eq!(told[0], "highest utilisation: cubic in 1, reno in 1 of 2 cases");
    }
}
