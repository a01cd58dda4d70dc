//! The runs on which conclusions are judged: `conclusions.csv` has one line per row, seed and
//! reading, as printed by `tusker reproduce PAPER --conclusions --format csv`. The base with
//! the paper's own seed may be left out of this file if `full.csv` has one run of each row. The
//! last column says whether phase effects decide the row (`yes` or `no`); it is empty or left
//! out if that is not known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tusker_lab::suite::claims::Operand;
use tusker_measure::stats::{Estimate, Over};

use crate::paper::Paper;
use crate::recorded::{self, Measured};
use crate::rows::{BASE, Row};

/// The column that says whether phase effects decide a row.
const PHASE: &str = "phase_effects";

/// Rows that were run under one reading with one seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The reading, or `base`.
    pub reading: String,
    /// The seed.
    pub seed: u64,
    /// The measured values, by row.
    pub rows: BTreeMap<String, Measured>,
}

impl Run {
    /// The estimate of a measure of a row.
    pub(super) fn estimate(&self, operand: &Operand) -> Option<(&Measured, Estimate)> {
        let measured = self.rows.get(&operand.row.to_string())?;
        Some((measured, *measured.values.get(&operand.measure)?))
    }

    /// Whether all of these rows were measured.
    pub fn has(&self, operands: &[Operand]) -> bool {
        operands.iter().all(|operand| self.estimate(operand).is_some())
    }
}

/// All recorded runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs(pub Vec<Run>);

impl Runs {
    /// What `full.csv` or a folder of results has of the base, and what `conclusions.csv`
    /// adds. Means over several seeds are a run of their own, for rows of which no single run
    /// is known.
    pub fn joined(base: Run, mut more: Self) -> Self {
        let Run { reading, seed, rows } = base;
        let (single, means): (BTreeMap<_, _>, BTreeMap<_, _>) =
            rows.into_iter().partition(|(_, measured)| measured.replicates <= 1);
        let place = more.0.iter().position(|run| run.reading == reading && run.seed == seed);
        match place {
            Some(at) => {
                for (row, measured) in single {
                    more.0[at].rows.entry(row).or_insert(measured);
                }
            }
            None => more.0.insert(0, Run { reading: reading.clone(), seed, rows: single }),
        }
        if !means.is_empty() {
            more.0.push(Run { reading, seed, rows: means });
        }
        more
    }

    /// Adds rows that were run under a reading with a seed.
    pub fn add(&mut self, reading: &str, seed: u64, rows: BTreeMap<String, Measured>) {
        match self.0.iter_mut().find(|run| run.reading == reading && run.seed == seed) {
            Some(run) => run.rows.extend(rows),
            None => self.0.push(Run { reading: reading.to_owned(), seed, rows }),
        }
    }

    /// Those under one reading, one for each seed.
    pub fn of(&self, reading: &str) -> Vec<&Run> {
        self.0.iter().filter(|run| run.reading == reading).collect()
    }

    /// The readings other than the base, in the order of the runs.
    pub fn readings(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for run in &self.0 {
            if run.reading != BASE && !names.contains(&run.reading.as_str()) {
                names.push(&run.reading);
            }
        }
        names
    }

    /// As CSV: the measures of `paper` that its conclusions compare, with six digits.
    pub fn to_csv(&self, paper: &Paper) -> String {
        let operands: Vec<_> =
            paper.conclusions.conclusions.iter().flat_map(|one| one.operands(paper)).collect();
        let used: BTreeSet<&str> = operands.iter().map(|o| o.measure.as_str()).collect();
        let needed: BTreeSet<String> = operands.iter().map(|o| o.row.to_string()).collect();
        let variant = &paper.cases.variant.name;
        let measures = paper.about.measures.iter().map(|measure| measure.name.as_str());
        let measures: Vec<&str> = measures.filter(|name| used.contains(name)).collect();
        let measured = || self.0.iter().flat_map(|run| run.rows.values());
        let phase = measured().any(|own| own.in_step.is_some());
        let more = if phase { format!(",{PHASE}") } else { String::new() };
        let mut text = format!("reading,seed,case,{variant},{}{more}\n", measures.join(","));
        for Run { reading, seed, rows } in &self.0 {
            for row in paper.rows().iter().filter(|row| needed.contains(&row.id())) {
                let measured = rows.get(&row.id()).filter(|own| own.replicates <= 1);
                let Some(measured) = measured else { continue };
                let Row { case, variant } = row;
                let _ = write!(text, "{reading},{seed},{},{}", case.id, variant.name);
                for name in &measures {
                    let value = measured.values.get(*name).map(|own| digits(own.mean));
                    let _ = write!(text, ",{}", value.unwrap_or_default());
                }
                if phase {
                    text += match measured.in_step {
                        Some(true) => ",yes",
                        Some(false) => ",no",
                        None => ",",
                    };
                }
                text.push('\n');
            }
        }
        text
    }

