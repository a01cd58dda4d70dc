//! Plain words for the keys that a sweep varies, as labels for the axes of figures.

use tusker_measure::summary::entry;
use tusker_measure::table::{Unit, counted};
use tusker_store::sweep::{AxisSummary, Range, Setting, SweepSummary};

use super::{Narrow, UTILISATION};
use crate::capital;
use crate::figure::Caption;

/// Keys of a path, wherever they stand.
const PATH: [(&str, &str); 7] = [
    ("rate", "rate"),
    ("delay", "one-way delay"),
    ("queue", "buffer"),
    ("queue.limit", "buffer"),
    ("queue.policy", "queue policy"),
    ("loss", "loss on the wire"),
    ("jitter", "jitter"),
];

/// Keys of a group of flows or of another source of traffic.
const TRAFFIC: [(&str, &str); 12] = [
    ("cc", "congestion control"),
    ("count", "number of flows"),
    ("parallel", "connections per flow"),
    ("size", "size"),
    ("start", "start"),
    ("stop", "stop"),
    ("rate", "rate"),
    ("access.rate", "access rate"),
    ("access.delay", "access delay"),
    ("host_queue", "host queue"),
    ("recovery", "loss recovery"),
    ("direction", "direction"),
];

/// Keys that stand alone.
const WHOLE: [(&str, &str); 8] = [
    ("cc", "congestion control"),
    ("rtt", "RTT"),
    ("loss", "loss on the wire"),
    ("dumbbell.access.rate", "access rate"),
    ("dumbbell.access.delay", "access delay"),
    ("duration", "duration"),
    ("warmup", "warm-up"),
    ("host_time", "host time"),
];

/// Units of values as they are written, and as axes have them.
const UNITS: [(&str, &str); 17] = [
    ("bdp", "BDP"),
    ("pkt", "packets"),
    ("B", "bytes"),
    ("kB", "kB"),
    ("KB", "kB"),
    ("MB", "MB"),
    ("GB", "GB"),
    ("ns", "ns"),
    ("us", "us"),
    ("ms", "ms"),
    ("s", "s"),
    ("bit", "bit/s"),
    ("kbit", "kbit/s"),
    ("Mbit", "Mbit/s"),
    ("mbit", "Mbit/s"),
    ("Gbit", "Gbit/s"),
    ("gbit", "Gbit/s"),
];

/// The word for a varied key; the key itself if there is none, or if it would be the same
/// as that of another varied key.
pub(super) fn word(summary: &SweepSummary, axis: usize) -> String {
    let own = of_key(summary.axes[axis].name());
    let others = summary.axes.iter().enumerate().filter(|(nth, _)| *nth != axis);
    let twice = others.map(|(_, other)| of_key(other.name())).any(|other| other == own);
    if twice { summary.axes[axis].name().to_owned() } else { own }
}

/// Means of how many replicates, and what surrounds them; and on which path.
pub(super) fn means(summary: &SweepSummary) -> Caption {
    let counts = || summary.points.iter().map(|point| point.replicates);
    let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    let wider = match summary.is_widened() {
        true => {
            ", for the utilisation at least what one additional or missing sawtooth in the \
             measuring window would change"
        }
        false => "",
    };
    let of = |replicates: &str| {
        Caption::from(format!(
            "Means of {replicates} replicates; intervals are 95 % confidence (Student's t){wider}."
        ))
    };
    let caption = match (least, most) {
        (_, 0 | 1) => Caption::from("One run for each point, without an interval."),
        (least, most) if least == most => of(&most.to_string()),
        (least, most) => of(&format!("{least} to {most}")),
    };
    caption.and_all(about(summary))
}

/// The heading of the table: what was run, and what ± means.
pub(super) fn lead(
    summary: &SweepSummary,
    columns: &[&str],
    intervals: bool,
    narrow: Option<&Narrow>,
) -> String {
    let runs: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let mut text = format!(
        "{}: {}, {}",
        summary.name,
        counted(summary.points.len() as u128, "point"),
        counted(runs, "run")
    );
    let setting = summary.setting.clone().unwrap_or_default();
    for (nth, clause) in clauses(summary, &setting, true).iter().enumerate() {
        text += if nth == 0 { ", " } else { "; " };
        text += clause;
    }
    if let Some(Narrow { measure, share }) = narrow {
        let share = (share * 1e8).round() / 1e6;
        text += &format!("; every interval of {measure} is within {share} %");
    }
    if intervals {
        text += "; \u{b1}: 95 % confidence over replicates (Student's t)";
    }
    if columns.contains(&UTILISATION) && summary.is_widened() {
        text += ", of the utilisation at least what one additional or missing sawtooth in the \
                 measuring window would change";
    }
    let several = summary.points.iter().any(|point| point.replicates > 1);
    for name in columns.iter().filter(|name| several && entry(name).is_some_and(|e| e.is_median)) {
        text += &format!("; {name}: the median of the runs that converged");
    }
    text
}

