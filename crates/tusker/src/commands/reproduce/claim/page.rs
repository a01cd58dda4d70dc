//! An answer as a page that can be sent to others: the claim and its verdict, the pairs as a
//! figure, every comparison, what is known, how sure it is, the set-up, and the commands.

use tusker_papers::Paper;
use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{Answer, Outcome};
use tusker_papers::rows::BASE;
use tusker_record::table::NONE;
use tusker_report::page::{Block, Page, Table};
use tusker_report::tiles::{Tile, Tone};

use super::super::page::standing;
use super::{One, Told, differences, known, nearest, numbers, pairs, rows, setup, text};
use crate::next;

/// A figure of more comparisons is folded.
const MOST: usize = 24;

/// A figure of so many comparisons fits on a sheet of paper with the verdict and its table.
const LOW: usize = 5;

/// Comparisons that do not hold that are named beside a verdict.
const NAMED: usize = 2;

pub(super) fn page(told: &Told<'_>) -> Page {
    let about = &told.paper.about;
    // the commands come after the verdict
    let mut page = Page {
        title: title(told),
        lead: format!("{}; {}; {}", about.title, about.authors, about.covers),
        ..Page::default()
    };
    let several = told.asked.len() > 1;
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
    notes.extend(told.not_beside().map(Block::Text));
    // the verdict is at the top, then what it rests on
    notes.insert(
        0,
        Block::Tiles(told.asked.iter().flat_map(|one| tiles(told.paper, one, several)).collect()),
    );
    let mut whole = vec![(BASE.to_owned(), text::BASE_IS.to_owned())];
    if !told.origins.is_empty() {
        let from = told.origins.iter().map(|one| one.text(one.name())).collect::<Vec<_>>();
        whole.push(("runs from".to_owned(), from.join(". ")));
    }
    // of one claim the first sheet says all that decides, so that it can be sent alone
    if let [answer] = told.answers().collect::<Vec<_>>().as_slice() {
        notes.extend(compared(told, answer));
        page.section("Verdict", notes);
        let sure = rests_on(told.paper, answer).into_iter().chain(whole);
        page.section("How sure", vec![Block::Facts(sure.collect())]);
        page.sheet("Details", details(told.paper, answer, true));
    } else {
        let short = nearest::table(told.paper, &told.answers().collect::<Vec<_>>());
        notes.extend((!short.rows.is_empty()).then_some(Block::Table(short)));
        notes.push(Block::Facts(whole));
        page.section("Verdict", notes);
        let mut shown: Vec<&Answer> = Vec::new();
        for answer in told.answers() {
            let mut blocks = compared(told, answer);
            blocks.push(Block::Facts(rests_on(told.paper, answer)));
            // claims about the same rows say the same of them
            let new = !shown.iter().any(|own| own.all.rows == answer.all.rows);
            blocks.extend(details(told.paper, answer, new));
            shown.push(answer);
            page.section(answer.id.clone(), blocks);
        }
    }
    page.section("How to repeat it", repeated(told));
    let mut set_up = setup::blocks(told);
    set_up.extend(readings(told));
    page.section("Set-up", set_up);
    if !told.steps.is_empty() {
        let others = |(command, what): &(String, String)| (what.clone(), told.for_others(command));
        let facts = told.steps.iter().map(others).collect();
        page.section("What to run next", vec![Block::Facts(facts)]);
    }
    page
}

/// The commands that make this page again, and with what.
fn repeated(told: &Told<'_>) -> Vec<Block> {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let build = env!("TUSKER_SHORT_BUILD");
    let mut text = format!(
        "With {name} {version} (build {build}), which `make build` makes from its source (licence: \
         MIT or Apache 2.0). "
    );
    text += match told.args.recorded {
        Some(_) if told.origins.iter().all(|one| !one.own) => {
            "Nothing is simulated: the values were recorded with the program."
        }
        _ => {
            "A command without --recorded simulates. It says how much before it begins, and does \
             not repeat runs that are in its folder."
        }
    };
    vec![Block::Text(text), Block::Commands(told.repeated_by())]
}

