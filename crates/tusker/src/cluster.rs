//! Runs on a Ray cluster. Ray speaks Python, so a Python process between us and the
//! cluster (`python/tusker/ray.py`) takes orders and gives back rows, a line of JSON
//! each:
//!
//! ```text
//! --> {"address":"auto","build":"..","version":"0.1.0","store":null,"options":{},
//!      "mirror":null}
//! <-- {"there":".."}                        a row that the store has, if there is one
//! <-- {"ready":64}                          so many cores
//! --> {"id":1,"scenario":"..","seed":7,"key":"..","memory":12000000}
//! <-- {"id":1,"row":"..","wall":0.21}
//! --> {"id":2,"scenario":"..","number":1,"traced":false,"csv":false,"memory":12000000,
//!      "into":"results/hcc/rows/../.partial-0001"}
//! <-- {"id":2}                              the files of the replicate are there
//! --> {"id":3,"push":"/tmp/x/rows/.."}      puts what is new in a folder into the store,
//!                                           which has the same files as "mirror"
//! <-- {"id":3}                              it is there
//! <-- {"id":1,"failed":"..","help":".."}    instead, if something is wrong
//! <-- {"fatal":"..","help":".."}            instead of anything, at any time
//! ```
//!
//! The Python process ends when its stdin closes, and so whenever this program ends, however
//! that happens.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tusker_lab::{Elsewhere, Made, Order, Trouble, Whole};
use tusker_store::sweep::{Journal, Key, Row};
use tusker_store::{Build, Format};

use crate::python::{self, PYTHON};

/// So often those who wait ask whether they are to stop.
const LOOK: Duration = Duration::from_millis(200);

/// It has this long to leave the cluster in order.
const PATIENCE: Duration = Duration::from_secs(10);

/// What Python is to do.
const HELPER: &str = "import runpy\nrunpy.run_module('tusker.ray', run_name='__main__')\n";

/// How to reach a cluster.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// `auto`, `local`, or where its head is.
    pub address: String,
    /// The Python that has Ray; what `TUSKER_PYTHON` says, or `python3`, if `None`.
    pub python: Option<OsString>,
    /// The folder in shared storage that rows go to.
    pub store: Option<String>,
    /// What that needs, as JSON.
    pub options: Option<String>,
    /// The folder here that has the same files as that, if not rows go there.
    pub mirror: Option<PathBuf>,
}

/// A process that passes runs on to a cluster.
pub struct Cluster {
    child: Mutex<Child>,
    stdin: Mutex<Option<ChildStdin>>,
    reader: Option<JoinHandle<()>>,
    desk: Arc<Desk>,
    next: AtomicU64,
    cores: usize,
    /// What the shared storage had when this began.
    there: Mutex<Vec<(Key, Row)>>,
    /// Whether a folder here is to have the same files as one there.
    mirrors: bool,
}

/// Who waits for what.
#[derive(Default)]
struct Desk {
    waiting: Mutex<BTreeMap<u64, Sender<Value>>>,
    /// Why nothing comes any more: what, and the remedy.
    ended: Mutex<Option<(String, String)>>,
}

