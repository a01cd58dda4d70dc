//! An answer as a page to send: the claim and its verdict, the pairs as a figure, every
//! comparison, what is known, how sure it is, the set-up, and the commands.

use std::collections::BTreeMap;

use tusker_papers::Paper;
use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{Answer, Compare, InRuns, Outcome};
use tusker_papers::reproduction::Printed;
use tusker_record::table::NONE;
use tusker_report::figure::{Axis, Dot, Dots, Figure};
use tusker_report::page::{Block, Page, Table};
use tusker_report::tiles::{Tile, Tone};

use super::super::page::standing;
use super::{One, Told, numbers, setup, text};
use crate::next;

/// A figure of more comparisons is folded.
const MOST: usize = 24;

/// Seeds from which there is an interval.
const ENOUGH: usize = 3;

/// Comparisons that do not hold that are named beside a verdict.
const NAMED: usize = 2;

pub(super) fn page(told: &Told<'_>) -> Page {
    let about = &told.paper.about;
    let mut page = Page {
        title: title(told),
        lead: format!("{}; {}; {}", about.title, about.authors, about.covers),
        commands: vec![tusker_report::results::command(&told.command)],
        ..Page::default()
    };
    let mut notes = Vec::new();
    if let Some(note) = told.quick() {
        notes.push(Block::Warning(format!("{}.", note.replacen('q', "Q", 1))));
    }
    if let Some(stale) = told.stale() {
        notes.push(Block::Warning(format!("Stale: {stale}.")));
    }
    if let Some(doubtful) = &told.doubtful {
        notes.push(Block::Warning(format!("Doubtful: {doubtful}.")));
    }
    notes.extend(told.not_beside().map(|note| Block::Text(note.to_owned())));
    notes.push(Block::Tiles(told.asked.iter().flat_map(|one| tiles(told.paper, one)).collect()));
    page.section("Verdict", notes);
    let several = told.answers().count() > 1;
    for answer in told.answers() {
        let name = if several { answer.id.clone() } else { "Comparisons".to_owned() };
        page.section(name, of_claim(told.paper, answer));
    }
    page.section("Set-up", setup::blocks(told));
    if !told.steps.is_empty() {
        let facts = told.steps.iter().cloned().map(|(command, what)| (what, command)).collect();
        page.section("What to run next", vec![Block::Facts(facts)]);
    }
    page
}

/// The claim and the verdict.
fn title(told: &Told<'_>) -> String {
    let sentence = |says: &str| says.trim_end_matches('.').to_owned();
    let own = |answer: &Answer| match (&told.args.claim.title, text::is_own(answer)) {
        (Some(title), _) => sentence(title),
        (None, true) => numbers::in_words(told.paper, answer).unwrap_or_else(|| answer.id.clone()),
        (None, false) => sentence(&answer.says),
    };
    match told.asked.as_slice() {
        [One { says: Some(says), conclusion: Some(own), .. }] => {
            format!("{}: {}", sentence(says), own.standing.text())
        }
        [One { answers, .. }] if answers.len() == 1 => {
            let InRuns { verdict, held, of, .. } = answers[0].all;
            let count = if of == 0 { String::new() } else { format!(", {held} of {of}") };
            format!("{}: {}{count}", own(&answers[0]), verdict.text())
        }
        [One { says: Some(says), .. }] => sentence(says),
        all => {
            let answers = || all.iter().flat_map(|one| &one.answers);
            let holds = answers().filter(|a| a.all.verdict == Verdict::Holds).count();
            format!("{}: {holds} of {} claims hold", told.paper.about.key, answers().count())
        }
    }
}

