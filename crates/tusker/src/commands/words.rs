//! Explains words in the output, and what papers name: readings, claims and conclusions.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tusker_measure::table::fold;
use tusker_papers::Paper;
use tusker_papers::claims::Claim;
use tusker_papers::conclusions::Conclusion;
use tusker_papers::model::Reading;
use tusker_papers::page::claim::readings as readings_of;
use tusker_papers::rows::{BASE, Row};
use tusker_report::{Page, terminal};

use crate::screen::{self, bold, paragraph};

/// A word, and what it means.
const WORDS: [(&str, &str); 12] = [
    (
        "claim",
        "A sentence of a paper, written as comparisons of measures: s2(3@25) > 1.25 * s2(2@25) \
         says that s2 in Case 3 at 25 is more than 1.25 times s2 in Case 2 at 25. It holds, holds \
         partly, does not hold, or is undecided if chance alone may explain the differences.",
    ),
    (
        "conclusion",
        "A sentence of a paper that holds if several of the paper's claims do. Its verdict is that \
         of the base reading. Beside it is how many comparisons hold in all runs, and how many of \
         the readings that could change it were run.",
    ),
    (
        "robust",
        "How many comparisons of a claim or conclusion hold by their values, counting each once for \
         every seed and reading that was run. `107 of 108` says that one comparison fails in one run.",
    ),
    (
        "depends",
        "A claim or conclusion depends on a reading if this reading reverses comparisons beyond \
         chance: they hold in the base and fail under it, or the other way round.",
    ),
    (
        "tolerance",
        "A row is ok if the difference between our value of a measure and the paper's is at most \
         the tolerance. It is an absolute difference, such as 0.05 of Jain's index or 3 points of \
         utilisation. The file paper.toml of each paper sets it, and the line above the tables \
         shows it.",
    ),
    (
        "reading",
        "One of several ways to understand a paper's text where it is silent or unclear. Each \
         reading sets some keys of the scenario differently. The base is the reading that we think most likely. \
         `tusker reproduce PAPER --readings` lists the others, --reading NAME runs one, and \
         --compare-readings runs all.",
    ),
    (
        "seed",
        "The number from which everything random in a run follows: when flows start, random \
         losses, background traffic, and the time that hosts take to react. The same scenario \
         with the same seed gives the same results, byte for byte. --seed sets it; \
         --replicates N runs N seeds, one after the other.",
    ),
    (
        "replicate",
        "One of several runs of the same experiment that differ only in the seed (--replicates). \
         From two on, means have 95 % confidence intervals.",
    ),
    (
        "interval",
        "± is half of a 95 % confidence interval of a mean: over replicates by Student's t or, of \
         a single run, over 20 batches of its measuring window. It covers only what differs \
         between seeds (or batches), not what another path, another length of the run or another \
         way to start would change. docs/how-sure.md says more.",
    ),
    (
        "bdp",
        "Bandwidth-delay product: a link's rate times the longest RTT without queues of the TCP \
         flows that cross it, in packets of the largest size among theirs. At 100 Mbit/s and an \
         RTT of 60 ms, 1 BDP is 500 packets of 1500 B. A buffer of 0.5bdp (dumbbell.queue, \
         --buffer) has half of it. `tusker check FILE --expand` prints queues in packets.",
    ),
    (
        "jitter",
        "A random delay of each packet on the wire, in addition to the propagation delay: \
         --set dumbbell.jitter=100us draws it uniformly from 0 to 100 us, and packets keep their \
         order. Use it if results of a lone flow hardly depend on the seed. At 100 Mbit/s and 60 ms, \
         100us costs CUBIC with a small buffer less than 0.1 percentage points of utilisation, and \
         1ms up to 1 point (docs/guide.md, Pitfalls). docs/scenario.md has the other forms.",
    ),
    (
        "phase-effects",
        "If rates, delays and packet sizes are round numbers, packets of several flows arrive in a \
         fixed rhythm. Then this rhythm, and not congestion control, decides which flow loses \
         packets. The sign of it: a packet that is dropped because the queue is full arrives, to \
         the nanosecond, as long before the next departure as another packet that was dropped \
         shortly before. Real hosts take some microseconds to react, and never the same time \
         twice. host_time = \"10us\" gives simulated hosts such a reaction time. To see what phase \
         effects change, compare with --set host_time=10us; if host_time is set already, compare \
         with a delay that is a little longer.",
    ),
];

