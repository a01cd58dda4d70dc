//! Pages: a reproduction (its conclusions, how much of it holds, the paper's numbers against ours,
//! the rows and the claims), and in the files of this folder everything else that is asked of a
//! paper.

pub mod claim;
pub mod conclusions;
pub mod figures;
pub mod lists;
mod names;
pub mod planes;
pub mod readings;
mod tables;

use std::fmt::Write;

use tusker_measure::stats::{Estimate, Over};
use tusker_measure::table::NONE;
use tusker_report::capital;
use tusker_report::figure::{Axis, Caption, Figure, Group, Point, Scatter};
use tusker_report::page::{Block, Line, Meaning, Page, Span, Step};
use tusker_report::results::command;
use tusker_report::style;

use crate::conclusions::ConclusionResult;
use crate::measure::Measure;
use crate::reproduction::{Cell, Reproduction, RowResult, Scoreboard};
use crate::rows::BASE;
use tusker_lab::suite::claims::Verdict;

/// Colours that are told apart; a choice of more things gives no colour.
const COLOURS: usize = 8;

/// The page of rows and claims.
pub fn page(r: &Reproduction) -> Page {
    let mut page = Page {
        title: r.paper.title.clone(),
        lead: format!("{}; {}; {}", r.paper.authors, r.paper.covers, heading(r, &|_| true)),
        commands: vec![command(&r.execution.command)],
        ..Page::default()
    };
    page.answer = answer(r);
    let judged: Vec<&Measure> = r.measures.iter().filter(|m| printed(r, m)).collect();
    page.table = Some(tables::all(r, &judged));
    if let Some(note) = r.quick_note() {
        page.doubt(note);
        let typed = r.execution.command.iter().skip(1).filter(|word| *word != "--quick");
        let typed: Vec<String> = typed.cloned().collect();
        page.next.push(Step::new(command(&typed), "in the paper's length"));
    }
    if let Some(stale) = &r.stale {
        page.doubt(format!("stale: {stale}"));
    }
    if let Some(phase) = r.phase_note() {
        page.doubt(phase);
    }
    if is_part(r) {
        page.note(format!(
            "these are {} of the {} rows that the paper prints, and the claims and conclusions that \
             name one of them; claims that compare them with others take those from earlier runs",
            r.scoreboard.run, r.scoreboard.rows
        ));
    }
    let also: Vec<&Measure> = r.measures.iter().filter(|m| m.beside).collect();
    page.section("Conclusions", conclusions(r));
    page.section("Rows", tables::rows(r, &[&judged[..], &also[..]].concat()));
    page.section("Paper against ours", judged.iter().map(|m| against(r, m).into()).collect());
    page.section("Claims", tables::claims(r));
    let why = r.reading.why.iter().cloned().map(Block::Text);
    let title = "The scenario that all rows begin with";
    let scenario = Block::Fold(title.to_owned(), r.scenario.clone());
    let changes = tables::changes(r).map(Block::FoldedTable);
    page.section("What was assumed", why.chain(changes).chain([scenario]).collect());
    page.sections.retain(|section| !section.blocks.is_empty());
    page
}

/// Whether there are rows that the paper prints and that were not run.
fn is_part(r: &Reproduction) -> bool {
    r.rows.iter().any(|row| row.replicates == 0) || r.scoreboard.run < r.scoreboard.rows
}

/// Whether a measure is judged, and the paper prints it in some row.
fn printed(r: &Reproduction, measure: &Measure) -> bool {
    let mut cells = r.rows.iter().filter_map(|row| row.values.get(&measure.name));
    measure.tolerance.is_some() && cells.any(|cell| cell.paper.is_some())
}

/// What is known of the conclusions, by the recorded results.
fn conclusions(r: &Reproduction) -> Vec<Block> {
    let such = r.conclusions.iter().filter(|one| compared(r, one) > 0);
    let here: Vec<&ConclusionResult> = such.collect();
    match here.is_empty() {
        true => Vec::new(),
        false => vec![Block::Table(conclusions::table(&here))],
    }
}

/// How many comparisons of a conclusion these rows make.
fn compared(r: &Reproduction, one: &ConclusionResult) -> usize {
    let own = r.claims.iter().filter(|claim| one.claims.iter().any(|c| c.id == claim.id));
    own.map(|claim| claim.ours.of).sum()
}