fn tiles(paper: &Paper, one: &One) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(own) = &one.conclusion {
        tiles.push(standing(own));
    }
    tiles.extend(one.answers.iter().map(|answer| {
        let tone = match answer.all.verdict {
            Verdict::Holds => Tone::Good,
            Verdict::Partly | Verdict::Undecided => Tone::Mixed,
            Verdict::DoesNotHold => Tone::Bad,
            Verdict::Open => Tone::Open,
        };
        let mut notes = Vec::new();
        let read = if answer.read.is_empty() { "" } else { " as " };
        if !answer.place.is_empty() {
            let place = &answer.place;
            notes.push(format!(
                "In the paper: {place}. Read{read}{}: {}.",
                answer.read,
                answer.tests.join("; ")
            ));
        }
        if answer.need != "all" {
            notes.push(format!("Of its comparisons, {} must hold.", answer.need));
        }
        if let Some(reason) = &answer.reason {
            let source = answer.reason_source.as_ref();
            let source = source.map_or(String::new(), |source| format!(" Source: {source}."));
            notes.push(format!("Why: {reason}.{source}"));
        }
        notes.push(format!("--claim {}", next::command(std::slice::from_ref(&answer.id))));
        let says = match (text::is_own(answer), numbers::in_words(paper, answer)) {
            (true, Some(words)) => words,
            (true, None) => format!("{}: {}", answer.says, answer.id),
            (false, _) => answer.says.clone(),
        };
        Tile { tone, word: answer.told.clone(), text: says, notes }
    }));
    tiles
}

fn of_claim(paper: &Paper, answer: &Answer) -> Vec<Block> {
    let mut blocks = Vec::new();
    if answer.left_out > 0 {
        let all = answer.left_out + answer.comparisons.len();
        let count = answer.comparisons.len();
        blocks.push(Block::Text(format!(
            "Only comparisons between the chosen rows: {count} of {all}."
        )));
    }
    let tables = numbers::comparisons(paper, answer, true);
    for (i, cells) in tables.iter().enumerate() {
        if let Some(figure) = pairs(paper, answer, &cells.title, i) {
            blocks.push(match cells.lines.len() {
                0..=MOST => figure.into(),
                many => {
                    let title = format!("{}: {many} comparisons as a figure", cells.title);
                    Block::More(title, vec![figure.into()])
                }
            });
        }
    }
    for cells in tables {
        let caption = format!("Each comparison: {}", cells.title);
        let mut table = Table::new(caption, named(&cells));
        cells.lines.into_iter().for_each(|(line, _)| table.row(None, line));
        let long = table.rows.len() > MOST;
        blocks.push(if long { Block::FoldedTable(table) } else { Block::Table(table) });
    }
    blocks.push(Block::Text(format!("{}.", numbers::legend(answer).replacen('o', "O", 1))));
    let paper_says = match answer.paper.verdict {
        Verdict::Open => "The paper prints none of these numbers.".to_owned(),
        verdict => {
            let why = answer.paper_reason.as_ref().filter(|_| verdict.falls_short());
            let why = why.map_or(String::new(), |why| format!(": {why}"));
            let (held, of) = (answer.paper.held, answer.paper.of);
            format!("By the paper's own tables: {}, {held} of {of}{why}.", verdict.text())
        }
    };
    blocks.push(Block::Text(paper_says));
    blocks.extend(known(paper, answer));
    if !answer.beside.is_empty() {
        let (head, lines) = numbers::beside(paper, answer);
        let mut table = Table::new("Who gets what in these rows", head);
        lines.into_iter().for_each(|line| table.row(None, line));
        let long = table.rows.len() > MOST;
        blocks.push(if long { Block::FoldedTable(table) } else { Block::Table(table) });
    }
    let sure = text::sure(answer).into_iter().map(|line| {
        let mut letters = line.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    });
    blocks.push(Block::Text(sure.collect::<Vec<_>>().join(" ")));
    let mut readings = Table::new(
        "The readings of the text: what each means, and whether it was tried for this claim",
        ["reading", "tried", "what it means"],
    );
    let mut tried: Vec<String> = answer.readings.iter().map(|own| own.reading.clone()).collect();
    tried.dedup();
    let all = [
        (&tried, "yes"),
        (&answer.untried, "no"),
        (&answer.unmoved, "changes nothing in these rows"),
    ];
    for (names, state) in all {
        for (name, why) in text::meanings(paper, names) {
            readings.row(None, [name, state, why]);
        }
    }
    if !readings.rows.is_empty() {
        blocks.push(Block::FoldedTable(readings));
    }
    blocks
}

