//! The JSON Schema of scenario files, for editors and for other programs.
//!
//! Names and parameters come from the registries, so a new law is in the
//! schema as soon as it is registered.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};
use tusker_core::params::{Param, Sheet};
use tusker_core::{Bytes, Duration, congestion, queue};

use super::draws::{Amount, Draw, Spread};
use super::forms::{Cc, Class, Dscp, DscpSet, HostTime, Queue, Start, TraceLinks};
use super::impair::{Changing, Down, Jitter, Loss, Outage, Quantity, Step};
use super::limit::Limit;
use super::model::Scenario;
use super::tcp::{DelayedAck, Ecn, Gro, Segments, SlowStart};
use super::text::Text;
use super::topology::{Hop, Hops};

/// The schema, as pretty JSON with a newline at the end.
pub fn json_schema() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Scenario>();
    schema.insert("title".into(), "Tusker scenario".into());
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}

/// A hand-written schema: its name, and its contents.
macro_rules! by_hand {
    ($($type:ty, $name:literal, |$g:ident| $schema:expr;)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }
            fn json_schema($g: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )*};
}

by_hand! {
    Cc, "Cc", |_g| json_schema!({
        "description": "Congestion control: a name, or a table with parameters.",
        "anyOf": [names(congestion::ALL), tables(congestion::ALL, "name", &Map::new(), &["name"])],
    });
    Queue, "Queue", |g| {
        let mut common = Map::new();
        common.insert("limit".into(), g.subschema_for::<Text<Limit>>().to_value());
        common.insert("ecn".into(), json!({
            "type": "boolean", "description": "Mark ECN-capable packets instead of dropping them."
        }));
        common.insert("mean_packet".into(), g.subschema_for::<Text<Bytes>>().to_value());
        let classes = g.subschema_for::<Vec<Class>>().to_value();
        let mut tables = tables(queue::ALL, "policy", &common, &["limit"]);
        let all = tables["anyOf"].as_array_mut().into_iter().flatten();
        for (table, sheet) in all.zip(queue::ALL) {
            let spec = queue::Spec::named(sheet.name, []);
            if spec.is_ok_and(|spec| queue::Class::of(&spec, 0).is_some()) {
                table["properties"]["classes"] = classes.clone();
            }
        }
        json_schema!({
            "description": "Queue: a limit, or a table with policy, limit and parameters.",
            "anyOf": [g.subschema_for::<Text<Limit>>(), tables],
        })
    };
    Loss, "Loss", |_g| {
        let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
        json_schema!({
            "description": "A probability, or bursts (Gilbert-Elliott).",
            "anyOf": [
                { "type": "number", "minimum": 0, "exclusiveMaximum": 1 },
                { "type": "object", "additionalProperties": false, "required": ["p", "r"],
                  "properties": { "p": share, "r": share, "loss_good": share, "loss_bad": share } },
                { "type": "object", "additionalProperties": false, "required": ["mean", "burst"],
                  "properties": { "mean": share, "burst": { "type": "number", "minimum": 1 } } },
            ],
        })
    };
    Jitter, "Jitter", |g| {
        let time = g.subschema_for::<Text<Duration>>();
        json_schema!({
            "description": "The largest random delay, or a distribution.",
            "anyOf": [
                time,
                { "type": "object", "additionalProperties": false, "required": ["distribution"],
                  "properties": {
                    "distribution": { "type": "string", "enum": ["uniform", "normal", "exponential"] },
                    "mean": time, "sd": time, "max": time,
                    "reorder": { "type": "boolean", "description":
                        "Whether packets may overtake each other; if not, a packet waits for earlier ones." } } },
            ],
        })
    };
    Down, "Down", |g| {
        let (outage, time) = (g.subschema_for::<Outage>(), g.subschema_for::<Text<Duration>>());
        let waiting = json!({ "type": "string", "enum": ["keep", "drop"] });
        json_schema!({
            "description": "When the link carries nothing; packets that wait are kept or dropped.",
            "anyOf": [
                { "type": "array", "items": outage },
                { "type": "object", "additionalProperties": false, "required": ["at", "for"],
                  "properties": { "at": time, "for": time, "every": time, "waiting": waiting } },
                { "type": "object", "additionalProperties": false, "required": ["times"],
                  "properties": { "times": { "type": "array", "items": outage },
                    "every": time, "waiting": waiting } },
            ],
        })
    };
    Start, "Start", |g| {
        let time = g.subschema_for::<Text<Duration>>();
        json_schema!({
            "description": "At a given time, at random within a range, or one after the other.",
            "anyOf": [
                time,
                { "type": "object", "additionalProperties": false, "required": ["uniform"],
                  "properties": { "uniform":
                    { "type": "array", "items": time, "minItems": 2, "maxItems": 2 } } },
                { "type": "object", "additionalProperties": false, "required": ["first", "every"],
                  "properties": { "first": time, "every": time } },
            ],
        })
    };
    HostTime, "HostTime", |g| {
        let time = g.subschema_for::<Text<Duration>>();
        json_schema!({
            "description": "Uniform between 0 and this, or exponential with a mean.",
            "anyOf": [
                time,
                { "type": "object", "additionalProperties": false, "required": ["exponential"],
                  "properties": { "exponential": time } },
            ],
        })
    };
    SlowStart, "SlowStart", |_g| json_schema!({
        "description": "RFC 5681, RFC 3742 or RFC 9406.",
        "anyOf": [
            { "type": "string", "enum": ["standard", "limited", "hystart++"] },
            { "type": "object", "additionalProperties": false, "required": ["name"],
              "properties": {
                "name": { "type": "string", "enum": ["standard", "limited", "hystart++"] },
                "max_ssthresh": { "type": "integer", "minimum": 2 } } },
        ],
    });
    Hops, "Hops", |g| json_schema!({
        "description": "The number of hops, or a list with what is different at each.",
        "anyOf": [
            { "type": "integer", "minimum": 1 },
            { "type": "array", "items": g.subschema_for::<Hop>() },
        ],
    });
    TraceLinks, "TraceLinks", |_g| json_schema!({
        "description": "\"bottleneck\", \"all\", a link's name, or a list of names.",
        "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
    });
    DelayedAck, "DelayedAck", |g| json_schema!({
        "anyOf": [{ "const": false }, g.subschema_for::<Text<Duration>>()],
    });
    Dscp, "Dscp", |_g| json_schema!({
        "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 63 }, { "type": "string" }],
    });
    DscpSet, "DscpSet", |_g| {
        let one = json!([
            { "type": "integer", "minimum": 0, "maximum": 63 }, { "type": "string" },
        ]);
        json_schema!({
            "anyOf": [one[0], one[1], { "type": "array", "minItems": 1, "items": { "anyOf": one } }],
        })
    };
    Gro, "Gro", |g| json_schema!({
        "anyOf": [
            { "type": "boolean" },
            {
                "type": "object",
                "properties": {
                    "segments": { "type": "integer", "minimum": 2 },
                    "wait": g.subschema_for::<Text<Duration>>(),
                },
                "additionalProperties": false,
            },
        ],
    });
    Ecn, "Ecn", |_g| json_schema!({
        "anyOf": [{ "type": "boolean" }, { "enum": ["accurate", "l4s"] }],
    });
    Segments, "Segments", |_g| json_schema!({
        "anyOf": [{ "const": "unlimited" }, { "type": "integer", "minimum": 2 }],
    });
}

