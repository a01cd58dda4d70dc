//! An expression of numbers and measures, with its value and interval.

use std::fmt;

use super::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr<M> {
    /// With the text that it was written with: `150ms`.
    Number(f64, String),
    Measure(M),
    Negative(Box<Self>),
    Binary(Binary, Box<Self>, Box<Self>),
    Call(Function, Vec<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Binary {
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    Abs,
    Min,
    Max,
}

impl<M> Expr<M> {
    pub fn measures<'a>(&'a self, found: &mut Vec<&'a M>) {
        match self {
            Self::Number(..) => {}
            Self::Measure(measure) => found.push(measure),
            Self::Negative(a) => a.measures(found),
            Self::Binary(_, a, b) => {
                a.measures(found);
                b.measures(found);
            }
            Self::Call(_, args) => args.iter().for_each(|arg| arg.measures(found)),
        }
    }

    pub fn try_map<N, E>(&self, other: &mut dyn FnMut(&M) -> Result<N, E>) -> Result<Expr<N>, E> {
        Ok(match self {
            Self::Number(value, text) => Expr::Number(*value, text.clone()),
            Self::Measure(measure) => Expr::Measure(other(measure)?),
            Self::Negative(a) => Expr::Negative(Box::new(a.try_map(other)?)),
            Self::Binary(binary, a, b) => {
                Expr::Binary(*binary, Box::new(a.try_map(other)?), Box::new(b.try_map(other)?))
            }
            Self::Call(function, args) => {
                let args = args.iter().map(|arg| arg.try_map(other));
                Expr::Call(*function, args.collect::<Result<_, E>>()?)
            }
        })
    }

    pub fn value(&self, value: &dyn Fn(&M) -> Option<Value>) -> Option<Value> {
        match self {
            Self::Number(number, _) => Some(Value::exact(*number)),
            Self::Measure(measure) => value(measure),
            Self::Negative(a) => a.value(value).map(|a| Value { value: -a.value, ci95: a.ci95 }),
            Self::Binary(binary, a, b) => Some(binary.of(a.value(value)?, b.value(value)?)),
            Self::Call(function, args) => {
                let args = args.iter().map(|arg| arg.value(value));
                function.of(&args.collect::<Option<Vec<Value>>>()?)
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

    fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
        }
    }
}

impl Function {
    pub fn named(name: &str) -> Option<Self> {
        [Self::Abs, Self::Min, Self::Max].into_iter().find(|own| own.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    fn of(self, args: &[Value]) -> Option<Value> {
        let order = |a: &&Value, b: &&Value| a.value.total_cmp(&b.value);
        match self {
            Self::Abs => args.first().map(|a| Value { value: a.value.abs(), ci95: a.ci95 }),
            Self::Min => args.iter().min_by(order).copied(),
            Self::Max => args.iter().max_by(order).copied(),
        }
    }
}

impl<M: fmt::Display> fmt::Display for Expr<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(_, text) => f.write_str(text),
            Self::Measure(measure) => measure.fmt(f),
            Self::Negative(a) => write!(f, "-{a}"),
            Self::Binary(binary, a, b) => {
                let tight = matches!(binary, Binary::Times | Binary::Over);
                let side = |side: &Self| match side {
                    Self::Binary(Binary::Plus | Binary::Minus, ..) if tight => format!("({side})"),
                    _ => side.to_string(),
                };
                write!(f, "{} {} {}", side(a), binary.sign(), side(b))
            }
            Self::Call(function, args) => {
                let args: Vec<String> = args.iter().map(Self::to_string).collect();
                write!(f, "{}({})", function.name(), args.join(", "))
            }
        }
    }
}
