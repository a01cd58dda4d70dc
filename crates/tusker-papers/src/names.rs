//! What papers give names to, for `tusker list` and `tusker explain`: the papers themselves,
//! their readings, claims and conclusions.

use std::collections::BTreeSet;

use tusker_lab::suite::claims::Claim;
use tusker_report::names::Entry;
use tusker_report::page::Block;

use crate::conclusions::{Answer, Conclusion};
use crate::model::Reading;
use crate::page::claim::readings;
use crate::rows::{BASE, Row};
use crate::{Error, Paper};

/// All papers.
///
/// # Errors
/// If the files of one cannot be read.
pub fn papers() -> Result<Vec<Entry>, Error> {
    Paper::keys().map(|key| Ok(of_paper(&Paper::find(key)?))).collect()
}

/// What has this name, in small letters: a paper, or a reading, a claim or a conclusion of a
/// paper. A claim's sentence names it as well. `claim:ID` and `conclusion:ID` mean one of the
/// two, as with `reproduce --claim`.
pub fn named(name: &str) -> Vec<Entry> {
    let (kind, id) = name.split_once(':').unwrap_or(("", name));
    let is = |of: &str, own: &str| own == name || (kind == of && own == id);
    let mut all = Vec::new();
    for paper in Paper::keys().filter_map(|key| Paper::find(key).ok()) {
        let key = &paper.about.key;
        all.extend((key == name).then(|| of_paper(&paper)));
        let found = paper.readings.iter().filter(|own| own.name == name);
        all.extend(found.map(|own| of_reading(&paper, own)));
        let found = paper.claims.iter().filter(|own| is("claim", &own.id) || says(own, name));
        all.extend(found.map(|own| of_claim(&paper, own)));
        let found = paper.conclusions.conclusions.iter().filter(|own| is("conclusion", &own.id));
        all.extend(found.map(|own| of_conclusion(key, own)));
    }
    all
}

fn says(claim: &Claim, sentence: &str) -> bool {
    let bare = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
    bare(&claim.says) == bare(sentence)
}

/// All names.
pub fn all() -> Vec<String> {
    let mut all = Vec::new();
    for paper in Paper::keys().filter_map(|key| Paper::find(key).ok()) {
        all.push(paper.about.key);
        all.extend(paper.readings.into_iter().map(|own| own.name));
        all.extend(paper.claims.into_iter().map(|own| own.id));
        all.extend(paper.conclusions.conclusions.into_iter().map(|own| own.id));
    }
    // papers may have readings of the same name
    let mut seen = BTreeSet::new();
    all.retain(|name| seen.insert(name.clone()));
    all
}

fn of_paper(paper: &Paper) -> Entry {
    let about = &paper.about;
    let key = &about.key;
    let counts = format!(
        "{} rows, {} claims, {} conclusions, {} readings besides the base.",
        paper.rows().len(),
        paper.claims.len(),
        paper.conclusions.conclusions.len(),
        paper.readings.len()
    );
    let commands = format!(
        "tusker reproduce {key} --quick\ntusker reproduce {key} --claims\n\
         tusker reproduce {key} --conclusions --recorded papers"
    );
    Entry::new("paper", key, "a paper that `tusker reproduce` compares with")
        .value("title", about.title.as_str())
        .value("about", about.title.as_str())
        .value("authors", about.authors.as_str())
        .text("", &format!("{}. {}.", about.authors, about.title))
        .value("covers", about.covers.as_str())
        .text("Here", &about.covers)
        .text("", about.row_names.as_deref().unwrap_or_default())
        .text("", &counts)
        .lines("A quick look, its claims, and its recorded results", &commands)
}

fn of_reading(paper: &Paper, reading: &Reading) -> Entry {
    let (key, name) = (&paper.about.key, &reading.name);
    let taken = paper.take(std::slice::from_ref(name), &[]);
    let sets = taken.map_or(Vec::new(), |taken| taken.changes());
    let run = format!("tusker reproduce {key} --reading {name}");
    Entry::new("reading", name, format!("a reading of {key}"))
        .value("paper", key.as_str())
        .value("about", reading.why.as_str())
        .text("", &reading.why)
        .lines("It sets", &sets.join("\n"))
        .value("sets", sets)
        .value("example", run.as_str())
        .lines("To run it", &run)
}

fn of_claim(paper: &Paper, claim: &Claim) -> Entry {
    let key = &paper.about.key;
    let read = if claim.read.is_empty() { String::new() } else { format!(" ({})", claim.read) };
    Entry::new("claim", &claim.id, format!("a claim of {key}"))
        .value("paper", key.as_str())
        .value("about", claim.says.as_str())
        .value("place", claim.place.as_str())
        .value("read", claim.read.as_str())
        .text("", &format!("{} [{}]{read}", claim.says, claim.place))
        .value("tests", claim.tests.clone())
        .text("", &claim.tests.join("\n"))
        .block(recorded(paper, claim))
}

/// The verdict under every reading, seed and variant that was recorded beside the paper.
fn recorded(paper: &Paper, claim: &Claim) -> Option<Block> {
    let rows = paper.rows().iter().map(Row::id).collect();
    let answer = Answer::of(claim, paper, &paper.recorded_runs(), BASE, None, &rows)?;
    let mut table = readings(&answer);
    table.caption.clear();
    let all =
        format!("tusker reproduce {} --claim {} --recorded papers", paper.about.key, claim.id);
    let all = Block::Facts(vec![("With all numbers".to_owned(), all)]);
    let blocks = vec![Block::Table(table), all];
    (answer.ours.of > 0).then(|| Block::More("In the recorded results".to_owned(), blocks))
}

fn of_conclusion(key: &str, conclusion: &Conclusion) -> Entry {
    Entry::new("conclusion", &conclusion.id, format!("a conclusion of {key}"))
        .value("paper", key)
        .value("about", conclusion.says.as_str())
        .text("", &conclusion.says)
        .text("Its claims", &conclusion.claims.join(", "))
        .value("claims", conclusion.claims.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_readings_claims_and_conclusions_are_found_by_their_names() {
        for (name, kind, key, value) in [
            ("ngtcp", "paper", "covers", "Section III"),
            ("ngtcp", "paper", "title", "Issues in Performance Evaluation of New TCP Stacks"),
            ("background-1500", "reading", "sets", "background.udp.packet=1500B"),
            ("background-1500", "reading", "paper", "ghstcp"),
            ("case4-s1-still-low", "claim", "tests", "s1(4) < 250"),
            ("hstcp-starves-reno", "conclusion", "paper", "ghstcp"),
            ("claim:ghstcp-is-fairer", "claim", "paper", "ghstcp"),
            ("conclusion:ghstcp-is-fairer", "conclusion", "claims", "ghstcp-is-fairer"),
            (
                "if both groups have sack, ghstcp is fairer than hstcp",
                "claim",
                "tests",
                "fairness(7) > fairness(4)",
            ),
        ] {
            let own = named(name).first().expect(name).json();
            assert_eq!(own["kind"], kind, "{name}");
            assert!(own[key].to_string().contains(value), "{name}: {own}");
        }
        assert!(named("reno").is_empty() && papers().expect("all can be read").len() >= 5);
    }
}
