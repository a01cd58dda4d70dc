//! What intervals over seeds do not say about single flows. A lone flow without anything random
//! on its path repeats its sawtooth, whatever the seed: its intervals are narrow, although
//! another measuring window or a slightly different buffer would give something else.

use std::collections::BTreeMap;

use tusker_store::sweep::{PointSummary, SweepSummary};

/// Half of an interval, as a share of the mean, below which seeds are all the same.
const SAME: f64 = 1e-3;

/// By how much a value lies outside the range of its neighbours if it is named.
const OUTSIDE: f64 = 0.01;

/// How many of these are named.
const NAMED: usize = 3;

/// The measure that this is about.
pub const UTILISATION: &str = "utilisation";

/// The note, if most intervals are like this; `jitter` if some link delays packets at random.
pub fn note(summary: &SweepSummary, jitter: bool) -> Option<String> {
    let tiny = |point: &PointSummary| match summary.estimate(point, "goodput_bps") {
        (Some(mean), Some(half)) => half < SAME * mean,
        _ => false,
    };
    let all = summary.points.len();
    let found = summary.points.iter().filter(|point| tiny(point)).count();
    if 2 * found <= all {
        return None;
    }
    let mut outside = outside(summary);
    let more = outside.len().saturating_sub(NAMED);
    outside.truncate(NAMED);
    let mut outside: Vec<String> = outside
        .into_iter()
        .map(|own| format!("{} ({})", own.labels.join(", "), own.values()))
        .collect();
    if more > 0 {
        outside.push(format!("and {more} more"));
    }
    let apart = match outside.is_empty() {
        true => String::new(),
        false => format!(
            ". A utilisation lies far from those of both neighbours at {}: the flow may have got \
             into a cycle of its own there",
            outside.join("; ")
        ),
    };
    if jitter {
        let text = format!(
            "one additional or missing sawtooth in the measuring window would change the \
             utilisation by up to {}, which intervals over seeds may not show (the ± of --where \
             includes this). It changes less with a longer duration{apart}",
            one_tooth(summary)?
        );
        return Some(text);
    }
    let mut text = format!(
        "at {found} of {all} points ± of the goodput is below 0.1 %: a single flow hardly \
         depends on the seed. Another measuring window may give other values"
    );
    if let Some(tooth) = one_tooth(summary) {
        text += &format!(
            " (one additional or missing sawtooth in it would change the utilisation by up to \
             {tooth}; the ± of --where includes this)"
        );
    }
    text += ", and so may a slightly different buffer or delay";
    text += &apart;
    text += ". Several flows (--set 'flows.*.count=4') or random loss make results vary from seed to \
             seed; random delays (--set dumbbell.jitter=100us) break such cycles";
    Some(text)
}

/// The most of all points, in percentage points: `0.5 points`.
pub fn one_tooth(summary: &SweepSummary) -> Option<String> {
    let most = summary.points.iter().filter_map(|point| summary.sawtooth(point));
    let points = 100.0 * most.reduce(f64::max)?;
    // two digits, at least one decimal
    let decimals = if points < 0.095 { 2 } else { 1 };
    Some(format!("{points:.decimals$} points"))
}

/// A point whose utilisation lies outside the range of both neighbours.
#[derive(Clone, Debug)]
struct Outside {
    /// The values of the point, that of the key along which it has neighbours last.
    labels: Vec<String>,
    /// The utilisation there and at both neighbours.
    used: [f64; 3],
}

impl Outside {
    fn values(&self) -> String {
        let [own, left, right] = self.used.map(|used| format!("{:.1} %", used * 100.0));
        format!("{own}, beside {left} and {right}")
    }
}

