//! What is said about runs that are shorter than the paper's.

use std::path::Path;

use super::super::sources::{is_own, sources};
use crate::next;
use crate::screen::bold;

/// A heading of verdicts, which says if they are those of a quick look.
pub fn verdicts(title: &str, quick: Option<&str>) -> String {
    bold(&quick.map_or_else(|| title.to_owned(), |note| format!("{title} ({note})")))
}

/// The last line after a quick look: the same command without `--quick`, and without places
/// that have nothing but runs of it. What is printed does not depend on where results go and
/// what runs them, so neither does this line.
pub fn in_full_length(quick: Option<&str>, command: &[String]) -> String {
    let mut words = Vec::new();
    let mut rest = command.iter();
    while let Some(word) = rest.next() {
        match word.split_once('=').map_or(word.as_str(), |(option, _)| option) {
            "--quick" | "--quiet" | "-q" => {}
            "--out" | "--ray" | "--jobs" | "-j" if !word.contains('=') => drop(rest.next()),
            "--out" | "--ray" | "--jobs" | "-j" => {}
            "--recorded" => {
                let value = match word.split_once('=') {
                    Some((_, value)) => Some(value),
                    None => rest.next().map(String::as_str),
                };
                let key = command.get(2).map_or("", String::as_str);
                let full = sources(Path::new(value.unwrap_or_default()));
                let full = full.into_iter().filter(|place| !is_own(place, key));
                let full: Vec<String> = full.map(|place| place.display().to_string()).collect();
                if !full.is_empty() {
                    words.extend(["--recorded".to_owned(), full.join(",")]);
                }
            }
            _ => words.push(word.clone()),
        }
    }
    match quick {
        Some(_) if !words.is_empty() => {
            format!("\nin the paper's length: {}\n", next::command(&words))
        }
        _ => String::new(),
    }
}
