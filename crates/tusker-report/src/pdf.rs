//! A figure as PDF: lines and areas as vector graphics, letters as text in an embedded font, so
//! that they can be searched and copied.
//!
//! It understands only the SVG that [`crate::svg`] writes: paths, filled and stroked with one
//! colour, and upright text.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{
    CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap,
};
use pdf_writer::writers::ExtGraphicsState;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Text};
use ttf_parser::{Face, GlyphId};

use crate::font::{self, FONT};
use crate::tree::tree;

/// Points of a unit of the drawing, which is a hundredth of an inch.
const POINTS: f32 = 0.72;

/// What the page calls its font.
const LETTERS: Name<'static> = Name(b"F");

/// What readers call it: a subset, by the six letters.
const FONT_NAME: Name<'static> = Name(b"TUSKER+Roboto-Regular");

/// What a glyph's number means.
const IDENTITY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The objects of the file.
const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const TYPE0: Ref = Ref::new(5);
const CID: Ref = Ref::new(6);
const DESCRIPTOR: Ref = Ref::new(7);
const FILE: Ref = Ref::new(8);
const UNICODE: Ref = Ref::new(9);
const ABOUT: Ref = Ref::new(10);

/// The bytes of the file: one page with what [`crate::svg::drawn`] wrote for paper, as
/// large as that, with a title.
///
/// # Panics
/// If the drawing is no SVG.
pub fn pdf(drawing: &str, title: &str) -> Vec<u8> {
    let tree = tree(drawing);
    let face = Face::parse(FONT, 0).expect("the font is one");
    let size = [tree.size().width(), tree.size().height()].map(points);
    let mut drawing = Drawing {
        content: Content::new(),
        face: &face,
        glyphs: BTreeMap::new(),
        shades: BTreeSet::new(),
    };
    // SVG runs downwards, PDF upwards
    drawing.content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, size[1]]);
    drawing.group(tree.root());
    let mut pdf = Pdf::new();
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut page = pdf.page(PAGE);
    page.media_box(Rect::new(0.0, 0.0, size[0], size[1])).parent(PAGES).contents(CONTENT);
    let mut resources = page.resources();
    resources.fonts().pair(LETTERS, TYPE0);
    let mut states = resources.ext_g_states();
    for &shade in &drawing.shades {
        let alpha = f32::from(shade) / 255.0;
        let mut state: ExtGraphicsState<'_> = states.insert(Name(name(shade).as_bytes())).start();
        state.non_stroking_alpha(alpha).stroking_alpha(alpha);
    }
    states.finish();
    resources.finish();
    page.finish();
    let content = deflated(&drawing.content.finish());
    pdf.stream(CONTENT, &content).filter(Filter::FlateDecode);
    letters(&mut pdf, &face, &drawing.glyphs);
    let mut about = pdf.document_info(ABOUT);
    about.title(TextStr(title));
    about.creator(TextStr(concat!("tusker ", env!("CARGO_PKG_VERSION"))));
    about.finish();
    pdf.finish()
}

/// A length in points, to hundredths.
fn points(units: f32) -> f32 {
    (units * POINTS * 100.0).round() / 100.0
}

/// A drawing under way.
struct Drawing<'a> {
    content: Content,
    face: &'a Face<'a>,
    /// The glyphs that were shown, and the letters of each.
    glyphs: BTreeMap<u16, String>,
    /// How much of what lies below is covered, in 255ths.
    shades: BTreeSet<u8>,
}

