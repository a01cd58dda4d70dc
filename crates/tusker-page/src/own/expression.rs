//! Expressions in the window and the round trip.

use crate::fault::Fault;

/// The longest text, in bytes: what is within limits needs no other.
const MAX_LENGTH: usize = 1_000;

/// The deepest nesting.
const MAX_DEPTH: usize = 50;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Window,
    RoundTrip,
    Negative(Box<Node>),
    Binary(char, Box<[Node; 2]>),
    Call(&'static str, Vec<Node>),
}

/// Functions, with the number of their arguments.
const FUNCTIONS: [(&str, usize); 7] =
    [("sqrt", 1), ("cbrt", 1), ("ln", 1), ("exp", 1), ("abs", 1), ("min", 2), ("max", 2)];

impl Expression {
    /// Reads a text.
    ///
    /// # Errors
    /// If it is no expression.
    pub fn read(text: &str) -> Result<Self, Fault> {
        if text.len() > MAX_LENGTH {
            let message = format!("an expression of {} bytes", text.len());
            return Err(Fault::new(message, format!("at most {MAX_LENGTH}"), "shorten it"));
        }
        let mut reader = Reader { text, at: 0, depth: 0 };
        let node = reader.sum()?;
        match reader.peek() {
            None => Ok(Self(node)),
            Some(_) => Err(reader.fault("an operator: + - * / ^")),
        }
    }

    /// Its value at a window (packets) and a round trip (seconds).
    pub fn value(&self, w: f64, r: f64) -> f64 {
        self.0.value(w, r)
    }
}

impl Node {
    fn value(&self, w: f64, r: f64) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Window => w,
            Self::RoundTrip => r,
            Self::Negative(node) => -node.value(w, r),
            Self::Binary(sign, of) => {
                let [a, b] = [of[0].value(w, r), of[1].value(w, r)];
                match sign {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => libm::pow(a, b),
                }
            }
            Self::Call(name, of) => {
                let argument = |i: usize| of.get(i).map_or(f64::NAN, |node| node.value(w, r));
                match *name {
                    "sqrt" => libm::sqrt(argument(0)),
                    "cbrt" => libm::cbrt(argument(0)),
                    "ln" => libm::log(argument(0)),
                    "exp" => libm::exp(argument(0)),
                    "abs" => argument(0).abs(),
                    "min" => argument(0).min(argument(1)),
                    _ => argument(0).max(argument(1)),
                }
            }
        }
    }
}

