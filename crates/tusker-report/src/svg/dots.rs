//! Rows with a published value, drawn hollow, beside ours, drawn filled and with its interval.

use super::canvas::{Anchor, Canvas, Ink};
use super::format::Keys;
use super::{Frame, axis};
use crate::figure::{Dots, number};

const ROW: f64 = 19.0;

/// Room for names, as a multiple of their width: other fonts have wider letters.
const AIR: f64 = 1.12;

/// Behind the name of a row whose values do not agree.
const MARK: &str = " \u{d7}";

/// Colours: ours, and the paper's.
const OURS: Ink = Ink::Curve(0);
const PAPER: Ink = Ink::Curve(1);

pub(super) fn draw(canvas: &mut Canvas, dots: &Dots) {
    let longest = dots.rows.iter().map(|row| super::canvas::width(&row.label));
    let mark = super::canvas::width(MARK);
    let left = 18.0 + AIR * (mark + longest.fold(60.0, f64::max).min(canvas.wide / 3.0));
    let keys = canvas.format.keys != Keys::None;
    if keys {
        canvas.ring((14.0, 14.0), 4.5, PAPER);
        canvas.text((24.0, 18.0), Anchor::Start, Ink::Text, &dots.names.0);
        let second = 46.0 + super::canvas::width(&dots.names.0);
        canvas.disc((second, 14.0), 4.5, OURS);
        canvas.text((second + 10.0, 18.0), Anchor::Start, Ink::Text, &dots.names.1);
    }
    // a new group takes a line of its own
    let mut lines = Vec::new();
    let mut group = "";
    for row in &dots.rows {
        if row.group != group {
            group = &row.group;
            lines.push(None);
        }
        lines.push(Some(row));
    }
    let top = if keys { 34.0 } else { 14.0 };
    let values = dots.rows.iter().flat_map(|row| {
        let (low, high) = row.interval.unzip();
        let all = [row.paper, row.ours, low, high].into_iter().flatten();
        all.chain(row.single.iter().copied())
    });
    let values = values.chain(dots.line);
    let bottom = top + ROW * lines.len() as f64 + 4.0;
    let x = match canvas.format.x {
        Some((low, high)) => low..=high,
        None => axis::around(values, &dots.x),
    };
    let right = canvas.wide - 24.0;
    let frame = Frame { left, right, top, bottom, x: x.into(), y: (0.0..=1.0).into() };
    axis::rightwards(canvas, &frame, Some(&dots.x));
    if let Some(at) = dots.line {
        canvas.line((frame.x(at), top), (frame.x(at), bottom), Ink::Faint, 1.0);
    }
    let mut rows = dots.rows.iter();
    for (i, line) in lines.iter().enumerate() {
        let y = top + ROW * (i as f64 + 0.6);
        let Some(row) = line else {
            let next = rows.as_slice().first().map_or("", |row| &row.group);
            let next = super::canvas::shortened(next, frame.right - 8.0);
            let end = 8.0 + super::canvas::width(&next) + 6.0;
            // no line of the grid runs through the name
            canvas.rect((frame.left - 1.0, y - 7.0), (end, y + 8.0), Ink::Ground);
            canvas.text((8.0, y + 4.0), Anchor::Start, Ink::Text, &next);
            canvas.line((end.max(frame.left), y), (frame.right, y), Ink::Grid, 1.0);
            continue;
        };
        rows.next();
        let value = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), number);
        let interval = row.interval.map_or_else(String::new, |(low, high)| {
            format!(" ({} to {})", number(low), number(high))
        });
        canvas.open(&format!(
            "{} {}: {} {}, {} {}{interval}",
            row.group,
            row.label,
            dots.names.0,
            value(row.paper),
            dots.names.1,
            value(row.ours)
        ));
        let ink = if row.agrees == Some(false) { Ink::Text } else { Ink::Faint };
        let label = super::canvas::shortened(&row.label, (left - 18.0) / AIR - mark);
        let mark = if row.agrees == Some(false) { MARK } else { "" };
        canvas.text((left - 10.0, y + 4.0), Anchor::End, ink, &format!("{label}{mark}"));
        canvas.clip(&frame);
        if let Some((paper, ours)) = row.paper.zip(row.ours) {
            canvas.line((frame.x(paper), y), (frame.x(ours), y), Ink::Grid, 2.0);
        }
        if let Some((low, high)) = row.interval {
            canvas.line((frame.x(low), y), (frame.x(high), y), OURS, 1.6);
        }
        for single in &row.single {
            canvas.disc((frame.x(*single), y), 2.0, OURS);
        }
        if let Some(ours) = row.ours {
            canvas.disc((frame.x(ours), y), 4.0, OURS);
        }
        if let Some(paper) = row.paper {
            canvas.ring((frame.x(paper), y), 4.5, PAPER);
        }
        canvas.unclip();
        canvas.close();
    }
    canvas.height = frame.bottom + 44.0;
}
