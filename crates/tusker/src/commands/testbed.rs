//! `tusker testbed`: a scenario on real sockets, across an emulated network.

use std::ops::ControlFlow;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_record::summary::{GroupSummary, Summary, View};
use tusker_sim::Engine;
use tusker_testbed::{Audit, Client, Iperf3, Limits, Measured, Refusal, Rights};

use crate::args::{self, Format, TestbedArgs};
use crate::commands::kernel;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{print, progress, say};
use crate::real;
use crate::report;
use crate::scenarios;

pub fn testbed(args: &TestbedArgs) -> Result<(), Failure> {
    let mut scenario = scenarios::load(&args.scenario, &args.sets)?;
    scenario.seed = args.seed.or(scenario.seed);
    scenario.replicates = Some(1);
    let complete = scenario.complete().map_err(scenarios::wrong)?;
    let name = scenarios::name(&args.scenario);
    let ready = scenarios::completed(name, complete)?;
    let plan = &ready.plan;
    let client = match args.client {
        args::Client::Tusker => Client::Ours,
        args::Client::Iperf3 => Client::Iperf3,
    };
    tusker_testbed::can_with(plan, client).map_err(refused)?;
    if !args.quiet {
        differences(plan);
    }
    let rights = real::rights()?;
    // for as long as the run takes
    let _laws = laws(plan, rights)?;
    let measured = interrupt::in_order(|| measured(plan, ready.seed, client, args.quiet))?;
    let Measured { run, audit, iperf3 } = measured;
    let faults = audit.faults(&Limits::of(plan));
    let real = summary(&ready.name, plan, &run)?;
    let mut text = match args.format {
        Format::Table => report::run(&real),
        Format::Json => real.to_json(),
        Format::Csv => Summary::to_csv(std::slice::from_ref(&real)),
    };
    if args.compare {
        let simulated = simulated(plan, ready.seed)?;
        let simulated = summary(&ready.name, plan, &simulated)?;
        text += &beside(&simulated, &real);
    }
    if client == Client::Iperf3 {
        text += &as_iperf3_says(plan, &real, &iperf3);
    }
    print(&text)?;
    if !args.quiet {
        say(&told(&audit));
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::other(
        format!("this run is invalid: {}", faults.join("; ")),
        "lower the rate, have fewer flows, or let the machine do nothing else",
    ))
}

/// Whether the testbed can run it; says what the kernel does otherwise.
pub fn can(plan: &Plan) -> Result<(), Failure> {
    tusker_testbed::can(plan).map_err(refused)?;
    differences(plan);
    Ok(())
}

fn refused(refusal: Refusal) -> Failure {
    Failure::input(refusal.what, refusal.help)
}

/// Says which settings of the endpoints are the kernel's own.
fn differences(plan: &Plan) {
    let all = tusker_testbed::differences(plan);
    if !all.is_empty() {
        say(&format!(
            "note: of the endpoints these are the kernel's own (in brackets): {}",
            all.join("; ")
        ));
    }
}

/// Laws of ours that the kernel has not yet, loaded by `tusker-kernel` where that is
/// there; otherwise who opens a connection tells which one is missing.
fn laws(plan: &Plan, rights: Rights) -> Result<Vec<Loading>, Failure> {
    let mut loading: Vec<Loading> = Vec::new();
    for flow in &plan.flows {
        let spec = &flow.cc;
        if tusker_testbed::kernel_name(spec).is_ok() {
            continue;
        }
        if rights == Rights::OwnNamespace {
            return Err(Failure::input(
                format!("this kernel has no congestion control {} yet", spec.name()),
                format!(
                    "only root may load it: run this as root, `tusker kernel load` before, or \
                     take one of {}",
                    tusker_testbed::laws().join(", ")
                ),
            ));
        }
        if let Some(mut command) = kernel::found() {
            let refined = spec.name().strip_suffix("-refined");
            command.args(["load", refined.unwrap_or(spec.name())]);
            if refined.is_some() {
                command.args(["--refined", "--as", &spec.name().replace('-', "_")]);
            }
            for (param, value) in spec.iter().filter(|(param, value)| *value != param.default) {
                command.arg(format!("--{}={value}", param.name.replace('_', "-")));
            }
            let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            let child = child.map_err(|error| {
                Failure::other(format!("cannot run tusker-kernel: {error}"), "is it whole?")
            })?;
            loading.push(Loading(child));
            // as long as a kernel takes to check a law, and some more
            for _ in 0..200 {
                if tusker_testbed::kernel_name(spec).is_ok() {
                    break;
                }
                sleep(Duration::from_millis(20));
            }
        }
    }
    Ok(loading)
}

