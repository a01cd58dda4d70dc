//! A reproduction as a page: how much holds, each judged measure beside the
//! paper's, all rows, all claims.

use tusker_papers::Reproduction;
use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{Margin, Standing};
use tusker_papers::reproduction::{MeasureInfo, RowResult, RowVerdict};
use tusker_report::figure::{Axis, Dot, Dots, Figure, Group, Point, Scatter};
use tusker_report::page::{Block, Page, Table};

pub fn page(reproduction: &Reproduction) -> Page {
    let r = reproduction;
    let score = &r.scoreboard;
    let mut page = Page {
        title: r.paper.title.clone(),
        lead: format!("{}; {}; reading: {}", r.paper.authors, r.paper.covers, r.reading.name),
        commands: vec![tusker_report::results::command(&r.execution.command)],
        ..Page::default()
    };
    let mut blocks = Vec::new();
    if r.quick {
        let text = "Quick: shorter runs than the paper's, for a first look.";
        blocks.push(Block::Warning(text.to_owned()));
    }
    if let Some(stale) = &r.stale {
        blocks.push(Block::Warning(format!("Stale: {stale}.")));
    }
    let facts = [
        ("Rows run", format!("{} of {}", score.run, score.rows)),
        ("Rows within tolerance", format!("{} of {}", score.within, score.run)),
        ("Best constants reach", format!("{} of {}", score.baseline, score.run)),
        ("Claims that hold", format!("{} of {}", score.hold, score.claims)),
        ("Hold in part", score.partly.to_string()),
        ("Undecided", score.undecided.to_string()),
        ("Do not hold", score.fail.to_string()),
        ("Not judged", score.open.to_string()),
    ];
    blocks.push(Block::Facts(facts.map(|(name, value)| (name.to_owned(), value)).to_vec()));
    page.section("How much holds", blocks);
    if !r.conclusions.is_empty() {
        page.section("Conclusions", vec![Block::Table(conclusions(r))]);
    }
    let printed = |m: &&MeasureInfo| {
        let cells = r.rows.iter().filter_map(|row| row.values.get(&m.name));
        m.tolerance.is_some() && cells.into_iter().any(|cell| cell.paper.is_some())
    };
    let judged: Vec<&MeasureInfo> = r.measures.iter().filter(printed).collect();
    let figures: Vec<Block> = judged.iter().map(|m| beside(r, m).into()).collect();
    page.section("Paper against ours", figures);
    let two: Vec<&MeasureInfo> = r.measures.iter().filter(|m| m.tolerance.is_some()).collect();
    if let [x, y, ..] = two.as_slice() {
        page.section("All cases", vec![against(r, x, y).into()]);
    }
    page.section("Rows", vec![Block::Table(rows(r))]);
    page.section("Claims", vec![Block::Table(claims(r))]);
    let why = r.reading.why.iter().cloned().map(Block::Text);
    let scenario = Block::Fold("The base scenario".to_owned(), r.scenario.clone());
    page.section("What was assumed", why.chain([scenario]).collect());
    page.sections.retain(|section| !section.blocks.is_empty());
    page
}

/// What a row was run at: `delay 50 ms`.
pub fn variant(r: &Reproduction, row: &RowResult) -> String {
    format!("{} {} {}", r.paper.variant, row.variant, r.paper.variant_unit).trim().to_owned()
}

fn axis(measure: &MeasureInfo) -> Axis {
    Axis::new(&measure.name, &measure.unit)
}

/// A row per case, the printed value beside ours.
fn beside(r: &Reproduction, measure: &MeasureInfo) -> Figure {
    let mut dots = Dots::new(axis(measure));
    let mut rows: Vec<&RowResult> = r.rows.iter().collect();
    // those at the same delay together
    let first = |row: &RowResult| r.rows.iter().position(|other| other.variant == row.variant);
    rows.sort_by_key(|row| first(row));
    for row in rows {
        let Some(cell) = row.values.get(&measure.name) else { continue };
        if cell.paper.is_none() {
            continue;
        }
        let ours = cell.ours;
        let ends = |mean: f64, half: f64| (mean - half, mean + half);
        dots.rows.push(Dot {
            label: format!("case {}", row.case),
            group: variant(r, row),
            paper: cell.paper.map(|paper| paper.value),
            ours: ours.map(|ours| ours.mean),
            interval: ours.and_then(|ours| Some(ends(ours.mean, ours.ci95?))),
            agrees: cell.within,
        });
    }
    let caption = format!(
        "{}. Hollow is the paper, full is ours with its 95 % confidence interval; \u{d7} is off by \
         more than {}.",
        measure.about, measure.within
    );
    dots.figure(&format!("paper-{}", measure.name), &measure.name, &caption)
}

