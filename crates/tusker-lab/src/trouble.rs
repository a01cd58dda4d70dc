//! Why experiments ended early, or did not start.

use miette::Diagnostic;
use thiserror::Error;
use tusker_measure::summary::Violation;
use tusker_plan::budget::{Memory, Stopped, size};
use tusker_scenario::distance;

use crate::{Budget, MAX_REPLICATES};

/// Why experiments ended early, or did not start.
#[derive(Debug, Error, Diagnostic)]
pub enum Trouble {
    /// The scenario is invalid.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Scenario(#[from] tusker_scenario::Error),
    /// Results cannot be read or written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(#[from] tusker_store::Error),
    /// An implausibly large number.
    #[error("{0} replicates are too many")]
    #[diagnostic(help("at most {MAX_REPLICATES}; ten give good confidence intervals"))]
    Replicates(u32),
    /// A run would not fit into memory.
    #[error(
        "{name}: a run would take about {} of memory, more than the {} {}",
        size(expected.total()),
        size(budget.bytes()),
        budget.whose()
    )]
    #[diagnostic(help("{}; or {}", expected.remedy(), budget.how_to_have_more()))]
    TooLarge {
        /// The experiment's name.
        name: String,
        /// The expected memory of a run.
        expected: Memory,
        /// The available memory.
        budget: Budget,
    },
    /// A run was about to exceed its part of the memory.
    #[error("{name}, replicate {replicate}: {stopped}{}", share(*.jobs))]
    #[diagnostic(help("{}; or allow more with --memory{}", remedy(stopped), alone(*.jobs)))]
    OverBudget {
        /// The experiment's name.
        name: String,
        /// The replicate's number.
        replicate: u32,
        /// The available memory, and what it would have taken.
        stopped: Stopped,
        /// How many runs shared the memory.
        jobs: usize,
    },
    /// The machine could not do what a run needed.
    #[error("{name}, replicate {replicate}: {why}")]
    #[diagnostic(help("{remedy}"))]
    Failed {
        /// The experiment's name.
        name: String,
        /// The replicate's number.
        replicate: u32,
        /// What went wrong.
        why: String,
        /// The remedy.
        remedy: String,
    },
    /// Numbers that are impossible in any network: our mistake, whatever the scenario says.
    #[error("an impossible result of `{name}`, {first}{}", more(*.others))]
    #[diagnostic(help(
        "this is a fault of Tusker, not of the scenario: please report it, with the scenario (add \
         --print-scenario, or send scenario.toml of the results) and this message. All results \
         are kept, but do not trust those of this scenario"
    ))]
    Impossible {
        /// The experiment's name.
        name: String,
        /// The first of them.
        first: Violation,
        /// How many more there are.
        others: usize,
    },
    /// No run has a measure of this name.
    #[error("there is no measure `{}`", name.escape_debug())]
    #[diagnostic(help("{}", other_measure(name, nearest)))]
    NoMeasure {
        /// The requested name.
        name: String,
        /// The name that is most like it.
        nearest: String,
    },
    /// A question that cannot be answered as asked.
    #[error("{message}")]
    #[diagnostic(help("{help}"))]
    Asked {
        /// The option, and what is wrong with it.
        message: String,
        /// What to do about it.
        help: String,
    },
    /// The means for doing runs elsewhere has failed.
    #[error("{message}")]
    #[diagnostic(help("{help}"))]
    Elsewhere {
        /// What it said.
        message: String,
        /// The remedy.
        help: String,
    },
    /// Another machine did a different run from the one requested.
    #[error("point {point} with seed {seed} came back as another run")]
    #[diagnostic(help(
        "the machine that did it has another build of Tusker: install the same one on all of them"
    ))]
    OtherRun {
        /// Number of the point, from 1.
        point: usize,
        /// Seed of the run.
        seed: u64,
    },
    /// The observer requested the end.
    #[error("interrupted")]
    Interrupted,
}

impl Trouble {
    /// A mistake: the scenario has no `what` of this name, but all these.
    pub fn unknown<'a>(what: &str, name: &str, all: impl Iterator<Item = &'a String>) -> Self {
        const SHOWN: usize = 12;
        let all: Vec<&str> = all.map(String::as_str).collect();
        let near = all.iter().min_by_key(|own| distance(name, own));
        let more = match all.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let some = all[..all.len().min(SHOWN)].join(", ");
        let near = near.copied().unwrap_or_default();
        Self::Asked {
            message: format!("the scenario has no {what} {name}"),
            help: format!("did you mean {near}? it has {some}{more}"),
        }
    }

    /// The impossible part of a result, if there is one.
    pub fn impossible(name: &str, found: Vec<Violation>) -> Option<Self> {
        let others = found.len().saturating_sub(1);
        let first = found.into_iter().next()?;
        Some(Self::Impossible { name: name.to_owned(), first, others })
    }
}

fn share(jobs: usize) -> String {
    match jobs {
        0 | 1 => String::new(),
        _ => format!(", one part in {jobs} of the budget"),
    }
}

fn alone(jobs: usize) -> &'static str {
    match jobs {
        0 | 1 => "",
        _ => ", or give it all with --jobs 1",
    }
}

fn remedy(stopped: &Stopped) -> String {
    match stopped {
        Stopped::OverBudget { needed, .. } => needed.remedy(),
        Stopped::Interrupted | Stopped::Failed { .. } => String::new(),
    }
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        _ => format!(" (and {others} more like this)"),
    }
}

/// What to do where there is no measure of this name. Harm needs runs of the rival alone,
/// which a sweep has not.
fn other_measure(name: &str, nearest: &str) -> String {
    match name.contains("harm") {
        true => "harm is measured by `tusker compare --against` alone; a sweep has goodput and \
                 share of fair rate of each group"
            .to_owned(),
        false => format!("did you mean `{nearest}`? `tusker list measure` shows all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_wants_harm_of_a_sweep_is_told_where_it_is() {
        let told = |name: &str| other_measure(name, "jain");
        assert!(told("groups.near.harm_goodput").contains("`tusker compare --against`"));
        assert!(told("jian").contains("did you mean `jain`"));
    }
}
