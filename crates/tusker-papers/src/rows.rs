//! Rows, readings, and the scenario of each row.

use std::collections::{BTreeMap, BTreeSet};

use tusker_lab::suite::claims::Rows;
use tusker_scenario::Scenario;

use crate::paper::{Case, Error, Paper, Reading, Variant};

/// One row of a paper's tables: a case at a variant.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The case.
    pub case: &'a Case,
    /// The variant at which it is run.
    pub variant: &'a Variant,
}

impl Row<'_> {
    /// Its name: `7@50`.
    pub fn id(&self) -> String {
        format!("{}@{}", self.case.id, self.variant.name)
    }
}

/// Which rows are selected: those in every list; an empty list selects all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Tables.
    pub tables: Vec<String>,
    /// Cases.
    pub cases: Vec<String>,
    /// Variants.
    pub at: Vec<String>,
}

impl Selection {
    /// Whether it selects all.
    pub fn is_all(&self) -> bool {
        self.tables.is_empty() && self.cases.is_empty() && self.at.is_empty()
    }
}

/// One or several readings combined.
#[derive(Clone, Debug)]
pub struct Taken<'a> {
    readings: Vec<&'a Reading>,
    /// Changes from the command line.
    sets: Vec<String>,
}

/// The name of the base among the readings.
pub const BASE: &str = "base";

impl Rows for Paper {
    fn variants(&self) -> Vec<String> {
        self.cases.variant.values.iter().map(|variant| variant.name.clone()).collect()
    }

    fn ids(&self) -> BTreeSet<String> {
        self.rows().iter().map(Row::id).collect()
    }
}

impl Paper {
    /// All rows, in the order of the tables.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let values = &self.cases.variant.values;
        let cases = self.cases.cases.iter();
        let rows = cases.flat_map(|case| values.iter().map(move |variant| Row { case, variant }));
        rows.filter(|row| row.case.is_at(&row.variant.name)).collect()
    }

    /// The seed of the base scenario.
    ///
    /// # Errors
    /// If the base is not a valid scenario.
    pub fn seed(&self) -> Result<u64, tusker_scenario::Error> {
        let name = format!("papers/{}/scenario.toml", self.about.key);
        Ok(Scenario::parse(&name, &self.scenario, &[])?.seed.unwrap_or(1))
    }

    /// The first rows that together cover all choices of the cases: every congestion
    /// control, every queue, and so on.
    pub fn sample(&self) -> Vec<Row<'_>> {
        let mut lacking: BTreeSet<(&String, &String)> =
            self.cases.cases.iter().flat_map(|case| &case.choose).collect();
        let mut rows = self.rows();
        rows.retain(|row| row.case.choose.iter().filter(|c| lacking.remove(c)).count() > 0);
        rows
    }

    /// Changes to a row for a quick look.
    pub fn quick<'a>(&'a self, row: &Row<'a>) -> &'a [String] {
        let own = row.case.quick.as_deref().or(row.variant.quick.as_deref());
        own.unwrap_or(&self.about.quick)
    }

    /// The same on real sockets.
    pub fn quick_on_testbed<'a>(&'a self, row: &Row<'a>) -> &'a [String] {
        let own = &self.about.testbed.quick;
        if own.is_empty() { self.quick(row) } else { own }
    }

    /// The selected rows.
    ///
    /// # Errors
    /// If the paper has no such name, or no row is selected.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Row<'_>>, Error> {
        let cases = || self.cases.cases.iter();
        let check = |flag: &str, wanted: &[String], all: Vec<&str>| {
            wanted.iter().try_for_each(|name| {
                if all.contains(&name.as_str()) {
                    return Ok(());
                }
                let mut all = all.clone();
                all.dedup();
                let place = format!("--{flag} {name}");
                Err(Error::new(place, format!("{} does not have it", self.about.key), listed(&all)))
            })
        };
        check("table", &selection.tables, cases().map(|case| case.table.as_str()).collect())?;
        check("case", &selection.cases, cases().map(|case| case.id.as_str()).collect())?;
        let variants = self.cases.variant.values.iter().map(|v| v.name.as_str()).collect();
        check("at", &selection.at, variants)?;
        let mut rows = self.rows();
        let meant = |wanted: &[String], name: &String| wanted.is_empty() || wanted.contains(name);
        rows.retain(|row| {
            meant(&selection.tables, &row.case.table)
                && meant(&selection.cases, &row.case.id)
                && meant(&selection.at, &row.variant.name)
        });
        if rows.is_empty() {
            let given = [
                ("--table", &selection.tables),
                ("--case", &selection.cases),
                ("--at", &selection.at),
            ];
            let given = given.iter().filter(|(_, names)| !names.is_empty());
            let given: Vec<String> =
                given.map(|(flag, names)| format!("{flag} {}", names.join(","))).collect();
            let message = format!("{} has no row that is in all of these", self.about.key);
            let help = "each of --table, --case and --at narrows the selection: leave one out";
            return Err(Error::new(given.join(" "), message, help));
        }
        Ok(rows)
    }

    /// The readings with these names; no name, or `base`, gives the base.
    ///
    /// # Errors
    /// If there is no reading of that name.
    pub fn take(&self, names: &[String], sets: &[String]) -> Result<Taken<'_>, Error> {
        let mut readings = Vec::new();
        for name in names.iter().filter(|name| *name != BASE) {
            let found = self.readings.iter().find(|reading| reading.name == *name);
            readings.push(found.ok_or_else(|| {
                let all: Vec<&str> = self.readings.iter().map(|r| r.name.as_str()).collect();
                Error::new(format!("--reading {name}"), "no such reading", listed(&all))
            })?);
        }
        Ok(Taken { readings, sets: sets.to_vec() })
    }

    /// What a row changes in the base under a reading, in order, with further changes.
    pub fn changes(&self, row: &Row<'_>, taken: &Taken<'_>, more: &[String]) -> Vec<String> {
        let mut sets = row.variant.set.clone();
        for (what, name) in &row.case.choose {
            sets.extend_from_slice(&self.cases.choose[what][name]);
        }
        sets.extend(taken.sets_of(&row.case.choose));
        sets.extend_from_slice(more);
        sets.extend_from_slice(&taken.sets);
        sets
    }

    /// The scenario of a row under a reading, with further changes.
    ///
    /// # Errors
    /// If a change does not fit the scenario.
    pub fn scenario(
        &self,
        row: &Row<'_>,
        taken: &Taken<'_>,
        changes: &[String],
    ) -> Result<Scenario, tusker_scenario::Error> {
        let sets = self.changes(row, taken, changes);
        let name = format!("papers/{}/scenario.toml", self.about.key);
        let mut scenario = Scenario::parse(&name, &self.scenario, &sets)?;
        let choices: Vec<&str> = row.case.choose.values().map(String::as_str).collect();
        let Paper { about, cases, .. } = self;
        scenario.title = Some(format!(
            "{}, Case {} at {} {}: {}",
            about.key,
            row.case.id,
            row.variant.name,
            cases.variant.unit,
            choices.join(", ")
        ));
        Ok(scenario)
    }
}

