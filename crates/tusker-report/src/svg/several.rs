//! Several figures in one drawing: side by side where there is room, each with its letter
//! below, and with one list of keys for all if each name has the same look in all of them.

use std::collections::BTreeSet;

use super::canvas::{Anchor, Canvas, Ink, shortened};
use super::{Format, Keys, Refused, Theme, fitted, keys};
use crate::capital;
use crate::figure::{Caption, Figure, Group, Plot, distinct};

/// What a figure beside others needs at least.
const LEAST: f64 = 220.0;

/// Between figures beside each other, and below the letter of one.
const GAP: f64 = 12.0;

/// The line that a letter takes.
const LETTER: f64 = 16.0;

/// Figures that have letters.
const MOST: usize = 26;

/// The drawing of several figures; [`super::drawn`] of a single one.
///
/// # Errors
/// What one of the figures, or all of them together, cannot be.
pub fn several(figures: &[Figure], theme: Theme, format: &Format) -> Result<String, Refused> {
    if let [only] = figures {
        return super::drawn(only, theme, format);
    }
    if figures.len() > MOST {
        let why = format!("{} figures are too many for one drawing", figures.len());
        return Err(Refused::new("figure", why, format!("draw at most {MOST}")));
    }
    if format.y.is_some() {
        let why = "the figures have vertical axes of their own";
        return Err(Refused::new("y-range", why, "leave it out, or draw one figure"));
    }
    let shared = shared(figures);
    let first = groups(&figures[0].plot).map_or(0, |own| distinct(own).len());
    if format.keys == Keys::Inside && shared.as_ref().is_some_and(|all| all.len() > first) {
        let why = "the first figure does not have the curves of all";
        return Err(Refused::new("legend", why, "use --legend above or --legend right"));
    }
    let mut canvas = Canvas::new(theme, format.clone());
    let top = match (&shared, format.keys) {
        (Some(groups), Keys::Fitting | Keys::Above | Keys::Right) => {
            let top = keys::keys(&mut canvas, groups, groups.len() > 1);
            if top > 14.0 { top - 8.0 } else { 0.0 }
        }
        _ => 0.0,
    };
    let (columns, wide) = columns(figures.len(), canvas.wide);
    let rows = figures.len().div_ceil(columns);
    let between = rows as f64 * LETTER + (rows - 1) as f64 * GAP;
    let high = format.high.map(|high| ((high - top - between) / rows as f64).floor());
    // figures below each other have one plot area
    let mut format = format.clone();
    if rows > 1 {
        for (nth, figure) in figures.iter().enumerate() {
            let keys = keys_of(format.keys, shared.is_some(), nth == 0);
            let cell = Format { wide, high: None, keys, edges: (0.0, 0.0), ..format.clone() };
            let drawn = fitted(&figure.plot, theme, &cell).map_err(|no| of_one(no, figure))?;
            let (left, room) = drawn.edges.unwrap_or_default();
            format.edges = (format.edges.0.max(left), format.edges.1.max(room));
        }
    }
    // what is drawn alike is told apart by its title
    let axes: Vec<_> = figures.iter().filter_map(axes).collect();
    let titled = axes.iter().enumerate().any(|(nth, own)| axes[..nth].contains(own));
    let mut bottom = top;
    for (row, own) in figures.chunks(columns).enumerate() {
        let above = if row == 0 { top } else { bottom + GAP };
        let mut drawn = Vec::new();
        for (nth, figure) in own.iter().enumerate() {
            let keys = keys_of(format.keys, shared.is_some(), row + nth == 0);
            let cell = Format { wide, high, keys, ..format.clone() };
            drawn.push(fitted(&figure.plot, theme, &cell).map_err(|no| of_one(no, figure))?);
        }
        let tallest = drawn.iter().map(|cell| cell.height).fold(0.0, f64::max);
        for (nth, cell) in drawn.into_iter().enumerate() {
            let left = nth as f64 * (wide + GAP);
            canvas.put(cell, (left, above));
            let letter = char::from(b'a' + (row * columns + nth) as u8);
            let at = (left + wide / 2.0, above + tallest + 10.0);
            let name = if titled { format!(" {}", own[nth].title) } else { String::new() };
            let name = shortened(&format!("({letter}){name}"), wide);
            canvas.text(at, Anchor::Middle, Ink::Text, &name);
        }
        bottom = above + tallest + LETTER;
    }
    canvas.height = bottom;
    keys::aside(&mut canvas, 22.0);
    if let Some(high) = format.high {
        canvas.height = high.max(bottom);
    }
    let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
    Ok(canvas.finish(&titles.join("; ")))
}

