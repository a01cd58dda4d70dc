//! The figure of what is known about each comparison: by how much it holds in the base and
//! under each reading, on one scale.

use tusker_papers::Paper;
use tusker_papers::conclusions::{Answer, InRuns, Outcome};
use tusker_report::figure::{Axis, Dot, Dots, Figure};

use super::{known, numbers, pairs};

/// Comparisons with which it can still be read at a glance.
const MOST: usize = 5;

/// The figure; nothing if there are no other readings to compare the base with, or if there is
/// more than one value to each line.
pub(super) fn figure(paper: &Paper, answer: &Answer) -> Option<Figure> {
    let runs = shown(answer);
    let one_sign = answer.comparisons.iter().all(|one| one.signs.len() == 1);
    let measures = &answer.comparisons.first()?.measures;
    let same = answer.comparisons.iter().all(|one| one.measures == *measures);
    if runs.len() < 2 || answer.comparisons.len() > MOST || !one_sign || !same {
        return None;
    }
    let measure = match measures.as_slice() {
        [name] => paper.about.measures.iter().find(|own| own.name == *name),
        _ => None,
    };
    let mut dots = Dots::new(match measure {
        Some(measure) => Axis::new(format!("difference in {}", measure.name), &measure.unit),
        None => Axis::new("difference", ""),
    });
    dots.line = Some(0.0);
    for (i, one) in answer.comparisons.iter().enumerate() {
        for (place, own) in runs.iter().enumerate() {
            let found = &own.found[i];
            let Some(value) = found.margin(&one.signs) else { continue };
            let half = found.differences.first().and_then(|own| own.ci95);
            let half = half.filter(|half| *half > 0.0 && own.seeds.len() != 1);
            dots.rows.push(Dot {
                label: label(answer, own),
                group: pairs::group(paper, one),
                paper: answer.paper.found[i].margin(&one.signs).filter(|_| place == 0),
                ours: Some(value),
                interval: half.map(|half| (value - half, value + half)),
                agrees: (found.outcome == Outcome::Fails).then_some(false),
                ..Dot::default()
            });
        }
    }
    let caption = "Difference between the two sides of each comparison: right of the line at zero \
                   the comparison holds, left of it (and with a \u{d7}) it does not. A bar shows 95 % \
                   confidence over seeds; a point without a bar is one run, or the mean of two. The \
                   hollow point is the difference between the paper's values.";
    let title = "By how much each comparison holds, in the base and under each reading";
    let name = numbers::plain(&answer.id);
    Some(dots.figure(&format!("readings-{name}"), title, caption))
}

/// What judges it, then each reading once: its seeds together, or its only one.
fn shown(answer: &Answer) -> Vec<&InRuns> {
    let mut all: Vec<&InRuns> = vec![&answer.all];
    let others = answer.readings.iter().chain(&answer.recorded);
    for own in others.filter(|own| own.of > 0 && own.reading != answer.reading) {
        let count = |runs: &InRuns| runs.seeds.len().max(runs.means_of);
        match all.iter_mut().find(|known| known.reading == own.reading) {
            Some(known) if count(own) > count(known) => *known = own,
            Some(_) => {}
            None => all.push(own),
        }
    }
    all
}

/// `base, 5 seeds`, `newreno, seed 1`.
fn label(answer: &Answer, own: &InRuns) -> String {
    let seeds = match own.seeds.len().max(own.means_of) {
        0 | 1 => format!("seed {}", known::seeds(own)),
        many => format!("{many} seeds"),
    };
    format!("{}, {seeds}", known::reading(answer, own))
}
