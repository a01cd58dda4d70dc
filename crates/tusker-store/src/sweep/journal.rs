//! The files in which a folder keeps its finished runs, and their contents.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fs4::{FileExt, TryLockError};

use super::super::folder::{self, Kind};
use super::super::{Error, io_error};
use super::RUNS;
use super::claims::{Claim, Claims};
use super::line::{self, Key, Reader, Row};
use crate::files;

/// How long written data may wait before it is synced: the most that a power loss
/// can cost. What a killed process wrote is safe at once.
const SYNC: Duration = Duration::from_secs(1);

/// The most bytes of a line: more than three million values.
const LINE: u64 = 64 << 20;

/// The finished runs of a folder, and a file that this process adds to.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    claims: Claims,
    own: Mutex<Own>,
    seen: Mutex<Seen>,
}

/// What a folder contained when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Runs.
    pub runs: usize,
    /// Damaged lines; their runs are done again.
    pub damaged: usize,
}

/// The file that this process writes.
#[derive(Debug)]
struct Own {
    number: usize,
    path: PathBuf,
    file: File,
    /// Hash of the names that were written last.
    of: Option<String>,
    synced: Instant,
}

/// What has been read so far.
#[derive(Debug, Default)]
struct Seen {
    rows: BTreeMap<Key, Arc<Row>>,
    /// The names of the values, stored once per kind of row.
    names: BTreeMap<String, Arc<[String]>>,
    /// The names that were added last, and their hash.
    last: Option<(Arc<[String]>, String)>,
    files: Vec<Other>,
}

/// A file that was read up to a place.
#[derive(Debug, Default)]
struct Other {
    read: u64,
    reader: Reader,
}

impl Journal {
    /// Opens a folder, creating it if necessary, and reads its contents.
    ///
    /// # Errors
    /// If it holds something else ([`folder::check`]), or cannot be written. On systems
    /// without locks on parts of files, also if another process has it.
    pub fn open(dir: &Path, kind: Kind) -> Result<(Self, Found), Error> {
        folder::claim(dir, kind)?;
        let folder = dir.join(RUNS);
        files::is_folder(&folder).map_err(io_error("write", &folder))?;
        fs::create_dir_all(&folder).map_err(io_error("create", &folder))?;
        let own = Own::open(dir, &folder)?;
        let claims = Claims::open(&folder)?;
        let journal = Self {
            dir: dir.to_owned(),
            claims,
            own: Mutex::new(own),
            seen: Mutex::new(Seen::default()),
        };
        journal.refresh()?;
        let seen = lock(&journal.seen);
        let damaged = seen.files.iter().map(|file| file.reader.damaged).sum();
        let found = Found { runs: seen.rows.len(), damaged };
        drop(seen);
        Ok((journal, found))
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The results of a run, if known here; [`Self::refresh`] reads those of other
    /// processes.
    pub fn row(&self, key: &Key) -> Option<Arc<Row>> {
        lock(&self.seen).rows.get(key).cloned()
    }

    /// Claims a run for this process; `None` if another one is doing it. The run
    /// may be finished already: call [`Self::refresh`] afterwards.
    ///
    /// # Errors
    /// If the system refuses locks.
    pub fn claim(&self, key: Key) -> Result<Option<Claim<'_>>, Error> {
        self.claims.take(key).map_err(io_error("lock", &self.dir.join(RUNS)))
    }

