//! Reports a list where a table is required as a mistake. The code that reads tables would also
//! accept a list of their values, in the order in which the code declares them, which users
//! cannot know: so the text is checked against the schema first.

use std::sync::LazyLock;

use serde_json::Value as Json;
use toml_edit::{Item, Table, TableLike, Value};

use super::error::{Mistake, Span};

/// The keys that take only a table, somewhere. Lists elsewhere, of anything but lists, are never
/// reported, so that most scenarios do not need the schema: reading it takes longer than many a
/// run.
const TABLES: [&str; 12] = [
    "access",
    "app",
    "clients",
    "columns",
    "dumbbell",
    "measure",
    "parking-lot",
    "reverse",
    "rto",
    "servers",
    "tcp",
    "trace",
];

/// The published schema, which a test compares with the code: making it takes four times as
/// long as reading it.
static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    let published = include_str!("../../../schema/scenario.schema.json");
    serde_json::from_str(published).expect("the schema is JSON")
});

/// A key whose value must be a table but is a list.
type Fault = (Mistake, Option<Span>);

/// Looks for a list where a table must be.
pub(super) fn check(document: &Table) -> Result<(), Fault> {
    if has_list_to_check(document) { table(document, &SCHEMA) } else { Ok(()) }
}

/// Whether a key of [`TABLES`] has a list, or a list has lists as elements.
fn has_list_to_check(table: &dyn TableLike) -> bool {
    table.iter().any(|(key, item)| match item {
        Item::None => false,
        Item::Table(inner) => has_list_to_check(inner),
        Item::ArrayOfTables(all) => {
            TABLES.contains(&key) || all.iter().any(|inner| has_list_to_check(inner))
        }
        Item::Value(Value::InlineTable(inner)) => has_list_to_check(inner),
        Item::Value(Value::Array(all)) => {
            TABLES.contains(&key)
                || all.iter().any(|element| match element {
                    Value::InlineTable(inner) => has_list_to_check(inner),
                    other => other.is_array(),
                })
        }
        Item::Value(_) => false,
    })
}

fn table(table: &dyn TableLike, schema: &'static Json) -> Result<(), Fault> {
    for (key, item) in table.iter() {
        let Some(schema) = schema.get("properties").and_then(|all| all.get(key)) else { continue };
        let forms = forms(schema);
        match item {
            Item::Table(inner) => any(inner, &forms)?,
            Item::Value(own) => value(key, own, &forms, false)?,
            Item::ArrayOfTables(all) => match (lists(&forms), &forms[..]) {
                (Some(elements), _) => {
                    all.iter().try_for_each(|inner| any(inner, &elements))?;
                }
                (None, [only]) if keys(only).is_some() => {
                    return Err(no_list(key, only, all.span().or_else(|| item.span()), false));
                }
                _ => {}
            },
            Item::None => {}
        }
    }
    Ok(())
}

