//! `tusker kernel prove`: shows that a law behaves the same in Rust and in the kernel.

use std::process::{Child, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tusker_core::congestion::Spec;
use tusker_kernel::host::{HostLaw, params_bytes};
use tusker_kernel::prove::replay::{Replay, Replayed};
use tusker_kernel::prove::scripts::{self, Scripts};
use tusker_kernel::prove::steps::{self, Steps};

use super::load::register;
use super::watch::find;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::machine::{Machine, Task};
use crate::objects::Wanted;
use crate::path::{Path, RECEIVER};
use crate::watcher::{Inbox, Watcher, events_of};

/// The laws of the registry that also exist in C.
pub fn laws() -> Vec<&'static str> {
    HostLaw::sheets().map(|sheet| sheet.name).collect()
}

/// The path of the live flow.
const RATE_MBIT: f64 = 50.0;
const QUEUE: u32 = 150_000;

/// What happens on it, by seconds from its start: a bottleneck that nearly stops (nothing
/// is lost, so the timeout is spurious), everything lost (a real timeout), and a sender
/// that has nothing to send.
const SLOW: (f64, f64) = (4.0, 5.5);
const LOST: (f64, f64) = (8.0, 9.5);
const IDLE: (f64, f64) = (12.0, 14.0);
const SECONDS: u32 = 17;

/// The request.
#[derive(Debug)]
pub struct Prove {
    /// A law, or all of them.
    pub law: Option<String>,
    /// Random steps of each.
    pub steps: u64,
    /// The seed of the steps.
    pub seed: u64,
    /// Skip the flow in the running kernel.
    pub host_only: bool,
    /// How to print.
    pub form: Form,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text for people.
    Text,
    /// A line for each law.
    Json,
    /// The tables of docs/conformance.md.
    Markdown,
}

/// The findings about a law.
struct Found {
    law: &'static str,
    scripts: Scripts,
    steps: Steps,
    live: Option<Replayed>,
}

impl Found {
    fn holds(&self) -> bool {
        self.scripts.failures.is_empty()
            && self.steps.hold()
            && self.live.as_ref().is_none_or(Replayed::hold)
    }
}

