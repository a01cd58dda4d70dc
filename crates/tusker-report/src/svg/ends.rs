//! Marks along curves, and their names at the right end: so curves can be identified by readers
//! who do not see colours, or who print without them.

use super::Frame;
use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use crate::figure::Group;

/// Height of a name.
const LINE: f64 = 13.0;

/// What a name may take.
const MOST: f64 = 112.0;

/// The stroke with its mark before a name, which shows the dashes.
const KEY: f64 = 22.0;

/// From the end of the curve to the name.
const GAP: f64 = KEY + 10.0;

/// What is narrower, such as a column of a journal, has its keys above: names beside the
/// curves would take too much of it.
const COLUMN: f64 = 420.0;

/// Marks along a curve.
const MARKS: usize = 5;

/// A curve that is named: its group and its points on the drawing, from the left.
pub(super) type Named<'a> = (&'a Group, Vec<(f64, f64)>);

/// Room right of a frame for the names of its curves.
pub(super) fn room<'a>(names: impl Iterator<Item = &'a str>) -> f64 {
    GAP + names.map(|name| width(name).min(MOST)).fold(0.0, f64::max)
}

/// Marks along the curves, those of each at places of their own.
pub(super) fn marks(canvas: &mut Canvas, frame: &Frame, curves: &[Named<'_>]) {
    if curves.len() < 2 {
        return;
    }
    for (nth, (group, points)) in curves.iter().enumerate() {
        for k in 0..MARKS {
            let share = (k as f64 + (nth as f64 + 0.5) / curves.len() as f64) / MARKS as f64;
            let x = frame.left + share * (frame.right - frame.left);
            let at = points.partition_point(|point| point.0 < x);
            let near = points.get(at).filter(|point| point.1.is_finite());
            if let Some(&(x, y)) = near.filter(|(_, y)| (frame.top..=frame.bottom).contains(y)) {
                canvas.mark((x, y), 3.0, Ink::Curve(group.colour));
            }
        }
    }
}

/// The same of curves that rise from the lower edge to the upper one, where all of them lie on
/// each other: each mark is at a height of its own.
pub(super) fn rising(canvas: &mut Canvas, frame: &Frame, curves: &[Named<'_>]) {
    if curves.len() < 2 {
        return;
    }
    for (nth, (group, points)) in curves.iter().enumerate() {
        for k in 0..MARKS {
            let share = (k as f64 + (nth as f64 + 0.5) / curves.len() as f64) / MARKS as f64;
            let y = frame.bottom - share * (frame.bottom - frame.top);
            let at = points.partition_point(|point| point.1 > y);
            let (Some(&after), Some(&before)) = (points.get(at), points.get(at.wrapping_sub(1)))
            else {
                continue;
            };
            let part = (before.1 - y) / (before.1 - after.1);
            canvas.mark((before.0 + part * (after.0 - before.0), y), 3.0, Ink::Curve(group.colour));
        }
    }
}

/// The name is not cut short.
pub(super) fn whole(name: &str) -> bool {
    width(name) <= MOST
}

/// A drawing so wide has room beside its curves.
pub(super) fn beside(wide: f64) -> bool {
    wide >= COLUMN
}

/// There is room for the names of so many curves beside a frame so high.
pub(super) fn fit(curves: usize, high: f64) -> bool {
    curves as f64 * LINE <= high + LINE
}

/// The names beside the last points; nothing where there is no room for all.
pub(super) fn names(canvas: &mut Canvas, frame: &Frame, curves: &[Named<'_>]) {
    let last = |(group, points): &Named<'_>| {
        let seen = |point: &&(f64, f64)| point.1.is_finite() && point.0 <= frame.right + 0.5;
        let (_, y) = points.iter().rev().find(seen)?;
        Some(((*group).clone(), *y))
    };
    let mut ends: Vec<(Group, f64)> = curves.iter().filter_map(last).collect();
    let high = frame.bottom - frame.top;
    if !fit(ends.len(), high) {
        return;
    }
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let places = apart(
        &ends.iter().map(|end| end.1).collect::<Vec<f64>>(),
        (frame.top + 4.0, frame.bottom - 2.0),
    );
    for ((group, _), y) in ends.iter().zip(places) {
        let (from, to) = (frame.right + 3.0, frame.right + 3.0 + KEY);
        canvas.path(&[(from, y), (to, y)], Ink::Curve(group.colour), 1.8);
        canvas.mark((f64::midpoint(from, to), y), 3.0, Ink::Curve(group.colour));
        let name = shortened(&group.name, MOST);
        canvas.text((frame.right + GAP - 3.0, y + 4.0), Anchor::Start, Ink::Text, &name);
    }
}

/// Places in order, moved as little as it takes to be a line apart within two ends.
fn apart(places: &[f64], (low, high): (f64, f64)) -> Vec<f64> {
    let mut found = places.to_vec();
    let mut least = low;
    for place in &mut found {
        *place = place.max(least);
        least = *place + LINE;
    }
    let mut most = high;
    for place in found.iter_mut().rev() {
        *place = place.min(most);
        most = *place - LINE;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_line_apart_and_stay_where_there_is_room() {
        assert_eq!(apart(&[10.0, 50.0], (0.0, 100.0)), [10.0, 50.0]);
        // 13 apart, and none below the end
        assert_eq!(apart(&[50.0, 52.0, 53.0], (0.0, 100.0)), [50.0, 63.0, 76.0]);
        assert_eq!(apart(&[98.0, 99.0], (0.0, 100.0)), [87.0, 100.0]);
    }
}
