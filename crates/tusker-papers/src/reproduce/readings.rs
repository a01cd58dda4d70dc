//! Other readings of a paper's text, and what they change.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_store::files;
use tusker_store::folder::{self, Kind};

use super::{
    Answered, Failure, File, Job, Measured, READINGS, READINGS_PAGE, ROWS, Request, Value,
};
use crate::page;
use crate::page::readings::Compared;
use crate::reproduction::Reproduction;
use crate::rows::{Row, Taken};

/// The readings of `--reading a+b`, which are combined. A comma stands between readings that
/// are run one by one, which only --compare-readings does.
pub(super) fn combined(request: &Request) -> Result<Vec<String>, Failure> {
    match request.readings.as_slice() {
        [] => Ok(Vec::new()),
        [one] => Ok(parts(one)),
        several => {
            let place = format!("--reading {}", several.join(","));
            let help = format!(
                "--reading {} combines them; --compare-readings runs each by itself",
                several.join("+")
            );
            Err(Failure::mistake(&place, format!("these are {} readings", several.len()), help))
        }
    }
}

/// The readings in `a+b`.
pub(super) fn parts(name: &str) -> Vec<String> {
    name.split('+').map(str::to_owned).collect()
}

/// Whether a reading, perhaps with further settings, has this name.
pub(super) fn is(own: &str, name: &str) -> bool {
    own.split(" --set ").next() == Some(name)
}

impl<'a> Job<'a> {
    /// The readings that were compared in a folder, as far as they are asked for.
    pub(super) fn compared_in(&self, path: &Path) -> Result<Vec<Compared>, Failure> {
        let (paper, request) = (self.paper, self.request);
        let own = path.join(&paper.about.key);
        let files = [path.to_owned(), path.join(READINGS), own.join(READINGS)];
        let file = files.iter().find(|file| file.is_file()).unwrap_or(&files[1]);
        let place = format!("--recorded {}", file.display());
        let wrong = |message: String| {
            let help = format!(
                "give a folder of results in which `tusker reproduce {} --compare-readings` ran",
                paper.about.key
            );
            Failure::mistake(&place, message, help)
        };
        let folder = file.parent().filter(|_| file.ends_with(READINGS));
        let stored =
            folder.map(|folder| folder::read(folder, Kind::Reproduction, READINGS)).transpose()?;
        let text = match stored.flatten() {
            Some(stored) => String::from_utf8_lossy(&stored).into_owned(),
            None => files::text(file).map_err(|error| wrong(error.to_string()))?,
        };
        let read: Vec<Reproduction> =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let base = read.first().cloned().ok_or_else(|| wrong("it has no reading".to_owned()))?;
        if base.paper.key != paper.about.key {
            return Err(wrong(format!("it is of the paper {}", base.paper.key)));
        }
        if base.quick != request.quick {
            let help = if request.quick { "leave out --quick" } else { "add --quick" };
            return Err(Failure::mistake(&place, "its runs have another length", help));
        }
        let there: Vec<&str> = read.iter().map(|one| one.reading.name.as_str()).collect();
        let wanted = &request.readings;
        if let Some(name) = wanted.iter().find(|name| !there.iter().any(|own| is(own, name))) {
            let help = format!("it has {}", there.join(", "));
            return Err(Failure::mistake(&place, format!("it has no reading {name}"), help));
        }
        let what = |r: &Reproduction| -> Vec<_> {
            r.rows.iter().map(|row| (row.changes.clone(), row.values.clone())).collect()
        };
        let chosen = self.chosen()?.is_some();
        let all = read.into_iter().enumerate().map(|(i, reproduction)| {
            let same = i > 0 && what(&reproduction) == what(&base);
            Compared { reproduction, same, chosen }
        });
        // the base stays, as what the others are compared with
        let all = all.enumerate().filter(|(i, one)| {
            let own = &one.reproduction.reading.name;
            *i == 0 || wanted.is_empty() || wanted.iter().any(|name| is(own, name))
        });
        Ok(all.map(|(_, one)| one).collect())
    }

    /// The rows that were asked for; nothing if these are all.
    fn chosen(&self) -> Result<Option<BTreeSet<String>>, Failure> {
        let rows = self.paper.select(&self.request.selection)?;
        let some = rows.len() < self.paper.rows().len();
        Ok(some.then(|| rows.iter().map(Row::id).collect()))
    }

    /// What is judged on every seed cannot be shown with one.
    pub(super) fn refuse_seed(&self, flag: &str) -> Result<(), Failure> {
        let message = format!("{flag} shows every seed that was recorded");
        let help = format!("leave out --seed, or {flag}");
        let error = |_| Err(Failure::mistake("--seed", message, help));
        self.request.seed.map_or(Ok(()), error)
    }