/// The scores, and how many claims and conclusions hold.
fn answer(r: &Reproduction) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let s = &r.scoreboard;
    if s.run > 0 {
        let constants = constants(s).map_or(String::new(), |(reached, rows)| {
            format!("; the best constants reach {reached} of {rows}")
        });
        let text = format!(
            "{} of {} rows are within the tolerances by their means, {} with their intervals \
             ({} undecided){constants}",
            s.by_means, s.run, s.within, s.undecided_rows
        );
        lines.push(vec![Span::strong("rows: "), Span::from(text)]);
    }
    let counts = |all: &mut dyn Iterator<Item = Verdict>| {
        let all: Vec<Verdict> = all.collect();
        let mut line: Line = Vec::new();
        for verdict in [
            Verdict::Holds,
            Verdict::Partly,
            Verdict::Undecided,
            Verdict::DoesNotHold,
            Verdict::Open,
        ] {
            let count = all.iter().filter(|own| **own == verdict).count();
            if count > 0 {
                let text = match (verdict, count) {
                    (Verdict::Holds, 2..) => format!("{count} hold"),
                    (Verdict::DoesNotHold, 2..) => format!("{count} do not hold"),
                    _ => format!("{count} {}", verdict.text()),
                };
                line.extend((!line.is_empty()).then(|| Span::from(", ")));
                line.push(Span::new(text, Meaning::from(verdict)));
            }
        }
        line
    };
    for (name, line) in [
        ("claims: ", counts(&mut r.claims.iter().map(|claim| claim.ours.verdict))),
        ("conclusions, recorded: ", counts(&mut r.conclusions.iter().map(|one| one.verdict))),
    ] {
        if !line.is_empty() {
            lines.push([vec![Span::strong(name)], line].concat());
        }
    }
    lines
}

/// What a row was run at: `delay 50 ms`.
fn variant(r: &Reproduction, row: &RowResult) -> String {
    let (name, unit) = (&r.paper.variant, &r.paper.variant_unit);
    // `setting b200`, not `setting b200 setting`; and `5 flows`
    let numbers: Vec<&str> = row.variant.split('_').collect();
    let units: Vec<&str> = unit.split(", ").collect();
    if numbers.len() != units.len() || numbers.iter().any(|own| own.parse::<f64>().is_err()) {
        return format!("{name} {}", row.variant);
    }
    // `0.1_100` in `BDP, ms` is `0.1 BDP, 100 ms`
    let all = numbers.iter().zip(units).map(|(number, unit)| format!("{number} {unit}"));
    let all = all.collect::<Vec<String>>().join(", ");
    if name == unit { all } else { format!("{name} {all}").trim().to_owned() }
}

/// What the colours of these rows' points stand for, and the group of each row: by the choice
/// with the most names, but not the queue, as long as colours can tell them apart; or by the
/// congestion control that the cases are about.
fn coloured(r: &Reproduction, rows: &[&RowResult]) -> (String, Vec<Group>) {
    let chosen = r.paper.choose.iter().filter(|key| *key != "queue").map(|key| {
        let names = rows.iter().map(|row| row.choose.get(key)).collect::<Vec<_>>();
        (key.replace('_', " "), names)
    });
    let laws = rows.iter().map(|row| row.law.as_ref()).collect();
    let all = chosen.chain([("congestion control".to_owned(), laws)]);
    let mut best = (String::new(), Vec::new(), Vec::new());
    for (title, own) in all {
        let mut names: Vec<String> = Vec::new();
        for name in own.iter().flatten() {
            if !names.contains(name) {
                names.push((*name).clone());
            }
        }
        if names.len() <= COLOURS && names.len() > best.1.len() {
            best = (title, names, own);
        }
    }
    let (title, names, own) = best;
    if names.is_empty() {
        let group = Group { name: "all rows".to_owned(), colour: style::nth(0) };
        return (title, vec![group; rows.len()]);
    }
    let looks = names::looks(&names);
    let group = |name: Option<&String>| {
        let place = names.iter().position(|known| Some(known) == name);
        place.map_or(Group { name: "other rows".to_owned(), colour: style::QUEUE }, |place| Group {
            name: names[place].clone(),
            colour: looks[place],
        })
    };
    (title, own.into_iter().map(group).collect())
}

/// How to read the colours, if there are several.
fn legend(title: &str, groups: &[Group]) -> String {
    match groups.iter().any(|group| group.name != groups[0].name) {
        true => format!(" Colours and marks show: {title}."),
        false => String::new(),
    }
}

/// The printed values of a measure against ours.
fn against(r: &Reproduction, measure: &Measure) -> Figure {
    let values = |row: &RowResult| {
        let cell = row.values.get(&measure.name)?;
        cell.ours.map(|ours| (cell.paper, ours))
    };
    let has = |row: &&RowResult| values(row).is_some_and(|(paper, _)| paper.is_some());
    let rows: Vec<&RowResult> = r.rows.iter().filter(has).collect();
    let unprinted = r.rows.iter().filter(|row| values(row).is_some()).count() - rows.len();
    let (colours, groups) = coloured(r, &rows);
    let legend = legend(&colours, &groups);
    let axis = names::axis(measure);
    let of = |whose: &str| Axis { title: format!("{}, {whose}", axis.title), ..axis.clone() };
    let mut scatter = Scatter::new(of("paper"), of("ours"));
    scatter.equal = Some(measure.tolerance.unwrap_or(0.0));
    for (row, group) in rows.iter().zip(groups) {
        let Some((Some(paper), ours)) = values(row) else { continue };
        let far = measure.tolerance.is_some_and(|most| (ours.mean - paper.value).abs() > most);
        scatter.points.push(Point {
            label: format!("{}, {}", names::of_row(row), variant(r, row)),
            group,
            x: (paper.value, paper.ci95),
            y: (ours.mean, ours.ci95),
            doubts: if far { "outside the tolerance".to_owned() } else { String::new() },
        });
    }
    let title = names::title(&measure.name, &measure.about);
    let left_out = match unprinted {
        0 => String::new(),
        1 => " One row of which the paper prints no value is left out.".to_owned(),
        some => format!(" {some} rows of which the paper prints no value are left out."),
    };
    let caption = format!(
        "{}. On the line, our value equals the paper's. Filled points lie in the band, within {} of \
         the paper; hollow points do not.{legend} Bars are 95 % confidence intervals.{left_out}",
        capital(&measure.about),
        measure.within,
    );
    let source = format!("the paper's and our values of {} (reproduction.json)", measure.name);
    let caption = Caption::from(caption).source(source);
    scatter.figure(&format!("paper-{}", measure.name), &capital(&title), caption)
}

