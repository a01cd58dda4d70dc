//! What a scenario describes that was checked and is fine: its groups of flows and bottlenecks,
//! and what a run of it takes.

use serde::Serialize;
use tusker_core::{Duration, Time};
use tusker_lab::{Budget, memory, notes};
use tusker_measure::summary::View;
use tusker_measure::table::{Unit, counted};
use tusker_plan::budget::size;
use tusker_plan::plan::{Flow, Link, Pace, Plan, Step, Varying};
use tusker_scenario::{Complete, Limit, Written};
use tusker_store::Format;

use crate::page::{Block, Page, Section, Table};

/// What a scenario describes.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    name: String,
    flows: usize,
    links: usize,
    duration: String,
    replicates: u32,
    /// What results of all replicates take.
    stored_bytes: u64,
    /// What a run takes.
    memory_bytes: u64,
    groups: Vec<Group>,
    bottlenecks: Vec<Bottleneck>,
    notes: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Group {
    name: String,
    flows: usize,
    cc: String,
    /// Without queues.
    rtt: String,
    /// Of a flow, by max-min fairness.
    fair_rate_bps: f64,
    ecn: bool,
}

#[derive(Clone, Debug, Serialize)]
struct Bottleneck {
    name: String,
    rate: String,
    delay: String,
    queue: String,
    limit: String,
    marks: bool,
}

impl Checked {
    /// What this scenario describes.
    pub fn of(name: String, scenario: &Complete) -> Self {
        let (plan, view) = (scenario.plan(), View::new(scenario.plan()));
        let memory = memory::expected(plan);
        let mut notes = notes::all([plan]);
        if memory.total() > Budget::unasked().bytes() {
            notes.push(format!(
                "a run takes more than three quarters of the free memory, so `tusker run` needs \
                 --memory; {}",
                memory.remedy()
            ));
        }
        Self {
            name,
            flows: plan.flows.len(),
            links: plan.links.len(),
            duration: plan.end.since(Time::ZERO).to_string(),
            replicates: scenario.replicates(),
            stored_bytes: tusker_store::estimate(plan, scenario.replicates(), Format::default()),
            memory_bytes: memory.total(),
            groups: groups(plan, &view.fair),
            bottlenecks: view.bottlenecks.iter().map(|&link| bottleneck(plan, link)).collect(),
            notes,
        }
    }

    /// For programs.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("names and numbers are JSON") + "\n"
    }

    /// For people.
    pub fn page(&self) -> Page {
        let head = ["group", "flows", "cc", "RTT", "max-min fair rate of a flow", "ECN"];
        let mut groups = Table::new("", head);
        for own in &self.groups {
            let fair = Unit::Rate.text(own.fair_rate_bps);
            let ecn = if own.ecn { "asks for it" } else { "" };
            let flows = own.flows.to_string();
            groups.row(None, [&*own.name, &*flows, &*own.cc, &*own.rtt, &*fair, ecn]);
        }
        groups.drop_empty_columns();
        let head = ["bottleneck", "rate", "delay", "queue", "limit", "ECN"];
        let mut links = Table::new("", head);
        for own in &self.bottlenecks {
            let marks = if own.marks { "marks" } else { "" };
            let Bottleneck { name, rate, delay, queue, limit, .. } = own;
            links.row(None, [name, rate, delay, queue, limit, marks]);
        }
        links.drop_empty_columns();
        let links = Section { blocks: vec![Block::Table(links)], ..Section::default() };
        let mut page = Page { table: Some(groups), sections: vec![links], ..Page::default() };
        self.notes.iter().for_each(|note| page.doubt(note));
        page.work(format!(
            "{} is fine: {} over {}, {}, {}; results take about {}, a run about {} of memory",
            self.name,
            counted(self.flows as u128, "flow"),
            counted(self.links as u128, "link"),
            self.duration,
            counted(self.replicates, "replicate"),
            size(self.stored_bytes),
            size(self.memory_bytes),
        ));
        page
    }
}

fn groups(plan: &Plan, fair: &[f64]) -> Vec<Group> {
    let of = |(nth, name): (usize, &String)| {
        let own = plan.flows.iter().zip(fair).filter(|(flow, _)| flow.group == nth);
        let own: Vec<(&Flow, &f64)> = own.collect();
        let (first, _) = own.first()?;
        Some(Group {
            name: name.clone(),
            flows: own.len(),
            cc: first.cc.name().to_owned(),
            rtt: rtt(plan, first).to_string(),
            fair_rate_bps: own.iter().map(|(_, fair)| **fair).sum::<f64>() / own.len() as f64,
            ecn: first.tcp.ecn.is_on(),
        })
    };
    plan.groups.iter().enumerate().filter_map(of).collect()
}

fn bottleneck(plan: &Plan, index: usize) -> Bottleneck {
    let link = &plan.links[index];
    Bottleneck {
        name: link.name.clone(),
        rate: rate(link),
        delay: varying(&link.delay),
        queue: link.queue.policy.name().to_owned(),
        limit: Limit::from(link.queue.limit).write(),
        marks: notes::marking(plan, index),
    }
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
