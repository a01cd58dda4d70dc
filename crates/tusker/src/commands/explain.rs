//! `tusker explain`: what an algorithm does, from its own sheet.

use tusker_core::{Param, Sheet, congestion, queue};
use tusker_record::table::Table;

use super::list::{TRAFFIC, Traffic};
use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::output::{bold, print};

pub fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let name = args.name.to_lowercase();
    let found = |sheets: &'static [Sheet]| sheets.iter().find(|sheet| sheet.name == name);
    if let Some(sheet) = found(congestion::ALL) {
        print(&page(sheet, "congestion control", &format!("cc = {}", example(sheet, "name"))))
    } else if let Some(sheet) = found(queue::ALL) {
        print(&page(sheet, "queue policy", &format!("queue = {}", example(sheet, "policy"))))
    } else if let Some(traffic) = TRAFFIC.iter().find(|traffic| traffic.name == name) {
        print(&traffic_page(traffic))
    } else {
        Err(unknown(&args.name))
    }
}

fn page(sheet: &Sheet, kind: &str, example: &str) -> String {
    let mut text = format!("{}: {}, a {kind}\n\n", bold(sheet.name), sheet.title);
    let mut part = |head: &str, body: &str| {
        if !body.is_empty() {
            text += &format!("{}\n{}\n\n", bold(head), indented(body));
        }
    };
    part("Source", sheet.source);
    part("Rules", sheet.equations);
    part("Parameters", &parameters(sheet.params));
    part("Where this differs", sheet.differs);
    part("In a scenario", example);
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn traffic_page(traffic: &Traffic) -> String {
    format!(
        "{}: {}\n\n{}\n\n{}\n{}\n",
        bold(traffic.name),
        traffic.title,
        indented(traffic.about),
        bold("In a scenario"),
        indented(traffic.example)
    )
}

fn parameters(params: &[Param]) -> String {
    if params.is_empty() {
        return "none".to_owned();
    }
    let mut table = Table::new(["name", "default", "range", "unit", "meaning"]).left();
    for param in params {
        let range = format!("{} .. {}", param.min, param.max);
        let unit = if param.unit.is_empty() { "-" } else { param.unit };
        let default = param.default.to_string();
        table.row([param.name, &default, &range, unit, param.about]);
    }
    table.to_string()
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

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("  {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// The error for a name that nothing has, with the nearest one that exists.
fn unknown(name: &str) -> Failure {
    let sheets = congestion::ALL.iter().chain(queue::ALL).map(|sheet| sheet.name);
    let names: Vec<&str> = sheets.chain(TRAFFIC.iter().map(|traffic| traffic.name)).collect();
    let lower = name.to_lowercase();
    let distance = |candidate: &str| strsim::damerau_levenshtein(&lower, candidate);
    let nearest = names.iter().min_by_key(|candidate| distance(candidate));
    let help = match nearest.filter(|near| distance(near) <= 1 + near.len() / 3) {
        Some(near) => format!("did you mean `{near}`? `tusker list` shows all names"),
        None => format!("these exist: {}", names.join(", ")),
    };
    Failure::input(format!("nothing is called `{}`", name.escape_debug()), help)
}
