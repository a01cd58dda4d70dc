//! Answers as text for people, and the list of claims.

use tusker_papers::Paper;
use tusker_papers::asked::OWN_TEST;
use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{Answer, Outcome, RunsInPart, Standing};
use tusker_record::table::Table;

use super::super::text::{in_full_length, wrapped};
use super::numbers::Cells;
use super::{One, Told, known, numbers, rows, setup};
use crate::screen::{Mood, bold, coloured, fit, is_wide, paragraph, room};

/// Rows whose other measures are shown; the page has those of more.
const MOST: usize = 12;

/// What the base is, for anyone who has read nothing else.
pub(super) const BASE_IS: &str = "our default reading of the paper's text. Each other reading \
                                  assumes one thing differently, where the text is silent or unclear";

const INDENT: &str = "  ";

/// Comparisons and readings that are named; --format csv and the page have all.
const NAMED: usize = 6;

/// Everything that was asked, one answer below the other.
pub(super) fn told(told: &Told<'_>) -> String {
    let mut text = String::new();
    if let Some(note) = told.quick() {
        text += &format!("{}\n", bold(&note.replacen("quick look", "QUICK LOOK", 1)));
    }
    if let Some(stale) = told.stale() {
        text += &wrapped("STALE: ", stale, "");
    }
    if let Some(doubtful) = &told.doubtful {
        text += &wrapped("DOUBTFUL: ", doubtful, "");
    }
    for one in &told.asked {
        text += &conclusion(one);
        for answer in &one.answers {
            text += &of_claim(told, answer);
        }
    }
    let cases = setup::chosen(told.paper, &told.rows());
    if !cases.is_empty() {
        let lines = cases.iter().map(|line| wrapped(INDENT, line, "    "));
        text += &format!("\n{}\n{}", bold("Cases"), lines.collect::<String>());
    }
    if let Some(note) = told.not_beside() {
        text.push('\n');
        text += &wrapped("", &note, "");
    }
    if !told.origins.is_empty() {
        let lines = told.origins.iter().map(|one| wrapped(INDENT, &one.text(&one.place), "    "));
        text += &format!("\n{}\n{}", bold("Where the runs are from"), lines.collect::<String>());
    }
    text += &next(told);
    text += &in_full_length(told.quick(), &told.command);
    // the first answer begins at the top
    text.trim_start_matches('\n').to_owned()
}

/// The sentence of a conclusion, and whether it stands on the same runs.
fn conclusion(one: &One) -> String {
    let Some(says) = &one.says else { return String::new() };
    let mut text = format!("\n{}\n", bold(&format!("Conclusion: {says}")));
    text += &one.both.as_ref().map_or(String::new(), |both| wrapped("", both, INDENT));
    if let Some(own) = one.conclusion.as_ref().filter(|own| own.standing != Standing::Open) {
        text += &wrapped("", &own.verdict(), INDENT);
    }
    text
}

fn of_claim(told: &Told<'_>, answer: &Answer) -> String {
    let paper = told.paper;
    let short = answer.in_short();
    let word = ["depends", answer.all.word()].into_iter().find(|word| short.starts_with(word));
    let mood = match answer.depends_on.is_empty() {
        true => mood(answer.all.verdict),
        false => Some(Mood::Mixed),
    };
    let mut text = format!("\n{}\n", bold(&answer.id));
    let line = wrapped("", &short, INDENT);
    text += &match word.and_then(|word| Some((word, line.strip_prefix(word)?))).zip(mood) {
        Some(((word, rest), mood)) => coloured(word, mood) + rest,
        None => line,
    };
    let read = if answer.read.is_empty() { String::new() } else { format!(" ({})", answer.read) };
    let place = match answer.place.as_str() {
        "" => String::new(),
        place => format!(" [{place}]"),
    };
    text += &wrapped("", &format!("{}{place}{read}", answer.says), INDENT);
    if answer.need != "all" && answer.comparisons.len() > 1 {
        text += &format!("{}\n", needed(answer));
    }
    if answer.left_out > 0 {
        let all = answer.left_out + answer.comparisons.len();
        let told = format!(
            "only comparisons between the chosen rows: {} of {all}; a verdict on the whole claim \
             uses these runs only when its other rows were run as well",
            answer.comparisons.len()
        );
        text += &wrapped("", &told, INDENT);
    }
    text.push('\n');
    for (name, fact) in told.facts(answer) {
        text += &wrapped(INDENT, &format!("{name}: {fact}"), "    ");
    }
    if let Some(reason) = &answer.reason {
        text += &wrapped("", &format!("why: {reason}"), INDENT);
    }
    if let Some(source) = &answer.reason_source {
        text += &format!("source: {source}\n");
    }
    let whole = numbers::comparisons(paper, answer, true);
    let narrow = numbers::comparisons(paper, answer, false);
    for (whole, narrow) in whole.into_iter().zip(narrow) {
        text += &format!("\n{}\n\n", whole.title);
        // what a narrow terminal has no room for: first the intervals of values
        let has_room = |cells: &Table| cells.fit(room()).hidden.is_empty();
        let (whole, narrower) = (table(&whole), table(&narrow));
        text += &match () {
            () if has_room(&whole) => fit(&whole),
            () if has_room(&narrower) => fit(&narrower),
            () => fit(&table(&narrow.without_differences())),
        };
    }
    text += &wrapped("", &numbers::legend(answer), INDENT);
    if let Some(legend) = rows::legend(answer) {
        text += &wrapped("", &legend, INDENT);
    }
    text += &not_as_paper(paper, answer);
    let what = numbers::known_cells(answer);
    text.push('\n');
    text += &wrapped("", &format!("{}: {what}", bold("What is known")), INDENT);
    text.push('\n');
    text += &known(paper, answer);
    let (head, lines) = numbers::beside(paper, answer);
    if (1..=MOST).contains(&lines.len()) {
        text += &format!("\n{}\n\n", bold("Who gets what in these rows"));
        let mut table = Table::new(head).bold_head().keys(2);
        lines.into_iter().for_each(|line| table.row(line));
        text += &fit(&table);
    }
    text + &how_sure(paper, answer)
}

