//! `tusker check`: is this scenario valid, and what does it describe?

use tusker_core::{Duration, Time};
use tusker_lab::{Budget, notes};
use tusker_measure::summary::View;
use tusker_measure::table::{Table, Unit, counted};
use tusker_plan::budget::size;
use tusker_plan::plan::{Flow, Link, Pace, Plan, Step, Varying};
use tusker_scenario::{Limit, Written};

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::output::{print, say};
use crate::running::watcher;
use crate::scenarios::{load, name, wrong};
use crate::screen::fit;

pub fn check(args: &CheckArgs) -> Result<(), Failure> {
    let scenario = load(&args.scenario, &args.sets)?;
    let scenario = scenario.complete().map_err(wrong)?;
    if args.expand {
        return print(&scenario.to_toml());
    }
    let (plan, replicates) = (scenario.plan(), scenario.replicates());
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    if args.plane == crate::args::Plane::Testbed {
        super::testbed::can(plan)?;
    }
    let expected = tusker_lab::memory::expected(plan);
    print(&overview(plan))?;
    say(&format!(
        "{} is fine: {} over {}, {}, {}; results take about {}, \
         a run about {} of memory",
        name(&args.scenario),
        counted(plan.flows.len() as u128, "flow"),
        counted(plan.links.len() as u128, "link"),
        plan.end.since(Time::ZERO),
        counted(replicates, "replicate"),
        size(tusker_store::estimate(plan, replicates, tusker_store::Format::default())),
        size(expected.total()),
    ));
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    if args.plane == crate::args::Plane::Testbed {
        say(&crate::real::foretold());
    }
    notes::tell([plan], &watcher(false));
    if expected.total() > Budget::unasked().bytes() {
        say(&format!(
            "note: that is more than three quarters of the free memory, so `tusker run` needs\n      \
             --memory; {}",
            expected.remedy()
        ));
    }
    Ok(())
}

fn overview(plan: &Plan) -> String {
    let view = View::new(plan);
    let head = ["group", "flows", "cc", "RTT", "max-min fair rate of a flow", "ECN"];
    let mut groups = Table::new(head).bold_head();
    let mut members: Vec<Vec<(&Flow, f64)>> = vec![Vec::new(); plan.groups.len()];
    for (flow, fair) in plan.flows.iter().zip(&view.fair) {
        members[flow.group].push((flow, *fair));
    }
    for (name, members) in plan.groups.iter().zip(&members) {
        let Some((first, _)) = members.first() else { continue };
        let count = members.len();
        let ecn = if first.tcp.ecn.is_on() { "asks for it" } else { "" };
        let fair: f64 = members.iter().map(|(_, fair)| fair).sum::<f64>() / count as f64;
        groups.row([
            name.as_str(),
            &count.to_string(),
            first.cc.name(),
            &rtt(plan, first).to_string(),
            &Unit::Rate.text(fair),
            ecn,
        ]);
    }
    groups.drop_empty_columns();
    let head = ["bottleneck", "rate", "delay", "queue", "limit", "ECN"];
    let mut links = Table::new(head).bold_head();
    for &l in &view.bottlenecks {
        let link = &plan.links[l];
        links.row([
            link.name.clone(),
            rate(link),
            varying(&link.delay),
            link.queue.policy.name().to_owned(),
            Limit::from(link.queue.limit).write(),
            if notes::marking(plan, l) { "marks" } else { "" }.to_owned(),
        ]);
    }
    links.drop_empty_columns();
    format!("{}\n{}", fit(&groups), fit(&links))
}

/// A rate, or how it changes.
fn rate(link: &Link) -> String {
    match &link.pace {
        Pace::Fixed => link.rate.to_string(),
        Pace::Steps(rates) => varying(rates),
        Pace::Trace { name, opportunities } => {
            let period = Duration::from_millis(opportunities.last().copied().unwrap_or(0).into());
            let mean = Unit::Rate.text(link.rate.bits_per_sec() as f64);
            format!("{mean} on average, {name} of {period}")
        }
    }
}

/// A value, or how it changes.
fn varying<T: Copy + std::fmt::Display>(varying: &Varying<T>) -> String {
    /// More steps would make too wide a table.
    const SHOWN: usize = 4;
    let Some((steps, every)) = varying.changes() else { return varying.first().to_string() };
    let step = |s: &Step<T>| format!("{} from {}", s.value, s.at.since(Time::ZERO));
    let mut shown: Vec<String> = steps.iter().take(SHOWN).map(step).collect();
    if steps.len() > SHOWN {
        shown.push(format!("{} more", steps.len() - SHOWN));
    }
    shown.extend(every.map(|every| format!("every {every}")));
    shown.join(", ")
}

/// Propagation there and back.
fn rtt(plan: &Plan, flow: &Flow) -> Duration {
    let links = flow.route.iter().chain(&flow.reverse);
    links.map(|&l| plan.links[l].propagation()).fold(Duration::ZERO, |sum, delay| sum + delay)
}
