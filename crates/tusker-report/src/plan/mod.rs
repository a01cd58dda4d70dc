//! What people read of a plan for a transfer.

mod buffers;
#[cfg(test)]
mod tests;
mod text;

use tusker_measure::table::{Unit, fold, significant, size};
use tusker_transfer::answer::{Fact, Host, PlanRate, PlanRow, PlanSummary, Settings, Step};

pub use buffers::of_buffers;

use crate::page::{Block, Line, Note, Page, Section, Span, Table};
use text::{basis, harm, label, legend, loss, path, rate, sentence, speed, spread, time, took};

/// Columns of a comment among commands.
const COMMENT: usize = 94;

/// The page of a plan: what to use, all rows, and what there is to know of them.
pub fn page(plan: &PlanSummary) -> Page {
    let assumed = if plan.buffer_assumed { " (buffer assumed)" } else { "" };
    let mut page = Page {
        title: format!("A plan for {}", size(plan.size_bytes)),
        lead: format!("{}{assumed}", title(plan)),
        answer: answer(plan),
        table: Some(table(plan)),
        ..Page::default()
    };
    // rows of earlier plans are among these
    page.commands.extend(plan.earlier.iter().map(|command| command.join(" ")));
    page.commands.push(plan.command.join(" "));
    note(&mut page, plan);
    page.section("How to read it", vec![Block::Facts(legend(plan))]);
    page
}

/// What there is to know beside the rows, the most important first.
fn note(page: &mut Page, plan: &PlanSummary) {
    for fact in &plan.facts {
        let doubt = matches!(fact, Fact::Stopped { .. });
        page.notes.push(Note { text: sentence(plan, fact), doubt });
    }
    if plan.buffer_assumed {
        page.note(format!(
            "the bottleneck's buffer is assumed to be {}; many are smaller: --buffer 0.1bdp,1bdp \
             plans for both",
            plan.path.buffer
        ));
    }
    if plan.path.with.is_empty() {
        page.note("no other flows on the path; --with 4xcubic-linux shows what they would lose");
    }
    if let Some(alone) = plan.alone.filter(|_| plan.alone_unsure) {
        let start = plan.alone_start_s;
        let start = start.map_or(String::new(), |s| format!(", in their first {s:.1} s"));
        page.note(format!(
            "the flows of --with have about {} without the transfer{start}: less exact than asked \
             for, and so is harm",
            rate(Some(alone))
        ));
    }
    if plan.alone.is_none() && plan.rows.iter().any(|row| row.is_simulated() && row.harm.is_some())
    {
        page.note("all harm is a first estimate: the flows of --with were not simulated alone");
    }
    for (row, seen) in plan.rows.iter().filter_map(|row| Some((row, row.seen_bps?))) {
        page.note(format!("{}: unsettled, last at {}", row.name(), Unit::Rate.text(seen)));
    }
    if plan.path.segments_per_packet > 1 {
        let (each, bytes) = (plan.path.segments_per_packet, plan.path.packet_bytes);
        page.note(format!("{each} packets of {bytes} B are simulated as one (docs/plan.md)"));
    }
}

/// The question: `40 GB over 20.00 Mbit/s, 40.00 ms, buffer 1bdp`.
pub fn title(plan: &PlanSummary) -> String {
    format!("{} over {}", size(plan.size_bytes), path(&plan.path, &plan.path.buffer))
}

/// What is recommended so far, in a few words.
pub fn in_short(plan: &PlanSummary) -> String {
    match plan.chosen() {
        Some(row) => format!("recommended so far: {}, {}", row.name(), took(plan, row)),
        None => "no row is recommended so far".to_owned(),
    }
}

/// A line of the answer: its name, and the rest.
fn line(name: &str, text: impl Into<Span>) -> Line {
    vec![Span::muted(format!("{name}: ")), text.into()]
}