impl Drawing<'_> {
    fn group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.text(text),
                // there is none
                Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path) {
        let paint = |paint: &Paint| match paint {
            Paint::Color(c) => Some([c.red, c.green, c.blue].map(|part| f32::from(part) / 255.0)),
            _ => None,
        };
        if let Some((fill, [r, g, b])) = path.fill().and_then(|f| Some((f, paint(f.paint())?))) {
            self.shade(fill.opacity().get());
            self.content.set_fill_rgb(r, g, b);
            self.outline(path);
            match fill.rule() {
                FillRule::NonZero => self.content.fill_nonzero(),
                FillRule::EvenOdd => self.content.fill_even_odd(),
            };
        }
        if let Some((stroke, [r, g, b])) = path.stroke().and_then(|s| Some((s, paint(s.paint())?)))
        {
            self.shade(stroke.opacity().get());
            self.content.set_stroke_rgb(r, g, b).set_line_width(stroke.width().get());
            self.content.set_line_join(match stroke.linejoin() {
                LineJoin::Round => LineJoinStyle::RoundJoin,
                LineJoin::Bevel => LineJoinStyle::BevelJoin,
                LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
            });
            self.content.set_line_cap(match stroke.linecap() {
                LineCap::Butt => LineCapStyle::ButtCap,
                LineCap::Round => LineCapStyle::RoundCap,
                LineCap::Square => LineCapStyle::ProjectingSquareCap,
            });
            let dashes = stroke.dasharray().unwrap_or_default().iter().copied();
            self.content.set_dash_pattern(dashes, stroke.dashoffset());
            self.outline(path);
            self.content.stroke();
        }
    }

    fn outline(&mut self, path: &Path) {
        let at = |mut point: resvg::tiny_skia::Point| {
            path.abs_transform().map_point(&mut point);
            point
        };
        let mut last = resvg::tiny_skia::Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    last = at(to);
                    self.content.move_to(last.x, last.y);
                }
                PathSegment::LineTo(to) => {
                    last = at(to);
                    self.content.line_to(last.x, last.y);
                }
                PathSegment::QuadTo(by, to) => {
                    // the cubic curve that is the same
                    let (by, to) = (at(by), at(to));
                    let two = |a: f32, b: f32| a + (b - a) * 2.0 / 3.0;
                    let (a, b) = (
                        (two(last.x, by.x), two(last.y, by.y)),
                        (two(to.x, by.x), two(to.y, by.y)),
                    );
                    self.content.cubic_to(a.0, a.1, b.0, b.1, to.x, to.y);
                    last = to;
                }
                PathSegment::CubicTo(a, b, to) => {
                    let (a, b) = (at(a), at(b));
                    last = at(to);
                    self.content.cubic_to(a.x, a.y, b.x, b.y, last.x, last.y);
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }

    fn shade(&mut self, opacity: f32) {
        let shade = (opacity * 255.0).round() as u8;
        self.shades.insert(shade);
        self.content.set_parameters(Name(name(shade).as_bytes()));
    }

    fn text(&mut self, text: &Text) {
        for span in text.layouted() {
            let Some(first) = span.positioned_glyphs.first() else { continue };
            let Some(fill) = &span.fill else { continue };
            let Paint::Color(colour) = fill.paint() else { continue };
            self.shade(fill.opacity().get());
            let [r, g, b] =
                [colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0);
            self.content.set_fill_rgb(r, g, b);
            let high = span.font_size.get();
            let place = |transform: Transform| text.abs_transform().pre_concat(transform);
            let start = place(first.transform());
            self.content.begin_text().set_font(LETTERS, high);
            self.content.set_text_matrix([1.0, 0.0, 0.0, -1.0, start.tx, start.ty]);
            let mut show = self.content.show_positioned();
            let mut items = show.items();
            let mut pen = start.tx;
            for glyph in &span.positioned_glyphs {
                let x = place(glyph.transform()).tx;
                if (x - pen).abs() > 0.005 {
                    // in thousandths of the font's height, to the left
                    items.adjust((pen - x) / high * 1000.0);
                }
                items.show(Str(&glyph.id.0.to_be_bytes()));
                self.glyphs.entry(glyph.id.0).or_insert_with(|| glyph.text.clone());
                pen = x + advance(self.face, glyph.id.0) / 1000.0 * high;
            }
            items.finish();
            show.finish();
            self.content.end_text();
        }
    }
}

/// The name of a state of the page.
fn name(shade: u8) -> String {
    format!("A{shade}")
}

/// How far a glyph moves the next one, in thousandths of the font's height.
fn advance(face: &Face<'_>, glyph: u16) -> f32 {
    let own = face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0);
    f32::from(own) * 1000.0 / f32::from(face.units_per_em())
}

