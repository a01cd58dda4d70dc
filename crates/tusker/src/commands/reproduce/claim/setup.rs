//! What the rows of a claim were set up with: what each case chooses, and what that is.

use tusker_papers::Paper;
use tusker_papers::rows::{Row, Taken};
use tusker_plan::plan::Plan;
use tusker_record::summary::View;
use tusker_scenario::{Limit, Written};

/// A line for each case of these rows, below the heads.
pub(super) fn cases(paper: &Paper, rows: &[Row<'_>]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut cases: Vec<&Row<'_>> = Vec::new();
    for row in rows {
        if !cases.iter().any(|known| known.case.id == row.case.id) {
            cases.push(row);
        }
    }
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
