//! What people read of plans for one transfer with several buffers.

use tusker_measure::table::size;
use tusker_transfer::answer::{PlanRow, PlanSummary, PlansSummary};

use super::text::{legend, path};
use super::{cells, line, page, set, table, time};
use crate::page::{Block, Line, Note, Page, Span, Table};

/// What all plans come to; then, for each buffer, its rows.
///
/// # Panics
/// If there is no plan.
pub fn of_buffers(all: &PlansSummary) -> Page {
    let (good, plans) = (all.good(), &all.plans);
    let size = size(plans[0].size_bytes);
    let mut own = Page {
        title: format!("A plan for {size}, with {} buffers", all.buffers.len()),
        lead: format!("{size} over {}", path(&plans[0].path, &all.buffers.join(" or "))),
        answer: answer(all, good.as_deref()),
        table: Some(compared(plans, good.as_deref())),
        ..Page::default()
    };
    for plan in plans {
        let command = plan.command.join(" ");
        if !own.commands.contains(&command) {
            own.commands.push(command);
        }
        let buffer = &plan.path.buffer;
        for note in page(plan).notes {
            let text = format!("{buffer}: {}", note.text);
            own.notes.push(Note { text, ..note });
        }
        own.section(format!("Buffer {buffer}"), vec![Block::Table(table(plan))]);
    }
    let mut words = Vec::new();
    for word in plans.iter().flat_map(legend) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    own.section("How to read it", vec![Block::Facts(words)]);
    own
}

/// What to use if the buffer is not known.
fn answer(all: &PlansSummary, good: Option<&[&PlanRow]>) -> Vec<Line> {
    let plans = &all.plans;
    let Some(rows) = good else {
        let text = match all.buffers.get(plans.len()) {
            None => "No row is known to leave the others enough with every buffer".to_owned(),
            Some(buffer) => format!("There is no plan yet with the buffer {buffer}"),
        };
        return vec![vec![Span::bad(text)]];
    };
    let first = &plans[0];
    let verb = if first.is_today(rows[0]) { "Keep " } else { "Use " };
    let with = || rows.iter().zip(plans);
    let unsure = rows.iter().any(|row| !row.is_simulated());
    let unsure = if unsure { ", partly by first estimates" } else { "" };
    let mut lines = vec![vec![
        verb.into(),
        Span::strong(rows[0].name()),
        " if the buffer is not known".into(),
        Span::bad(unsure),
    ]];
    if let Some((low, high)) = range(with().map(|(row, plan)| plan.took_range(row))) {
        let size = size(first.size_bytes);
        let takes = format!("{} to {} for {size}", time(first, low), time(first, high));
        lines.push(line("takes", takes));
    }
    let speed = range(with().map(|(row, plan)| plan.speedup_range(row)));
    if let Some(((low, high), today)) = speed.zip(first.today_row())
        && !first.is_today(rows[0])
    {
        let today = today.name();
        lines.push(line("speed", format!("{low:.2} x to {high:.2} x today's {today}")));
    }
    if let Some((low, high)) = range(with().map(|(row, _)| row.harm_range()))
        && !first.path.with.is_empty()
    {
        let [low, high] = [low, high].map(|share| (share.clamp(0.0, 1.0) * 100.0).round());
        lines.push(line("harm", format!("the other flows lose {low} % to {high} % of their rate")));
    }
    let most = rows.iter().max_by_key(|row| row.settings.buffer_bytes);
    lines.extend(most.map(|row| line("set", set(&row.settings))));
    lines
}

/// The row that is good with every buffer, the recommended one and today's, for each buffer.
fn compared(plans: &[PlanSummary], good: Option<&[&PlanRow]>) -> Table {
    let head =
        ["", "buffer", "cc", "streams", "takes", "±", "speed", "goodput", "harm", "simulated"];
    let caption = "Rows that are recommended with a buffer, and today's; > marks the row to choose \
                   if the buffer is not known";
    let mut table = Table::new(caption, head).spare(&["goodput", "±", "speed", "harm"]);
    table.keys = 4;
    for (n, plan) in plans.iter().enumerate() {
        let good = good.map(|rows| rows[n]);
        let shown = [good, plan.chosen(), plan.today_row(), plan.typed()];
        for (row, place) in plan.rows.iter().zip(1..).filter(|(row, _)| shown.contains(&Some(row)))
        {
            let [_, cc, streams, _, takes, half, speed, goodput, harm, basis] =
                cells(plan, row, place);
            let mark = if good == Some(row) { ">" } else { "" };
            let buffer = plan.path.buffer.clone();
            table.row(
                None,
                [mark.to_owned(), buffer, cc, streams, takes, half, speed, goodput, harm, basis],
            );
        }
    }
    table.drop_empty_columns();
    table
}

/// From the least to the most of these ranges, if all are known.
fn range(all: impl Iterator<Item = Option<(f64, f64)>>) -> Option<(f64, f64)> {
    let all: Vec<(f64, f64)> = all.collect::<Option<_>>()?;
    let low = all.iter().map(|own| own.0).reduce(f64::min)?;
    Some((low, all.iter().map(|own| own.1).reduce(f64::max)?))
}