    /// Reads the runs that other processes have finished meanwhile.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn refresh(&self) -> Result<(), Error> {
        let own = lock(&self.own).number;
        let mut seen = lock(&self.seen);
        for number in 1.. {
            let path = self.dir.join(RUNS).join(name(number));
            if seen.files.len() < number {
                if !files::is_file(&path).map_err(io_error("read", &path))? {
                    return Ok(());
                }
                seen.files.push(Other::default());
            } else if number == own {
                // all of it is known
                continue;
            }
            let Seen { rows, names, files, .. } = &mut *seen;
            let file = files.get_mut(number - 1).expect("it was just pushed");
            let mut take = |key, row: Row| {
                let of = line::hash_of(&row.names);
                rows.insert(key, Arc::new(shared(row, of, names)));
            };
            file.take(&path, &mut take).map_err(io_error("read", &path))?;
        }
        Ok(())
    }

    /// Adds the results of a run, and releases the claim.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&self, claim: Claim<'_>, row: Row) -> Result<Arc<Row>, Error> {
        let key = claim.key();
        let of = self.hash_of(&row.names);
        let text = line::row(&key, &of, &row.values);
        let mut own = lock(&self.own);
        let due = own.write(&row.names, of.clone(), &text).and_then(|()| own.due());
        let (path, due) = (own.path.clone(), due.map_err(io_error("write", &own.path))?);
        drop(own);
        let mut seen = lock(&self.seen);
        let row = Arc::new(shared(row, of.clone(), &mut seen.names));
        seen.last = Some((row.names.clone(), of));
        seen.rows.insert(key, row.clone());
        drop((claim, seen));
        // the other processes keep writing meanwhile
        due.map_or(Ok(()), |file| file.sync_data()).map_err(io_error("write", &path))?;
        Ok(row)
    }

    /// The hash of these names, which are nearly always those of the previous row.
    fn hash_of(&self, names: &Arc<[String]>) -> String {
        match &lock(&self.seen).last {
            Some((last, of)) if Arc::ptr_eq(last, names) => of.clone(),
            _ => line::hash_of(names),
        }
    }

    /// The names of the row added last: reusing them for a row of the same kind is
    /// faster.
    pub fn names(&self) -> Option<Arc<[String]>> {
        lock(&self.seen).last.as_ref().map(|(names, _)| names.clone())
    }

    /// Syncs everything that was added, so that it survives a power loss.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn sync(&self) -> Result<(), Error> {
        let own = lock(&self.own);
        own.file.sync_data().map_err(io_error("write", &own.path))?;
        files::sync_folder(&self.dir.join(RUNS)).map_err(io_error("write", &self.dir))
    }
}

impl Own {
    /// The first file that no running process has. An unfinished line at its end is
    /// cut off.
    fn open(dir: &Path, folder: &Path) -> Result<Self, Error> {
        for number in 1.. {
            let path = folder.join(name(number));
            files::is_file(&path).map_err(io_error("write", &path))?;
            let mut options = File::options();
            let file = options.read(true).append(true).create(true).open(&path);
            let mut file = file.map_err(io_error("create", &path))?;
            match FileExt::try_lock(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if cfg!(target_os = "linux") => continue,
                Err(TryLockError::WouldBlock) => return Err(Error::InUse(dir.to_owned())),
                Err(TryLockError::Error(error)) => return Err(io_error("lock", &path)(error)),
            }
            cut(&mut file).map_err(io_error("write", &path))?;
            return Ok(Self { number, path, file, of: None, synced: Instant::now() });
        }
        unreachable!("numbers do not end")
    }

    fn write(&mut self, names: &[String], of: String, text: &str) -> io::Result<()> {
        if self.of.as_ref() != Some(&of) {
            self.file.write_all(line::names(names).as_bytes())?;
            self.of = Some(of);
        }
        // a single call, so that lines are rarely split
        self.file.write_all(text.as_bytes())
    }

    /// The file, if it is time to sync it.
    fn due(&mut self) -> io::Result<Option<File>> {
        if self.synced.elapsed() < SYNC {
            return Ok(None);
        }
        self.synced = Instant::now();
        self.file.try_clone().map(Some)
    }
}

impl Other {
    /// Reads the lines that are complete by now.
    fn take(&mut self, path: &Path, take: &mut dyn FnMut(Key, Row)) -> io::Result<()> {
        if fs::metadata(path)?.len() <= self.read {
            return Ok(());
        }
        let mut file = files::open(path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = file.by_ref().take(LINE).read_until(b'\n', &mut line)?;
            match line.split_last() {
                Some((b'\n', whole)) => {
                    if let Some((key, row)) = self.reader.read(whole) {
                        take(key, row);
                    }
                }
                // part of a line that nobody writes
                _ if read as u64 == LINE => self.reader.damaged += 1,
                _ => return Ok(()),
            }
            self.read += read as u64;
        }
    }
}

/// Shares the names with other rows of its kind.
fn shared(row: Row, of: String, known: &mut BTreeMap<String, Arc<[String]>>) -> Row {
    let names = known.entry(of).or_insert_with(|| row.names.clone());
    Row { names: names.clone(), ..row }
}

fn name(number: usize) -> String {
    format!("{number}.jsonl")
}