/// The measuring window, the number of runs, their seeds, and the path; with or without how many
/// runs there are.
fn clauses(summary: &SweepSummary, setting: &Setting, with_counts: bool) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    all.extend(setting.window_s.map(|[from, to]| format!("measured from {from} s to {to} s")));
    let counts = || summary.points.iter().map(|point| point.replicates);
    let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    let count = match (least, most) {
        (1, 1) => "one run each".to_owned(),
        (least, most) if least == most => format!("{most} replicates each"),
        (least, most) => format!("{least} to {most} replicates each"),
    };
    let seeds = setting.seed.map(|first| match u64::from(most) {
        0 | 1 => format!("seed {first}"),
        most => format!("seeds {first} to {}", first + most - 1),
    });
    let runs = with_counts.then_some(count).into_iter().chain(seeds).collect::<Vec<_>>();
    all.extend((!runs.is_empty()).then(|| runs.join(", ")));
    let range = |[least, most]: Range, unit: Unit| match unit.text(least) {
        same if same == unit.text(most) => same,
        least => format!("{least} to {}", unit.text(most)),
    };
    let some = |own: Option<Range>| own.filter(|[_, most]| *most > 0.0);
    let path = [
        setting.rate_bps.map(|rates| range(rates, Unit::Rate)),
        setting.rtt_s.map(|rtts| format!("RTT {} without queues", range(rtts, Unit::Time))),
        some(setting.loss).map(|losses| format!("random loss {}", range(losses, Unit::Percent))),
        some(setting.jitter_s)
            .map(|jitter| format!("random delays of at most {}", range(jitter, Unit::Time))),
    ];
    let path: Vec<String> = path.into_iter().flatten().collect();
    all.extend((!path.is_empty()).then(|| path.join(", ")));
    all
}

/// Of so many congestion controls captions name the sources, at most.
const MOST_SOURCES: usize = 6;

/// All that is known of the setting, as the caption of a figure needs it, a sentence each; and
/// what intervals do not show of single flows.
fn about(summary: &SweepSummary) -> Vec<String> {
    let Some(setting) = &summary.setting else { return Vec::new() };
    let mut clauses = clauses(summary, setting, false);
    if let (Some(bdp), Some(packet)) = (setting.bdp_bytes, setting.packet_bytes) {
        let packets = bdp as f64 / packet as f64;
        clauses.push(format!("1 BDP is {packets:.0} packets of {packet} bytes"));
    }
    clauses.extend(setting.flows.map(|[least, most]| match (least == most, most) {
        (true, 1.0) => "one flow".to_owned(),
        (true, most) => format!("{most} flows"),
        (false, most) => format!("{least} to {most} flows"),
    }));
    clauses.extend(setting.queue.iter().map(|policy| format!("queue policy {policy}")));
    clauses.extend(setting.recovery.iter().map(|recovery| format!("loss recovery {recovery}")));
    let version = &setting.tusker;
    let profile = setting.profile.iter().map(|profile| format!(", profile {profile}"));
    clauses.push(format!(
        "simulated packet by packet with Tusker {version}{}",
        profile.collect::<String>()
    ));
    let mut all = vec![format!("{}.", capital(&clauses.join("; ")))];
    // of many laws the caption would be too long
    if (1..=MOST_SOURCES).contains(&setting.laws.len()) {
        let laws = setting.laws.iter().map(|(name, source)| format!("{name}: {source}"));
        all.push(format!("Congestion controls: {}.", laws.collect::<Vec<_>>().join("; ")));
    }
    let most = summary.points.iter().filter_map(|point| summary.sawtooth(point));
    if let Some(most) = most.reduce(f64::max).filter(|_| summary.lone) {
        let points = 100.0 * most;
        // two digits, at least one decimal
        let decimals = if points < 0.095 { 2 } else { 1 };
        all.push(format!(
            "One additional or missing sawtooth in the measuring window would change the \
             utilisation by up to {points:.decimals$} points."
        ));
    }
    all
}

/// `Sweep over congestion control and buffer`; the name of a sweep of nothing.
pub(super) fn title(summary: &SweepSummary) -> String {
    let mut all: Vec<String> = Vec::new();
    for axis in 0..summary.axes.len() {
        let word = word(summary, axis);
        if !all.contains(&word) {
            all.push(word);
        }
    }
    match all.as_slice() {
        [] => summary.name.clone(),
        [one] => format!("Sweep over {one}"),
        [first @ .., last] => format!("Sweep over {} and {last}", first.join(", ")),
    }
}

