//! What a command came to: its answer as data and as a page, and how it ended.
//!
//! ```text
//!   words --clap--> Request --run, compare, ..--> Done --print--> stdout, stderr
//!   JSON ---serde-----^                            `----value---> Python
//! ```

use std::path::Path;

use tusker_lab::{Budget, Experiment, Lab, News, Outcome, Trouble, Watch};
use tusker_measure::table::{counted, verb};
use tusker_plan::executor::Executor;
use tusker_report::conditions::{Conditions, Judged};
use tusker_report::page::{Note, Page};
use tusker_report::terminal::{self, Terminal};
use tusker_store::Build;

use crate::args::{ConditionArgs, Format, HowArgs};
use crate::cluster::Reach;
use crate::failure::Failure;
use crate::output::{print_and_go_on, say};
use crate::scenarios::Given;
use crate::{interrupt, pages, screen};

/// What does the runs of a request, and where their results go.
#[derive(Debug)]
pub struct Means<'a> {
    /// What this program is, as far as it decides results.
    pub build: &'a Build,
    /// How `--ray` reaches a cluster.
    pub reach: Reach,
    /// The scenario, if it is no file.
    pub given: Option<&'a Given>,
    /// The folder for results, if the request names none.
    pub dir: Option<&'a Path>,
}

impl<'a> Means<'a> {
    /// Those of the command line.
    pub fn of(build: &'a Build) -> Self {
        Self { build, reach: Reach::default(), given: None, dir: None }
    }
}

/// An answer as data.
pub trait Value {
    /// All of it.
    fn json(&self) -> String;

    /// The rows of its table.
    fn csv(&self) -> String;
}

/// What a command came to.
#[derive(Debug)]
pub struct Done<T> {
    /// The answer; `None` if it ended before there was one.
    pub value: Option<T>,
    /// The same for people, with notes, where results are, and commands to type next.
    pub page: Page,
    /// Why it ended before everything was done, or what fails it.
    pub ended: Option<Failure>,
}

impl<T> Done<T> {
    /// An answer, and the same for people.
    pub fn of(value: T, page: Page) -> Self {
        Self { value: Some(value), page, ended: None }
    }

    /// Nothing but why it ended.
    pub fn early(page: Page, ended: impl Into<Failure>) -> Self {
        Self { value: None, page, ended: Some(ended.into()) }
    }

    /// The answer, of what was done as a whole.
    ///
    /// # Errors
    /// Why it ended early, or what fails it.
    pub fn into_result(self) -> Result<T, Failure> {
        match (self.ended, self.value) {
            (None, Some(value)) => Ok(value),
            (ended, _) => Err(ended.unwrap_or(Failure::Interrupted)),
        }
    }

    /// Takes in what was judged of it.
    pub fn judge(&mut self, judged: Judged) {
        let notes = judged.notes.iter().map(|text| Note { text: text.clone(), doubt: true });
        self.page.notes.splice(0..0, notes);
        self.ended = self.ended.take().or(fails(judged).err());
    }
}

impl<T: Value> Done<T> {
    /// Prints the answer, and what there is to say of it.
    ///
    /// # Errors
    /// Why it ended early, what fails it, or that it cannot be printed.
    pub fn print(self, format: Format, quiet: bool) -> Result<(), Failure> {
        self.print_on(&screen::terminal(quiet), format, quiet)
    }

    /// The same on a terminal such as this.
    ///
    /// # Errors
    /// As of [`Self::print`].
    pub fn print_on(
        mut self,
        shown: &Terminal,
        format: Format,
        quiet: bool,
    ) -> Result<(), Failure> {
        let printed = self.value.as_ref().map_or(Ok(()), |value| {
            let text = match format {
                Format::Table => terminal::text(&self.page, shown),
                Format::Json => value.json(),
                Format::Csv => value.csv(),
            };
            print_and_go_on(&text, quiet)
        });
        if format != Format::Table {
            terminal::more(&self.page, shown).iter().for_each(|more| say(more.trim_end()));
        }
        if !matches!(self.ended, None | Some(Failure::Verdict(_))) {
            self.page.next.clear();
        }
        pages::talk(&self.page, shown);
        match self.ended {
            None => printed,
            Some(verdict @ Failure::Verdict(_)) => printed.and(Err(verdict)),
            Some(failure) => Err(failure),
        }
    }
}

/// Fails if there is a cause.
pub fn fails(judged: Judged) -> Result<(), Failure> {
    if judged.causes.is_empty() { Ok(()) } else { Err(Failure::Verdict(judged.causes)) }
}

/// The conditions of flags.
pub fn conditions(args: &ConditionArgs) -> Result<Conditions, Failure> {
    Ok(Conditions::read(&args.fail_on)?)
}

/// What runs experiments as a request says.
pub fn lab<'a>(
    executor: &'a dyn Executor,
    how: &HowArgs,
    command: &[String],
    watch: &dyn Watch,
) -> Lab<'a> {
    let budget = how.memory.map_or_else(Budget::unasked, Budget::asked);
    if let Some(text) = budget.note() {
        watch.tell(News::Note { text: &text, doubt: false });
    }
    let (jobs, command) = (how.jobs.map(|jobs| jobs as usize), command.to_vec());
    Lab { executor, elsewhere: None, jobs, budget, command, bands: true }
}

/// Runs experiments, and ends in order if the watch says so.
pub fn execute(
    lab: &Lab<'_>,
    experiments: &[Experiment],
    watch: &dyn Watch,
) -> Result<Outcome, Trouble> {
    let mut outcome = interrupt::in_order(|| lab.run(experiments, watch))?;
    if watch.stopped() {
        // a moment after the last was done
        outcome.ended.get_or_insert(Trouble::Interrupted);
    }
    Ok(outcome)
}

/// Tells that so many lines of stored runs are not what was written.
pub fn tell_damaged(lines: usize, dir: &str, watch: &dyn Watch) {
    if lines > 0 {
        let (are, lines) = (verb(lines as u128, "is", "are"), counted(lines as u128, "line"));
        let text = format!("{lines} in {dir}/runs {are} damaged; their runs are repeated");
        watch.tell(News::Note { text: &text, doubt: true });
    }
}
