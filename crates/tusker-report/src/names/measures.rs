//! All measures: their names, units and definitions, as they appear in results.

use tusker_measure::summary::{Background, Entry, Group, Harm, Link, Total, Transfers};

use super::Entry as Name;

/// What measures are of, and the key before their names in conditions and data sets.
const OF: [(&str, &str, &[Entry]); 6] = [
    ("the whole experiment", "", Total::ENTRIES),
    ("a group of flows", "groups.NAME.", Group::ENTRIES),
    ("a group of flows beside a rival (compare --against)", "groups.NAME.", Harm::ENTRIES),
    ("transfers or web pages", "transfers.NAME.", Transfers::ENTRIES),
    ("a link", "links.NAME.", Link::ENTRIES),
    ("a background source", "background.NAME.", Background::ENTRIES),
];

/// One measure.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Name.
    pub name: &'static str,
    /// What it is of.
    pub of: &'static str,
    /// The key before its name.
    pub before: &'static str,
    /// What columns call it.
    pub heading: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Definition.
    pub about: String,
}

impl Measure {
    /// The first sentence of its definition.
    fn title(&self) -> &str {
        self.about.split_once(". ").map_or(self.about.trim_end_matches('.'), |(first, _)| first)
    }

    /// What is known about its name.
    pub fn entry(&self) -> Name {
        let full = format!("{}{}", self.before, self.name);
        Name::new("measure", self.name, format!("a measure of {}", self.of))
            .value("title", self.title())
            .value("of", self.of)
            .value("about", self.about.as_str())
            .text("", &self.about)
            .value("unit", self.unit)
            .value("example", full.as_str())
            .text("", &format!("Unit: {}. Full name: {full}", self.unit))
    }
}

/// All of them.
pub fn all() -> Vec<Measure> {
    let mut all: Vec<Measure> = Vec::new();
    for (of, before, entries) in OF {
        for Entry { name, quantity, heading, about, .. } in entries {
            let about = about.trim().replace("  ", " ");
            // `See `rtt_p5_s`.` is of the same list
            let other = about.strip_prefix("See `").and_then(|rest| rest.strip_suffix("`."));
            let known = other.and_then(|other| {
                let found = all.iter().find(|own| own.of == of && own.name == other);
                found.map(|own| own.about.clone())
            });
            let about = known.unwrap_or(about);
            all.push(Measure { name, of, before, heading, unit: quantity.unit(), about });
        }
    }
    all
}

/// What has this name, or stands in the column with this heading; if nothing has the name,
/// also what begins with it, as `harm_goodput` does with `harm`.
pub fn named(name: &str) -> Vec<Measure> {
    let name = name.trim_start_matches("its ").replace("queuing", "queueing");
    let mut all = all();
    let exact = all.iter().any(|own| own.name == name);
    let begins = |own: &Measure| own.name.strip_prefix(&name).is_some_and(|r| r.starts_with('_'));
    all.retain(|own| {
        own.name == name || own.heading.to_lowercase() == name || !exact && begins(own)
    });
    all
}
