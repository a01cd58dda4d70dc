//! What one would do next with an answer.

use super::Told;
use crate::next;

/// Seeds from which there is an interval.
const ENOUGH: usize = 3;

/// Commands, and what each is good for.
pub(super) fn all(told: &Told<'_>) -> Vec<(String, String)> {
    let args = told.args;
    let seeds = told.answers().map(|a| a.all.seeds.len().max(a.all.means_of)).min().unwrap_or(0);
    let mut untried: Vec<&String> = told.answers().flat_map(|a| &a.untried).collect();
    untried.sort_unstable();
    untried.dedup();
    let mut steps = Vec::new();
    let base = command(told);
    if seeds < ENOUGH && !args.conclusions {
        let what = "three seeds, and with them intervals";
        steps.push((format!("{base} --replicates {ENOUGH}"), what.to_owned()));
    }
    if !untried.is_empty() {
        let what = match untried.len() {
            1 => "the reading that was not tried".to_owned(),
            some => format!("the {some} readings that were not tried"),
        };
        // those that are known need not be run again
        let names: Vec<&str> = untried.iter().map(|name| name.as_str()).collect();
        let named = match told.paper.readings.len() - names.len() > names.len() {
            true => format!(" --reading {}", names.join(",")),
            false => String::new(),
        };
        if args.readings.is_empty() || args.compare_readings {
            steps.push((format!("{base} --compare-readings{named}"), what));
        }
    }
    if let Some(path) = args.recorded.as_ref().filter(|_| args.out.is_none()) {
        let own = format!("{base} --recorded {} --out page", next::path(path));
        steps.push((own, "a page of this, to send".to_owned()));
    }
    steps
}

/// The command that asks the same and runs the rows.
fn command(told: &Told<'_>) -> String {
    let args = told.args;
    let mut words = vec!["tusker".to_owned(), "reproduce".to_owned(), args.paper.clone()];
    let mut add = |flag: &str, names: &[String]| {
        if !names.is_empty() {
            words.extend([flag.to_owned(), names.join(",")]);
        }
    };
    for asked in &args.claim.asked {
        add("--claim", std::slice::from_ref(asked));
    }
    add("--table", &args.tables);
    add("--case", &args.cases);
    add("--at", &args.at);
    if !args.compare_readings {
        add("--reading", &args.readings);
    }
    for set in &args.sets {
        add("--set", std::slice::from_ref(set));
    }
    if args.quick {
        words.push("--quick".to_owned());
    }
    next::command(&words)
}