/// What is told of a name, for people and for programs.
pub struct Entry {
    name: String,
    what: String,
    paragraphs: Vec<String>,
    /// What comes below the paragraphs.
    table: String,
    told: Value,
}

impl Entry {
    /// As a page of `tusker explain`: paragraphs; lines of their own stay such.
    pub fn page(&self) -> String {
        let folded = |text: &String| -> String {
            let lines = text.lines().flat_map(|line| fold(line, paragraph().saturating_sub(2)));
            lines.map(|line| format!("  {line}\n")).collect()
        };
        let paragraphs = self.paragraphs.iter().filter(|text| !text.is_empty());
        let body: Vec<String> = paragraphs.map(folded).collect();
        format!("{}: {}\n\n{}{}", bold(&self.name), self.what, body.join("\n"), self.table)
    }

    /// As JSON, with its kind.
    pub fn told(self) -> Value {
        self.told
    }
}

/// What has this name: a word, a paper, or a reading, a claim or a conclusion of a paper. A
/// word may stand in the plural, and a claim's sentence names it as well. `claim:ID` and
/// `conclusion:ID` mean one of the two, as with `reproduce --claim`.
pub fn named(name: &str) -> Vec<Entry> {
    let (kind, id) = name.split_once(':').unwrap_or(("", name));
    let singular = name.strip_suffix('s');
    let called = |word: &&str| *word == name || Some(*word) == singular;
    let words = WORDS.iter().filter(|(word, _)| called(word));
    let mut entries: Vec<Entry> = words.map(|(word, means)| of_word(word, means)).collect();
    for paper in Paper::keys().filter_map(|key| Paper::find(key).ok()) {
        let key = &paper.about.key;
        entries.extend((key == name).then(|| of_paper(&paper)));
        let readings = paper.readings.iter().filter(|reading| reading.name == name);
        entries.extend(readings.map(|reading| of_reading(&paper, reading)));
        let is = |asked: &str, own: &str| own == name || (kind == asked && own == id);
        let claims =
            paper.claims.iter().filter(|claim| is("claim", &claim.id) || says(claim, name));
        entries.extend(claims.map(|claim| of_claim(&paper, claim)));
        let conclusions = paper.conclusions.conclusions.iter();
        let conclusions = conclusions.filter(|own| is("conclusion", &own.id));
        entries.extend(conclusions.map(|conclusion| of_conclusion(key, conclusion)));
    }
    entries
}

fn says(claim: &Claim, sentence: &str) -> bool {
    let bare = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
    bare(&claim.says) == bare(sentence)
}

/// The words, and the names of readings, claims and conclusions, for anyone who asks for one that
/// is not there.
pub fn words() -> Vec<String> {
    let mut all: Vec<String> = WORDS.iter().map(|(word, _)| (*word).to_owned()).collect();
    for paper in Paper::keys().filter_map(|key| Paper::find(key).ok()) {
        all.push(paper.about.key);
        all.extend(paper.readings.into_iter().map(|reading| reading.name));
        all.extend(paper.claims.into_iter().map(|claim| claim.id));
        all.extend(paper.conclusions.conclusions.into_iter().map(|own| own.id));
    }
    // papers may have readings of the same name
    let mut seen = BTreeSet::new();
    all.retain(|name| seen.insert(name.clone()));
    all
}

fn of_word(word: &str, means: &str) -> Entry {
    Entry {
        name: word.to_owned(),
        what: "a word in the output".to_owned(),
        paragraphs: vec![means.to_owned()],
        table: String::new(),
        told: json!({ "kind": "word", "name": word, "about": means }),
    }
}

