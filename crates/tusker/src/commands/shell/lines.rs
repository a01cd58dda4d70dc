//! What links carry, as lines for other programs and as text for people.

use serde_json::{Value, json};
use tusker_measure::table::{Table, Unit};
use tusker_plan::plan::Plan;
use tusker_plan::run;
use tusker_report::terminal::fit;
use tusker_testbed::Carried;

use crate::screen::room;

/// What the links did between two times, as one line of JSON.
pub fn line(plan: &Plan, shown: &[usize], before: &[Carried], now: &[Carried]) -> String {
    let links: Vec<Value> = shown.iter().map(|&link| between(plan, link, before, now)).collect();
    let at = shown.first().map_or(0.0, |&link| now[link].at.nanos() as f64 * 1e-9);
    json!({ "at": at, "links": links }).to_string()
}

fn between(plan: &Plan, link: usize, before: &[Carried], now: &[Carried]) -> Value {
    let (a, b) = (&before[link], &now[link]);
    json!({
        "link": plan.links[link].name,
        "rate_bps": rate_bps(a, b),
        "queue_pkt": b.backlog,
        "delay_s": delay_s(a, b),
        "dropped": drops(b) - drops(a),
        "marked": b.counters.marked - a.counters.marked,
    })
}

/// What a link carried between two times, in bits per second.
pub fn rate_bps(a: &Carried, b: &Carried) -> f64 {
    let bits = (b.counters.accepted_bytes - a.counters.accepted_bytes) as f64 * 8.0;
    let time = b.at.since(a.at).secs();
    if time > 0.0 { bits / time } else { 0.0 }
}

/// How long packets were in the queue and in transmission, in the mean.
pub fn delay_s(a: &Carried, b: &Carried) -> Option<f64> {
    let packets = b.counters.accepted - a.counters.accepted;
    // what was in the queue is added up over time; each packet was there for its part
    let area = (b.counters.area - a.counters.area) as f64 * 1e-9;
    (packets > 0).then(|| area / packets as f64)
}

/// Packets that a link has not carried to its end.
pub fn drops(link: &Carried) -> u64 {
    link.counters.overflowed + link.counters.dropped_early + link.counters.lost
}

fn delay(link: &Value) -> String {
    link["delay_s"].as_f64().map_or("-".to_owned(), |delay| format!("{:.2} ms", delay * 1e3))
}

fn rate(link: &Value) -> String {
    Unit::Rate.text(link["rate_bps"].as_f64().unwrap_or(0.0))
}

fn links(row: &Value) -> &[Value] {
    row["links"].as_array().map_or(&[], Vec::as_slice)
}

/// For a terminal.
pub fn table(row: &Value) -> String {
    let mut table = Table::new(["link", "rate", "queue", "delay", "dropped", "marked"]).bold_head();
    for link in links(row) {
        table.row([
            link["link"].as_str().unwrap_or_default().to_owned(),
            rate(link),
            format!("{} pkt", link["queue_pkt"]),
            delay(link),
            link["dropped"].to_string(),
            link["marked"].to_string(),
        ]);
    }
    let at = row["at"].as_f64().unwrap_or(0.0);
    format!("{at:.0} s, the last second\n{}", fit(&table, room()))
}

/// A line per link.
pub fn plain(row: &Value) -> String {
    let at = row["at"].as_f64().unwrap_or(0.0);
    let line = |link: &Value| {
        format!(
            "{at:.0} s  {}  {}  queue {} pkt  delay {}  dropped {}  marked {}\n",
            link["link"].as_str().unwrap_or_default(),
            rate(link),
            link["queue_pkt"],
            delay(link),
            link["dropped"],
            link["marked"]
        )
    };
    links(row).iter().map(line).collect()
}

fn waited(link: &run::Link) -> Option<String> {
    let (mean, most) = (link.queueing.mean()? / 1e6, link.queueing.quantile(0.95)? / 1e6);
    Some(format!(", queueing delay {mean:.2} ms (95 %: {most:.2} ms)"))
}

/// What the links carried from begin to end, and how long packets waited there, if that is
/// known.
pub fn totals(plan: &Plan, shown: &[usize], carried: &[Carried], links: &[run::Link]) -> String {
    let line = |&link: &usize| {
        let (Carried { at, counters, .. }, name) = (&carried[link], &plan.links[link].name);
        let time = at.nanos() as f64 * 1e-9;
        let marked = if counters.marked > 0 {
            format!(", {} marked", counters.marked)
        } else {
            String::new()
        };
        format!(
            "{name}: {} packets, {} MB in {time:.1} s, {} dropped{marked}{}",
            counters.accepted,
            counters.accepted_bytes as f64 / 1e6,
            drops(&carried[link]),
            links.get(link).and_then(waited).unwrap_or_default()
        )
    };
    shown.iter().map(line).collect::<Vec<_>>().join("\n")
}