/// Truncates a file after its last complete line.
fn cut(file: &mut File) -> io::Result<()> {
    const STEP: u64 = 1 << 16;
    let mut end = file.seek(SeekFrom::End(0))?;
    let length = end;
    let mut buffer = Vec::new();
    while end > 0 {
        let from = end.saturating_sub(STEP);
        buffer.resize((end - from) as usize, 0);
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut buffer)?;
        if let Some(at) = buffer.iter().rposition(|&byte| byte == b'\n') {
            end = from + at as u64 + 1;
            break;
        }
        end = from;
    }
    if end < length { file.set_len(end) } else { Ok(()) }
}

/// If another thread panicked, the rows are unchanged or there is one more.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Key {
        let build =
            crate::Build { version: String::new(), hash: String::new(), plane: Default::default() };
        super::super::Fingerprint::of(&n.to_string(), &build).run(1)
    }

    fn row(value: f64) -> Row {
        Row { names: ["x".to_owned()].into(), values: vec![value] }
    }

    fn add(journal: &Journal, n: u8) {
        let claim = journal.claim(key(n)).unwrap().expect("nobody has it");
        journal.add(claim, row(f64::from(n))).unwrap();
    }

    /// What is left of the last line goes, and the next process writes on behind
    /// what was whole.
    #[test]
    fn a_file_that_was_cut_anywhere_goes_on_with_its_whole_lines() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("s");
        let path = dir.join(RUNS).join("1.jsonl");
        let (journal, found) = Journal::open(&dir, Kind::Sweep).unwrap();
        assert_eq!(found, Found { runs: 0, damaged: 0 });
        (1..=3).for_each(|n| add(&journal, n));
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let ends: Vec<usize> =
            whole.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let (journal, found) = Journal::open(&dir, Kind::Sweep).unwrap();
            // the first line has the names
            let lines = ends.iter().filter(|end| **end <= length).count();
            assert_eq!(found, Found { runs: lines.saturating_sub(1), damaged: 0 }, "{length}");
            add(&journal, 9);
            drop(journal);
            let (journal, again) = Journal::open(&dir, Kind::Sweep).unwrap();
            assert_eq!(again, Found { runs: found.runs + 1, damaged: 0 }, "{length}");
            assert_eq!(journal.row(&key(9)).unwrap().value("x"), Some(9.0));
        }
    }

    #[test]
    fn a_damaged_line_costs_its_own_run_alone() {
        let temp = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(temp.path(), Kind::Sweep).unwrap();
        (1..=3).for_each(|n| add(&journal, n));
        drop(journal);
        let path = temp.path().join(RUNS).join("1.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("[2.0]", "[2.5]", 1)).unwrap();
        let (journal, found) = Journal::open(temp.path(), Kind::Sweep).unwrap();
        assert_eq!(found, Found { runs: 2, damaged: 1 });
        assert_eq!(journal.row(&key(2)), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn two_at_once_have_a_file_each_and_see_what_the_other_did() {
        let temp = tempfile::tempdir().unwrap();
        let (a, _) = Journal::open(temp.path(), Kind::Sweep).unwrap();
        let (b, _) = Journal::open(temp.path(), Kind::Sweep).unwrap();
        let claim = a.claim(key(1)).unwrap().expect("nobody has it");
        assert!(b.claim(key(1)).unwrap().is_none(), "the other is at it");
        assert!(b.claim(key(2)).unwrap().is_some(), "of another run nobody is");
        a.add(claim, row(1.0)).unwrap();
        let again = b.claim(key(1)).unwrap();
        assert!(again.is_some() && b.row(&key(1)).is_none());
        b.refresh().unwrap();
        assert_eq!(b.row(&key(1)).unwrap().value("x"), Some(1.0));
        add(&b, 2);
        a.refresh().unwrap();
        assert!(a.row(&key(2)).is_some());
        drop((again, a));
        let (c, found) = Journal::open(temp.path(), Kind::Sweep).unwrap();
        assert_eq!(found.runs, 2);
        // the file of the one that is gone
        assert_eq!(lock(&c.own).number, 1);
    }

    #[test]
    fn a_folder_of_something_else_is_let_be() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("thesis.tex"), "").unwrap();
        assert!(matches!(Journal::open(temp.path(), Kind::Sweep), Err(Error::Foreign(_))));
    }
}
