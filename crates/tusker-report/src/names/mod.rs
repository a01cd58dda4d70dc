//! What has a name: algorithms, kinds of traffic, measures, words in the output. Each is an
//! [`Entry`], for `tusker list` and `tusker explain`, and for programs as JSON.

mod algorithms;
mod measures;
#[cfg(test)]
mod tests;
mod topics;
mod words;

use serde_json::{Value, json};
use tusker_scenario::distance;

use crate::page::{Block, Page, Section, Table};

/// What is known about a name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its kind in JSON: `cc`, `queue`, `measure`, ..
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// What it is the name of: `a congestion control: TCP Reno`.
    pub what: String,
    /// Its keys in JSON.
    values: Vec<(&'static str, Value)>,
    /// What people read.
    blocks: Vec<Block>,
}

impl Entry {
    /// A name of which nothing else is known yet.
    pub fn new(kind: &'static str, name: impl Into<String>, what: impl Into<String>) -> Self {
        let (name, what) = (name.into(), what.into());
        Self { kind, name, what, values: Vec::new(), blocks: Vec::new() }
    }

    /// Adds a key for programs.
    pub fn value(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((key, value.into()));
        self
    }

    /// Adds something for people.
    pub fn block(mut self, block: impl Into<Option<Block>>) -> Self {
        self.blocks.extend(block.into());
        self
    }

    /// Adds a paragraph, after its heading if it has one.
    pub fn text(self, heading: &str, text: &str) -> Self {
        match (text, heading) {
            ("", _) => self,
            (text, "") => self.block(Block::Text(text.to_owned())),
            (text, _) => self.block(Block::Facts(vec![(heading.to_owned(), text.to_owned())])),
        }
    }

    /// Adds lines that stay as they are, below their heading.
    pub fn lines(self, heading: &str, lines: &str) -> Self {
        if lines.is_empty() {
            return self;
        }
        let lines = Block::Commands(lines.lines().map(str::to_owned).collect());
        self.block(Block::More(heading.to_owned(), vec![lines]))
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let mut all = json!({ "kind": self.kind, "name": self.name });
        for (key, value) in &self.values {
            all[*key] = value.clone();
        }
        all
    }

    /// What a column of a list has of it.
    fn cell(&self, key: &str) -> String {
        let own = self.values.iter().find(|(own, _)| *own == key);
        let text = own.and_then(|(_, value)| value.as_str()).unwrap_or_default();
        if key == "name" { self.name.clone() } else { text.to_owned() }
    }
}

/// All that a scenario can name.
pub fn of_scenarios() -> Vec<Entry> {
    algorithms::all().chain(topics::all()).collect()
}

/// All measures.
pub fn of_measures() -> Vec<Entry> {
    measures::all().iter().map(measures::Measure::entry).collect()
}

/// What has this name, in small letters: what a scenario can name or an option; or else a
/// measure, or the head of its column; or else a word in the output.
pub fn named(name: &str) -> Vec<Entry> {
    let plain = name.split(':').next().unwrap_or(name);
    let of = |name: &str| -> Vec<Entry> {
        of_scenarios().into_iter().filter(|own| own.name == name).collect()
    };
    let own: [&dyn Fn() -> Vec<Entry>; 5] = [
        &|| of(name),
        // a law with parameters
        &|| of(plain),
        &|| words::topic(name).into_iter().collect(),
        &|| measures::named(name).iter().map(measures::Measure::entry).collect(),
        &|| words::word(name).into_iter().collect(),
    ];
    own.into_iter().map(|own| own()).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Each entry with all that is known about it.
pub fn explained(entries: &[Entry]) -> Page {
    let section = |own: &Entry| Section {
        title: format!("{}, {}", own.name, own.what),
        blocks: own.blocks.clone(),
    };
    Page { sections: entries.iter().map(section).collect(), ..Page::default() }
}

/// Below the list of measures.
const FULL_NAMES: &str = "Measures are about the measuring window unless they say otherwise. The \
    full name of a measure of the whole experiment is its name; of a group of flows it is \
    groups.NAME.MEASURE, of transfers or web pages transfers.NAME.MEASURE, of a link \
    links.NAME.MEASURE, and of a background source background.NAME.MEASURE.";

/// Kinds in the order of lists, with the heads of their columns and the keys of the cells.
const LISTS: [(&str, &[&str], &[&str]); 8] = [
    ("cc", &["congestion control", "", "source"], &["name", "title", "source"]),
    ("queue", &["queue policy", "", "source"], &["name", "title", "source"]),
    ("traffic", &["traffic", ""], &["name", "title"]),
    ("slow-start", &["slow start", "", "source"], &["name", "title", "source"]),
    ("recovery", &["recovery", ""], &["name", "title"]),
    ("profile", &["profile", ""], &["name", "title"]),
    ("paper", &["paper", "", ""], &["name", "title", "covers"]),
    ("measure", &["measure", "of", "unit", ""], &["name", "of", "unit", "title"]),
];

/// A table of each kind.
pub fn listed(entries: &[Entry]) -> Page {
    let mut page = Page::default();
    for (kind, heads, keys) in LISTS {
        let mut table = Table::new("", heads.iter().copied());
        table.words = true;
        for own in entries.iter().filter(|own| own.kind == kind) {
            table.row(None, keys.iter().map(|key| own.cell(key)));
        }
        if !table.rows.is_empty() {
            page.sections.push(Section { blocks: vec![Block::Table(table)], ..Section::default() });
        }
    }
    if entries.iter().all(|own| own.kind == "measure") {
        let blocks = vec![Block::Text(FULL_NAMES.to_owned())];
        page.sections.push(Section { blocks, ..Section::default() });
    }
    page
}

/// A row for each, as CSV.
pub fn csv(entries: &[Entry]) -> String {
    let mut table = Table::new("", ["kind", "name", "what"]);
    entries.iter().for_each(|own| table.row(None, [own.kind, &own.name, &own.what]));
    crate::csv::csv(&Page { table: Some(table), ..Page::default() })
}

/// The remedy for a name that nothing has.
pub fn nearest(name: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for own in of_scenarios() {
        if !names.contains(&own.name) {
            names.push(own.name);
        }
    }
    let of_scenarios = names.join(", ");
    names.extend(measures::all().iter().map(|own| own.name.to_owned()));
    names.extend(words::all().map(str::to_owned));
    // only some have two forms
    let lower = name.to_lowercase();
    let lower = lower.strip_suffix("-linux").unwrap_or(&lower);
    let near = names.iter().min_by_key(|own| distance(lower, own));
    let near = near.filter(|near| distance(lower, near) <= 1 + near.len() / 3);
    // the beginning of a long name; one that differs in nothing but its dashes was meant
    let is_same = near.is_some_and(|near| distance(lower, near) == 0);
    let begun = names.iter().filter(|own| lower.len() >= 4 && own.starts_with(lower) && !is_same);
    let begun: Vec<&str> = begun.map(String::as_str).take(5).collect();
    match (begun.as_slice(), near) {
        ([], Some(near)) => format!("did you mean `{near}`? `tusker list` shows all names"),
        ([], None) => format!("these names exist: {of_scenarios}"),
        (begun, _) => format!("did you mean one of these? {}", begun.join(", ")),
    }
}