/// What stands below each of several figures, with its letter and title: `(a) Goodput against
/// buffer. Means of ...`.
pub fn captions(figures: &[Figure], format: &Format) -> Vec<Caption> {
    let captions = figures.iter().map(|figure| super::caption(figure, format));
    if figures.len() == 1 {
        return captions.collect();
    }
    let titled = |((figure, letter), caption): ((&Figure, char), Caption)| {
        let title = figure.title.trim_end_matches('.');
        let mut titled = Caption::from(format!("({letter}) {}.", capital(title)));
        titled.sentences.extend(caption.sentences);
        titled
    };
    figures.iter().zip('a'..).zip(captions).map(titled).collect()
}

/// So many figures beside each other, in rows as even as can be; and the width of each.
fn columns(figures: usize, wide: f64) -> (usize, f64) {
    let fit = (((wide + GAP) / (LEAST + GAP)) as usize).clamp(1, figures.max(1));
    let columns = figures.div_ceil(figures.div_ceil(fit));
    (columns, ((wide + GAP) / columns as f64 - GAP).floor())
}

/// Where the keys of one of the figures stand.
fn keys_of(asked: Keys, shared: bool, first: bool) -> Keys {
    match (asked, shared) {
        (Keys::Inside, true) if first => Keys::Inside,
        (_, true) => Keys::None,
        (asked, false) => asked,
    }
}

/// The names of all figures, if each tells its curves by names, and a name has one look.
fn shared(figures: &[Figure]) -> Option<Vec<Group>> {
    let all: Option<Vec<Vec<&Group>>> = figures.iter().map(|own| groups(&own.plot)).collect();
    let all = distinct(all?.into_iter().flatten());
    let names: BTreeSet<&str> = all.iter().map(|group| group.name.as_str()).collect();
    (names.len() == all.len()).then_some(all)
}

/// The axes of a figure of one panel over time.
fn axes(figure: &Figure) -> Option<[String; 2]> {
    match &figure.plot {
        Plot::Panels(own) => match own.panels.as_slice() {
            [only] => Some([own.x.label(), only.y.label()]),
            _ => None,
        },
        _ => None,
    }
}

/// What tells the curves or points of a figure apart.
fn groups(plot: &Plot) -> Option<Vec<&Group>> {
    Some(match plot {
        Plot::Panels(own) => {
            // one panel of several may lack some of them
            let is_drawn =
                |nth: &usize| own.panels.iter().any(|panel| panel.members(*nth).next().is_some());
            (0..own.groups.len()).filter(is_drawn).map(|nth| &own.groups[nth]).collect()
        }
        Plot::Lines(own) => {
            own.panels.iter().flat_map(|panel| &panel.lines).map(|line| &line.group).collect()
        }
        Plot::Scatter(own) => own.points.iter().map(|point| &point.group).collect(),
        Plot::Clouds(own) => {
            own.panels.iter().flat_map(|panel| &panel.trails).map(|trail| &trail.group).collect()
        }
        Plot::Diagonal(own) => own.points.iter().map(|point| &point.group).collect(),
        Plot::Bars(own) => own.panels.iter().flat_map(|panel| &panel.bars).collect(),
        Plot::Dots(_) | Plot::Heat(_) => return None,
    })
}

/// Which of the figures it is that cannot be so.
fn of_one(no: Refused, figure: &Figure) -> Refused {
    Refused { why: format!("{}: {}", figure.name, no.why), ..no }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_even_as_can_be() {
        // 720: three of 232 = 3 x 220 + 2 x 12 + 12 fit
        for (figures, wide, columns_of, each) in [
            (2, 720.0, 2, 354.0),
            (3, 720.0, 3, 232.0),
            (4, 720.0, 2, 354.0),
            (5, 720.0, 3, 232.0),
            (2, 350.0, 1, 350.0),
        ] {
            assert_eq!(columns(figures, wide), (columns_of, each), "{figures} on {wide}");
        }
    }
}
