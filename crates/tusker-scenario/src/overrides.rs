//! Changes to a document: `path=value`.

use std::sync::Arc;

use toml_edit::{DocumentMut, Item, Key, Value};

use super::error::{Error, Mistake, Span, nearest, quote};
use super::source::{Node, Set};

/// `flows.*.cc=reno` as an override of each element; anything else as it is.
pub(super) fn each(document: &DocumentMut, set: &str) -> Vec<String> {
    let split = || {
        let (path, value) = set.split_once('=')?;
        let (array, rest) = path.split_once(".*")?;
        let names = element_names(at(document.as_item(), array)?)?;
        let whole = rest.trim_end().is_empty() || rest.starts_with('.');
        // an element called `1` may be another than that at index 1
        let numbers = names.iter().flatten().any(|name| name.parse::<usize>().is_ok());
        let key = move |(i, name): (usize, Option<String>)| match name.filter(|_| numbers) {
            Some(name) => format!("{array}.{name:?}{rest}={value}"),
            None => format!("{array}.{i}{rest}={value}"),
        };
        whole.then(|| names.into_iter().enumerate().map(key))
    };
    match split() {
        Some(elements) => elements.flat_map(|set| each(document, &set)).collect(),
        None => vec![set.to_owned()],
    }
}

/// The value at this path.
fn at<'a>(mut here: &'a Item, path: &str) -> Option<&'a Item> {
    for key in Key::parse(path.trim()).ok()? {
        let key = key.get();
        here = match elements(here) {
            Some(_) => here.get(named(here, key).or_else(|| key.parse().ok())?)?,
            None => here.get(key)?,
        };
    }
    Some(here)
}

/// Applies `path=value` to a document.
pub(super) fn apply(document: &mut DocumentMut, set: &str) -> Result<Set, Error> {
    let text: Arc<str> = set.into();
    let fail = |message: String, help: String, span: Span| {
        Error::new(Mistake::new(message, help), "--set", &text, Some(span))
    };
    let form = "write `--set path=value`, as in `--set flows.S1.count=3`";
    let Some((path, value)) = set.split_once('=') else {
        return Err(fail("an override without `=`".into(), form.into(), 0..set.len()));
    };
    let key_span = 0..path.len();
    let value_span = path.len() + 1..set.len();
    let keys = Key::parse(path.trim()).map_err(|_| {
        fail(format!("`{}` is not a path", quote(path)), form.into(), key_span.clone())
    })?;
    let value_text = value.trim();
    let value = value_text.parse::<Value>().unwrap_or_else(|_| Value::from(value_text));

    let mut canonical = Vec::new();
    let mut here = document.as_item_mut();
    // an element of [[flows]] can only be another table
    let mut element = false;
    for key in &keys {
        let key = key.get();
        spread(here, canonical.last().map_or("", String::as_str));
        element = here.is_array_of_tables();
        if let Some(length) = elements(here) {
            let by_index = key.parse().ok().filter(|&i: &usize| i < length);
            let Some(index) = named(here, key).or(by_index) else {
                let names = element_names(here).unwrap_or_default();
                let named: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
                return Err(fail(
                    format!("`{}` has no element `{}`", canonical.join("."), quote(key)),
                    format!("{}; or an index below {}", nearest(key, &named), names.len()),
                    key_span,
                ));
            };
            canonical.push(index.to_string());
            here = here.get_mut(index).expect("the index was found in this array");
        } else if here.is_table_like() {
            canonical.push(key.to_owned());
            here = &mut here[key];
            if here.is_none() {
                *here = toml_edit::table();
                // whether such a table may exist is checked when it is read
                here.as_table_mut().expect("just made").set_implicit(true);
            }
        } else {
            return Err(fail(
                format!("`{}` is a single value", canonical.join(".")),
                format!("nothing called `{}` can be set inside it", quote(key)),
                key_span,
            ));
        }
    }
    *here = match value {
        Value::InlineTable(table) if element => Item::Table(table.into_table()),
        _ if element => {
            let message = format!("`{}` is a table", canonical.join("."));
            return Err(fail(message, "write path={ key = value, ... }".into(), value_span));
        }
        value => Item::Value(value),
    };
    Ok(Set { path: canonical.join("."), text, key: key_span, value: value_span })
}

/// Some tables have a string as short form; it is expanded so that an override can
/// reach inside.
fn spread(item: &mut Item, key: &str) {
    let name = match key {
        "cc" | "slow_start" => "name",
        "queue" => "limit",
        _ => return,
    };
    if let Some(text) = item.as_str() {
        let mut table = toml_edit::InlineTable::new();
        table.insert(name, text.into());
        *item = Item::Value(table.into());
    }
}

/// How many elements an array has; `None` if it is not an array.
fn elements(item: &Item) -> Option<usize> {
    let tables = item.as_array_of_tables().map(toml_edit::ArrayOfTables::len);
    tables.or_else(|| item.as_array().map(toml_edit::Array::len))
}

/// The first element of an array with this name.
fn named(item: &Item, key: &str) -> Option<usize> {
    let is = |name: Option<&str>| name == Some(key);
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().position(|table| is(table.get("name").and_then(Item::as_str)));
    }
    let name = |value: &Value| is(value.as_inline_table()?.get("name")?.as_str()).then_some(());
    item.as_array()?.iter().position(|value| name(value).is_some())
}

/// The names of an array's elements, if they have names; `None` if it is not an
/// array.
fn element_names(item: &Item) -> Option<Vec<Option<String>>> {
    let node = Node::Item(item);
    if !item.is_array() && !item.is_array_of_tables() {
        return None;
    }
    let name = |element: &Node<'_>| {
        let name = element.table()?.get("name")?.as_str()?;
        Some(name.to_owned())
    };
    Some(node.elements().iter().map(name).collect())
}
