//! `SWEEP.toml`: what is varied, as a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{Document, Item, TableLike, Value as Toml};

use super::super::error::{Error, Mistake, Span, nearest, quote};
use super::super::parse;
use super::{Axis, Grid, Part, Value, hypercube, values};

/// The contents of a `SWEEP.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepFile {
    /// The scenario, relative to the folder of the file.
    pub scenario: PathBuf,
    /// What is varied.
    pub grid: Grid,
    /// Changes to the scenario at every point.
    pub set: Vec<String>,
    /// Runs per point.
    pub replicates: Option<u32>,
    /// Target half-width of the intervals: `2%`.
    pub until: Option<String>,
    /// Measures of the table, with commas between them; that target applies to the first.
    pub measure: Option<String>,
}

const KEYS: &[&str] =
    &["scenario", "set", "replicates", "until", "measure", "over", "together", "hypercube"];

impl SweepFile {
    /// Reads a file; `None` if it has no key `scenario`: it is not a sweep, but
    /// perhaps a scenario.
    ///
    /// # Errors
    /// If it cannot be read, or something in it is wrong.
    pub fn load(path: &Path) -> Result<Option<Self>, Error> {
        let text = parse::read(path)?;
        // for invalid TOML, reading it as a scenario gives the error
        let Ok(document) = Document::parse(text.clone()) else { return Ok(None) };
        if !document.contains_key("scenario") {
            return Ok(None);
        }
        Reader { name: path.display().to_string(), text: text.into() }.read(&document).map(Some)
    }
}

struct Reader {
    name: String,
    text: Arc<str>,
}

impl Reader {
    fn fail(&self, message: impl Into<String>, help: impl Into<String>, at: Option<Span>) -> Error {
        self.wrong(Mistake::new(message, help), at)
    }

    fn wrong(&self, mistake: Mistake, at: Option<Span>) -> Error {
        Error::new(mistake, &self.name, &self.text, at)
    }

    fn read(&self, document: &Document<String>) -> Result<SweepFile, Error> {
        let table = document.as_table();
        self.known(table, KEYS)?;
        let text = |key: &str| -> Result<Option<String>, Error> {
            let Some(item) = table.get(key) else { return Ok(None) };
            let text = item.as_str().map(str::to_owned);
            let wrong =
                || self.fail(format!("`{key}` is not a string"), "write it in quotes", item.span());
            text.ok_or_else(wrong).map(Some)
        };
        let scenario = text("scenario")?.unwrap_or_default();
        let folder = Path::new(&self.name).parent().unwrap_or(Path::new(""));
        let mut parts = Vec::new();
        if let Some(item) = table.get("over") {
            let axes = self.axes(self.table(item, "over")?)?;
            parts.extend(axes.into_iter().map(|axis| Part { axes: vec![axis] }));
        }
        if let Some(item) = table.get("together") {
            parts.extend(self.together(item)?);
        }
        if let Some(item) = table.get("hypercube") {
            parts.push(self.hypercube(self.table(item, "hypercube")?)?);
        }
        let whole = |item: &Item, key: &str| {
            let n = item.as_integer().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
            n.ok_or_else(|| {
                self.fail(format!("`{key}` is not a count"), "a number from 1", item.span())
            })
        };
        Ok(SweepFile {
            scenario: folder.join(scenario),
            grid: Grid::new(parts)?,
            set: table.get("set").map_or(Ok(Vec::new()), |item| self.sets(item))?,
            replicates: table
                .get("replicates")
                .map(|item| whole(item, "replicates"))
                .transpose()?,
            until: text("until")?,
            measure: text("measure")?,
        })
    }

    fn sets(&self, item: &Item) -> Result<Vec<String>, Error> {
        let wrong = || {
            let help = "write a list such as [\"duration=20s\"]";
            self.fail("`set` is not a list of strings", help, item.span())
        };
        let list = item.as_array().ok_or_else(wrong)?;
        list.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
    }

    fn known(&self, table: &dyn TableLike, keys: &[&str]) -> Result<(), Error> {
        let stray = table.iter().find(|(key, _)| !keys.contains(key));
        stray.map_or(Ok(()), |(key, item)| {
            let span = table.key(key).and_then(toml_edit::Key::span).or(item.span());
            Err(self.fail(format!("unknown key `{}`", quote(key)), nearest(key, keys), span))
        })
    }