/// `, where buffer is dumbbell.queue`: which keys the words in a figure stand for.
fn legend(summary: &SweepSummary) -> String {
    let told = (0..summary.axes.len()).filter_map(|axis| {
        let (word, key) = (word(summary, axis), summary.axes[axis].name());
        // what a law is, and what options are, needs no key
        (word != key && key != "cc" && summary.axes[axis].option.is_none())
            .then(|| format!("{word} is {key}"))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!(", where {}", told.join(" and ")) }
}

/// Which points are doubtful; how these are marked comes first.
pub(super) fn doubts(summary: &SweepSummary, marked: &str) -> Option<String> {
    let all = summary.doubts();
    let all: Vec<String> =
        all.iter().map(|told| format!("{} {}", told.kind.title(), told.places())).collect();
    (!all.is_empty()).then(|| format!("{marked}: {}.", all.join("; ")))
}

/// Which columns of the data set a figure of these measures is drawn from.
pub(super) fn source(summary: &SweepSummary, measures: &[&str]) -> String {
    let axes: Vec<String> = summary.axes.iter().map(AxisSummary::column).collect();
    let words = legend(summary);
    let (measures, axes) = (measures.join(", "), axes.join(", "));
    format!("{measures} over {axes} of the data set (runs){words}")
}

fn of_key(key: &str) -> String {
    let find = |table: &[(&str, &'static str)], key: &str| {
        table.iter().find(|(own, _)| *own == key).map(|(_, word)| *word)
    };
    if let Some(word) = find(&WHOLE, key) {
        return word.to_owned();
    }
    if let Some(word) = key.split_once('.').and_then(|(section, rest)| match section {
        "dumbbell" | "parking-lot" => find(&PATH, rest),
        _ => None,
    }) {
        return word.to_owned();
    }
    let named = || {
        let (section, rest) = key.split_once('.')?;
        // the name of a link may have a dot: L.reverse
        let table: &[(&str, &'static str)] = if section == "links" { &PATH } else { &TRAFFIC };
        let ends = table.iter().filter_map(|(own, word)| {
            let name = rest.strip_suffix(own)?.strip_suffix('.')?;
            Some((own.len(), name, *word))
        });
        let (_, name, word) = ends.max_by_key(|(long, ..)| *long)?;
        match name {
            "*" => Some(word.to_owned()),
            name if ["flows", "arrivals", "web", "background", "links"].contains(&section) => {
                Some(format!("{word} of {name}"))
            }
            _ => None,
        }
    };
    named().unwrap_or_else(|| key.to_owned())
}

/// `10 ms` of `10ms`; anything else as it is.
pub(super) fn spaced(value: &str) -> String {
    let end = value.rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1);
    let (number, unit) = value.split_at(end);
    let unit = UNITS.iter().find(|(written, _)| *written == unit.trim());
    match unit.filter(|_| number.parse::<f64>().is_ok()) {
        Some((_, word)) => format!("{number} {word}"),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_words() {
        for (key, word) in [
            ("cc", "congestion control"),
            ("rtt", "RTT"),
            ("buffer", "buffer"),
            ("dumbbell.queue", "buffer"),
            ("dumbbell.queue.limit", "buffer"),
            ("dumbbell.rate", "rate"),
            ("dumbbell.delay", "one-way delay"),
            ("links.x.rate", "rate of x"),
            ("links.R1->R2.queue", "buffer of R1->R2"),
            ("flows.a.cc", "congestion control of a"),
            ("flows.*.cc", "congestion control"),
            ("flows.a.access.delay", "access delay of a"),
            ("background.u.rate", "rate of u"),
            // no word: the key
            ("dumbbell.queue.max_p", "dumbbell.queue.max_p"),
            ("seed", "seed"),
        ] {
            assert_eq!(of_key(key), word, "{key}");
        }
    }

    #[test]
    fn units_are_apart_from_numbers() {
        for (value, told) in [
            ("10ms", "10 ms"),
            ("0.1057bdp", "0.1057 BDP"),
            ("100Mbit", "100 Mbit/s"),
            ("20pkt", "20 packets"),
            ("64", "64"),
            ("bbr3", "bbr3"),
            ("reno:beta=0.5", "reno:beta=0.5"),
        ] {
            assert_eq!(spaced(value), told);
        }
    }

    /// Whatever is varied in a document, in an example or in the benchmarks.
    #[test]
    fn every_key_that_is_varied_somewhere_has_a_word() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files: Vec<std::path::PathBuf> = vec![root.join("README.md")];
        for folder in ["docs", "docs/findings", "bench", "examples"] {
            let all = std::fs::read_dir(root.join(folder)).unwrap();
            files.extend(all.map(|entry| entry.unwrap().path()));
        }
        let mut keys = std::collections::BTreeSet::new();
        for file in files.iter().filter(|file| file.is_file()) {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            for part in text.split("--over").skip(1) {
                let part = part.trim_start_matches(['=', ' ', '\'', '"']);
                let plain = |c: char| c.is_ascii_alphanumeric() || ".-*_>".contains(c);
                let key: String = part.chars().take_while(|&c| plain(c)).collect();
                if part[key.len()..].starts_with('=') && key != "KEY" {
                    keys.insert(key);
                }
            }
        }
        // those of buffers.toml in docs/sweep.md
        keys.extend(["dumbbell.rate", "dumbbell.delay"].map(str::to_owned));
        assert!(keys.contains("cc") && keys.contains("dumbbell.queue"), "{keys:?}");
        for key in &keys {
            assert_ne!(of_key(key), *key, "has no word");
        }
    }
}
