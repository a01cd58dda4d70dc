//! `tusker plan --buffer 0.1bdp,1bdp`: a plan for each buffer, and what is good with all of
//! them.

use std::path::Path;
use std::time::Instant;

use tusker_plan::plane::Plane;
use tusker_record::store::folder::{self, Kind};
use tusker_record::store::{Build, REPORT};
use tusker_report::html;
use tusker_scenario::sweep::list;
use tusker_sim::Simulator;
use tusker_transfer::Ask;
use tusker_transfer::answer::{PlanSummary, PlansSummary, across, candidates, duration, for_all};
use tusker_transfer::planned;

use super::{Made, Most, Screen, below, budget, earlier, planner, tell, words};
use crate::args::{Format, PlanArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::next;
use crate::outfile;
use crate::output::{print, say};
use crate::running::command_line;
use crate::scenarios;
use crate::screen::{fit, prose};

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
    let each = budget_each(buffers.len());
    let with = |buffer: String| {
        let out = args.out.as_ref().map(|out| planned::of_buffer(out, &buffer));
        PlanArgs { buffer: Some(buffer), out, share: Some(each.clone()), ..args.clone() }
    };
    Ok(Some(buffers.into_iter().map(with).collect()))
}

/// Packets for each of so many buffers unless said otherwise: 4e9 together.
fn budget_each(buffers: usize) -> String {
    format!("{:e}", (4000 / buffers.max(1)) as f64 * 1e6)
}

/// A plan with each of these, one after the other; at the end what they come to. `args` is
/// what was asked for.
pub fn plan(args: &PlanArgs, all: &[PlanArgs]) -> Result<(), Failure> {
    let build = scenarios::build(Plane::Simulator);
    // before anything runs
    args.out.as_deref().map_or(Ok(()), |out| folder::check(out, Kind::Plans))?;
    for args in all {
        let planner = planner(args, &build, &Simulator, command_line())?;
        earlier(args, &Ask::read(&words(args))?, &planner)?;
    }
    args.out.as_deref().map_or(Ok(()), |out| folder::claim(out, Kind::Plans))?;
    let estimates = match !args.quiet && args.format == Format::Table {
        true => first_estimates(args, all, &build)?,
        false => Vec::new(),
    };
    let (mut plans, mut printed) = (Vec::new(), Ok(()));
    for (args, nth) in all.iter().zip(1..) {
        let early = candidates(&with_estimates(&plans, &estimates));
        if !args.quiet {
            let buffer = args.buffer.as_deref().unwrap_or_default();
            say(&format!("{nth} of {}: buffer {buffer}", all.len()));
        }
        let screen = Screen::new(args.quiet, args.out.is_some(), budget(args.budget())?);
        let make = || Made::of(args, &build, &Simulator, command_line(), &screen, early.clone());
        let made = interrupt::in_order(make)?;
        screen.table.finish_and_clear();
        if args.format == Format::Table {
            printed = printed.and(print(&shown(args, &made.summary)));
        }
        if let Some(stored) = made.store()?.filter(|_| !args.quiet) {
            say(&stored);
        }
        if !interrupt::stopped() {
            tell(args, &made, &screen);
        }
        plans.push(made.summary);
        if interrupt::stopped() {
            break;
        }
    }
    if let Some(dir) = args.out.as_deref().filter(|_| plans.len() == all.len()) {
        let file = dir.join(REPORT);
        let page = html::html(&tusker_report::plans::of_plans(&stored(dir)?, dir));
        outfile::write(&file, outfile::Kind::Page, page.as_bytes())?;
        if !args.quiet {
            say(&format!("the report of all buffers is {}", file.display()));
        }
    }
    if interrupt::stopped() && args.format == Format::Table && plans.len() < all.len() {
        let missing = all.iter().skip(plans.len()).filter_map(|args| args.buffer.as_deref());
        let missing = missing.collect::<Vec<_>>().join(", ");
        say(&format!("interrupted before buffer {missing}: only first estimates are known of it"));
        plans = with_estimates(&plans, &estimates);
    }
    let step = to_type(args, &plans);
    printed = printed.and(last(args, all, plans));
    let mut steps: Vec<next::Step> = step.into_iter().collect();
    if let Some(dir) = args.out.as_deref().filter(|_| !interrupt::stopped()) {
        let ask = "'select buffer, cc, streams, took_s, harm from plan'";
        steps.push((format!("query {} {ask}", next::path(dir)), "any other question"));
    }
    if !args.quiet {
        next::steps(&steps);
    }
    if interrupt::stopped() {
        return Err(Failure::Interrupted);
    }
    printed
}

