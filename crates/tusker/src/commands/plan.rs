//! `tusker plan`: ways to do a transfer, ranked.

pub mod buffers;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tusker_lab::Budget;
use tusker_measure::table::duration;
use tusker_plan::executor::Pausing;
use tusker_plan::plane::Plane;
use tusker_report::page::{Page, Section, Step};
use tusker_report::terminal::{self, Detail, Terminal};
use tusker_report::{html, plan};
use tusker_scenario::Written;
use tusker_sim::Simulator;
use tusker_store::folder::{self, Kind};
use tusker_store::sweep::Journal;
use tusker_store::{Build, REPORT};
use tusker_transfer::answer::{PlanRow, PlanSummary};
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
use crate::screen::{self, safe};

pub fn plan(args: &PlanArgs) -> Result<(), Failure> {
    if let Some(all) = buffers::several(args)? {
        return buffers::plan(args, &all);
    }
    let build = scenarios::build(Plane::Simulator);
    let screen = Screen::new(args.quiet, budget(args.budget())?);
    let make = || Made::of(args, &build, &Simulator, command_line(), &screen, Vec::new());
    let made = interrupt::in_order(make)?;
    screen.table.finish_and_clear();
    let summary = &made.summary;
    let mut page = plan::page(summary);
    let typed = summary.typed().filter(|_| prints_commands(args));
    let printed = print(&match args.format {
        Format::Table => {
            text(args, &page, typed.map(|row| plan::commands(summary, row)).into_iter().collect())
        }
        Format::Json => summary.to_json(),
        Format::Csv => summary.to_csv(),
    });
    if let Some(stored) = made.store()?.filter(|_| !args.quiet) {
        say(&stored);
    }
    if interrupt::stopped() {
        return Err(Failure::Interrupted);
    }
    let own = summary.rows.iter().find_map(|row| notes::nearer(&row.law));
    own.into_iter().for_each(|note| page.note(note));
    page.next = steps(args, summary.typed().is_some());
    if let Some(dir) = made.dir() {
        let ask = "'select cc, streams, took_s, harm from plan'";
        page.next.push(Step::new(format!("query {} {ask}", next::path(dir)), "other questions"));
    }
    talk(args, page);
    if made.at_once && !args.quiet {
        say("nothing was simulated: the plan was there; --budget 2.5e9 simulates further");
    }
    printed
}

/// Whether the commands of a row are asked for.
fn prints_commands(args: &PlanArgs) -> bool {
    args.commands || args.asked_for.is_some()
}

/// How a page is shown.
fn terminal(args: &PlanArgs) -> Terminal {
    let terminal = screen::terminal(args.quiet);
    let detail = if args.explain { Detail::All } else { terminal.detail };
    Terminal { detail, ..terminal }
}

/// What goes to stdout, for people: a page, and what to type.
fn text(args: &PlanArgs, page: &Page, commands: Vec<Section>) -> String {
    let text = terminal::text(page, &terminal(args));
    if commands.is_empty() {
        return text;
    }
    let page = Page { sections: commands, ..Page::default() };
    let all = Terminal { detail: Detail::All, ..terminal(args) };
    format!("{text}\n{}", terminal::text(&page, &all))
}

/// Says notes and what to type next.
fn talk(args: &PlanArgs, mut page: Page) {
    page.next = next::possible(page.next);
    terminal::talk(&page, &terminal(args), &next::program()).iter().for_each(|line| say(line));
}

/// The same command, with more to print: what to type, if that is `known`.
fn steps(args: &PlanArgs, known: bool) -> Vec<Step> {
    let commands = Step::new(next::again(None, &["--commands"]), "what to type on the hosts");
    let explain = Step::new(next::again(None, &["--explain"]), "every word and note");
    let steps = [(!known || prints_commands(args), commands), (args.explain, explain)];
    steps.into_iter().filter(|(there, _)| !there).map(|(_, step)| step).collect()
}

/// Refuses several buffers where one plan is made.
pub fn one_buffer(args: &PlanArgs) -> Result<(), Failure> {
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
        let at_once = known && prints_commands(args) && args.budget.is_none();
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
    began: Instant,
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
        let (began, last) = (Instant::now(), Mutex::default());
        Self { table, terminal, quiet, most, began, last }
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
        let count = |is: fn(&PlanRow) -> bool| summary.rows.iter().filter(|row| is(row)).count();
        let known = count(|row| row.took_s.is_some());
        let now = (known == of, count(PlanRow::is_simulated), done);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if now.0 && *last != now {
            *last = now;
            let simulated = now.1;
            let best = plan::in_short(summary);
            say(&format!("{spent}: {simulated} of {of} rows simulated, {done} done; {best}"));
        }
    }
}
