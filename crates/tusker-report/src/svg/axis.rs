//! Axes with round numbers.

use std::ops::RangeInclusive;

use super::canvas::{Anchor, Canvas, Ink, RAISED, width};
use super::{Frame, Scale, WIDTH};
use crate::figure::Axis;

/// Round numbers within a range, about so many.
pub(super) fn ticks(range: &RangeInclusive<f64>, about: f64) -> Vec<f64> {
    let span = range.end() - range.start();
    if !(span > 0.0 && span.is_finite()) {
        return vec![*range.start()];
    }
    let raw = span / about;
    let decade = 10_f64.powf(raw.log10().floor());
    let nice = [1.0, 2.0, 5.0, 10.0].map(|n| n * decade);
    let step = nice.into_iter().find(|&step| step >= raw * 0.999).unwrap_or(raw);
    let first = (range.start() / step - 1e-9).ceil();
    let last = (range.end() / step + 1e-9).floor();
    (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect()
}

/// A number as axes have it: as many decimals as its neighbours need.
pub(super) fn label(value: f64, step: f64) -> String {
    let decimals = (-(step.abs().max(1e-12).log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    let (sign, digits) =
        text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("\u{2212}", rest));
    let digits = grouped(digits);
    if value == 0.0 { digits } else { format!("{sign}{digits}") }
}

/// A number's text with a comma between thousands; it has no sign.
pub(super) fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// The numbers of an axis, each with its text.
fn numbers(scale: &Scale, about: f64) -> Vec<(f64, String)> {
    if let Some(least) = scale.linear.filter(|_| scale.log && *scale.range.start() <= 0.0) {
        let above = decades(&(least..=*scale.range.end()), (about - 1.0).max(1.0));
        let text = |tick| if tick == 0.0 { "0".to_owned() } else { label(tick, tick) };
        return std::iter::once(0.0).chain(above).map(|tick| (tick, text(tick))).collect();
    }
    if scale.log {
        let (all, more) = (decades(&scale.range, about), between(&scale.range));
        // on a short axis those between powers of ten as well
        if all.len() < 3 && more.len() > 2 && more.len() as f64 <= about + 1.0 {
            return more.into_iter().map(|tick| (tick, label(tick, tick))).collect();
        }
        if all.len() > 1 {
            // one that is long makes exponents of all
            let raised = all.iter().any(|tick| !(1e-3..1e6).contains(tick));
            let text = |tick| if raised { power(tick) } else { label(tick, tick) };
            return all.into_iter().map(|tick| (tick, text(tick))).collect();
        }
    }
    let ticks = ticks(&scale.range, about);
    let step = step(&ticks);
    ticks.into_iter().map(|tick| (tick, label(tick, step))).collect()
}

/// Powers of ten within a range: all of them, or every second, third, ...
fn decades(range: &RangeInclusive<f64>, about: f64) -> Vec<f64> {
    let first = (range.start().log10() - 1e-9).ceil() as i32;
    let last = (range.end().log10() + 1e-9).floor() as i32;
    let every = (f64::from(last - first) / about).ceil().max(1.0) as usize;
    (first..=last).step_by(every).map(|exponent| 10_f64.powi(exponent)).collect()
}

/// One, two and five of each decade within a range.
fn between(range: &RangeInclusive<f64>) -> Vec<f64> {
    let (low, high) = (*range.start(), *range.end());
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = (first..=last).flat_map(|e| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(e)));
    all.filter(|n| (low * 0.999..=high * 1.001).contains(n)).collect()
}

/// A power of ten.
fn power(value: f64) -> String {
    let exponent = value.log10().round() as i32;
    let sign = if exponent < 0 { "\u{2212}" } else { "" };
    format!("10{RAISED}{sign}{}", exponent.abs())
}

fn step(ticks: &[f64]) -> f64 {
    match ticks {
        [a, b, ..] => b - a,
        [a] => *a,
        [] => 1.0,
    }
}

/// From a frame to the end of its ticks.
const TICK: f64 = 4.0;

/// Between the numbers below an axis.
const APART: f64 = 12.0;

/// As many numbers below an axis as stand beside each other, about so many at most, but
/// a handful wherever there is room for them.
fn fitting(frame: &Frame, most: f64) -> Vec<(f64, String)> {
    let fits = |all: &[(f64, String)]| {
        all.windows(2).all(|pair| {
            let room = (width(&pair[0].1) + width(&pair[1].1)) / 2.0 + APART;
            frame.x(pair[1].0) - frame.x(pair[0].0) >= room
        })
    };
    let mut about = most.max(6.0);
    let mut all = numbers(&frame.x, about);
    while !fits(&all) && about > 1.0 {
        about -= 1.0;
        all = numbers(&frame.x, about);
    }
    if !fits(&all) {
        all.truncate(1);
    }
    all
}

/// The numbers left of a frame so high: at least three, if there is room for them.
fn upright(scale: &Scale, high: f64) -> Vec<(f64, String)> {
    let mut about = (high / 32.0).max(2.0);
    let mut all = numbers(scale, about);
    while all.len() < 3 && about + 0.5 <= high / LINE {
        about += 0.5;
        all = numbers(scale, about);
    }
    all
}

/// Height of a number.
const LINE: f64 = 16.0;

/// Where a frame so high begins, so that its numbers have room left of it.
pub(super) fn left<'a>(scales: impl Iterator<Item = &'a Scale>, high: f64) -> f64 {
    let all = scales.flat_map(|scale| upright(scale, high));
    let widest = all.map(|(_, text)| width(&text)).fold(0.0, f64::max);
    (widest + 17.0).max(36.0).round()
}