impl Prove {
    /// Compares, and fails if a check fails.
    pub fn run(self) -> Result<ExitCode, Failure> {
        let interrupts = Interrupts::listen()?;
        let laws: Vec<&'static str> = match &self.law {
            None => laws(),
            Some(law) => vec![laws().into_iter().find(|known| known == law).ok_or_else(|| {
                Failure::input(
                    format!("there is no kernel version of a law {law}"),
                    format!("there are {}", laws().join(", ")),
                )
            })?],
        };
        let machine = if self.host_only { None } else { Some(Machine::look(Task::Load)?) };
        let mut all = Vec::new();
        for law in laws {
            let found = Found {
                law,
                scripts: scripts::run(law),
                steps: steps::run(law, self.seed, self.steps).expect("it is in C"),
                live: machine.map(|machine| live(law, machine, &interrupts)).transpose()?,
            };
            match self.form {
                Form::Text => text(&found),
                Form::Json => anstream::println!("{}", value(&found)),
                // all rows of a table together
                Form::Markdown => {}
            }
            all.push(found);
        }
        if self.form == Form::Markdown {
            markdown(&all, self.seed);
        }
        Ok(if all.iter().all(Found::holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn text(found: &Found) {
    let Found { law, scripts, steps, live } = found;
    anstream::println!("{law}");
    let hold = verdict(scripts.failures.is_empty());
    anstream::println!("  scripts  {hold}  {} scripts", scripts.led.len());
    for failure in &scripts.failures {
        anstream::println!("           {failure}");
    }
    anstream::println!("  steps    {}  {steps}", verdict(steps.hold()));
    if let Some(live) = live {
        anstream::println!("  live     {}  {live}", verdict(live.hold()));
    }
}

/// The tables of docs/conformance.md.
fn markdown(all: &[Found], seed: u64) {
    println!(
        "| law | scripts | random steps (seed {seed}) | worst window | decisions | differ | |"
    );
    println!("|---|--:|--:|--:|--:|--:|---|");
    for Found { law, scripts, steps, .. } in all {
        let decisions = if steps.decisions > 0 {
            format!("{} | {}", steps.decisions, steps.differ)
        } else {
            "- | -".to_owned()
        };
        println!(
            "| {law} | {} | {} | {:.1e} | {decisions} | {} |",
            scripts.led.len(),
            steps.steps,
            steps.worst_relative,
            verdict(scripts.failures.is_empty() && steps.hold())
        );
    }
    println!();
    println!(
        "| law | events | windows compared | worst, segments | losses | timeouts | undone \
         | moved by the kernel | modes | differ | |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for Found { law, live, .. } in all {
        let Some(live) = live else { continue };
        let modes = if live.modes > 0 {
            format!("{} | {}", live.modes, live.modes_differ)
        } else {
            "- | -".to_owned()
        };
        println!(
            "| {law} | {} | {} | {:.1e} | {} | {} | {} | {} | {modes} | {} |",
            live.events,
            live.windows,
            live.worst_absolute,
            live.shrinks,
            live.timeouts,
            live.undone,
            live.moved_by_repair + live.moved_by_idleness,
            verdict(live.hold())
        );
    }
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "FAILS" }
}

fn value(Found { law, scripts, steps, live }: &Found) -> serde_json::Value {
    json!({
        "law": law,
        "scripts": { "led": scripts.led, "failures": scripts.failures },
        "steps": {
            "holds": steps.hold(),
            "seed": steps.seed,
            "steps": steps.steps,
            "connections": steps.connections,
            "worst_relative": steps.worst_relative,
            "worst_segments": steps.worst_absolute,
            "outside": steps.outside,
            "decisions": steps.decisions,
            "mode_changes": steps.changes,
            "modes_differ": steps.differ,
        },
        "live": live.as_ref().map(|live| json!({
            "holds": live.hold(),
            "events": live.events,
            "windows": live.windows,
            "worst_relative": live.worst_relative,
            "worst_segments": live.worst_absolute,
            "outside": live.outside,
            "first": live.first,
            "losses": live.shrinks,
            "timeouts": live.timeouts,
            "undone": live.undone,
            "moved_by_repair": live.moved_by_repair,
            "moved_by_idleness": live.moved_by_idleness,
            "modes": live.modes,
            "mode_changes": live.mode_changes,
            "modes_differ": live.modes_differ,
        })),
    })
}

/// Runs a flow of the law in the running kernel, and then the law in Rust on its events.
fn live(law: &str, machine: Machine, interrupts: &Interrupts) -> Result<Replayed, Failure> {
    let host = HostLaw::named(law).expect("it is in C");
    let spec = Spec::named(law, []).expect("it is in the registry");
    let params = params_bytes(host, &spec).expect("defaults are what the law in C has");
    let name = format!("prove{}", std::process::id());
    let wanted = Wanted { law: host.name(), name: name.clone(), params };
    let mut object = wanted.load(machine)?;
    let _link = register(&mut object, &name)?;
    let loaded = find(Some(&name))?;
    let (inbox, events) = (Inbox::default(), events_of(&loaded)?);
    let watcher = Watcher::begin(&loaded, Duration::ZERO, &inbox, &events)?;
    let mut replay = Replay::new(&spec, &host.shows());
    let mut flow = Flow::begin(&name)?;
    loop {
        let goes_on = flow.go_on()?;
        watcher.listen(Duration::from_millis(20))?;
        inbox.borrow_mut().drain(..).for_each(|event| replay.hear(&event));
        if let Some(signal) = interrupts.within(Duration::ZERO) {
            return Err(Failure::Interrupted(signal));
        }
        if !goes_on {
            break;
        }
    }
    let missed = find(Some(&name))?.control.missed;
    if missed > 0 {
        return Err(Failure::other(
            format!("{missed} events of the flow were lost: the ring was full"),
            "try again while the machine is quiet",
        ));
    }
    Ok(replay.end())
}

/// A flow of iperf3 that meets all kinds of disturbances.
struct Flow {
    path: Path,
    server: Child,
    client: Child,
    began: Instant,
    /// How many of `happenings` have happened.
    happened: usize,
}

impl Flow {
    fn begin(law: &str) -> Result<Self, Failure> {
        let path = Path::new(RATE_MBIT, QUEUE)?;
        let missing =
            |error| Failure::other(format!("cannot run iperf3: {error}"), "apt-get install iperf3");
        let mut server = path.receiver("iperf3");
        let server = server.args(["-s", "-1"]).stdout(Stdio::null()).stderr(Stdio::null());
        let server = server.spawn().map_err(missing)?;
        std::thread::sleep(Duration::from_millis(300));
        let mut client = path.sender("iperf3");
        let seconds = SECONDS.to_string();
        client.args(["-c", RECEIVER, "-C", law, "-t", &seconds]);
        let client = client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(missing)?;
        Ok(Self { path, server, client, began: Instant::now(), happened: 0 })
    }

    /// Does what is due; false when the flow is over.
    fn go_on(&mut self) -> Result<bool, Failure> {
        let due = [SLOW.0, SLOW.1, LOST.0, LOST.1, IDLE.0, IDLE.1];
        while due.get(self.happened).is_some_and(|at| self.began.elapsed().as_secs_f64() >= *at) {
            match self.happened {
                0 => self.path.change(0.1, QUEUE)?,
                1 => self.path.change(RATE_MBIT, QUEUE)?,
                2 => self.path.lose_everything(true)?,
                3 => self.path.lose_everything(false)?,
                4 => self.signal("STOP"),
                _ => self.signal("CONT"),
            }
            self.happened += 1;
        }
        Ok(self.client.try_wait()?.is_none())
    }

    /// iperf3 itself: `ip netns exec` turns into the program that it runs.
    fn signal(&self, signal: &str) {
        let pid = self.client.id().to_string();
        // a flow that has ended is no error
        let _ = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        for child in [&mut self.client, &mut self.server] {
            // it may have ended by itself
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
