//! `tusker testbed`: a scenario on real sockets, across an emulated network.

pub mod bench;
mod compare;
pub mod laws;
pub mod record;
mod watched;

use std::sync::PoisonError;

use tusker_lab::captures::Captures;
use tusker_measure::summary::{Summary, invalid_note};
use tusker_plan::audit::Audit;
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;
use tusker_testbed::{Client, How, Iperf3, Refusal};

use self::bench::Bench;
use self::record::Record;
use super::run::One;
use crate::args::{self, Format, TestbedArgs};
use crate::done;
use crate::failure::Failure;
use crate::output::{print, say};
use crate::real;
use crate::running::{command_line, watcher};
use crate::scenarios;

pub fn testbed(args: &TestbedArgs) -> Result<(), Failure> {
    let (how, conditions) = (args.how(), done::conditions(&args.verdict)?);
    let scenario = scenarios::load(&args.scenario, &args.sets)?;
    let name = scenarios::name(&args.scenario);
    let ready = scenarios::ready_on(Plane::Testbed, name.clone(), scenario.clone(), &how)?;
    conditions.check(&ready.plan)?;
    let client = match args.client {
        args::Client::Tusker => Client::Ours,
        args::Client::Iperf3 => Client::Iperf3,
    };
    tusker_testbed::can_with(&ready.plan, client).map_err(refused)?;
    let record = Record::of(args.record.as_deref(), args.record_link.as_deref(), &ready)?;
    let ours = client == Client::Ours;
    let stored = ours && !args.no_save;
    if let Some(name) = args.qlog.first().filter(|_| !ours) {
        let message = format!("--qlog {name}: iperf3 does not report the state of its sockets");
        return Err(Failure::input(message, "leave out --qlog, or --client iperf3"));
    }
    let captures = Captures::of(&args.traces.pcap, &args.qlog, &ready.plan, stored)?;
    if !args.quiet {
        differences(&ready.plan);
    }
    may(&ready.plan)?;
    let summary = if args.compare {
        compare::compare(args, &name, &scenario)?
    } else {
        // a stored result does not say who the client was
        let save = stored.then_some(&args.save);
        let bench = Bench {
            how: How {
                client,
                record: record.as_ref().map(|record| record.link),
                ..How::default()
            },
            ..Bench::new(1, args.quiet)
        };
        let command = &command_line();
        let own = One { ready: &ready, how: &how, save, traces: captures.as_ref(), command };
        let mut done = own.run(&bench, &watcher(args.quiet))?;
        let value = done.value.as_ref().map(|ran| ran.summaries[0].clone());
        done.ended = done.ended.or(value.is_none().then_some(Failure::Interrupted));
        done.print(args.format, args.quiet)?;
        let summary = value.ok_or(Failure::Interrupted)?;
        if let Some(record) = record {
            let arrivals = bench.arrivals.into_inner().unwrap_or_else(PoisonError::into_inner);
            record.write(&arrivals, &ready.plan, args.quiet)?;
        }
        if !ours {
            let said = bench.said.into_inner().unwrap_or_else(PoisonError::into_inner);
            let text = as_iperf3_says(&ready.plan, &summary, &said);
            // stdout is for the table, unless a program reads it
            match args.format {
                Format::Table => print(&text)?,
                Format::Json | Format::Csv => say(text.trim()),
            }
        }
        summary
    };
    believe(&summary)?;
    let judged = conditions.one(&summary, &ready.plan);
    judged.notes.iter().for_each(|note| say(&format!("note: {note}")));
    done::fails(judged)
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
            "note: these settings of the endpoints are the kernel's own (in brackets): {}",
            all.join("; ")
        ));
    }
}

/// Goodput of each group, as the wire shows it and as iperf3 says, in the mean of all
/// replicates.
fn as_iperf3_says(plan: &Plan, real: &Summary, said: &[Iperf3]) -> String {
    let mut text = "\ngoodput  on the wire          iperf3  iperf3's is\n".to_owned();
    let runs = (said.len() / plan.lasting().max(1)).max(1) as f64;
    for (g, group) in real.groups.iter().enumerate() {
        let members = || said.iter().filter(|said| plan.flows[said.flow].group == g);
        if members().next().is_none() {
            continue;
        }
        let b = members().map(|said| said.goodput).sum::<f64>() / runs / 1e6;
        let a = group.measured.goodput_bps.map_or(f64::NAN, |goodput| goodput.mean / 1e6);
        let apart = (b / a - 1.0) * 100.0;
        text += &format!("{:8}  {a:9.2}  {b:9.2} Mbit/s  {apart:+.1} %\n", group.name);
    }
    text
}

/// Whether this process can make its hosts, and load what laws the kernel lacks.
pub fn may(plan: &Plan) -> Result<(), Failure> {
    laws::check(plan, real::rights()?)
}

/// What is invalid is shown, and it is no success.
fn believe(summary: &Summary) -> Result<(), Failure> {
    invalid_note(summary).map_or(Ok(()), |note| {
        let help = "lower the rate, use fewer flows, or stop other work on this machine";
        Err(Failure::other(note, help))
    })
}

/// How well the emulator kept its times, in a line.
pub fn timing(audit: &Audit) -> String {
    let us = |time: tusker_core::Duration| time.secs() * 1e6;
    format!(
        "emulator: {} packets, late by {:.0} us on average, by at most {:.0} us for 99 %, by at most \
         {:.0} us for all; busy for {:.0} % of the time{}, away from the processor for {:.2} %{}",
        audit.packets,
        us(audit.mean),
        us(audit.p99),
        us(audit.max),
        audit.busy * 100.0,
        audit.cpu.map(|cpu| format!(" (emulator CPU {:.0} %)", cpu * 100.0)).unwrap_or_default(),
        audit.away * 100.0,
        if audit.real_time { "" } else { "; without real-time scheduling" }
    )
}