    /// Parses the CSV.
    ///
    /// # Errors
    /// What is wrong, and in which line.
    pub fn read(text: &str, variant: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let [reading, seed, case, at, measures @ ..] = head.as_slice() else {
            return Err("it has fewer than four columns".to_owned());
        };
        if [*reading, *seed, *case, *at] != ["reading", "seed", "case", variant] {
            return Err(format!("its first columns are not reading,seed,case,{variant}"));
        }
        let mut runs: Vec<Run> = Vec::new();
        for (i, line) in lines.enumerate() {
            let place = |message: String| format!("line {}: {message}", i + 2);
            let cells: Vec<&str> = line.split(',').collect();
            if cells.len() != head.len() {
                return Err(place(format!("{} cells, not {}", cells.len(), head.len())));
            }
            let no_number = |cell: &str| place(format!("`{cell}` is not a number"));
            let seed: u64 = cells[1].parse().map_err(|_| no_number(cells[1]))?;
            let mut measured = Measured { replicates: 1, ..Measured::default() };
            for (name, cell) in measures.iter().zip(&cells[4..]).filter(|(_, c)| !c.is_empty()) {
                if *name == PHASE {
                    measured.in_step = Some(match *cell {
                        "yes" => true,
                        "no" => false,
                        _ => return Err(place(format!("`{cell}` is not yes or no"))),
                    });
                    continue;
                }
                let mean = cell.parse().map_err(|_| no_number(cell))?;
                let own = Estimate { mean, ci95: None, n: 1, over: Over::Batches };
                measured.values.insert((*name).to_owned(), own);
            }
            let same = |run: &&mut Run| run.reading == cells[0] && run.seed == seed;
            let id = format!("{}@{}", cells[2], cells[3]);
            match runs.iter_mut().find(same) {
                Some(run) => run.rows.insert(id, measured),
                None => {
                    let rows = BTreeMap::from([(id, measured)]);
                    runs.push(Run { reading: cells[0].to_owned(), seed, rows });
                    None
                }
            };
        }
        Ok(Self(runs))
    }
}

impl Paper {
    /// The runs on which conclusions are judged: the full set, and those recorded beside
    /// it.
    pub fn recorded_runs(&self) -> Runs {
        let variant = &self.cases.variant.name;
        let rows = self.full_csv.as_deref().and_then(|csv| recorded::read(csv, variant).ok());
        let seed = self.seed().unwrap_or(1);
        // `check` has reported a file that cannot be read
        let more = self.conclusions_csv.as_deref();
        let more = more.and_then(|text| Runs::read(text, variant).ok()).unwrap_or_default();
        let base = rows.map(|rows| Run { reading: BASE.to_owned(), seed, rows });
        base.map_or_else(|| more.clone(), |base| Runs::joined(base, more.clone()))
    }

    /// The rows that conclusions need, in the order of the tables.
    pub fn rows_of_conclusions(&self) -> Vec<Row<'_>> {
        let operands = self.conclusions.conclusions.iter().flat_map(|one| one.operands(self));
        let needed: BTreeSet<String> = operands.map(|operand| operand.row.to_string()).collect();
        self.rows().into_iter().filter(|row| needed.contains(&row.id())).collect()
    }
}

