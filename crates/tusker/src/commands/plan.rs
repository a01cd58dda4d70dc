//! `tusker plan`: ways to do a transfer, ranked.

mod below;
mod buffers;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tusker_lab::Budget;
use tusker_plan::executor::Pausing;
use tusker_plan::plane::Plane;
use tusker_record::store::folder::{self, Kind};
use tusker_record::store::sweep::Journal;
use tusker_record::store::{self, Build, REPORT};
use tusker_report::html;
use tusker_scenario::Written;
use tusker_sim::Simulator;
use tusker_transfer::answer::{Pace, PlanRow, PlanSummary, duration};
use tusker_transfer::planned;
use tusker_transfer::{Ask, Onlooker, Planner, WHOLE, Words};

use crate::args::{Format, PlanArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::next;
use crate::notes;
use crate::outfile;
use crate::output::{print, say};
use crate::running::command_line;
use crate::scenarios;
use crate::screen::{fit, is_wide, prose, safe};

pub fn plan(args: &PlanArgs) -> Result<(), Failure> {
    if let Some(all) = buffers::several(args)? {
        return buffers::plan(args, &all);
    }
    let build = scenarios::build(Plane::Simulator);
    let screen = Screen::new(args.quiet, args.out.is_some(), budget(args.budget())?);
    let make = || Made::of(args, &build, &Simulator, command_line(), &screen, Vec::new());
    let made = interrupt::in_order(make)?;
    screen.table.finish_and_clear();
    let summary = &made.summary;
    let text = match args.format {
        Format::Table if made.at_once && !is_wide() => below::around(summary, compared(summary)),
        Format::Table => below::around(summary, fit(&summary.table())),
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
    let own = summary.rows.iter().find_map(|row| notes::nearer(&row.law));
    own.iter().filter(|_| !args.quiet).for_each(|note| say(&format!("note: {note}")));
    tell(args, &made, &screen);
    if let Some(dir) = made.dir().filter(|_| !args.quiet) {
        let ask = "'select cc, streams, took_s, harm from plan'";
        next::steps(&[(format!("query {} {ask}", next::path(dir)), "any other question")]);
    }
    printed
}

/// Refuses several buffers where one plan is made.
pub fn one_buffer(args: &PlanArgs) -> Result<(), Failure> {
    let Some(all) = buffers::several(args)? else { return Ok(()) };
    let message = format!("--buffer: {} buffers, but this makes one plan", all.len());
    let help = "make a plan with each buffer; `tusker plan` in a shell takes several, and says \
                which row is good with all of them";
    Err(Failure::input(message, help))
}

/// Says what is missing, if there was no time for it.
fn tell(args: &PlanArgs, made: &Made, screen: &Screen) {
    let summary = &made.summary;
    if summary.complete || args.quiet {
        return;
    }
    if made.at_once {
        say("nothing was simulated: the plan was there; --budget 2.5e9 simulates further");
        return;
    }
    let kept = if args.out.is_some() { "" } else { ", --out DIR keeps what was simulated" };
    let lines = summary.stopped(&screen.pace(args.jobs), args.budget(), kept);
    lines.iter().for_each(|line| say(line));
}

/// The question, as it was typed.
fn words(args: &PlanArgs) -> Words<'_> {
    Words {
        size: &args.size,
        rate: &args.rate,
        rtt: &args.rtt,
        loss: &args.loss,
        buffer: args.buffer.as_deref().unwrap_or_default(),
        with: &args.with,
        laws: &args.cc,
        streams: &args.streams,
        socket_buffer: &args.socket_buffer,
        packet: &args.packet,
        until: &args.until,
        deadline: args.deadline.as_deref().unwrap_or_default(),
        max_harm: args.max_harm.as_deref().unwrap_or_default(),
        today: &args.today,
        asked_for: args.asked_for.as_deref().unwrap_or_default(),
    }
}

/// A plan, and where it goes.
pub struct Made {
    /// The plan.
    pub summary: PlanSummary,
    journal: Option<Journal>,
    /// Rows of it are of an earlier plan in the folder.
    more: bool,
    /// Nothing was simulated: the earlier plan has what was asked for.
    at_once: bool,
}

impl Made {
    /// Makes the plan that was asked for; `command` is what the summary says was typed, and
    /// `early` are laws and streams of rows to simulate early.
    pub fn of(
        args: &PlanArgs,
        build: &Build,
        executor: &dyn Pausing,
        command: Vec<String>,
        watch: &dyn Onlooker,
        early: Vec<(String, u32)>,
    ) -> Result<Self, Failure> {
        let mut ask = Ask::read(&words(args))?;
        ask.early = early;
        let mut planner = planner(args, build, executor, command)?;
        let there = earlier(args, &ask, &planner)?;
        let journal = args.out.as_deref().map(|out| Journal::open(out, Kind::Plan)).transpose()?;
        let journal = journal.map(|(journal, _)| journal);
        planner.journal = journal.as_ref();
        // who asks for the commands of a row that is known waits for nothing
        let known = there.as_ref().is_some_and(|there| planner.answers(&ask, there));
        let at_once = known && args.budget.is_none();
        if at_once {
            planner.time = Some(Duration::ZERO);
        }
        let mut summary = planner.run(&ask, watch)?;
        let more = there.is_some_and(|there| summary.absorb(there));
        Ok(Self { summary, journal, more, at_once })
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
        let format = match store::Format::Parquet.is_built() {
            true => store::Format::Parquet,
            false => store::Format::Csv,
        };
        planned::write(&self.summary, dir, format)?;
        let page = html::html(&tusker_report::plan::of_plan(&self.summary));
        let file = dir.join(REPORT);
        outfile::write(&file, outfile::Kind::Page, page.as_bytes())?;
        let more = match self.more {
            true => "; the plan that was there is part of it",
            false => "",
        };
        Ok(Some(format!("runs and plan are in {shown}{more}; the report is {}", file.display())))
    }
}

/// What makes the plan; its runs are not kept yet.
fn planner<'a>(
    args: &PlanArgs,
    build: &'a Build,
    executor: &'a dyn Pausing,
    command: Vec<String>,
) -> Result<Planner<'a>, Failure> {
    let most = budget(args.budget())?;
    Ok(Planner {
        executor,
        jobs: args.jobs.map(|jobs| jobs as usize),
        memory: args.memory.map_or_else(Budget::unasked, Budget::asked),
        build,
        journal: None,
        time: most.time,
        packets: most.packets,
        cost: row_packets(&args.row_packets)?,
        whole: WHOLE,
        command,
    })
}

