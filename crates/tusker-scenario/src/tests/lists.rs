//! A list where a table is required is a mistake, wherever the schema has a table.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value as Json;

use crate::Scenario;
use crate::schema::json_schema;

static SCHEMA: LazyLock<Json> =
    LazyLock::new(|| serde_json::from_str(&json_schema()).expect("the schema is JSON"));

/// The forms that a value may have, without references and null.
fn forms(schema: &'static Json) -> Vec<&'static Json> {
    if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
        let name = name.trim_start_matches("#/$defs/");
        return SCHEMA["$defs"].get(name).map_or_else(|| vec![schema], forms);
    }
    match schema.get("anyOf").and_then(Json::as_array) {
        Some(choices) => {
            let known = choices.iter().filter(|one| one.get("type") != Some(&"null".into()));
            known.flat_map(forms).collect()
        }
        None => vec![schema],
    }
}

/// Whether a schema only allows a table.
fn is_table(schema: &Json) -> bool {
    schema.get("properties").is_some()
}

/// Each place of the schema that takes only a table, and each where a table is an element of a
/// list, in all of its forms.
#[derive(Default)]
struct Places {
    tables: BTreeSet<String>,
    elements: BTreeSet<String>,
}

impl Places {
    fn find(&mut self, path: &str, schema: &'static Json) {
        let all = forms(schema);
        if !path.is_empty() && all.len() == 1 && is_table(all[0]) {
            self.tables.insert(path.to_owned());
        }
        for form in all {
            let properties = form.get("properties").and_then(Json::as_object);
            for (key, inner) in properties.into_iter().flatten() {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                if path.matches('.').count() < 4 {
                    self.find(&path, inner);
                }
            }
            if let Some(items) = form.get("items").filter(|items| items.is_object()) {
                if forms(items).iter().any(|form| is_table(form)) {
                    self.elements.insert(path.to_owned());
                }
                for form in forms(items) {
                    self.find(&format!("{path}.0"), form);
                }
            }
        }
    }
}

/// The option that sets a place to this value: in tables and lists of their own, as what is
/// there may be no table.
fn set(path: &str, value: &str) -> String {
    let parts: Vec<&str> = path.split('.').collect();
    let is_index = |part: &&&str| part.parse::<usize>().is_ok();
    let head = if parts.get(1).filter(is_index).is_some() { 3 } else { 2 }.min(parts.len());
    let within = parts[head..].iter().rev().fold(value.to_owned(), |value, part| {
        if is_index(&part) { format!("[{value}]") } else { format!("{{ {part} = {value} }}") }
    });
    format!("{}={within}", parts[..head].join("."))
}

/// What is wrong, and the remedy.
fn wrong(text: &str, sets: &[String]) -> String {
    match Scenario::parse("x.toml", text, sets) {
        Ok(_) => String::new(),
        Err(error) => format!("{error} {}", error.remedy().unwrap_or_default()),
    }
}

#[test]
fn a_list_is_no_table_of_keys() {
    let wrong = |line: &str| {
        let text = format!(
            "profile = \"ns2\"\nduration = \"4s\"\n{line}\n[dumbbell]\nrate = \"1Gbit\"\n\
             delay = \"5ms\"\nqueue = \"9pkt\"\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n"
        );
        wrong(&text, &[])
    };
    assert_eq!(wrong("measure = { from = \"1s\" }"), "");
    for line in ["tcp = []", "tcp = [1, 2]", "measure = [\"0.1s\", \"0.3s\"]", "[[measure]]"] {
        let key = if line.contains("tcp") { "tcp" } else { "measure" };
        let text = wrong(line);
        assert!(text.contains(&format!("`{key}` has keys")), "{line}: {text}");
        assert!(text.contains(&format!("write {key} = {{")), "{line}: {text}");
    }
    assert!(wrong("measure = [\"0.1s\", \"0.3s\"]").contains("`from`"));
}

#[test]
fn a_list_is_nowhere_a_table() {
    let mut all = Places::default();
    all.find("", &SCHEMA);
    for path in ["dumbbell", "flows.0.tcp", "flows.0.access", "web.0.servers", "tcp.rto"] {
        assert!(all.tables.contains(path), "{:?}", all.tables);
    }
    for path in ["parking-lot.hops", "links.0.rate", "dumbbell.rate", "flows"] {
        assert!(all.elements.contains(path), "{:?}", all.elements);
    }
    // what each table must have, so that only the list is wrong
    let text = r#"
profile = "ns2"
duration = "4s"
[parking-lot]
rate = "1Mbit"
delay = "1ms"
queue = "5pkt"
hops = [{}]
[[links]]
from = "A"
to = "B"
rate = "1Mbit"
delay = "1ms"
queue = "5pkt"
[[flows]]
name = "a"
cc = "reno"
[[arrivals]]
name = "b"
cc = "reno"
size = "1kB"
[[web]]
name = "c"
cc = "reno"
sessions = 1
servers = { count = 1, rate = "1Mbit" }
clients = { count = 1, rate = "1Mbit" }
page_interval = "1s"
objects = 1.0
object_interval = "1s"
object_size = "1kB"
[[background]]
name = "d"
rate = "1Mbit"
"#;
    assert_eq!(wrong(text, &[]), "");
    for path in all.elements {
        let set = set(&path, "[[\"5Mbit\", \"2ms\", \"20pkt\", 0.001, \"1ms\"]]");
        let wrong = wrong(text, std::slice::from_ref(&set));
        assert!(wrong.contains("expected a table as an element of"), "{set}: {wrong}");
    }
    for path in all.tables.iter().filter(|path| !path.ends_with(".0")) {
        let key = path.rsplit('.').next().unwrap_or_default();
        let set = set(path, "[\"5Mbit\", \"2ms\"]");
        let wrong = wrong(text, std::slice::from_ref(&set));
        assert!(wrong.contains(&format!("`{key}` has keys with values")), "{set}: {wrong}");
    }
}
