//! Curves with bands, in small multiples.

use std::ops::RangeInclusive;

use super::canvas::{Anchor, Canvas, Ink, shortened};
use super::format::Format;
use super::multiples::{ABOVE, Multiples};
use super::{Frame, Scale, WIDTH, axis, ends, keys};
use crate::figure::{LinePanel, Lines, TOLD, distinct, number};
use crate::span::is_vague;

/// Height of one panel among several. The only one is lower than it is wide.
const HEIGHT: f64 = 150.0;

/// Of more panels keys above tell the curves, once: a page would be slow to open.
const TOLD_PANELS: usize = 8;

/// From a panel to the numbers of the one beside it, and to the one below it.
const GAPS: (f64, f64) = (12.0, 58.0);

pub(super) fn draw(canvas: &mut Canvas, figure: &Lines) {
    let lines = figure.panels.iter().flat_map(|panel| &panel.lines);
    let groups = distinct(lines.map(|line| &line.group));
    let named = groups.len() > 1;
    let format = canvas.format.clone();
    let (x, y) = ranges(figure, &format);
    let (x, y) = (Scale::of(&figure.x, x), Scale::of(&figure.y, y));
    let only = figure.panels.len() <= 1;
    let height = if only { (0.6 * canvas.wide).clamp(HEIGHT, 320.0) } else { HEIGHT };
    let left = axis::left([&y].into_iter(), height);
    let (panels, gaps) = (figure.panels.len(), (left + GAPS.0, GAPS.1));
    // names at the ends of curves; keys above where there is no room for them, or where
    // more panels stand beside each other without them
    let names = ends::room(groups.iter().map(|group| group.name.as_str())) - 12.0;
    let columns = |room| Multiples::new(canvas, panels, (left, 0.0), height, gaps, room).columns;
    let told = named
        && panels <= TOLD_PANELS
        && ends::beside(canvas.wide)
        && columns(names) == columns(0.0)
        && figure.panels.iter().all(|panel| ends::fit(panel.lines.len(), height));
    let top = keys::keys(canvas, &groups, named && !told) + 8.0;
    let room = if told { names } else { 0.0 };
    let places = Multiples::new(canvas, panels, (left, top + 8.0), height, gaps, room);
    let first = figure.panels.first().map_or("", |panel| &panel.title);
    let places = places.below(&figure.y.label(), first);
    let about = 8.0 / places.columns as f64 * canvas.wide / WIDTH;
    let mut bottom = top;
    for (nth, panel) in figure.panels.iter().enumerate() {
        let (left, top) = places.place(nth);
        let (x, y) = (x.clone(), y.clone());
        let frame = Frame { left, right: left + places.width, top, bottom: top + height, x, y };
        axis::numbers_below(canvas, &frame, about);
        axis::numbers_beside(canvas, &frame);
        panel_of(canvas, &frame, (figure, panel), (named, told));
        bottom = frame.bottom;
    }
    places.label(canvas, bottom, &figure.x, &figure.y);
}

/// From where to where the axes run.
fn ranges(figure: &Lines, format: &Format) -> (RangeInclusive<f64>, RangeInclusive<f64>) {
    let points = || figure.panels.iter().flat_map(|p| &p.lines).flat_map(|line| &line.points);
    let ends = |&(_, mean, half): &(f64, f64, Option<f64>)| figure.y.ends(mean, half);
    let x = match format.x {
        Some((low, high)) => low..=high,
        None if figure.x.log => axis::ratio(points().map(|point| point.0)),
        None => axis::around(points().map(|point| point.0), &figure.x),
    };
    if figure.y.log && format.y.is_none() {
        let values = points().flat_map(ends).chain(format.line);
        return (
            x,
            match figure.y.linear {
                Some(least) => axis::from_zero(values, least),
                None => axis::ratio(values),
            },
        );
    }
    // from zero, unless all of it is far above
    let seen = points().filter(|point| format.x.is_none() || x.contains(&point.0));
    let y = axis::around(seen.flat_map(ends).chain(format.line), &figure.y);
    let low = if *y.start() > 0.5 * *y.end() { *y.start() } else { y.start().min(0.0) };
    let y = format.y.map_or(low..=*y.end(), |(low, high)| low..=high);
    (x, y)
}

/// The vertical axis shows a share and does not begin at zero: what looks like nothing is
/// not.
pub(super) fn is_cut(figure: &Lines, format: &Format) -> bool {
    let share = figure.y.limits.is_some_and(|(least, _)| least == 0.0) && !figure.y.log;
    share && *ranges(figure, format).1.start() > 0.0
}

/// Error bars from the lower ends to the upper ones; none where they are too short to be seen.
/// Where their caps would hide each other, they have none.
fn bars(canvas: &mut Canvas, low: &[(f64, f64)], high: &[(f64, f64)], ink: Ink) {
    const CAP: f64 = 2.5;
    let both = low.iter().zip(high).map(|(&low, &high)| [low, high]);
    let seen: Vec<_> = both.filter(|[low, high]| (high.1 - low.1).abs() > 0.2).collect();
    let least = seen.iter().map(|[low, _]| low.0).fold(f64::INFINITY, f64::min);
    let most = seen.iter().map(|[low, _]| low.0).fold(f64::NEG_INFINITY, f64::max);
    if seen.len() > 2 && most - least < 2.0 * CAP * (seen.len() - 1) as f64 {
        canvas.strokes(&seen, ink);
        return;
    }
    for [low, high] in seen {
        canvas.line(low, high, ink, 1.0);
        for (x, end) in [low, high] {
            canvas.line((x - CAP, end), (x + CAP, end), ink, 1.0);
        }
    }
}

