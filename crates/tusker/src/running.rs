//! How the command line runs experiments: the simulator, what flags say, a progress bar or
//! progress lines, and Ctrl-C.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Instant;

use indicatif::ProgressBar;
use tusker_lab::{Budget, Experiment, Lab, News, Outcome, Trouble, Watch};
use tusker_measure::summary::Summary;
use tusker_plan::budget::size;
use tusker_plan::executor::Executor;
use tusker_plan::plane::Plane;
use tusker_sim::Simulator;

pub use crate::args::command_line;
use crate::args::{HowArgs, Options, Request};
use crate::done::{Done, Means, Value};
use crate::failure::Failure;
use crate::output::{bar_style, progress, say};
use crate::progress::ProgressLines;
use crate::screen::safe;
use crate::{done, interrupt, scenarios};

/// What flags say of how to simulate.
pub fn lab(how: &HowArgs) -> Lab<'static> {
    lab_of(&Simulator, how)
}

/// What flags say of how to run, with any executor.
pub fn lab_of<'a>(executor: &'a dyn Executor, how: &HowArgs) -> Lab<'a> {
    let budget = how.memory.map_or_else(Budget::unasked, Budget::asked);
    static NOTED: Once = Once::new();
    if let Some(note) = budget.note().filter(|_| !how.quiet) {
        NOTED.call_once(|| say(&format!("note: {note}")));
    }
    let jobs = how.jobs.map(|jobs| jobs as usize);
    Lab { executor, elsewhere: None, jobs, budget, command: command_line(), bands: true }
}

/// Runs every replicate that is not in the stores yet.
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub fn execute_with(
    executor: &dyn Executor,
    experiments: &[Experiment],
    how: &HowArgs,
) -> Result<Outcome, Trouble> {
    execute_by(lab_of(executor, how), experiments, how)
}

/// The same with whatever a lab has.
pub fn execute_by(
    lab: Lab<'_>,
    experiments: &[Experiment],
    how: &HowArgs,
) -> Result<Outcome, Trouble> {
    done::execute(&lab, experiments, &watcher(how.quiet))
}

/// A command.
pub type Command<T, V> = fn(&Request<T>, &Means<'_>, &dyn Watch) -> Result<Done<V>, Failure>;

/// A command as the command line does it: asks for it as it was typed, and prints the answer.
pub fn typed<T: Options, V: Value>(args: T, of: Command<T, V>) -> Result<(), Failure> {
    let (format, quiet) = (args.format(), args.quiet());
    let build = scenarios::build(Plane::Simulator);
    let watch = watcher(quiet);
    of(&Request::typed(args), &Means::of(&build), &watch)?.print(format, quiet)
}

/// Shows on stderr how far the runs are.
pub fn watcher(quiet: bool) -> impl Watch {
    let lines = !quiet && !stderr().is_terminal();
    let lines = lines.then(|| Mutex::new((Instant::now(), ProgressLines::default(), None)));
    Terminal { bar: progress(quiet), lines, quiet }
}

/// Shows progress on stderr, and ends at Ctrl-C.
struct Terminal {
    bar: ProgressBar,
    /// When the runs began, what is said of them, and what one simulates, where a bar cannot be
    /// seen.
    lines: Option<Mutex<(Instant, ProgressLines, Option<f64>)>>,
    quiet: bool,
}

impl Terminal {
    fn begin(&self, runs: usize, seconds: Option<f64>) {
        self.bar.set_style(bar_style(seconds));
        self.bar.set_length(runs as u64 * News::STEPS);
        if let Some(lines) = &self.lines {
            *lines.lock().unwrap_or_else(PoisonError::into_inner) =
                (Instant::now(), ProgressLines::of(runs), seconds);
        }
    }

    fn advance(&self, steps: u64) {
        self.bar.inc(steps);
        if let Some(lines) = &self.lines {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let (began, pace, seconds) = &mut *lines;
            if let Some(line) = pace.line(began.elapsed(), self.bar.position(), *seconds) {
                say(&line);
            }
        }
    }
}

impl Watch for Terminal {
    fn stopped(&self) -> bool {
        interrupt::stopped()
    }

    fn tell(&self, news: News<'_>) {
        match news {
            News::There(experiments) => tell_what_is_there(experiments),
            News::Fewer { .. } if self.quiet => {}
            News::Fewer { jobs, wanted, largest, budget } => say(&format!(
                "{jobs} of {wanted} runs at a time: one needs about {} of the {} of memory",
                size(largest),
                size(budget)
            )),
            News::NoThread { jobs, wanted, error } => {
                say(&format!("{jobs} of {wanted} runs at the same time: {error}"));
            }
            News::Note { doubt: false, .. } if self.quiet => {}
            News::Note { text, .. } => say(&format!("note: {text}")),
            News::Begin { runs, seconds } => self.begin(runs, seconds),
            News::Run { name, of: 1, .. } => self.bar.set_message(safe(name)),
            News::Run { .. } => {}
            News::Steps(steps) => self.advance(steps),
            News::End => self.bar.finish_and_clear(),
        }
    }
}

/// Says what needs no run: one line for each experiment, or for all of many.
fn tell_what_is_there(experiments: &[(&str, usize, usize)]) {
    const MANY: usize = 4;
    if experiments.len() > MANY {
        let done: usize = experiments.iter().map(|(_, done, _)| done).sum();
        let all: usize = experiments.iter().map(|(_, _, wanted)| wanted).sum();
        if done > 0 {
            say(&format!("{done} of {all} runs are done already"));
        }
        return;
    }
    for (name, done, wanted) in experiments.iter().filter(|(_, done, _)| *done > 0) {
        say(&format!("{name}: {done} of {wanted} replicates are done already"));
    }
}

/// How fast it went, for stderr.
pub fn speed(summaries: &[Summary]) -> String {
    let wall: f64 = summaries.iter().map(|s| s.execution.wall_s).sum();
    let simulated: f64 = summaries.iter().map(|s| s.execution.speed * s.execution.wall_s).sum();
    let segments: f64 =
        summaries.iter().map(|s| s.execution.segments_per_s * s.execution.wall_s).sum();
    let per_second = |amount: f64| if wall > 0.0 { amount / wall } else { 0.0 };
    let several = summaries.iter().map(|s| s.seeds.len()).sum::<usize>() > 1;
    let took = match several {
        true => format!("runs of {wall:.1} s altogether"),
        false => format!("{wall:.1} s"),
    };
    format!(
        "{simulated:.0} s simulated in {took}: {:.1} x real time, {:.2} million segments/s",
        per_second(simulated),
        per_second(segments) / 1e6
    )
}

/// Several summaries as one JSON array.
pub fn json(summaries: &[Summary]) -> String {
    let all: Vec<String> = summaries.iter().map(|summary| summary.to_json()).collect();
    let all: Vec<&str> = all.iter().map(|text| text.trim_end()).collect();
    format!("[{}]\n", all.join(",\n"))
}
