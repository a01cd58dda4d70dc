//! Points with intervals in both directions.

use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use super::format::Keys;
use super::{Frame, Scale, axis, keys, labels};
use crate::figure::{Group, Scatter, TOLD, number};
use crate::table::vague;

const HEIGHT: f64 = 340.0;

/// Of so few the names stand beside the points.
const NAMED: usize = 12;

pub(super) fn draw(canvas: &mut Canvas, scatter: &Scatter) {
    let mut groups: Vec<Group> = Vec::new();
    for point in &scatter.points {
        if !groups.contains(&point.group) {
            groups.push(point.group.clone());
        }
    }
    let format = canvas.format.clone();
    let fitting = format.keys == Keys::Fitting;
    let height = canvas.panel(HEIGHT);
    let count = scatter.points.len();
    let named = fitting
        && count <= NAMED
        && groups.len() == count
        && count as f64 * labels::HIGH <= 0.6 * height;
    let top = keys::keys(canvas, &groups, !named && groups.len() > 1) + 14.0;
    let [ends_x, ends_y] =
        [&scatter.x, &scatter.y].map(|axis| move |(mean, half)| axis.ends(mean, half));
    let given = |ends: Option<(f64, f64)>| ends.map(|(low, high)| low..=high);
    let x = given(format.x).unwrap_or_else(|| {
        axis::around(scatter.points.iter().flat_map(|point| ends_x(point.x)), &scatter.x)
    });
    let y = given(format.y).unwrap_or_else(|| {
        axis::around(scatter.points.iter().flat_map(|point| ends_y(point.y)), &scatter.y)
    });
    let y = Scale::from(y);
    let (left, right) = canvas.edges(axis::left([&y].into_iter(), height), 24.0);
    let frame = Frame { left, right, top, bottom: top + height, x: x.into(), y };
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
    if named {
        names(canvas, &frame, scatter);
    }
    for point in scatter.points.iter().filter(|_| scatter.points.len() <= TOLD) {
        let ink = Ink::Curve(point.group.colour);
        let at = (frame.x(point.x.0), frame.y(point.y.0));
        if canvas.hides(at) {
            continue;
        }
        let said = |value: (f64, Option<f64>)| match value.1 {
            Some(half) if vague(value.0, Some(half)) => {
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
            let ink = if vague(point.x.0, point.x.1) { Ink::Faint } else { ink };
            canvas.line((frame.x(left), at.1), (frame.x(right), at.1), ink, 1.2);
        }
        if high > low {
            let ink = if vague(point.y.0, point.y.1) { Ink::Faint } else { ink };
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

/// The names beside their points, none on another, nor on a point.
fn names(canvas: &mut Canvas, frame: &Frame, scatter: &Scatter) {
    let most = canvas.wide / 3.0;
    let named = scatter.points.iter().map(|point| {
        let at = (frame.x(point.x.0), frame.y(point.y.0));
        (at, shortened(&point.label, most))
    });
    let named: Vec<((f64, f64), String)> = named.filter(|(at, _)| !canvas.hides(*at)).collect();
    let points: Vec<((f64, f64), f64)> =
        named.iter().map(|(at, name)| (*at, width(name))).collect();
    let bars = scatter.points.iter().flat_map(|point| {
        let [left, right] = scatter.x.ends(point.x.0, point.x.1);
        let [low, high] = scatter.y.ends(point.y.0, point.y.1);
        let (x, y) = (frame.x(point.x.0), frame.y(point.y.0));
        [
            [frame.x(left), y - 1.0, frame.x(right), y + 1.0],
            [x - 1.0, frame.y(high), x + 1.0, frame.y(low)],
        ]
    });
    let bars: Vec<labels::Area> = bars.collect();
    let area = [frame.left, frame.top - 8.0, canvas.wide, frame.bottom];
    for (((place, far), (at, name)), (_, wide)) in
        labels::place(area, &points, 7.0, &bars).into_iter().zip(&named).zip(&points)
    {
        if far {
            let end = (at.0.clamp(place.0, place.0 + wide), place.1 - 4.0);
            canvas.line(*at, end, Ink::Grid, 1.0);
        }
        canvas.text(place, Anchor::Start, Ink::Text, name);
    }
}
