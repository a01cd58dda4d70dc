//! A comparison with its numbers: `339.5` and `1.25 * 70.06 = 87.58`.

use super::{Comparison, Expr, Operand, Scope, Value};

impl Comparison {
    /// The values of its terms; nothing if some value is missing.
    pub fn values(&self, scope: &Scope, value: &dyn Fn(&Operand) -> Option<Value>) -> Vec<Value> {
        let all = self.terms.iter().map(|term| term.value(scope, value));
        all.collect::<Option<_>>().unwrap_or_default()
    }

    /// Each term with the numbers of its measures, and what they come to; nothing if some
    /// value is missing.
    pub fn worked(&self, scope: &Scope, value: &dyn Fn(&Operand) -> Option<Value>) -> Vec<String> {
        let shown = |own: Option<Value>| own.map_or(String::new(), |own| number(own.value));
        let term = |term: &Expr| {
            let all = number(term.value(scope, value)?.value);
            Some(match term {
                Expr::Number(_) | Expr::Measure { .. } => all,
                sum => format!("{} = {all}", sum.text(scope, &|operand| shown(value(operand)))),
            })
        };
        self.terms.iter().map(term).collect::<Option<_>>().unwrap_or_default()
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
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_or_all_before_the_point() {
        for (value, text) in [
            (78.933, "78.93"),
            (0.9251, "0.9251"),
            (1234.5, "1234"),
            (450.0, "450"),
            (0.0, "0"),
            (-0.5, "-0.5"),
            (100_000.0, "100000"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    /// 1.25 times 70.08 is 87.6; the distance of 97.66 and 97.87 is 0.21.
    #[test]
    fn what_is_computed_is_shown_with_its_parts() {
        let value = |operand: &Operand| {
            let value = match operand.row.as_str() {
                "4@50" if operand.measure == "s1" => 70.08,
                "7@50" if operand.measure == "s1" => 286.8,
                "4@50" => 97.87,
                _ => 97.66,
            };
            Some(Value { value, ci95: None })
        };
        for (test, terms) in [
            ("s1(7@50) > 1.25 * s1(4@50)", ["286.8", "1.25 * 70.08 = 87.6"]),
            ("abs(u(7@50) - u(4@50)) < 1", ["abs(97.66 - 97.87) = 0.21", "1"]),
            ("2 * (u(7@50) - 1) > -s1(4@50)", ["2 * (97.66 - 1) = 193.3", "-70.08 = -70.08"]),
        ] {
            let worked = Comparison::read(test).unwrap().worked(&Scope::default(), &value);
            assert_eq!(worked, terms);
        }
        let none = Comparison::read("s1(7@50) > 1").unwrap();
        assert!(none.worked(&Scope::default(), &|_| None).is_empty());
    }
}