/// Draws the curves of a panel; where there are several, they may be `told` by names.
fn panel_of(
    canvas: &mut Canvas,
    frame: &Frame,
    (figure, panel): (&Lines, &LinePanel),
    (named, told): (bool, bool),
) {
    let title = shortened(&panel.title, frame.right - frame.left);
    canvas.text((frame.right, frame.top - ABOVE), Anchor::End, Ink::Text, &title);
    let place = |&(x, mean, _): &(f64, f64, Option<f64>)| (frame.x(x), frame.y(mean));
    let curves = panel.lines.iter();
    let curves: Vec<ends::Named<'_>> =
        curves.map(|line| (&line.group, line.points.iter().map(place).collect())).collect();
    if let Some(line) = canvas.format.line.filter(|line| frame.y.range.contains(line)) {
        canvas.rule((frame.left, frame.y(line)), frame.right);
    }
    canvas.clip(frame);
    for line in &panel.lines {
        let ink = Ink::Curve(line.group.colour);
        let edge = |sign: f64| {
            let at = move |&(x, mean, half): &(f64, f64, Option<f64>)| {
                // no interval reaches where no value can be
                let [low, high] = figure.y.ends(mean, half);
                let end = if sign < 0.0 {
                    low
                } else if sign > 0.0 {
                    high
                } else {
                    mean
                };
                (frame.x(x), frame.y(end))
            };
            line.points.iter().map(at).collect::<Vec<_>>()
        };
        if figure.bars {
            bars(canvas, &edge(-1.0), &edge(1.0), ink);
        } else if line.points.iter().any(|point| point.2.is_some()) {
            let mut outline = edge(1.0);
            outline.extend(edge(-1.0).into_iter().rev());
            canvas.area(&outline, ink);
        }
        canvas.path(&edge(0.0), ink, 1.6);
        let many = figure.len() > TOLD;
        for (nth, &(x, mean, half)) in line.points.iter().enumerate() {
            let doubt = line.doubt(x);
            if many && doubt.is_none() || canvas.hides((frame.x(x), frame.y(mean))) {
                continue;
            }
            let vague = if is_vague(mean, half) { ": no value seen" } else { "" };
            let half = half.map_or(String::new(), |half| format!(" \u{b1} {}", number(half)));
            let (axis, own) = (&figure.x, &figure.y);
            canvas.open(&format!(
                "{} {} {}: {} {} {}, {} {}{half} {}{vague}{}",
                panel.title,
                line.group.name,
                line.label(nth),
                axis.title,
                number(x),
                axis.unit,
                own.title,
                number(mean),
                own.unit,
                doubt.map_or(String::new(), |why| format!(" ({why})"))
            ));
            match doubt {
                Some(_) => canvas.hollow((frame.x(x), frame.y(mean)), 3.0, ink),
                None => canvas.mark((frame.x(x), frame.y(mean)), 2.6, ink),
            }
            canvas.close();
        }
    }
    if named && figure.len() > TOLD {
        ends::marks(canvas, frame, &curves);
    }
    canvas.unclip();
    if told {
        ends::names(canvas, frame, &curves);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Theme, caption, svg};
    use crate::figure::{Axis, Figure, Group, Line, LinePanel, Lines};

    fn figure(axis: Axis, values: [f64; 2]) -> Figure {
        let points = vec![(1.0, values[0], None), (2.0, values[1], None)];
        let group = Group { name: "reno".to_owned(), colour: 0 };
        let mut lines = Lines::new(Axis::new("buffer", "BDP"), axis);
        let lines_of = vec![Line::new(group, points)];
        lines.panels.push(LinePanel { title: String::new(), lines: lines_of });
        lines.figure("name", "title", "Means.")
    }

    /// 90 % is more than half of 100 %, 40 % is not. A rate is no share.
    #[test]
    fn a_share_whose_axis_does_not_begin_at_zero_says_so() {
        let share = || Axis::new("utilisation", "%").within(0.0, 100.0);
        let usual = Format::wide(720.0);
        let high = figure(share(), [90.0, 100.0]);
        let cut = "Means. The vertical axis does not begin at zero.";
        assert_eq!(caption(&high, &usual).to_string(), cut);
        assert!(!svg(&high, Theme::Paper).contains(">0<"));
        assert_eq!(caption(&figure(share(), [40.0, 100.0]), &usual).to_string(), "Means.");
        let whole = Format { y: Some((0.0, 100.0)), ..usual.clone() };
        assert_eq!(caption(&high, &whole).to_string(), "Means.");
        let rate = figure(Axis::new("goodput", "Mbit/s"), [90.0, 100.0]);
        assert_eq!(caption(&rate, &usual).to_string(), "Means.");
    }
}