/// Reads from left to right; `^` binds most tightly, and to the right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn takes(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        self.at += if found { sign.len_utf8() } else { 0 };
        found
    }

    fn fault(&mut self, expected: &str) -> Fault {
        let found = match self.peek() {
            Some(found) => format!("`{found}` at position {} of `{}`", self.at + 1, self.text),
            None => format!("`{}` ends too early", self.text),
        };
        Fault::new(found, expected, "the window is w (packets), the round trip is r (seconds)")
    }

    fn sum(&mut self) -> Result<Node, Fault> {
        self.chain(&['+', '-'], Self::product)
    }

    fn product(&mut self) -> Result<Node, Fault> {
        self.chain(&['*', '/'], Self::signed)
    }

    fn chain(
        &mut self,
        signs: &[char],
        operand: fn(&mut Self) -> Result<Node, Fault>,
    ) -> Result<Node, Fault> {
        let mut left = operand(self)?;
        let mut depth = 0;
        while let Some(sign) = signs.iter().copied().find(|sign| self.takes(*sign)) {
            // a long chain nests as deeply as it is long
            depth += 1;
            if depth > MAX_LENGTH / 4 {
                return Err(self.fault("fewer terms"));
            }
            left = Node::Binary(sign, Box::new([left, operand(self)?]));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault("fewer parentheses"));
        }
        let node = match self.takes('-') {
            true => Node::Negative(Box::new(self.signed()?)),
            false => self.power()?,
        };
        self.depth -= 1;
        Ok(node)
    }

    fn power(&mut self) -> Result<Node, Fault> {
        let base = self.atom()?;
        match self.takes('^') {
            true => Ok(Node::Binary('^', Box::new([base, self.signed()?]))),
            false => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<Node, Fault> {
        if self.takes('(') {
            return self.closed();
        }
        self.peek();
        let rest = &self.text[self.at..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        if letters > 0 {
            let word = &rest[..letters];
            if word == "w" || word == "r" {
                self.at += 1;
                return Ok(if word == "w" { Node::Window } else { Node::RoundTrip });
            }
            let Some((name, count)) = FUNCTIONS.iter().find(|(name, _)| *name == word) else {
                let names = FUNCTIONS.map(|(name, _)| name).join(", ");
                return Err(self.fault(&format!("w, r, a number, or {names}")));
            };
            self.at += letters;
            if !self.takes('(') {
                return Err(self.fault("("));
            }
            let mut arguments = vec![self.sum()?];
            while arguments.len() < *count {
                if !self.takes(',') {
                    return Err(self.fault(", and another value"));
                }
                arguments.push(self.sum()?);
            }
            return match self.takes(')') {
                true => Ok(Node::Call(name, arguments)),
                false => Err(self.fault(")")),
            };
        }
        // 1, 0.5, .5, 1e-3
        let mut end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        if end > 0 && rest[end..].starts_with(['e', 'E']) {
            let exponent = &rest[end + 1..];
            let sign = usize::from(exponent.starts_with(['+', '-']));
            let digits = exponent[sign..].find(|c: char| !c.is_ascii_digit());
            let digits = digits.unwrap_or(exponent.len() - sign);
            end += if digits > 0 { 1 + sign + digits } else { 0 };
        }
        match rest[..end].parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.at += end;
                Ok(Node::Number(number))
            }
            _ => Err(self.fault("w, r, a number, a function or (")),
        }
    }

    fn closed(&mut self) -> Result<Node, Fault> {
        let inner = self.sum()?;
        match self.takes(')') {
            true => Ok(inner),
            false => Err(self.fault(")")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn value(text: &str) -> f64 {
        Expression::read(text).expect("an expression").value(100.0, 0.05)
    }

    /// At w = 100, r = 0.05, by hand.
    #[test]
    fn operators_bind_as_in_mathematics() {
        assert_eq!(value("1 + 2 * 3"), 7.0);
        assert_eq!(value("w / 2 - 1"), 49.0);
        assert_eq!(value("8 / 4 / 2"), 1.0);
        assert_eq!(value("-2^2"), -4.0);
        assert_eq!(value("2^3^2"), 512.0);
        assert_eq!(value("2^-1"), 0.5);
        assert_eq!(value("(1 + 2) * 3"), 9.0);
        assert_eq!(value("r * 20"), 1.0);
        assert_eq!(value("min(w, 3) + max(1, 2)"), 5.0);
        assert_eq!(value("sqrt(w) + cbrt(8) + abs(-1)"), 13.0);
        assert_eq!(value("ln(exp(2))"), 2.0);
        assert_eq!(value("1.5e-1 * 10 + .5"), 2.0);
    }

    #[test]
    fn what_is_no_expression_is_an_error_with_its_place() {
        for text in ["", "1 +", "w w", "foo(1)", "min(1)", "(1", "1)", "1..2", "é", "sqrt", "1e999"]
        {
            let fault = Expression::read(text).expect_err(text);
            assert!(!fault.message.is_empty() && !fault.expected.is_empty(), "{text}: {fault:?}");
        }
        let fault = Expression::read("w / x").expect_err("x is unknown");
        assert!(fault.message.contains("`x` at position 5"), "{fault:?}");
    }

    #[test]
    fn nesting_and_length_have_limits() {
        for text in ["(".repeat(900), "-".repeat(900), "2^".repeat(400), "1+".repeat(499) + "1"] {
            assert!(Expression::read(&text).is_err());
        }
        assert!(Expression::read(&"w+".repeat(600)).is_err());
        assert_eq!(value(&("1+".repeat(200) + "1")), 201.0);
    }
}
