//! The tables of a folder, as views in SQL.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use crate::{REPLICATES, tables_in};

/// Folders within folders that are looked into: those of `tusker reproduce` have five.
const DEEP: usize = 6;

/// Tables by their names, and the files of each.
#[derive(Debug, Default)]
pub struct Views(BTreeMap<String, Vec<PathBuf>>);

/// What is wrong, and the remedy.
type Wrong = (String, String);

/// All tables of a folder.
///
/// # Errors
/// If it cannot be read, or its name is a pattern in SQL.
pub fn find(dir: &Path) -> Result<Views, Wrong> {
    let wrong = |message: String, help: &str| Err((message, help.to_owned()));
    let mut views = Views::default();
    if !dir.is_dir() {
        let message = format!("{} is not a folder", dir.display());
        return wrong(message, "give one that `tusker sweep`, `plan` or `run` wrote");
    }
    views.look(dir, DEEP)?;
    let odd = |path: &&PathBuf| match path.to_str() {
        Some(text) => text.contains(['*', '?', '[']),
        None => true,
    };
    if let Some(path) = views.0.values().flatten().find(odd) {
        let message = format!("{} has a `*`, `?` or `[`, or is not UTF-8", path.display());
        return wrong(message, "DuckDB reads that as a pattern: rename the folder");
    }
    Ok(views)
}

impl Views {
    /// These, if there are any.
    ///
    /// # Errors
    /// If there is none in `dir`.
    pub fn some_of(self, dir: &Path) -> Result<Self, Wrong> {
        match self.0.is_empty() {
            true => Err((
                format!("there is no table in {}", dir.display()),
                "give a folder that `tusker sweep`, `plan` or `run` wrote, with Parquet or CSV in \
                 it"
                .to_owned(),
            )),
            false => Ok(self),
        }
    }

    /// Adds the tables in a folder, each of which is what was stored if a manifest names it.
    /// Links are passed over: what they lead to is in its own place, or somebody else's.
    fn look(&mut self, dir: &Path, deep: usize) -> Result<(), Wrong> {
        let failed = |error| {
            let message = format!("cannot read {}: {error}", dir.display());
            (message, "give a folder that you may read".to_owned())
        };
        let mut paths = Vec::new();
        for entry in fs::read_dir(dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !entry.file_type().map_err(failed)?.is_symlink() {
                paths.push(entry.path());
            }
        }
        paths.sort();
        let replicates = tables_in(dir).map_err(|error| {
            let help = error.help().map(|help| help.to_string());
            (error.to_string(), help.unwrap_or_default())
        })?;
        if let Some(tables) = &replicates {
            tables.iter().for_each(|path| self.add(path));
        }
        for path in &paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                // a replicate that the manifest does not name does not count
                let counted = replicates.is_some() && name == REPLICATES;
                if deep > 0 && !counted {
                    self.look(path, deep - 1)?;
                }
                continue;
            }
            if !path.is_file() {
                continue;
            }
            let end = path.extension().unwrap_or_default();
            // of two of a name, the one with types
            let typed = || paths.contains(&path.with_extension("parquet"));
            if end == "parquet" || end == "csv" && !typed() {
                self.add(path);
            }
        }
        Ok(())
    }

    /// A file, under its name: DuckDB does not tell capital letters from others.
    fn add(&mut self, path: &Path) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let same = self.0.keys().find(|name| name.to_lowercase() == stem.to_lowercase()).cloned();
        let files = self.0.entry(same.unwrap_or(stem)).or_default();
        files.push(path.to_owned());
        files.sort();
    }

    /// Statements that make them.
    pub fn sql(&self) -> String {
        let mut sql = String::new();
        for (name, paths) in &self.0 {
            let name = name.replace('"', "\"\"");
            let more = if paths.len() > 1 { ", union_by_name = true, filename = true" } else { "" };
            let (typed, plain): (Vec<_>, Vec<_>) = paths.iter().partition(|path| is_parquet(path));
            let read = [("read_parquet", typed), ("read_csv", plain)]
                .into_iter()
                .filter(|(_, paths)| !paths.is_empty())
                .map(|(read, paths)| format!("select * from {read}({}{more})", list(paths)));
            let read = read.collect::<Vec<_>>().join(" union all by name ");
            let _ = writeln!(sql, "create view \"{name}\" as {read};");
        }
        sql
    }

    /// Statements after which nothing else can be read, and nothing be written or changed.
    pub fn guard(&self) -> String {
        format!(
            "set allowed_paths = {};\nset enable_external_access = false;\n\
             set lock_configuration = true;\n",
            list(self.0.values().flatten())
        )
    }

    /// Whether there is one of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Their names.
    pub fn names(&self) -> String {
        self.0.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// A path as text in SQL.
pub fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "''"))
}

fn list<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let paths = paths.into_iter().map(|path| quoted(path));
    format!("[{}]", paths.collect::<Vec<_>>().join(", "))
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "parquet")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_name_are_one_table_and_quotes_stay_text() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("it's");
        for path in ["a/flows.parquet", "b/flows.parquet", "a/links.csv", ".hidden/x.csv"] {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        // the same table twice
        fs::write(dir.join("a/links.parquet"), "").unwrap();
        let views = find(&dir).unwrap();
        assert_eq!(views.names(), "flows, links");
        let place = dir.display().to_string().replace('\'', "''");
        let flows = format!(
            "create view \"flows\" as select * from read_parquet(['{place}/a/flows.parquet', \
             '{place}/b/flows.parquet'], union_by_name = true, filename = true);\n"
        );
        let links = format!(
            "create view \"links\" as select * from read_parquet(['{place}/a/links.parquet']);\n"
        );
        assert_eq!(views.sql(), flows + &links);
    }
}
