//! What a sweep varies: axes, and the points that they span.
//!
//! ```text
//!  --over KEY=LIST, or a SWEEP.toml --> Grid --sets(n)--> changes to a scenario
//! ```
//!
//! A [`Grid`] has parts, and every step of one part is combined with every step of the others.
//! A part is one axis, or several that are varied together: lists of equal length, or the
//! columns of a Latin hypercube.

mod cells;
mod file;
mod hypercube;
mod template;
mod touched;
mod values;

pub use cells::{Cell, cells};
pub use file::SweepFile;
pub use template::Template;

use std::sync::Arc;

use super::error::{Error, Mistake, Span, distance, quote};

/// The most points that a sweep may have.
pub const MAX_POINTS: usize = 1_000_000;

/// One thing that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What `--set` takes, or `cc` for every flow's.
    pub key: String,
    /// The option that gives it, without dashes; none if it is given by its key.
    pub option: Option<String>,
    /// Its values, at least one, each once.
    pub values: Vec<Value>,
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// As it was written: `ghstcp:z=2`.
    pub label: String,
    /// As `--set` takes it: `{ name = "ghstcp", z = 2 }`.
    pub text: String,
    /// What else it sets, as `--set` takes it: `dumbbell.access.rate=1Gbit`.
    pub also: Vec<String>,
}

/// Axes that are varied together: all have the same number of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The axes, at least one.
    pub axes: Vec<Axis>,
}

/// The change that a point makes to a scenario by one of its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where the axis was given: `--over`, another option, or the name of a file.
    pub from: String,
    /// As written, with this one value: `cc=ghstcp:z=2`, or `20ms` of an option.
    pub text: String,
    /// As `--set` takes them.
    pub sets: Vec<String>,
}

/// The points of a sweep: every combination of the steps of its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The first part varies slowest.
    pub parts: Vec<Part>,
}

impl Axis {
    /// Reads `KEY=LIST`, as `--over` has it.
    ///
    /// # Errors
    /// If it is invalid, shown in that text.
    pub fn read(over: &str) -> Result<Self, Error> {
        let text: Arc<str> = over.into();
        let fail = |mistake, span| Error::new(mistake, "--over", &text, Some(span));
        let Some((key, list)) = over.split_once('=') else {
            let mistake = Mistake::new(
                "an axis without `=`",
                "write `--over KEY=LIST`, as in `--over cc=cubic,hstcp` or \
                 `--over dumbbell.queue=0.1bdp..2bdp:12:log`",
            );
            return Err(fail(mistake, 0..over.len()));
        };
        let place = |(mistake, span): (Mistake, Span)| {
            let at = key.len() + 1;
            fail(mistake, span.start + at..span.end + at)
        };
        if key.trim().is_empty() {
            let mistake = Mistake::new("an axis without a key", "write `--over KEY=LIST`");
            return Err(fail(mistake, 0..over.len()));
        }
        let values = values::list(key.trim(), list).map_err(place)?;
        Ok(Self { key: key.trim().to_owned(), option: None, values })
    }

    /// What tables and figures call it: the option, or the key.
    pub fn name(&self) -> &str {
        self.option.as_ref().unwrap_or(&self.key)
    }

    /// The change for this value.
    fn change(&self, step: usize) -> Change {
        let key = match self.key.as_str() {
            CC => "flows.*.cc",
            key => key,
        };
        let Value { label, text, also } = &self.values[step];
        let (from, written) = match &self.option {
            Some(option) => (format!("--{option}"), label.clone()),
            None => ("--over".to_owned(), format!("{}={label}", self.key)),
        };
        let sets = [format!("{key}={text}")].into_iter().chain(also.iter().cloned()).collect();
        Change { from, text: written, sets }
    }
}

impl Value {
    /// One that is set as it was written.
    pub fn plain(label: String) -> Self {
        Self { text: label.clone(), label, also: Vec::new() }
    }
}

/// Short for the `cc` of every flow group.
pub const CC: &str = "cc";

/// The values of a list such as `0.1bdp,1bdp..2bdp:3`, for flags that take one;
/// `name` is the flag's name. Parameters stay with their name.
///
/// # Errors
/// What is wrong, and the remedy.
pub fn list(name: &str, text: &str) -> Result<Vec<String>, (String, String)> {
    let values = values::list(name, text);
    let values = values.map_err(|(mistake, _)| (mistake.message, mistake.help.unwrap_or_default()));
    Ok(values?.into_iter().map(|value| value.label).collect())
}

/// The most similar of these names.
pub fn nearest<'a>(name: &str, valid: &'a [String]) -> Option<&'a str> {
    valid.iter().min_by_key(|own| distance(name, own)).map(String::as_str)
}

impl Part {
    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.axes.first().map_or(0, |axis| axis.values.len())
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Grid {
    /// From axes of which each is varied independently.
    ///
    /// # Errors
    /// See [`Self::new`].
    pub fn of(axes: Vec<Axis>) -> Result<Self, Error> {
        Self::new(axes.into_iter().map(|axis| Part { axes: vec![axis] }).collect())
    }

    /// From these parts.
    ///
    /// # Errors
    /// If nothing is varied, a key is given twice, or there are more than
    /// [`MAX_POINTS`].
    pub fn new(parts: Vec<Part>) -> Result<Self, Error> {
        let bare = |message: String, help: &str| Err(Error::bare(Mistake::new(message, help)));
        let grid = Self { parts };
        let keys: Vec<&str> = grid.axes().map(|axis| axis.key.as_str()).collect();
        if keys.is_empty() {
            let help = "name what to vary, as in `--over cc=cubic,hstcp`; repeat it for more";
            return bare("nothing is varied".to_owned(), help);
        }
        if let Some((_, key)) = keys.iter().enumerate().find(|(i, key)| keys[..*i].contains(key)) {
            let help = "give all its values in one list";
            return bare(format!("`{}` is varied twice", quote(key)), help);
        }
        let product = grid.parts.iter().try_fold(1, |n: usize, part| n.checked_mul(part.len()));
        if product.is_none_or(|n| n > MAX_POINTS) {
            let lengths: Vec<String> = grid.parts.iter().map(|p| p.len().to_string()).collect();
            let message = format!("{} points are too many", lengths.join(" x "));
            return bare(
                message,
                "at most 1000000; a Latin hypercube needs fewer, see docs/sweep.md",
            );
        }
        Ok(grid)
    }

    /// All axes, in the order of their parts.
    pub fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.parts.iter().flat_map(|part| &part.axes)
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Part::len).product()
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Which value each axis has at a point, in the order of [`Self::axes`].
    pub fn steps(&self, point: usize) -> Vec<usize> {
        let (mut rest, mut steps) = (point, Vec::new());
        for part in self.parts.iter().rev() {
            let step = rest % part.len();
            rest /= part.len();
            steps.extend(std::iter::repeat_n(step, part.axes.len()));
        }
        steps.reverse();
        steps
    }

    /// The changes that a point makes to a scenario, by axis.
    pub fn changes(&self, point: usize) -> Vec<Change> {
        self.axes().zip(self.steps(point)).map(|(axis, step)| axis.change(step)).collect()
    }

    /// The same, as `--set` takes them.
    pub fn sets(&self, point: usize) -> Vec<String> {
        self.changes(point).into_iter().flat_map(|change| change.sets).collect()
    }
}

#[cfg(test)]
mod tests;
