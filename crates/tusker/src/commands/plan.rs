//! `tusker plan`: ways to do a transfer, ranked.

pub mod buffers;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tusker_lab::{Budget, notes};
use tusker_measure::table::duration;
use tusker_plan::executor::Pausing;
use tusker_plan::plane::Plane;
use tusker_report::page::{Note, Page, Step};
use tusker_report::terminal;
use tusker_report::{html, plan};
use tusker_scenario::Written;
use tusker_sim::Simulator;
use tusker_store::folder::{self, Kind};
use tusker_store::sweep::Journal;
use tusker_store::{Build, REPORT};
use tusker_transfer::answer::{PlanRow, PlanSummary};
use tusker_transfer::planned;
use tusker_transfer::{Ask, Onlooker, Planner, WHOLE, Words};

use crate::args::{PlanArgs, Request, explained, step};
use crate::done::{Done, Means, Value};
use crate::failure::Failure;
use crate::interrupt;
use crate::outfile;
use crate::output::say;
use crate::scenarios;
use crate::screen::{self, safe};

/// A plan as the command line makes it: with one buffer, or with each of several.
pub fn typed(args: PlanArgs) -> Result<(), Failure> {
    let (format, quiet) = (args.format, args.quiet);
    let build = scenarios::build(Plane::Simulator);
    let means = Means::of(&build);
    let screen = Screen::new(quiet, budget(args.budget())?);
    let request = Request::typed(args);
    match buffers::several(&request.args)? {
        Some(all) => buffers::plan(&request, &all, &means, &screen)?.print(format, quiet),
        None => plan(&request, &means, &Simulator, &screen)?.print(format, quiet),
    }
}

/// A plan, and where it is kept.
#[derive(Debug)]
pub struct Planned {
    /// The ranking.
    pub summary: PlanSummary,
    /// The folder, if there is one.
    pub dir: Option<PathBuf>,
}

impl Value for Planned {
    fn json(&self) -> String {
        self.summary.to_json()
    }

    fn csv(&self) -> String {
        self.summary.to_csv()
    }
}

/// Ways to do a transfer, ranked.
pub fn plan(
    request: &Request<PlanArgs>,
    means: &Means<'_>,
    executor: &dyn Pausing,
    watch: &dyn Onlooker,
) -> Result<Done<Planned>, Failure> {
    let args = &request.args;
    one_buffer(args)?;
    let made = interrupt::in_order(|| Made::of(request, args, means, executor, watch, Vec::new()))?;
    watch.end();
    let summary = &made.summary;
    let mut page = plan::page(summary);
    let typed = summary.typed().filter(|_| prints_commands(args));
    page.more = typed.map(|row| plan::commands(summary, row)).into_iter().collect();
    let stored = made.store().map(|stored| page.work.extend(stored.map(said)));
    let own = summary.rows.iter().find_map(|row| notes::nearer(&row.law));
    own.into_iter().for_each(|note| page.note(note));
    page.next = steps(args, summary.typed().is_some());
    if made.at_once {
        page.work("nothing was simulated: the plan was there; --budget 2.5e9 simulates further");
    }
    let interrupted = watch.stopped().then_some(Failure::Interrupted);
    let dir = made.dir().map(Path::to_owned);
    let value = Some(Planned { summary: made.summary, dir });
    Ok(Done { value, page, ended: stored.err().or(interrupted) })
}

/// Something to say of the work.
fn said(text: String) -> Note {
    Note { text, doubt: false }
}

/// Whether the commands of a row are asked for.
fn prints_commands(args: &PlanArgs) -> bool {
    args.commands || args.asked_for.is_some()
}

/// The same command, with more to print: what to type, if that is `known`.
fn steps(args: &PlanArgs, known: bool) -> Vec<Step> {
    let commands = PlanArgs { commands: true, ..args.clone() };
    let commands = step(&commands, "what to type on the hosts");
    let commands = commands.filter(|_| known && !prints_commands(args));
    commands.into_iter().chain(explained(args, "every word and note")).collect()
}

