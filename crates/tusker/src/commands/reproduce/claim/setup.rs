//! How the rows of a claim were set up: what each case chooses, and what these choices mean.

use std::collections::BTreeMap;

use tusker_papers::Paper;
use tusker_papers::rows::{Row, Taken};
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;
use tusker_record::summary::View;
use tusker_report::page::{Block, Table};
use tusker_scenario::{Limit, Written};

use super::Told;

/// The first of these rows of each case.
fn firsts<'a>(rows: &'a [Row<'a>]) -> Vec<&'a Row<'a>> {
    let mut cases: Vec<&Row<'_>> = Vec::new();
    for row in rows {
        if !cases.iter().any(|known| known.case.id == row.case.id) {
            cases.push(row);
        }
    }
    cases
}

/// What each case of these rows chooses; first what all of them do.
pub(super) fn chosen(paper: &Paper, rows: &[Row<'_>]) -> Vec<String> {
    let cases = firsts(rows);
    let (same, apart) = (common(paper, &cases), differing(paper, &cases));
    let of = |row: &Row<'_>, whats: &[&String]| {
        let each = whats.iter().filter_map(|what| {
            Some(format!("{} {}", what.replace('_', " "), row.case.choose.get(*what)?))
        });
        each.collect::<Vec<String>>().join(", ")
    };
    let mut lines = Vec::new();
    if let [first, _, ..] = cases.as_slice()
        && !same.is_empty()
    {
        lines.push(format!("all: {}", of(first, &same)));
    }
    for row in &cases {
        let own = if cases.len() == 1 { of(row, &same) } else { of(row, &apart) };
        if !own.is_empty() {
            lines.push(format!("{}: {own}", row.case.id));
        }
    }
    lines
}

/// The choices in which these cases agree.
fn common<'a>(paper: &'a Paper, cases: &[&Row<'_>]) -> Vec<&'a String> {
    let apart = differing(paper, cases);
    paper.cases.choose.keys().filter(|what| !apart.contains(what)).collect()
}

/// The choices in which they do not.
fn differing<'a>(paper: &'a Paper, cases: &[&Row<'_>]) -> Vec<&'a String> {
    let choice = |row: &Row<'_>, what: &String| row.case.choose.get(what).cloned();
    let differs = |what: &&String| {
        let first = cases.first().and_then(|row| choice(row, what));
        cases.iter().any(|row| choice(row, what) != first)
    };
    paper.cases.choose.keys().filter(differs).collect()
}

/// What tells the cases of these rows apart, by the id of each: `gHSTCP+SACK`.
pub(super) fn names(paper: &Paper, rows: &[Row<'_>]) -> BTreeMap<String, String> {
    let cases = firsts(rows);
    let apart = differing(paper, &cases);
    let own = |row: &&Row<'_>| {
        let each = apart.iter().filter_map(|what| row.case.choose.get(*what).cloned());
        (row.case.id.clone(), each.collect::<Vec<String>>().join(", "))
    };
    cases.iter().map(own).collect()
}

/// A line for each case of these rows, below the heads.
pub(super) fn cases(paper: &Paper, rows: &[Row<'_>]) -> (Vec<String>, Vec<Vec<String>>) {
    let cases = firsts(rows);
    let whats: Vec<&String> = paper.cases.choose.keys().collect();
    let mut head = vec!["case".to_owned()];
    head.extend(whats.iter().map(|what| (*what).clone()));
    head.extend(["flows", "queue policy", "buffer"].map(str::to_owned));
    let line = |row: &&Row<'_>| {
        let mut cells = vec![row.case.id.clone()];
        cells.extend(whats.iter().map(|w| row.case.choose.get(*w).cloned().unwrap_or_default()));
        let scenario = paper.scenario(row, &Taken::with(&[]), &[]);
        let plan = scenario.and_then(|scenario| scenario.plan());
        cells.extend(plan.map_or_else(|_| vec![String::new(); 3], |plan| told(&plan).to_vec()));
        cells
    };
    (head, cases.iter().map(line).collect())
}

/// The flows of a plan, and the queue of its bottleneck.
fn told(plan: &Plan) -> [String; 3] {
    let group = |(g, name): (usize, &String)| {
        let members = plan.flows.iter().filter(|flow| flow.group == g);
        let first = plan.flows.iter().find(|flow| flow.group == g)?;
        Some(format!("{name}: {} {}", members.count(), first.cc.name()))
    };
    let flows: Vec<String> = plan.groups.iter().enumerate().filter_map(group).collect();
    let links = View::new(plan).bottlenecks;
    let links: Vec<_> = links.iter().map(|&l| &plan.links[l]).collect();
    let policies: Vec<&str> = links.iter().map(|link| link.queue.policy.name()).collect();
    let limits: Vec<String> = links.iter().map(|l| Limit::from(l.queue.limit).write()).collect();
    [flows.join(", "), policies.join(", "), limits.join(", ")]
}

/// What each case chooses, and the scenario that all begin with.
pub(super) fn blocks(told: &Told<'_>) -> Vec<Block> {
    let rows = told.rows();
    let (head, lines) = cases(told.paper, &rows);
    let mut table = Table::new("What each case chooses, and what that is", head);
    lines.into_iter().for_each(|line| table.row(None, line));
    table.drop_empty_columns();
    let taken = Taken::with(&told.args.sets);
    let mut changes = Table::new("What each row changes in the scenario", ["row", "changes"]);
    for row in &rows {
        let quick = if told.args.quick { told.paper.quick(row) } else { &[] };
        changes.row(None, [row.id(), told.paper.changes(row, &taken, quick).join("; ")]);
    }
    let title = "The scenario that all rows begin with, with what is assumed where the paper is \
                 silent";
    let build = crate::scenarios::build(Plane::Simulator);
    let hash = build.hash.get(..8).unwrap_or(&build.hash);
    vec![
        Block::Table(table),
        Block::FoldedTable(changes),
        Block::Fold(title.to_owned(), told.paper.scenario.to_string()),
        Block::Text(format!("Judged by tusker {}, build {hash}.", build.version)),
    ]
}