/// The claim and the verdict, or what the user calls it.
fn title(told: &Told<'_>) -> String {
    let sentence = |says: &str| says.trim_end_matches('.').to_owned();
    if let Some(own) = &told.args.claim.title {
        return own.clone();
    }
    let of = |answer: &Answer| match text::is_own(answer) {
        true => numbers::in_few_words(told.paper, answer).unwrap_or_else(|| answer.id.clone()),
        false => sentence(&answer.says),
    };
    match told.asked.as_slice() {
        [One { says: Some(says), conclusion: Some(own), .. }] => {
            format!("{}: {}", sentence(says), own.standing.text())
        }
        [One { answers, .. }] if answers.len() == 1 => {
            format!("{}: {}", of(&answers[0]), answers[0].in_short())
        }
        [One { says: Some(says), .. }] => sentence(says),
        all => {
            let answers = || all.iter().flat_map(|one| &one.answers);
            let holds = answers().filter(|a| a.all.verdict == Verdict::Holds).count();
            let name = &told.paper.about.key;
            let depend = answers().filter(|answer| !answer.depends_on.is_empty()).count();
            let on = dependencies(answers().flat_map(|answer| &answer.depends_on));
            let (within, depend) = match depend {
                0 => ("", String::new()),
                1 => (" in the base", format!("; 1 verdict depends on {on}")),
                some => (" in the base", format!("; {some} verdicts depend on {on}")),
            };
            let what = if answers().any(text::is_own) { "claims and tests" } else { "claims" };
            format!("{name}: {holds} of {} {what} hold{within}{depend}", answers().count())
        }
    }
}

/// What verdicts depend on, in a few words: `the reading newreno`, `the base and the reading
/// newreno`, `4 readings`.
fn dependencies<'a>(all: impl Iterator<Item = &'a String>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for one in all {
        let name = one.split([',', '(']).next().unwrap_or_default().trim();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        1 | 2 => names.join(" and "),
        some => format!("{some} readings"),
    }
}

/// What a verdict rests on, and what was not tried.
fn rests_on(paper: &Paper, answer: &Answer) -> Vec<(String, String)> {
    let sure = text::sure(paper, answer).into_iter();
    // the name stands beside it
    let alone = |about: &str, line: String| match line.strip_prefix(&format!("{about}: ")) {
        Some(rest) => rest.to_owned(),
        None => line,
    };
    sure.map(|(about, line)| (about.to_owned(), alone(about, line))).collect()
}

/// `several`: there are answers to other questions, too.
fn tiles(paper: &Paper, one: &One, several: bool) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(own) = &one.conclusion {
        let mut tile = standing(own);
        tile.notes.extend(one.both.clone());
        tiles.push(tile);
    }
    tiles.extend(one.answers.iter().map(|answer| {
        let tone = match answer.all.verdict {
            _ if !answer.depends_on.is_empty() => Tone::Mixed,
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
        if answer.need != "all" && answer.comparisons.len() > 1 {
            notes.push(format!("{}.", tusker_report::capital(&text::needed(answer))));
        }
        if let Some(reason) = &answer.reason {
            let source = answer.reason_source.as_ref();
            let source = source.map_or(String::new(), |source| format!(" Source: {source}."));
            notes.push(format!("Why: {reason}.{source}"));
        }
        notes.push(format!("--claim {}", next::command(std::slice::from_ref(&answer.id))));
        // one claim has this below
        let depends = answer.depends_on.iter().filter(|_| one.answers.len() > 1 || several);
        let depends: Vec<String> = depends.map(|on| format!(" It depends on {on}.")).collect();
        let says = match (text::is_own(answer), numbers::in_words(paper, answer)) {
            (true, Some(words)) => words,
            (true, None) => format!("{}: {}", answer.says, answer.id),
            (false, _) => answer.says.clone(),
        };
        let says = match depends.is_empty() {
            true => says,
            false => format!("{}.{}", says.trim_end_matches('.'), depends.concat()),
        };
        let text = tusker_report::capital(&says);
        Tile { tone, word: answer.in_short(), text, notes }
    }));
    tiles
}

