//! `docs/reproduction.md`: the results for all papers, from what was recorded for each.

use std::collections::BTreeSet;
use std::fmt::Write;

use tusker_lab::suite::claims::Verdict;
use tusker_report::capital;

use crate::conclusions::{ConclusionResult, Robust};
use crate::paper::Paper;
use crate::reproduction::Reproduction;
use crate::reproduction::scoreboard::listed;

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
        This page is generated from the results recorded in `papers/*`. `make reproduction` runs all 883 rows \
        again (111 minutes on one core), `make reproduction-quick` the *quick set*, of which most runs are \
        shorter (6 minutes on two cores). [reproduce.md](reproduce.md#verdicts) has the rules. `tusker \
        reproduce PAPER --recorded papers` prints every row, `--claims` lists all claims and says what each \
        measure is, and `--claim ID` shows every comparison of one claim.\n\n\
        A row is named by its case and what varies within the case, with @ between them: in ghstcp the \
        delay (`7@50` is Case 7 at 50 ms), in ghstcp-web the number of high-speed flows (`33h@5`: Case 33 \
        with 5 HSTCP flows, `33g@5`: with 5 gHSTCP flows), in ghstcp-testbed the socket buffer of Flow-2 in \
        KB (`6@512`: Exp-6), in ngtcp the buffer in BDP and the round trip in ms (`htcp@0.1_100`), in hcc \
        mostly the buffer in packets (`hcc@b800`). Unless the text says otherwise, our numbers with ± are \
        means over seeds with their 95 % confidence intervals. *Points* are percentage points. Options in \
        brackets, such as `--reading newreno`, belong to the command `tusker reproduce PAPER`; they repeat \
        the run from which a number comes.\n\n\
        ## Scoreboard\n\n"
        .to_owned();
    text += &scoreboard(records);
    for record in records {
        text += &one(record);
    }
    text
}

/// A paper's conclusions: the verdict on the base, and how robust it is.
fn concluded(all: &[ConclusionResult]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = "\n| conclusion | verdict | comparisons that hold, in all runs | runs | readings | worst reading | reversed by |\n\
        |---|---|--:|--:|--:|---|---|\n"
        .to_owned();
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

fn scoreboard(records: &[Record]) -> String {
    let mut text = "| paper | runs | rows run | seeds for each | with printed numbers | within tolerance by the means | best constants | with intervals: within | undecided | outside | claims | hold | partly | undecided | do not hold | not judged |\n\
        |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let quick: Vec<_> = records.iter().map(|own| (own, &own.quick)).collect();
    let full: Vec<_> = records.iter().filter_map(|own| Some((own, own.full.as_ref()?))).collect();
    for (runs, all) in [("quick", quick), ("full", full)] {
        let mut sums = [0; 13];
        let mut line = |key: &str, seeds: &str, [run, numbers @ ..]: [usize; 13]| {
            let cells = numbers.map(|number| number.to_string());
            let _ = writeln!(text, "| {key} | {runs} | {run} | {seeds} | {} |", cells.join(" | "));
        };
        for (record, r) in &all {
            let s = &r.scoreboard;
            let off = s.run - s.within - s.undecided_rows;
            let [run, open] = [s.run + s.unprinted, s.undecided_rows];
            let rows = [run, s.run, s.by_means, s.baseline, s.within, open, off];
            let claims = [s.claims, s.hold, s.partly, s.undecided, s.fail, s.open];
            let numbers =
                std::array::from_fn(|at| *rows.iter().chain(&claims).nth(at).unwrap_or(&0));
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            line(&record.paper.about.key, &seeds(r), numbers);
        }
        line("**together**", "", sums);
    }
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
            vec![format!("[{0}](docs/reproduction.md#{0}) | {within} | {constants}", about.key)];
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
    let length = if best.quick { "the quick set" } else { "runs of full length" };
    let seeds = match seeds(best).as_str() {
        "1" => "one run of each row".to_owned(),
        many => format!("{many} seeds for each row"),
    };
    let mut text = format!(
        "\n## {}\n\n{}: *{}*. {}. Assumptions and reasons: [papers/{}](../papers/{}/README.md). Below: \
         {length}, {seeds}.\n",
        about.key, about.authors, about.title, about.covers, about.key, about.key
    );
    if let Some(names) = &about.row_names {
        let _ = writeln!(text, "\n{names}");
    }
    if let Some(stale) = &best.stale {
        let _ = writeln!(text, "\n**Stale:** {stale}.");
    }
    text += &concluded(&best.conclusions);
    text += &printed(paper, best);
    text += &misses(best);
    if !paper.reasons.found.is_empty() {
        text += "\nOther results:\n\n";
        for found in &paper.reasons.found {
            let _ = writeln!(text, "- {}", found.says);
        }
    }
    text
}

/// How many of the printed numbers are met.
fn printed(paper: &Paper, r: &Reproduction) -> String {
    let score = &r.scoreboard;
    if score.run == 0 {
        return "\nOur copy of the paper has no numbers to compare with, so only the paper's claims are judged.\n".to_owned();
    }
    let within = r.measures.iter().filter(|measure| measure.tolerance.is_some());
    let within: Vec<&str> = within.map(|measure| measure.within.as_str()).collect();
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
    let tables = if tables.len() > 1 { format!(": {}", tables.join(", ")) } else { String::new() };
    let intervals = match score.undecided_rows {
        0 => String::new(),
        n => format!(
            " With the 95 % intervals of the means, {} rows are within the tolerances. {n} are \
             undecided, because an interval covers a limit of a tolerance.",
            score.within
        ),
    };
    format!(
        "\nIn {} of {} printed rows, our values differ from the paper's by at most {}. With the best \
         constants, {} would be within these limits{tables}.{intervals}\n",
        score.by_means,
        score.run,
        listed(&within),
        score.baseline
    )
}

/// A line for all rows outside the tolerances that have one reason, and for each claim that does
/// not hold in full.
fn misses(r: &Reproduction) -> String {
    let mut lines: Vec<[String; 3]> = Vec::new();
    for row in r.rows.iter().filter(|row| row.verdict == Verdict::DoesNotHold) {
        let why = because(row.reason.as_deref(), row.reason_source.as_deref());
        match lines.iter_mut().find(|[_, _, own]| *own == why) {
            Some([rows, ..]) => *rows += &format!(", {}", row.id),
            None => lines.push([row.id.clone(), "outside".to_owned(), why]),
        }
    }
    let short = r.claims.iter().filter(|claim| claim.ours.verdict.falls_short());
    let mut above: Vec<(&str, &str)> = Vec::new();
    for claim in short {
        let ours = &claim.ours;
        let read = if claim.read.is_empty() { String::new() } else { format!(" [{}]", claim.read) };
        let undecided = match ours.undecided {
            0 => String::new(),
            some => format!(", {some} undecided"),
        };
        let verdict = format!("{}, {} of {}{undecided}", ours.verdict.text(), ours.held, ours.of);
        let reason = claim.reason.as_deref();
        let mut why = match above.iter().find(|(why, _)| Some(*why) == reason) {
            Some((_, id)) => format!("As for `{id}`."),
            None if reason.is_none() && ours.failed() == 0 => {
                "No comparison fails beyond chance.".to_owned()
            }
            None => because(reason, claim.reason_source.as_deref()),
        };
        above.extend(reason.map(|why| (why, claim.id.as_str())));
        if let Some(own) = claim.paper_reason.as_ref().filter(|_| claim.paper.verdict.falls_short())
        {
            why += &format!(" The paper's own numbers do not fully support the claim: {own}.");
        }
        let says = format!("`{}`: {} ({}){read}", claim.id, claim.says, claim.place);
        lines.push([says, verdict, why]);
    }
    let score = &r.scoreboard;
    let open = match score.open {
        0 => String::new(),
        some => format!(", {some} were not judged"),
    };
    let mut text = format!("\n{} of {} claims hold{open}.", score.hold, score.claims);
    if !lines.is_empty() {
        text += " What differs:\n\n| row or claim | in our runs | why |\n|---|---|---|";
        for cells in lines {
            let [what, verdict, why] = cells.map(|cell| cell.replace('|', "\\|"));
            let _ = write!(text, "\n| {what} | {verdict} | {why} |");
        }
    }
    text + "\n"
}

/// A reason as a sentence, with a link from docs/ to where it is shown.
fn because(reason: Option<&str>, source: Option<&str>) -> String {
    let source = source.map_or(String::new(), |path| {
        let file = path.split('#').next().unwrap_or(path);
        let link = path.strip_prefix("docs/").map_or(format!("../{path}"), str::to_owned);
        format!(" Source: [{file}]({link}).")
    });
    format!("{}.{source}", capital(reason.unwrap_or("not explained")))
}
