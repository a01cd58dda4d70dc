//! Printed values against ours, around the line where both are equal.

use super::canvas::{Anchor, Canvas, Ink};
use super::format::Refused;
use super::{Frame, Scale, axis, keys};
use crate::figure::{Diagonal, distinct, number};

/// What stands below the square takes so much.
const BELOW: f64 = 44.0;

/// Right of the square.
const RIGHT: f64 = 24.0;

/// What the numbers left of the square take at least.
const LEAST: f64 = 36.0;

/// The square, at most.
const SIDE: f64 = 420.0;

pub(super) fn draw(canvas: &mut Canvas, diagonal: &Diagonal) {
    let groups = distinct(diagonal.points.iter().map(|point| &point.group));
    // a wide drawing has room beside the square
    let room = canvas.wide - LEAST - SIDE - RIGHT;
    let top = keys::beside(canvas, &groups, room) + 14.0;
    let reach = diagonal.tolerance.unwrap_or(0.0);
    let ends = |point: &crate::figure::Match| {
        let [low, high] = diagonal.axis.ends(point.ours.0, point.ours.1);
        [point.paper, low, high]
    };
    // both axes have one range, so that the line is a diagonal
    let range = match canvas.format.x {
        Some((low, high)) => low..=high,
        None => axis::around(diagonal.points.iter().flat_map(ends), &diagonal.axis),
    };
    let (low, high) = (*range.start(), *range.end());
    let scale = Scale::from(range);
    let left = axis::left([&scale].into_iter(), SIDE);
    let most = canvas.wide - left - RIGHT;
    let side = canvas.panel(SIDE.min(most));
    if side > most {
        let high = ((top + most + BELOW) / 10.0).floor() / 10.0;
        let why = format!("it is a square, at most {high} inches high at this width");
        canvas.refused.get_or_insert_with(|| Refused::new("height", why, "make it wider"));
    }
    // in the middle, with its keys
    let free = ((most - side) / 2.0).max(0.0);
    if !canvas.aside.is_empty() {
        canvas.wide -= free;
    }
    let left = left + free;
    let frame =
        Frame { left, right: left + side, top, bottom: top + side, x: scale.clone(), y: scale };
    canvas.clip(&frame);
    if reach > 0.0 {
        canvas.area(&band(low, high, reach).map(|(x, y)| (frame.x(x), frame.y(y))), Ink::Faint);
    }
    canvas.unclip();
    // as many as at the left, where they have room
    axis::numbers_below(canvas, &frame, side / 32.0);
    axis::numbers_beside(canvas, &frame);
    canvas.text((8.0 + free, top - 8.0), Anchor::Start, Ink::Text, "ours");
    let middle = (frame.left + frame.right) / 2.0;
    let below = format!("paper: {}", diagonal.axis.label());
    canvas.text((middle, frame.bottom + 34.0), Anchor::Middle, Ink::Text, &below);
    let corner = |value: f64| (frame.x(value), frame.y(value));
    canvas.line(corner(low), corner(high), Ink::Faint, 1.4);
    canvas.clip(&frame);
    for point in &diagonal.points {
        let ink = Ink::Curve(point.group.colour);
        let at = (frame.x(point.paper), frame.y(point.ours.0));
        if canvas.hides(at) {
            continue;
        }
        let half = point.ours.1.map_or_else(String::new, |half| format!(" ± {}", number(half)));
        let (paper, ours) = (number(point.paper), number(point.ours.0));
        let group = &point.group.name;
        canvas.open(&format!("{} ({group}): paper {paper}, ours {ours}{half}", point.label));
        if point.ours.1.is_some() {
            let ends = diagonal.axis.ends(point.ours.0, point.ours.1);
            let [from, to] = ends.map(|value| (at.0, frame.y(value.clamp(low, high))));
            canvas.line(from, to, ink, 1.2);
        }
        let far = reach > 0.0 && (point.ours.0 - point.paper).abs() > reach;
        match far {
            true => canvas.hollow(at, 4.5, ink),
            false => canvas.mark(at, 4.5, ink),
        }
        canvas.close();
    }
    canvas.unclip();
    keys::inside(canvas, &frame, &groups);
    canvas.height = frame.bottom + BELOW;
}

/// Corners of what lies within `reach` of the diagonal of a square.
fn band(low: f64, high: f64, reach: f64) -> [(f64, f64); 6] {
    let reach = reach.min(high - low);
    [
        (low, low),
        (low, low + reach),
        (high - reach, high),
        (high, high),
        (high, high - reach),
        (low + reach, low),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Theme};
    use super::*;
    use crate::figure::{Axis, Match};

    /// Left and right edge of all letters of a drawing so wide.
    fn letters(wide: f64, names: &[&str]) -> (f64, f64) {
        let points = names.iter().enumerate().map(|(colour, name)| Match {
            label: String::new(),
            group: crate::figure::Group { name: (*name).to_owned(), colour },
            paper: 0.5,
            ours: (0.6, None),
        });
        let axis = Axis::new("utilisation", "");
        let diagonal = Diagonal { axis, tolerance: None, points: points.collect() };
        let mut canvas = Canvas::new(Theme::Paper, Format::wide(wide));
        draw(&mut canvas, &diagonal);
        keys::aside(&mut canvas, 22.0);
        let edges = |pick: fn(f64, f64) -> f64, side: usize| {
            canvas.written.iter().map(|own| own[side]).reduce(pick).expect("there are letters")
        };
        (edges(f64::min, 0), edges(f64::max, 2))
    }

    /// The square of 420 and its keys are about 500 of 720, the rest is half on each side; alone
    /// it has 150 on each side.
    #[test]
    fn a_wide_drawing_has_keys_beside_the_square_and_both_in_the_middle() {
        let (left, right) = letters(720.0, &["reno", "cubic"]);
        assert!((left - (720.0 - right)).abs() < 30.0, "{left} to {right}");
        let (left, right) = letters(720.0, &["reno"]);
        assert!((left - (720.0 - right)).abs() < 60.0 && left > 100.0, "{left} to {right}");
        // one column has no room for that
        let (left, right) = letters(350.0, &["reno", "cubic"]);
        assert!(left < 10.0 && right < 350.0, "{left} to {right}");
    }

    #[test]
    fn the_band_is_the_tolerance_to_each_side_of_the_line() {
        let corners = [(0.0, 0.0), (0.0, 2.0), (8.0, 10.0), (10.0, 10.0), (10.0, 8.0), (2.0, 0.0)];
        assert_eq!(band(0.0, 10.0, 2.0), corners);
        // a tolerance wider than the square covers it all
        assert_eq!(band(0.0, 1.0, 5.0)[1], (0.0, 1.0));
    }
}
