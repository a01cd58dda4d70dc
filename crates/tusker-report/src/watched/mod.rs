//! The page of folders with recordings from the kernel: the connections, everything over time,
//! and what was watched.
//!
//! Nothing is known about the path, so nothing is said about links or fair shares.

mod overtime;

use tusker_measure::table::{NONE, Unit};
use tusker_measure::watched::{Connection, MOST_CONNECTIONS};
use tusker_store::watched::Stored;

use crate::figure::Group;
use crate::page::{Block, Page, Table};
use crate::results::command;

/// Connections of a table and of a figure, at most: the page is for people.
const MOST: usize = 200;

/// With so many connections each has its colour; these are all that are not grey.
const COLOURS: usize = 6;

/// The page of one or several folders.
///
/// # Panics
/// If there is none.
pub fn of_watched(all: &[Stored]) -> Page {
    assert!(!all.is_empty(), "a page is about something");
    let titles: Vec<String> = all.iter().map(title).collect();
    let mut page = Page { title: titles.join(", "), lead: lead(all), ..Page::default() };
    for stored in all {
        let command = command(&stored.watched.command);
        if !stored.watched.command.is_empty() && !page.commands.contains(&command) {
            page.commands.push(command);
        }
    }
    let several = all.len() > 1;
    for (nth, stored) in all.iter().enumerate() {
        let shown = shown(stored);
        let drawn = drawn(stored, &shown);
        let of = if several { format!(": {}", stored.dir.display()) } else { String::new() };
        let name = if several { format!("time-{}", nth + 1) } else { "time".to_owned() };
        page.section(format!("Connections{of}"), connections(stored, &shown, &drawn));
        let figure = overtime::figure(stored, &drawn, &name);
        let blocks: Vec<Block> = figure.map(Block::from).into_iter().collect();
        page.section(format!("Over time{of}"), blocks);
        page.section(format!("What was watched{of}"), origin(stored));
    }
    page.sections.retain(|section| !section.blocks.is_empty());
    page
}

fn title(stored: &Stored) -> String {
    let watched = &stored.watched;
    match watched.name == watched.law {
        true => format!("{} in the kernel", watched.law),
        false => format!("{} ({}) in the kernel", watched.name, watched.law),
    }
}

fn lead(all: &[Stored]) -> String {
    let connections: usize = all.iter().map(|stored| stored.watched.connections.len()).sum();
    let what = if connections == 1 { "connection" } else { "connections" };
    let watched = &all[0].watched;
    match all {
        [_] => format!(
            "{connections} {what}, watched for {} from {} on Linux {}",
            Unit::Time.text(watched.duration_s),
            watched.began,
            watched.kernel
        ),
        _ => format!("{connections} {what}, watched {} times", all.len()),
    }
}

/// The connections that the page shows, in their order: those that delivered most.
fn shown(stored: &Stored) -> Vec<usize> {
    let all = &stored.watched.connections;
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by_key(|&i| (std::cmp::Reverse(all[i].delivered_bytes), i));
    places.truncate(MOST);
    places.sort_unstable();
    places
}

/// Those of them that have curves: where any connection delivered something, the
/// others, which only acknowledge, are left out.
fn drawn(stored: &Stored, shown: &[usize]) -> Vec<usize> {
    let delivered = |i: &usize| stored.watched.connections[*i].delivered_bytes > 0;
    let drawn: Vec<usize> = shown.iter().copied().filter(delivered).collect();
    if drawn.is_empty() { shown.to_vec() } else { drawn }
}

/// What the curves of these connections belong to: each to itself, if there are few.
fn groups(stored: &Stored, drawn: &[usize]) -> Vec<Group> {
    let one = |(colour, &i): (usize, &usize)| Group {
        name: label(&stored.watched.connections[i]),
        colour,
    };
    match drawn.len() <= COLOURS {
        true => drawn.iter().enumerate().map(one).collect(),
        false => vec![Group { name: stored.watched.name.clone(), colour: 0 }],
    }
}

/// What a connection is called in tables and figures.
fn label(connection: &Connection) -> String {
    format!("{}: {}", connection.number, connection.ends())
}

