//! A folder with a recording from the kernel.
//!
//! ```text
//! watched/
//!   watched.json     the law and its connections, and a hash of the table (schema:
//!                    `tusker schema watched`)
//!   series.parquet   time, connection, quantity, value
//!   report.html      the page made of both, once `tusker report` was asked for it
//! ```
//!
//! The first two are written when the watch ends, `watched.json` last: it is what makes the
//! folder a recording.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::columns::Columns;
use super::tables::{NARROW, Parts, parts};
use super::{
    Error, Format, LOCK, Lock, REPORT, io_error, listed, read, seal, synced, write, write_whole,
};
use crate::files;
use tusker_measure::watched::{FORMAT, Moment, SeriesFile, Watched};

/// The file that makes a folder a recording.
const FILE: &str = "watched.json";

/// Name of the table, without its extension.
const SERIES: &str = "series";

/// Whether this is such a folder.
pub fn is_watched(dir: &Path) -> bool {
    dir.join(FILE).is_file()
}

/// Whether its file was written by tusker, as far as it can be seen: it may be damaged.
fn is_ours(dir: &Path) -> bool {
    let text = files::read(&dir.join(FILE)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let keys = ["\"connections\": [", "\"series\": {", "\"check\": \""];
    keys.iter().filter(|key| text.contains(**key)).count() > 1
}

/// A folder that is locked until a recording is saved in it.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    format: Format,
    lock: Lock,
    /// It did not exist before.
    made: bool,
    saved: bool,
}

impl Store {
    /// Opens a folder, creating it if necessary. Its contents stay until
    /// [`Self::save`].
    ///
    /// # Errors
    /// If it is not empty (an earlier recording is accepted if `replace` is set), if
    /// another process has it, or if it cannot be written.
    pub fn open(dir: &Path, format: Format, replace: bool) -> Result<Self, Error> {
        let made = !dir.exists();
        match is_watched(dir) {
            _ if listed::remnants(dir)? => {}
            true if !is_ours(dir) => return Err(Error::NotOurs(dir.join(FILE))),
            true if !replace => return Err(Error::Watched(dir.to_owned())),
            true => {}
            false => return Err(Error::Foreign(dir.to_owned())),
        }
        listed::page(&dir.join(REPORT))?;
        let lock = Lock::take(dir)?;
        let store = Self { dir: dir.to_owned(), format, lock, made, saved: false };
        let probe = files::can_write_beside(&store.dir.join(FILE));
        probe.map_err(io_error("write", dir))?;
        Ok(store)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Saves a recording with the moments of each connection, replacing an earlier
    /// one.
    ///
    /// # Errors
    /// If something cannot be written, or the folder was removed.
    pub fn save(mut self, mut watched: Watched, moments: &[Vec<Moment>]) -> Result<(), Error> {
        if !self.lock.holds() {
            return Err(Error::Lost(self.dir.clone()));
        }
        let file = format!("{SERIES}.{}", self.format.extension());
        let path = self.dir.join(&file);
        let table = files::partial(&path).map_err(io_error("create", &path))?;
        let parts = series(&watched, moments);
        let hash = write::to(table.as_file(), &path, self.format, parts, &|| false)?;
        // from here on the earlier recording no longer counts
        for old in [FILE, "series.parquet", "series.csv", REPORT] {
            let path = self.dir.join(old);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error("remove", &path)(error));
                }
                _ => {}
            }
        }
        table.persist(&path).map_err(|failed| io_error("create", &path)(failed.error))?;
        synced(&self.dir)?;
        watched.series = SeriesFile { file, hash };
        watched.check = String::new();
        write_whole(&self.dir.join(FILE), seal::sealed(&watched).as_bytes())?;
        self.saved = true;
        Ok(())
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.made && !self.saved {
            // only what was just made: the second removes no more than an empty folder
            let _ = fs::remove_file(self.dir.join(LOCK));
            let _ = fs::remove_dir(&self.dir);
        }
    }
}

/// The contents of a folder.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The folder.
    pub dir: PathBuf,
    /// The recording.
    pub watched: Watched,
    /// The time series.
    pub series: Vec<Series>,
}

/// A quantity of a connection over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Index of the connection in [`Watched::connections`].
    pub connection: usize,
    /// The quantity, one of [`Watched::quantities`].
    pub quantity: String,
    /// Seconds since the watching began, in order, and values.
    pub points: Vec<(f64, f64)>,
}

