//! All measures, for `tusker list measure` and `tusker explain MEASURE`: their names, units and
//! definitions, as they appear in results.

use tusker_record::summary::{Background, Group, Harm, Link, Total, Transfers};
use tusker_record::table::{Table, fold};

use crate::screen::paragraph;

/// Names and definitions, as they stand in the code.
type Abouts = &'static [(&'static str, &'static str)];

/// What measures are of, and the key before their names in conditions and data sets.
const OF: [(&str, &str, Abouts); 6] = [
    ("the whole experiment", "", Total::ABOUT),
    ("a group of flows", "groups.NAME.", Group::ABOUT),
    ("a group of flows beside a rival (compare --against)", "groups.NAME.", Harm::ABOUT),
    ("transfers or web pages", "transfers.NAME.", Transfers::ABOUT),
    ("a link", "links.NAME.", Link::ABOUT),
    ("a background source", "background.NAME.", Background::ABOUT),
];

/// Columns of the tables of `run` and `compare` that are called otherwise than the measures
/// in them.
const HEADS: [(&str, &[&str]); 13] = [
    ("marked", &["mark_rate", "marked"]),
    ("lost in the queue", &["loss_rate"]),
    ("lost on the wire", &["wire_loss_rate"]),
    ("mean queue", &["queue_mean_pkt"]),
    ("queueing delay", &QUEUEING),
    ("queuing delay", &QUEUEING),
    ("retransmitted", &["retransmissions"]),
    ("rtt p50", &["rtt_p50_s"]),
    ("rtt p95", &["rtt_p95_s"]),
    ("share of fair rate", &["fair_share"]),
    ("its share of fair rate", &["fair_share"]),
    ("ties", &["tied"]),
    ("in step", &["in_step"]),
];

const QUEUEING: [&str; 4] = [
    "queueing_delay_mean_s",
    "queueing_delay_p50_s",
    "queueing_delay_p95_s",
    "queueing_delay_p99_s",
];

/// One measure.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Name.
    pub name: &'static str,
    /// What it is of.
    pub of: &'static str,
    /// The key before its name.
    pub before: &'static str,
    /// Unit, by the end of its name.
    pub unit: &'static str,
    /// Definition.
    pub about: String,
}

impl Measure {
    /// The first sentence of its definition.
    pub fn title(&self) -> &str {
        self.about.split_once(". ").map_or(self.about.trim_end_matches('.'), |(first, _)| first)
    }

    /// As a page of `tusker explain`.
    pub fn page(&self) -> String {
        let Self { name, of, before, unit, about } = self;
        let about = fold(about, paragraph().saturating_sub(2)).join("\n  ");
        format!(
            "{name}, a measure of {of}\n\n  {about}\n\n  Unit: {unit}\n  Full name: {before}{name}\n"
        )
    }
}

/// All of them.
pub fn all() -> Vec<Measure> {
    let mut all: Vec<Measure> = Vec::new();
    for (of, before, abouts) in OF {
        for (name, about) in abouts {
            let about = about.trim().replace("  ", " ");
            // `See `rtt_p5_s`.` is of the same list
            let other = about.strip_prefix("See `").and_then(|rest| rest.strip_suffix("`."));
            let known = other.and_then(|other| {
                let found = all.iter().find(|own| own.of == of && own.name == other);
                found.map(|own| own.about.clone())
            });
            let about = known.unwrap_or(about);
            all.push(Measure { name, of, before, unit: unit(name), about });
        }
    }
    all
}

/// What has this name, or stands in the column with this head; if nothing does, what begins
/// with it, as `harm_goodput` does with `harm`.
pub fn named(name: &str) -> Vec<Measure> {
    let mut all = all();
    if let Some((_, names)) = HEADS.iter().find(|(head, _)| *head == name) {
        all.retain(|own| names.contains(&own.name));
    } else if all.iter().any(|own| own.name == name) {
        all.retain(|own| own.name == name);
    } else {
        all.retain(|own| own.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')));
    }
    all
}

/// As `tusker list measure` shows them.
pub fn table() -> Table {
    let mut table = Table::new(["measure", "of", "unit", ""]).left().bold_head();
    for own in all() {
        table.row([own.name, own.of, own.unit, own.title()]);
    }
    table
}

/// The unit in words.
fn unit(name: &str) -> &'static str {
    let ends = |end: &str| name.ends_with(end);
    let share =
        ["loss", "utilisation", "converged", "completed", "synchronisation", "harm", "mark_rate"];
    if ends("_bps") {
        "bit/s"
    } else if ends("_s") {
        "s"
    } else if ends("_pkt") {
        "packets"
    } else if ends("_bytes") {
        "bytes"
    } else if ends("jain") {
        "index, 1/n to 1"
    } else if ends("exponent") || name.starts_with("slowdown") {
        "number"
    } else if name == "loss_episodes" {
        "count"
    } else if ends("fair_share")
        || name == "idle"
        || name.starts_with("reno_mode")
        || share.iter().any(|share| name.contains(share))
    {
        "share"
    } else {
        "count"
    }
}
