//! The small language of claims.
//!
//! ```text
//! comparison = sum { ("<" | "<=" | ">" | ">=") sum }      a chain is one comparison
//! sum        = product { ("+" | "-") product }
//! product    = factor { ("*" | "/") factor }
//! factor     = number | "-" factor | "(" sum ")"
//!            | ("abs" | "min" | "max") "(" sum { "," sum } ")"
//!            | measure "(" case [ "@" variant ] ")"
//! ```
//!
//! A case may be a letter that stands for several cases (`where` of a claim). Each value
//! carries the half-width of its 95 % confidence interval. Sums and products combine these as
//! for independent values: half-widths add in quadrature, relative ones under `*` and `/`.

use std::collections::BTreeMap;
use std::fmt;

/// A value with half of its 95 % confidence interval, if known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The value.
    pub value: f64,
    /// Half the interval.
    pub ci95: Option<f64>,
}

/// A measure of one row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operand {
    /// Which measure.
    pub measure: String,
    /// Of which row: `5@50`.
    pub row: String,
}

/// A comparison as written, with letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    terms: Vec<Expr>,
    relations: Vec<Relation>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Number(f64),
    Measure { name: String, case: String, variant: Option<String> },
    Negative(Box<Self>),
    Binary(Binary, Box<Self>, Box<Self>),
    Call(Function, Vec<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Abs,
    Min,
    Max,
}

/// The values of letters and of a variant that is left out.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Letters.
    pub letters: BTreeMap<String, String>,
    /// The variant for measures that name none.
    pub variant: Option<String>,
}

/// A comparison that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The values compared, one per term.
    pub values: Vec<f64>,
    /// All relations hold.
    pub holds: bool,
    /// Whether the result is more than chance: false if the interval of a decisive
    /// difference covers zero; null if no interval is known there.
    pub clear: Option<bool>,
    /// Half of the 95 % interval of each difference between neighbours, both taken as
    /// independent.
    pub halves: Vec<Option<f64>>,
}

impl Comparison {
    /// Parses a comparison.
    ///
    /// # Errors
    /// A message in words, if it is not a comparison.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, text };
        let mut terms = vec![parser.sum()?];
        let mut relations = Vec::new();
        while let Some(relation) = parser.relation() {
            relations.push(relation);
            terms.push(parser.sum()?);
        }
        if parser.at < parser.tokens.len() || relations.is_empty() {
            return Err(parser.expected("a comparison: <, <=, > or >="));
        }
        Ok(Self { terms, relations })
    }

    /// Whether some measure names no variant.
    pub fn is_open(&self) -> bool {
        self.terms
            .iter()
            .any(|term| term.any(&mut |expr| matches!(expr, Expr::Measure { variant: None, .. })))
    }

    /// The measures that it compares.
    pub fn operands(&self, scope: &Scope) -> Vec<Operand> {
        let mut found = Vec::new();
        for term in &self.terms {
            term.any(&mut |expr| {
                found.extend(expr.operand(scope));
                false
            });
        }
        found
    }

    /// Evaluates it; `None` if some value is missing.
    pub fn decide(
        &self,
        scope: &Scope,
        value: &dyn Fn(&Operand) -> Option<Value>,
    ) -> Option<Decision> {
        let values: Option<Vec<Value>> =
            self.terms.iter().map(|term| term.value(scope, value)).collect();
        let values = values?;
        let pairs = values.windows(2).zip(&self.relations);
        let pairs: Vec<(bool, Option<bool>)> = pairs.map(|(pair, r)| r.decide(pair)).collect();
        let is = |holds: bool, clear: Option<bool>| pairs.contains(&(holds, clear));
        let holds = pairs.iter().all(|(holds, _)| *holds);
        // one failing relation makes the chain fail
        let clear = match () {
            () if is(false, Some(true)) => Some(true),
            () if is(false, None) => None,
            () if is(true, Some(false)) || is(false, Some(false)) => Some(false),
            () if is(true, None) => None,
            () => Some(true),
        };
        let halves = values.windows(2).map(half_of_difference).collect();
        Some(Decision { values: values.iter().map(|v| v.value).collect(), holds, clear, halves })
    }

    /// As written, with letters and variants filled in.
    pub fn filled(&self, scope: &Scope) -> String {
        let named = |operand: &Operand| format!("{}({})", operand.measure, operand.row);
        let mut text = self.terms[0].text(scope, &named);
        for (relation, term) in self.relations.iter().zip(&self.terms[1..]) {
            text += &format!(" {relation} {}", term.text(scope, &named));
        }
        text
    }

    /// The signs between its terms.
    pub fn relations(&self) -> impl Iterator<Item = String> {
        self.relations.iter().map(Relation::to_string)
    }
}