/// The comparisons of a claim: the figure and the table, the paper's values and ours.
fn compared(told: &Told<'_>, answer: &Answer) -> Vec<Block> {
    let paper = told.paper;
    let mut blocks = vec![Block::Facts(told.facts(answer))];
    if answer.left_out > 0 {
        let all = answer.left_out + answer.comparisons.len();
        let count = answer.comparisons.len();
        blocks.push(Block::Text(format!(
            "Only comparisons between the chosen rows: {count} of {all}."
        )));
    }
    let tables = numbers::comparisons(paper, answer, true);
    let mut figures: Vec<Block> = Vec::new();
    for (i, cells) in tables.iter().enumerate() {
        if let Some(figure) = pairs::figure(paper, answer, &cells.title, i) {
            figures.push(match cells.lines.len() {
                0..=MOST => figure.into(),
                many => {
                    let title = format!("{}: {many} comparisons as a figure", cells.title);
                    Block::More(title, vec![figure.into()])
                }
            });
        }
    }
    let table = |cells: numbers::Cells| {
        let caption = format!("Each comparison: {}", cells.title);
        let order = order(&cells);
        let ordered =
            |line: &[String]| order.iter().map(|&at| line[at].clone()).collect::<Vec<_>>();
        let mut table = Table::new(caption, ordered(&named(&cells)));
        cells.lines.iter().for_each(|(line, _)| table.row(None, ordered(line)));
        let long = table.rows.len() > MOST;
        if long { Block::FoldedTable(table) } else { Block::Table(table) }
    };
    let tables: Vec<Block> = tables.into_iter().map(table).collect();
    // a high figure has no room below the verdict on a sheet of paper, its table has
    let ordered = match answer.comparisons.len() {
        0..=LOW => [figures, tables],
        _ => [tables, figures],
    };
    blocks.extend(ordered.into_iter().flatten());
    blocks.push(Block::Text(format!("{}.", numbers::legend(answer).replacen('o', "O", 1))));
    if let Some(legend) = rows::legend(answer) {
        blocks.push(Block::Text(format!("{}.", legend.replacen('a', "A", 1))));
    }
    blocks
}

/// The columns of a page's table: what decides comes before the paper's values, so that it is seen
/// where there is no room for all.
fn order(cells: &numbers::Cells) -> Vec<usize> {
    let (keys, last) = (cells.keys, cells.head.len() - 1);
    let ours = cells.differences.start - (cells.differences.len() + 1);
    let marks = cells.differences.end..last;
    let first = (0..keys).chain(ours..cells.differences.end).chain([last]);
    first.chain(keys..ours).chain(marks).collect()
}

/// What else is known of a claim: seeds and readings, and its rows unless these were shown.
fn details(paper: &Paper, answer: &Answer, rows: bool) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        differences::figure(paper, answer).map(Block::from).into_iter().collect();
    blocks.extend(known(paper, answer));
    if !rows {
        return blocks;
    }
    let (head, lines) = rows::misses(paper, answer);
    if !lines.is_empty() {
        let head = head.into_iter().map(|h| if h.is_empty() { "verdict" } else { h });
        let mut table = Table::new("Rows that are not as in the paper", head);
        lines.into_iter().for_each(|line| table.row(None, line));
        let long = table.rows.len() > MOST;
        blocks.push(if long { Block::FoldedTable(table) } else { Block::Table(table) });
    }
    if !answer.beside.is_empty() {
        let (head, lines) = numbers::beside(paper, answer);
        let mut table = Table::new("Who gets what in these rows", head);
        lines.into_iter().for_each(|line| table.row(None, line));
        let long = table.rows.len() > MOST;
        blocks.push(if long { Block::FoldedTable(table) } else { Block::Table(table) });
    }
    blocks
}

