//! Means with ellipses, joined by a line in their order.

use std::f64::consts::TAU;

use super::canvas::{Anchor, Canvas, Ink, shortened};
use super::clip;
use super::multiples::{ABOVE, Multiples};
use super::{Frame, Scale, WIDTH, axis, keys};
use crate::figure::{Axis, Cloud, CloudPanel, Clouds, Group, TOLD, distinct, number};

/// Height of the only panel, and of one among several.
const HEIGHTS: [f64; 2] = [340.0, 170.0];

/// From a panel to the numbers of the one beside it, and to the one below it.
const GAPS: (f64, f64) = (12.0, 58.0);

/// Corners of an ellipse.
const CORNERS: u32 = 36;

pub(super) fn draw(canvas: &mut Canvas, figure: &Clouds) {
    let trails = figure.panels.iter().flat_map(|panel| &panel.trails);
    let groups = distinct(trails.map(|trail| &trail.group));
    let named = groups.len() > 1;
    let top = keys::keys(canvas, &groups, named) + 8.0;
    let height = canvas.panel(HEIGHTS[usize::from(figure.panels.len() > 1)]);
    // panels are of different paths: each has axes of its own
    let format = canvas.format.clone();
    let scales = |panel: &CloudPanel| {
        let clouds = || panel.trails.iter().flat_map(|trail| &trail.clouds);
        let corners = || clouds().flat_map(|cloud| ellipse(cloud, figure));
        let given = |ends: Option<(f64, f64)>| ends.map(|(low, high)| low..=high);
        let x = given(format.x);
        let x = x.unwrap_or_else(|| axis::around(corners().map(|at| at.0), &figure.x));
        let y = given(format.y);
        let y = y.unwrap_or_else(|| axis::around(corners().map(|at| at.1), &figure.y));
        (Scale { backwards: figure.backwards, ..x.into() }, Scale::from(y))
    };
    let scales: Vec<(Scale, Scale)> = figure.panels.iter().map(scales).collect();
    let left = axis::left(scales.iter().map(|(_, y)| y), height);
    let (panels, gaps) = (figure.panels.len(), (left + GAPS.0, GAPS.1));
    let places = Multiples::new(canvas, panels, (left, top + 8.0), height, gaps, 0.0);
    canvas.rows = places.rows(panels) as f64;
    let first = figure.panels.first().map_or("", |panel| &panel.title);
    let places = places.below(&figure.y.label(), first);
    let about = 8.0 / places.columns as f64 * canvas.wide / WIDTH;
    let mut bottom = top;
    for (nth, (panel, (x, y))) in figure.panels.iter().zip(scales).enumerate() {
        let (left, top) = places.place(nth);
        let frame = Frame { left, right: left + places.width, top, bottom: top + height, x, y };
        axis::numbers_below(canvas, &frame, about);
        axis::numbers_beside(canvas, &frame);
        panel_of(canvas, &frame, figure, panel);
        if nth == 0 {
            keys::inside(canvas, &frame, &groups);
        }
        bottom = frame.bottom;
    }
    places.label(canvas, bottom, &figure.x, &figure.y);
}

/// The ellipse of one standard deviation, cut at what no value can pass; its middle
/// alone without one.
fn ellipse(cloud: &Cloud, figure: &Clouds) -> Vec<(f64, f64)> {
    if cloud.spread.is_none() {
        return vec![cloud.mean];
    }
    let ends = |axis: &Axis| axis.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let ((left, right), (low, high)) = (ends(&figure.x), ends(&figure.y));
    let corner = |nth: u32| cloud.edge(TAU * f64::from(nth) / f64::from(CORNERS));
    let whole: Vec<(f64, f64)> = (0..CORNERS).map(corner).collect();
    clip::area(&whole, [left, low, right, high])
}

fn panel_of(canvas: &mut Canvas, frame: &Frame, figure: &Clouds, panel: &CloudPanel) {
    let title = shortened(&panel.title, frame.right - frame.left);
    canvas.text((frame.right, frame.top - ABOVE), Anchor::End, Ink::Text, &title);
    let at = |(x, y): (f64, f64)| (frame.x(x), frame.y(y));
    let few = figure.clouds().count() <= TOLD;
    canvas.clip(frame);
    for trail in &panel.trails {
        let ink = Ink::Curve(trail.group.colour);
        for cloud in trail.clouds.iter().filter(|cloud| few && cloud.spread.is_some()) {
            let outline: Vec<(f64, f64)> = ellipse(cloud, figure).into_iter().map(at).collect();
            canvas.shape(&outline, ink);
        }
    }
    // above all ellipses
    for trail in &panel.trails {
        let ink = Ink::Curve(trail.group.colour);
        let line: Vec<(f64, f64)> = trail.clouds.iter().map(|cloud| at(cloud.mean)).collect();
        if let [first, _, ..] = line[..] {
            canvas.path(&line, ink, 1.2);
            canvas.ring(first, 6.0, ink);
        }
        if !few {
            canvas.dots(&line, 1.6, ink);
        }
        let seen = trail.clouds.iter().filter(|cloud| few && !canvas.hides(at(cloud.mean)));
        for cloud in seen.collect::<Vec<_>>() {
            canvas.open(&said(figure, panel, &trail.group, cloud));
            match cloud.doubtful {
                true => canvas.hollow(at(cloud.mean), 3.0, ink),
                false => canvas.mark(at(cloud.mean), 3.0, ink),
            }
            canvas.close();
        }
    }
    canvas.unclip();
}

fn said(figure: &Clouds, panel: &CloudPanel, group: &Group, cloud: &Cloud) -> String {
    let [xx, _, yy] = cloud.spread.unwrap_or_default();
    let value = |axis: &Axis, mean: f64, variance: f64| {
        let deviation = match cloud.spread {
            Some(_) => format!(" (deviation {})", number(variance.sqrt())),
            None => String::new(),
        };
        format!("{} {} {}{deviation}", axis.title, number(mean), axis.unit)
    };
    let own = [panel.title.as_str(), &group.name, &cloud.label];
    let own: Vec<&str> = own.into_iter().filter(|text| !text.is_empty()).collect();
    format!(
        "{}: {}, {}",
        own.join(" "),
        value(&figure.x, cloud.mean.0, xx),
        value(&figure.y, cloud.mean.1, yy)
    )
}
