//! Laws, queue policies and measures.

use serde_json::{Value, json};
use tusker_core::params::Sheet;
use tusker_core::{congestion, queue};
use tusker_measure::summary::{Background, Entry, Group, Link, Total, Transfers};

/// All of them.
pub fn catalogue() -> String {
    let sheets = |all: &[Sheet]| all.iter().map(described).collect::<Vec<_>>();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "laws": sheets(congestion::ALL),
        "queues": sheets(queue::ALL),
        "measures": measures(),
    })
    .to_string()
}

fn described(sheet: &Sheet) -> Value {
    let parameters = sheet.params.iter().map(|param| {
        json!({
            "key": param.name, "unit": param.unit, "min": param.min, "max": param.max,
            "default": param.default, "doc": param.about,
        })
    });
    json!({
        "key": sheet.name, "name": sheet.title, "family": sheet.family.title(),
        "parameters": parameters.collect::<Vec<_>>(),
        "equations": sheet.equations, "source": sheet.source, "differs": sheet.differs,
        "hue": sheet.look.hue, "dash": sheet.look.dash, "states": sheet.states,
        "response": sheet.losses.window.is_some(),
    })
}

fn measures() -> Vec<Value> {
    let of: [(&str, &[Entry]); 5] = [
        ("run", Total::ENTRIES),
        ("group", Group::ENTRIES),
        ("transfers", Transfers::ENTRIES),
        ("link", Link::ENTRIES),
        ("background", Background::ENTRIES),
    ];
    let all = of.into_iter().flat_map(|(of, entries)| entries.iter().map(move |e| (of, e)));
    let one = |(of, entry): (&str, &Entry)| {
        json!({
            "of": of, "key": entry.name, "name": entry.heading, "unit": entry.quantity.unit(),
            "doc": entry.about.trim(),
        })
    };
    all.map(one).collect()
}
