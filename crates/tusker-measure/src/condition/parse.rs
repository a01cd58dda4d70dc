//! Reads comparisons.

use std::fmt;

use super::expr::{Binary, Expr, Function};
use super::{Comparison, Relation};

/// A measure as it is written: `jain`, `fairness(7)` or `fairness(7@50)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The measure.
    pub measure: String,
    /// The case within parentheses.
    pub case: Option<String>,
    /// The variant of this case.
    pub variant: Option<String>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.measure)?;
        match (&self.case, &self.variant) {
            (None, _) => Ok(()),
            (Some(case), None) => write!(f, "({case})"),
            (Some(case), Some(variant)) => write!(f, "({case}@{variant})"),
        }
    }
}

impl Comparison<Written> {
    /// Parses a comparison; `number` reads numbers, such as `0.5` or `150ms`.
    ///
    /// # Errors
    /// A message in words, if it is not a comparison.
    pub fn read(text: &str, number: &dyn Fn(&str) -> Option<f64>) -> Result<Self, String> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, text, number };
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
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, a number or a case such as `7b`.
    Word(String),
    Sign(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    // longer operators first
    const SIGNS: [&str; 13] = ["<=", ">=", "<", ">", "+", "-", "*", "/", "(", ")", "@", ",", "%"];
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push(Token::Sign(sign));
            sign.len()
        } else {
            let end = word(rest);
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

/// Where the word ends with which a text begins. A name may contain `->`, and a `+` or `-`
/// before a letter or digit; a number may have an exponent with its sign.
fn word(text: &str) -> usize {
    let is_number = starts_number(text);
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        let rest = &text[end + c.len_utf8()..];
        let next = rest.chars().next();
        let inner = match c {
            '-' if !is_number && next == Some('>') => Some(2),
            '+' | '-' if !is_number => next.is_some_and(char::is_alphanumeric).then_some(1),
            '+' | '-' => {
                let digits = text[..end].strip_suffix(['e', 'E']);
                let digits = digits.is_some_and(|own| own.parse::<f64>().is_ok());
                (digits && next.is_some_and(|c| c.is_ascii_digit())).then_some(1)
            }
            c if c.is_alphanumeric() || c == '_' || c == '.' => Some(c.len_utf8()),
            _ => None,
        };
        match inner {
            Some(length) => end += length,
            None => break,
        }
    }
    end
}

fn starts_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    text: &'a str,
    number: &'a dyn Fn(&str) -> Option<f64>,
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
        use Relation::{AtLeast, AtMost, Greater, Less};
        let mut all = [("<", Less), ("<=", AtMost), (">", Greater), (">=", AtLeast)].into_iter();
        all.find_map(|(sign, relation)| self.sign(sign).then_some(relation))
    }

    fn sum(&mut self) -> Result<Expr<Written>, String> {
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

    fn product(&mut self) -> Result<Expr<Written>, String> {
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

    fn factor(&mut self) -> Result<Expr<Written>, String> {
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
        if starts_number(&word) {
            let value = (self.number)(&word);
            let value = value.ok_or_else(|| format!("`{word}` is not a number"))?;
            return Ok(match self.sign("%") {
                true => Expr::Number(value / 100.0, format!("{word} %")),
                false => Expr::Number(value, word),
            });
        }
        if !self.sign("(") {
            return Ok(Expr::Measure(Written { measure: word, case: None, variant: None }));
        }
        if let Some(function) = Function::named(&word) {
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
        Ok(Expr::Measure(Written { measure: word, case: Some(case), variant }))
    }
}