/// How many of its comparisons must hold.
pub(super) fn needed(answer: &Answer) -> String {
    match answer.need.as_str() {
        "every one" => "every comparison must hold".to_owned(),
        some => format!("{some} of its comparisons must hold"),
    }
}

/// The rows that are not as in the paper, and in which measures.
fn not_as_paper(paper: &Paper, answer: &Answer) -> String {
    let (head, lines) = rows::misses(paper, answer);
    if lines.is_empty() {
        return String::new();
    }
    let more = lines.len().saturating_sub(MOST);
    let mut table = Table::new(head).bold_head().keys(2);
    lines.into_iter().take(MOST).for_each(|line| table.row(line));
    let more = match more {
        0 => String::new(),
        more => format!("and {more} more; the page has all of them\n"),
    };
    format!("\n{}\n\n{}{more}", bold("Rows that are not as in the paper"), fit(&table))
}

/// Comparisons as a table, each with its outcome in colour.
fn table(cells: &Cells) -> Table {
    let mut table = Table::new(cells.head.clone()).bold_head().keys(cells.keys);
    for (line, outcome) in &cells.lines {
        let mut line = line.clone();
        if let Some(last) = line.last_mut() {
            *last = coloured(last, mood_of(*outcome));
        }
        table.row(line);
    }
    table
}

/// The verdict with every seed and under every reading that is known, how many comparisons
/// hold at each variant, and which do not.
pub fn known(paper: &Paper, answer: &Answer) -> String {
    let (head, lines) = numbers::known(paper, answer);
    let mut table = Table::new(head).bold_head().keys(3);
    lines.into_iter().for_each(|line| table.row(line));
    let mut text = fit(&table);
    // a negative difference says it as well, where there is room for it
    let shown = numbers::one_each(answer) && table.fit(room()).hidden.is_empty();
    let against = if shown { Vec::new() } else { against(answer) };
    if !against.is_empty() {
        text.push('\n');
    }
    for (head, not) in against {
        text += &wrapped(&format!("{head}: "), &shortened(&not, ";"), INDENT);
    }
    text
}

/// Runs in which comparisons do not hold, and these.
pub(super) fn against(answer: &Answer) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for runs in known::runs(answer) {
        let all = answer.all_against(runs);
        for (outcome, word) in
            [(Outcome::Fails, "does not hold"), (Outcome::Chance, "within chance")]
        {
            let such = all.iter().filter(|(_, own)| *own == outcome);
            let texts: Vec<String> = such.map(|(text, _)| (*text).to_owned()).collect();
            if !texts.is_empty() {
                let seeds = if runs.seeds.len() > 1 { "seeds" } else { "seed" };
                let seeds = match runs.means_of {
                    0 | 1 => format!("{seeds} {}", known::seeds(runs)),
                    _ => known::seeds(runs),
                };
                let reading = known::reading(answer, runs);
                found.push((format!("{word} with {reading}, {seeds}"), texts));
            }
        }
    }
    found
}

