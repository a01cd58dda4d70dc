//! Means with ellipses, joined in their order.

use std::f64::consts::TAU;

use super::canvas::{Anchor, Canvas, Ink, shortened};
use super::multiples::Multiples;
use super::{Frame, Scale, WIDTH, axis, legend};
use crate::figure::{Axis, Cloud, CloudPanel, Clouds, Group, TOLD, number};

/// Height of the only panel, and of one among several.
const HEIGHTS: [f64; 2] = [340.0, 170.0];
const LEFT: f64 = 70.0;

/// Room between panels beside and below each other.
const GAPS: (f64, f64) = (62.0, 58.0);

/// Corners of an ellipse.
const CORNERS: u32 = 36;

pub(super) fn draw(canvas: &mut Canvas, figure: &Clouds) {
    let mut groups: Vec<Group> = Vec::new();
    for trail in figure.panels.iter().flat_map(|panel| &panel.trails) {
        if !groups.contains(&trail.group) {
            groups.push(trail.group.clone());
        }
    }
    let named = groups.len() > 1;
    let top = if named { legend(canvas, &groups, 14.0) } else { 14.0 } + 14.0;
    let height = HEIGHTS[usize::from(figure.panels.len() > 1)];
    let places = Multiples::new(canvas, figure.panels.len(), (LEFT, top + 16.0), height, GAPS);
    let first = figure.panels.first().map_or("", |panel| &panel.title);
    let places = places.below(&figure.y.label(), first);
    let about = 8.0 / places.columns as f64 * canvas.wide / WIDTH;
    let mut bottom = top;
    for (nth, panel) in figure.panels.iter().enumerate() {
        let (left, top) = places.place(nth);
        // panels are of different paths: each has axes of its own
        let clouds = || panel.trails.iter().flat_map(|trail| &trail.clouds);
        let corners = || clouds().flat_map(|cloud| ellipse(cloud, figure));
        let x = axis::around(corners().map(|at| at.0), &figure.x);
        let x = Scale { backwards: figure.backwards, ..x.into() };
        let y: Scale = axis::around(corners().map(|at| at.1), &figure.y).into();
        let frame = Frame { left, right: left + places.width, top, bottom: top + height, x, y };
        axis::numbers_below(canvas, &frame, about);
        axis::numbers_beside(canvas, &frame);
        panel_of(canvas, &frame, figure, panel);
        bottom = frame.bottom;
    }
    let middle = f64::midpoint(places.left, places.right());
    canvas.text((middle, bottom + 36.0), Anchor::Middle, Ink::Text, &figure.x.label());
    canvas.text((8.0, top), Anchor::Start, Ink::Text, &figure.y.label());
    canvas.height = bottom + 46.0;
}

/// The ellipse of one standard deviation, cut at what no value can pass; its middle
/// alone without one.
fn ellipse(cloud: &Cloud, figure: &Clouds) -> Vec<(f64, f64)> {
    if cloud.spread.is_none() {
        return vec![cloud.mean];
    }
    let within = |value: f64, axis: &Axis| match axis.limits {
        Some((low, high)) => value.clamp(low, high),
        None => value,
    };
    let corner = |nth: u32| {
        let (x, y) = cloud.edge(TAU * f64::from(nth) / f64::from(CORNERS));
        (within(x, &figure.x), within(y, &figure.y))
    };
    (0..=CORNERS).map(corner).collect()
}

fn panel_of(canvas: &mut Canvas, frame: &Frame, figure: &Clouds, panel: &CloudPanel) {
    let title = shortened(&panel.title, frame.right - frame.left);
    canvas.text((frame.right, frame.top - 6.0), Anchor::End, Ink::Text, &title);
    let at = |(x, y): (f64, f64)| (frame.x(x), frame.y(y));
    let few = figure.clouds().count() <= TOLD;
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
        for cloud in trail.clouds.iter().filter(|_| few) {
            canvas.open(&said(figure, panel, &trail.group, cloud));
            canvas.mark(at(cloud.mean), 3.0, ink);
            canvas.close();
        }
    }
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
