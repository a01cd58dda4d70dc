//! `tusker list` and `tusker explain`: what has a name.

use clap::ValueEnum;
use serde_json::Value as Json;
use tusker_report::names::{self, Entry};

use crate::args::{ExplainArgs, Kind, ListArgs};
use crate::done::{Done, Value};
use crate::failure::Failure;

/// Names and what is known about them.
#[derive(Debug)]
pub struct Names(Vec<Entry>);

impl Value for Names {
    fn json(&self) -> String {
        format!("{:#}\n", Json::Array(self.0.iter().map(Entry::json).collect()))
    }

    fn csv(&self) -> String {
        names::csv(&self.0)
    }
}

/// All names of `args.what`, or all but measures, which are many.
pub fn list(args: &ListArgs) -> Result<Done<Names>, Failure> {
    let kind = args.what.and_then(|kind| kind.to_possible_value());
    let kind = kind.as_ref().map(|kind| kind.get_name());
    let mut all = match args.what {
        Some(Kind::Measure) => names::of_measures(),
        Some(Kind::Paper) => Vec::new(),
        _ => names::of_scenarios(),
    };
    if matches!(args.what, None | Some(Kind::Paper)) {
        all.extend(tusker_papers::names::papers()?);
    }
    all.retain(|own| kind.is_none_or(|kind| kind == own.kind));
    let page = names::listed(&all);
    Ok(Done::of(Names(all), page))
}

/// What has this name.
pub fn explain(args: &ExplainArgs) -> Result<Done<Names>, Failure> {
    let name = args.name.to_lowercase();
    let mut found = names::named(&name);
    // a law or a measure is meant first
    if found.is_empty() {
        found.extend(tusker_papers::names::papers()?.into_iter().filter(|own| own.name == name));
    }
    if found.is_empty() {
        let help = names::nearest(&args.name);
        let message = format!("there is no `{}`", args.name.escape_debug());
        return Err(Failure::input(message, help));
    }
    let page = names::explained(&found);
    Ok(Done::of(Names(found), page))
}
