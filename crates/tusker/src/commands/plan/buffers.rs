//! `tusker plan --buffer 0.1bdp,1bdp`: a plan for each buffer, and what is good with all of
//! them.

use tusker_lab::plan::Ask;
use tusker_plan::plane::Plane;
use tusker_record::plan::across;
use tusker_scenario::sweep::list;
use tusker_sim::Simulator;

use super::{Made, Screen, below, budget, ranking, tell, words};
use crate::args::{Format, PlanArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{print, say};
use crate::running::command_line;
use crate::scenarios;

/// The most buffers: each takes the whole budget.
const MOST: usize = 5;

/// The buffers, if there are several.
pub fn several(args: &PlanArgs) -> Result<Option<Vec<PlanArgs>>, Failure> {
    let Some(text) = args.buffer.as_deref().filter(|text| text.contains([',', ':'])) else {
        return Ok(None);
    };
    let wrong = |message, help| Failure::input(message, help);
    let buffers = list("--buffer", text)
        .map_err(|(message, help)| wrong(format!("--buffer: {message}"), help))?;
    if buffers.len() > MOST {
        let message = format!("--buffer: {} buffers", buffers.len());
        return Err(wrong(message, format!("at most {MOST}; each takes as long as --budget")));
    }
    if args.format != Format::Table {
        let message = "--buffer: several buffers are compared for people only".to_owned();
        return Err(wrong(message, "give one buffer with --format".to_owned()));
    }
    let with = |buffer: String| {
        let out = args.out.as_ref().map(|out| out.join(format!("buffer-{buffer}")));
        PlanArgs { buffer: Some(buffer), out, ..args.clone() }
    };
    Ok(Some(buffers.into_iter().map(with).collect()))
}

/// A plan with each of these, one after the other; at the end what they come to.
pub fn plan(all: &[PlanArgs]) -> Result<(), Failure> {
    let build = scenarios::build(Plane::Simulator);
    // before anything runs
    for args in all {
        Ask::read(&words(args))?;
    }
    let (mut plans, mut printed) = (Vec::new(), Ok(()));
    for args in all {
        let screen = Screen::new(args.quiet, budget(&args.budget)?);
        let make = || Made::of(args, &build, &Simulator, command_line(), &screen);
        let made = interrupt::in_order(make)?;
        screen.table.finish_and_clear();
        let shown = format!("{}\n{}\n", ranking(&made.summary), below::verdict(&made.summary));
        printed = printed.and(print(&shown));
        if let Some(stored) = made.store()?.filter(|_| !args.quiet) {
            say(&stored);
        }
        if interrupt::stopped() {
            return Err(Failure::Interrupted);
        }
        tell(args, &made.summary, &screen);
        plans.push(made.summary);
    }
    printed.and(print(&below::folded(&across(&plans))))
}