/// The grid across and the numbers at the left; the title above.
pub(super) fn upwards(canvas: &mut Canvas, frame: &Frame, axis: &Axis) {
    numbers_beside(canvas, frame);
    canvas.text((8.0, frame.top - 11.0), Anchor::Start, Ink::Text, &axis.label());
}

/// The grid across and the numbers at the left.
pub(super) fn numbers_beside(canvas: &mut Canvas, frame: &Frame) {
    for (tick, text) in upright(&frame.y, frame.bottom - frame.top) {
        let y = frame.y(tick);
        // the axis is there, and a line of the grid would cover it
        if (y - frame.bottom).abs() > 0.5 {
            canvas.line((frame.left, y), (frame.right, y), Ink::Grid, 1.0);
        }
        canvas.line((frame.left - TICK, y), (frame.left, y), Ink::Faint, 1.0);
        canvas.text((frame.left - 7.0, y + 4.0), Anchor::End, Ink::Faint, &text);
    }
}

/// The grid down and the numbers below, about so many.
pub(super) fn numbers_below(canvas: &mut Canvas, frame: &Frame, about: f64) {
    below(canvas, frame, about, true);
}

/// The grid down and the numbers below, with the title if there is room for it.
pub(super) fn rightwards(canvas: &mut Canvas, frame: &Frame, axis: Option<&Axis>) {
    below(canvas, frame, 8.0 * canvas.wide / WIDTH, axis.is_some());
    if let Some(axis) = axis {
        let middle = (frame.left + frame.right) / 2.0;
        canvas.text((middle, frame.bottom + 34.0), Anchor::Middle, Ink::Text, &axis.label());
    }
}

fn below(canvas: &mut Canvas, frame: &Frame, about: f64, named: bool) {
    for (tick, text) in fitting(frame, about) {
        let x = frame.x(tick);
        canvas.line((x, frame.top), (x, frame.bottom), Ink::Grid, 1.0);
        canvas.line((x, frame.bottom), (x, frame.bottom + TICK), Ink::Faint, 1.0);
        if named {
            // a long one at the very end stays within the drawing
            let x = x.min(canvas.wide - 2.0 - width(&text) / 2.0);
            canvas.text((x, frame.bottom + 16.0), Anchor::Middle, Ink::Faint, &text);
        }
    }
    canvas.line((frame.left, frame.bottom), (frame.right, frame.bottom), Ink::Faint, 1.0);
}

/// From the smallest to the largest of some values, with some air, as far as
/// values can lie there at all.
pub(super) fn around(values: impl Iterator<Item = f64>, axis: &Axis) -> RangeInclusive<f64> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return 0.0..=1.0;
    }
    // a range that is too narrow shows differences that are none
    let room = axis.limits.map_or(0.0, |(least, most)| most - least);
    let wide = match axis.limits {
        // what lies near the least value is small, not equal
        Some((least, _)) if room.is_finite() && room > 0.0 => (0.01 * room).min(high - least),
        _ => 1e-3 * high.abs(),
    };
    let lack = if high > low { (wide - (high - low)).max(0.0) / 2.0 } else { 0.0 };
    let (low, high) = (low - lack, high + lack);
    let air = if high > low { 0.06 * (high - low) } else { high.abs().max(1.0) * 0.02 };
    let (least, most) = axis.limits.unwrap_or((f64::MIN, f64::MAX));
    // half a disc stays within the frame
    (low - air).max(least - 0.2 * air)..=(high + air).min(most + 0.2 * air)
}

/// From the smallest to the largest, with air of equal ratios.
pub(super) fn ratio(values: impl Iterator<Item = f64>) -> RangeInclusive<f64> {
    let positive = values.filter(|value| *value > 0.0);
    let (low, high) = positive.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return 1.0..=10.0;
    }
    let air = if high > low { (high / low).powf(0.03) } else { 2.0 };
    low / air..=high * air
}

