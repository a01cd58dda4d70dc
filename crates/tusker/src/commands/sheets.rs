//! `tusker list` and `tusker explain`, for people or as JSON: names and what is known about
//! them. The pages of the book are made from the JSON.

use serde_json::{Value, json};
use tusker_core::congestion::{self, SlowStart};
use tusker_core::{Kind as _, Param, Sheet, queue};
use tusker_measure::response::response;
use tusker_papers::Paper;

use super::explain::{self, FAIL_ON, RFC_9743, example};
use super::list::{self, PROFILE, RECOVERY, TRAFFIC, Topic};
use super::measures::{self, Measure};
use super::words;
use crate::args::{ExplainArgs, Kind, ListArgs, Sheets};
use crate::failure::Failure;
use crate::output::print;

/// The round trip for which response functions are given, in seconds.
const RTT: f64 = 0.1;

/// Prints all of `args.what`, or everything that there is.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
    if args.format == Sheets::Text {
        return list::list(args);
    }
    let what = args.what;
    let mut all = named();
    if what.is_none_or(|what| what == Kind::Paper) {
        for key in Paper::keys() {
            let about = Paper::find(key)?.about;
            let entry = json!({ "name": about.key, "title": about.title, "covers": about.covers });
            all.push((Kind::Paper, entry));
        }
    }
    if what == Some(Kind::Measure) {
        all.extend(measures::all().iter().map(|own| (Kind::Measure, measure_told(own))));
    }
    all.retain(|(kind, _)| what.is_none_or(|what| what == *kind));
    put(all.into_iter().map(of_kind).collect())
}

/// Prints what has this name.
pub fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let name = args.name.to_lowercase();
    let named = named().into_iter().filter(|(_, entry)| entry["name"] == name);
    let mut found: Vec<Value> = named.map(of_kind).collect();
    if explain::is_fail_on(&name) {
        found.push(json!({ "kind": "option", "name": "fail-on", "about": FAIL_ON }));
    }
    if explain::is_rfc_9743(&name) {
        found.push(json!({ "kind": "topic", "name": "rfc9743", "about": RFC_9743 }));
    }
    if found.is_empty() {
        let measured = measures::named(&name);
        found.extend(measured.iter().map(|own| of_kind((Kind::Measure, measure_told(own)))));
    }
    if found.is_empty() {
        found.extend(words::named(&name).into_iter().map(words::Entry::told));
    }
    // what nothing is called is told in the same words
    if args.format == Sheets::Text || found.is_empty() {
        explain::explain(args)
    } else {
        put(found)
    }
}

fn put(entries: Vec<Value>) -> Result<(), Failure> {
    print(&format!("{:#}\n", Value::Array(entries)))
}

/// With its kind.
fn of_kind((kind, mut entry): (Kind, Value)) -> Value {
    entry["kind"] = json!(word(kind));
    entry
}

/// The kind as `tusker list` takes it.
fn word(kind: Kind) -> String {
    let value = clap::ValueEnum::to_possible_value(&kind);
    value.map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// All that a scenario can name.
fn named() -> Vec<(Kind, Value)> {
    let mut all = Vec::new();
    for kind in congestion::Kind::ALL {
        let sheet = kind.sheet();
        let mut entry = told(sheet, &format!("cc = {}", example(sheet, "name")));
        entry["in_linux"] = json!(explain::in_linux(sheet));
        if let Some(points) = points(*kind) {
            entry["response"] = json!({ "rtt_s": RTT, "points": points });
        }
        all.push((Kind::Cc, entry));
    }
    for sheet in queue::ALL {
        all.push((Kind::Queue, told(sheet, &format!("queue = {}", example(sheet, "policy")))));
    }
    for sheet in SlowStart::ALL {
        let example = format!("slow_start = {}", example(sheet, "name"));
        all.push((Kind::SlowStart, told(sheet, &example)));
    }
    for (topics, kind) in
        [(TRAFFIC, Kind::Traffic), (RECOVERY, Kind::Recovery), (PROFILE, Kind::Profile)]
    {
        all.extend(topics.iter().map(|topic| (kind, topic_told(topic))));
    }
    all
}

fn told(sheet: &Sheet, example: &str) -> Value {
    json!({
        "name": sheet.name,
        "title": sheet.title,
        "family": sheet.family.title(),
        "source": sheet.source,
        "rules": sheet.equations,
        "parameters": sheet.params.iter().map(param).collect::<Vec<_>>(),
        "needs": sheet.needs.iter().map(|need| need.about()).collect::<Vec<_>>(),
        "differs": sheet.differs,
        "example": example,
    })
}

fn measure_told(measure: &Measure) -> Value {
    json!({
        "name": measure.name,
        "title": measure.title(),
        "of": measure.of,
        "unit": measure.unit,
        "about": measure.about,
        "example": format!("{}{}", measure.before, measure.name),
    })
}

fn param(param: &Param) -> Value {
    json!({
        "name": param.name,
        "default": param.default,
        "min": param.min,
        "max": param.max,
        "unit": param.unit,
        "about": param.about,
    })
}

fn topic_told(topic: &Topic) -> Value {
    json!({
        "name": topic.name,
        "title": topic.title,
        "about": topic.about,
        "example": topic.example,
    })
}

/// Mean windows at shares of packets lost at random, for a law that has a closed form.
fn points(kind: congestion::Kind) -> Option<Vec<Value>> {
    let losses = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
    let point = |loss| {
        let window = response(kind, loss, RTT)?;
        Some(json!({ "loss": loss, "window_segments": window }))
    };
    losses.into_iter().map(point).collect()
}
