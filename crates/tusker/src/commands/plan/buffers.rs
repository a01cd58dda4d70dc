//! `tusker plan --buffer 0.1bdp,1bdp`: a plan for each buffer, and what is good with all of
//! them.

use std::path::Path;

use tusker_plan::plane::Plane;
use tusker_report::page::{Page, Section, Step};
use tusker_report::{html, plan};
use tusker_scenario::sweep::list;
use tusker_sim::Simulator;
use tusker_store::REPORT;
use tusker_store::folder::{self, Kind};
use tusker_transfer::Ask;
use tusker_transfer::answer::{PlanSummary, PlansSummary, candidates};
use tusker_transfer::planned;

use super::{Made, Screen, budget, earlier, planner, steps, talk, text, words};
use crate::args::{Format, PlanArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::next;
use crate::outfile;
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
    let mut plans: Vec<PlanSummary> = Vec::new();
    for (args, nth) in all.iter().zip(1..) {
        let early = candidates(&plans);
        if !args.quiet {
            let buffer = args.buffer.as_deref().unwrap_or_default();
            say(&format!("{nth} of {}: buffer {buffer}", all.len()));
        }
        let screen = Screen::new(args.quiet, budget(args.budget())?);
        let make = || Made::of(args, &build, &Simulator, command_line(), &screen, early.clone());
        let made = interrupt::in_order(make)?;
        screen.table.finish_and_clear();
        if let Some(stored) = made.store()?.filter(|_| !args.quiet) {
            say(&stored);
        }
        plans.push(made.summary);
        if interrupt::stopped() {
            break;
        }
    }
    if let Some(dir) = args.out.as_deref().filter(|_| plans.len() == all.len()) {
        let file = dir.join(REPORT);
        let page = html::html(&of_folder(dir)?);
        outfile::write(&file, outfile::Kind::Page, page.as_bytes())?;
        if !args.quiet {
            say(&format!("the report of all buffers is {}", file.display()));
        }
    }
    let buffers = all.iter().filter_map(|args| args.buffer.clone());
    let plans = PlansSummary::new(buffers.collect(), plans);
    let mut page = plan::of_buffers(&plans);
    page.next = steps_of(args, &plans);
    let printed = print(&match args.format {
        Format::Table => text(args, &page, commands(args, &plans)),
        Format::Json => plans.to_json(),
        Format::Csv => plans.to_csv(),
    });
    if interrupt::stopped() {
        return Err(Failure::Interrupted);
    }
    talk(args, page);
    printed
}

/// The page of all plans in a folder, in the order of its folders.
pub fn of_folder(dir: &Path) -> Result<Page, Failure> {
    let plans = planned::of_buffers(dir);
    let plans: Vec<_> = plans.iter().map(|dir| planned::read(dir)).collect::<Result<_, _>>()?;
    let buffers = plans.iter().map(|plan: &PlanSummary| plan.path.buffer.clone()).collect();
    Ok(plan::of_buffers(&PlansSummary::new(buffers, plans)))
}

/// What to type for the row that is good with all buffers, as it stands in the plan with the
/// largest; with `--for` for its row with each buffer.
fn commands(args: &PlanArgs, plans: &PlansSummary) -> Vec<Section> {
    if args.asked_for.is_some() {
        let rows = plans.plans.iter().filter_map(|plan| Some((plan, plan.typed()?)));
        return rows.map(|(plan, row)| plan::commands(plan, row)).collect();
    }
    let rows = plans.good().filter(|_| args.commands).unwrap_or_default();
    let largest = rows.iter().zip(&plans.plans).max_by_key(|(row, _)| row.settings.buffer_bytes);
    largest.map(|(row, plan)| plan::commands(plan, row)).into_iter().collect()
}

/// What to type next: if no row is good with all buffers, the command that prints what to type
/// for today's, or else for one that is recommended with some buffer.
fn steps_of(args: &PlanArgs, plans: &PlansSummary) -> Vec<Step> {
    let good = plans.good_with_all.is_some();
    let mut all = steps(args, good);
    let row = |plan: &PlanSummary| {
        let row = plan.today_row().or_else(|| plan.chosen())?;
        Some((plan.path.buffer.clone(), format!("{}x{}", row.streams, row.law)))
    };
    let found = plans.plans.iter().rev().find_map(row);
    if let Some((buffer, row)) = found.filter(|_| !good && args.asked_for.is_none()) {
        let out = args.out.as_deref().map(|out| planned::of_buffer(out, &buffer));
        let out = out.map(|out| out.display().to_string());
        let mut options = vec![("--buffer", buffer.as_str()), ("--for", row.as_str())];
        // a stored plan has the row: without --budget its commands are printed at once
        options.extend(out.iter().flat_map(|out| [("--out", out.as_str()), ("--budget", "")]));
        all.insert(0, Step::new(next::with(&options), "what to type on the hosts"));
    }
    if let Some(dir) = args.out.as_deref() {
        let ask = "'select buffer, cc, streams, took_s, harm from plan'";
        all.push(Step::new(format!("query {} {ask}", next::path(dir)), "other questions"));
    }
    all
}