/// Refuses several buffers where one plan is made.
fn one_buffer(args: &PlanArgs) -> Result<(), Failure> {
    let Some(all) = buffers::several(args)? else { return Ok(()) };
    let message = format!("--buffer: {} buffers, but this makes one plan", all.len());
    let help = "make a plan with each buffer; `tusker plan` in a shell takes several, and says \
                which row is good with all of them";
    Err(Failure::input(message, help))
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
struct Made {
    /// The plan.
    summary: PlanSummary,
    journal: Option<Journal>,
    /// Rows of it are of an earlier plan in the folder.
    more: bool,
    /// Nothing was simulated: the earlier plan has what was asked for.
    at_once: bool,
}

impl Made {
    /// Makes the plan that was asked for with one buffer, that of `args`; `early` are laws and
    /// streams of rows to simulate early.
    fn of(
        request: &Request<PlanArgs>,
        args: &PlanArgs,
        means: &Means<'_>,
        executor: &dyn Pausing,
        watch: &dyn Onlooker,
        early: Vec<(String, u32)>,
    ) -> Result<Self, Failure> {
        let mut ask = Ask::read(&words(args))?;
        ask.early = early;
        let mut planner = planner(args, means.build, executor, request.command.clone())?;
        let there = earlier(args, &ask, &planner)?;
        let journal = args.out.as_deref().map(|out| Journal::open(out, Kind::Plan)).transpose()?;
        let journal = journal.map(|(journal, _)| journal);
        planner.journal = journal.as_ref();
        // who asks for the commands of a row that is known waits for nothing
        let known = there.as_ref().is_some_and(|there| planner.answers(&ask, there));
        let at_once = known && prints_commands(args) && args.budget.is_none();
        if at_once {
            planner.time = Some(Duration::ZERO);
        }
        let mut summary = planner.run(&ask, watch)?;
        let more = there.is_some_and(|there| summary.absorb(there));
        Ok(Self { summary, journal, more, at_once })
    }

    /// Where it is kept, if it is.
    fn dir(&self) -> Option<&Path> {
        self.journal.as_ref().map(Journal::dir)
    }

    /// Writes the plan, its table and its page beside the runs, if they are kept; what
    /// there is to say of it.
    fn store(&self) -> Result<Option<String>, Failure> {
        let (Some(journal), Some(dir)) = (&self.journal, self.dir()) else { return Ok(None) };
        journal.sync()?;
        let shown = dir.display();
        let format = match tusker_store::Format::Parquet.is_built() {
            true => tusker_store::Format::Parquet,
            false => tusker_store::Format::Csv,
        };
        planned::write(&self.summary, dir, format)?;
        let page = html::html(&plan::whole_page(&self.summary));
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
        let message = format!("--out {shown}: another plan is in it: {}", plan::title(there));
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
fn progress(done: usize, of: usize, elapsed: Duration, time: Option<Duration>) -> String {
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
    let (answer, table) = (vec![vec![plan::title(summary).into()]], Some(plan::table(summary)));
    terminal::text(&Page { answer, table, ..Page::default() }, &screen::terminal(false))
}

/// Draws the ranking on a terminal whenever it changes, or tells of it line by line.
struct Screen {
    table: ProgressBar,
    terminal: bool,
    quiet: bool,
    /// What ends it.
    most: Most,
    /// When the plan at hand began.
    began: Mutex<Instant>,
    /// Whether all rows were estimated, how many were simulated, and how many are final, when
    /// this was told last.
    last: Mutex<(bool, usize, usize)>,
}

impl Screen {
    fn new(quiet: bool, most: Most) -> Self {
        let terminal = io::stderr().is_terminal();
        let target = match terminal && !quiet {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        };
        let style = ProgressStyle::with_template("{msg}").expect("the template is right");
        let table = ProgressBar::with_draw_target(None, target).with_style(style);
        let (began, last) = (Mutex::new(Instant::now()), Mutex::default());
        Self { table, terminal, quiet, most, began, last }
    }
}

impl Onlooker for Screen {
    fn stopped(&self) -> bool {
        interrupt::stopped()
    }

    fn next(&self, text: &str) {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.table.reset();
        if !self.quiet {
            say(text);
        }
    }

    fn end(&self) {
        self.table.finish_and_clear();
    }

    fn ranking(&self, summary: &PlanSummary, done: usize) {
        if self.quiet || self.stopped() {
            return;
        }
        let elapsed = self.began.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        let (of, spent) = (summary.rows.len(), duration(elapsed.as_secs_f64()));
        if self.terminal {
            let table = ranking(summary);
            let painted = safe(&table);
            let plain = anstream::adapter::strip_str(&painted);
            let progress = progress(done, of, elapsed, self.most.time);
            self.table.set_message(format!("{plain}{done} of {of} rows done in {spent}{progress}"));
            return;
        }
        let count = |is: fn(&PlanRow) -> bool| summary.rows.iter().filter(|row| is(row)).count();
        let known = count(|row| row.took_s.is_some());
        let now = (known == of, count(PlanRow::is_simulated), done);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if now.0 && *last != now {
            *last = now;
            let simulated = now.1;
            let best = plan::in_short(summary);
            say(&format!("{spent}: {simulated} of {of} rows begun, {done} done; {best}"));
        }
    }
}
