//! Points with intervals in both directions.

use super::canvas::{Anchor, Canvas, Ink, width};
use super::format::Keys;
use super::{Frame, Scale, axis, clip, keys, labels};
use crate::figure::{Point, Scatter, TOLD, distinct, number};
use crate::span::is_vague;

const HEIGHT: f64 = 340.0;

/// So few points have their names beside them, where there is room.
const NAMED: usize = 12;

pub(super) fn draw(canvas: &mut Canvas, scatter: &Scatter) {
    let groups = distinct(scatter.points.iter().map(|point| &point.group));
    let format = canvas.format.clone();
    let height = canvas.panel(HEIGHT);
    let count = scatter.points.len();
    let [ends_x, ends_y] =
        [&scatter.x, &scatter.y].map(|axis| move |(mean, half)| axis.ends(mean, half));
    let given = |ends: Option<(f64, f64)>| ends.map(|(low, high)| low..=high);
    let x = given(format.x).unwrap_or_else(|| {
        let ends = scatter.points.iter().flat_map(|point| ends_x(point.x));
        if scatter.x.log { axis::ratio(ends) } else { axis::around(ends, &scatter.x) }
    });
    let y = given(format.y).unwrap_or_else(|| {
        let ends = scatter.points.iter().flat_map(|point| ends_y(point.y));
        match scatter.y.linear {
            Some(least) => axis::from_zero(ends, least),
            None => axis::around(ends, &scatter.y),
        }
    });
    let (x, y) = (Scale::of(&scatter.x, x), Scale::of(&scatter.y, y));
    let left = axis::left([&y].into_iter(), height);
    let frame = |canvas: &mut Canvas, top: f64| {
        let (left, right) = canvas.edges(left, 24.0);
        Frame { left, right, top, bottom: top + height, x: x.clone(), y: y.clone() }
    };
    let few = format.keys == Keys::Fitting && count <= NAMED && groups.len() == count;
    // below the title of the axis alone
    let begun = frame(canvas, 28.0);
    let names = if few { names(canvas, &begun, scatter) } else { None };
    let keyed = names.is_none() && groups.len() > 1;
    let top = keys::keys(canvas, &groups, keyed) + 14.0;
    let frame = frame(canvas, top);
    axis::rightwards(canvas, &frame, Some(&scatter.x));
    axis::upwards(canvas, &frame, &scatter.y);
    canvas.clip(&frame);
    if scatter.points.len() > TOLD {
        for group in &groups {
            let own = scatter.points.iter().filter(|point| point.group == *group);
            let own: Vec<_> = own.map(|point| (frame.x(point.x.0), frame.y(point.y.0))).collect();
            canvas.dots(&own, 1.6, Ink::Curve(group.colour));
        }
    }
    for (place, name) in names.into_iter().flatten() {
        canvas.text(place, Anchor::Start, Ink::Text, name);
    }
    for point in scatter.points.iter().filter(|_| scatter.points.len() <= TOLD) {
        let ink = Ink::Curve(point.group.colour);
        let at = (frame.x(point.x.0), frame.y(point.y.0));
        if canvas.hides(at) {
            continue;
        }
        let said = |value: (f64, Option<f64>)| match value.1 {
            Some(half) if is_vague(value.0, Some(half)) => {
                format!("{} \u{b1} {} (no value seen)", number(value.0), number(half))
            }
            Some(half) => format!("{} \u{b1} {}", number(value.0), number(half)),
            None => number(value.0),
        };
        canvas.open(&format!(
            "{}: {} {} {}, {} {}",
            point.label,
            scatter.x.title,
            said(point.x),
            scatter.x.unit,
            scatter.y.title,
            said(point.y)
        ));
        let ([left, right], [low, high]) = (ends_x(point.x), ends_y(point.y));
        if right > left {
            let ink = if is_vague(point.x.0, point.x.1) { Ink::Faint } else { ink };
            canvas.line((frame.x(left), at.1), (frame.x(right), at.1), ink, 1.2);
        }
        if high > low {
            let ink = if is_vague(point.y.0, point.y.1) { Ink::Faint } else { ink };
            canvas.line((at.0, frame.y(low)), (at.0, frame.y(high)), ink, 1.2);
        }
        match point.doubts.is_empty() {
            true => canvas.mark(at, 5.0, ink),
            false => canvas.hollow(at, 4.5, ink),
        }
        canvas.close();
    }
    canvas.unclip();
    keys::inside(canvas, &frame, &groups);
    canvas.height = frame.bottom + 44.0;
}

/// The names at their points, if all have room there.
fn names<'a>(
    canvas: &Canvas,
    frame: &Frame,
    scatter: &'a Scatter,
) -> Option<Vec<((f64, f64), &'a str)>> {
    let at = |point: &Point| (frame.x(point.x.0), frame.y(point.y.0));
    let clip = [frame.left, frame.top, frame.right, frame.bottom];
    let seen = scatter.points.iter().filter(|point| clip::within(at(point), clip));
    let seen: Vec<&Point> = seen.collect();
    let named: Vec<((f64, f64), f64)> =
        seen.iter().map(|point| (at(point), width(&point.label))).collect();
    let bars = scatter.points.iter().flat_map(|point| {
        let [left, right] = scatter.x.ends(point.x.0, point.x.1);
        let [low, high] = scatter.y.ends(point.y.0, point.y.1);
        let (x, y) = at(point);
        [
            [frame.x(left), y - 1.0, frame.x(right), y + 1.0],
            [x - 1.0, frame.y(high), x + 1.0, frame.y(low)],
        ]
    });
    let bars: Vec<labels::Area> = bars.collect();
    let area = [frame.left, frame.top - 8.0, canvas.wide, frame.bottom];
    let places = labels::place(area, &named, 7.0, &bars)?;
    Some(places.into_iter().zip(seen.iter().map(|point| point.label.as_str())).collect())
}
