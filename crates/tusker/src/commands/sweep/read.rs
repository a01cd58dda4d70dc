//! What the options and the sweep file of `tusker sweep` ask for.

use std::path::Path;
use std::sync::Mutex;

use tusker_lab::sweep::Until;
use tusker_scenario::paths;
use tusker_scenario::sweep::{Axis, Change, Grid, Part, SweepFile, Template};

use super::{Job, path};
use crate::args::{SweepArgs, SweepPathArgs};
use crate::failure::Failure;
use crate::scenarios::{self, Given, wrong};

impl Job {
    /// What flags, and a file that says what is varied, ask for; with a scenario that
    /// was given instead of a file, or is made from options.
    pub(super) fn of(args: &SweepArgs, given: Option<&Given>) -> Result<Self, Failure> {
        let made = path::scenario(&args.path).map_err(wrong)?.map(Template::of);
        let given = given.map(Given::template).or(made);
        let named = args.file.as_deref().unwrap_or(Path::new("-"));
        let no_file = given.is_some() || named == Path::new("-");
        let file = if no_file { None } else { SweepFile::load(named).map_err(wrong)? };
        let given_name = || path::name(&args.path).unwrap_or(Given::NAME.to_owned());
        let (path, name) = match &file {
            _ if given.is_some() => (named, given_name() + "-sweep"),
            Some(file) => (file.scenario.as_path(), scenarios::name(named)),
            None => (named, scenarios::name(named) + "-sweep"),
        };
        let read = || {
            let (name, text, folder) = scenarios::text(path)?;
            Ok::<_, Failure>(Template::new(name, text, folder))
        };
        let source = given.map_or_else(read, Ok)?;
        let SweepPathArgs { cc, rate, rtt, buffer, loss, .. } = &args.path;
        let options =
            [("cc", cc), ("rate", rate), ("rtt", rtt), ("buffer", buffer), ("loss", loss)];
        let axes = paths::axes(options.map(|(name, text)| (name, text.as_ref())));
        let mut axes = axes.map_err(wrong)?;
        for over in &args.over {
            axes.push(Axis::read(over).map_err(wrong)?);
        }
        let (mut parts, mut sets) = (Vec::new(), Vec::new());
        let set = |from: &str, text: String| {
            let from = from.to_owned();
            Change { from, sets: vec![text.clone()], text }
        };
        let mut options = Vec::new();
        let (mut replicates, mut until, mut measures) = (None, None, args.measures.clone());
        if let Some(file) = file {
            parts = file.grid.parts;
            let from = format!("set in {}", named.display());
            sets.extend(file.set.into_iter().map(|text| set(&from, text)));
            (replicates, until) = (file.replicates, file.until);
            let in_file = |key: &str| format!("{key} in {}", named.display());
            options.extend(replicates.map(|_| (in_file("replicates"), "replicates")));
            options.extend(until.as_ref().map(|_| (in_file("until"), "replicates")));
            if measures.is_empty() {
                let named = file.measure.iter().flat_map(|names| names.split(','));
                measures.extend(named.map(|name| name.trim().to_owned()));
            }
        }
        let in_file = parts.iter().map(|part| part.axes.len()).sum();
        let from_file = (in_file, named.display().to_string());
        parts.extend(axes.into_iter().map(|axis| Part { axes: vec![axis] }));
        let duration = args.path.duration.iter();
        sets.extend(duration.map(|duration| set("--duration", format!("duration={duration}"))));
        sets.extend(args.sets.iter().map(|text| set("--set", text.clone())));
        let option = |name: &str| name.to_owned();
        options.extend(args.how.seed.map(|_| (option("--seed"), "seed")));
        options.extend(args.how.replicates.map(|_| (option("--replicates"), "replicates")));
        options.extend(args.until.as_ref().map(|_| (option("--until"), "replicates")));
        let grid = Grid::new(parts).map_err(wrong)?;
        let mut changes = grid.changes(0);
        for change in changes.iter_mut().take(from_file.0) {
            change.from.clone_from(&from_file.1);
        }
        source.check(&sets, (&grid, &changes), &options).map_err(wrong)?;
        let sets = sets.into_iter().flat_map(|change| change.sets).collect();
        let until = args.until.clone().or(until).map(|text| {
            let measure = measures.first().cloned().unwrap_or("goodput_bps".to_owned());
            Ok::<_, Failure>(Until { share: share(&text)?, measure, most: args.most })
        });
        let until = until.transpose()?;
        if until.is_none() && args.most != SweepArgs::default().most {
            let help = "add --until 2%, or use --replicates";
            return Err(Failure::input("--most is only for --until", help));
        }
        Ok(Self {
            name,
            grid,
            sets,
            seed: args.how.seed,
            replicates,
            until,
            measures,
            source,
            from_file,
            seen: Mutex::default(),
        })
    }
}

/// `2%`, or a number between 0 and 1.
fn share(text: &str) -> Result<f64, Failure> {
    let plain = text.trim().trim_start_matches('±').trim();
    let (number, scale) = match plain.strip_suffix('%') {
        Some(number) => (number.trim(), 0.01),
        None => (plain, 1.0),
    };
    let share = number.parse::<f64>().ok().map(|number| number * scale);
    share.filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| {
        let message = format!("--until: `{}` is not a share of the mean", text.escape_debug());
        Failure::input(message, "write a share such as 2%")
    })
}
