//! The font for figures saved as separate files, cut down to the letters that the figure
//! contains.
//!
//! Glyphs keep their numbers and widths; those that are not needed lose their outlines. Tables
//! that are needed only for running text (kerning, ligatures) are left out. The format is
//! OpenType 1.9, <https://learn.microsoft.com/typography/opentype/spec/otff>.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use ttf_parser::{Face, RawFace, Tag};

/// Roboto, cut down to Latin, Greek and Cyrillic letters and some signs.
pub(crate) const FONT: &[u8] = include_bytes!("../../../report/vendor/Roboto-Regular.subset.ttf");

/// Tables that a reader needs; `name` says whose the font is.
const KEPT: [&[u8; 4]; 11] = [
    b"OS/2", b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp", b"name", b"post",
    b"prep",
];

/// What all of a font's 32-bit words add up to.
const MAGIC: u32 = 0xb1b0_afba;

/// Where `head` has the number that makes them do so.
const ADJUSTMENT: usize = 8;

/// The font as it is read.
static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(FONT, 0).expect("the font is one"));

/// How far a letter moves the next one, in heights of the font.
pub(crate) fn advance(letter: char) -> f64 {
    let own = FACE.glyph_index(letter).and_then(|glyph| FACE.glyph_hor_advance(glyph));
    // a letter that it does not have is as wide as any may be
    own.map_or(1.0, |own| f64::from(own) / f64::from(FACE.units_per_em()))
}

/// The font with the outlines of these letters.
pub(crate) fn of_letters(letters: &BTreeSet<char>) -> Vec<u8> {
    let glyphs = letters.iter().filter_map(|&letter| FACE.glyph_index(letter));
    of_glyphs(glyphs.map(|glyph| glyph.0).collect())
}

/// The font with the outlines of these glyphs, and of 0, which stands for any other.
pub(crate) fn of_glyphs(mut glyphs: BTreeSet<u16>) -> Vec<u8> {
    let raw = RawFace::parse(FONT, 0).expect("the font is one");
    let table = |name: &[u8; 4]| raw.table(Tag::from_bytes(name)).unwrap_or_default();
    let (outlines, places) = (table(b"glyf"), table(b"loca"));
    let outline = |glyph: usize| {
        let end = |nth: usize| 2 * usize::from(word(places, 2 * nth));
        &outlines[end(glyph)..end(glyph + 1)]
    };
    glyphs.insert(0);
    let mut open: Vec<u16> = glyphs.iter().copied().collect();
    while let Some(glyph) = open.pop() {
        open.extend(parts(outline(glyph.into())).into_iter().filter(|part| glyphs.insert(*part)));
    }
    let (mut kept, mut at) = (Vec::new(), vec![0, 0]);
    for glyph in 0..places.len() / 2 - 1 {
        if glyphs.contains(&(glyph as u16)) {
            kept.extend(outline(glyph));
        }
        // the font's offsets are short: half of the distance
        at.extend((kept.len() as u16 / 2).to_be_bytes());
    }
    let tables = KEPT.map(|name| match name {
        b"glyf" => (name, kept.clone()),
        b"loca" => (name, at.clone()),
        other => (other, table(other).to_vec()),
    });
    file(tables.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect())
}

/// The glyphs that a glyph is put together from: an accented letter's.
fn parts(outline: &[u8]) -> Vec<u16> {
    let mut parts = Vec::new();
    // fewer than no contours
    if outline.is_empty() || word(outline, 0) < 0x8000 {
        return parts;
    }
    let mut at = 10;
    loop {
        let flags = word(outline, at);
        parts.push(word(outline, at + 2));
        // two words or two bytes of place; a scale, two of them, or a matrix
        at += if flags & 0x1 == 0 { 6 } else { 8 };
        at += match flags & 0xc8 {
            0x08 => 2,
            0x40 => 4,
            0x80 => 8,
            _ => 0,
        };
        if flags & 0x20 == 0 {
            return parts;
        }
    }
}

/// A font of these tables, which are in the order of their names.
fn file(mut tables: Vec<(&[u8; 4], Vec<u8>)>) -> Vec<u8> {
    let count = tables.len() as u16;
    let power = count.ilog2() as u16;
    let mut bytes = vec![0, 1, 0, 0];
    for number in [count, 16 << power, power, 16 * count - (16 << power)] {
        bytes.extend(number.to_be_bytes());
    }
    let mut at = 12 + 16 * tables.len();
    let mut head = 0;
    for (name, own) in &mut tables {
        let long = own.len();
        if *name == b"head" {
            own[ADJUSTMENT..ADJUSTMENT + 4].fill(0);
            head = at;
        }
        own.resize(long.next_multiple_of(4), 0);
        bytes.extend(*name);
        for number in [sum(own), at as u32, long as u32] {
            bytes.extend(number.to_be_bytes());
        }
        at += own.len();
    }
    tables.iter().for_each(|(_, own)| bytes.extend(own));
    let missing = MAGIC.wrapping_sub(sum(&bytes)).to_be_bytes();
    bytes[head + ADJUSTMENT..head + ADJUSTMENT + 4].copy_from_slice(&missing);
    bytes
}

/// Of the words of 32 bits.
fn sum(bytes: &[u8]) -> u32 {
    let words = bytes.chunks_exact(4).map(|four| u32::from_be_bytes(four.try_into().expect("4")));
    words.fold(0, u32::wrapping_add)
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests {
    use ttf_parser::{GlyphId, OutlineBuilder};

    use super::*;

    /// An outline as text.
    #[derive(Default)]
    struct Drawn(String);

    impl OutlineBuilder for Drawn {
        fn move_to(&mut self, x: f32, y: f32) {
            self.0 += &format!("M{x} {y}");
        }
        fn line_to(&mut self, x: f32, y: f32) {
            self.0 += &format!("L{x} {y}");
        }
        fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
            self.0 += &format!("Q{x1} {y1} {x} {y}");
        }
        fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
            self.0 += &format!("C{x1} {y1} {x2} {y2} {x} {y}");
        }
        fn close(&mut self) {
            self.0.push('Z');
        }
    }

    #[test]
    fn what_is_kept_looks_as_it_did_and_the_rest_is_gone() {
        let own = of_letters(&"Jain\u{fc}\u{2212}5".chars().collect());
        assert_eq!(sum(&own), MAGIC);
        assert!(own.len() < 10_000, "{} bytes", own.len());
        let (whole, own) = (Face::parse(FONT, 0).unwrap(), Face::parse(&own, 0).unwrap());
        let drawn = |face: &Face<'_>, glyph: GlyphId| {
            let mut drawn = Drawn::default();
            face.outline_glyph(glyph, &mut drawn).map(|_| drawn.0)
        };
        // the letter with two dots is put together from two
        for letter in "Jain\u{fc}\u{2212}5u".chars() {
            let glyph = own.glyph_index(letter).unwrap();
            assert_eq!(drawn(&own, glyph), drawn(&whole, glyph), "{letter}");
            assert!(drawn(&own, glyph).is_some(), "{letter}");
            assert_eq!(own.glyph_hor_advance(glyph), whole.glyph_hor_advance(glyph));
        }
        assert_eq!(drawn(&own, own.glyph_index('W').unwrap()), None);
    }
}
