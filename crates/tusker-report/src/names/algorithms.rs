//! Congestion controls, queue policies and kinds of slow start, from their sheets.

use serde_json::{Value, json};
use tusker_core::congestion::linux::Counts;
use tusker_core::congestion::{self, SlowStart};
use tusker_core::{Kind as _, Param, Sheet, queue};
use tusker_measure::response::response;

use super::Entry;
use crate::page::{Block, Table};

/// The round trip for which response functions are given, in seconds.
const RTT: f64 = 0.1;

/// All of them.
pub fn all() -> impl Iterator<Item = Entry> {
    let cc = congestion::Kind::ALL.iter().map(|kind| law(*kind));
    let queue = queue::ALL.iter().map(|sheet| {
        let example = format!("queue = {}", example(sheet, "policy"));
        finish(begin("queue", "queue policy", "Rules", sheet), sheet, &example)
    });
    let slow_start = SlowStart::ALL.iter().map(|sheet| {
        let example = format!("slow_start = {}", example(sheet, "name"));
        finish(begin("slow-start", "kind of slow start", rules(sheet), sheet), sheet, &example)
    });
    cc.chain(queue).chain(slow_start)
}

fn law(kind: congestion::Kind) -> Entry {
    let sheet = kind.sheet();
    let linux = in_linux(sheet);
    let entry = begin("cc", "congestion control", rules(sheet), sheet);
    let entry = entry.value("in_linux", linux.as_str()).text("In Linux", &linux);
    let entry = finish(entry, sheet, &format!("cc = {}", example(sheet, "name")));
    match response_points(kind) {
        Some(points) => entry.value("response", json!({ "rtt_s": RTT, "points": points })),
        None => entry,
    }
}

fn begin(kind: &'static str, what: &str, rules: &str, sheet: &Sheet) -> Entry {
    let needs: Vec<&str> = sheet.needs.iter().map(|need| need.about()).collect();
    Entry::new(kind, sheet.name, format!("a {what}: {}", sheet.title))
        .value("title", sheet.title)
        .value("family", sheet.family.title())
        .value("source", sheet.source)
        .text("Source", sheet.source)
        .value("rules", sheet.equations)
        .lines(rules, sheet.equations)
        .value("parameters", sheet.params.iter().map(param).collect::<Vec<_>>())
        .block(parameters(sheet.params))
        .value("needs", needs.clone())
        .text("Needs", &needs.join("; "))
}

fn finish(entry: Entry, sheet: &Sheet, example: &str) -> Entry {
    let differs = (!sheet.differs.is_empty()).then(|| {
        let title = "Where this differs from the source (with tests and test scripts that show it)";
        let items = sheet
            .differs
            .lines()
            .map(|item| if item.starts_with('-') { item.to_owned() } else { format!("- {item}") });
        Block::More(title.to_owned(), vec![Block::Text(items.collect::<Vec<_>>().join("\n"))])
    });
    entry
        .value("differs", sheet.differs)
        .block(differs)
        .value("example", example)
        .lines("In a scenario", example)
}

/// The heading of rules, which says what `w` is if there is one.
fn rules(sheet: &Sheet) -> &'static str {
    let mut words = sheet.equations.split(|c: char| !c.is_alphanumeric() && c != '_');
    match words.any(|word| word == "w") {
        true => "Rules (w: congestion window, in segments)",
        false => "Rules",
    }
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

fn parameters(params: &[Param]) -> Block {
    if params.is_empty() {
        return Block::Facts(vec![("Parameters".to_owned(), "none".to_owned())]);
    }
    let mut table = Table::new("", ["parameter", "default", "range", "unit", "meaning"]);
    table.words = true;
    for param in params {
        let range = format!("{} .. {}", param.min, param.max);
        let unit = if param.unit.is_empty() { "-" } else { param.unit };
        table.row(None, [param.name, &param.default.to_string(), &range, unit, param.about]);
    }
    Block::Table(table)
}

/// What Linux has of a law: the kernel's name, and what the profile `linux` takes from there.
fn in_linux(sheet: &Sheet) -> String {
    let linux = sheet.linux;
    let mut all = vec![linux.today.to_owned()];
    if let Some(module) = linux.module {
        if let Some(kernel) = module.patched {
            all.push(format!("As `{}` in {kernel}.", module.name));
        } else if linux.today.is_empty() {
            all.push(format!("The kernel's name is `{}` (tcp_{0}).", module.name));
        }
        let value = |(name, value): &(&str, f64)| {
            let flag = sheet.params.iter().any(|p| p.name == *name && p.unit == "flag");
            let text = if flag { (*value != 0.0).to_string() } else { value.to_string() };
            format!("{name} = {text}")
        };
        let counting = match module.counts {
            Counts::Segments => Some("counting = \"segments\""),
            Counts::AcksInAvoidance => Some("counting = \"segments-then-acks\""),
            Counts::Acks => Some("counting = \"acks\""),
            Counts::Neither => None,
        };
        let params = module.params.iter().map(value);
        let values: Vec<String> = params.chain(counting.map(str::to_owned)).collect();
        if !values.is_empty() {
            all.push(format!("In the profile linux, as there: {}.", values.join(", ")));
        }
        all.push(module.about.to_owned());
    }
    let load = match (linux.load, linux.module) {
        (None, _) => "",
        (_, Some(_)) => {
            "With other parameters, `tusker testbed` and `tusker plan` use the version that \
             `tusker kernel load` loads, which counts segments."
        }
        (_, None) => {
            "Not part of Linux: `tusker kernel load` loads it. It counts segments, as in the \
             profile linux."
        }
    };
    all.push(load.to_owned());
    all.retain(|text| !text.is_empty());
    all.join(" ")
}

/// How a scenario names it, with its first parameter if it has one.
fn example(sheet: &Sheet, key: &str) -> String {
    let limit = if key == "policy" { ", limit = \"1bdp\"" } else { "" };
    match sheet.params.first() {
        Some(p) => format!("{{ {key} = \"{}\"{limit}, {} = {} }}", sheet.name, p.name, p.default),
        None if limit.is_empty() => format!("\"{}\"", sheet.name),
        None => format!("{{ {key} = \"{}\"{limit} }}", sheet.name),
    }
}

/// Mean windows at shares of packets lost at random, for a law that has a closed form.
fn response_points(kind: congestion::Kind) -> Option<Vec<Value>> {
    let losses = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
    let point = |loss| {
        let window = response(kind, loss, RTT)?;
        Some(json!({ "loss": loss, "window_segments": window }))
    };
    losses.into_iter().map(point).collect()
}