impl<T: JsonSchema + Amount> JsonSchema for Draw<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Draw of {}", T::schema_name()).into()
    }
    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let value = g.subschema_for::<T>();
        let weights = json!({ "type": "array", "items": { "type": "number", "minimum": 0 } });
        json_schema!({
            "description": "A constant, or a distribution: exponential, Pareto, or a list.",
            "anyOf": [
                value,
                { "type": "object", "additionalProperties": false, "required": ["exponential"],
                  "properties": { "exponential": value } },
                { "type": "object", "additionalProperties": false, "required": ["pareto", "shape"],
                  "properties": { "pareto": value, "shape": { "type": "number" } } },
                { "type": "object", "additionalProperties": false, "required": ["list"],
                  "properties": { "list": { "type": "array", "items": value }, "weights": weights } },
            ],
        })
    }
}

impl<T: JsonSchema> JsonSchema for Spread<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Spread of {}", T::schema_name()).into()
    }
    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let value = g.subschema_for::<T>();
        json_schema!({
            "description": "One value for all, or the ends of a range over which they are spread.",
            "anyOf": [value, { "type": "array", "items": value, "minItems": 2, "maxItems": 2 }],
        })
    }
}

/// `rate`: `Rate`.
fn capital(key: &str) -> String {
    let (first, rest) = key.split_at(1);
    first.to_uppercase() + rest
}

