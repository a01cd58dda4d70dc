//! Tiles: one verdict each, with a word and a sign beside its colour.

use std::fmt::Write;

use crate::svg::escaped;

/// How a verdict is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Well.
    Good,
    /// Partly, or undecided.
    Mixed,
    /// Badly.
    Bad,
    /// Nobody judged it.
    Open,
}

impl Tone {
    /// The sign beside the word, for anyone who sees no colours.
    fn sign(self) -> &'static str {
        match self {
            Self::Good => "\u{2713}",
            Self::Mixed => "~",
            Self::Bad => "\u{d7}",
            Self::Open => "?",
        }
    }

    /// The class in the style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Mixed => "mixed",
            Self::Bad => "bad",
            Self::Open => "open",
        }
    }
}

/// One verdict.
#[derive(Clone, Debug)]
pub struct Tile {
    /// How it is meant.
    pub tone: Tone,
    /// The verdict: `stands`.
    pub word: String,
    /// What was judged.
    pub text: String,
    /// On what it rests, a line each; folded, but on paper.
    pub notes: Vec<String>,
}

/// All of them, as a list.
pub(crate) fn write(body: &mut String, tiles: &[Tile]) {
    *body += "<ul class=\"tiles\">\n";
    for tile in tiles {
        let (class, sign) = (tile.tone.class(), tile.tone.sign());
        let (word, text) = (escaped(&tile.word), escaped(&tile.text));
        let _ = write!(
            body,
            "<li class=\"tile {class}\"><p>{text}</p><p class=\"word\"><span class=\"sign\" \
             aria-hidden=\"true\">{sign}</span> {word}</p>"
        );
        if !tile.notes.is_empty() {
            *body += "<details><summary>Why, and what was run</summary>";
            for note in &tile.notes {
                let _ = write!(body, "<p class=\"small\">{}</p>", escaped(note));
            }
            *body += "</details>";
        }
        *body += "</li>\n";
    }
    *body += "</ul>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict without its sentence says nothing.
    #[test]
    fn what_was_judged_stands_before_its_verdict() {
        let (word, text) = ("depends on the seed".to_owned(), "Reno is fair.".to_owned());
        let mut body = String::new();
        write(&mut body, &[Tile { tone: Tone::Mixed, word, text, notes: Vec::new() }]);
        let at = |text: &str| body.find(text).unwrap();
        assert!(at("Reno is fair.") < at("depends on the seed"), "{body}");
    }
}
