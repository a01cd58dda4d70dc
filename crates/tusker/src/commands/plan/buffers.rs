//! `tusker plan --buffer 0.1bdp,1bdp`: a plan for each buffer, and what is good with all of
//! them.

use std::path::Path;

use tusker_report::page::{Page, Section, Step};
use tusker_report::{html, plan};
use tusker_scenario::sweep::list;
use tusker_sim::Simulator;
use tusker_store::REPORT;
use tusker_store::folder::{self, Kind};
use tusker_transfer::answer::{PlanSummary, PlansSummary, candidates};
use tusker_transfer::planned;
use tusker_transfer::{Ask, Onlooker};

use super::{Made, earlier, planner, said, steps, words};
use crate::args::{PlanArgs, Request, step};
use crate::done::{Done, Means, Value};
use crate::failure::Failure;
use crate::interrupt;
use crate::outfile;

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

/// A plan for each buffer.
#[derive(Debug)]
pub struct All(PlansSummary);

impl Value for All {
    fn json(&self) -> String {
        self.0.to_json()
    }

    fn csv(&self) -> String {
        self.0.to_csv()
    }
}

/// A plan with each of these, one after the other; at the end what they come to.
pub fn plan(
    request: &Request<PlanArgs>,
    all: &[PlanArgs],
    means: &Means<'_>,
    watch: &dyn Onlooker,
) -> Result<Done<All>, Failure> {
    let Request { args, command } = request;
    // before anything runs
    args.out.as_deref().map_or(Ok(()), |out| folder::check(out, Kind::Plans))?;
    for args in all {
        let planner = planner(args, means.build, &Simulator, command.clone())?;
        earlier(args, &Ask::read(&words(args))?, &planner)?;
    }
    args.out.as_deref().map_or(Ok(()), |out| folder::claim(out, Kind::Plans))?;
    let (mut plans, mut work) = (Vec::<PlanSummary>::new(), Vec::new());
    for (args, nth) in all.iter().zip(1..) {
        let early = candidates(&plans);
        let buffer = args.buffer.as_deref().unwrap_or_default();
        watch.next(&format!("{nth} of {}: buffer {buffer}", all.len()));
        let make = || Made::of(request, args, means, &Simulator, watch, early.clone());
        let made = interrupt::in_order(make)?;
        watch.end();
        work.extend(made.store()?.map(said));
        plans.push(made.summary);
        if watch.stopped() {
            break;
        }
    }
    if let Some(dir) = args.out.as_deref().filter(|_| plans.len() == all.len()) {
        let file = dir.join(REPORT);
        let page = html::html(&of_folder(dir)?);
        outfile::write(&file, outfile::Kind::Page, page.as_bytes())?;
        work.push(said(format!("the report of all buffers is {}", file.display())));
    }
    let buffers = all.iter().filter_map(|args| args.buffer.clone());
    let plans = PlansSummary::new(buffers.collect(), plans);
    let (more, next) = (commands(args, &plans), steps_of(args, &plans));
    let page = Page { more, work, next, ..plan::of_buffers(&plans) };
    let ended = watch.stopped().then_some(Failure::Interrupted);
    Ok(Done { value: Some(All(plans)), page, ended })
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
        let mut one = args.clone();
        if let Some(out) = &args.out {
            // a stored plan has the row: without --budget its commands are printed at once
            (one.out, one.budget) = (Some(planned::of_buffer(out, &buffer)), None);
        }
        (one.buffer, one.asked_for) = (Some(buffer), Some(row));
        all.splice(0..0, step(&one, "what to type on the hosts"));
    }
    all
}