/// What is known, and which comparisons do not hold: a few in the table, all behind it.
fn known(paper: &Paper, answer: &Answer) -> Vec<Block> {
    let (mut head, lines) = numbers::known(paper, answer);
    head.push("those that do not hold".to_owned());
    let title = format!("Seeds and readings that are known: {}", numbers::known_cells(answer));
    let mut table = Table::new(title, head);
    let mut every =
        Table::new("All comparisons that do not hold", ["reading", "seed", "comparison", "result"]);
    let mut all_named = true;
    for (mut line, runs) in lines.into_iter().zip(numbers::runs(answer)) {
        let against = answer.all_against(runs);
        for (text, outcome) in &against {
            every.row(
                None,
                [&numbers::reading(answer, runs), &numbers::seeds(runs), *text, outcome.text()],
            );
        }
        let named = against.iter().take(NAMED).map(|(text, outcome)| match outcome {
            Outcome::Chance => format!("{text} (within chance)"),
            _ => (*text).to_owned(),
        });
        let mut named = named.collect::<Vec<_>>().join("; ");
        if against.len() > NAMED {
            named += &format!(" and {} more", against.len() - NAMED);
            all_named = false;
        }
        line.push(if against.is_empty() { NONE.to_owned() } else { named });
        table.row(None, line);
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend((!all_named).then_some(Block::FoldedTable(every)));
    blocks
}

/// Heads of a page's table: each column has one.
fn named(cells: &numbers::Cells) -> Vec<String> {
    let signs = cells.differences.len();
    let values = cells.differences.start - cells.keys;
    let side = |place: usize| match (&cells.sides, place) {
        (Some(sides), place) => sides[place].1.clone(),
        (None, 0) => "left".to_owned(),
        (None, 1) => "right".to_owned(),
        (None, more) => format!("{}", more + 1),
    };
    let short = |place: usize| side(place).split(" (").next().unwrap_or_default().to_owned();
    let mut head = cells.head[..cells.keys].to_vec();
    let whose: &[&str] = if values > signs + 1 { &["paper", "ours"] } else { &["ours"] };
    for whose in whose {
        head.extend((0..=signs).map(|place| format!("{whose}: {}", side(place))));
    }
    head.extend((0..signs).map(|pair| match &cells.sides {
        Some(sides) if !sides.iter().any(|(own, page)| own == page) => {
            format!("{} - {}, ours", short(pair), short(pair + 1))
        }
        Some(_) => {
            let [left, right] = [pair, pair + 1].map(|place| numbers::term(&short(place)));
            format!("{left} - {right}, ours")
        }
        None => format!("our difference, {} - {}", side(pair), side(pair + 1)),
    }));
    head.push("verdict".to_owned());
    head
}

/// The rows of each comparison of a test, on one scale: the paper's values and ours.
fn pairs(paper: &Paper, answer: &Answer, test: &str, place: usize) -> Option<Figure> {
    let own: Vec<usize> =
        (0..answer.comparisons.len()).filter(|&i| answer.comparisons[i].test == test).collect();
    let measures = &answer.comparisons[*own.first()?].measures;
    let info = paper.about.measures.iter().find(|m| measures.len() == 1 && m.name == measures[0]);
    let axis = match info {
        Some(measure) => {
            let axis = Axis::new(&measure.name, &measure.unit);
            match measure.bounds() {
                (Some(least), Some(greatest)) => axis.within(least, greatest),
                _ => axis,
            }
        }
        None => Axis::new("value of each side", ""),
    };
    let mut dots = Dots::new(axis);
    for i in own {
        let (one, found) = (&answer.comparisons[i], &answer.all.found[i]);
        let printed = &answer.paper.found[i].terms;
        let names = apart(paper, one);
        let sides: Vec<&str> = one.text.split(['<', '>']).collect();
        for (term, side) in sides.iter().enumerate() {
            let ours = found.terms.get(term);
            // a number has no point of its own
            let side = side.trim_start_matches('=').trim();
            let interval = ours.and_then(|own: &Printed| {
                let half = own.ci95.filter(|half| *half > 0.0)?;
                let (low, high) = (own.value - half, own.value + half);
                let cut = |value: f64| match info.map(tusker_papers::measure::Measure::bounds) {
                    Some((least, greatest)) => {
                        value.max(least.unwrap_or(value)).min(greatest.unwrap_or(value))
                    }
                    None => value,
                };
                Some((cut(low), cut(high)))
            });
            dots.rows.push(Dot {
                label: called(side, one, &names),
                group: group(paper, one),
                paper: printed.get(term).map(|own| own.value),
                ours: ours.map(|own| own.value),
                interval,
                single: answer
                    .seeds
                    .iter()
                    .filter(|_| answer.seeds.len() < ENOUGH)
                    .filter_map(|runs| Some(runs.found[i].terms.get(term)?.value))
                    .collect(),
                agrees: (found.outcome == Outcome::Fails).then_some(false),
            });
        }
    }
    let about =
        info.map_or(String::new(), |measure| format!("{}: {}. ", measure.name, measure.about));
    let caption = format!(
        "{about}Each name begins with its case. Hollow points show the paper's values, and filled \
         points ours, with bars of 95 % confidence if they are known, or with a small dot for each of \
         two seeds. A comparison that does not hold here has a \u{d7} beside its names."
    );
    let name = if place == 0 { answer.id.clone() } else { format!("{}-{}", answer.id, place + 1) };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let prints = dots.rows.iter().any(|row| row.paper.is_some());
    let title = if prints {
        format!("{test}: the paper's values and ours")
    } else {
        format!("{test}: our values")
    };
    Some(dots.figure(&format!("pairs-{name}"), &title, &caption))
}

/// A comparison: `25 ms: fairness(7) > fairness(4)`, or `25 ms` where the test has no letters.
fn group(paper: &Paper, one: &Compare) -> String {
    match &one.at {
        None => one.text.clone(),
        Some(at) => {
            let bare = one.text.replace(&format!("@{at})"), ")");
            // the title of the figure has the test
            if bare == one.test {
                return numbers::at(paper, one);
            }
            format!("{}: {bare}", numbers::at(paper, one))
        }
    }
}

/// What tells the cases of a comparison apart.
fn apart(paper: &Paper, one: &Compare) -> BTreeMap<String, String> {
    let mut rows = paper.rows();
    rows.retain(|row| one.rows.contains(&row.id()));
    setup::names(paper, &rows)
}

/// A side of a comparison, short enough for a phone: `7: gHSTCP+SACK`, or as it is written if it is computed.
fn called(side: &str, one: &Compare, names: &BTreeMap<String, String>) -> String {
    let row = one
        .rows
        .iter()
        .find(|row| one.measures.iter().any(|measure| side == format!("{measure}({row})")));
    let Some((case, at)) = row.and_then(|row| row.split_once('@')) else {
        return match &one.at {
            Some(at) => side.replace(&format!("@{at})"), ")"),
            None => side.to_owned(),
        };
    };
    // `bic: bic` says it twice
    let name = names.get(case).filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(case));
    let name = name.map_or(String::new(), |name| format!(": {name}"));
    match one.at {
        Some(_) => format!("{case}{name}"),
        None => format!("{case} at {at}{name}"),
    }
}