/// From zero, for a logarithmic axis that is linear up to `least`.
pub(super) fn from_zero(values: impl Iterator<Item = f64>, least: f64) -> RangeInclusive<f64> {
    0.0..=1.3 * values.fold(least, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(&(0.0..=10.3), 5.0), [0.0, 5.0, 10.0]);
        assert_eq!(
            ticks(&(0.12..=0.31), 4.0),
            [0.15000000000000002, 0.2, 0.25, 0.30000000000000004]
        );
        assert_eq!(ticks(&(3.0..=3.0), 5.0), [3.0]);
    }

    #[test]
    fn a_column_has_a_handful_of_numbers_and_none_on_another() {
        // one column of two is 350 wide, of which the frame has 260
        let frame = |end: f64| {
            let (x, y) = ((0.0..=end).into(), (0.0..=1.0).into());
            Frame { left: 70.0, right: 330.0, top: 0.0, bottom: 100.0, x, y }
        };
        let texts = |end: f64| {
            let all = fitting(&frame(end), 3.9).into_iter();
            all.map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(texts(30.0), ["0", "5", "10", "15", "20", "25", "30"]);
        // nine characters are 53.4 wide and 12 apart, and a quarter of 260 is 65
        assert_eq!(texts(2e6), ["0", "1,000,000", "2,000,000"]);
    }

    #[test]
    fn a_vertical_axis_has_three_numbers_if_there_is_room() {
        let texts = |range: RangeInclusive<f64>, high| {
            let all = upright(&range.into(), high).into_iter();
            all.map(|(_, text)| text).collect::<Vec<_>>()
        };
        // about four would be 45 and 50 alone
        assert_eq!(texts(43.0..=52.0, 130.0), ["44", "46", "48", "50", "52"]);
        assert_eq!(texts(0.0..=104.0, 130.0), ["0", "50", "100"]);
        assert_eq!(texts(43.0..=52.0, 40.0), ["45", "50"]);
    }

    #[test]
    fn a_short_logarithmic_axis_has_round_numbers() {
        let texts = |range: RangeInclusive<f64>| {
            let scale = Scale { log: true, ..range.into() };
            numbers(&scale, 6.0).into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(texts(0.05..=1.0), ["0.05", "0.1", "0.2", "0.5", "1"]);
        // not one of them is 1, 2 or 5 times a power of ten but two
        assert_eq!(texts(2.0..=7.0), ["2", "3", "4", "5", "6", "7"]);
    }

    #[test]
    fn no_room_is_made_for_what_cannot_be() {
        let axis = Axis::new("utilisation", "%").within(0.0, 100.0);
        let range = around([90.0, 100.0].into_iter(), &axis);
        // 6 % of 10 below, a fifth of that above
        assert_eq!((*range.start(), *range.end()), (89.4, 100.12));
    }

    /// 99.9960 to 99.9980 % would show noise: a share has a hundredth of its range.
    #[test]
    fn a_range_is_not_absurdly_narrow() {
        let share = Axis::new("utilisation", "%").within(0.0, 100.0);
        let range = around([99.996, 99.998].into_iter(), &share);
        assert!(range.end() - range.start() >= 0.5, "{range:?}");
        assert!(range.contains(&99.996) && *range.end() < 100.1, "{range:?}");
        // losses are small numbers: 0.02 + 6 %
        let losses = around([0.0, 0.02].into_iter(), &share);
        assert!((losses.end() - 0.0212).abs() < 1e-9, "{losses:?}");
        let rate = around([94.000_1, 94.000_2].into_iter(), &Axis::new("goodput", "Mbit/s"));
        assert!(rate.end() - rate.start() >= 0.09, "{rate:?}");
    }

    #[test]
    fn a_logarithmic_axis_has_powers_of_ten() {
        let numbers = |range, about| {
            let scale = Scale { log: true, ..RangeInclusive::into(range) };
            let all = numbers(&scale, about).into_iter();
            all.map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1.0..=1e5, 8.0), ["1", "10", "100", "1,000", "10,000", "100,000"]);
        let powers = numbers(1e-10..=1e-1, 5.0);
        let raised = powers.iter().filter_map(|text| text.strip_prefix("10\u{e000}"));
        let raised: Vec<&str> = raised.collect();
        assert_eq!(raised, ["\u{2212}10", "\u{2212}8", "\u{2212}6", "\u{2212}4", "\u{2212}2"]);
    }

    #[test]
    fn labels_have_the_decimals_that_tell_neighbours_apart() {
        assert_eq!(label(0.15000000000000002, 0.05), "0.15");
        assert_eq!(label(-12_000.0, 2_000.0), "\u{2212}12,000");
        assert_eq!(label(2.0, 0.5), "2.0");
        assert_eq!(label(1e6, 1e6), "1,000,000");
    }
}