fn connections(stored: &Stored, shown: &[usize], drawn: &[usize]) -> Vec<Block> {
    let watched = &stored.watched;
    let mut blocks = Vec::new();
    if let Some(missed) = watched.missed.filter(|missed| *missed > 0) {
        blocks.push(Block::Warning(format!(
            "{missed} events found no room in the kernel's ring and are missing here: counts of \
             shrinks and timeouts may be too small. A longer --every asks for fewer events."
        )));
    }
    if watched.connections.is_empty() {
        let text = format!("No connection of {} sent anything in that time.", watched.name);
        blocks.push(Block::Text(text));
        return blocks;
    }
    let head = [
        "connection",
        "from",
        "to",
        "began",
        "ended",
        "delivered",
        "mean rate",
        "lost",
        "window shrank",
        "timeouts",
        "undone",
        "min RTT",
    ];
    let mut table = Table::new("Connections", head);
    let groups = groups(stored, drawn);
    // the colour of its curve
    let colour = |i: usize| {
        let place = drawn.iter().position(|&other| other == i)?;
        Some(groups.get(place).or(groups.first())?.colour)
    };
    for &i in shown {
        let c = &watched.connections[i];
        table.row(
            colour(i),
            [
                c.number.to_string(),
                c.from.clone(),
                c.to.clone(),
                when(c.began_s, c.opened, "before"),
                when(c.ended_s, c.closed, "later"),
                Unit::Bytes.text(c.delivered_bytes as f64),
                c.rate_bps.map_or(NONE.to_owned(), |rate| Unit::Rate.text(rate)),
                format!("{} segments", c.lost),
                c.shrinks.to_string(),
                c.timeouts.to_string(),
                c.undone.to_string(),
                c.rtt_min_s.map_or(NONE.to_owned(), |rtt| Unit::Time.text(rtt)),
            ],
        );
    }
    blocks.push(Block::Table(table));
    let mut text = "Times are since the watching began. Rates are of payload that arrived, over \
                    the time from the first to the last event of a connection, and so are counts."
        .to_owned();
    let left = watched.connections.len() - shown.len();
    if left > 0 {
        text += &format!(
            " The {MOST} connections that delivered most are shown; watched.json has the other \
             {left}."
        );
    }
    if watched.more_connections > 0 {
        text += &format!(
            " {} connections after the first {MOST_CONNECTIONS} were counted only.",
            watched.more_connections
        );
    }
    blocks.push(Block::Text(text));
    blocks
}

/// A time; what is beyond it if it is not the true end.
fn when(time_s: f64, seen: bool, beyond: &str) -> String {
    match seen {
        true => format!("{time_s:.3} s"),
        false => format!("{time_s:.3} s or {beyond}"),
    }
}

fn origin(stored: &Stored) -> Vec<Block> {
    let watched = &stored.watched;
    let parameters: Vec<String> = watched
        .parameters
        .iter()
        // to the digits that the law's units hold
        .map(|(name, value)| format!("{name} = {}", (value * 1e6).round() / 1e6))
        .collect();
    let every = match watched.every_s {
        0.0 => "every ACK".to_owned(),
        every => format!("an ACK of each connection per {}", Unit::Time.text(every)),
    };
    let missed = match watched.missed {
        Some(missed) => missed.to_string(),
        None => "unknown: the law was gone at the end".to_owned(),
    };
    let facts = [
        ("Law", watched.law.clone()),
        ("Name in the kernel", watched.name.clone()),
        ("Parameters", if parameters.is_empty() { NONE.into() } else { parameters.join(", ") }),
        ("Kernel", format!("Linux {}", watched.kernel)),
        ("Began", watched.began.clone()),
        ("Took", Unit::Time.text(watched.duration_s)),
        ("Told", every),
        ("Events missed", missed),
        ("Version", format!("tusker {}", watched.tusker)),
        ("Results in", stored.dir.display().to_string()),
    ];
    vec![Block::Facts(facts.map(|(name, value)| (name.to_owned(), value)).to_vec())]
}

#[cfg(test)]
mod tests;
