//! Bars over cases: panels below each other, with the names of the cases below the last.

use std::ops::RangeInclusive;

use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use super::{Frame, axis, keys};
use crate::figure::{BarPanel, Bars, distinct, number};

/// Height of one panel among several.
const HEIGHT: f64 = 130.0;

/// Share of a case's room that its bars take.
const FILLED: f64 = 0.78;

/// No bar is wider.
const WIDEST: f64 = 34.0;

/// From a panel to the next one.
const GAP: f64 = 34.0;

pub(super) fn draw(canvas: &mut Canvas, bars: &Bars) {
    let groups = distinct(bars.panels.iter().flat_map(|panel| &panel.bars));
    let height = if bars.panels.len() == 1 { 2.0 * HEIGHT } else { HEIGHT };
    canvas.squares = true;
    let mut top = keys::keys(canvas, &groups, groups.len() > 1) + 14.0;
    let asked = canvas.format.y;
    let up = |panel: &BarPanel| asked.map_or_else(|| range(panel), |(low, high)| low..=high);
    let scales: Vec<super::Scale> = bars.panels.iter().map(|panel| up(panel).into()).collect();
    let (left, right) = (axis::left(scales.iter(), height), canvas.wide - 20.0);
    for (nth, (panel, y)) in bars.panels.iter().zip(scales).enumerate() {
        let x = (0.0..=panel.cases.len().max(1) as f64).into();
        let frame = Frame { left, right, top, bottom: top + height, x, y };
        axis::upwards(canvas, &frame, &panel.y);
        let room = right - 20.0 - width(&panel.y.label());
        let title = shortened(&panel.title, room.max(0.0));
        canvas.text((right, top - 11.0), Anchor::End, Ink::Text, &title);
        canvas.clip(&frame);
        draw_bars(canvas, &frame, panel);
        canvas.unclip();
        canvas.line((left, frame.bottom), (right, frame.bottom), Ink::Faint, 1.0);
        let last = nth + 1 == bars.panels.len();
        let next = bars.panels.get(nth + 1).map(|next| &next.cases);
        let same = next.is_some_and(|next| {
            next.iter().map(|c| &c.name).eq(panel.cases.iter().map(|c| &c.name))
        });
        if !same {
            names(canvas, &frame, panel);
        }
        top = frame.bottom
            + if last {
                26.0
            } else if same {
                GAP
            } else {
                GAP + 16.0
            };
    }
    canvas.height = top;
}

/// From zero to the highest bar with its interval, as far as values can lie there.
fn range(panel: &BarPanel) -> RangeInclusive<f64> {
    let ends = panel.known().map(|(_, _, (mean, half))| panel.y.ends(mean, half)[1]);
    let high = ends.filter(|end| end.is_finite()).fold(0.0, f64::max);
    0.0..=if high > 0.0 { 1.04 * high } else { 1.0 }
}

fn draw_bars(canvas: &mut Canvas, frame: &Frame, panel: &BarPanel) {
    let room = frame.x(1.0) - frame.x(0.0);
    let wide = (FILLED * room / panel.bars.len().max(1) as f64).min(WIDEST);
    for (nth, case) in panel.cases.iter().enumerate() {
        let middle = frame.x(nth as f64 + 0.5);
        let first = middle - wide * panel.bars.len() as f64 / 2.0;
        for (at, (bar, height)) in panel.bars.iter().zip(&case.heights).enumerate() {
            let Some((mean, half)) = *height else { continue };
            let said = match half {
                Some(half) => format!("{} \u{b1} {}", number(mean), number(half)),
                None => number(mean),
            };
            canvas.open(&format!("{}, {}: {said} {}", case.name, bar.name, panel.y.unit));
            let (from, to) = (first + wide * at as f64 + 0.5, first + wide * (at + 1) as f64 - 0.5);
            let within = |value: f64| frame.y(value).clamp(frame.top, frame.bottom);
            canvas.rect((from, within(mean)), (to, frame.bottom), Ink::Curve(bar.colour));
            if half.is_some() {
                let x = f64::midpoint(from, to);
                let [low, high] = panel.y.ends(mean, half);
                canvas.line((x, frame.y(low)), (x, frame.y(high)), Ink::Text, 1.0);
            }
            canvas.close();
        }
    }
}

/// The names of the cases, each below its bars.
fn names(canvas: &mut Canvas, frame: &Frame, panel: &BarPanel) {
    let room = frame.x(1.0) - frame.x(0.0);
    for (nth, case) in panel.cases.iter().enumerate() {
        let at = (frame.x(nth as f64 + 0.5), frame.bottom + 16.0);
        canvas.text(at, Anchor::Middle, Ink::Text, &shortened(&case.name, room - 4.0));
    }
}
