//! The title of a comparison: its congestion controls and its path.

use std::path::{Component, Path};

use tusker_core::Duration;
use tusker_measure::table::Unit;
use tusker_plan::plan::Plan;
use tusker_store::Stored;

/// So many congestion controls stand in a title.
const NAMED: usize = 4;

/// `reno, hstcp and ghstcp over 1 Gbit/s, 50 ms`.
pub(super) fn of_comparison(all: &[Stored]) -> String {
    let mut laws: Vec<&str> = Vec::new();
    for law in all.iter().flat_map(|stored| &stored.summary.groups).flat_map(|group| &group.cc) {
        if !laws.contains(&law.as_str()) {
            laws.push(law);
        }
    }
    let laws = match laws.as_slice() {
        [] => format!("{} experiments", all.len()),
        [only] => format!("{only}, {} experiments", all.len()),
        [first @ .., last] if laws.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        many => format!("{} congestion controls", many.len()),
    };
    let rates: Vec<f64> = all.iter().filter_map(rate).collect();
    let rtts: Vec<Option<Duration>> = all.iter().map(|stored| rtt(&stored.plan)).collect();
    let mut path = Vec::new();
    match rates.split_first() {
        Some((first, rest)) if rates.len() == all.len() && rest.iter().all(|r| r == first) => {
            path.push(Unit::Rate.text(*first));
        }
        _ => {}
    }
    match rtts.split_first() {
        Some((Some(first), rest)) if rest.iter().all(|rtt| *rtt == Some(*first)) => {
            path.push(Unit::Time.text(first.secs()));
        }
        _ => {}
    }
    let path: Vec<String> = path.iter().map(|text| plain(text)).collect();
    if path.is_empty() { laws } else { format!("{laws} over {}", path.join(", ")) }
}

/// Without zeros behind the comma: `50.00 ms` is `50 ms`.
fn plain(text: &str) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number} {unit}")
        }
        _ => text.to_owned(),
    }
}

/// Of the only bottleneck, or of all if they have the same.
fn rate(stored: &Stored) -> Option<f64> {
    let mut rates = stored.summary.links.iter().filter(|link| link.bottleneck);
    let first = rates.next()?.rate_bps;
    rates.all(|link| link.rate_bps == first).then_some(first)
}

/// Round-trip time without queueing, if all flows have the same.
fn rtt(plan: &Plan) -> Option<Duration> {
    let mut rtts = plan.flows.iter().map(|flow| {
        let links = flow.route.iter().chain(&flow.reverse);
        links.fold(Duration::ZERO, |sum, &link| sum + plan.links[link].propagation())
    });
    let first = rtts.next()?;
    rtts.all(|rtt| rtt == first).then_some(first)
}

/// The folders by what tells them apart: without what all of them begin and end with.
pub(super) fn folders(all: &[Stored]) -> Vec<String> {
    let short = short(&all.iter().map(|stored| stored.dir.as_path()).collect::<Vec<_>>());
    // `b1/cubic` of cubic is `b1`
    let own = |(folder, stored): (String, &Stored)| {
        let name = format!("/{}", stored.summary.scenario);
        folder.strip_suffix(name.as_str()).map(str::to_owned).unwrap_or(folder)
    };
    short.into_iter().zip(all).map(own).collect()
}

fn short(all: &[&Path]) -> Vec<String> {
    let parts = |path: &Path| {
        let named = path.components().filter(|part| !matches!(part, Component::CurDir));
        named.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let parts: Vec<Vec<String>> = all.iter().map(|path| parts(path)).collect();
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let head = (0..shortest).take_while(|&i| parts.iter().all(|own| own[i] == parts[0][i]));
    let head = head.count();
    let tail = (1..=shortest.saturating_sub(head)).take_while(|&i| {
        parts.iter().all(|own| own[own.len() - i] == parts[0][parts[0].len() - i])
    });
    let tail = tail.count();
    let middle = |own: &Vec<String>| own[head..own.len() - tail].join("/");
    let found: Vec<String> = parts.iter().map(middle).collect();
    // one of them is above the others
    match found.iter().any(String::is_empty) {
        true => all.iter().map(|path| path.display().to_string()).collect(),
        false => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_told_by_what_differs() {
        let told = |all: &[&str]| short(&all.iter().map(Path::new).collect::<Vec<_>>());
        assert_eq!(told(&["p/b1/cubic", "p/b20/cubic"]), ["b1", "b20"]);
        assert_eq!(told(&["p/b1/cubic", "p/b1/reno"]), ["cubic", "reno"]);
        assert_eq!(told(&["./x", "y/z"]), ["x", "y/z"]);
        assert_eq!(told(&["p", "p/q"]), ["p", "p/q"]);
    }

    #[test]
    fn round_numbers_have_no_zeros_behind_them() {
        assert_eq!(plain("50.00 ms"), "50 ms");
        assert_eq!(plain("1.500 Gbit/s"), "1.5 Gbit/s");
        assert_eq!(plain("100 ms"), "100 ms");
    }
}
