//! Waits for work in another thread without holding the interpreter's lock: Python
//! continues meanwhile, and Ctrl-C is handled.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use tusker_core::foreign::Scope;
use tusker_lab::{Done, News, Watch};
use tusker_measure::summary::Replicate;
use tusker_plan::run::Run;
use tusker_transfer::Onlooker;
use tusker_transfer::answer::PlanSummary;

use crate::raised::Raised;

/// How often to check for signals.
const LOOK: Duration = Duration::from_millis(50);

/// After Ctrl-C, the work has this long to end in an orderly way; then Python code that still
/// runs is interrupted, and what does not end then is left to end by itself.
const PATIENCE: Duration = Duration::from_millis(250);

/// Observes the work for the waiting thread.
#[derive(Debug, Default)]
pub struct Looker {
    stop: AtomicBool,
    steps: AtomicU64,
    all: AtomicU64,
    kept: Mutex<Vec<Kept>>,
    /// What makes the results doubtful, known before the first run.
    notes: Mutex<Vec<String>>,
    /// Runs are not kept: their summaries are enough.
    rows_alone: bool,
    /// The exception raised by Python code of the user, which ends everything.
    pub raised: Arc<Raised>,
    /// Who finds the laws and queue policies of the user by their names.
    pub scope: Scope,
    /// The threads that do the work, as Python names them.
    threads: Mutex<BTreeSet<u64>>,
}

/// A run that has finished.
#[derive(Debug)]
pub struct Kept {
    /// The name of its experiment.
    pub name: String,
    /// Its summary.
    pub replicate: Replicate,
    /// The run.
    pub run: Run,
}

impl Looker {
    /// Without keeping runs.
    pub fn rows_alone() -> Self {
        Self { rows_alone: true, ..Self::default() }
    }

    /// Ends everything.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Does some work without the interpreter's lock, in a thread registered with the
    /// interpreter: calls into Python are ten times as fast as from a thread that is registered
    /// for every call.
    fn known_to_python<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        Python::attach(|py| {
            // without this, a law that never returns would not be ended
            let own = threads(py, "enter", ()).and_then(|own| own.extract::<u64>());
            let all = || self.threads.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(own) = own {
                all().insert(own);
            }
            let done = py.detach(|| self.scope.within(work));
            if let Ok(own) = own {
                all().remove(&own);
                let _ = threads(py, "leave", (own,));
            }
            done
        })
    }

    /// Raises an exception in Python code that still runs.
    fn interrupt(&self, py: Python<'_>) {
        let all = self.threads.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _ = threads(py, "interrupt", (all.into_iter().collect::<Vec<_>>(),));
    }

    /// The share of the work that is finished.
    fn share(&self) -> f64 {
        let all = self.all.load(Ordering::Relaxed) * News::STEPS;
        if all == 0 { 0.0 } else { self.steps.load(Ordering::Relaxed) as f64 / all as f64 }
    }

    /// What makes the results doubtful, known before the first run.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The finished runs, in the order of their replicates.
    pub fn kept(&self) -> Vec<Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = std::mem::take(&mut *kept);
        kept.sort_by_key(|kept| kept.replicate.number);
        kept
    }
}

impl Watch for Looker {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.raised.any()
    }

    fn tell(&self, news: News<'_>) {
        match news {
            News::Note { text, doubt: true } => {
                self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
            }
            News::Begin { runs, .. } => self.all.store(runs as u64, Ordering::Relaxed),
            News::Steps(steps) => {
                self.steps.fetch_add(steps, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.known_to_python(work);
    }

    fn keeps_runs(&self) -> bool {
        !self.rows_alone
    }

    fn take(&self, done: Done<'_>) {
        if self.rows_alone {
            return;
        }
        let Done { name, replicate, run } = done;
        let kept = Kept { name: name.to_owned(), replicate: replicate.clone(), run };
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }
}

impl Onlooker for Looker {
    fn stopped(&self) -> bool {
        Watch::stopped(self)
    }

    fn ranking(&self, summary: &PlanSummary, done: usize) {
        self.all.store(summary.rows.len() as u64, Ordering::Relaxed);
        self.steps.fetch_max(done as u64 * News::STEPS, Ordering::Relaxed);
    }
}

/// Calls a function of `tusker._threads`.
fn threads<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "tusker._threads"))?.getattr(name)?.call1(arguments)
}

/// Has another thread do some work. `progress` is called with the share that is finished.
///
/// # Errors
/// Anything raised by a signal handler, by `progress`, or by Python code that the work
/// calls; then the work is stopped.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    looker: &Arc<Looker>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Looker) -> T + Send + 'static,
) -> PyResult<T> {
    let (done, mut waiting) = mpsc::channel();
    let own = looker.clone();
    let worker = thread::Builder::new().name("tusker".to_owned()).spawn(move || {
        let answer = own.known_to_python(|| work(&own));
        // a caller that gave up no longer listens
        let _ = done.send(answer);
    });
    let worker = worker
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    let mut told = 0.0;
    loop {
        let (back, got) = py.detach(move || {
            let got = waiting.recv_timeout(LOOK);
            (waiting, got)
        });
        waiting = back;
        match got {
            Ok(done) => return looker.raised.take().map_or(Ok(done), Err),
            Err(RecvTimeoutError::Disconnected) => {
                // it panicked: a bug of ours, which is propagated here
                let panic = py.detach(|| worker.join()).err();
                std::panic::resume_unwind(panic.unwrap_or_else(|| Box::new("no answer")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let told = || match (progress, looker.share()) {
            (Some(progress), share) if share > told => {
                told = share;
                progress.call1((share,)).map(drop)
            }
            _ => Ok(()),
        };
        if let Err(error) = py.check_signals().and_then(|()| { told }()) {
            looker.stop();
            let (waiting, got) = py.detach(move || {
                let got = waiting.recv_timeout(PATIENCE);
                (waiting, got.is_ok())
            });
            if !got {
                looker.interrupt(py);
                py.detach(move || waiting.recv_timeout(PATIENCE / 2).is_ok());
            }
            return Err(error);
        }
    }
}
