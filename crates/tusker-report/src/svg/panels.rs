//! Curves: each one by itself or, where there are many, a band from the smallest to the largest
//! value of a group, with its mean.

use std::ops::RangeInclusive;

use super::canvas::{Anchor, Canvas, Ink, width};
use super::{Frame, Scale, WIDTH, axis, ends, keys};
use crate::figure::{Curve, Panel, Panels};

const HEIGHT: f64 = 130.0;

pub(super) fn draw(canvas: &mut Canvas, panels: &Panels) {
    let drawn = |g: &usize| panels.panels.iter().any(|panel| panel.members(*g).next().is_some());
    let groups: Vec<_> =
        (0..panels.groups.len()).filter(drawn).map(|g| panels.groups[g].clone()).collect();
    let several = |panel: &&Panel| {
        (0..panels.groups.len()).filter(|&g| panel.members(g).next().is_some()).count() > 1
    };
    let names = panels.panels.iter().filter(several).flat_map(|panel| &panel.curves);
    let names: Vec<&str> = names.map(|curve| panels.groups[curve.group].name.as_str()).collect();
    let beside = !names.is_empty() && ends::beside(canvas.wide);
    let room = if beside { ends::room(names.into_iter()) - 12.0 } else { 0.0 };
    // keys above only where names at the ends of curves do not tell all of them
    let only = panels.panels.len() == 1;
    let height = if only { (0.6 * canvas.wide).clamp(HEIGHT, 2.2 * HEIGHT) } else { HEIGHT };
    let whole = groups.iter().all(|group| ends::whole(&group.name));
    let told = |panel: &Panel| {
        let own = (0..panels.groups.len()).filter(|&g| panel.members(g).next().is_some()).count();
        whole && beside && own > 1 && ends::fit(own, height)
    };
    let above = !panels.panels.iter().all(told);
    let mut top = keys::keys(canvas, &groups, above) + 14.0;
    let x = across(panels, canvas.format.x);
    let up = |panel: &Panel| {
        let ends =
            canvas.format.y.map_or_else(|| range(panels, panel, &x), |(low, high)| low..=high);
        Scale { log: panel.y.log, ..ends.into() }
    };
    let scales: Vec<Scale> = panels.panels.iter().map(up).collect();
    let (left, right) = (axis::left(scales.iter(), height), canvas.wide - 20.0 - room);
    for (i, (panel, scale)) in panels.panels.iter().zip(scales).enumerate() {
        let height = height * share(panels, panel);
        let frame = Frame {
            left,
            right,
            top,
            bottom: top + height,
            x: Scale { log: panels.x.log, ..x.clone().into() },
            y: scale,
        };
        if let Some(window) = panels.window {
            frame.shade(canvas, window);
        }
        let last = i + 1 == panels.panels.len();
        axis::rightwards(canvas, &frame, last.then_some(&panels.x));
        axis::upwards(canvas, &frame, &panel.y);
        rules(canvas, &frame, panel);
        canvas.clip(&frame);
        let mut named: Vec<ends::Named<'_>> = Vec::new();
        for (g, group) in panels.groups.iter().enumerate() {
            let line = curves(canvas, &frame, panels, panel, g, Ink::Curve(group.colour));
            named.extend(line.map(|line| (group, line)));
        }
        match panels.is_cumulative() {
            true => ends::rising(canvas, &frame, &named),
            false => ends::marks(canvas, &frame, &named),
        }
        canvas.unclip();
        if beside && named.len() > 1 {
            ends::names(canvas, &frame, &named);
        }
        top = frame.bottom + if last { 0.0 } else { 34.0 };
    }
    canvas.height = top + 44.0;
}

/// How high a panel is, in heights of the others.
fn share(panels: &Panels, panel: &Panel) -> f64 {
    if panel.tall && panels.panels.len() > 1 { 1.7 } else { 1.0 }
}