/// The plans in a folder, in the order of its folders.
fn stored(dir: &Path) -> Result<Vec<PlanSummary>, Failure> {
    let plans = planned::of_buffers(dir);
    Ok(plans.iter().map(|dir| planned::read(dir)).collect::<Result<_, _>>()?)
}

/// These plans, and for the buffers after them what was estimated.
fn with_estimates(plans: &[PlanSummary], estimates: &[PlanSummary]) -> Vec<PlanSummary> {
    plans.iter().chain(estimates.iter().skip(plans.len())).cloned().collect()
}

/// Says what first estimates come to, and returns them: that is known within seconds, long
/// before the first simulation has ended.
fn first_estimates(
    args: &PlanArgs,
    all: &[PlanArgs],
    build: &Build,
) -> Result<Vec<PlanSummary>, Failure> {
    let began = Instant::now();
    let make = || {
        let of = |args: &PlanArgs| -> Result<PlanSummary, Failure> {
            let planner = planner(args, build, &Simulator, command_line())?;
            let ask = Ask::read(&words(args))?;
            Ok(planner.estimates(&ask, &Screen::new(true, true, Most::default()))?)
        };
        all.iter().map(of).collect::<Result<Vec<_>, Failure>>()
    };
    let plans = interrupt::in_order(make)?;
    let known = |plan: &PlanSummary| plan.rows.iter().all(|row| row.took_s.is_some());
    if plans.iter().all(known) {
        let spent = duration(began.elapsed().as_secs_f64());
        say(&format!("{spent}: first estimates for all buffers, which simulations may change:"));
        across(&plans, args.out.as_deref(), false)
            .iter()
            .for_each(|line| say(&format!("  {line}")));
    }
    Ok(plans)
}

/// The command that prints what to type if no row is good with all buffers: for today's, or
/// else for one that is recommended with some buffer.
fn to_type(args: &PlanArgs, plans: &[PlanSummary]) -> Option<next::Step> {
    if args.asked_for.is_some() || args.format != Format::Table || for_all(plans).is_some() {
        return None;
    }
    let today = plans.iter().rev().find_map(|plan| Some((plan, plan.today_row()?)));
    let (plan, row) =
        today.or_else(|| plans.iter().rev().find_map(|plan| Some((plan, plan.chosen()?))))?;
    let row = format!("{}x{}", row.streams, row.law);
    let buffer = plan.path.buffer.as_str();
    let out = args.out.as_deref().map(|out| planned::of_buffer(out, buffer).display().to_string());
    let mut options = vec![("--buffer", buffer), ("--for", row.as_str())];
    // a stored plan has the row: without --budget its commands are printed at once
    options.extend(out.as_deref().into_iter().flat_map(|out| [("--out", out), ("--budget", "")]));
    Some((next::with(&options), "what to type on the hosts"))
}

/// What is printed of one of the plans, for people.
fn shown(args: &PlanArgs, summary: &PlanSummary) -> String {
    let (title, verdict) = (prose(&summary.title()), below::verdict(summary));
    let notes = below::folded(&summary.notes());
    let mut text = format!("{title}\n\n{verdict}\n{}{notes}\n", fit(&summary.table()));
    if args.asked_for.is_some() {
        text += &format!("{}\n", below::to_type(summary));
    }
    text
}

/// How to read the tables: each line once.
fn legend(plans: &[PlanSummary]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in plans.iter().flat_map(PlanSummary::legend) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    below::folded(&lines) + "\n"
}

/// What to type for the row that is good with all buffers, unless another was asked for.
fn typed(args: &PlanArgs, plans: &[PlanSummary]) -> Option<String> {
    let (plan, row) = for_all(plans).filter(|_| args.asked_for.is_none())?;
    Some(below::for_all(plans, plan, row))
}

/// Prints what all plans come to; for machines, everything.
fn last(args: &PlanArgs, all: &[PlanArgs], plans: Vec<PlanSummary>) -> Result<(), Failure> {
    let several = |plans| {
        let buffers = all.iter().filter_map(|args| args.buffer.clone());
        PlansSummary::new(buffers.collect(), plans)
    };
    match args.format {
        Format::Table => {
            let typed = typed(args, &plans);
            let lines = across(&plans, args.out.as_deref(), typed.is_some());
            let typed = typed.map_or(String::new(), |typed| format!("\n{typed}"));
            // a terminal ends on what one wants to know
            let short = below::in_short(&plans);
            print(&(legend(&plans) + &below::folded(&lines) + &typed + &short))
        }
        Format::Json => print(&several(plans).to_json()),
        Format::Csv => print(&several(plans).to_csv()),
    }
}
