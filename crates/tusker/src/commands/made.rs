//! The scenarios that the options of `tusker compare` and `tusker sweep --rate` stand for.

use tusker_lab::group_name as name;
use tusker_scenario::{Builder, Cc, Flows, Group, Loss, Queue, Scenario, Written};

use super::paths::Path as On;
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::scenarios::wrong;

/// What does not differ between paths.
pub struct Shared<'a> {
    pub queue: &'a str,
    pub ecn: bool,
    pub duration: &'a str,
    pub profile: &'a str,
}

/// A path without flows.
pub fn dumbbell(title: String, on: &On, shared: &Shared) -> Result<Builder, Failure> {
    let Shared { queue, ecn, duration, profile } = *shared;
    if queue.split(',').skip(1).any(|part| !part.contains('=')) {
        return Err(Failure::input(
            format!("--queue {queue}: more than one queue policy"),
            "give one, and run the command once for each of them",
        ));
    }
    let limit = read("--buffer", &on.buffer)?;
    let loss = on.loss.as_deref().map(|loss| of_option("--loss", Loss::read(loss)));
    Ok(Builder {
        title,
        profile: read("--profile", profile)?,
        duration: read("--duration", duration)?,
        rate: read("--rate", &on.rate)?,
        traces: None,
        rtt: read("--rtt", &on.rtt)?,
        queue: of_option("--queue", Queue::read(queue, limit))?,
        loss: loss.transpose()?,
        loses_both_ways: false,
        ecn,
        flows: Vec::new(),
    })
}

/// The scenario that one congestion control stands for.
pub fn scenario(
    args: &CompareArgs,
    on: &On,
    cc: &str,
    rival: Option<&str>,
    is_rival: bool,
) -> Result<Scenario, Failure> {
    let path = format!("{}, {}", on.rate, on.rtt);
    let title = match rival {
        Some(other) => format!("{} x {cc} against {} x {other}, {path}", args.flows, args.flows),
        None => format!("{} x {cc}, {path}", args.flows),
    };
    let CompareArgs { queue, ecn, duration, profile, .. } = args;
    let mut made = dumbbell(title, on, &Shared { queue, ecn: *ecn, duration, profile })?;
    // what is run to tell what a rival loses has its connections
    let first = if is_rival { ("--against", 1) } else { ("--cc", args.parallel) };
    made.flows.push(group(args, first, name(cc), cc)?);
    if let Some(other) = rival {
        let name = if other == cc { format!("other-{}", name(other)) } else { name(other) };
        made.flows.push(group(args, ("--against", 1), name, other)?);
    }
    made.scenario().map_err(wrong)
}

fn group(
    args: &CompareArgs,
    (option, parallel): (&'static str, u32),
    name: String,
    cc: &str,
) -> Result<Group, Failure> {
    let (own, text) = connections(option, cc)?;
    let mut flows = Flows::new(name, self::cc(option, text)?);
    flows.count = Some(args.flows.into());
    flows.parallel = Some(own.unwrap_or(parallel).into()).filter(|&parallel| parallel != 1);
    let recovery = args.recovery.as_deref().map(|own| read("--recovery", own));
    flows.recovery = recovery.transpose()?.map(tusker_scenario::Text);
    Ok(Group { flows, cc: option, parallel: own.map_or("--parallel", |_| option) })
}

/// How many connections `8xreno` asks for, and of what.
fn connections<'a>(flag: &str, cc: &'a str) -> Result<(Option<u32>, &'a str), Failure> {
    let digits = cc.find(|c: char| !c.is_ascii_digit()).unwrap_or(cc.len());
    let (number, Some(rest)) = (&cc[..digits], cc[digits..].strip_prefix('x')) else {
        return Ok((None, cc));
    };
    if number.is_empty() {
        return Ok((None, cc));
    }
    match number.parse() {
        Ok(parallel @ 1..=100_000) => Ok((Some(parallel), rest)),
        _ => {
            let message = format!("{flag}: a flow cannot have `{number}` connections");
            Err(Failure::input(message, "from 1 to 100000, as in 8xreno"))
        }
    }
}

/// The congestion control of an option, with its parameters.
pub fn cc(option: &str, text: &str) -> Result<Cc, Failure> {
    of_option(option, Cc::read(text))
}

/// A value of an option, in the units of scenario files.
pub fn read<T: Written>(option: &str, text: &str) -> Result<T, Failure> {
    of_option(option, T::read(text))
}

fn of_option<T>(option: &str, read: Result<T, (String, String)>) -> Result<T, Failure> {
    read.map_err(|(message, help)| Failure::input(format!("{option}: {message}"), help))
}
