//! Reports a list where a table is required as a mistake. The code that reads tables would also
//! accept a list of their values, in the order in which the code declares them, which users
//! cannot know: so the text is checked against the schema first.

use std::sync::LazyLock;

use serde_json::Value as Json;
use toml_edit::{Item, Table, TableLike, Value};

use super::error::{Mistake, Span};

static SCHEMA: LazyLock<Json> = LazyLock::new(|| {
    serde_json::from_str(&super::schema::json_schema()).expect("the schema is JSON")
});

/// A key whose value must be a table but is a list.
type Fault = (Mistake, Option<Span>);

/// Looks for a list where a table must be.
pub(super) fn check(document: &Table) -> Result<(), Fault> {
    table(document, &SCHEMA)
}

fn table(table: &dyn TableLike, schema: &Json) -> Result<(), Fault> {
    for (key, item) in table.iter() {
        let Some(schema) = schema.get("properties").and_then(|all| all.get(key)) else { continue };
        let schema = resolved(schema);
        let lists = schema.get("items").map(resolved);
        match item {
            Item::Table(inner) => self::table(inner, schema)?,
            Item::Value(own) => value(key, own, schema)?,
            Item::ArrayOfTables(all) if lists.is_none() && keys(schema).is_some() => {
                return Err(no_list(key, schema, all.span().or_else(|| item.span())));
            }
            Item::ArrayOfTables(all) => {
                if let Some(schema) = lists {
                    all.iter().try_for_each(|inner| self::table(inner, schema))?;
                }
            }
            Item::None => {}
        }
    }
    Ok(())
}

fn value(key: &str, value: &Value, schema: &Json) -> Result<(), Fault> {
    let items = schema.get("items").map(resolved);
    match (value, items) {
        (Value::InlineTable(inner), _) => table(inner, schema),
        (Value::Array(all), Some(schema)) => {
            all.iter().try_for_each(|inner| self::value(key, inner, schema))
        }
        (Value::Array(all), None) if keys(schema).is_some() => {
            Err(no_list(key, schema, all.span()))
        }
        _ => Ok(()),
    }
}

fn no_list(key: &str, schema: &Json, span: Option<Span>) -> Fault {
    const FEW: usize = 6;
    let all = keys(schema).unwrap_or_default();
    let more = if all.len() > FEW { ", ..." } else { "" };
    let few: Vec<String> = all.iter().take(FEW).map(|key| format!("`{key}`")).collect();
    let mistake = Mistake::new(
        format!("`{key}` has keys with values, and this is a list"),
        format!("write {key} = {{ KEY = VALUE }}; its keys are {}{more}", few.join(", ")),
    );
    (mistake, span)
}

/// The keys of a schema that only allows a table.
fn keys(schema: &Json) -> Option<Vec<&String>> {
    Some(schema.get("properties")?.as_object()?.keys().collect())
}

/// Follows a reference; for an optional value, the schema of the value itself.
fn resolved(schema: &Json) -> &Json {
    if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
        let name = name.trim_start_matches("#/$defs/");
        return SCHEMA["$defs"].get(name).map_or(schema, resolved);
    }
    let choices = schema.get("anyOf").and_then(Json::as_array);
    let mut choices =
        choices.into_iter().flatten().filter(|one| one.get("type") != Some(&"null".into()));
    match (choices.next(), choices.next()) {
        (Some(only), None) => resolved(only),
        // other forms report themselves what they accept
        _ => schema,
    }
}

#[cfg(test)]
mod tests {
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
}