/// The lines of limits with their names; of two that are close, the lower one's is
/// further to the left.
fn rules(canvas: &mut Canvas, frame: &Frame, panel: &Panel) {
    let shown = panel.rules.iter().filter(|(_, value)| frame.y.range.contains(value));
    let mut rules: Vec<(&str, f64)> =
        shown.map(|(name, value)| (name.as_str(), frame.y(*value))).collect();
    rules.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut last = (f64::NEG_INFINITY, 0.0);
    for (name, y) in rules {
        canvas.rule((frame.left, y), frame.right);
        let end = if y - last.0 < 14.0 { last.1 - 10.0 } else { frame.right - 4.0 };
        canvas.text((end, y - 4.0), Anchor::End, Ink::Faint, name);
        last = (y, end - width(name));
    }
}

/// The horizontal axis: as it was asked for, or where there are values. Time begins at
/// zero and goes on to the end of what was measured, though values be means of stretches.
fn across(panels: &Panels, asked: Option<(f64, f64)>) -> RangeInclusive<f64> {
    if let Some((low, high)) = asked {
        return low..=high;
    }
    let (first, last) = match panels.xs.as_slice() {
        [first, .., last] if last > first => (*first, *last),
        _ => return 0.0..=1.0,
    };
    let near = 0.02 * (last - first);
    let end = panels.window.map_or(last, |window| window.1).max(last);
    let first = if panels.time && (0.0..near).contains(&first) { 0.0 } else { first };
    first..=if panels.time && end - last < near { end } else { last }
}

/// The vertical axis: from zero, unless all of it is far above; whole powers of
/// ten on a logarithmic one.
fn range(panels: &Panels, panel: &Panel, x: &RangeInclusive<f64>) -> RangeInclusive<f64> {
    if let Some((low, high)) = panel.range {
        return low..=high;
    }
    let shown = |v: &f64| v.is_finite() && (*v > 0.0 || !panel.y.log);
    let within = |curve: &Curve| {
        let all = panels.xs.iter().zip(&curve.values);
        all.filter(|(at, _)| x.contains(at)).map(|(_, value)| *value).collect::<Vec<f64>>()
    };
    let values = || panel.curves.iter().flat_map(within).filter(shown);
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
    if low > high {
        return if panel.y.log { 1.0..=10.0 } else { 0.0..=1.0 };
    }
    if panel.y.log {
        let decade = |exponent: f64| 10_f64.powf(exponent);
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        return decade(low)..=decade(high.max(low + 1.0));
    }
    // a limit shortly above is worth seeing
    let rules = panel.rules.iter().map(|rule| rule.1).filter(|&rule| rule <= 1.5 * high);
    let high = rules.fold(high, f64::max);
    let low = if low > 0.5 * high { low - 0.05 * (high - low) } else { low.min(0.0) };
    let (low, high) = widened(low, high);
    let high = if high > low { high + 0.04 * (high - low) } else { low + 1.0 };
    low..=high
}

/// A range that is not so narrow that differences look large which are none: at least a
/// hundredth of its values.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let lack = 0.01 * high.abs() - (high - low);
    if low > 0.0 && lack > 0.0 { (low - lack / 2.0, high + lack / 2.0) } else { (low, high) }
}

/// Draws a group; gives back the line that its marks and its name belong to.
fn curves(
    canvas: &mut Canvas,
    frame: &Frame,
    panels: &Panels,
    panel: &Panel,
    group: usize,
    ink: Ink,
) -> Option<Vec<(f64, f64)>> {
    let members: Vec<&[f64]> = panel.members(group).map(|curve| curve.values.as_slice()).collect();
    if members.len() <= panels.few() {
        let mut first = None;
        for values in members {
            let line = thinned(frame, &panels.xs, values);
            first.get_or_insert_with(|| line.clone());
            canvas.path(&stepped(line, panel.steps), ink, 1.4);
        }
        return first;
    }
    let at = |i: usize| members.iter().map(move |v| v[i]).filter(|v| v.is_finite());
    let over = |of: &dyn Fn(usize) -> f64| (0..panels.xs.len()).map(of).collect::<Vec<f64>>();
    let mean = over(&|i| at(i).sum::<f64>() / at(i).count() as f64);
    if !panel.steps {
        let low = over(&|i| at(i).fold(f64::NAN, f64::min));
        let high = over(&|i| at(i).fold(f64::NAN, f64::max));
        let mut outline = thinned(frame, &panels.xs, &high);
        outline.extend(thinned(frame, &panels.xs, &low).into_iter().rev());
        outline.retain(|point| point.1.is_finite());
        canvas.area(&outline, ink);
    }
    let line = thinned(frame, &panels.xs, &mean);
    canvas.path(&stepped(line.clone(), panel.steps), ink, 1.6);
    Some(line)
}

