//! Observers of running experiments, which can also stop them.

use tusker_measure::summary::Replicate;
use tusker_plan::run::Run;

/// An observer. All its methods are called by several threads.
pub trait Watch: Sync {
    /// Whether to stop in an orderly way. Called often.
    fn stopped(&self) -> bool {
        false
    }

    /// Something happened.
    fn tell(&self, news: News<'_>) {
        let _ = news;
    }

    /// Does all the work of a thread that runs experiments or points; an observer can
    /// prepare something for that thread here.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// Whether [`Self::take`] keeps the runs of experiments. If so, first replicates are
    /// traced for a report, as if the results were stored.
    fn keeps_runs(&self) -> bool {
        false
    }

    /// A run of an experiment has finished; if it is to be stored, that is already done.
    fn take(&self, done: Done<'_>) {
        let _ = done;
    }
}

/// A run that has finished.
#[derive(Debug)]
pub struct Done<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// The summary of the run.
    pub replicate: &'a Replicate,
    /// The run.
    pub run: Run,
}

/// What happens while experiments run.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// What exists of each experiment before anything is run: its name, the number of its
    /// finished replicates, and how many it needs.
    There(&'a [(&'a str, usize, usize)]),
    /// Not all wanted runs fit into memory at the same time.
    Fewer {
        /// How many run at the same time.
        jobs: usize,
        /// How many were wanted.
        wanted: usize,
        /// The size of the largest, bytes.
        largest: u64,
        /// The memory for all together, bytes.
        budget: u64,
    },
    /// The system allows no more threads.
    NoThread {
        /// How many run at the same time.
        jobs: usize,
        /// How many were wanted.
        wanted: usize,
        /// The system's error.
        error: &'a std::io::Error,
    },
    /// What is to be known of the runs before the first one.
    Note {
        /// The text.
        text: &'a str,
        /// It makes their results doubtful.
        doubt: bool,
    },
    /// This many runs are about to start.
    Begin {
        /// How many.
        runs: usize,
        /// What one of them simulates in the mean, if that is known.
        seconds: Option<f64>,
    },
    /// A run starts.
    Run {
        /// The experiment's name.
        name: &'a str,
        /// Its number among all runs, from 1.
        nth: usize,
        /// How many there are.
        of: usize,
    },
    /// The runs together advanced by this many [`News::STEPS`].
    Steps(u64),
    /// Nothing is running any more.
    End,
}

impl News<'_> {
    /// Steps of one run.
    pub const STEPS: u64 = 1_000;
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {}