/// A `tusker-kernel load` that runs; the law goes with it.
struct Loading(Child);

impl Drop for Loading {
    fn drop(&mut self) {
        // a law goes with the process that loaded it, however that ends
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs it on real sockets.
fn measured(plan: &Plan, seed: u64, client: Client, quiet: bool) -> Result<Measured, Failure> {
    let bar = progress(plan.end.nanos() / 1_000_000, quiet);
    let done = tusker_testbed::execute_with(plan, seed, client, &mut |now| {
        bar.set_position(now.nanos() / 1_000_000);
        if interrupt::stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    match done {
        Ok(Some(done)) => Ok(done),
        Ok(None) => Err(Failure::Interrupted),
        Err(error) => Err(Failure::other(error.to_string(), "nothing is left behind")),
    }
}

/// The same plan in the simulator.
fn simulated(plan: &Plan, seed: u64) -> Result<Run, Failure> {
    let go_on = |_| match interrupt::stopped() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let run = Engine::new(plan, seed, true).run(tusker_core::Bytes::new(u64::MAX), &mut { go_on });
    run.map_err(|_| Failure::Interrupted)
}

/// What a run comes to, if it can be.
fn summary(name: &str, plan: &Plan, run: &Run) -> Result<Summary, Failure> {
    let view = View::new(plan);
    let replicate = view.replicate(1, run);
    if let Some(first) = view.impossible_in(&replicate, run).first() {
        return Err(Failure::other(
            format!("an impossible result of {name}: {first}"),
            "this is a fault of Tusker: please report it with the scenario",
        ));
    }
    Ok(Summary::of(name, &view, 1, &[replicate]))
}

/// Goodput of each group, simulated and measured.
fn beside(simulated: &Summary, real: &Summary) -> String {
    let mut text = "\ngoodput   simulated        measured  measured is\n".to_owned();
    for (simulated, real) in simulated.groups.iter().zip(&real.groups) {
        let of = |group: &GroupSummary| {
            group.measured.goodput_bps.map_or(f64::NAN, |goodput| goodput.mean / 1e6)
        };
        let (a, b) = (of(simulated), of(real));
        text +=
            &format!("{:8}  {a:9.2}  {b:9.2} Mbit/s  {:+.1} %\n", real.name, (b / a - 1.0) * 100.0);
    }
    text
}

/// Goodput of each group, as the wire shows it and as iperf3 says.
fn as_iperf3_says(plan: &Plan, real: &Summary, said: &[Iperf3]) -> String {
    let mut text = "\ngoodput  on the wire          iperf3  iperf3's is\n".to_owned();
    for (g, group) in real.groups.iter().enumerate() {
        let members = || said.iter().filter(|said| plan.flows[said.flow].group == g);
        if members().next().is_none() {
            continue;
        }
        let b = members().map(|said| said.goodput).sum::<f64>() / 1e6;
        let a = group.measured.goodput_bps.map_or(f64::NAN, |goodput| goodput.mean / 1e6);
        text += &format!(
            "{:8}  {a:9.2}  {b:9.2} Mbit/s  {:+.1} %\n",
            group.name,
            (b / a - 1.0) * 100.0
        );
    }
    text
}

/// How well the emulator kept its times.
pub fn told(audit: &Audit) -> String {
    let us = |time: tusker_core::Duration| time.secs() * 1e6;
    format!(
        "emulator: {} packets, late by {:.0} us on average, {:.0} us at most for 99 %, {:.0} us at \
         most; busy for {:.0} % of the time, away for {:.2} %{}",
        audit.packets,
        us(audit.mean),
        us(audit.p99),
        us(audit.max),
        audit.busy * 100.0,
        audit.away * 100.0,
        if audit.real_time { "" } else { "; without real-time scheduling" }
    )
}