/// Some of these; the first ones and how many more.
pub(super) fn shortened(all: &[String], sign: &str) -> String {
    let named = all[..all.len().min(NAMED)].join(if sign == ";" { "; " } else { ", " });
    match all.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}{} {more} more", if sign == ";" { " and" } else { sign }),
    }
}

fn how_sure(paper: &Paper, answer: &Answer) -> String {
    let lines = sure(paper, answer);
    let mut all = wrapped(INDENT, &format!("{}: {BASE_IS}", tusker_papers::rows::BASE), "    ");
    all.extend(lines.iter().map(|(_, line)| wrapped(INDENT, line, "    ")));
    if is_wide() {
        for (name, why) in meanings(paper, &answer.untried) {
            all += &wrapped("    ", &format!("{name}: {}", first_sentence(why)), "      ");
        }
    }
    let mut tried: Vec<String> = Vec::new();
    for runs in answer.readings.iter().chain(&answer.recorded) {
        if !tried.contains(&runs.reading) {
            tried.push(runs.reading.clone());
        }
    }
    for (name, why) in meanings(paper, &tried) {
        all += &wrapped(INDENT, &format!("{name}: {}", first_sentence(why)), "    ");
    }
    format!("\n{}\n{all}", bold("How sure"))
}

/// These readings with what each means.
pub(super) fn meanings<'a>(paper: &'a Paper, names: &[String]) -> Vec<(&'a str, &'a str)> {
    let named = |name: &String| paper.readings.iter().find(|reading| reading.name == *name);
    let found = names.iter().filter_map(named);
    found.map(|reading| (reading.name.as_str(), reading.why.as_str())).collect()
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text.trim(), |(first, _)| first)
}

/// On what it rests and what could change it: a sentence each, below what it is about.
pub(super) fn sure(paper: &Paper, answer: &Answer) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if known::runs(answer).iter().any(|runs| runs.experiment) {
        let told = "experiment: contradicts the paper's text, to show an effect; no verdict \
                    depends on it";
        lines.push(("experiment", told.to_owned()));
    }
    let seeds = match (answer.all.seeds.len(), answer.all.means_of) {
        _ if answer.all.of == 0 => "none of these comparisons was run yet".to_owned(),
        (_, many @ 2..) => format!("only the mean of {many} seeds is known for each row"),
        (0 | 1, _) => {
            "one seed: each row was run once, so a small difference may be chance".to_owned()
        }
        (2, _) => "two seeds: too few for an interval; a comparison holds if it holds with both"
            .to_owned(),
        (many, _) => format!(
            "{many} seeds: a comparison holds if it holds with each seed and the difference of the \
             means exceeds its interval. It does not hold if it holds with no seed and the \
             difference exceeds its interval. Otherwise it is within chance"
        ),
    };
    lines.push(("seeds", seeds));
    lines.extend(words(answer).map(|told| ("verdicts", told)));
    lines.extend(other_seeds(answer).map(|told| ("other seeds", told)));
    if !answer.in_part.is_empty() {
        let names: Vec<String> = answer.in_part.iter().map(RunsInPart::text).collect();
        let names = names.join("; ");
        let told =
            format!("runs with only some of these rows (--case, --at) are left out: {names}");
        lines.push(("left out", told));
    }
    if rows::any(&answer.all) {
        lines.push(("rows", format!("rows as in the paper: {}", rows::of_runs(&answer.all))));
    }
    if answer.all.of > 0 {
        lines.push(("phase effects", rows::phase(paper, answer)));
    }
    if !answer.unmoved.is_empty() {
        let names = answer.unmoved.join(", ");
        let told = format!("readings that change nothing in these rows: {names}");
        lines.push(("cannot change it", told));
    }
    let recorded = answer.recorded.iter().any(|own| own.reading != answer.reading);
    let (was, were) = match recorded {
        true => ("was neither tried nor recorded", "were neither tried nor recorded"),
        false => ("was not tried", "were not tried"),
    };
    let names: Vec<String> = answer.untried.iter().map(|name| partly(answer, name)).collect();
    let untried = match names.len() {
        some if is_wide() && some > 0 => {
            format!("readings that could change it and {were}: {some}")
        }
        0 if recorded => "every reading that could change it was tried or is recorded".to_owned(),
        0 => "every reading that could change it was tried".to_owned(),
        1 => format!("1 reading that could change it {was}: {}", names[0]),
        some => {
            format!("{some} readings that could change it {were}: {}", names.join(", "))
        }
    };
    lines.push(("not tried", untried));
    lines
}

