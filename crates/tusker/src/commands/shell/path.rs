//! The path of `tusker shell`: a scenario, or the options that stand for one.

use std::net::Ipv4Addr;
use std::path::Path as File;

use tusker_scenario::paths::{Path, Shared, cc};
use tusker_scenario::{Flows, Group, Scenario};

use crate::args::{ShellArgs, ShellPathArgs};
use crate::failure::Failure;
use crate::scenarios::{self, wrong};

/// Two cores can emulate this.
const RATE: &str = "1gbit";

/// The address of the host that this process runs on, if it is one of another `tusker shell`.
pub fn around() -> Option<Ipv4Addr> {
    std::env::var_os(super::PEER).and_then(|_| tusker_testbed::around())
}

/// The scenario and its name.
pub fn scenario(args: &ShellArgs) -> Result<(String, Scenario), Failure> {
    if let Some(rtt) = &args.path.rtt {
        let scenario = made(&args.path, rtt)?.with(&args.sets).map_err(wrong)?;
        let rate = match &args.path.trace {
            Some(_) => "trace",
            None => args.path.rate.as_deref().unwrap_or(RATE),
        };
        return Ok((format!("{rate}-{rtt}"), scenario));
    }
    let file = args.scenario.as_deref().unwrap_or(File::new("-"));
    if file == File::new("-") && args.command.is_empty() {
        return Err(Failure::input(
            "stdin cannot be both the scenario and the keyboard",
            "name a file, or a command: tusker shell - -- COMMAND",
        ));
    }
    Ok((scenarios::name(file), scenarios::load(file, &args.sets)?))
}

/// The scenario of a path without a file.
fn made(path: &ShellPathArgs, rtt: &str) -> Result<Scenario, Failure> {
    let or = |given: &Option<String>, default: &str| given.as_deref().unwrap_or(default).to_owned();
    let on = Path {
        rate: or(&path.rate, RATE),
        rtt: rtt.to_owned(),
        buffer: or(&path.buffer, "1bdp"),
        loss: path.loss.clone(),
    };
    let queue = or(&path.queue, "droptail");
    let shared = Shared { queue: &queue, ecn: path.ecn, duration: "100s", profile: "linux" };
    let title = match &path.trace {
        Some(traces) => format!("{}, {rtt}", traces.join(" and ")),
        None => format!("{}, {rtt}", on.rate),
    };
    let mut built = on.dumbbell(title, &shared).map_err(wrong)?;
    built.loses_both_ways = true;
    built.traces = path.trace.clone().and_then(|traces| traces.try_into().ok());
    let cc = cc("--cc", &or(&path.cc, "cubic-linux")).map_err(wrong)?;
    let flows = Flows::new("flow", cc);
    built.flows.push(Group { flows, cc: "--cc", parallel: "--cc" });
    let mut scenario = built.scenario().map_err(wrong)?;
    scenario.read_traces(File::new("")).map_err(wrong)?;
    Ok(scenario)
}
