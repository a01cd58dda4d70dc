//! The values that a condition of `--fail-on` is judged by, as data and as text.

use tusker_measure::condition::{Condition, Named, Value, With};
use tusker_measure::stats::{Estimate, Over};
use tusker_measure::summary::Summary;
use tusker_measure::summary::unit;
use tusker_store::sweep::SweepSummary;

/// A value with the unit of its measure, and half its interval.
pub fn text(measure: &str, value: Value) -> String {
    let (mean, ci95) = (value.value, value.ci95);
    unit(measure).estimate(Some(Estimate { mean, ci95, n: 1, over: Over::Replicates }))
}

/// Two values of a measure, with more digits if they would look the same.
fn apart(measure: &str, own: Value, other: Value) -> (String, String) {
    let texts = (text(measure, own), text(measure, other));
    if texts.0 != texts.1 || own.value == other.value {
        return texts;
    }
    let digits = |value: Value| {
        let rounded: f64 = format!("{:.7e}", value.value).parse().unwrap_or(value.value);
        rounded.to_string()
    };
    (digits(own), digits(other))
}

/// `harm = 0.530 ± 0.070, limit 0.500 ± 0.050, own = 0.400 ± 0.050`: the values that decided.
pub fn told(condition: &Condition, with: &With) -> String {
    let (terms, sides) = (&with.decision.terms, condition.comparison.sides());
    let left = condition.comparison.left().map_or(sides[0].as_str(), |_| with.name.as_str());
    let (own, limit) = apart(&with.name, terms[0], terms[1]);
    let mut told = format!("{left} = {own}");
    if terms.len() > 2 || !condition.comparison.is_limit() {
        told += &format!(", limit {limit}");
        let more = terms[2..].iter().map(|term| text(&with.name, *term));
        told += &more.map(|term| format!(" and {term}")).collect::<String>();
    }
    // a limit may be another measure itself
    let others = match with.others.as_slice() {
        [one] if one.value.value == terms[1].value => &[],
        others => others,
    };
    for Named { name, value } in others {
        told += &format!(", {name} = {}", text(name, *value));
    }
    match with.decision.sure {
        None if condition.has_word() => told + ", without an interval: give it --replicates",
        _ => told,
    }
}

/// The values of all measures of an experiment.
pub fn of_summary(summary: &Summary) -> Vec<Named> {
    let known = summary.measures().filter_map(|(address, found)| {
        let found = found?;
        let value = Value { value: found.mean, ci95: found.ci95 };
        Some(Named { name: address.to_string(), value })
    });
    known.collect()
}

/// The values at each point of a sweep, with the name of the point.
pub fn of_points(summary: &SweepSummary) -> Vec<(String, Vec<Named>)> {
    let of = |point: &tusker_store::sweep::PointSummary| {
        let named = summary.axes.iter().zip(&point.values);
        let named: Vec<String> = named.map(|(axis, v)| format!("{}={v}", axis.name())).collect();
        let known = summary.measures.iter().zip(point.mean.iter().zip(&point.ci95));
        let values = known.filter_map(|(name, (mean, half))| {
            Some(Named { name: name.clone(), value: Value { value: (*mean)?, ci95: *half } })
        });
        (named.join(" "), values.collect())
    };
    summary.points.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, value: f64, ci95: Option<f64>) -> Named {
        Named { name: name.to_owned(), value: Value { value, ci95 } }
    }

    fn say(condition: &str, all: &[Named]) -> String {
        let own = Condition::read(condition, &|text| text.parse().ok()).unwrap();
        told(&own, &own.judge(all).with.unwrap())
    }

    #[test]
    fn the_values_that_decide_are_told_with_their_units() {
        let all = [
            named("groups.a.harm", 0.5, None),
            named("groups.a.own", 0.375, None),
            named("jain", 0.53, Some(0.07)),
            named("rtt_p95_s", 0.2, None),
        ];
        for (condition, text) in [
            ("harm > own + 0.1", "groups.a.harm = 0.5000, limit 0.4750, own = 0.3750"),
            ("harm > own", "groups.a.harm = 0.5000, limit 0.3750"),
            ("jain > 0.5 surely", "jain = 0.530 \u{b1} 0.070"),
            ("rtt_p95_s > 0.1", "rtt_p95_s = 200.0 ms"),
            (
                "harm > own surely",
                "groups.a.harm = 0.5000, limit 0.3750, without an interval: give it --replicates",
            ),
        ] {
            assert_eq!(say(condition, &all), text);
        }
        // 1.1 * 0.013 = 0.0143
        let near = [named("harm_rtt", 0.014312, None), named("harm_rtt_own", 0.013, None)];
        let text = "harm_rtt = 0.014312, limit 0.0143, harm_rtt_own = 0.013";
        assert_eq!(say("harm_rtt > 1.1 * harm_rtt_own", &near), text);
    }
}
