//! Cells in colours, with their values where there is room.

use std::collections::BTreeMap;

use super::axis::{self, grouped};
use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use super::colours::{Rgb, on, viridis};
use super::multiples::{ABOVE, Multiples};
use super::{Frame, Scale};
use crate::figure::{Heat, HeatPanel, TOLD, number};

/// Height of a cell and of a panel, of the only one and of one among several: as it
/// should be, and from where to where a panel may go.
const CELLS: [f64; 2] = [28.0, 20.0];
const HEIGHTS: [(f64, f64); 2] = [(110.0, 380.0), (90.0, 220.0)];

/// Room between panels beside and below each other.
const GAPS: (f64, f64) = (18.0, 54.0);

/// Steps of the bar of colours.
const STEPS: u32 = 64;

pub(super) fn draw(canvas: &mut Canvas, heat: &Heat) {
    let values = || heat.panels.iter().flat_map(|p| &p.cells).copied().filter(|v| v.is_finite());
    let (low, high) = values().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    // colours of several decades begin at zero
    let low = if heat.z.linear.is_some() { low.min(0.0) } else { low };
    let scale = Scale::of(&heat.z, low..=high);
    let shade = |value: f64| viridis(if high > low { scale.share(value) } else { 0.5 });
    let top = if low <= high { bar(canvas, heat, &scale) } else { 0.0 };
    let (xs, ys) = (ticks(&heat.x.1), ticks(&heat.y.1));
    let widest = |texts: &[String]| texts.iter().map(|text| width(text)).fold(0.0, f64::max);
    let left = (widest(&ys) + 16.0).round().clamp(34.0, canvas.wide / 4.0);
    let many = usize::from(heat.panels.len() > 1);
    let (least, most) = HEIGHTS[many];
    let height = (CELLS[many] * ys.len() as f64).clamp(least, most).round();
    let places = Multiples::new(canvas, heat.panels.len(), (left, top + 24.0), height, GAPS, 0.0);
    let first = heat.panels.first().map_or("", |panel| &panel.title);
    let places = places.below(&heat.y.0.label(), first);
    let cell = (places.width / xs.len() as f64, height / ys.len() as f64);
    let longest = values().map(|value| width(&short(value))).fold(0.0, f64::max);
    let frame = Cells {
        heat,
        edges: (edges(places.width, xs.len()), edges(height, ys.len())),
        texts: (&xs, &ys),
        written: longest + 4.0 <= cell.0 && cell.1 >= 15.0,
        told: heat.len() <= TOLD,
        every: (every(widest(&xs) + 8.0, cell.0, xs.len()), every(14.0, cell.1, ys.len())),
    };
    let mut bottom = top;
    for (nth, panel) in heat.panels.iter().enumerate() {
        let (left, top) = places.place(nth);
        let at = (left.round(), top.round());
        frame.draw(canvas, panel, at, nth % places.columns == 0, &shade);
        bottom = at.1 + height;
    }
    places.label(canvas, bottom, &heat.x.0, &heat.y.0);
}

/// What colours stand for; where it ends.
fn bar(canvas: &mut Canvas, heat: &Heat, scale: &Scale) -> f64 {
    let label = heat.z.label();
    canvas.text((8.0, 18.0), Anchor::Start, Ink::Text, &label);
    let (from, to) = (told(*scale.range.start()), told(*scale.range.end()));
    // below a logarithmic one are numbers, which need room
    let share = if scale.log { 0.5 } else { 0.25 };
    let mut x = 8.0 + width(&label) + 16.0 + width(&from) + 6.0;
    let long = (share * canvas.wide).round();
    let mut y = 8.0;
    if x + long + 6.0 + width(&to) > canvas.wide {
        (x, y) = (8.0 + width(&from) + 6.0, 26.0);
    }
    let x = x.round();
    if !scale.log {
        canvas.text((x - 6.0, y + 10.0), Anchor::End, Ink::Faint, &from);
    }
    let edge = |step: u32| (x + long * f64::from(step) / f64::from(STEPS)).round();
    for step in 0..STEPS {
        let colour = viridis(f64::from(step) / f64::from(STEPS - 1));
        let (from, to) = ((edge(step), y), (edge(step + 1), y + 12.0));
        canvas.rect(from, to, Ink::Exact(colour));
    }
    canvas.text((x + long + 6.0, y + 10.0), Anchor::Start, Ink::Faint, &to);
    if !scale.log {
        return y + 24.0;
    }
    let (bottom, own) = (y + 12.0, (0.0..=1.0).into());
    let frame = Frame { left: x, right: x + long, top: bottom, bottom, x: scale.clone(), y: own };
    axis::numbers_below(canvas, &frame, 4.0);
    bottom + 30.0
}

/// Whole numbers, so that no line is seen between cells.
fn edges(length: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|i| (length * i as f64 / count as f64).round()).collect()
}

/// Every how many cells a text that takes so much has room.
fn every(text: f64, cell: f64, count: usize) -> usize {
    ((text / cell).ceil() as usize).clamp(1, count.max(1))
}

