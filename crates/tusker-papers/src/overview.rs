//! `docs/reproduction.md`: the results for all papers, from what was recorded for each.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::conclusions::{ConclusionResult, Robust};
use crate::paper::Paper;
use crate::reproduction::scoreboard::listed;
use crate::reproduction::{ClaimResult, Reproduction};
use tusker_lab::suite::claims::Verdict;

/// The recorded results of a paper.
#[derive(Debug)]
pub struct Record {
    /// The paper.
    pub paper: Paper,
    /// Of shortened runs.
    pub quick: Reproduction,
    /// Of full-length runs, if there are any.
    pub full: Option<Reproduction>,
}

impl Record {
    /// The better evidence: full-length runs, or else shortened ones.
    fn best(&self) -> &Reproduction {
        self.full.as_ref().unwrap_or(&self.quick)
    }
}

/// The page.
pub fn page(records: &[Record]) -> String {
    let mut text = "# What was reproduced\n\n\
        This page is generated from the recorded results in `papers/*`: `full.csv` is the output of\n\
        `tusker reproduce PAPER --format csv`, and `quick.csv` that of the same command with `--quick`\n\
        (the *quick set*; most of its runs are shorter). Rows with N seeds were run with\n\
        `--replicates N`. `conclusions.csv` has the rows that the conclusions need: one run for each\n\
        seed, and for each *reading* (a way to understand a paper where its text leaves something\n\
        open). `make reproduction` runs all rows again.\n\n\
        ```sh\n\
        tusker reproduce all --quick     # 883 rows: 6 minutes on two cores\n\
        tusker reproduce all             # 111 minutes on one core; continues where it was stopped\n\
        ```\n\n\
        [reproduce.md](reproduce.md#verdicts) has the rules. `tusker reproduce PAPER --recorded papers`\n\
        prints every row and claim, and `--claim ID` every comparison of one claim.\n\n\
        A row is named by its case and what varies within the case, with @ between them. In ghstcp\n\
        this is the delay: `7@50` is Case 7 at 50 ms. In ghstcp-web it is the number of high-speed\n\
        flows (`33h@5`: Case 33 with 5 HSTCP flows, `33g@5`: with 5 gHSTCP flows), in ghstcp-testbed the\n\
        socket buffer of Flow-2 in KB (`6@512`: Exp-6). In ngtcp it is the buffer in BDP and the round\n\
        trip in ms (`htcp@0.1_100`), in hcc mostly the buffer in packets (`hcc@b800`). Unless the text\n\
        says otherwise, our numbers with ± are means over seeds with their 95 % confidence intervals.\n\
        *Points* are percentage points. Options in brackets, such as `--reading newreno`, belong to the\n\
        command `tusker reproduce PAPER`; they repeat the run from which a number comes.\n\n"
        .to_owned();
    text += "## Scoreboard\n\nThe quick set:\n\n";
    text += &scoreboard(records, |record| Some(&record.quick));
    if records.iter().any(|record| record.full.is_some()) {
        text += "\nRuns of full length:\n\n";
        text += &scoreboard(records, |record| record.full.as_ref());
    }
    for record in records {
        text += &one(record);
    }
    text
}

/// A paper's conclusions: the verdict on the base, and how robust it is.
fn concluded(paper: &Paper, all: &[ConclusionResult]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n### {}: conclusions\n\n\
         | conclusion | verdict | comparisons that hold, in all runs | runs | readings | worst reading | reversed by |\n\
         |---|---|--:|--:|--:|---|---|\n",
        paper.about.key
    );
    for one in all {
        let robust = &one.robust;
        let worst = robust.worst.as_ref();
        let worst =
            worst.map_or(String::new(), |w| format!("`{}`: {} of {}", w.reading, w.held, w.of));
        let reversed = one.reversed_by.iter();
        let reversed = reversed.map(|r| format!("`{}`: {}", r.reading, r.comparisons.len()));
        let _ = writeln!(
            text,
            "| {} | {} | {} of {} | {} | {} of {} | {worst} | {} |",
            one.says,
            one.verdict.text(),
            robust.held,
            robust.of,
            robust.runs,
            robust.readings,
            robust.readings + one.untried.len(),
            reversed.collect::<Vec<_>>().join(", ")
        );
    }
    text
}

fn scoreboard(records: &[Record], of: fn(&Record) -> Option<&Reproduction>) -> String {
    let mut text = "| paper | rows run | seeds for each | with printed numbers | within tolerance by the means | best constants | with intervals: within | undecided | outside | claims | hold | partly | undecided | do not hold | not judged |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut sums = [0; 13];
    let mut line = |key: &str, seeds: &str, [run, numbers @ ..]: [usize; 13]| {
        let cells = numbers.map(|number| number.to_string());
        let _ = writeln!(text, "| {key} | {run} | {seeds} | {} |", cells.join(" | "));
    };
    for record in records {
        let Some(r) = of(record) else { continue };
        let s = &r.scoreboard;
        let off = s.run - s.within - s.undecided_rows;
        let rows =
            [s.run + s.unprinted, s.run, s.by_means, s.baseline, s.within, s.undecided_rows, off];
        let claims = [s.claims, s.hold, s.partly, s.undecided, s.fail, s.open];
        let mut numbers = [0; 13];
        numbers[..7].copy_from_slice(&rows);
        numbers[7..].copy_from_slice(&claims);
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        line(&record.paper.about.key, &seeds(r), numbers);
    }
    line("**together**", "", sums);
    text
}

