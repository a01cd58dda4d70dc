//! Readings that another setting overrules.

use crate::paper::Paper;
use crate::rows::{Row, Taken};

/// A setting of a reading that does not come to anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overruled {
    /// The reading.
    pub reading: String,
    /// What it sets: `duration`.
    pub key: String,
    /// The reading that sets it after this one; `None` if the further changes do.
    pub by: Option<String>,
}

impl Paper {
    /// The first of these readings, taken together, that sets something in a row which a
    /// later one, or a further change, sets otherwise.
    pub fn overruled(&self, row: &Row<'_>, names: &[String], more: &[String]) -> Option<Overruled> {
        let sets = |name: &String| {
            let taken = self.take(std::slice::from_ref(name), &[]);
            taken.map_or(Vec::new(), |taken: Taken<'_>| taken.sets_of(&row.case.choose))
        };
        let later = |i: usize| {
            let readings = names[i + 1..].iter().map(|name| (Some(name.clone()), sets(name)));
            readings.chain(std::iter::once((None, more.to_vec()))).collect::<Vec<_>>()
        };
        names.iter().enumerate().find_map(|(i, name)| {
            let later = later(i);
            sets(name).iter().find_map(|own| {
                let found =
                    later.iter().find(|(_, sets)| sets.iter().any(|set| replaces(set, own)));
                found.map(|(by, _)| Overruled {
                    reading: name.clone(),
                    key: key(own).to_owned(),
                    by: by.clone(),
                })
            })
        })
    }
}

fn key(set: &str) -> &str {
    set.split_once('=').map_or(set, |(key, _)| key).trim()
}

/// Whether `later` sets what `earlier` set, or all around it, to something else.
fn replaces(later: &str, earlier: &str) -> bool {
    let (last, first) = (key(later), key(earlier));
    let around =
        first.strip_prefix(last).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    around && later != earlier
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_sets_otherwise_is_found() {
        let paper = Paper::find("ghstcp").unwrap();
        let row = paper.rows()[0];
        let overruled = |names: &[&str], more: &[&str]| {
            let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
            let found = paper.overruled(&row, &owned(names), &owned(more))?;
            Some((found.reading, found.key, found.by))
        };
        let found = |reading: &str, key: &str, by: Option<&str>| {
            Some((reading.to_owned(), key.to_owned(), by.map(str::to_owned)))
        };
        let quick = ["duration=100s"];
        assert_eq!(overruled(&["length-300s"], &quick), found("length-300s", "duration", None));
        assert_eq!(overruled(&["newreno", "starts-at-once"], &quick), None);
        let both = overruled(&["short-200s", "long-1000s"], &[]);
        assert_eq!(both, found("short-200s", "duration", Some("long-1000s")));
        // a list that replaces all of it, and not the other way round
        let thin = overruled(&["background-thin", "no-background"], &[]);
        assert_eq!(thin, found("background-thin", "background.udp.rate", Some("no-background")));
        assert_eq!(overruled(&["background-cbr", "background-1500"], &[]), None);
        // the same value is no contradiction
        assert_eq!(overruled(&["length-300s"], &["duration=300s"]), None);
    }
}