impl Relation {
    /// Whether it holds between neighbours, and whether that is more than chance: whether
    /// the interval of their difference excludes zero.
    fn decide(self, pair: &[Value]) -> (bool, Option<bool>) {
        let holds = self.holds(pair[0].value, pair[1].value);
        let half = half_of_difference(pair);
        // without any spread even equal values are certain
        let clear = half.map(|h| h == 0.0 || (pair[0].value - pair[1].value).abs() > h);
        (holds, clear)
    }

    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Greater => a > b,
            Self::AtLeast => a >= b,
        }
    }
}

/// Half of the interval of the difference of two values.
fn half_of_difference(pair: &[Value]) -> Option<f64> {
    let halves = pair[0].ci95.zip(pair[1].ci95);
    halves.map(|(a, b)| a.hypot(b)).filter(|half| !half.is_nan())
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

impl Expr {
    /// Whether it or something in it is such.
    fn any(&self, such: &mut dyn FnMut(&Self) -> bool) -> bool {
        let inner = match self {
            Self::Number(_) | Self::Measure { .. } => false,
            Self::Negative(a) => a.any(such),
            Self::Binary(_, a, b) => a.any(such) | b.any(such),
            Self::Call(_, args) => args.iter().fold(false, |any, arg| any | arg.any(such)),
        };
        inner | such(self)
    }

    fn operand(&self, scope: &Scope) -> Option<Operand> {
        let Self::Measure { name, case, variant } = self else { return None };
        let case = scope.letters.get(case.as_str()).unwrap_or(case);
        let row = match variant.as_ref().or(scope.variant.as_ref()) {
            Some(variant) => format!("{case}@{variant}"),
            None => case.clone(),
        };
        Some(Operand { measure: name.clone(), row })
    }

    fn value(&self, scope: &Scope, value: &dyn Fn(&Operand) -> Option<Value>) -> Option<Value> {
        match self {
            Self::Number(number) => Some(Value { value: *number, ci95: Some(0.0) }),
            Self::Measure { .. } => value(&self.operand(scope)?),
            Self::Negative(a) => {
                a.value(scope, value).map(|a| Value { value: -a.value, ci95: a.ci95 })
            }
            Self::Binary(binary, a, b) => {
                let (a, b) = (a.value(scope, value)?, b.value(scope, value)?);
                Some(binary.of(a, b))
            }
            Self::Call(function, args) => {
                let args: Option<Vec<Value>> =
                    args.iter().map(|arg| arg.value(scope, value)).collect();
                function.of(&args?)
            }
        }
    }

    /// As it is written; `leaf` writes a measure of a row.
    fn text(&self, scope: &Scope, leaf: &dyn Fn(&Operand) -> String) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Measure { .. } => self.operand(scope).map_or(String::new(), |own| leaf(&own)),
            Self::Negative(a) => format!("-{}", a.text(scope, leaf)),
            Self::Binary(binary, a, b) => {
                let tight = matches!(binary, Binary::Times | Binary::Over);
                let side = |side: &Self| match side {
                    Self::Binary(Binary::Plus | Binary::Minus, ..) if tight => {
                        format!("({})", side.text(scope, leaf))
                    }
                    _ => side.text(scope, leaf),
                };
                format!("{} {binary} {}", side(a), side(b))
            }
            Self::Call(function, args) => {
                let args: Vec<String> = args.iter().map(|arg| arg.text(scope, leaf)).collect();
                format!("{function}({})", args.join(", "))
            }
        }
    }
}

impl Binary {
    fn of(self, a: Value, b: Value) -> Value {
        let value = match self {
            Self::Plus => a.value + b.value,
            Self::Minus => a.value - b.value,
            Self::Times => a.value * b.value,
            Self::Over => a.value / b.value,
        };
        let halves = a.ci95.zip(b.ci95);
        let ci95 = halves.map(|(ha, hb)| match self {
            Self::Plus | Self::Minus => ha.hypot(hb),
            Self::Times => (ha * b.value).hypot(hb * a.value),
            Self::Over => (ha / b.value).hypot(hb * value / b.value),
        });
        Value { value, ci95 }
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
        })
    }
}

