//! The canvas that a figure is drawn on: strokes and letters.

mod bounds;
mod finish;
mod strokes;

use std::collections::BTreeSet;
use std::fmt::Write;

use strokes::{dashes, path};

use super::Theme;
use super::clip::{self, Edges};
use super::colours::Rgb;
use super::format::Format;
use crate::font;
use crate::style::{DASHES, HUES, LIGHT, Look};

/// What something is drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// A curve's colour.
    Curve(usize),
    /// Letters.
    Text,
    /// Letters of less weight, and axes.
    Faint,
    /// Grid lines.
    Grid,
    /// A shaded stretch.
    Shade,
    /// A colour of its own, in light and dark.
    Exact(Rgb),
}

/// Which end of a text is where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing under way.
pub(super) struct Canvas {
    theme: Theme,
    body: String,
    /// What the texts are written with.
    letters: BTreeSet<char>,
    /// How far it goes to the right.
    pub(super) wide: f64,
    /// How far down it goes.
    pub(super) height: f64,
    /// How it was asked for.
    pub(super) format: Format,
    /// Keys are squares, as of bars.
    pub(super) squares: bool,
    /// Nothing is drawn beyond these.
    clip: Option<Edges>,
}

/// How high letters are.
const LETTERS: f64 = 12.0;

/// What follows it is an exponent; no text of a user has this character.
pub(super) const RAISED: char = '\u{e000}';

/// How wide a text is, with some air: a page may have Arial in the place of Roboto.
pub(super) fn width(text: &str) -> f64 {
    let letters = text.chars().filter(|&letter| letter != RAISED);
    1.03 * LETTERS * letters.map(font::advance).sum::<f64>()
}

/// As much of a text as fits.
pub(super) fn shortened(text: &str, most: f64) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut room = most - width("\u{2026}");
    let fits = |c: &char| {
        room -= width(c.encode_utf8(&mut [0; 4]));
        room >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}\u{2026}", kept.trim_end())
}

/// For attributes and between tags.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            // no characters of XML 1.0, or controls
            '\n' | '\t' => safe.push(c),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// The path of the mark of a look; none of a disc.
fn corners(at: (f64, f64), radius: f64, ink: Ink) -> Option<String> {
    match ink {
        Ink::Curve(n) => Some(path(&Look::of(n).corners(at, radius)?)),
        _ => None,
    }
}

impl Canvas {
    pub(super) fn new(theme: Theme, format: Format) -> Self {
        Self {
            theme,
            body: String::new(),
            letters: BTreeSet::new(),
            wide: format.wide,
            height: 0.0,
            format,
            squares: false,
            clip: None,
        }
    }

    fn colour(&self, ink: Ink) -> String {
        match (self.theme, ink) {
            (_, Ink::Exact([r, g, b])) => format!("#{r:02x}{g:02x}{b:02x}"),
            (Theme::Page, Ink::Curve(n)) => format!("var(--c{})", n % HUES),
            (Theme::Page, Ink::Text) => "var(--text)".to_owned(),
            (Theme::Page, Ink::Faint) => "var(--faint)".to_owned(),
            (Theme::Page, Ink::Grid) => "var(--grid)".to_owned(),
            (Theme::Page, Ink::Shade) => "var(--shade)".to_owned(),
            (Theme::Paper, Ink::Curve(n)) => LIGHT[n % HUES].to_owned(),
            (Theme::Paper, Ink::Text) => "#1d232b".to_owned(),
            (Theme::Paper, Ink::Faint) => "#55606e".to_owned(),
            (Theme::Paper, Ink::Grid) => "#e3e6ea".to_owned(),
            (Theme::Paper, Ink::Shade) => "#f3f5f8".to_owned(),
        }
    }

