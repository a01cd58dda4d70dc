//! The page of plans for one transfer with several buffers.

use std::path::Path;

use tusker_record::store::REPORT;
use tusker_transfer::answer::{PlanSummary, across, size};
use tusker_transfer::planned;

use crate::page::{Block, Page};
use crate::plan::ranking;

/// What all plans come to; then, for each buffer, its answer, figures and table. `dir` has the
/// plans.
///
/// # Panics
/// If there is no plan.
pub fn of_plans(plans: &[PlanSummary], dir: &Path) -> Page {
    let lines = across(plans, Some(dir), false);
    let buffers: Vec<&str> = plans.iter().map(|plan| plan.path.buffer.as_str()).collect();
    let title = format!("A plan for {}, with {} buffers", size(plans[0].size_bytes), plans.len());
    let lead =
        format!("{} The buffers: {}.", lines.last().map_or("", String::as_str), buffers.join(", "));
    let mut page = Page { title, lead, ..Page::default() };
    for command in plans.iter().map(|plan| plan.command.join(" ")) {
        if !page.commands.contains(&command) {
            page.commands.push(command);
        }
    }
    page.section("What it comes to", lines.into_iter().map(Block::Text).collect());
    for plan in plans {
        page.section(format!("Buffer {}", plan.path.buffer), of_buffer(plan));
    }
    let mut legend: Vec<String> = Vec::new();
    for line in plans.iter().flat_map(PlanSummary::legend) {
        if !legend.contains(&line) {
            legend.push(line);
        }
    }
    page.section("How to read it", legend.into_iter().map(Block::Text).collect());
    page
}

/// The part of one buffer. What to type is on its own page.
fn of_buffer(plan: &PlanSummary) -> Vec<Block> {
    let buffer = &plan.path.buffer;
    let mut blocks: Vec<Block> = plan.verdict().into_iter().map(Block::Text).collect();
    for mut block in ranking(plan) {
        if let Block::Figure(figure) = &mut block {
            // one name each
            figure.name = format!("{}-{buffer}", figure.name);
        }
        blocks.push(block);
    }
    blocks.extend(plan.notes().into_iter().map(Block::Text));
    let page = planned::of_buffer(Path::new(""), buffer).join(REPORT);
    blocks.push(Block::Text(format!(
        "What to type for each row is on the page {} in this folder.",
        page.display()
    )));
    blocks
}