/// The plan for the same transfer that is in the folder; another one or a sweep is refused,
/// and nothing is written yet.
fn earlier(args: &PlanArgs, ask: &Ask, planner: &Planner) -> Result<Option<PlanSummary>, Failure> {
    let Some(dir) = args.out.as_deref() else { return Ok(None) };
    let shown = dir.display();
    if let [.., plan] = &planned::of_buffers(dir)[..] {
        let message = format!("--out {shown}: this folder holds plans with several buffers");
        let help =
            format!("give another folder, or one of those in it, such as {}", plan.display());
        return Err(Failure::input(message, help));
    }
    folder::check(dir, Kind::Plan)?;
    let there = planned::read(dir).ok();
    if let Some(there) = there.as_ref().filter(|there| !planner.continues(ask, there)) {
        let message = format!("--out {shown}: another plan is in it: {}", there.title());
        let help = format!("give another folder, or remove {shown}/{} first", planned::PLAN);
        return Err(Failure::input(message, help));
    }
    Ok(there)
}

/// How many packets a row may cost.
fn row_packets(text: &str) -> Result<f64, Failure> {
    match text.parse::<f64>() {
        Ok(packets) if (1e3..=1e13).contains(&packets) => Ok(packets),
        _ => {
            let message = format!("--row-packets: `{}` is out of range", text.escape_debug());
            Err(Failure::input(message, "a number from 1e3 to 1e13, such as 2e9"))
        }
    }
}

/// What ends the simulation: a time or a number of packets; nothing if both are `None`.
#[derive(Clone, Copy, Default)]
struct Most {
    time: Option<Duration>,
    packets: Option<f64>,
}