/// What each reading means that could change one of these claims, and whether it was tried.
fn readings(told: &Told<'_>) -> Option<Block> {
    let title = "The readings of the text: what each means, and whether it was tried";
    let mut table = Table::new(title, ["reading", "tried", "what it means"]);
    let has = |all: fn(&Answer) -> Vec<String>, name: &String| {
        told.answers().any(|answer| all(answer).contains(name))
    };
    let names: Vec<String> = told.paper.readings.iter().map(|own| own.name.clone()).collect();
    let tried =
        |name: &String| has(|a| a.readings.iter().map(|r| r.reading.clone()).collect(), name);
    let recorded =
        |name: &String| has(|a| a.recorded.iter().map(|r| r.reading.clone()).collect(), name);
    for (name, why) in text::meanings(told.paper, &names) {
        let name = name.to_owned();
        let state = match () {
            () if tried(&name) => "yes",
            () if recorded(&name) => "recorded",
            () if has(|a| a.untried.clone(), &name) => "no",
            () => continue,
        };
        table.row(None, [name.as_str(), state, why]);
    }
    (!table.rows.is_empty()).then_some(Block::FoldedTable(table))
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
    for (mut line, runs) in lines.into_iter().zip(known::runs(answer)) {
        let against = answer.all_against(runs);
        for (text, outcome) in &against {
            every.row(
                None,
                [&known::reading(answer, runs), &known::seeds(runs), *text, outcome.text()],
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

/// A side without what its cases run: `Case 2 + 5` of `Case 2 (HSTCP) + 5`.
fn without_names(side: &str) -> String {
    let parts = side.split(" (").enumerate().map(|(i, part)| match i {
        0 => part,
        _ => part.split_once(')').map_or("", |(_, rest)| rest),
    });
    parts.collect()
}

/// Heads of a page's table: each column has one.
fn named(cells: &numbers::Cells) -> Vec<String> {
    let signs = cells.differences.len();
    let marked = cells.head.iter().any(|head| head == rows::HEAD);
    let values = cells.differences.start - cells.keys;
    let side = |place: usize| match (&cells.sides, place) {
        (Some(sides), place) => sides[place].1.clone(),
        (None, 0) => "left".to_owned(),
        (None, 1) => "right".to_owned(),
        (None, more) => format!("{}", more + 1),
    };
    let short = |place: usize| without_names(&side(place));
    let mut head = cells.head[..cells.keys].to_vec();
    let whose: &[&str] = if values > signs + 1 { &["paper", "ours"] } else { &["ours"] };
    for whose in whose {
        head.extend((0..=signs).map(|place| format!("{whose}: {}", side(place))));
    }
    head.extend((0..signs).map(|pair| match &cells.sides {
        Some(sides) if !sides.iter().any(|(own, page)| own == page) => {
            let [left, right] = [pair, pair + 1].map(|place| numbers::term(&short(place)));
            format!("{left} - {right}, ours")
        }
        Some(_) => {
            let [left, right] = [pair, pair + 1].map(|place| numbers::term(&short(place)));
            format!("{left} - {right}, ours")
        }
        None => format!("our difference, {} - {}", side(pair), side(pair + 1)),
    }));
    head.extend(marked.then(|| rows::HEAD.to_owned()));
    head.push("verdict".to_owned());
    head
}

#[cfg(test)]
mod tests {
    use super::{dependencies, without_names};

    #[test]
    fn a_side_keeps_what_is_added_to_its_case() {
        for (side, told) in [
            ("Case 2 (HSTCP)", "Case 2"),
            ("Case 2 (HSTCP) + 5", "Case 2 + 5"),
            ("1.3 * Case 4 (HSTCP+SACK)", "1.3 * Case 4"),
            ("96", "96"),
        ] {
            assert_eq!(without_names(side), told);
        }
    }

    #[test]
    fn a_title_names_one_or_two_readings_and_counts_more() {
        let [a, b, c] =
            ["the reading a (partly: not x > y)", "the reading b, recorded (x)", "the base (x)"]
                .map(str::to_owned);
        for (all, told) in [
            (vec![&a, &a], "the reading a"),
            (vec![&a, &b], "the reading a and the reading b"),
            (vec![&a, &b, &c], "3 readings"),
        ] {
            assert_eq!(dependencies(all.into_iter()), told);
        }
    }
}