/// One judged measure against the other, a point per row.
fn against(r: &Reproduction, x: &MeasureInfo, y: &MeasureInfo) -> Figure {
    let mut scatter = Scatter::new(axis(x), axis(y));
    let mut groups: Vec<String> = Vec::new();
    for row in &r.rows {
        let ours = |m: &MeasureInfo| row.values.get(&m.name).and_then(|cell| cell.ours);
        let Some((x, y)) = ours(x).zip(ours(y)) else { continue };
        let name = variant(r, row);
        let colour = groups.iter().position(|group| *group == name).unwrap_or_else(|| {
            groups.push(name.clone());
            groups.len() - 1
        });
        scatter.points.push(Point {
            label: format!("case {}, {name}", row.case),
            group: Group { name, colour },
            x: (x.mean, x.ci95),
            y: (y.mean, y.ci95),
        });
    }
    let title = format!("{} against {}, ours", x.name, y.name);
    scatter.figure("cases", &title, "Each point is a row of the paper's tables.")
}

fn rows(r: &Reproduction) -> Table {
    let mut head = vec!["row".to_owned(), "table".to_owned()];
    for measure in &r.measures {
        let unit = if measure.unit.is_empty() { "" } else { &format!(" ({})", measure.unit) };
        head.extend([format!("{}{unit}: paper", measure.name), "ours".to_owned()]);
    }
    head.extend(["verdict", "reason"].map(str::to_owned));
    let mut table = Table::new("Rows of the paper's tables", head);
    for row in &r.rows {
        let invalid = if row.invalid > 0 { " INVALID" } else { "" };
        let mut cells = vec![format!("{}{invalid}", row.id), row.table.clone()];
        for measure in &r.measures {
            let digits = measure.decimals;
            let cell = row.values.get(&measure.name);
            let pair = |value: f64, half: Option<f64>| match half {
                Some(half) => format!("{value:.digits$} ± {half:.digits$}"),
                None => format!("{value:.digits$}"),
            };
            let paper = cell.and_then(|cell| cell.paper).map(|paper| pair(paper.value, paper.ci95));
            let ours = cell.and_then(|cell| cell.ours).map(|ours| pair(ours.mean, ours.ci95));
            cells.extend([paper.unwrap_or_default(), ours.unwrap_or_default()]);
        }
        let verdict = match row.verdict {
            RowVerdict::Within => "within",
            RowVerdict::Off => "off",
            RowVerdict::Undecided => "undecided",
            RowVerdict::Open if row.replicates > 0 => "",
            RowVerdict::Open => "not run",
        };
        cells.extend([verdict.to_owned(), row.reason.clone().unwrap_or_default()]);
        table.row(None, cells);
    }
    table
}

fn conclusions(r: &Reproduction) -> Table {
    let head = ["what it says", "", "on what", "margin", "run", "these runs"];
    let mut table = Table::new("What the paper concludes, by what was recorded beside it", head);
    for one in &r.conclusions {
        let on = match one.standing {
            Standing::Depends => one.depends_on.join("; "),
            _ => String::new(),
        };
        let here = match one.here {
            Verdict::Open => "not all rows run",
            verdict => verdict.text(),
        };
        let margin = one.margin.as_ref().map_or(String::new(), Margin::text);
        let runs = one.runs();
        let cells = [&one.says, one.standing.text(), &on, &margin, &runs, here];
        table.row(None, cells);
    }
    table
}

fn claims(r: &Reproduction) -> Table {
    let head = ["claim", "where", "ours", "held", "the paper's own numbers", "what it says"];
    let mut table = Table::new("Claims of the paper", head);
    for claim in &r.claims {
        let chance = match claim.ours.chance {
            0 => String::new(),
            some => format!(", {some} within chance"),
        };
        let held = match claim.ours.verdict {
            Verdict::Open => format!("{} comparisons lack rows", claim.ours.missing),
            _ => format!("{} of {}{chance}", claim.ours.held, claim.ours.of),
        };
        let ours = match claim.ours.verdict {
            Verdict::Open => "not judged",
            judged => judged.text(),
        };
        let paper = match claim.paper.verdict {
            Verdict::Open => "prints none",
            judged => judged.text(),
        };
        table.row(None, [&claim.id, &claim.place, ours, &held, paper, claim.says.as_str()]);
    }
    table
}