    /// A property that may hold a variable of the style sheet.
    fn set(&self, property: &str, ink: Ink) -> String {
        match self.theme {
            Theme::Page => format!("style=\"{property}:{}\"", self.colour(ink)),
            Theme::Paper => format!("{property}=\"{}\"", self.colour(ink)),
        }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink, width: f64) {
        let within = self.clip.map_or(Some((from, to)), |edges| clip::stretch(from, to, edges));
        let Some((from, to)) = within else { return };
        let stroke = self.set("stroke", ink);
        let _ = write!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" fill=\"none\" stroke-width=\"{width}\" {stroke}/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Many thin vertical lines, by their ends.
    pub(super) fn strokes(&mut self, all: &[[(f64, f64); 2]], ink: Ink) {
        let mut drawn = String::new();
        for &[from, to] in all {
            let within = self.clip.map_or(Some((from, to)), |edges| clip::stretch(from, to, edges));
            if let Some((from, to)) = within {
                let _ = write!(drawn, "M{:.1} {:.1}V{:.1}", from.0, from.1, to.1);
            }
        }
        let stroke = self.set("stroke", ink);
        let _ =
            write!(self.body, "<path d=\"{drawn}\" stroke-width=\"1\" fill=\"none\" {stroke}/>");
    }

    /// A dashed horizontal line.
    pub(super) fn rule(&mut self, from: (f64, f64), to: f64) {
        let stroke = self.set("stroke", Ink::Faint);
        let _ = write!(
            self.body,
            "<path d=\"M{:.1} {:.1}H{to:.1}\" stroke-width=\"1\" stroke-dasharray=\"4 4\" fill=\"none\" {stroke}/>",
            from.0, from.1
        );
    }

    pub(super) fn rect(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink) {
        let fill = self.set("fill", ink);
        let (width, height) = ((to.0 - from.0).max(0.0), (to.1 - from.1).max(0.0));
        let _ = write!(
            self.body,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {fill}/>",
            from.0, from.1
        );
    }

    /// Rectangles as one thing: left, upper, right and lower edge, in whole numbers.
    pub(super) fn rects(&mut self, all: &[[f64; 4]], ink: Ink) {
        let mut path = String::new();
        for [left, top, right, bottom] in all {
            let (width, height) = (right - left, bottom - top);
            let _ = write!(path, "M{left:.0} {top:.0}h{width:.0}v{height:.0}h-{width:.0}z");
        }
        let fill = self.set("fill", ink);
        let _ = write!(self.body, "<path d=\"{path}\" stroke=\"none\" {fill}/>");
    }

    /// A line through points, with the dashes of its look; NaN breaks it.
    pub(super) fn path(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        let cut = self.clip.map(|edges| clip::line(points, edges));
        let points = cut.as_deref().unwrap_or(points);
        let stroke = self.set("stroke", ink);
        let path = path(points);
        let dashes = match ink {
            Ink::Curve(n) => dashes(DASHES[Look::of(n).dash]),
            _ => String::new(),
        };
        let _ = write!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes} {stroke}/>"
        );
    }

    pub(super) fn disc(&mut self, at: (f64, f64), radius: f64, ink: Ink) {
        let fill = self.set("fill", ink);
        self.circle(at, radius, &fill);
    }

    /// A ring, hollow, so that what lies beneath is seen.
    pub(super) fn ring(&mut self, at: (f64, f64), radius: f64, ink: Ink) {
        let stroke = self.set("stroke", ink);
        self.circle(at, radius, &format!("fill=\"none\" stroke-width=\"2\" {stroke}"));
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64, paint: &str) {
        if !self.hides((x, y)) {
            let _ =
                write!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {paint}/>");
        }
    }

    /// The mark of a look: a disc, a square, a triangle and so on.
    pub(super) fn mark(&mut self, at: (f64, f64), radius: f64, ink: Ink) {
        match corners(at, radius, ink) {
            None => self.disc(at, radius, ink),
            Some(path) => {
                let fill = self.set("fill", ink);
                self.outline(at, &path, &format!("stroke=\"none\" {fill}"));
            }
        }
    }

    /// The same mark hollow.
    pub(super) fn hollow(&mut self, at: (f64, f64), radius: f64, ink: Ink) {
        match corners(at, radius, ink) {
            None => self.ring(at, radius, ink),
            Some(path) => {
                let stroke = self.set("stroke", ink);
                let paint = format!("fill=\"none\" stroke-width=\"1.6\" {stroke}");
                self.outline(at, &path, &paint);
            }
        }
    }

    fn outline(&mut self, at: (f64, f64), path: &str, paint: &str) {
        if !self.hides(at) {
            let _ = write!(self.body, "<path class=\"m\" d=\"{path}Z\" {paint}/>");
        }
    }

    /// An area between points and back.
    pub(super) fn area(&mut self, points: &[(f64, f64)], ink: Ink) {
        let cut = self.clip.map(|edges| clip::area(points, edges));
        let points = cut.as_deref().unwrap_or(points);
        if !points.is_empty() {
            let (path, fill) = (path(points), self.set("fill", ink));
            let _ = write!(
                self.body,
                "<path d=\"{path}Z\" fill-opacity=\"0.2\" stroke=\"none\" {fill}/>"
            );
        }
    }

    /// Many discs as one thing: lines without length, with round ends.
    pub(super) fn dots(&mut self, points: &[(f64, f64)], radius: f64, ink: Ink) {
        let mut path = String::new();
        let edges = self.clip;
        let seen = |at: &&(f64, f64)| edges.is_none_or(|edges| clip::within(**at, edges));
        for (x, y) in points.iter().filter(seen) {
            let _ = write!(path, "M{x:.1} {y:.1}h0");
        }
        let (stroke, width) = (self.set("stroke", ink), 2.0 * radius);
        let _ = write!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke-width=\"{width}\" stroke-linecap=\"round\" {stroke}/>"
        );
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, ink: Ink, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.letters.extend(text.chars());
        let (text, raised) = text.split_once(RAISED).unwrap_or((text, ""));
        let raised = match raised {
            "" => String::new(),
            raised => format!("<tspan dy=\"-4\" font-size=\"9\">{}</tspan>", escaped(raised)),
        };
        let (fill, text) = (self.set("fill", ink), escaped(text));
        let _ = write!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" {fill}>{text}{raised}</text>",
            at.0, at.1
        );
    }

    /// Whatever is drawn until [`Self::close`] is one thing, which tells of
    /// itself when it is pointed at.
    pub(super) fn open(&mut self, label: &str) {
        // what has no unit or panel leaves no gap
        let label = escaped(&label.split_whitespace().collect::<Vec<_>>().join(" "));
        let _ = match self.theme {
            Theme::Page => write!(self.body, "<g class=\"mark\" data-say=\"{label}\">"),
            Theme::Paper => write!(self.body, "<g><title>{label}</title>"),
        };
    }

    pub(super) fn close(&mut self) {
        self.body += "</g>";
    }
}