/// Points on the drawing; of many that share half a pixel, the lowest and the
/// highest, in their order.
fn thinned(frame: &Frame, xs: &[f64], values: &[f64]) -> Vec<(f64, f64)> {
    let points = xs.iter().zip(values).map(|(&x, &y)| (frame.x(x), frame.y(y)));
    let points: Vec<(f64, f64)> = points.collect();
    if points.len() < 4 * WIDTH as usize {
        return points;
    }
    let mut kept = Vec::new();
    for same in points.chunk_by(|a, b| (2.0 * a.0).floor() == (2.0 * b.0).floor()) {
        let order =
            |(_, a): &(usize, &(f64, f64)), (_, b): &(usize, &(f64, f64))| a.1.total_cmp(&b.1);
        let least = same.iter().enumerate().min_by(order).map_or(0, |(i, _)| i);
        let most = same.iter().enumerate().max_by(order).map_or(0, |(i, _)| i);
        let (a, b) = (least.min(most), least.max(most));
        kept.push(same[a]);
        if b > a {
            kept.push(same[b]);
        }
    }
    kept
}

/// A corner before each new value.
fn stepped(points: Vec<(f64, f64)>, steps: bool) -> Vec<(f64, f64)> {
    if !steps {
        return points;
    }
    let corners = points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    let mut corners: Vec<(f64, f64)> = corners.collect();
    corners.extend(points.last());
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Axis;

    #[test]
    fn thinning_keeps_every_peak() {
        let unit = || Scale::from(0.0..=1.0);
        let frame =
            Frame { left: 0.0, right: 100.0, top: 0.0, bottom: 100.0, x: unit(), y: unit() };
        let xs: Vec<f64> = (0..50_000).map(|i| f64::from(i) / 50_000.0).collect();
        let mut values = vec![0.5; 50_000];
        values[31_234] = 1.0;
        values[31_235] = 0.0;
        let kept = thinned(&frame, &xs, &values);
        assert!(kept.len() < 500, "{}", kept.len());
        assert!(kept.iter().any(|point| point.1 == 0.0) && kept.iter().any(|p| p.1 == 100.0));
    }

    #[test]
    fn a_range_is_at_least_a_hundredth_of_its_values() {
        let close =
            |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9;
        // 100.0 to 100.2: 1.002 wide around the middle of 100.1
        assert!(close(widened(100.0, 100.2), (99.599, 100.601)));
        assert!(close(widened(60.0, 80.0), (60.0, 80.0)));
        assert!(close(widened(0.0, 1e-9), (0.0, 1e-9)));
    }

    #[test]
    fn a_logarithmic_axis_has_whole_powers_of_ten() {
        let curve = Curve { name: "w".to_owned(), group: 0, values: vec![0.0, 3.0, 250.0] };
        let y = Axis::new("window", "segments").logarithmic();
        let panel = Panel { y, curves: vec![curve], ..Panel::default() };
        let panels = Panels { xs: vec![0.0, 1.0, 2.0], ..Panels::default() };
        let ends = range(&panels, &panel, &(0.0..=2.0));
        assert!((ends.start() / 1.0 - 1.0).abs() < 1e-12, "{ends:?}");
        assert!((ends.end() / 1_000.0 - 1.0).abs() < 1e-12, "{ends:?}");
        let scale = Scale { log: true, ..(1.0..=1_000.0).into() };
        assert!((scale.share(10.0) - 1.0 / 3.0).abs() < 1e-12);
        assert!(!scale.share(0.0).is_finite(), "zero is not on it");
    }
}