/// With how many seeds each row was run: `1`, `3`, or `1 or 3`.
fn seeds(r: &Reproduction) -> String {
    let run = r.rows.iter().map(|row| row.replicates).filter(|replicates| *replicates > 0);
    let counts: Vec<String> = run.collect::<BTreeSet<_>>().iter().map(usize::to_string).collect();
    counts.join(" or ")
}

/// Where the scores are in the README, between these lines.
pub const SCORES: [&str; 2] = ["<!-- scores -->\n", "<!-- end of scores -->\n"];

/// The scores of all papers and their main conclusions as a table for the README.
pub fn scores(records: &[Record]) -> String {
    let mut text = "\n| paper | rows within tolerance | best constants | main conclusion | in our runs | comparisons that hold | readings |\n\
        |---|--:|--:|---|---|--:|--:|\n"
        .to_owned();
    for record in records {
        let (about, best) = (&record.paper.about, record.best());
        let s = &best.scoreboard;
        let [within, constants] = match s.run {
            0 => ["-".to_owned(), "-".to_owned()],
            run => [format!("{} of {run}", s.by_means), s.baseline.to_string()],
        };
        let mut rows =
            vec![format!("[{0}](papers/{0}/results.md) | {within} | {constants}", about.key)];
        let conclusions = record.paper.conclusions.conclusions.iter().zip(&best.conclusions);
        for (_, one) in conclusions.filter(|(own, _)| own.main) {
            let begin = if rows.len() == 1 { rows.remove(0) } else { " | | ".to_owned() };
            let depends = one.reversed_by.iter().map(|own| own.reading.as_str());
            let depends: Vec<&str> = depends.collect();
            let depends = match depends.as_slice() {
                [] => String::new(),
                names => format!("; depends on {}", listed(names)),
            };
            let Robust { held, of, readings, .. } = one.robust;
            let verdict = one.verdict.text();
            let _ = writeln!(
                text,
                "| {begin} | {} | {verdict}{depends} | {held} of {of} | {readings} |",
                one.says
            );
        }
    }
    text + "\n"
}

fn one(record: &Record) -> String {
    let (paper, best) = (&record.paper, record.best());
    let about = &paper.about;
    let mut text = format!(
        "\n## {}\n\n{}: *{}*. {}. Assumptions and reasons: [papers/{}](../papers/{}/README.md).\n",
        about.key, about.authors, about.title, about.covers, about.key, about.key
    );
    let length = if best.quick { "the quick set" } else { "runs of full length" };
    let seeds = match seeds(best).as_str() {
        "1" => "one run of each row".to_owned(),
        many => format!("{many} seeds for each row"),
    };
    let measures = about.measures.iter();
    let measures = measures.map(|measure| {
        let unit = match measure.unit.as_str() {
            "" | "per million" => String::new(),
            "pkt" => " (packets)".to_owned(),
            unit => format!(" ({unit})"),
        };
        format!("- `{}`{unit}: {}", measure.name, measure.about)
    });
    let measures: Vec<String> = measures.collect();
    if let Some(names) = &about.row_names {
        let _ = writeln!(text, "\n{names}");
    }
    let _ = writeln!(text, "\nBelow: {length}, {seeds}. Measures:\n\n{}", measures.join("\n"));
    if let Some(stale) = &best.stale {
        let _ = writeln!(text, "\n**Stale:** {stale}.");
    }
    text += &concluded(paper, &best.conclusions);
    if !best.conclusions.is_empty() {
        let _ = writeln!(text, "\n### {}: printed rows", about.key);
    }
    text += &rows_off(paper, best);
    let of = |wanted: fn(Verdict) -> bool| -> Vec<&ClaimResult> {
        best.claims.iter().filter(|claim| wanted(claim.ours.verdict)).collect()
    };
    let held = of(|verdict| verdict == Verdict::Holds);
    if !held.is_empty() {
        let ids: Vec<String> = held.iter().map(|claim| format!("`{}`", claim.id)).collect();
        let _ = writeln!(text, "\n### {}: what we confirm\n\n{}.", about.key, ids.join(", "));
    }
    let failed = of(Verdict::falls_short);
    if !failed.is_empty() {
        let _ = writeln!(text, "\n### {}: what we cannot confirm\n", about.key);
        for (i, claim) in failed.iter().enumerate() {
            let _ = writeln!(text, "{}", not_confirmed(claim, &failed[..i]));
        }
    }
    let open = of(|verdict| verdict == Verdict::Open);
    if !open.is_empty() {
        let ids: Vec<String> = open.iter().map(|claim| format!("`{}`", claim.id)).collect();
        let _ = writeln!(text, "\n### {}: what was not judged\n\n{}.", about.key, ids.join(", "));
    }
    if !paper.reasons.found.is_empty() {
        let _ = writeln!(text, "\n### {}: other results\n", about.key);
        for found in &paper.reasons.found {
            let _ = writeln!(text, "- {}", found.says);
        }
    }
    text
}

