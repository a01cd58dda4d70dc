//! Texts with a meaning.

use tusker_measure::condition::Verdict;
use tusker_measure::stats::Estimate;

/// A line of spans.
pub type Line = Vec<Span>;

/// A text of one meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Its meaning.
    pub meaning: Meaning,
}

/// What a span means; a renderer decides how that looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// A text as any other.
    #[default]
    Plain,
    /// What the eye should find first.
    Strong,
    /// Good news.
    Good,
    /// Partly good, or undecided.
    Mixed,
    /// Bad news.
    Bad,
    /// Said for completeness.
    Muted,
    /// A value whose interval reaches zero.
    Vague,
}

impl Span {
    /// A text with its meaning.
    pub fn new(text: impl Into<String>, meaning: Meaning) -> Self {
        Self { text: text.into(), meaning }
    }

    /// What the eye should find first.
    pub fn strong(text: impl Into<String>) -> Self {
        Self::new(text, Meaning::Strong)
    }

    /// Good news.
    pub fn good(text: impl Into<String>) -> Self {
        Self::new(text, Meaning::Good)
    }

    /// Bad news.
    pub fn bad(text: impl Into<String>) -> Self {
        Self::new(text, Meaning::Bad)
    }

    /// An estimate as it is written.
    pub(crate) fn estimate(text: String, estimate: Option<Estimate>) -> Self {
        let is_vague = estimate.is_some_and(|own| is_vague(own.mean, own.ci95));
        Self::new(text, if is_vague { Meaning::Vague } else { Meaning::Plain })
    }

    /// Said for completeness.
    pub fn muted(text: impl Into<String>) -> Self {
        Self::new(text, Meaning::Muted)
    }
}

/// An interval that reaches zero: it is as wide as the value or wider, and says nothing.
pub(crate) fn is_vague(mean: f64, half: Option<f64>) -> bool {
    half.is_some_and(|half| half > 0.0 && half >= mean.abs())
}

impl From<Verdict> for Meaning {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Holds => Self::Good,
            Verdict::Partly | Verdict::Undecided => Self::Mixed,
            Verdict::DoesNotHold => Self::Bad,
            Verdict::Open => Self::Muted,
        }
    }
}

impl<S: Into<String>> From<S> for Span {
    fn from(text: S) -> Self {
        Self::new(text, Meaning::Plain)
    }
}

impl PartialEq<&str> for Span {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}