impl Cluster {
    /// Starts the process, and waits until it has reached the cluster.
    ///
    /// # Errors
    /// If there is no Python with Ray and this package, or no cluster; if `stopped`.
    pub fn reach(
        reach: &Reach,
        build: &Build,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Self, Trouble> {
        let python = reach.python.clone().or_else(|| std::env::var_os(PYTHON));
        let python = python.unwrap_or_else(|| "python3".into());
        // it does not run in the current folder, which Ray would have its workers look into
        let mut command = Command::new(program(&python));
        command.arg("-c").arg(format!("{}{HELPER}", python::ALONE)).current_dir("/");
        python::alone(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| missing(&python, &error.to_string()))?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            unreachable!("all three are piped");
        };
        let options = reach.options.as_deref().unwrap_or("{}");
        let options: Value = serde_json::from_str(options).map_err(|error| Trouble::Asked {
            message: format!("the storage options are not JSON: {error}"),
            help: "a table such as {\"endpoint_url\": \"http://..\"}".to_owned(),
        })?;
        let hello = json!({
            "address": reach.address, "build": build.hash, "version": build.version,
            "store": reach.store, "options": options,
            "mirror": reach.mirror.as_deref().map(path_of),
        });
        // one that died at once has said why
        let _ = writeln!(stdin, "{hello}");
        let desk = Arc::new(Desk::default());
        let (first, begin) = mpsc::channel();
        let own = desk.clone();
        let reader = thread::spawn(move || own.read(stdout, stderr, &first));
        let (cores, there) = (0, Mutex::default());
        let (child, stdin) = (Mutex::new(child), Mutex::new(Some(stdin)));
        let reader = Some(reader);
        let next = AtomicU64::new(1);
        let mirrors = reach.mirror.is_some();
        let mut cluster = Self { child, stdin, reader, desk, next, cores, there, mirrors };
        cluster.begin(&begin, stopped).map_err(|trouble| match trouble {
            Trouble::Elsewhere { message, .. } if no_module(&message) => missing(&python, &message),
            // an address, an option, or a folder that was asked for
            Trouble::Elsewhere { message, help } => Trouble::Asked { message, help },
            other => other,
        })?;
        Ok(cluster)
    }

    /// Takes what comes before it is ready.
    fn begin(
        &mut self,
        begin: &Receiver<Value>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Trouble> {
        loop {
            let said = self.wait(begin, stopped)?;
            if let Some(row) = said["there"].as_str().and_then(Row::of_lines) {
                lock(&self.there).push(row);
            }
            if let Some(cores) = said["ready"].as_u64() {
                self.cores = usize::try_from(cores).unwrap_or(usize::MAX);
                return Ok(());
            }
        }
    }

    /// Gives a journal what the shared storage had.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn hand_over(&self, journal: &Journal) -> Result<(), tusker_store::Error> {
        for (key, row) in std::mem::take(&mut *lock(&self.there)) {
            if let (None, Some(claim)) = (journal.row(&key), journal.claim(key)?) {
                journal.add(claim, row)?;
            }
        }
        Ok(())
    }

    /// Puts a file into the shared storage.
    ///
    /// # Errors
    /// If that fails.
    pub fn put(&self, name: &str, path: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Trouble> {
        self.ask(json!({ "put": name, "path": path_of(path) }), stopped).map(drop)
    }

    /// Puts what is new in a folder here into that of shared storage which has the same
    /// files, if there is one.
    ///
    /// # Errors
    /// If that fails.
    pub fn push(&self, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Trouble> {
        if !self.mirrors {
            return Ok(());
        }
        self.ask(json!({ "push": path_of(folder) }), stopped).map(drop)
    }

    fn ask(&self, mut order: Value, stopped: &dyn Fn() -> bool) -> Result<Value, Trouble> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        order["id"] = id.into();
        let (sender, answer) = mpsc::channel();
        lock(&self.desk.waiting).insert(id, sender);
        let line = format!("{order}\n");
        let wrote = lock(&self.stdin).as_mut().map(|stdin| stdin.write_all(line.as_bytes()));
        if !matches!(wrote, Some(Ok(()))) {
            // it is gone, or about to: whatever it said is told by those who read
            lock(&self.desk.waiting).remove(&id);
        }
        let said = self.wait(&answer, stopped)?;
        match said["failed"].as_str() {
            None => Ok(said),
            Some(message) => {
                let help = said["help"].as_str().unwrap_or_default().to_owned();
                Err(Trouble::Elsewhere { message: message.to_owned(), help })
            }
        }
    }

    fn wait(&self, answer: &Receiver<Value>, stopped: &dyn Fn() -> bool) -> Result<Value, Trouble> {
        loop {
            let got = answer.recv_timeout(LOOK);
            if let Ok(said) = got {
                return Ok(said);
            }
            if stopped() {
                return Err(Trouble::Interrupted);
            }
            if let Some((message, help)) = lock(&self.desk.ended).clone() {
                // what came in the moment between
                return answer.try_recv().map_err(|_| Trouble::Elsewhere { message, help });
            }
            if got == Err(RecvTimeoutError::Disconnected) {
                // it is about to be said why
                thread::sleep(LOOK / 10);
            }
        }
    }
}

impl Elsewhere for Cluster {
    fn cores(&self) -> usize {
        self.cores.max(1)
    }