/// Checks a value, or an element of a list, against the forms that it may have.
fn value(key: &str, value: &Value, forms: &[&'static Json], element: bool) -> Result<(), Fault> {
    match (value, lists(forms), forms) {
        (Value::InlineTable(inner), ..) => any(inner, forms),
        (Value::Array(all), Some(elements), _) => {
            all.iter().try_for_each(|inner| self::value(key, inner, &elements, true))
        }
        (Value::Array(all), None, [only]) if keys(only).is_some() => {
            Err(no_list(key, only, all.span(), element))
        }
        // other forms report themselves what they accept
        _ => Ok(()),
    }
}

/// Whether one of the forms is right; else what is wrong with the first that can be checked.
/// Forms that have all keys of the table count, if there are any.
fn any(own: &dyn TableLike, forms: &[&'static Json]) -> Result<(), Fault> {
    let mut first = Ok(());
    let tables = || forms.iter().filter_map(|form| Some((*form, keys(form)?)));
    let fits = |known: &[&String]| own.iter().all(|(key, _)| known.iter().any(|k| *k == key));
    let some_fit = tables().any(|(_, known)| fits(&known));
    let chosen = tables().filter(|(_, known)| !some_fit || fits(known));
    for found in chosen.map(|(form, _)| table(own, form)) {
        if found.is_ok() {
            return Ok(());
        }
        first = first.and(found);
    }
    first
}

/// The forms of the elements, if one of the forms is a list.
fn lists(all: &[&'static Json]) -> Option<Vec<&'static Json>> {
    all.iter().find_map(|form| form.get("items").filter(|items| items.is_object())).map(forms)
}

fn no_list(key: &str, schema: &Json, span: Option<Span>, element: bool) -> Fault {
    const FEW: usize = 6;
    let all = keys(schema).unwrap_or_default();
    let more = if all.len() > FEW { ", ..." } else { "" };
    let few: Vec<String> = all.iter().take(FEW).map(|key| format!("`{key}`")).collect();
    let few = few.join(", ");
    let mistake = match element {
        true => Mistake::new(
            format!("expected a table as an element of `{key}`, found a list"),
            format!("write {key} = [{{ KEY = VALUE }}]; its keys are {few}{more}"),
        ),
        false => Mistake::new(
            format!("`{key}` has keys with values, and this is a list"),
            format!("write {key} = {{ KEY = VALUE }}; its keys are {few}{more}"),
        ),
    };
    (mistake, span)
}

/// The keys of a schema that only allows a table.
fn keys(schema: &Json) -> Option<Vec<&String>> {
    Some(schema.get("properties")?.as_object()?.keys().collect())
}

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Scenario;

    #[test]
    fn a_list_is_no_table_of_keys() {
        let told = |line: &str| {
            let text = format!(
                "profile = \"ns2\"\nduration = \"4s\"\n{line}\n[dumbbell]\nrate = \"1Gbit\"\n\
                 delay = \"5ms\"\nqueue = \"9pkt\"\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n"
            );
            match Scenario::parse("x.toml", &text, &[]) {
                Ok(_) => String::new(),
                Err(error) => format!("{error} {}", error.remedy().unwrap_or_default()),
            }
        };
        assert_eq!(told("measure = { from = \"1s\" }"), "");
        for line in ["tcp = []", "tcp = [1, 2]", "measure = [\"0.1s\", \"0.3s\"]", "[[measure]]"] {
            let key = if line.contains("tcp") { "tcp" } else { "measure" };
            let text = told(line);
            assert!(text.contains(&format!("`{key}` has keys")), "{line}: {text}");
            assert!(text.contains(&format!("write {key} = {{")), "{line}: {text}");
        }
        assert!(told("measure = [\"0.1s\", \"0.3s\"]").contains("`from`"));
    }

    #[test]
    fn the_keys_of_tables_are_those_of_the_schema() {
        fn find(schema: &'static Json, found: &mut BTreeSet<&str>) {
            let inner: Vec<&'static Json> = match schema {
                Json::Object(all) => all.values().collect(),
                Json::Array(all) => all.iter().collect(),
                _ => return,
            };
            for (key, own) in
                schema.get("properties").and_then(Json::as_object).into_iter().flatten()
            {
                if let [only] = forms(own)[..]
                    && keys(only).is_some()
                {
                    found.insert(key);
                }
            }
            inner.into_iter().for_each(|schema| find(schema, found));
        }
        let mut found = BTreeSet::new();
        find(&SCHEMA, &mut found);
        assert!(found.into_iter().eq(TABLES));
    }

    /// Each place of the schema where a table is an element of a list, in all of its forms.
    fn places(path: &str, schema: &'static Json, found: &mut BTreeSet<String>) {
        for form in forms(schema) {
            for (key, inner) in
                form.get("properties").and_then(Json::as_object).into_iter().flatten()
            {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                if path.matches('.').count() < 4 {
                    places(&path, inner, found);
                }
            }
            if let Some(items) = form.get("items").filter(|items| items.is_object()) {
                if forms(items).iter().any(|form| keys(form).is_some()) {
                    found.insert(path.to_owned());
                }
                places(&format!("{path}.0"), items, found);
            }
        }
    }

    #[test]
    fn a_list_is_no_table_in_a_list() {
        let mut all = BTreeSet::new();
        places("", &SCHEMA, &mut all);
        for wanted in ["parking-lot.hops", "links.0.rate", "dumbbell.rate", "flows"] {
            assert!(all.contains(wanted), "{all:?}");
        }
        let text = "profile = \"ns2\"\nduration = \"4s\"\n[parking-lot]\nhops = [{}]\n\
                    [[links]]\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n[[arrivals]]\n[[web]]\n\
                    [[background]]\n";
        for path in all {
            let set = format!("{path}=[[\"5Mbit\", \"2ms\", \"20pkt\", 0.001, \"1ms\"]]");
            let error = Scenario::parse("x.toml", text, std::slice::from_ref(&set)).unwrap_err();
            let told = format!("{error} {}", error.remedy().unwrap_or_default());
            assert!(told.contains("expected a table as an element of"), "{set}: {told}");
        }
    }
}