impl Function {
    fn of(self, args: &[Value]) -> Option<Value> {
        let order = |a: &&Value, b: &&Value| a.value.total_cmp(&b.value);
        match self {
            Self::Abs => args.first().map(|a| Value { value: a.value.abs(), ci95: a.ci95 }),
            Self::Min => args.iter().min_by(order).copied(),
            Self::Max => args.iter().max_by(order).copied(),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, a number or a case such as `7b`.
    Word(String),
    Sign(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    // longer operators first
    const SIGNS: [&str; 12] = ["<=", ">=", "<", ">", "+", "-", "*", "/", "(", ")", "@", ","];
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push(Token::Sign(sign));
            sign.len()
        } else {
            let wordlike = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let end = rest.find(|c| !wordlike(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("`{first}` means nothing in `{text}`"));
            }
            found.push(Token::Word(rest[..end].to_owned()));
            end
        };
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    text: &'a str,
}

impl Parser<'_> {
    fn expected(&self, what: &str) -> String {
        let before = match self.tokens.get(self.at) {
            Some(Token::Word(word)) => format!(" before `{word}`"),
            Some(Token::Sign(sign)) => format!(" before `{sign}`"),
            None => " at the end".to_owned(),
        };
        // `1.3 fairness(4)`
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let product = match (last, self.tokens.get(self.at)) {
            (Some(Token::Word(number)), Some(Token::Word(word)))
                if number.parse::<f64>().is_ok() =>
            {
                format!("; to multiply, write {number} * {word}")
            }
            _ => String::new(),
        };
        format!("expected {what}{before} in `{}`{product}", self.text)
    }

    fn sign(&mut self, wanted: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(sign)) if *sign == wanted);
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, wanted: &str) -> Result<(), String> {
        if self.sign(wanted) { Ok(()) } else { Err(self.expected(&format!("`{wanted}`"))) }
    }

    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.tokens.get(self.at) else { return None };
        self.at += 1;
        Some(word.clone())
    }

    fn relation(&mut self) -> Option<Relation> {
        let all = [
            ("<", Relation::Less),
            ("<=", Relation::AtMost),
            (">", Relation::Greater),
            (">=", Relation::AtLeast),
        ];
        all.into_iter().find_map(|(sign, relation)| self.sign(sign).then_some(relation))
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let mut left = self.product()?;
        loop {
            let binary = match () {
                () if self.sign("+") => Binary::Plus,
                () if self.sign("-") => Binary::Minus,
                () => return Ok(left),
            };
            left = Expr::Binary(binary, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.factor()?;
        loop {
            let binary = match () {
                () if self.sign("*") => Binary::Times,
                () if self.sign("/") => Binary::Over,
                () => return Ok(left),
            };
            left = Expr::Binary(binary, Box::new(left), Box::new(self.factor()?));
        }
    }

    fn factor(&mut self) -> Result<Expr, String> {
        if self.sign("-") {
            return Ok(Expr::Negative(Box::new(self.factor()?)));
        }
        if self.sign("(") {
            let inner = self.sum()?;
            self.need(")")?;
            return Ok(inner);
        }
        let Some(word) = self.word() else {
            return Err(self.expected("a number or a measure"));
        };
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let number = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
            return Ok(Expr::Number(number));
        }
        self.need("(")?;
        let function = match word.as_str() {
            "abs" => Some(Function::Abs),
            "min" => Some(Function::Min),
            "max" => Some(Function::Max),
            _ => None,
        };
        if let Some(function) = function {
            let mut args = vec![self.sum()?];
            while self.sign(",") {
                args.push(self.sum()?);
            }
            self.need(")")?;
            if function == Function::Abs && args.len() > 1 {
                return Err(format!("abs takes one value in `{}`", self.text));
            }
            return Ok(Expr::Call(function, args));
        }
        let Some(case) = self.word() else { return Err(self.expected("a case")) };
        let variant = if self.sign("@") {
            Some(self.word().ok_or_else(|| self.expected("a variant"))?)
        } else {
            None
        };
        self.need(")")?;
        Ok(Expr::Measure { name: word, case, variant })
    }
}

mod worked;

pub use worked::number;

#[cfg(test)]
mod tests;
