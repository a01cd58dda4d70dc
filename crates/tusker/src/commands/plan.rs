//! `tusker plan`: ways to do a transfer, ranked.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tusker_lab::Budget;
use tusker_lab::plan::{Ask, COST, Onlooker, Planner, WHOLE, Words};
use tusker_plan::executor::Executor;
use tusker_plan::plane::Plane;
use tusker_record::plan::{Basis, PlanRow, PlanSummary, duration};
use tusker_record::store::sweep::{Journal, POINTS};
use tusker_record::store::{self, Build, REPORT, planned};
use tusker_record::table::{Unit, fold};
use tusker_report::html;
use tusker_scenario::Written;
use tusker_sim::Simulator;

use crate::args::{Format, PlanArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::next;
use crate::outfile::{self, Kind};
use crate::output::{print, say};
use crate::running::command_line;
use crate::scenarios;
use crate::screen::{fit, paragraph};

pub fn plan(args: &PlanArgs) -> Result<(), Failure> {
    let build = scenarios::build(Plane::Simulator);
    let screen = Screen::new(args.quiet, budget(&args.budget)?);
    let make = || Made::of(args, &build, &Simulator, command_line(), &screen);
    let made = interrupt::in_order(make)?;
    screen.table.finish_and_clear();
    let summary = &made.summary;
    let text = match args.format {
        Format::Table => format!("{}\n{}", ranking(summary), below(summary)),
        Format::Json => summary.to_json(),
        Format::Csv => summary.to_csv(),
    };
    let printed = print(&text);
    if let Some(stored) = made.store()?.filter(|_| !args.quiet) {
        say(&stored);
    }
    if interrupt::stopped() {
        return Err(Failure::Interrupted);
    }
    if !summary.complete && !args.quiet {
        say(&format!(
            "stopped after {}, the budget: --budget 10min or --budget none gives it longer{}",
            args.budget,
            if args.out.is_some() { "" } else { ", and --out DIR keeps what was simulated" }
        ));
    }
    if let Some(dir) = made.dir().filter(|_| !args.quiet) {
        let ask = "'select law, streams, took_s, harm from plan'";
        next::steps(&[(format!("query {} {ask}", next::path(dir)), "any other question")]);
    }
    printed
}

/// A plan, and where it goes.
pub struct Made {
    /// The plan.
    pub summary: PlanSummary,
    journal: Option<Journal>,
}

impl Made {
    /// Makes the plan that was asked for; `command` is what the summary says was typed.
    pub fn of(
        args: &PlanArgs,
        build: &Build,
        executor: &dyn Executor,
        command: Vec<String>,
        watch: &dyn Onlooker,
    ) -> Result<Self, Failure> {
        let ask = Ask::read(&Words {
            size: &args.size,
            rate: &args.rate,
            rtt: &args.rtt,
            loss: &args.loss,
            buffer: &args.buffer,
            with: &args.with,
            laws: &args.laws,
            streams: &args.streams,
            socket_buffer: &args.socket_buffer,
            packet: &args.packet,
            until: &args.until,
        })?;
        let time = budget(&args.budget)?;
        if let Some(dir) = args.out.as_deref().filter(|dir| dir.join(POINTS).is_file()) {
            let message = format!(
                "--out {}: this folder holds a sweep, which has its own report",
                dir.display()
            );
            return Err(Failure::input(message, "give another folder; nothing was touched"));
        }
        let journal = args.out.as_deref().map(Journal::open).transpose()?;
        let journal = journal.map(|(journal, _)| journal);
        let planner = Planner {
            executor,
            jobs: args.jobs.map(|jobs| jobs as usize),
            memory: args.memory.map_or_else(Budget::unasked, Budget::asked),
            build,
            journal: journal.as_ref(),
            time,
            cost: COST,
            whole: WHOLE,
            command,
        };
        let summary = planner.run(&ask, watch)?;
        Ok(Self { summary, journal })
    }

    /// Where it is kept, if it is.
    pub fn dir(&self) -> Option<&Path> {
        self.journal.as_ref().map(Journal::dir)
    }

    /// Writes the plan, its table and its page beside the runs, if they are kept; what
    /// there is to say of it.
    pub fn store(&self) -> Result<Option<String>, Failure> {
        let (Some(journal), Some(dir)) = (&self.journal, self.dir()) else { return Ok(None) };
        journal.sync()?;
        let shown = dir.display();
        let there = planned::read(dir).ok();
        if there.is_some_and(|there| there.complete && !self.summary.complete && self.asks(&there))
        {
            // stopped before it had looked at all runs that are there
            return Ok(Some(format!(
                "the new runs are in {shown}, beside the complete plan that was there"
            )));
        }
        let format = match store::Format::Parquet.is_built() {
            true => store::Format::Parquet,
            false => store::Format::Csv,
        };
        planned::write(&self.summary, dir, format)?;
        let page = html::html(&tusker_report::plan::of_plan(&self.summary));
        let file = dir.join(REPORT);
        outfile::write(&file, Kind::Page, page.as_bytes())?;
        Ok(Some(format!("runs and plan are in {shown}, the report is {}", file.display())))
    }

    /// Whether another plan answers the same question.
    fn asks(&self, other: &PlanSummary) -> bool {
        fn ways(plan: &PlanSummary) -> BTreeSet<(String, u32, u64)> {
            let way = |row: &PlanRow| (row.law.clone(), row.streams, row.socket_buffer_bytes);
            plan.rows.iter().map(way).collect()
        }
        let own = &self.summary;
        (own.size_bytes, &own.path, own.until) == (other.size_bytes, &other.path, other.until)
            && ways(own) == ways(other)
    }
}

/// How long it may take.
fn budget(text: &str) -> Result<Option<Duration>, Failure> {
    if text == "none" {
        return Ok(None);
    }
    let time = tusker_core::Duration::read(text)
        .map_err(|(message, help)| Failure::input(format!("--budget: {message}"), help))?;
    if time == tusker_core::Duration::ZERO {
        let help = "a time such as \"2min\", or \"none\"";
        return Err(Failure::input("--budget: the time is zero", help));
    }
    Ok(Some(Duration::from_nanos(time.nanos())))
}

/// How many rows are done in a minute, and how long the rest takes: no longer than
/// `time`, if there is a limit.
fn pace(done: usize, of: usize, elapsed: Duration, time: Option<Duration>) -> String {
    let left = time.map(|time| time.saturating_sub(elapsed).as_secs_f64());
    let elapsed = elapsed.as_secs_f64();
    let rest = (done > 0).then(|| elapsed / done as f64 * (of - done) as f64);
    let rate = rest.map(|_| format!(", {:.1} rows/min", done as f64 * 60.0 / elapsed));
    let left = match (rest, left) {
        (Some(rest), Some(left)) => Some(format!(", {} left", duration(rest.min(left)))),
        (Some(rest), None) => Some(format!(", {} left", duration(rest))),
        (None, Some(left)) => Some(format!(", at most {} left", duration(left))),
        (None, None) => None,
    };
    rate.unwrap_or_default() + &left.unwrap_or_default()
}

/// What is asked, and the ways to do it.
fn ranking(summary: &PlanSummary) -> String {
    format!("{}\n\n{}", summary.title(), fit(&summary.table()))
}

/// Lines of text as wide as they are easily read.
fn paragraphs(text: &str) -> String {
    fold(text, paragraph()).join("\n") + "\n"
}

/// What stands below the table: how to read it, and what to type for the first row.
fn below(summary: &PlanSummary) -> String {
    let mut text = String::new();
    let all = |basis: Basis| summary.rows.iter().filter(move |row| row.basis == basis);
    if all(Basis::Steady).chain(all(Basis::Wide)).next().is_some() {
        text += &paragraphs(
            "takes: the simulated start, and the rest at the rate of the steady state, which is \
             extrapolated from the runs and seconds under `simulated`; ±: half of its 95 % interval",
        );
    }
    if all(Basis::Wide).next().is_some() {
        let until = summary.until * 100.0;
        let wide = format!("wide: the interval is wider than the {until} % that --until asks for");
        text += &paragraphs(&wide);
    }
    if all(Basis::Whole).next().is_some() {
        text += "whole: the transfer was simulated to its end\n";
    }
    if all(Basis::Estimate).next().is_some() {
        text += &paragraphs(
            "first estimate: not simulated, but computed from response functions and short runs on a \
             smaller path; it may be far off",
        );
    }
    if all(Basis::Unsettled).next().is_some() {
        text += &paragraphs(
            "unsettled: the first estimate stands, because the long-term mean was not reached in the \
             time that may be spent on a row:",
        );
        for row in all(Basis::Unsettled) {
            let note = row.note.as_deref().unwrap_or_default();
            let (streams, law, from) = (row.streams, &row.law, &row.estimate_from);
            let spent = duration(row.simulated_s);
            let _ =
                writeln!(text, "  {streams} x {law}: {note} after {spent}; the estimate is {from}");
        }
    }
    if let Some(alone) = summary.alone.filter(|_| summary.rows.iter().any(|r| r.harm.is_some())) {
        let rate = Unit::Rate.text(alone.mean_bps);
        text += &paragraphs(&format!(
            "harm: the share that the others lose of the {rate} that they have without the transfer \
             (1 is all of it)"
        ));
    }
    let Some(first) = summary.rows.first() else { return text };
    let ties = summary.ties();
    if ties > 1 {
        let _ = writeln!(text, "the intervals of rows 1 to {ties} overlap: they may be equal");
    }
    let streams = match first.streams {
        1 => "one stream".to_owned(),
        n => format!("{n} streams"),
    };
    let _ = writeln!(text, "\nTo type, as root, for {} with {streams}:", first.law);
    let mut before = None;
    for typed in &first.commands {
        let head = Some((&typed.on, &typed.why));
        if head != before {
            let _ = writeln!(text, "\n  # {}: {}", typed.on, typed.why);
            before = head;
        }
        let _ = writeln!(text, "  {}", typed.line);
    }
    text
}

/// Draws the ranking on a terminal whenever it changes, or tells of it line by line.
struct Screen {
    table: ProgressBar,
    terminal: bool,
    quiet: bool,
    /// How long it may take.
    time: Option<Duration>,
    began: Instant,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    estimated: bool,
    done: usize,
}

impl Screen {
    fn new(quiet: bool, time: Option<Duration>) -> Self {
        let terminal = io::stderr().is_terminal();
        let target = match terminal && !quiet {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{msg}").expect("the template is right");
        let table = ProgressBar::with_draw_target(None, target).with_style(style);
        let (began, told) = (Instant::now(), Mutex::default());
        Self { table, terminal, quiet, time, began, told }
    }
}

impl Onlooker for Screen {
    fn stopped(&self) -> bool {
        interrupt::stopped()
    }

    fn ranking(&self, summary: &PlanSummary, done: usize) {
        if self.quiet || self.stopped() {
            return;
        }
        let elapsed = self.began.elapsed();
        let (of, spent) = (summary.rows.len(), duration(elapsed.as_secs_f64()));
        if self.terminal {
            let table = ranking(summary);
            let plain = anstream::adapter::strip_str(&table);
            let pace = pace(done, of, elapsed, self.time);
            self.table.set_message(format!("{plain}{done} of {of} rows done in {spent}{pace}"));
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let first = &summary.rows[0];
        let Some(took) = first.took_s.map(duration) else { return };
        let best = format!("the best is {} x {}, {took}", first.streams, first.law);
        if !told.estimated && summary.rows.iter().all(|row| row.took_s.is_some()) {
            told.estimated = true;
            say(&format!("{spent}: first estimates of all {of} rows; {best}"));
        }
        if done > told.done {
            told.done = done;
            say(&format!("{spent}: {done} of {of} rows simulated; {best}"));
        }
    }
}
