//! The figure of a claim: the sides of each comparison on one scale, the paper's and ours.

use std::collections::BTreeMap;

use tusker_papers::Paper;
use tusker_papers::conclusions::{Answer, Compare, Outcome};
use tusker_papers::reproduction::Printed;
use tusker_report::figure::{Axis, Dot, Dots, Figure};

use super::{numbers, setup};
use crate::commands::reproduce::names;

/// Seeds from which there is an interval.
const ENOUGH: usize = 3;

/// The rows of each comparison of a test, on one scale: the paper's values and ours.
pub(super) fn figure(paper: &Paper, answer: &Answer, test: &str, place: usize) -> Option<Figure> {
    let own: Vec<usize> =
        (0..answer.comparisons.len()).filter(|&i| answer.comparisons[i].test == test).collect();
    let measures = &answer.comparisons[*own.first()?].measures;
    let info = paper.about.measures.iter().find(|m| measures.len() == 1 && m.name == measures[0]);
    let axis = match info {
        Some(measure) => {
            let title = names::title(&measure.name, &measure.about);
            names::bounded(Axis::new(title, &measure.unit), measure.bounds())
        }
        None => Axis::new("value of each side", ""),
    };
    let mut dots = Dots::new(axis);
    for i in own {
        let (one, found) = (&answer.comparisons[i], &answer.all.found[i]);
        let printed = &answer.paper.found[i].terms;
        let names = apart(paper, one);
        let sides: Vec<&str> = one.text.split(['<', '>']).collect();
        for (term, side) in sides.iter().enumerate() {
            let ours = found.terms.get(term);
            // a number has no point of its own
            let side = side.trim_start_matches('=').trim();
            let interval = ours.and_then(|own: &Printed| {
                let half = own.ci95.filter(|half| *half > 0.0)?;
                let (low, high) = (own.value - half, own.value + half);
                let cut = |value: f64| match info.map(tusker_papers::measure::Measure::bounds) {
                    Some((least, greatest)) => {
                        value.max(least.unwrap_or(value)).min(greatest.unwrap_or(value))
                    }
                    None => value,
                };
                Some((cut(low), cut(high)))
            });
            dots.rows.push(Dot {
                label: called(side, one, &names),
                group: group(paper, one),
                paper: printed.get(term).map(|own| own.value),
                ours: ours.map(|own| own.value),
                interval,
                single: answer
                    .seeds
                    .iter()
                    .filter(|_| answer.seeds.len() < ENOUGH)
                    .filter_map(|runs| Some(runs.found[i].terms.get(term)?.value))
                    .collect(),
                agrees: (found.outcome == Outcome::Fails).then_some(false),
            });
        }
    }
    let about =
        info.map_or(String::new(), |measure| format!("{}: {}. ", measure.name, measure.about));
    let caption = format!(
        "{about}Each name begins with its case. Hollow points show the paper's values, and filled \
         points ours, with bars of 95 % confidence if they are known, or with a small dot for each of \
         two seeds. A comparison that does not hold here has a \u{d7} beside its names."
    );
    let name = if place == 0 { answer.id.clone() } else { format!("{}-{}", answer.id, place + 1) };
    let name = numbers::plain(&name);
    let prints = dots.rows.iter().any(|row| row.paper.is_some());
    let title = if prints {
        format!("{test}: the paper's values and ours")
    } else {
        format!("{test}: our values")
    };
    Some(dots.figure(&format!("pairs-{name}"), &title, &caption))
}

/// A comparison: `25 ms: fairness(7) > fairness(4)`, or `25 ms` where the test has no letters.
pub(super) fn group(paper: &Paper, one: &Compare) -> String {
    match &one.at {
        None => one.text.clone(),
        Some(at) => {
            let bare = one.text.replace(&format!("@{at})"), ")");
            // the title of the figure has the test
            if bare == one.test {
                return numbers::at(paper, one);
            }
            format!("{}: {bare}", numbers::at(paper, one))
        }
    }
}

/// What tells the cases of a comparison apart.
fn apart(paper: &Paper, one: &Compare) -> BTreeMap<String, String> {
    let mut rows = paper.rows();
    rows.retain(|row| one.rows.contains(&row.id()));
    setup::names(paper, &rows)
}

/// A side of a comparison, short enough for a phone: `7: gHSTCP+SACK`, or as it is written if it is
/// computed.
fn called(side: &str, one: &Compare, names: &BTreeMap<String, String>) -> String {
    let row = one
        .rows
        .iter()
        .find(|row| one.measures.iter().any(|measure| side == format!("{measure}({row})")));
    let Some((case, at)) = row.and_then(|row| row.split_once('@')) else {
        return match &one.at {
            Some(at) => side.replace(&format!("@{at})"), ")"),
            None => side.to_owned(),
        };
    };
    // `bic: bic` says it twice
    let name = names.get(case).filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(case));
    let name = name.map_or(String::new(), |name| format!(": {name}"));
    match one.at {
        Some(_) => format!("{case}{name}"),
        None => format!("{case} at {at}{name}"),
    }
}