/// With six significant digits, without trailing zeros.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_back_as_they_were_printed() {
        let text = "reading,seed,case,delay,utilisation,fairness\n\
                    base,2,1,50,75.25,0.9\n\
                    base,2,2,50,70,\n\
                    newreno,1,1,50,80,0.8\n";
        let runs = Runs::read(text, "delay").unwrap();
        assert_eq!(runs.readings(), ["newreno"]);
        let base = runs.of(BASE);
        assert_eq!((base.len(), base[0].seed, base[0].rows.len()), (1, 2, 2));
        assert_eq!(base[0].rows["1@50"].values["utilisation"].mean, 75.25);
        assert!(!base[0].rows["2@50"].values.contains_key("fairness"));
        for (broken, error) in [
            (text.replace("75.25", "x"), "line 2: `x` is not a number"),
            (text.replace(",70,", ",70"), "line 3: 5 cells, not 6"),
            (text.replace("seed", "sed"), "its first columns are not reading,seed,case,delay"),
        ] {
            assert_eq!(Runs::read(&broken, "delay").unwrap_err(), error);
        }
    }

    /// Two rows of ghstcp that its conclusions need; of the second it is not known.
    #[test]
    fn phase_effects_are_printed_and_read_where_they_are_known() {
        let paper = Paper::find("ghstcp").unwrap();
        let text = "reading,seed,case,delay,fairness,phase_effects\n\
                    base,1,4,50,0.6,yes\nbase,1,7,50,0.9,\nbase,2,4,50,0.6,no\n";
        let runs = Runs::read(text, "delay").unwrap();
        let phase = |run: usize, row: &str| runs.0[run].rows[row].in_step;
        assert_eq!((phase(0, "4@50"), phase(0, "7@50")), (Some(true), None));
        assert_eq!(phase(1, "4@50"), Some(false));
        assert!(!runs.0[0].rows["4@50"].values.contains_key(PHASE));
        let again = runs.to_csv(&paper);
        let ends: Vec<&str> =
            again.lines().filter_map(|line| Some(line.rsplit_once(',')?.1)).collect();
        assert_eq!(ends, ["phase_effects", "yes", "", "no"]);
        assert_eq!(Runs::read(&again, "delay").unwrap(), runs);
        let wrong = Runs::read(&text.replace("yes", "maybe"), "delay").unwrap_err();
        assert_eq!(wrong, "line 2: `maybe` is not yes or no");
    }

    /// Seeds 1 to 3 have 70, 75 and 80: their mean, 75, is not a fourth seed.
    #[test]
    fn a_mean_over_seeds_is_not_one_of_them() {
        let head = "reading,seed,case,delay,utilisation\n";
        let [first, others] = ["base,1,1,50,70\n", "base,2,1,50,75\nbase,3,1,50,80\n"];
        let read = |text: &str| Runs::read(&format!("{head}{text}"), "delay").unwrap();
        let base = |replicates, mean| {
            let over = if replicates == 1 { Over::Batches } else { Over::Replicates };
            let value = Estimate { mean, ci95: None, n: 3, over };
            let values = BTreeMap::from([("utilisation".to_owned(), value)]);
            let measured = Measured { replicates, values, ..Measured::default() };
            let rows = BTreeMap::from([("1@50".to_owned(), measured)]);
            Run { reading: BASE.to_owned(), seed: 1, rows }
        };
        // those of single seeds, and means
        let values = |runs: &Runs| {
            let rows = || runs.0.iter().filter_map(|run| run.rows.get("1@50"));
            let of = |single: bool| {
                let rows = rows().filter(|row| (row.replicates == 1) == single);
                rows.map(|row| row.values["utilisation"].mean).collect::<Vec<f64>>()
            };
            (of(true), of(false))
        };
        // every seed by itself
        let all = read(&format!("{first}{others}"));
        let joined = Runs::joined(base(3, 75.0), all);
        assert_eq!(values(&joined), (vec![70.0, 75.0, 80.0], vec![75.0]));
        // the first seed is that of full.csv
        let joined = Runs::joined(base(1, 70.0), read(others));
        assert_eq!(values(&joined), (vec![70.0, 75.0, 80.0], vec![]));
        // it is not known
        let joined = Runs::joined(base(3, 75.0), read(others));
        assert_eq!(values(&joined), (vec![75.0, 80.0], vec![75.0]));
        // nothing else is known
        let joined = Runs::joined(base(3, 75.0), Runs::default());
        assert_eq!(values(&joined), (vec![], vec![75.0]));
    }

    #[test]
    fn six_digits_are_kept() {
        assert_eq!(digits(75.123_456_7), "75.1235");
        assert_eq!(digits(1_234_567.0), "1234570");
        assert_eq!(digits(0.0), "0");
    }
}
