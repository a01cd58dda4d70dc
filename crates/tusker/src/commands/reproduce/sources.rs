//! `--recorded A,B`: results from several places, for one claim.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tusker_papers::Paper;
use tusker_papers::conclusions::{Run, Runs};
use tusker_papers::rows::{BASE, Row};

use super::{ROWS, recorded};
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::next;
use crate::output::say;

/// The places that a path names: itself if there is such a one, or else those between commas.
pub fn sources(path: &Path) -> Vec<PathBuf> {
    match path.to_str() {
        Some(text) if text.contains(',') && !path.exists() => {
            text.split(',').filter(|part| !part.is_empty()).map(PathBuf::from).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// Whether a place has runs of one's own, and not only what was recorded.
pub fn is_own(place: &Path, key: &str) -> bool {
    place.join(ROWS).is_dir() || place.join(key).join(ROWS).is_dir()
}

/// The error if several are named where one is shown.
pub fn refuse_several(path: &Path) -> Result<(), Failure> {
    let several = sources(path).len();
    if several < 2 {
        return Ok(());
    }
    let message = format!("--recorded {}: these are {several} places", path.display());
    Err(Failure::input(message, "only --claim judges several together; name one of them"))
}

/// Runs of several places.
pub struct Joined {
    /// All of them; where two places have the same one with other numbers, that of the first.
    pub all: Runs,
    /// What each place has.
    each: Vec<(PathBuf, Runs)>,
    /// The variants of the rows that were asked for.
    variants: BTreeSet<String>,
}

/// A place among several, and what it has.
pub struct Origin {
    /// The place as it was named.
    pub place: String,
    /// A folder of one's own runs.
    pub own: bool,
    /// `base with seeds 1 and 2`, of each reading.
    has: Vec<String>,
    /// Runs of one's own.
    runs: Vec<Own>,
    /// How many of one's own rows are recorded, too, and how many of these have the same values.
    known: (usize, usize),
}

/// Runs of one's own that one command makes, but for gaps between their seeds.
struct Own {
    reading: String,
    /// The variants of their rows, if these are not all: `50`.
    at: Option<String>,
    seeds: BTreeSet<u64>,
}

impl Origin {
    /// What others may call the place: as it was named, but without what leads to it on this
    /// machine.
    pub fn name(&self) -> &str {
        let place = self.place.trim_end_matches('/');
        match place.starts_with('/') {
            true => place.rsplit('/').next().unwrap_or(place),
            false => place,
        }
    }

    /// `mine (own runs): base with seeds 1 and 2`, with this name of the place.
    pub fn text(&self, name: &str) -> String {
        let own = if self.own { " (own runs)" } else { "" };
        let known = match self.known {
            (0, _) => String::new(),
            (1, 1) => {
                ". 1 row is recorded with the same reading and seed, and has the same values".into()
            }
            (both, same) if both == same => format!(
                ". {both} rows are recorded with the same reading and seed, and all have the same \
                 values"
            ),
            (both, same) => format!(
                ". Of {both} rows that are recorded with the same reading and seed, {same} have the \
                 same values"
            ),
        };
        format!("{name}{own}: {}{known}", self.has.join("; "))
    }

    /// The commands that make these runs anew: `base` runs the rows under no reading.
    pub fn commands(&self, base: &str) -> Vec<String> {
        let mut all = Vec::new();
        for Own { reading, at, seeds } in &self.runs {
            let at = at.as_ref().map_or(String::new(), |at| format!(" --at {at}"));
            let reading = match reading.as_str() {
                BASE => String::new(),
                name => format!(" --reading {name}"),
            };
            let mut rest: Vec<u64> = seeds.iter().rev().copied().collect();
            while let Some(first) = rest.pop() {
                let mut last = first;
                while rest.last() == Some(&(last + 1)) {
                    last = rest.pop().unwrap_or(last);
                }
                let more = match last - first {
                    0 => String::new(),
                    more => format!(" --replicates {}", more + 1),
                };
                let out = next::path(Path::new(self.name()));
                all.push(format!("{base}{at}{reading} --seed {first}{more} --out {out}"));
            }
        }
        all
    }
}

impl Joined {
    /// Without runs of one's own; none if there are no such runs, or only such.
    pub fn recorded(&self, paper: &Paper) -> Option<Runs> {
        let own = |(place, _): &&(PathBuf, Runs)| is_own(place, &paper.about.key);
        let count = self.each.iter().filter(own).count();
        (count > 0 && count < self.each.len()).then(|| {
            let mut all = Runs::default();
            for (_, runs) in self.each.iter().filter(|one| !own(one)) {
                all.add_all(runs.clone());
            }
            all
        })
    }

    /// The variants of the rows of a run, if these are not all that were asked for.
    fn some_variants(&self, run: &Run) -> Option<String> {
        let own: BTreeSet<&str> =
            run.rows.keys().filter_map(|row| Some(row.split_once('@')?.1)).collect();
        let some = self.variants.iter().any(|variant| !own.contains(variant.as_str()));
        some.then(|| own.into_iter().collect::<Vec<_>>().join(","))
    }

    /// Which of the places has which runs under these readings, of which one is judged; nothing
    /// if there is but one place.
    pub fn origins(&self, paper: &Paper, readings: &BTreeSet<&str>, judged: &str) -> Vec<Origin> {
        let of = |(place, all): &(PathBuf, Runs)| {
            let own = is_own(place, &paper.about.key);
            let all = if own { &run_there(paper, all, judged) } else { all };
            let mut runs: Vec<Own> = Vec::new();
            for run in all.0.iter().filter(|run| own && readings.contains(run.reading.as_str())) {
                let at = self.some_variants(run);
                match runs.iter_mut().find(|own| own.reading == run.reading && own.at == at) {
                    Some(own) => drop(own.seeds.insert(run.seed)),
                    None => {
                        let (reading, seeds) = (run.reading.clone(), BTreeSet::from([run.seed]));
                        runs.push(Own { reading, at, seeds });
                    }
                }
            }
            let recorded = self.recorded(paper).filter(|_| own);
            let known = recorded.map_or((0, 0), |recorded| all.same_as(&recorded));
            let place = place.display().to_string();
            Origin { place, own, has: all.named(readings), runs, known }
        };
        if self.each.len() < 2 { Vec::new() } else { self.each.iter().map(of).collect() }
    }
}

/// Whether a reading, or all that are combined in it, only counts in another way what the base's
/// runs did.
pub fn only_counts(paper: &Paper, name: &str) -> bool {
    let counts = |name: &str| {
        let known = paper.readings.iter().find(|reading| reading.name == name);
        known.is_some_and(|reading| reading.set.is_empty() && reading.when.is_empty())
    };
    name.split('+').all(counts)
}

/// Without what a reading only shares with the base: rows that it leaves as they are, or only
/// counts in another way, have the same stored result, and nobody ran them with it. The
/// reading that is judged was asked for.
fn run_there(paper: &Paper, all: &Runs, judged: &str) -> Runs {
    let base = all.of(BASE);
    let shared = |run: &Run| {
        let counts = only_counts(paper, &run.reading);
        let same = |own: &&Run| run.is_part_of(own) || (own.seed == run.seed && counts);
        ![BASE, judged].contains(&run.reading.as_str()) && base.iter().any(same)
    };
    Runs(all.0.iter().filter(|run| !shared(run)).cloned().collect())
}

/// Every run of these rows that one of the places has.
pub fn runs(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    rows: &[Row<'_>],
) -> Result<Joined, Failure> {
    let (mut all, mut each) = (Runs::default(), Vec::new());
    for (i, source) in sources(path).into_iter().enumerate() {
        let own = recorded::runs_of(paper, &source, args, rows)?;
        let differ = all.add_all(own.clone());
        if differ > 0 && !args.how.quiet {
            let others = if i == 1 { "the first place" } else { "an earlier place" };
            say(&format!(
                "{differ} rows of {} have other numbers in {others}, which counts",
                source.display()
            ));
        }
        each.push((source, own));
    }
    let variants = rows.iter().map(|row| row.variant.name.clone()).collect();
    Ok(Joined { all, each, variants })
}

/// The means over several seeds that the first place with such ones has of the base.
pub fn mean(paper: &Paper, path: &Path, args: &ReproduceArgs) -> Option<Run> {
    sources(path).iter().find_map(|source| recorded::mean_of(paper, source, args))
}

#[cfg(test)]
mod tests {
    use tusker_papers::recorded::Measured;
    use tusker_record::stats::{Estimate, Over};

    use super::*;

    #[test]
    fn commas_stand_between_places_unless_a_folder_has_them() {
        let temp = tempfile::TempDir::new().unwrap();
        let odd = temp.path().join("a,b");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(sources(&odd), std::slice::from_ref(&odd));
        assert_eq!(sources(Path::new("papers,mine")), [Path::new("papers"), Path::new("mine")]);
        assert_eq!(sources(Path::new("papers")), [Path::new("papers")]);
        assert!(refuse_several(Path::new("papers,mine")).is_err());
    }

    #[test]
    fn a_reading_that_leaves_a_row_as_it_is_was_not_run_with_it() {
        let run = |reading: &str, seed, rows: &[(&str, f64)]| {
            let estimate = |mean| Estimate { mean, ci95: None, n: 1, over: Over::Batches };
            let measured = |mean| Measured {
                replicates: 1,
                values: [("fairness".to_owned(), estimate(mean))].into(),
                ..Measured::default()
            };
            let rows = rows.iter().map(|(id, value)| ((*id).to_owned(), measured(*value)));
            Run { reading: reading.to_owned(), seed, rows: rows.collect() }
        };
        let paper = Paper::find("ghstcp").unwrap();
        let all = Runs(vec![
            run(BASE, 11, &[("10@25", 0.8), ("31@25", 0.9)]),
            // only counts what the base's runs did
            run("count-goodput", 11, &[("10@25", 0.75)]),
            run("gared", 11, &[("10@25", 0.8)]),
            run("newreno", 11, &[("10@25", 0.7)]),
            // of this seed the base has nothing
            run("gared", 12, &[("10@25", 0.8)]),
        ]);
        let left: Vec<_> = run_there(&paper, &all, BASE)
            .0
            .into_iter()
            .map(|run| (run.reading, run.seed))
            .collect();
        let expected = [(BASE, 11), ("newreno", 11), ("gared", 12)];
        assert_eq!(left, expected.map(|(reading, seed)| (reading.to_owned(), seed)));
    }

    #[test]
    fn runs_of_ones_own_come_with_the_commands_that_make_them() {
        let own = |reading: &str, at: Option<&str>, seeds: &[u64]| Own {
            reading: reading.to_owned(),
            at: at.map(str::to_owned),
            seeds: seeds.iter().copied().collect(),
        };
        let runs = vec![
            own(BASE, None, &[1, 2, 3, 6]),
            own("newreno", None, &[1]),
            own("newreno", Some("50"), &[6, 7]),
        ];
        let has = vec!["base with seeds 1, 2, 3 and 6".to_owned()];
        let known = (6, 5);
        let mine = Origin { place: "/tmp/a/mine/".to_owned(), own: true, has, runs, known };
        assert_eq!(
            mine.commands("tusker reproduce hcc --claim x"),
            [
                "tusker reproduce hcc --claim x --seed 1 --replicates 3 --out mine",
                "tusker reproduce hcc --claim x --seed 6 --out mine",
                "tusker reproduce hcc --claim x --reading newreno --seed 1 --out mine",
                "tusker reproduce hcc --claim x --at 50 --reading newreno --seed 6 --replicates 2 \
                 --out mine",
            ]
        );
        assert_eq!(
            mine.text(mine.name()),
            "mine (own runs): base with seeds 1, 2, 3 and 6. Of 6 rows that are recorded with the \
             same reading and seed, 5 have the same values"
        );
        // one that is not named from the root is called so
        assert_eq!(Origin { place: "results/hcc".to_owned(), ..mine }.name(), "results/hcc");
    }
}