impl Taken<'_> {
    /// The base reading of `scenario.toml`, with these changes.
    pub fn with(sets: &[String]) -> Self {
        Self { readings: Vec::new(), sets: sets.to_vec() }
    }

    /// The base reading of `scenario.toml`, without changes.
    pub fn is_base(&self) -> bool {
        self.readings.is_empty() && self.sets.is_empty()
    }

    /// Their names joined together.
    pub fn name(&self) -> String {
        let mut names: Vec<&str> = self.readings.iter().map(|r| r.name.as_str()).collect();
        if names.is_empty() {
            names.push(BASE);
        }
        let sets: String = self.sets.iter().map(|set| format!(" --set {set}")).collect();
        names.join("+") + &sets
    }

    /// The names of the readings joined together, without other changes.
    pub fn readings(&self) -> String {
        let names = self.readings.iter().map(|reading| reading.name.as_str());
        names.collect::<Vec<&str>>().join("+")
    }

    /// Why they are possible.
    pub fn why(&self) -> Vec<String> {
        self.readings.iter().map(|reading| reading.why.clone()).collect()
    }

    /// Every change that they make anywhere, as written, once each: several kinds of rows
    /// may have the same.
    pub fn changes(&self) -> Vec<String> {
        let mut changes: Vec<String> = Vec::new();
        for reading in &self.readings {
            changes.extend(reading.set.iter().cloned());
            changes.extend(reading.when.iter().flat_map(|when| when.set.iter().cloned()));
            changes.extend(reading.measures.iter().map(|(name, of)| format!("{name} = {of}")));
        }
        changes.extend(self.sets.iter().cloned());
        let mut seen = BTreeSet::new();
        changes.retain(|change| seen.insert(change.clone()));
        changes
    }

    /// Whether a measure is found elsewhere than where `suite.toml` says.
    pub fn counts_otherwise(&self) -> bool {
        self.readings.iter().any(|reading| !reading.measures.is_empty())
    }

    /// Where to find a measure, if not where `suite.toml` says.
    pub fn source(&self, measure: &str) -> Option<&str> {
        self.readings.iter().rev().find_map(|r| r.measures.get(measure)).map(String::as_str)
    }

    pub(crate) fn sets_of(&self, choose: &BTreeMap<String, String>) -> Vec<String> {
        let mut sets = Vec::new();
        for reading in &self.readings {
            sets.extend_from_slice(&reading.set);
            for when in &reading.when {
                let fits = |(what, names): (&String, &Vec<String>)| {
                    choose.get(what).is_some_and(|name| names.contains(name))
                };
                if when.chose.iter().all(fits) {
                    sets.extend_from_slice(&when.set);
                }
            }
        }
        sets
    }
}

fn listed(names: &[&str]) -> String {
    format!("there are {}", names.join(", "))
}
