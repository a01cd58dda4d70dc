//! Who looks on while experiments run, and may end them.

use tusker_plan::run::Run;
use tusker_record::summary::Replicate;

/// Looks on. All its methods are called by several threads.
pub trait Watch: Sync {
    /// Whether everything is to end now, in order. It is asked often.
    fn stopped(&self) -> bool {
        false
    }

    /// Something happened.
    fn tell(&self, news: News<'_>) {
        let _ = news;
    }

    /// Does the work of a thread that runs experiments or points, all of it: here
    /// something can be made ready for that thread.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// Whether [`Self::take`] keeps the runs of experiments. Then first replicates are
    /// traced for a report, as they are where results are stored.
    fn keeps_runs(&self) -> bool {
        false
    }

    /// A run of an experiment has finished, and is stored already where it is to be.
    fn take(&self, done: Done<'_>) {
        let _ = done;
    }
}

/// A run that has finished.
#[derive(Debug)]
pub struct Done<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// What the run comes down to.
    pub replicate: &'a Replicate,
    /// The run.
    pub run: Run,
}

/// What happens while experiments run.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// What is there of each experiment before anything is run: its name, how many
    /// of its replicates are there, and how many it has.
    There(&'a [(&'a str, usize, usize)]),
    /// All do not fit into memory at a time.
    Fewer {
        /// How many run at a time.
        jobs: usize,
        /// How many were to.
        wanted: usize,
        /// What the largest takes, bytes.
        largest: u64,
        /// What all may take, bytes.
        budget: u64,
    },
    /// The system allows no more threads.
    NoThread {
        /// How many run at a time.
        jobs: usize,
        /// How many were to.
        wanted: usize,
        /// What it said.
        error: &'a std::io::Error,
    },
    /// So many runs are about to begin.
    Begin {
        /// How many.
        runs: usize,
    },
    /// A run begins.
    Run {
        /// The experiment's name.
        name: &'a str,
        /// It is this one of all, from 1 on.
        nth: usize,
        /// How many there are.
        of: usize,
    },
    /// The runs together came further by so many [`News::STEPS`].
    Steps(u64),
    /// Nothing runs any more.
    End,
}

impl News<'_> {
    /// Steps of one run.
    pub const STEPS: u64 = 1_000;
}

/// Looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {}