/// What to use, and what it comes to.
fn answer(plan: &PlanSummary) -> Vec<Line> {
    let mut lines = Vec::new();
    match plan.chosen() {
        Some(row) => {
            let verb = if plan.is_today(row) { "Keep " } else { "Use " };
            let mut head: Line = vec![verb.into(), Span::strong(label(row))];
            if !row.is_simulated() {
                head.push(Span::bad(", by a first estimate, not by a simulation"));
            }
            lines.push(head);
            let least = time(plan, plan.least_s);
            let size = size(plan.size_bytes);
            let takes = text::took_range(plan, row);
            lines.push(line(
                "takes",
                format!("{takes} for {size}; {least} at the path's full rate"),
            ));
            lines.extend(against_today(plan, row));
            let most = rate(Some(full(plan)));
            lines.push(line("rate", format!("{} of {most}", rate(row.goodput))));
            lines.extend(others(plan, row));
            lines.push(line("set", set(&row.settings)));
        }
        None if plan.rows.iter().all(|row| row.took_s.is_none()) => {
            lines.push(vec![Span::bad("Nothing is known of any row yet")]);
        }
        None => {
            let limit = plan.most_harm() * 100.0;
            lines.push(vec![Span::bad(format!(
                "No row is recommended: the other flows may lose more than {limit:.0} % of their \
                 rate to each"
            ))]);
            if let Some(today) = plan.today_row().filter(|row| row.took_s.is_some()) {
                let takes = text::took_range(plan, today);
                lines.push(line("today", format!("{}, {takes}", today.name())));
                lines.extend(others(plan, today));
            }
        }
    }
    lines
}

/// The full rate of the path, as payload.
fn full(plan: &PlanSummary) -> PlanRate {
    let mean_bps = plan.size_bytes as f64 * 8.0 / plan.least_s;
    PlanRate { mean_bps, ci95_bps: None }
}

fn against_today(plan: &PlanSummary, row: &PlanRow) -> Option<Line> {
    let today = plan.today_row().filter(|_| !plan.is_today(row))?;
    let range = plan.speedup_range(row).map_or(String::new(), |(low, high)| {
        let [low, high] = [low, high].map(|times| significant(times, 3));
        format!(" ({low} to {high})")
    });
    let times = speed(plan, row);
    let than = format!("today's {} ({})", today.name(), took(plan, today));
    (!times.is_empty()).then(|| line("speed", format!("{times}{range} {than}")))
}

/// What the other flows lose to a row.
fn others(plan: &PlanSummary, row: &PlanRow) -> Option<Line> {
    if plan.path.with.is_empty() {
        return None;
    }
    let own = loss(row).unwrap_or_else(|| "an unknown share".to_owned());
    let range = row.harm_range().filter(|_| row.has_estimated_harm());
    let range = range.map_or(String::new(), |(low, high)| {
        format!(" ({:.0} % to {:.0} %)", low * 100.0, high * 100.0)
    });
    let alone = plan.alone.map_or("their rate".to_owned(), |alone| Unit::Rate.text(alone.mean_bps));
    let today = plan.today_row().filter(|today| *today != row).and_then(loss);
    let today = today.map_or(String::new(), |today| format!("today {today}; "));
    let limit = plan.most_harm() * 100.0;
    let text = format!("the other flows lose {own}{range} of {alone} ({today}limit {limit:.0} %)");
    let kind = plan.is_kind(row);
    Some(line("harm", if kind { Span::from(text) } else { Span::bad(text) }))
}

/// What to set on the hosts, in one line.
fn set(settings: &Settings) -> String {
    let needs = settings.needs.iter().map(|what| format!("needs {what}"));
    let mut parts: Vec<String> = needs.chain(settings.load.clone()).collect();
    if let Some(name) = &settings.congestion_control {
        parts.push(format!("tcp_congestion_control={name}"));
    }
    parts.push(format!("tcp_rmem and tcp_wmem up to {}", settings.buffer_bytes));
    if settings.fq {
        let most = settings.maxrate_bps;
        let most = most.map_or(String::new(), |bps| format!(" maxrate {bps}bit"));
        parts.push(format!("queue fq{most}"));
    }
    let differs = settings.differs.as_ref();
    let differs = differs.map_or(String::new(), |own| format!("; Linux does not get {own}"));
    parts.join(", ") + &differs
}