    fn make(&self, order: &Order<'_>, stopped: &dyn Fn() -> bool) -> Result<Made, Trouble> {
        let Order { scenario, seed, key, memory } = order;
        let order = json!({
            "scenario": scenario, "seed": seed, "key": key.hex(), "memory": memory,
        });
        let said = self.ask(order, stopped)?;
        let (key, row) = said["row"].as_str().and_then(Row::of_lines).ok_or_else(|| {
            let message = "a row from the cluster is damaged".to_owned();
            let help = "is the same Tusker installed on all its machines?".to_owned();
            Trouble::Elsewhere { message, help }
        })?;
        let wall = Duration::try_from_secs_f64(said["wall"].as_f64().unwrap_or(0.0));
        Ok(Made { key, row, wall: wall.unwrap_or_default() })
    }

    fn fill(
        &self,
        order: &Whole<'_>,
        folder: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Trouble> {
        let Whole { scenario, number, traced, format, memory } = *order;
        let order = json!({
            "scenario": scenario, "number": number, "traced": traced,
            "csv": format == Format::Csv, "memory": memory, "into": path_of(folder),
        });
        self.ask(order, stopped).map(drop)
    }

    fn kept(&self, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Trouble> {
        self.push(folder, stopped)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // it ends with its stdin
        lock(&self.stdin).take();
        let until = Instant::now() + PATIENCE;
        let mut child = lock(&self.child);
        while Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
        drop(child);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Desk {
    /// Hands out what it says, until it says nothing any more.
    fn read(&self, stdout: impl Read, mut stderr: impl Read + Send, begin: &Sender<Value>) {
        let mut fatal = None;
        let words = thread::scope(|scope| {
            let words = scope.spawn(move || {
                let mut words = Vec::new();
                let _ = stderr.read_to_end(&mut words);
                words
            });
            for line in BufReader::new(stdout).lines().map_while(io::Result::ok) {
                // Ray prints now and then
                let Ok(said) = serde_json::from_str::<Value>(&line) else { continue };
                if let Some(message) = said["fatal"].as_str() {
                    let help = said["help"].as_str().unwrap_or_default();
                    fatal = Some((message.to_owned(), help.to_owned()));
                    break;
                }
                let waiting = said["id"].as_u64().and_then(|id| lock(&self.waiting).remove(&id));
                // who gave up does not listen any more
                let _ = waiting.as_ref().unwrap_or(begin).send(said);
            }
            if fatal.is_some() {
                return Vec::new();
            }
            words.join().unwrap_or_default()
        });
        let last = || {
            let words = String::from_utf8_lossy(&words);
            let last = words.trim().lines().last().unwrap_or("it said nothing").to_owned();
            let help = "the same command runs what is missing".to_owned();
            (format!("the process that connects to the cluster ended: {last}"), help)
        };
        *lock(&self.ended) = Some(fatal.unwrap_or_else(last));
        lock(&self.waiting).clear();
    }
}

/// A path as the other process finds it, whatever its folder is.
fn path_of(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// A program that is named by its path, wherever it is run.
fn program(name: &OsString) -> OsString {
    match Path::new(name).components().count() {
        1 => name.clone(),
        _ => std::path::absolute(name).map_or_else(|_| name.clone(), OsString::from),
    }
}

fn no_module(message: &str) -> bool {
    message.contains("No module named")
}

fn missing(python: &OsString, why: &str) -> Trouble {
    let why = why.rsplit(": ").next().unwrap_or(why);
    Trouble::Asked {
        message: format!(
            "--ray needs Python with the packages tusker and ray: {}: {why}",
            python.display()
        ),
        help: format!(
            "`pip install './python[ray]'` installs them; {PYTHON}=/path/to/python selects another Python"
        ),
    }
}

/// What a panic of another thread leaves is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