/// What all panels have in common.
struct Cells<'a> {
    heat: &'a Heat,
    /// From the left and from below.
    edges: (Vec<f64>, Vec<f64>),
    texts: (&'a [String], &'a [String]),
    /// Values stand in the cells.
    written: bool,
    /// Cells tell of themselves.
    told: bool,
    /// Which values are named.
    every: (usize, usize),
}

impl Cells<'_> {
    fn draw(
        &self,
        canvas: &mut Canvas,
        panel: &HeatPanel,
        (left, top): (f64, f64),
        first: bool,
        shade: &dyn Fn(f64) -> Rgb,
    ) {
        let ((xs, ys), (right, upper)) = (self.texts, (&self.edges.0, &self.edges.1));
        let width = right.last().copied().unwrap_or(0.0);
        let bottom = top + upper.last().copied().unwrap_or(0.0);
        let title = shortened(&panel.title, width);
        canvas.text((left + width, top - ABOVE), Anchor::End, Ink::Text, &title);
        canvas.rect((left, top), (left + width, bottom), Ink::Shade);
        let mut same: BTreeMap<Rgb, Vec<[f64; 4]>> = BTreeMap::new();
        for (nth, &value) in panel.cells.iter().enumerate().filter(|(_, v)| v.is_finite()) {
            let (column, row) = (nth % xs.len(), nth / xs.len());
            let from = (left + right[column], bottom - upper[row + 1]);
            let to = (left + right[column + 1], bottom - upper[row]);
            let colour = shade(value);
            if !self.told {
                same.entry(colour).or_default().push([from.0, from.1, to.0, to.1]);
                continue;
            }
            canvas.open(&self.said(panel, &xs[column], &ys[row], value));
            canvas.rect(from, to, Ink::Exact(colour));
            if self.written {
                let at = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1) + 4.0);
                canvas.text(at, Anchor::Middle, Ink::Exact(on(colour)), &short(value));
            }
            canvas.close();
        }
        same.iter().for_each(|(colour, cells)| canvas.rects(cells, Ink::Exact(*colour)));
        for (column, text) in xs.iter().enumerate().step_by(self.every.0) {
            let x = left + f64::midpoint(right[column], right[column + 1]);
            canvas.text((x, bottom + 16.0), Anchor::Middle, Ink::Faint, text);
        }
        for (row, text) in ys.iter().enumerate().step_by(self.every.1).filter(|_| first) {
            let y = bottom - f64::midpoint(upper[row], upper[row + 1]);
            canvas.text((left - 6.0, y + 4.0), Anchor::End, Ink::Faint, text);
        }
    }

    fn said(&self, panel: &HeatPanel, x: &str, y: &str, value: f64) -> String {
        let Heat { x: (to, _), y: (up, _), z, .. } = self.heat;
        let title = match panel.title.as_str() {
            "" => String::new(),
            title => format!("{title}: "),
        };
        let value = number(value);
        format!(
            "{title}{} {x} {}, {} {y} {}: {} {value} {}",
            to.title, to.unit, up.title, up.unit, z.title, z.unit
        )
    }
}

/// Values of an axis: three significant digits, and more if a value would be off by more
/// than a fiftieth of the way to its neighbour.
fn ticks(values: &[f64]) -> Vec<String> {
    let gaps = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let near = 0.02 * gaps.fold(f64::INFINITY, f64::min);
    let text = |value: f64, digits: i32| {
        let decimals = digits - 1 - value.abs().max(1e-12).log10().floor() as i32;
        format!("{:.1$}", value.abs(), decimals.clamp(0, 12) as usize)
    };
    let exact = |digits: &i32| {
        let off =
            |value: f64| text(value, *digits).parse().map_or(0.0, |own: f64| own - value.abs());
        values.iter().all(|&value| off(value).abs() <= near)
    };
    let digits = (3..9).find(exact).unwrap_or(4);
    let written = |&value: &f64| {
        let text = text(value, digits);
        let text = match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.'),
            false => &text,
        };
        format!("{}{}", if value < 0.0 { "\u{2212}" } else { "" }, grouped(text))
    };
    values.iter().map(written).collect()
}

/// As axes have it.
fn told(value: f64) -> String {
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    format!("{sign}{}", grouped(&number(value.abs())))
}

/// Three significant digits, as cells have little room.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = |value: f64| (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let rounded: f64 = format!("{value:.0$}", digits(value)).parse().unwrap_or(value);
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    format!("{sign}{:.1$}", value.abs(), digits(if rounded == 0.0 { value } else { rounded }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_three_digits_and_a_minus() {
        for (value, text) in [
            (100.0, "100"),
            // rounded it has a digit more in front
            (99.96, "100"),
            (99.94, "99.9"),
            (0.9996, "1.00"),
            (-12.34, "\u{2212}12.3"),
            (0.0, "0"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn names_of_columns_have_three_digits() {
        assert_eq!(ticks(&[0.05, 0.1057, 0.2236]), ["0.05", "0.106", "0.224"]);
        // more where neighbours are close
        assert_eq!(ticks(&[1000.0, 1001.0, 1002.5]), ["1,000", "1,001", "1,002.5"]);
        assert_eq!(ticks(&[1.2341, 1.2343]), ["1.2341", "1.2343"]);
    }
}
