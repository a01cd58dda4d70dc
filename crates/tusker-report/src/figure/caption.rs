//! The caption of a figure, sentence by sentence.

use std::collections::BTreeSet;
use std::fmt;

/// A caption: what is drawn, and from what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// Its sentences.
    pub sentences: Vec<Sentence>,
}

/// A sentence of a caption, or several that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// The text; of a source what the figure is drawn from.
    pub text: String,
    /// It names columns of tables, which keep their names whatever curves are called.
    pub is_source: bool,
}

impl Caption {
    /// With another sentence, unless that is empty.
    pub fn and(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.sentences.push(Sentence { text, ..Sentence::default() });
        }
        self
    }

    /// With more sentences.
    pub fn and_all(self, texts: impl IntoIterator<Item = String>) -> Self {
        texts.into_iter().fold(self, Self::and)
    }

    /// With what the figure is drawn from: columns of tables.
    pub fn source(mut self, from: impl Into<String>) -> Self {
        self.sentences.push(Sentence { text: from.into(), is_source: true });
        self
    }

    /// What the figure is drawn from, if that is said.
    pub fn drawn_from(&self) -> Option<&str> {
        self.sentences.iter().find(|own| own.is_source).map(|own| own.text.as_str())
    }

    /// Without what it is drawn from.
    pub fn without_source(mut self) -> Self {
        self.sentences.retain(|own| !own.is_source);
        self
    }

    /// What was not said before, of the same section; the first figure has it all.
    pub(crate) fn unsaid(mut self, said: &mut BTreeSet<String>) -> Self {
        self.sentences.retain(|sentence| said.insert(sentence.text.clone()));
        self
    }
}

impl<S: Into<String>> From<S> for Caption {
    fn from(text: S) -> Self {
        Self::default().and(text)
    }
}

impl fmt::Display for Caption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, sentence) in self.sentences.iter().enumerate() {
            let blank = if nth == 0 { "" } else { " " };
            match sentence.is_source {
                true => write!(f, "{blank}Drawn from {}.", sentence.text)?,
                false => write!(f, "{blank}{}", sentence.text)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_says_a_sentence_once_below_its_figures() {
        let mut said = BTreeSet::new();
        let of = |from: &str| {
            Caption::from("Means of 2 runs.").and("").and("As in RFC 9438, sec. 4.").source(from)
        };
        let all = "Means of 2 runs. As in RFC 9438, sec. 4. Drawn from a.";
        assert_eq!(of("a").unsaid(&mut said).to_string(), all);
        assert_eq!(of("b").unsaid(&mut said).to_string(), "Drawn from b.");
        assert_eq!(of("b").unsaid(&mut said).to_string(), "");
        assert_eq!(of("a").unsaid(&mut BTreeSet::new()).to_string(), all);
    }
}
