//! Commands to try after a sweep.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_lab::sweep::Swept;
use tusker_measure::table::counted;
use tusker_report::page::Step;
use tusker_store::sweep::SweepSummary;

use crate::args::{SweepArgs, SweepPathArgs, step};
use crate::pages;

/// The same with `better` values, with values between those of `--where`, and what shows the
/// results.
pub(super) fn steps(
    args: &SweepArgs,
    dir: &Path,
    better: Option<(Vec<(&'static str, String)>, &'static str)>,
    finer: Option<&(String, String)>,
    swept: &Swept,
    summary: &SweepSummary,
) -> Vec<Step> {
    let folder = pages::path(dir);
    // other results go to another folder: the tables of this one keep its points
    let better = better.and_then(|(values, what)| {
        let keys =
            values.iter().map(|(key, _)| format!("-{}", key.rsplit('.').next().unwrap_or(key)));
        let other = format!("{}{}", dir.display(), keys.collect::<String>());
        step(&SweepArgs { out: Some(other.into()), ..set(args, &values) }, what)
    });
    let finer = finer.and_then(|(key, list)| {
        let what = format!(
            "values between those of --where, {}; figures have them, too",
            cost(key, list, swept, summary)
        );
        step(&relisted(args, key, list)?, what)
    });
    let show = Step::new(format!("report {folder} --list"), "lists its figures, to export them");
    better.into_iter().chain(finer).chain([show]).collect()
}

/// The same with these values of `--set`, instead of others of the same keys; the duration has
/// an option of its own.
fn set(args: &SweepArgs, values: &[(&str, String)]) -> SweepArgs {
    let mut args = args.clone();
    for (key, value) in values {
        if *key == "duration" {
            args.path.duration = None;
        }
        args.sets.retain(|own| own.split('=').next() != Some(key));
        args.sets.push(format!("{key}={value}"));
    }
    args
}

/// The same with another list for this key of `--over`, or for the option of this name; none if
/// neither was given.
fn relisted(args: &SweepArgs, key: &str, list: &str) -> Option<SweepArgs> {
    let mut args = args.clone();
    if let Some(over) = args.over.iter_mut().find(|own| own.split('=').next() == Some(key)) {
        *over = format!("{key}={list}");
        return Some(args);
    }
    let SweepPathArgs { rate, rtt, buffer, loss, .. } = &mut args.path;
    let option = match key {
        "rate" => rate,
        "rtt" => rtt,
        "buffer" => buffer,
        "loss" => loss,
        _ => return None,
    };
    *option.as_mut()? = list.to_owned();
    Some(args)
}

/// How many runs these values of the key need, and how long they take: `36 runs, about 25 s of one
/// processor`.
fn cost(key: &str, list: &str, swept: &Swept, summary: &SweepSummary) -> String {
    let along = summary.axes.iter().position(|axis| axis.name() == key);
    let values: BTreeSet<_> =
        summary.points.iter().filter_map(|point| point.values.get(along?)).collect();
    let all: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let share = list.split(',').count() as f64 / values.len().max(1) as f64;
    let runs = (f64::from(all) * share).round();
    let each = swept.simulating.as_secs_f64() / swept.ran.max(1) as f64;
    match swept.ran {
        0 => counted(runs as u128, "run"),
        _ => format!(
            "{}, about {:.0} s of one processor",
            counted(runs as u128, "run"),
            (each * runs).max(1.0)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep of a file, or without one of 1 Gbit/s and 1 ms for 2 s.
    fn sweep(file: bool, sets: &[&str], over: &[&str]) -> SweepArgs {
        let mut args = SweepArgs::default();
        let texts = |all: &[&str]| all.iter().map(|&own| own.to_owned()).collect();
        (args.sets, args.over) = (texts(sets), texts(over));
        if file {
            args.file = Some("a.toml".into());
        } else {
            let own = |text: &str| Some(text.to_owned());
            let (rate, rtt, buffer) = (own("1gbit"), own("1ms"), own("1bdp,2bdp"));
            let duration = own("2s");
            args.path = SweepPathArgs { rate, rtt, buffer, duration, ..args.path };
        }
        args
    }

    fn typed(args: &SweepArgs) -> String {
        step(args, "").unwrap().command
    }

    #[test]
    fn values_of_a_scenario_are_set_once() {
        let path = "sweep --rate 1gbit --rtt 1ms --buffer 1bdp,2bdp";
        for (args, words) in [
            (sweep(true, &[], &[]), "sweep a.toml"),
            (sweep(false, &[], &[]), path),
            (
                sweep(true, &["duration=3s", "dumbbell.jitter=0s", "profile=linux"], &[]),
                "sweep a.toml --set profile=linux",
            ),
        ] {
            let values = [("duration", "9s".to_owned()), ("dumbbell.jitter", "100us".to_owned())];
            let more = " --set duration=9s --set dumbbell.jitter=100us";
            assert_eq!(typed(&set(&args, &values)), format!("{words}{more}"));
        }
    }

    #[test]
    fn a_list_of_values_is_exchanged() {
        let args = sweep(true, &[], &["cc=reno", "d.queue=1bdp,2bdp", "d.q=1"]);
        let told = |key: &str| relisted(&args, key, "1..2:9").map(|own| typed(&own));
        let expected = "sweep a.toml --over cc=reno --over d.queue=1..2:9 --over d.q=1";
        assert_eq!(told("d.queue").as_deref(), Some(expected));
        let expected = "sweep a.toml --over cc=reno --over d.queue=1bdp,2bdp --over d.q=1..2:9";
        assert_eq!(told("d.q").as_deref(), Some(expected));
        assert_eq!(told("d.delay"), None);
        let args = sweep(false, &[], &[]);
        let told = |key: &str| relisted(&args, key, "1..2:9").map(|own| typed(&own));
        let expected = "sweep --rate 1gbit --rtt 1ms --buffer 1..2:9 --duration 2s";
        assert_eq!(told("buffer").as_deref(), Some(expected));
        assert_eq!(told("loss"), None);
    }
}
