//! `tusker list` and `tusker explain`, for people or as JSON: names and what is known about
//! them. The pages of the book are made from the JSON.

use serde_json::{Value, json};
use tusker_core::congestion::{self, SlowStart};
use tusker_core::{Kind as _, Param, Sheet, queue};
use tusker_measure::response::response;
use tusker_measure::table::Table;
use tusker_papers::Paper;

use super::explain::{self, FAIL_ON, RFC_9743, example};
use super::measures::{self, Measure};
use super::topics::{PROFILE, RECOVERY, TRAFFIC, Topic};
use super::words;
use crate::args::{ExplainArgs, Kind, ListArgs, Sheets};
use crate::failure::Failure;
use crate::output::print;
use crate::screen::{fit, prose};

/// The round trip for which response functions are given, in seconds.
const RTT: f64 = 0.1;

/// The heads of the columns of a list, and the keys of their cells.
type Columns = (Kind, &'static [&'static str], &'static [&'static str]);

/// All kinds, in the order of the lists.
const COLUMNS: [Columns; 8] = [
    (Kind::Cc, &["congestion control", "", "source"], &["name", "title", "source"]),
    (Kind::Queue, &["queue policy", "", "source"], &["name", "title", "source"]),
    (Kind::Traffic, &["traffic"], &["name", "title"]),
    (Kind::SlowStart, &["slow start", "", "source"], &["name", "title", "source"]),
    (Kind::Recovery, &["recovery"], &["name", "title"]),
    (Kind::Profile, &["profile"], &["name", "title"]),
    (Kind::Paper, &["paper", "", ""], &["name", "title", "covers"]),
    (Kind::Measure, &["measure", "of", "unit", ""], &["name", "of", "unit", "title"]),
];

/// Below the list of measures.
const NAMES: &str = "Measures are about the measuring window unless they say otherwise. The full \
    name of a measure of the whole experiment is its name; of a group of flows it is \
    groups.NAME.MEASURE, of transfers or web pages transfers.NAME.MEASURE, of a link \
    links.NAME.MEASURE, and of a background source background.NAME.MEASURE.";

/// Prints all of `args.what`, or everything that there is.
pub fn list(args: &ListArgs) -> Result<(), Failure> {
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
    if args.format == Sheets::Json {
        return put(all.into_iter().map(of_kind).collect());
    }
    let mut parts = Vec::new();
    let wanted = |kind| what.map_or(kind != Kind::Measure, |what| what == kind);
    for (kind, heads, keys) in COLUMNS.into_iter().filter(|(kind, ..)| wanted(*kind)) {
        let mut table = Table::new(heads.iter().copied()).left().bold_head();
        let own = all.iter().filter(|(own, _)| *own == kind);
        own.for_each(|(_, one)| table.row(keys.iter().filter_map(|key| one[key].as_str())));
        parts.push(fit(&table));
    }
    if what == Some(Kind::Measure) {
        parts.push(prose(NAMES));
    }
    print(&parts.join("\n"))
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
