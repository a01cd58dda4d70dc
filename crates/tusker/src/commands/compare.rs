//! `tusker compare`: congestion controls on one path, each alone or against
//! another, without a scenario file. Each stands for a scenario all the same,
//! which `--print-scenario` prints.

use std::fmt::Write;

use tusker_core::{Duration, Rate};
use tusker_record::scenario::{Scenario, Written};
use tusker_record::store::{self, Existing, Store};
use tusker_record::summary::Summary;

use super::run::finish;
use crate::args::{CompareArgs, Format};
use crate::execute::{Experiment, execute};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::report;
use crate::scenarios::{self, wrong};

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let texts: Vec<(String, String)> = args
        .cc
        .iter()
        .map(|cc| Ok((label(cc, args.against.as_deref()), scenario(args, cc)?)))
        .collect::<Result<_, Failure>>()?;
    if args.print_scenario {
        let texts: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        return print(&texts.join("\n"));
    }
    let mut experiments = Vec::new();
    for (name, text) in texts {
        let scenario =
            Scenario::parse(&format!("{name}.toml"), &text, &args.sets).map_err(wrong)?;
        let ready = scenarios::ready(name, scenario, &args.how)?;
        experiments.push(Experiment { ready, store: None });
    }
    // only now: a mistake in the last one leaves no folder of the first
    if let Some(out) = &args.out {
        let existing = if args.force { Existing::Replace } else { Existing::Refuse };
        for experiment in &mut experiments {
            let ready = &experiment.ready;
            let needed = store::estimate(&ready.plan, ready.replicates);
            let (dir, format) = (out.join(&ready.name), store::Format::default());
            experiment.store = Some(Store::open(&dir, &ready.text, existing, format, needed)?);
        }
    }
    let outcome = execute(&experiments, &args.how)?;
    if outcome.has_results() {
        print(&match args.how.format {
            Format::Table => report::compare(&outcome.summaries),
            Format::Json => report::json(&outcome.summaries),
            Format::Csv => Summary::to_csv(&outcome.summaries),
        })?;
        if !args.how.quiet {
            say(&report::speed(&outcome.summaries));
        }
    }
    finish(outcome, &experiments, args.how.quiet)
}

/// What one of the experiments is called.
fn label(cc: &str, against: Option<&str>) -> String {
    match against {
        Some(other) => format!("{}-against-{}", name(cc), name(other)),
        None => name(cc),
    }
}

/// A name for a group, and for a folder: `ghstcp:z=2` is `ghstcp+z2`.
fn name(cc: &str) -> String {
    let kept = cc.replace(':', "+").replace('=', "");
    kept.chars().map(|c| if c.is_alphanumeric() || "+-_.".contains(c) { c } else { '-' }).collect()
}

/// The scenario file that one congestion control stands for.
fn scenario(args: &CompareArgs, cc: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{key}{value}");
    };
    let rivals = args.against.as_deref();
    let path = format!("{}, {}", args.rate, args.rtt);
    let title = match rivals {
        Some(other) => format!("{} x {cc} against {} x {other}, {path}", args.flows, args.flows),
        None => format!("{} x {cc}, {path}", args.flows),
    };
    line("title = ", &quoted(&title));
    line("profile = ", &quoted(&args.profile));
    line("duration = ", &quoted(&args.duration));
    line("\n[dumbbell]", "");
    line("rate = ", &quoted(&args.rate));
    // all of the round trip is the bottleneck's; hosts are ten times as fast
    let rate: Rate = read("--rate", &args.rate)?;
    let rtt: Duration = read("--rtt", &args.rtt)?;
    let delay = Duration::from_nanos(rtt.nanos() / 2);
    let access = Rate::from_bits_per_sec(rate.bits_per_sec().saturating_mul(10));
    line("delay = ", &quoted(&delay.to_string()));
    line("access = ", &format!("{{ rate = \"{access}\", delay = \"0s\" }}"));
    line("queue = ", &table("policy", &args.queue, &[("limit", &args.buffer)])?);
    let rival =
        |other| (if other == cc { format!("other-{}", name(other)) } else { name(other) }, other);
    let groups = [(name(cc), cc)].into_iter().chain(rivals.map(rival));
    for (name, cc) in groups {
        line("\n[[flows]]", "");
        line("name = ", &quoted(&name));
        line("count = ", &args.flows.to_string());
        line("cc = ", &table("name", cc, &[])?);
        line("recovery = ", &quoted(&args.recovery));
        line("start = ", "{ uniform = [\"0s\", \"1s\"] }");
    }
    Ok(text)
}

/// A value of a flag, in the units of scenario files.
fn read<T: Written>(flag: &str, text: &str) -> Result<T, Failure> {
    T::read(text).map_err(|(message, help)| Failure::input(format!("{flag}: {message}"), help))
}

/// `red:max_p=0.02` as `{ policy = "red", limit = "1bdp", max_p = 0.02 }`.
fn table(key: &str, text: &str, more: &[(&str, &str)]) -> Result<String, Failure> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let mut table = format!("{{ {key} = {}", quoted(name));
    for (key, value) in more {
        let _ = write!(table, ", {key} = {}", quoted(value));
    }
    for part in parts {
        let pair = part.split_once('=').filter(|(key, value)| {
            key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !key.is_empty()
                && value.parse::<f64>().is_ok_and(f64::is_finite)
        });
        let Some((key, value)) = pair else {
            return Err(Failure::input(
                format!("`{}` in `{}` is no parameter", part.escape_debug(), text.escape_debug()),
                "write NAME:PARAM=NUMBER, with a colon before each parameter; \
                 `tusker explain NAME` lists them",
            ));
        };
        let _ = write!(table, ", {key} = {}", value.parse::<f64>().unwrap_or(0.0));
    }
    if table.ends_with(&quoted(name)) && more.is_empty() {
        return Ok(quoted(name));
    }
    Ok(table + " }")
}

/// As a TOML string: what JSON escapes, TOML reads.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
