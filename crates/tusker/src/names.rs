//! Errors for names that a scenario does not have.

use crate::failure::Failure;

/// A mistake: the scenario has no `what` of this name, but all these.
pub fn unknown<'a>(what: &str, name: &str, all: impl Iterator<Item = &'a String>) -> Failure {
    const SHOWN: usize = 12;
    let all: Vec<&str> = all.map(String::as_str).collect();
    let near = all
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    let more =
        if all.len() > SHOWN { format!(" and {} more", all.len() - SHOWN) } else { String::new() };
    let some = all[..all.len().min(SHOWN)].join(", ");
    Failure::input(
        format!("the scenario has no {what} {name}"),
        format!("did you mean {}? it has {some}{more}", near.copied().unwrap_or_default()),
    )
}
