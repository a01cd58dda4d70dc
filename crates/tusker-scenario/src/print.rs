//! A scenario as TOML.

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::error::{Error, Mistake};
use super::model::Scenario;

/// Tables that stand on their own, with a header.
const HEADED: &[&str] =
    &["trace", "tcp", "dumbbell", "parking-lot", "links", "flows", "arrivals", "web", "background"];

/// A scenario's JSON form as TOML text, unchecked.
pub(super) fn of_json(json: &serde_json::Value) -> Result<String, Error> {
    let document = toml_edit::ser::to_document(&bare(json)).map_err(|error| {
        let message = format!("not a scenario: {error}");
        Error::bare(Mistake::new(message, "an object with the keys of a scenario file"))
    })?;
    Ok(document.to_string())
}

/// Without keys that are null.
fn bare(json: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match json {
        Value::Object(object) => {
            let all = object.iter().filter(|(_, value)| !value.is_null());
            Value::Object(all.map(|(key, value)| (key.clone(), bare(value))).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(bare).collect()),
        other => other.clone(),
    }
}

/// The JSON form of a scenario: its keys and their values.
pub(super) fn json(s: &Scenario) -> serde_json::Value {
    json_of(document(s).as_item())
}

fn json_of(item: &Item) -> serde_json::Value {
    let table = |table: &dyn TableLike| {
        let all = table.iter().map(|(key, item)| (key.to_owned(), json_of(item)));
        serde_json::Value::Object(all.collect())
    };
    match item {
        Item::None => serde_json::Value::Null,
        Item::Table(own) => table(own),
        Item::ArrayOfTables(all) => all.iter().map(|own| table(own)).collect(),
        Item::Value(value) => match value {
            Value::String(text) => text.value().as_str().into(),
            Value::Integer(number) => (*number.value()).into(),
            Value::Float(number) => (*number.value()).into(),
            Value::Boolean(own) => (*own.value()).into(),
            Value::Datetime(date) => date.value().to_string().into(),
            Value::Array(all) => all.iter().map(|own| json_of(&Item::Value(own.clone()))).collect(),
            Value::InlineTable(own) => table(own),
        },
    }
}

/// A few lines per table, short tables in braces.
pub(super) fn toml(s: &Scenario) -> String {
    text(&document(s))
}

/// A document of [`document`] as text.
pub(super) fn text(document: &DocumentMut) -> String {
    document.to_string().trim_start().to_owned()
}

/// The same before it is a text.
pub(super) fn document(s: &Scenario) -> DocumentMut {
    let mut document = toml_edit::ser::to_document(s)
        .expect("every value of a scenario has a TOML form; seeds are below 2^63");
    let keys: Vec<String> = document.iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys.iter().filter(|key| HEADED.contains(&key.as_str())) {
        let item = document.remove(key).expect("it was just listed");
        document.insert(key, headed(item));
    }
    finish(&mut document);
    document
}

/// A table, or an array of tables, with headers.
fn headed(item: Item) -> Item {
    match item {
        Item::Value(Value::InlineTable(table)) => Item::Table(table_of(table)),
        Item::Value(Value::Array(array)) if array.iter().all(Value::is_inline_table) => {
            let tables = array.into_iter().filter_map(|v| match v {
                Value::InlineTable(table) => Some(table_of(table)),
                _ => None,
            });
            Item::ArrayOfTables(tables.collect::<ArrayOfTables>())
        }
        Item::Table(table) => Item::Table(table_of(table.into_inline_table())),
        other => other,
    }
}

fn table_of(inline: InlineTable) -> Table {
    let mut table = Table::new();
    for (key, value) in inline {
        let item = match value {
            Value::InlineTable(t) if key.as_str() == "tcp" => Item::Table(table_of(t)),
            other => Item::Value(other),
        };
        table.insert(&key, item);
    }
    table
}

fn finish(document: &mut DocumentMut) {
    for (_, item) in document.iter_mut() {
        match item {
            Item::Table(table) => table.decor_mut().set_prefix("\n"),
            Item::ArrayOfTables(tables) => {
                tables.iter_mut().for_each(|table| table.decor_mut().set_prefix("\n"));
            }
            _ => {}
        }
    }
}