impl<T: Quantity> JsonSchema for Step<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Step", capital(T::KEY)).into()
    }
    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A value that applies from a given time on.",
            "type": "object", "additionalProperties": false, "required": ["at", T::KEY],
            "properties": { "at": g.subschema_for::<Text<Duration>>(), T::KEY: T::schema(g) },
        })
    }
}

impl<T: Quantity> JsonSchema for Changing<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Link{}", capital(T::KEY)).into()
    }
    fn json_schema(g: &mut SchemaGenerator) -> Schema {
        let step = g.subschema_for::<Step<T>>();
        let steps = json!({ "type": "array", "items": step, "minItems": 1 });
        let mut of_steps = Map::new();
        let every = g.subschema_for::<Text<Duration>>().to_value();
        of_steps.insert("every".into(), every);
        if T::KEY == "delay" || T::KEY == "jitter" {
            of_steps.insert("reorder".into(), json!({ "type": "boolean" }));
        }
        let mut of_trace = of_steps.clone();
        of_steps.insert("steps".into(), steps.clone());
        let about = match T::KEY {
            "rate" => {
                "File with one time in ms per line at which 1504 bytes can leave, repeated from its end; its path is relative to the scenario."
            }
            "loss" => {
                "File with a time in seconds and a share per line; its path is relative to the scenario."
            }
            _ => {
                "File with a time in seconds and milliseconds per line; its path is relative to the scenario."
            }
        };
        if T::KEY == "rate" {
            of_trace.clear();
            of_trace.insert("opportunities".into(), json!({ "type": "string", "description":
                "The file's contents, in expanded scenarios: opportunities in each ms from 0 on, 0x3 for three times 0." }));
        }
        let text = json!({ "type": "string" });
        of_trace.insert("columns".into(), json!({ "type": "object", "additionalProperties": false,
            "properties": { "time": text, "value": text, "over": text, "rows": text },
            "description": "Columns of a table, by name or number, with a unit behind a blank: of the time, of the value, of the time in which it arrived; and the rows that count, as COLUMN=VALUE." }));
        of_trace.insert("trace".into(), json!({ "type": "string", "description": about }));
        json_schema!({
            "description": "A constant, steps, or a trace.",
            "anyOf": [
                T::schema(g),
                steps,
                { "type": "object", "additionalProperties": false, "required": ["steps"],
                  "properties": of_steps },
                { "type": "object", "additionalProperties": false, "required": ["trace"],
                  "properties": of_trace },
            ],
        })
    }
}

fn names(sheets: &[Sheet]) -> Value {
    json!({ "type": "string", "enum": sheets.iter().map(|s| s.name).collect::<Vec<_>>() })
}

/// One table per algorithm, distinguished by the key that names it.
fn tables(sheets: &[Sheet], key: &str, common: &Map<String, Value>, required: &[&str]) -> Value {
    let table = |sheet: &Sheet| {
        let mut properties = common.clone();
        properties.insert(key.into(), json!({ "const": sheet.name, "description": sheet.title }));
        for param in sheet.params {
            properties.insert(param.name.into(), parameter(param));
        }
        // the default policy is the first of the registry
        let mut needed = required.to_vec();
        if sheet.name != sheets[0].name && !needed.contains(&key) {
            needed.push(key);
        }
        json!({
            "type": "object", "additionalProperties": false,
            "properties": properties, "required": needed,
        })
    };
    json!({ "anyOf": sheets.iter().map(table).collect::<Vec<_>>() })
}

fn parameter(param: &Param) -> Value {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" [{}]", param.unit) };
    let mut number = json!({ "type": "number" });
    for (key, bound) in [("minimum", param.min), ("maximum", param.max)] {
        if bound.is_finite() {
            number[key] = json!(bound);
        }
    }
    json!({
        "description": format!("{}{unit}", param.about),
        "default": param.default,
        "anyOf": [number, { "type": "boolean" }, { "type": "string" }],
    })
}