/// What was measured, and what ± is behind the values of measures that are shown
/// with their intervals.
fn heading(r: &Reproduction, with_interval: &dyn Fn(&str) -> bool) -> String {
    let run = || r.rows.iter().filter(|row| row.replicates > 0);
    if run().next().is_none() {
        return "no row finished".to_owned();
    }
    let mut windows: Vec<String> = Vec::new();
    for window in run().filter_map(|row| row.window) {
        let window = format!("from {} s to {} s", window.from_s, window.to_s);
        if !windows.contains(&window) {
            windows.push(window);
        }
    }
    let mut text = match windows.len() {
        0..=3 => format!("measured {}", windows.join(", or ")),
        many => format!("measured in {many} different windows"),
    };
    let most = run().map(|row| row.replicates.max(row.asked)).max().unwrap_or(0);
    let up_to = if run().any(|row| row.lacks_replicates().is_some()) { "up to " } else { "" };
    let _ = match most {
        1 => {
            let mut seeds: Vec<&u64> = run().flat_map(|row| &row.seeds).collect();
            seeds.sort_unstable();
            seeds.dedup();
            match seeds.as_slice() {
                [one] => write!(text, "; one run per row, seed {one}"),
                _ => write!(text, "; one run per row"),
            }
        }
        _ => write!(text, "; means of {up_to}{most} replicates"),
    };
    let shown = || run().flat_map(|row| &row.values).filter(|(name, _)| with_interval(name));
    let cells = || shown().map(|(_, cell)| cell);
    let ours = cells().filter_map(|cell| cell.ours).find(|ours| ours.ci95.is_some());
    let printed = cells().any(|cell| cell.paper.is_some_and(|paper| paper.ci95.is_some()));
    text += match ours.map(|ours| ours.over) {
        None if printed => "; ±: the paper's own",
        None => "",
        Some(Over::Replicates) => "; ±: 95 % confidence over replicates",
        Some(Over::Batches) => "; ±: 95 % confidence over batches of the run",
    };
    let info = |name: &str| r.measures.iter().find(|m| m.name == name);
    let is_cut = |(name, cell): (&String, &Cell)| {
        let half = cell.ours.and_then(|ours| Some((ours.mean, ours.ci95?)));
        info(name).zip(half).is_some_and(|(m, (mean, half))| m.cut(mean, half).is_some())
    };
    if shown().any(is_cut) {
        text += "; [ ]: an interval cut off at the end of the measure's range";
    }
    if r.reading.name != BASE {
        let _ = write!(text, "; reading: {}", r.reading.name);
    }
    text
}

/// What each column head means.
fn heads(measures: &[&Measure]) -> String {
    let head = |m: &&Measure| format!("{}: {}", m.head, m.about);
    measures.iter().map(head).collect::<Vec<_>>().join("; ")
}

/// A mean and half its interval; one that passes the bounds of its measure is cut there
/// and has its ends.
fn estimate(ours: Option<Estimate>, measure: &Measure) -> String {
    let decimals = measure.decimals;
    ours.map_or(NONE.to_owned(), |ours| {
        let cut = ours.ci95.and_then(|half| measure.cut(ours.mean, half));
        let interval = match (cut, ours.ci95) {
            (Some((low, high)), _) => format!(" [{low:.decimals$}, {high:.decimals$}]"),
            (None, Some(half)) => format!("±{half:.decimals$}"),
            (None, None) => String::new(),
        };
        format!("{:.decimals$}{interval}", ours.mean)
    })
}

/// What is judged where rows were chosen.
const BETWEEN: &str = "only comparisons between the chosen rows";

/// Rows of a table from which on a constant says something: fewer it nearly always reaches.
const ENOUGH: usize = 4;

/// The rows that the best constants reach, of those in tables that have enough rows.
fn constants(score: &Scoreboard) -> Option<(usize, usize)> {
    let tables = score.tables.iter().filter(|table| table.run >= ENOUGH);
    let sums = tables.fold((0, 0), |(reached, rows), own| (reached + own.baseline, rows + own.run));
    (sums.1 > 0).then_some(sums)
}
