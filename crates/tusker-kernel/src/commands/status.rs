//! `tusker kernel status`: which of our laws the kernel has.

use std::process::ExitCode;

use serde_json::{Value, json};
use tusker_kernel::host::HostLaw;

use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::machine::{Machine, Task, available, may};

/// Prints it.
pub fn status(as_json: bool) -> Result<ExitCode, Failure> {
    if !as_json && !may(Task::Status) {
        names();
        return Ok(ExitCode::SUCCESS);
    }
    Machine::look(Task::Status)?;
    let all = Loaded::settled()?;
    if as_json {
        let list: Vec<Value> = all.iter().map(value).collect();
        anstream::println!("{:#}", Value::Array(list));
    } else if all.is_empty() {
        eprintln!("no congestion control of Tusker is loaded; tusker kernel load LAW loads one");
    } else {
        let rows: Vec<[String; 5]> = all.iter().map(row).collect();
        let head = ["name", "law", "parameters", "connections", "how long"].map(str::to_owned);
        table(&head, &rows);
    }
    Ok(ExitCode::SUCCESS)
}

/// What anyone may read: the names that programs can choose.
fn names() {
    let all = available();
    let ours = all.iter().filter(|name| HostLaw::named(name).is_some());
    ours.for_each(|name| anstream::println!("{name}"));
    eprintln!(
        "note: these are only the names of laws of Tusker that programs can choose. Parameters, \
         connections and laws under other names need CAP_SYS_ADMIN: sudo tusker kernel status"
    );
}

fn value(loaded: &Loaded) -> Value {
    json!({
        "name": loaded.control.name,
        "law": loaded.control.law,
        "parameters": parameters(loaded).map(|(name, value)| (name.to_owned(), value.into()))
            .collect::<serde_json::Map<String, Value>>(),
        "registered": loaded.registered,
        "connections": loaded.control.open(),
        "connections_ever": loaded.control.opened,
        "shrinks": loaded.control.shrinks,
        "timeouts": loaded.control.timeouts,
        "undone": loaded.control.undone,
        "states": loaded.control.states,
        "skipped": loaded.control.skipped,
        "pin": loaded.pin,
        "process": loaded.holder,
    })
}

/// The parameters with which the law was loaded, by the names of `tusker explain`.
fn parameters(loaded: &Loaded) -> impl Iterator<Item = (&'static str, f64)> {
    let numbers = HostLaw::named(&loaded.control.law).map(HostLaw::params).unwrap_or_default();
    let known = numbers.into_iter().zip(&loaded.params);
    known.map(|(number, &units)| (number.name, units as f64 / number.one as f64))
}

/// Those that differ from the law's defaults, as text.
fn changed(loaded: &Loaded) -> String {
    let numbers = HostLaw::named(&loaded.control.law).map(HostLaw::params).unwrap_or_default();
    let shown: Vec<String> = numbers
        .iter()
        .zip(&loaded.params)
        .filter(|(number, units)| number.default != **units)
        .map(|(number, &units)| {
            // to the precision of the law's units
            let value = (units as f64 / number.one as f64 * 1e6).round() / 1e6;
            format!("{}={value}", number.name)
        })
        .collect();
    shown.join(" ")
}

fn row(loaded: &Loaded) -> [String; 5] {
    [
        loaded.control.name.clone(),
        loaded.control.law.clone(),
        changed(loaded),
        loaded.control.open().to_string(),
        loaded.how_long(),
    ]
}

fn table(head: &[String; 5], rows: &[[String; 5]]) {
    let wide = |i: usize| rows.iter().chain([head]).map(|row| row[i].len()).max().unwrap_or(0);
    let wide = [wide(0), wide(1), wide(2), wide(3)];
    for row in [head].into_iter().chain(rows) {
        let [name, law, parameters, connections, how_long] = row;
        anstream::println!(
            "{name:0$}  {law:1$}  {parameters:2$}  {connections:>3$}  {how_long}",
            wide[0],
            wide[1],
            wide[2],
            wide[3]
        );
    }
}