impl Stored {
    /// Reads a folder and checks its hashes.
    ///
    /// # Errors
    /// If it holds no recording, or the recording is damaged.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let watched = Self::head(dir)?;
        let series = read_series(dir, &watched)?;
        Ok(Self { dir: dir.to_owned(), watched, series })
    }

    fn head(dir: &Path) -> Result<Watched, Error> {
        let path = dir.join(FILE);
        let text = match files::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NoResults(dir.to_owned()));
            }
            read => read.map_err(io_error("read", &path))?,
        };
        let value: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        let format = value.as_ref().and_then(|value| value.get("format")?.as_u64());
        if let Some(format) = format.filter(|format| *format != u64::from(FORMAT)) {
            let cause = format!("its format is {format}, not {FORMAT}");
            return Err(Error::OtherFormat { path, cause });
        }
        let read: Option<Watched> = serde_json::from_slice(&text).ok();
        read.filter(|_| seal::holds(&text))
            .ok_or_else(|| damaged(path, "its check sum does not match its contents"))
    }
}

fn damaged(path: PathBuf, cause: &'static str) -> Error {
    let help = "a recording cannot be repeated: restore the folder from a copy, or \
    watch again";
    Error::Damaged { path, cause, help: help.to_owned() }
}

/// The table, without the times at which a quantity has no value.
fn series<'a>(watched: &'a Watched, moments: &'a [Vec<Moment>]) -> Parts<'a> {
    let names: Vec<String> = watched.quantities().map(str::to_owned).collect();
    let all = watched.connections.iter().zip(moments);
    let rows = all.flat_map(|(connection, moments)| {
        moments.iter().flat_map(move |moment| {
            let values = moment.values.iter().enumerate().filter(|(_, value)| value.is_finite());
            let time = moment.time_us as f64 / 1e6;
            values.map(move |(i, &value)| (time, connection.number, i as u32, value))
        })
    });
    parts(rows, NARROW, move |rows| {
        let mut table = Columns::default();
        table.float("time_s", rows.iter().map(|row| Some(row.0)));
        table.int("connection", rows.iter().map(|row| u64::from(row.1)));
        table.labels("quantity", names.clone(), rows.iter().map(|row| row.2).collect());
        table.float("value", rows.iter().map(|row| Some(row.3)));
        table
    })
}

/// The path of the table, which is what was stored.
fn table(dir: &Path, watched: &Watched) -> Result<PathBuf, Error> {
    // a name that leads out of the folder was not written by us
    let known = ["series.parquet", "series.csv"];
    let file = known.iter().find(|name| **name == watched.series.file);
    let path = dir.join(file.ok_or_else(|| damaged(dir.join(FILE), "it names no table"))?);
    match files::hash_file(&path) {
        Ok(own) if own == watched.series.hash => Ok(path),
        Ok(_) => Err(damaged(path, "it has changed since it was stored")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(damaged(path, "it is missing"))
        }
        Err(error) => Err(io_error("read", &path)(error)),
    }
}