/// The limit of `--budget`.
fn budget(text: &str) -> Result<Most, Failure> {
    let help = "a number of packets such as 5e9, a time such as \"10min\", or \"none\"";
    if text == "none" {
        return Ok(Most::default());
    }
    if let Ok(packets) = text.parse::<f64>() {
        return match (1.0..=1e15).contains(&packets) {
            true => Ok(Most { packets: Some(packets), time: None }),
            false => {
                let message = format!("--budget: `{}` is out of range", text.escape_debug());
                Err(Failure::input(message, format!("{help}; packets: from 1 to 1e15")))
            }
        };
    }
    let time = tusker_core::Duration::read(text)
        .map_err(|(message, _)| Failure::input(format!("--budget: {message}"), help))?;
    if time == tusker_core::Duration::ZERO {
        return Err(Failure::input("--budget: the time is zero", help));
    }
    Ok(Most { time: Some(Duration::from_nanos(time.nanos())), packets: None })
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

/// What is asked, and the ways to do it, while rows are simulated.
fn ranking(summary: &PlanSummary) -> String {
    format!("{}\n\n{}", prose(&summary.title()), fit(&summary.table()))
}

/// Draws the ranking on a terminal whenever it changes, or tells of it line by line.
struct Screen {
    table: ProgressBar,
    terminal: bool,
    quiet: bool,
    /// Runs are kept in a folder.
    kept: bool,
    /// What ends it.
    most: Most,
    began: Instant,
    told: Mutex<Told>,
}

/// The row whose commands are printed, beside the recommended one and today's.
fn compared(summary: &PlanSummary) -> String {
    let shown = [summary.typed(), summary.chosen(), summary.today_row()];
    let is_shown = |row: &PlanRow| shown.contains(&Some(row));
    let table = fit(&summary.table_of(is_shown));
    let hidden = summary.rows.iter().filter(|row| !is_shown(row)).count();
    let rest = match hidden {
        0 => String::new(),
        1 => "1 row hidden; --wide shows all\n".to_owned(),
        hidden => format!("{hidden} rows hidden; --wide shows all\n"),
    };
    table + &rest
}

/// What would be recommended by what is known so far.
fn best(summary: &PlanSummary) -> String {
    match summary.chosen() {
        Some(row) => format!("recommended so far: {}, {}", row.name(), summary.took_text(row)),
        None => "no row is recommended so far".to_owned(),
    }
}

#[derive(Default)]
struct Told {
    estimated: bool,
    /// What was recommended when anything was told last.
    best: String,
    /// Rows that were simulated at all, and those that are final.
    simulated: usize,
    done: usize,
    /// Packets of all runs that have ended, and the seconds that these took.
    ran: (f64, f64),
}

impl Screen {
    fn new(quiet: bool, kept: bool, most: Most) -> Self {
        let terminal = io::stderr().is_terminal();
        let target = match terminal && !quiet {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{msg}").expect("the template is right");
        let table = ProgressBar::with_draw_target(None, target).with_style(style);
        let (began, told) = (Instant::now(), Mutex::default());
        Self { table, terminal, quiet, kept, most, began, told }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How fast it went, with so many runs at a time, or as many as there are cores.
    fn pace(&self, jobs: Option<u32>) -> Pace {
        let (packets, seconds) = self.told().ran;
        let cores = || std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
        Pace {
            seconds: self.began.elapsed().as_secs_f64(),
            packets: Some(packets / seconds).filter(|pace| pace.is_finite() && *pace > 0.0),
            jobs: jobs.map_or_else(cores, f64::from),
            spent: self.most.packets.map(|_| packets),
        }
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
            let painted = safe(&table);
            let plain = anstream::adapter::strip_str(&painted);
            let pace = pace(done, of, elapsed, self.most.time);
            self.table.set_message(format!("{plain}{done} of {of} rows done in {spent}{pace}"));
            return;
        }
        let mut told = self.told();
        if summary.rows.iter().all(|row| row.took_s.is_none()) {
            return;
        }
        let best = best(summary);
        let changed = told.estimated && told.best != best;
        let mut news = Vec::new();
        if !told.estimated && summary.rows.iter().all(|row| row.took_s.is_some()) {
            told.estimated = true;
            let kept = if self.kept { "" } else { " (--out DIR would keep what is simulated)" };
            news.push(format!("first estimates of all {of} rows{kept}"));
        }
        let simulated = summary.rows.iter().filter(|row| row.is_simulated()).count();
        if simulated > told.simulated {
            told.simulated = simulated;
            news.push(format!("{simulated} of {of} rows simulated"));
        }
        if done > told.done {
            told.done = done;
            news.push(format!("{done} of {of} rows done"));
        }
        if news.is_empty() && changed {
            news.push("more is known of a row".to_owned());
        }
        for new in news {
            say(&format!("{spent}: {new}; {best}"));
            told.best.clone_from(&best);
        }
    }

    fn ran(&self, packets: f64, took: Duration) {
        let mut told = self.told();
        told.ran = (told.ran.0 + packets, told.ran.1 + took.as_secs_f64());
    }
}