/// Points whose utilisation lies outside the range of both neighbours along the last key with
/// numbers.
fn outside(summary: &SweepSummary) -> Vec<Outside> {
    let Some(along) = summary.axes.iter().rposition(|axis| axis.numeric) else {
        return Vec::new();
    };
    let mut curves: BTreeMap<Vec<&str>, Vec<(f64, f64, &str)>> = BTreeMap::new();
    for point in &summary.points {
        let others = point.values.iter().enumerate().filter(|(axis, _)| *axis != along);
        let curve = others.map(|(_, value)| value.as_str()).collect();
        let (at, used) = (point.numbers[along], summary.estimate(point, UTILISATION).0);
        if let Some((at, used)) = at.zip(used) {
            curves.entry(curve).or_default().push((at, used, &point.values[along]));
        }
    }
    let mut found = Vec::new();
    for (curve, mut points) in curves {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        for three in points.windows(3) {
            let [(_, left, _), (_, used, label), (_, right, _)] = three else { continue };
            let (low, high) = (left.min(*right), left.max(*right));
            if *used < low - OUTSIDE || *used > high + OUTSIDE {
                let labels = curve.iter().chain([label]).map(|&label| label.to_owned());
                found.push(Outside { labels: labels.collect(), used: [*used, *left, *right] });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use tusker_store::sweep::AxisSummary;

    use super::*;

    /// Two curves over four buffers, written from the largest on: utilisation and episodes.
    fn swept(curves: [(&'static str, [(f64, f64); 4]); 2]) -> SweepSummary {
        let axis = |key: &str, numeric| AxisSummary {
            key: key.to_owned(),
            option: None,
            unit: String::new(),
            numeric,
        };
        let buffers = [("0.4bdp", 0.4), ("0.3bdp", 0.3), ("0.2bdp", 0.2), ("0.1bdp", 0.1)];
        let point =
            |law: &str, (label, bdp): (&str, f64), (used, episodes): (f64, f64)| PointSummary {
                values: vec![law.to_owned(), label.to_owned()],
                set: Vec::new(),
                numbers: vec![None, Some(bdp)],
                replicates: 2,
                mean: vec![Some(used * 1e8), Some(used), Some(episodes)],
                ci95: vec![Some(0.0); 3],
                spread: Vec::new(),
                doubts: Vec::new(),
            };
        let of = |(law, values): (&'static str, [(f64, f64); 4])| {
            buffers.into_iter().zip(values).map(move |(buffer, value)| point(law, buffer, value))
        };
        SweepSummary {
            format: 1,
            name: "s".to_owned(),
            command: Vec::new(),
            earlier: Vec::new(),
            set: None,
            axes: vec![axis("cc", false), axis("dumbbell.queue", true)],
            measures: ["goodput_bps", UTILISATION, "episodes"].map(str::to_owned).into(),
            pairs: Vec::new(),
            laws: BTreeMap::new(),
            setting: None,
            lone: false,
            points: curves.into_iter().flat_map(of).collect(),
        }
    }

    /// 10 % that are not used in 20 sawteeth are 0.5 points in each; 6 % in 60 are 0.1. The
    /// second curve has 84 % beside 90 % and 94 %; the first rises.
    #[test]
    fn the_note_names_a_sawtooth_and_what_lies_outside() {
        let summary = swept([
            ("reno", [(0.99, 10.0), (0.95, 20.0), (0.93, 20.0), (0.90, 20.0)]),
            ("ghstcp", [(0.95, 60.0), (0.94, 60.0), (0.84, 60.0), (0.90, 60.0)]),
        ]);
        let text = note(&summary, false).expect("a note");
        for part in [
            "at 8 of 8 points ± of the goodput is below 0.1 %",
            "would change the utilisation by up to 0.5 points",
            "at ghstcp, 0.2bdp (84.0 %, beside 90.0 % and 94.0 %): the flow",
            "--set dumbbell.jitter=100us",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains("reno"), "{text}");
        // with random delays it is the window alone that is left to say
        let text = note(&summary, true).expect("a note");
        assert!(text.contains("by up to 0.5 points, which intervals over seeds may not show"));
        assert!(
            text.contains("longer duration. A utilisation lies far") && !text.contains("jitter")
        );
    }

    #[test]
    fn where_seeds_differ_there_is_no_note() {
        let flat = [(0.9, 10.0); 4];
        let mut summary = swept([("reno", flat), ("ghstcp", flat)]);
        assert!(!note(&summary, false).expect("a note").contains("both neighbours"));
        // 1 % of the goodput
        summary.points.iter_mut().for_each(|point| point.ci95[0] = Some(9e5));
        assert_eq!(note(&summary, false), None);
    }
}