/// How many of the printed numbers are met, and why the others are not.
fn rows_off(paper: &Paper, r: &Reproduction) -> String {
    let score = &r.scoreboard;
    if score.run == 0 {
        return "\nOur copy of the paper has no numbers to compare with, so only the paper's claims are judged.\n".to_owned();
    }
    let within: Vec<&str> = r
        .measures
        .iter()
        .filter(|measure| measure.tolerance.is_some())
        .map(|measure| measure.within.as_str())
        .collect();
    let (met, run) = (score.by_means, score.run);
    let mut text = format!(
        "\nIn {met} of {run} printed rows, our values differ from the paper's by at most {}.",
        listed(&within)
    );
    let tables = score.tables.iter().map(|t| {
        // those behind a figure are named after it
        let info = paper.about.tables.iter().find(|info| info.id == t.table);
        let figure = info.and_then(|info| info.title.split(':').next());
        let name = match figure.filter(|title| title.starts_with("Figure ")) {
            Some(figure) => figure.to_owned(),
            None => format!("Table {}", t.table),
        };
        format!("{} of {} in {name} (ours {})", t.baseline, t.run, t.by_means)
    });
    let tables: Vec<String> = tables.collect();
    let _ =
        write!(text, " With the best constants, {} would be within these limits", score.baseline);
    text += &match tables.len() {
        0 | 1 => ".".to_owned(),
        _ => format!(": {}.", tables.join(", ")),
    };
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in r.rows.iter().filter(|row| row.verdict == Verdict::DoesNotHold) {
        let reason = row.reason.as_deref().unwrap_or("not explained");
        let reason = format!("{reason}.{}", source(row.reason_source.as_deref()));
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, rows)) => rows.push(&row.id),
            None => reasons.push((reason, vec![&row.id])),
        }
    }
    let chance = r.rows.iter().filter(|row| row.verdict == Verdict::Undecided);
    let (n, within) = (chance.count(), score.within);
    if n > 0 {
        let _ = write!(
            text,
            " With the 95 % intervals of the means, {within} rows are within the tolerances. {n} are \
             undecided, because an interval covers a limit of a tolerance."
        );
    }
    text += if reasons.is_empty() { "\n" } else { " These rows are outside the tolerances:\n\n" };
    for (reason, rows) in reasons {
        let _ = writeln!(text, "- {}: {reason}", rows.join(", "));
    }
    text
}

/// A link from docs/ to where a reason is shown.
fn source(path: Option<&str>) -> String {
    path.map_or(String::new(), |path| {
        let file = path.split('#').next().unwrap_or(path);
        let link = path.strip_prefix("docs/").map_or(format!("../{path}"), str::to_owned);
        format!(" Source: [{file}]({link}).")
    })
}

/// A claim that does not hold in full, and why; a reason that one of the claims `above` has is
/// not repeated.
fn not_confirmed(claim: &ClaimResult, above: &[&ClaimResult]) -> String {
    let ours = &claim.ours;
    let read = if claim.read.is_empty() { String::new() } else { format!(" [{}]", claim.read) };
    let same = |other: &ClaimResult| claim.reason.is_some() && other.reason == claim.reason;
    let why = match &claim.reason {
        Some(_) if above.last().is_some_and(|other| same(other)) => {
            "Why: as for the claim above.".to_owned()
        }
        Some(why) => match above.iter().find(|other| same(other)) {
            Some(first) => {
                format!("Why: as for \"{}\" above.", first.says.trim_end_matches('.'))
            }
            None => format!("Why: {why}.{}", source(claim.reason_source.as_deref())),
        },
        None if ours.failed() == 0 => "No comparison fails beyond chance.".to_owned(),
        None => "Not explained.".to_owned(),
    };
    let paper = match (&claim.paper_reason, claim.paper.verdict) {
        (Some(why), verdict) if verdict.falls_short() => {
            format!(" The paper's own numbers do not fully support the claim: {why}.")
        }
        _ => String::new(),
    };
    let verdict = ours.verdict.text();
    let chance = match ours.undecided {
        0 => String::new(),
        some => format!(", {some} undecided"),
    };
    let numbers = format!("{} of {}{chance}", ours.held, ours.of);
    format!("- **{verdict}, {numbers}**: {} ({}){read} {why}{paper}", claim.says, claim.place)
}
