//! Which values of a scenario each change sets. A row of a sweep is labelled with the values of
//! its axes, so nothing else may set these.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, Item, Value as Toml};

use super::super::error::{Error, Mistake, quote};
use super::super::overrides::{apply, each};
use super::super::source::is_prefix;
use super::{Change, Grid, Template, Value};

/// What sets values.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Set,
    Axis,
    Option,
}

/// A change, with the paths of the values that it sets.
struct Touched<'a> {
    by: By,
    /// As the user gave it: `--over dumbbell.queue`.
    name: String,
    change: Option<&'a Change>,
    /// What it replaces as a whole, with an index for every array.
    paths: Vec<String>,
    /// The values that it sets, within these.
    values: BTreeSet<String>,
}

impl Touched<'_> {
    /// A value that both set; `self` is applied first.
    fn common(&self, later: &Self) -> Option<String> {
        if self.by != By::Axis && later.by == self.by {
            return None;
        }
        let (replaced, whole) = (&later.paths, &self.values);
        let lost = whole.iter().find(|value| replaced.iter().any(|path| is_prefix(path, value)));
        // an axis of whole lists says what is in them; a `--set` of a list only makes its elements
        let within = |value: &&String| match self.by {
            By::Axis => whole.iter().any(|own| is_prefix(own, value)),
            By::Set | By::Option => whole.contains(*value),
        };
        lost.or_else(|| later.values.iter().find(within)).cloned()
    }
}

impl Template {
    /// Makes sure that nothing else sets a value that an axis sets. `sets` are applied before the
    /// axes, `changes` are those of the first point, `options` are (`--seed`, `seed`).
    ///
    /// # Errors
    /// If two of them set one value.
    pub fn check(
        &self,
        sets: &[Change],
        (grid, changes): (&Grid, &[Change]),
        options: &[(String, &str)],
    ) -> Result<(), Error> {
        // what is invalid is reported where it is read
        let Some(mut document) = self.document() else { return Ok(()) };
        let mut all: Vec<Touched<'_>> = Vec::new();
        for change in sets {
            match touched(&mut document, change, &[]) {
                Some((paths, values)) => {
                    let name = match change.from.as_str() {
                        "--set" => format!("--set {}", change.text),
                        other => other.to_owned(),
                    };
                    all.push(Touched { by: By::Set, name, change: Some(change), paths, values });
                }
                None => return Ok(()),
            }
        }
        for (change, axis) in changes.iter().zip(grid.axes()) {
            let Some((paths, values)) = touched(&mut document, change, &axis.values) else {
                return Ok(());
            };
            let name = match change.from.as_str() {
                "--over" => format!("--over {}", axis.key),
                option if option.starts_with("--") => option.to_owned(),
                file => format!("{} in {file}", axis.key),
            };
            all.push(Touched { by: By::Axis, name, change: Some(change), paths, values });
        }
        for (name, key) in options {
            let paths = vec![(*key).to_owned()];
            let values = paths.iter().cloned().collect();
            all.push(Touched { by: By::Option, name: name.clone(), change: None, paths, values });
        }
        for (at, later) in all.iter().enumerate() {
            let common = |earlier: &Touched<'_>| earlier.common(later);
            if let Some((earlier, path)) =
                all[..at].iter().find_map(|earlier| Some((earlier, common(earlier)?)))
            {
                return Err(refused(earlier, later, &path));
            }
        }
        Ok(())
    }
}

fn refused(earlier: &Touched<'_>, later: &Touched<'_>, path: &str) -> Error {
    let (first, second) = (quote(&earlier.name), quote(&later.name));
    let message = format!("`{first}` and `{second}` both set `{}`", quote(path));
    let queue = later.paths.iter().any(|path| path.ends_with("queue")) && path.contains("queue.");
    let help = match queue && later.by == By::Axis {
        true => "give only one of them; a queue's `.limit` changes its size and keeps the rest",
        false => "give only one of them",
    };
    let mistake = Mistake::new(message, help);
    match later.change.or(earlier.change) {
        Some(change) => {
            let key = change.text.find('=').unwrap_or(change.text.len());
            Error::new(mistake, &change.from, &change.text.as_str().into(), Some(0..key))
        }
        None => Error::bare(mistake),
    }
}

/// The part after the key.
fn after(set: &str) -> &str {
    set.split_once('=').map_or("", |(_, value)| value)
}

/// Applies a change, and gives the paths that it replaces, and the values that it or the other
/// values of its axis, if it has one, set; `None` if it is invalid.
fn touched(
    document: &mut DocumentMut,
    change: &Change,
    axis: &[Value],
) -> Option<(Vec<String>, BTreeSet<String>)> {
    let (mut paths, mut values) = (Vec::new(), BTreeSet::new());
    for (at, own) in change.sets.iter().enumerate() {
        for set in each(document, own) {
            let path = apply(document, &set).ok()?.path;
            // what else is set is of one form for all values
            let others = axis.iter().filter(|_| at == 0).map(|value| value.text.as_str());
            for text in others.chain([after(own)]) {
                let text = text.trim();
                let value = text.parse::<Toml>().unwrap_or_else(|_| Toml::from(text));
                leaves(&path, &Item::Value(value), &mut values);
            }
            paths.push(path);
        }
    }
    Some((paths, values))
}

/// The values at a path, with short forms as what they stand for.
fn leaves(path: &str, item: &Item, values: &mut BTreeSet<String>) {
    let last = path.rsplit('.').next().unwrap_or_default();
    match (item.as_table_like(), last) {
        (Some(table), _) if !table.is_empty() => {
            table.iter().for_each(|(key, item)| leaves(&format!("{path}.{key}"), item, values));
        }
        (None, "cc" | "slow_start") if item.is_str() => drop(values.insert(format!("{path}.name"))),
        (None, "queue") if item.is_str() => drop(values.insert(format!("{path}.limit"))),
        _ => drop(values.insert(path.to_owned())),
    }
}