/// The font with the glyphs that were shown, and what they mean.
fn letters(pdf: &mut Pdf, face: &Face<'_>, glyphs: &BTreeMap<u16, String>) {
    let scale = |units: i16| f32::from(units) * 1000.0 / f32::from(face.units_per_em());
    let mut own = pdf.type0_font(TYPE0);
    own.base_font(FONT_NAME).encoding_predefined(Name(b"Identity-H"));
    own.descendant_font(CID).to_unicode(UNICODE);
    own.finish();
    let mut own = pdf.cid_font(CID);
    own.subtype(CidFontType::Type2).base_font(FONT_NAME).system_info(IDENTITY);
    own.font_descriptor(DESCRIPTOR).cid_to_gid_map_predefined(Name(b"Identity"));
    let mut widths = own.widths();
    for &glyph in glyphs.keys() {
        widths.consecutive(glyph, [advance(face, glyph)]);
    }
    widths.finish();
    own.finish();
    let bounds = face.global_bounding_box();
    let [left, low, right, high] =
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(scale);
    let mut own = pdf.font_descriptor(DESCRIPTOR);
    own.name(FONT_NAME).flags(FontFlags::NON_SYMBOLIC).bbox(Rect::new(left, low, right, high));
    own.italic_angle(0.0).ascent(scale(face.ascender())).descent(scale(face.descender()));
    own.cap_height(scale(face.capital_height().unwrap_or(face.ascender())));
    // Roboto Regular's stems, about
    own.stem_v(80.0).font_file2(FILE);
    own.finish();
    let file = font::of_glyphs(glyphs.keys().copied().collect());
    pdf.stream(FILE, &deflated(&file))
        .filter(Filter::FlateDecode)
        .pair(Name(b"Length1"), file.len() as i32);
    let mut letters = UnicodeCmap::new(Name(b"Custom"), IDENTITY);
    for (&glyph, text) in glyphs {
        letters.pair_with_multiple(glyph, text.chars());
    }
    let letters = deflated(&letters.finish());
    pdf.stream(UNICODE, &letters).filter(Filter::FlateDecode);
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::figure::{Axis, Group, Point, Scatter};
    use crate::svg::{Theme, sized};

    /// The streams of a file, inflated.
    fn streams(bytes: &[u8]) -> Vec<String> {
        let find = |from: usize, what: &[u8]| {
            bytes[from..].windows(what.len()).position(|own| own == what).map(|at| from + at)
        };
        let (mut at, mut all) = (0, Vec::new());
        while let Some(begin) = find(at, b"\nstream\n") {
            let end = find(begin, b"\nendstream").expect("a stream ends");
            let mut text = Vec::new();
            let deflated = &bytes[begin + 8..end];
            flate2::read::ZlibDecoder::new(deflated).read_to_end(&mut text).unwrap();
            all.push(String::from_utf8_lossy(&text).into_owned());
            at = end + 10;
        }
        all
    }

    #[test]
    fn it_has_lines_and_letters_that_can_be_found() {
        let mut scatter = Scatter::new(Axis::new("x", ""), Axis::new("y", "Mbit/s"));
        for (x, y) in [(0.0, 0.0), (1.0, 1.0)] {
            let group = Group { name: "g".to_owned(), colour: 0 };
            scatter.points.push(Point {
                label: "p".to_owned(),
                group,
                x: (x, None),
                y: (y, None),
                doubts: String::new(),
            });
        }
        let figure = scatter.figure("fairness", "Fairness", "");
        let bytes = pdf(&sized(&figure, Theme::Paper, 350.0), &figure.title);
        assert!(bytes.starts_with(b"%PDF-"));
        let text = String::from_utf8_lossy(&bytes);
        // 350 hundredths of an inch of 72 points
        assert!(text.contains("/MediaBox [0 0 252 "), "{text}");
        let [content, font, letters] = &streams(&bytes)[..] else { panic!("three streams") };
        // #0072b2
        assert!(content.contains("0 0.44705883 0.69803923 rg"), "{content}");
        assert!(
            content.contains("TJ") && content.contains(" l\nS") && !content.contains(" l\nf"),
            "{content}"
        );
        assert_eq!(font.as_bytes()[..4], [0, 1, 0, 0], "TrueType");
        for letter in ["<004D>", "<0062>", "<002F>", "<0030>"] {
            assert!(letters.contains(letter), "{letter}: {letters}");
        }
    }
}