    fn table<'a>(&self, item: &'a Item, key: &str) -> Result<&'a dyn TableLike, Error> {
        let help = format!("write [{key}], followed by lines such as cc = [\"reno\", \"hstcp\"]");
        item.as_table_like()
            .ok_or_else(|| self.fail(format!("`{key}` is not a table"), help, item.span()))
    }

    /// The axes of a table, in its order.
    fn axes(&self, table: &dyn TableLike) -> Result<Vec<Axis>, Error> {
        let axis = |(key, item): (&str, &Item)| {
            let values = self.values(key, item)?;
            Ok(Axis { key: key.to_owned(), option: None, values })
        };
        table.iter().map(axis).collect()
    }

    /// A list of values, or a range as a string.
    fn values(&self, key: &str, item: &Item) -> Result<Vec<Value>, Error> {
        let within = |(mistake, _): values::Wrong| self.wrong(mistake, item.span());
        if let Some(text) = item.as_str() {
            return values::list(key, text).map_err(within);
        }
        let Some(list) = item.as_array().filter(|list| !list.is_empty()) else {
            let help = "write a list, or a range such as \"10ms..200ms:5:log\"";
            let message = format!("`{}` has no values", quote(key));
            return Err(self.fail(message, help, item.span()));
        };
        let mut found: Vec<Value> = Vec::new();
        for element in list {
            let more = match element {
                Toml::String(text) if values::range(text.value()).is_some() => {
                    values::list(key, text.value()).map_err(within)?
                }
                Toml::String(text) => vec![values::value(key, text.value())],
                other => {
                    let text = other.clone().decorated("", "").to_string();
                    vec![Value::plain(text)]
                }
            };
            for value in more {
                if found.contains(&value) {
                    let message = format!("`{}` is given twice", quote(&value.label));
                    return Err(self.fail(message, "give each value once", element.span()));
                }
                found.push(value);
            }
        }
        Ok(found)
    }

    fn together(&self, item: &Item) -> Result<Vec<Part>, Error> {
        let Some(tables) = item.as_array_of_tables() else {
            let help = "write [[together]], followed by the axes that are varied together";
            return Err(self.fail("`together` is not a list of tables", help, item.span()));
        };
        let part = |table: &toml_edit::Table| {
            let axes = self.axes(table)?;
            let lengths: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
            if lengths.is_empty() || lengths.iter().any(|n| *n != lengths[0]) {
                let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
                let message =
                    format!("axes with {} values cannot be varied together", lengths.join(", "));
                return Err(self.fail(message, "give all the same number of values", table.span()));
            }
            Ok(Part { axes })
        };
        tables.iter().map(part).collect()
    }

    fn hypercube(&self, table: &dyn TableLike) -> Result<Part, Error> {
        self.known(table, &["points", "seed", "over"])?;
        let number = |key: &str| table.get(key).and_then(Item::as_integer);
        let at = |key: &str| table.get(key).and_then(Item::span);
        let points = number("points").and_then(|n| usize::try_from(n).ok());
        let Some(points) = points.filter(|n| (2..=super::MAX_POINTS).contains(n)) else {
            let help = "write points = 50; from 2 to 1000000";
            return Err(self.fail("a hypercube without `points`", help, at("points")));
        };
        let Ok(seed) = u64::try_from(number("seed").unwrap_or(1)) else {
            return Err(self.fail("a seed below 0", "write seed = 1", at("seed")));
        };
        let help = "write [hypercube.over], followed by lines such as \
        \"dumbbell.delay\" = \"10ms..200ms:log\"";
        let Some(over) = table.get("over").and_then(Item::as_table_like).filter(|t| !t.is_empty())
        else {
            return Err(self.fail("a hypercube over nothing", help, at("over")));
        };
        let mut ranges = Vec::new();
        for (key, item) in over.iter() {
            let text = match item.as_array() {
                Some(list) => {
                    let text = |v: &Toml| {
                        v.as_str().map_or_else(|| v.to_string().trim().to_owned(), str::to_owned)
                    };
                    list.iter().map(text).collect::<Vec<_>>().join(",")
                }
                None => item.as_str().map(str::to_owned).ok_or_else(|| {
                    let message = format!("`{}` has no range", quote(key));
                    self.fail(message, help, item.span())
                })?,
            };
            ranges.push((key.to_owned(), text));
        }
        let spans: Vec<Option<Span>> = over.iter().map(|(_, item)| item.span()).collect();
        hypercube::part(&ranges, points, seed)
            .map_err(|(i, mistake, _)| self.wrong(mistake, spans[i].clone()))
    }
}