    pub(super) fn recorded_readings(&self, path: &Path) -> Result<Answered, Failure> {
        self.refuse_seed("--compare-readings")?;
        let chosen = self.chosen()?;
        let mut all = self.compared_in(path)?;
        for one in &mut all {
            if let Some(rows) = &chosen {
                one.reproduction = one.reproduction.clone().between(self.paper, rows);
            }
            one.reproduction.execution.command.clone_from(&self.request.command);
        }
        if all[0].reproduction.rows.is_empty() {
            let place = format!("--recorded {}", path.display());
            let help = "leave out --table, --case or --at";
            return Err(Failure::mistake(&place, "it has none of these rows", help));
        }
        Ok(compared(&all))
    }

    /// The readings that were asked for, together; an error if one of them would be
    /// replaced by another or by --quick.
    pub(super) fn taken(&self, rows: &[Row<'a>]) -> Result<Taken<'a>, Failure> {
        let names = combined(self.request)?;
        let taken = self.paper.take(&names, &self.request.sets)?;
        if let Some(found) = self.overruled(rows, &names) {
            return Err(found);
        }
        let base = Taken::with(&self.request.sets);
        let changes = |row: &Row<'_>, taken| self.paper.changes(row, taken, &[]);
        let same = |row: &Row<'_>| changes(row, &taken) == changes(row, &base);
        if !names.is_empty() && !taken.counts_otherwise() && rows.iter().all(same) {
            let text = format!("the reading {} changes nothing in these rows", taken.name());
            self.host.say(&text, true);
        }
        Ok(taken)
    }

    /// The error if something replaces what a reading sets.
    fn overruled(&self, rows: &[Row<'a>], names: &[String]) -> Option<Failure> {
        let found = |row: &Row<'a>| self.paper.overruled(row, names, self.shorter(row));
        rows.iter().find_map(found).map(|found| {
            let (name, key) = (found.reading, found.key);
            match found.by {
                Some(by) => Failure::mistake(
                    "--reading",
                    format!("{name} and {by} both set `{key}`"),
                    "name one of them; --compare-readings runs each by itself",
                ),
                None => Failure::mistake(
                    &format!("--reading {name}"),
                    format!("it sets `{key}`, which --quick sets as well"),
                    "leave out --quick, or this reading",
                ),
            }
        })
    }

    /// The names of these readings without those that --quick replaces, which it tells.
    pub(super) fn not_replaced(&self, rows: &[Row<'a>], names: Vec<String>) -> Vec<String> {
        let stays = |name: &String| self.overruled(rows, std::slice::from_ref(name)).is_none();
        let (kept, out): (Vec<String>, Vec<String>) = names.into_iter().partition(stays);
        if !out.is_empty() {
            let text = format!("left out, because --quick sets the same: {}", out.join(", "));
            self.host.say(&text, true);
        }
        kept
    }

    pub(super) fn readings(&self) -> Result<Answered, Failure> {
        let rows = self.paper.select(&self.request.selection)?;
        let names: Vec<String> = if self.request.readings.is_empty() {
            let all = self.paper.readings.iter().map(|reading| reading.name.clone());
            self.not_replaced(&rows, all.collect())
        } else {
            // each is run by itself
            for names in self.request.readings.iter().map(|name| parts(name)) {
                self.paper.take(&names, &[])?;
                if let Some(found) = self.overruled(&rows, &names) {
                    return Err(found);
                }
            }
            self.request.readings.clone()
        };
        let each = std::iter::once(Vec::new()).chain(names.iter().map(|name| parts(name)));
        let taken = each.map(|names| self.paper.take(&names, &self.request.sets));
        let taken: Vec<Taken<'_>> = taken.collect::<Result<_, _>>()?;
        let wanted: Vec<_> = taken.iter().map(|taken| (taken, rows.clone())).collect();
        let (measured, outcome) = self.run(&wanted, &[], ROWS)?;
        let none = Measured::default();
        let chosen = self.chosen()?;
        let one = |(i, (taken, own)): (usize, (&Taken<'_>, &Measured<'_>))| {
            let all = self.of_rows(taken, own, &none);
            Compared {
                reproduction: match &chosen {
                    Some(rows) => all.between(self.paper, rows),
                    None => all,
                },
                same: i > 0 && !taken.counts_otherwise() && own.folders == measured[0].folders,
                chosen: chosen.is_some(),
            }
        };
        let all: Vec<Compared> = taken.iter().zip(&measured).enumerate().map(one).collect();
        let mut answered = compared(&all);
        answered.files.splice(0..0, self.files(&taken[0], &measured[0], &none));
        Ok(answered.ran(outcome, &measured.iter().collect::<Vec<_>>()))
    }
}

/// Readings side by side.
fn compared(all: &[Compared]) -> Answered {
    let value = Value::Several(all.iter().map(|one| one.reproduction.clone()).collect());
    let (csv, page) = (page::readings::csv(all), page::readings::page(all));
    let files = vec![
        File::Data(READINGS.to_owned(), value.json()),
        File::Page(READINGS_PAGE.to_owned(), Box::new(page.clone())),
    ];
    Answered { files, ..Answered::new(value, csv, page) }
}