fn read_series(dir: &Path, watched: &Watched) -> Result<Vec<Series>, Error> {
    let path = table(dir, watched)?;
    let names: Vec<&str> = watched.quantities().collect();
    let empty = |connection: usize| {
        let series = move |name: &&str| {
            let quantity = (*name).to_owned();
            Series { connection, quantity, points: Vec::new() }
        };
        names.iter().map(series).collect::<Vec<_>>()
    };
    let mut all: Vec<Series> = (0..watched.connections.len()).flat_map(empty).collect();
    let (mut stray, columns) = (false, ["time_s", "connection", "value"]);
    let mut row = |texts: &[&str], numbers: &[f64]| {
        let place = names.iter().position(|name| *name == texts[0]);
        // numbers are from 1; what is below saturates
        let number = numbers[1] as usize;
        let place = place.zip(number.checked_sub(1)).map(|(i, c)| c * names.len() + i);
        match place.and_then(|place| all.get_mut(place)) {
            Some(series) => series.points.push((numbers[0], numbers[2])),
            None => stray = true,
        }
    };
    read::rows(&path, read::MOST, &["quantity"], &columns, &mut row)
        .map_err(io_error("read", &path))?;
    let in_order = |series: &Series| series.points.is_sorted_by(|a, b| a.0 <= b.0);
    if stray || !all.iter().all(in_order) {
        return Err(damaged(path, "its rows do not match watched.json"));
    }
    all.retain(|series| !series.points.is_empty());
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_measure::watched::Watching;

    fn watched() -> (Watched, Vec<Vec<Moment>>) {
        let mut watching = Watching::new(vec!["tusker".to_owned(), "kernel".to_owned()]);
        let lines = include_str!("../../tusker-measure/src/watched/fixture.jsonl").lines();
        lines.for_each(|line| watching.hear(line).unwrap());
        watching.finish()
    }

    fn save(dir: &Path, format: Format, replace: bool) -> Result<(), Error> {
        let (watched, moments) = watched();
        Store::open(dir, format, replace)?.save(watched, &moments)
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let temp = tempfile::tempdir().unwrap();
        for format in [Format::Csv, Format::default()] {
            let dir = temp.path().join(format.extension());
            assert!(!is_watched(&dir));
            save(&dir, format, false).unwrap();
            assert!(is_watched(&dir));
            let stored = Stored::read(&dir).unwrap();
            let own =
                Watched { series: SeriesFile::default(), check: String::new(), ..watched().0 };
            let bare = Watched {
                series: SeriesFile::default(),
                check: String::new(),
                ..stored.watched.clone()
            };
            assert_eq!(bare, own);
            let points = |connection: usize, quantity: &str| {
                let of = |s: &&Series| s.connection == connection && s.quantity == quantity;
                &stored.series.iter().find(of).unwrap().points
            };
            // lines 2, 5 and 7 of the fixture; ssthresh has no value before the last
            assert_eq!(
                points(0, "cwnd")[..3],
                [(0.694434, 11.0), (0.706411, 16.0), (0.713695, 16.0)]
            );
            assert_eq!(points(0, "ssthresh")[0], (0.713695, 7.0));
            assert_eq!((points(0, "cwnd").len(), points(1, "cwnd").len()), (19, 2));
            assert!(!stored.series.iter().any(|s| s.connection == 1 && s.quantity == "ssthresh"));
        }
    }

    #[test]
    fn nothing_is_replaced_unasked() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("w");
        save(&dir, Format::Csv, false).unwrap();
        let before = fs::read(dir.join(FILE)).unwrap();
        assert!(matches!(save(&dir, Format::Csv, false), Err(Error::Watched(_))));
        // it stays until there is something in its place
        drop(Store::open(&dir, Format::Csv, true).unwrap());
        assert_eq!(fs::read(dir.join(FILE)).unwrap(), before);
        let page = "<!doctype html>\n<meta name=\"generator\" content=\"tusker 0.1\">";
        fs::write(dir.join(REPORT), page).unwrap();
        save(&dir, Format::default(), true).unwrap();
        assert!(!dir.join(REPORT).exists(), "a page of what is gone");
        Stored::read(&dir).unwrap();

        let foreign = temp.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("thesis.tex"), "").unwrap();
        for replace in [false, true] {
            let opened = Store::open(&foreign, Format::Csv, replace);
            assert!(matches!(opened, Err(Error::Foreign(_))));
        }
    }

    #[test]
    fn a_folder_in_which_nothing_was_saved_goes_again() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("w");
        let store = Store::open(&dir, Format::Csv, false).unwrap();
        assert!(matches!(Store::open(&dir, Format::Csv, false), Err(Error::InUse(_))));
        drop(store);
        assert!(!dir.exists());
    }

    #[test]
    fn damage_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("w");
        let table = dir.join("series.csv");
        let damage = |path: &Path, from: &str, to: &str| {
            save(&dir, Format::Csv, true).unwrap();
            let text = fs::read_to_string(path).unwrap();
            assert!(text.contains(from), "{from}");
            fs::write(path, text.replacen(from, to, 1)).unwrap();
            Stored::read(&dir).unwrap_err()
        };
        let error = damage(&table, "0.694434,1,cwnd,11", "0.694434,1,cwnd,12");
        assert!(matches!(&error, Error::Damaged { path, .. } if *path == table), "{error}");
        let file = dir.join(FILE);
        let error = damage(&file, "\"shrinks\": 6", "\"shrinks\": 5");
        assert!(matches!(&error, Error::Damaged { path, .. } if *path == file), "{error}");
        let error = damage(&file, "\"format\": 1", "\"format\": 7");
        assert!(error.to_string().contains("format is 7, not 1"), "{error}");
        save(&dir, Format::Csv, true).unwrap();
        fs::remove_file(&table).unwrap();
        assert!(Stored::read(&dir).unwrap_err().to_string().contains("is missing"));
        fs::remove_file(&file).unwrap();
        assert!(matches!(Stored::read(&dir), Err(Error::NoResults(_))));
    }

    /// Even with forged hashes, the worst that can happen is an error.
    #[test]
    fn a_forged_folder_is_an_error_at_worst() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("w");
        for (from, to) in [
            ("0.694434,1,cwnd", "0.694434,3,cwnd"),
            ("0.694434,1,cwnd", "0.694434,0,cwnd"),
            ("0.694434,1,cwnd", "0.694434,1,dance"),
            ("0.694434,1,cwnd", "9.694434,1,cwnd"),
        ] {
            save(&dir, Format::Csv, true).unwrap();
            let path = dir.join("series.csv");
            let text = fs::read_to_string(&path).unwrap().replacen(from, to, 1);
            fs::write(&path, &text).unwrap();
            let mut watched = Stored::read(&dir).map(|s| s.watched).unwrap_or_else(|_| {
                serde_json::from_slice(&fs::read(dir.join(FILE)).unwrap()).unwrap()
            });
            watched.series.hash = crate::hash(text.as_bytes());
            watched.check = String::new();
            fs::write(dir.join(FILE), seal::sealed(&watched)).unwrap();
            let error = Stored::read(&dir).unwrap_err().to_string();
            assert!(error.contains("do not match"), "{to}: {error}");
        }
    }
}