fn of_paper(paper: &Paper) -> Entry {
    let about = &paper.about;
    let (key, rows) = (&about.key, paper.rows().len());
    let counts = format!(
        "{rows} rows, {} claims, {} conclusions, {} readings besides the base",
        paper.claims.len(),
        paper.conclusions.conclusions.len(),
        paper.readings.len()
    );
    let commands = format!(
        "tusker reproduce {key} --quick\ntusker reproduce {key} --claims\n\
         tusker reproduce {key} --conclusions --recorded papers"
    );
    Entry {
        name: key.clone(),
        what: "a paper that `tusker reproduce` compares with".to_owned(),
        paragraphs: vec![
            format!("{}. {}.", about.authors, about.title),
            format!("Here: {}.", about.covers),
            about.row_names.clone().unwrap_or_default(),
            format!("{counts}."),
            format!("A quick look, its claims, and its recorded results:\n{commands}"),
        ],
        table: String::new(),
        told: json!({
            "kind": "paper",
            "name": key,
            "about": about.title,
            "authors": about.authors,
            "covers": about.covers,
        }),
    }
}

fn of_reading(paper: &Paper, reading: &Reading) -> Entry {
    let (key, name) = (&paper.about.key, &reading.name);
    let taken = paper.take(std::slice::from_ref(name), &[]);
    let sets = taken.map_or(Vec::new(), |taken| taken.changes());
    let run = format!("tusker reproduce {key} --reading {name}");
    Entry {
        name: name.clone(),
        what: format!("a reading of {key}"),
        told: json!({
            "kind": "reading",
            "name": name,
            "paper": key,
            "about": reading.why,
            "sets": sets,
            "example": run,
        }),
        paragraphs: vec![
            reading.why.clone(),
            if sets.is_empty() { String::new() } else { format!("It sets:\n{}", sets.join("\n")) },
            format!("To run it:\n{run}"),
        ],
        table: String::new(),
    }
}

fn of_claim(paper: &Paper, claim: &Claim) -> Entry {
    let key = &paper.about.key;
    let read = if claim.read.is_empty() { String::new() } else { format!(" ({})", claim.read) };
    let says = format!("{} [{}]{read}", claim.says, claim.place);
    Entry {
        name: claim.id.clone(),
        what: format!("a claim of {key}"),
        paragraphs: vec![says, claim.tests.join("\n")],
        table: in_runs(paper, claim),
        told: json!({
            "kind": "claim",
            "name": claim.id,
            "paper": key,
            "about": claim.says,
            "place": claim.place,
            "read": claim.read,
            "tests": claim.tests,
        }),
    }
}

/// The verdict under every reading, seed and variant that was recorded beside the paper.
fn in_runs(paper: &Paper, claim: &Claim) -> String {
    let rows = paper.rows().iter().map(Row::id).collect();
    let answer = claim.answer(paper, &paper.recorded_runs(), BASE, None, &rows);
    let Some(answer) = answer.filter(|answer| answer.ours.of > 0) else { return String::new() };
    let page = Page { table: Some(readings_of(&answer)), ..Page::default() };
    let table = terminal::text(&page, &screen::terminal(false));
    let all =
        format!("tusker reproduce {} --claim {} --recorded papers", paper.about.key, claim.id);
    format!("\n{}\n\n{table}\n  with all numbers: {all}\n", bold("In the recorded results"))
}

fn of_conclusion(key: &str, conclusion: &Conclusion) -> Entry {
    let claims = format!("Its claims: {}.", conclusion.claims.join(", "));
    Entry {
        name: conclusion.id.clone(),
        what: format!("a conclusion of {key}"),
        paragraphs: vec![conclusion.says.clone(), claims],
        table: String::new(),
        told: json!({
            "kind": "conclusion",
            "name": conclusion.id,
            "paper": key,
            "about": conclusion.says,
            "claims": conclusion.claims,
        }),
    }
}
