//! The published schema matches the code, and scenarios conform to it.

use std::path::Path;

use serde_json::Value;

use super::{EXAMPLES, SMALL, example};
use crate::schema::json_schema;

/// Written by `TUSKER_BLESS=1 cargo test -p tusker-scenario schema`.
#[test]
fn the_published_schema_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/scenario.schema.json");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(&path, json_schema()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == json_schema(),
        "schema/scenario.schema.json is not up to date: run \
         `TUSKER_BLESS=1 cargo test -p tusker-scenario schema` and commit it"
    );
}

/// The part of JSON Schema that the published one uses.
fn conforms(value: &Value, schema: &Value, root: &Value) -> bool {
    let each = |key: &str| schema[key].as_array().into_iter().flatten();
    let reference = schema["$ref"].as_str().and_then(|r| root.pointer(r.trim_start_matches('#')));
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    };
    let fields = value.as_object().into_iter().flatten();
    reference.is_none_or(|r| conforms(value, r, root))
        && (schema["type"].is_null()
            || schema["type"].as_str().is_some_and(is)
            || each("type").any(|t| is(t.as_str().unwrap())))
        && (schema["anyOf"].is_null() || each("anyOf").any(|s| conforms(value, s, root)))
        && (schema["enum"].is_null() || each("enum").any(|v| v == value))
        && (schema["const"].is_null() || schema["const"] == *value)
        && each("required").all(|key| value.get(key.as_str().unwrap()).is_some())
        && fields.into_iter().all(|(key, v)| match schema["properties"].get(key) {
            Some(known) => conforms(v, known, root),
            None => schema["additionalProperties"] != Value::Bool(false),
        })
        && value.as_array().into_iter().flatten().all(|v| conforms(v, &schema["items"], root))
}

#[test]
fn examples_short_and_complete_conform_to_the_schema() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let value = |text: &str| -> Value { toml_edit::de::from_str(text).unwrap() };
    for name in EXAMPLES {
        let scenario = example(name);
        for text in [scenario.to_toml(), scenario.complete().unwrap().to_toml()] {
            assert!(conforms(&value(&text), &schema, &schema), "{name}:\n{text}");
        }
    }
    assert!(conforms(&value(SMALL), &schema, &schema));
    for (old, new) in [("delay", "dellay"), ("\"ns2\"", "\"ns3\""), ("\"20ms\"", "20")] {
        assert!(!conforms(&value(&SMALL.replacen(old, new, 1)), &schema, &schema), "{new}");
    }
}
