//! How much of the scenario language random scenarios use, checked against its schema: a key
//! that the generator never writes, or a name that it never chooses, is one that no property
//! test has seen.

use std::collections::BTreeSet;

use serde_json::Value;

use super::engine_support::{Choices, scenario};
use super::{any_scenario, seeded};

/// Scenarios that are only read: enough for each parameter of each algorithm.
const CASES: usize = 3_000;

/// Where a name is no word of the schema: limits, traces of links, ways of counting.
const WORDS: [&str; 10] = [
    "pkt\"",
    "B\"",
    "bdp\"",
    "\"unlimited\"",
    "\"backpressure\"",
    "\"backpressure:",
    "\"bottleneck\"",
    "\"all\"",
    "\"segments\"",
    "\"segments:2\"",
];

/// Keys that name files, which a random text does not have, and their columns.
const FILES: [&str; 3] = ["LinkDelay.trace", "LinkJitter.trace", "LinkLoss.trace"];
const COLUMNS: [&str; 5] = ["columns", "time", "value", "over", "rows"];

/// A key for a file.
fn is_of_a_file(word: &str) -> bool {
    let column = |(table, key): (&str, &str)| {
        matches!(table, "LinkDelay" | "LinkJitter" | "LinkLoss" | "LinkRate")
            && COLUMNS.contains(&key)
    };
    FILES.contains(&word) || word.split_once('.').is_some_and(column)
}

/// `Table.key` for keys, `Table.key=name` for the names that a key may have.
type Words = BTreeSet<String>;

struct Schema(Value);

impl Schema {
    /// A node and all that it may be instead, each with the name of its table.
    fn alternatives<'s>(&'s self, name: &str, node: &'s Value) -> Vec<(String, &'s Value)> {
        let mut all = vec![(name.to_owned(), node)];
        if let Some(path) = node["$ref"].as_str() {
            let table = path.rsplit('/').next().expect("a path");
            all.extend(self.alternatives(table, &self.0["$defs"][table]));
        }
        for node in node["anyOf"].as_array().into_iter().flatten() {
            all.extend(self.alternatives(name, node));
        }
        all
    }

    /// Names that a value may have.
    fn names(node: &Value) -> impl Iterator<Item = &str> {
        let several = node["enum"].as_array().into_iter().flatten();
        several.chain(node.get("const")).filter_map(Value::as_str)
    }

    /// Everything that can be said.
    fn all(&self) -> Words {
        let mut words = Words::new();
        self.below("Scenario", &self.0, &mut words);
        for (table, node) in self.0["$defs"].as_object().expect("tables") {
            self.below(table, node, &mut words);
        }
        words
    }

    fn below(&self, name: &str, node: &Value, words: &mut Words) {
        words.extend(Self::names(node).map(|word| format!("{name}={word}")));
        for node in node["anyOf"].as_array().into_iter().flatten().chain(node.get("items")) {
            self.below(name, node, words);
        }
        for (key, node) in node["properties"].as_object().into_iter().flatten() {
            let name = format!("{}.{key}", name.split('.').next().expect("a table"));
            words.insert(name.clone());
            self.below(&name, node, words);
        }
    }

    /// What a value says.
    fn said(&self, name: &str, node: &Value, value: &Value, words: &mut Words) {
        for (name, node) in self.alternatives(name, node) {
            match value {
                Value::String(text) if Self::names(node).any(|word| word == text) => {
                    words.insert(format!("{name}={text}"));
                }
                Value::Array(values) if node.get("items").is_some() => {
                    values.iter().for_each(|v| self.said(&name, &node["items"], v, words));
                }
                Value::Object(keys) => {
                    for (key, value) in keys {
                        if let Some(node) = node["properties"].get(key) {
                            let table = name.split('.').next().expect("a table");
                            let name = format!("{table}.{key}");
                            words.insert(name.clone());
                            self.said(&name, node, value, words);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn random_scenarios_say_all_that_can_be_said() {
    let schema = tusker_scenario::json_schema();
    let schema = Schema(serde_json::from_str(&schema).expect("it is JSON"));
    let (mut said, mut words) = (Words::new(), BTreeSet::new());
    let mut runner = seeded(CASES as u32);
    for _ in 0..CASES {
        let (numbers, _) = any_scenario(&mut runner);
        let text = scenario(&mut Choices::new(&numbers));
        let value: Value = toml_edit::de::from_str(&text).expect("it is TOML");
        schema.said("Scenario", &schema.0, &value, &mut said);
        words.extend(WORDS.iter().filter(|word| text.contains(**word)));
    }
    let all = schema.all();
    assert!(all.len() > 250, "{all:?}");
    let never = all.difference(&said).filter(|word| !is_of_a_file(word));
    let never: Vec<&String> = never.collect();
    assert!(never.is_empty(), "never said: {never:#?}");
    assert_eq!(words, WORDS.iter().collect());
}
