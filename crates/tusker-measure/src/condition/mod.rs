//! Comparisons of measured values, and when they hold: one language and one rule for the claims
//! of papers, `--fail-on` and `--where`.
//!
//! ```text
//! comparison = sum { ("<" | "<=" | ">" | ">=") sum }      a chain is one comparison
//! sum        = product { ("+" | "-") product }
//! product    = factor { ("*" | "/") factor }
//! factor     = number | "-" factor | "(" sum ")"
//!            | ("abs" | "min" | "max") "(" sum { "," sum } ")"
//!            | measure [ "(" case [ "@" variant ] ")" ]
//! ```
//!
//! A name may contain signs, such as `links.R1->R2.idle`, so there are spaces around a `+` or `-`
//! that follows one.
//!
//! **The rule.** Each value has half of its 95 % interval, if it is known. Half-widths of
//! independent values combine in quadrature, relative ones under `*` and `/`. So the difference
//! of two sides with half-widths `a` and `b` has the half-width `sqrt(a^2 + b^2)`. If the sides
//! differ by more than that, the comparison holds or fails; if not, it is undecided. Without an
//! interval the values alone decide.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod expr;
mod flat;
mod parse;

use expr::Expr;
pub use flat::{Condition, Judged, Named, With, is_named, is_word};
pub use parse::Written;

/// Whether something holds: a comparison, or what is judged by several.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds: as many comparisons as are needed.
    Holds,
    /// At least half of several comparisons hold, but more are needed.
    Partly,
    /// Chance decides: a difference lies within its interval.
    Undecided,
    /// It does not hold.
    DoesNotHold,
    /// A value is missing.
    Open,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Partly => "partly",
            Self::Undecided => "undecided",
            Self::DoesNotHold => "does not hold",
            Self::Open => "not run",
        }
    }

    /// It was judged and does not hold in full.
    pub fn falls_short(self) -> bool {
        matches!(self, Self::Partly | Self::Undecided | Self::DoesNotHold)
    }
}

/// A value with half of its 95 % confidence interval, if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// The value.
    pub value: f64,
    /// Half of its 95 % confidence interval.
    pub ci95: Option<f64>,
}

impl Value {
    /// One that is exact.
    pub fn exact(value: f64) -> Self {
        Self { value, ci95: Some(0.0) }
    }

    /// This minus another one.
    fn minus(self, other: Self) -> Self {
        let halves = self.ci95.zip(other.ci95);
        let ci95 = halves.map(|(a, b)| a.hypot(b)).filter(|half| !half.is_nan());
        Self { value: self.value - other.value, ci95 }
    }
}

/// How two sides are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Relation {
    /// The rule for two values.
    pub fn decide(self, a: Value, b: Value) -> Decision {
        let by_values = match self {
            Self::Less => a.value < b.value,
            Self::AtMost => a.value <= b.value,
            Self::Greater => a.value > b.value,
            Self::AtLeast => a.value >= b.value,
        };
        let difference = a.minus(b);
        // without any spread even equal values are certain
        let sure = difference.ci95.map(|half| half == 0.0 || difference.value.abs() > half);
        Decision { by_values, sure, terms: vec![a, b], differences: vec![difference] }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        })
    }
}

/// A comparison that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// All relations hold by the values alone.
    pub by_values: bool,
    /// Whether the interval of a decisive difference excludes zero; null where none is known.
    pub sure: Option<bool>,
    /// The values compared.
    pub terms: Vec<Value>,
    /// Each term minus the next.
    pub differences: Vec<Value>,
}

impl Decision {
    /// By the values alone.
    pub fn plain(&self) -> Verdict {
        if self.by_values { Verdict::Holds } else { Verdict::DoesNotHold }
    }

    /// By the rule.
    pub fn verdict(&self) -> Verdict {
        if self.sure == Some(false) { Verdict::Undecided } else { self.plain() }
    }

    /// What is not known to be so, without an interval too, is undecided.
    pub fn surely(&self) -> Verdict {
        if self.sure == Some(true) { self.plain() } else { Verdict::Undecided }
    }

    /// What may be so holds.
    pub fn possibly(&self) -> Verdict {
        if self.sure == Some(true) { self.plain() } else { Verdict::Holds }
    }
}

/// A comparison of measures, each named by an `M`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<M> {
    terms: Vec<Expr<M>>,
    relations: Vec<Relation>,
}

impl<M> Comparison<M> {
    /// The measures that it compares, in their order.
    pub fn measures(&self) -> Vec<&M> {
        let mut found = Vec::new();
        self.terms.iter().for_each(|term| term.measures(&mut found));
        found
    }

    /// The same of other measures.
    ///
    /// # Errors
    /// The first error of `other`.
    pub fn try_map<N, E>(
        &self,
        mut other: impl FnMut(&M) -> Result<N, E>,
    ) -> Result<Comparison<N>, E> {
        let terms = self.terms.iter().map(|term| term.try_map(&mut other));
        let terms = terms.collect::<Result<_, E>>()?;
        Ok(Comparison { terms, relations: self.relations.clone() })
    }

    /// Evaluates it; `None` if a value is missing.
    pub fn decide(&self, value: &dyn Fn(&M) -> Option<Value>) -> Option<Decision> {
        let terms = self.terms.iter().map(|term| term.value(value));
        let terms = terms.collect::<Option<Vec<Value>>>()?;
        let pairs = terms.windows(2).zip(&self.relations);
        let pairs: Vec<Decision> = pairs.map(|(pair, r)| r.decide(pair[0], pair[1])).collect();
        let any = |by_values: bool, sure: Option<bool>| {
            pairs.iter().any(|pair| (pair.by_values, pair.sure) == (by_values, sure))
        };
        // one relation that fails makes the chain fail
        let sure = match () {
            () if any(false, Some(true)) => Some(true),
            () if any(false, None) => None,
            () if any(true, Some(false)) || any(false, Some(false)) => Some(false),
            () if any(true, None) => None,
            () => Some(true),
        };
        Some(Decision {
            by_values: pairs.iter().all(|pair| pair.by_values),
            sure,
            differences: pairs.iter().map(|pair| pair.differences[0]).collect(),
            terms,
        })
    }

    /// Whether the right side is a number.
    pub fn is_limit(&self) -> bool {
        matches!(self.terms.last(), Some(Expr::Number(..)))
    }

    /// The measure on the left, if it stands there alone.
    pub fn left(&self) -> Option<&M> {
        match self.terms.first() {
            Some(Expr::Measure(measure)) => Some(measure),
            _ => None,
        }
    }
}

impl<M: fmt::Display> Comparison<M> {
    /// Each term: `1.25 * s1(4@50)`.
    pub fn sides(&self) -> Vec<String> {
        self.terms.iter().map(Expr::to_string).collect()
    }
}

impl<M: fmt::Display> fmt::Display for Comparison<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, term) in self.terms.iter().enumerate() {
            if i > 0 {
                write!(f, " {} ", self.relations[i - 1])?;
            }
            term.fmt(f)?;
        }
        Ok(())
    }
}

/// With four significant digits, or all that are before the point.
pub fn number(value: f64) -> String {
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = (3 - magnitude).clamp(0, 4) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

#[cfg(test)]
mod tests;
