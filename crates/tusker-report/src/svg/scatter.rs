//! Points with intervals in both directions.

use super::canvas::{Canvas, Ink};
use super::{Frame, Scale, axis, keys};
use crate::figure::{Scatter, TOLD, distinct, number};
use crate::span::is_vague;

const HEIGHT: f64 = 340.0;

pub(super) fn draw(canvas: &mut Canvas, scatter: &Scatter) {
    let groups = distinct(scatter.points.iter().map(|point| &point.group));
    let format = canvas.format.clone();
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
    let [x, y] = match scatter.equal {
        Some(_) => {
            let both = x.start().min(*y.start())..=x.end().max(*y.end());
            [both.clone(), both]
        }
        None => [x, y],
    };
    let (x, y) = (Scale::of(&scatter.x, x), Scale::of(&scatter.y, y));
    let left = axis::left([&y].into_iter(), HEIGHT);
    let top = keys::keys(canvas, &groups, groups.len() > 1) + 14.0;
    let right = canvas.wide - 24.0;
    let frame = Frame { left, right, top, bottom: top + HEIGHT, x, y };
    axis::rightwards(canvas, &frame, Some(&scatter.x));
    axis::upwards(canvas, &frame, &scatter.y);
    canvas.clip(&frame);
    if let Some(reach) = scatter.equal {
        let (low, high) = (*frame.x.range.start(), *frame.x.range.end());
        let at = |x: f64, by: f64| (frame.x(x), frame.y(x + by));
        let band = [at(low, -reach), at(low, reach), at(high, reach), at(high, -reach)];
        canvas.area(&band, Ink::Faint);
        canvas.line(at(low, 0.0), at(high, 0.0), Ink::Faint, 1.4);
    }
    if scatter.points.len() > TOLD {
        for group in &groups {
            let own = scatter.points.iter().filter(|point| point.group == *group);
            let own: Vec<_> = own.map(|point| (frame.x(point.x.0), frame.y(point.y.0))).collect();
            canvas.dots(&own, 1.6, Ink::Curve(group.colour));
        }
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
    canvas.height = frame.bottom + 44.0;
}