/// One line per row.
pub fn table(plan: &PlanSummary) -> Table {
    let head = [
        "",
        "cc",
        "streams",
        "socket buffer",
        "takes",
        "±",
        "speed",
        "goodput",
        "harm",
        "simulated",
    ];
    let caption = "All rows; > marks the recommended one. Socket buffers are payload; Linux is told \
                   twice as much";
    let mut table = Table::new(caption, head).spare(&["goodput", "socket buffer", "±", "harm"]);
    table.keys = 3;
    let rows = plan.rows.iter().zip(1..);
    rows.for_each(|(row, place)| table.row(None, cells(plan, row, place)));
    table.drop_empty_columns();
    table
}

/// The cells of a row.
fn cells(plan: &PlanSummary, row: &PlanRow, place: u32) -> [String; 10] {
    let first = plan.rows.first().map(|row| row.socket_buffer_bytes);
    let several = plan.rows.iter().any(|row| Some(row.socket_buffer_bytes) != first);
    let mark = match plan.recommended {
        None => "",
        Some(recommended) if recommended == place => "> ",
        Some(_) => "  ",
    };
    [
        format!("{mark}{place}"),
        row.law.clone(),
        row.streams.to_string(),
        // one that all have is not for choosing
        if several { size(row.socket_buffer_bytes) } else { String::new() },
        took(plan, row),
        spread(row),
        speed(plan, row),
        row.goodput.map_or(String::new(), |own| Unit::Rate.text(own.mean_bps)),
        harm(row),
        basis(plan, row),
    ]
}

/// What to type for a row: a block for each host, that can be pasted there.
pub fn commands(plan: &PlanSummary, row: &PlanRow) -> Section {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for command in &row.commands {
        let host = match command.on {
            Host::Sender => "On the sender",
            Host::Receiver => "On the receiver",
        };
        let when = match command.step {
            Step::Prepare | Step::Test => "",
            Step::Transfer => ", in the same shell, if the test shows enough: the transfer",
            Step::Undo => ", to undo this when the transfer has ended",
        };
        let head = format!("{host}{when}:");
        let why = fold(&command.why, COMMENT).into_iter().filter(|line| !line.is_empty());
        let why: String = why.map(|line| format!("  # {line}\n")).collect();
        let text = format!("{why}  {}\n", command.line.replace('\n', "\n  "));
        match blocks.last_mut() {
            Some((last, before)) if *last == head => *before += &text,
            _ => blocks.push((head, text)),
        }
    }
    let title = format!(
        "Commands for {} with a bottleneck buffer of {}, to run as root. Fill in the first line of \
         each host.",
        label(row),
        plan.path.buffer
    );
    let blocks = blocks.into_iter().map(|(head, text)| Block::Fold(head, text)).collect();
    Section { title, blocks }
}

/// The page with what to type for every row.
pub fn whole_page(plan: &PlanSummary) -> Page {
    let mut page = page(plan);
    page.sections.push(all_commands(plan));
    page
}

/// What to type for every row, folded.
fn all_commands(plan: &PlanSummary) -> Section {
    let known = plan.rows.iter().filter(|row| row.took_s.is_some());
    let block = |row: &PlanRow| {
        let mark = match plan.asked_for.as_ref().is_some_and(|asked| row.is(asked)) {
            true => " (asked for)",
            false if plan.chosen() == Some(row) => " (recommended)",
            false => "",
        };
        Block::More(format!("{}{mark}", label(row)), commands(plan, row).blocks)
    };
    Section { title: "What to type".to_owned(), blocks: known.map(block).collect() }
}