/// What the verdicts between `holds` and `does not hold` mean, if there are such.
fn words(answer: &Answer) -> Option<String> {
    let runs = known::runs(answer);
    let any = |verdict: Verdict| runs.iter().any(|runs| runs.verdict == verdict);
    let partly = any(Verdict::Partly)
        .then_some("partly: at least half of the comparisons hold beyond chance, not all needed");
    let undecided = any(Verdict::Undecided).then_some(
        "undecided: fewer hold beyond chance, and those within chance could change that",
    );
    let told: Vec<&str> = partly.into_iter().chain(undecided).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// `newreno (some rows only)`, of a reading that was not tried with all rows.
fn partly(answer: &Answer, name: &str) -> String {
    match answer.in_part.iter().any(|own| own.reading == name) {
        true => format!("{name} (some rows only)"),
        false => name.to_owned(),
    }
}

/// Other seeds of the same reading that are shown but do not judge.
fn other_seeds(answer: &Answer) -> Option<String> {
    let own = answer.recorded.iter().filter(|own| own.reading == answer.reading);
    let mut seeds: Vec<u64> = own.flat_map(|own| own.seeds.iter().copied()).collect();
    seeds.sort_unstable();
    seeds.dedup();
    seeds.retain(|seed| !answer.all.seeds.contains(seed));
    let named: Vec<String> = seeds.iter().map(u64::to_string).collect();
    Some(match named.as_slice() {
        [] => return None,
        [one] => {
            format!(
                "seed {one} is recorded with the program and shown above; the verdict does not use it"
            )
        }
        many => format!(
            "seeds {} are recorded with the program and shown above; the verdict does not use them",
            many.join(", ")
        ),
    })
}

/// What one would do next.
fn next(told: &Told<'_>) -> String {
    if told.steps.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = told
        .steps
        .iter()
        .map(|(command, what)| format!("{INDENT}{command}\n      {what}\n"))
        .collect();
    format!("\n{}\n{}", bold("Next"), lines.concat())
}

/// The claims and conclusions of a paper with their ids.
pub fn list(paper: &Paper) -> String {
    let mut text = format!("{}\n", bold("Conclusions"));
    for own in &paper.conclusions.conclusions {
        text += &entry(&own.id, &own.says, &format!("claims: {}", own.claims.join(", ")));
    }
    if paper.conclusions.conclusions.is_empty() {
        text.clear();
    } else {
        text.push('\n');
    }
    text += &format!("{}\n", bold("Claims"));
    for own in &paper.claims {
        text += &entry(&own.id, &format!("{} [{}]", own.says, own.place), &own.tests.join("; "));
    }
    text += &format!("\n{}: for your own comparisons, write MEASURE(CASE)\n", bold("Measures"));
    for own in &paper.about.measures {
        let unit = if own.unit.is_empty() { String::new() } else { format!(", {}", own.unit) };
        text += &wrapped("", &format!("{}: {}{unit}", bold(&own.name), own.about), "    ");
    }
    let variant = &paper.cases.variant;
    let at: Vec<&str> = variant.values.iter().map(|own| own.name.as_str()).collect();
    let one =
        format!("MEASURE(CASE@{}) is one {} alone", variant.name.to_uppercase(), variant.name);
    text.push('\n');
    text += &wrapped("", &format!("{}: {one} ({})", bold("Cases"), at.join(", ")), "    ");
    for own in &paper.cases.cases {
        let chosen: Vec<&str> = own.choose.values().map(String::as_str).collect();
        text += &wrapped("", &format!("{}: {}", bold(&own.id), chosen.join(", ")), "    ");
    }
    text
}

fn entry(id: &str, says: &str, more: &str) -> String {
    let more = if paragraph() < 60 { String::new() } else { wrapped("    ", more, "    ") };
    format!("{}\n{}{more}", bold(id), wrapped("    ", says, "    "))
}

fn mood(verdict: Verdict) -> Option<Mood> {
    match verdict {
        Verdict::Holds => Some(Mood::Good),
        Verdict::Partly | Verdict::Undecided => Some(Mood::Mixed),
        Verdict::DoesNotHold => Some(Mood::Bad),
        Verdict::Open => None,
    }
}

fn mood_of(outcome: Outcome) -> Mood {
    match outcome {
        Outcome::Holds => Mood::Good,
        Outcome::Chance | Outcome::Missing => Mood::Mixed,
        Outcome::Fails => Mood::Bad,
    }
}

/// Whether it is a test of the user's own.
pub(super) fn is_own(answer: &Answer) -> bool {
    answer.says == OWN_TEST && answer.place.is_empty()
}
