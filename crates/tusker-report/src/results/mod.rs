//! The page of folders of results: what was run, the table, everything over
//! time, distributions, the scenarios.

mod answer;
mod change;
mod contest;
mod curves;
mod distributions;
mod harm;
mod measured;
mod one_scale;
mod overlay;
mod overtime;
mod tables;
mod titles;

use tusker_core::Time;
use tusker_measure::summary::{Summary, invalid_note};
use tusker_store::Stored;

pub use answer::{of_comparison, of_planes, of_run, seeds};
pub use change::of_change;
pub use contest::Comparison;
pub use harm::add_harm;
pub use measured::add_measured;
pub use tables::command;

use crate::figure::{Figure, Group};
use crate::page::{Block, Page};
use crate::style;

/// The title of the section with the tables.
const RESULTS: &str = "Results";

/// An experiment on its way to the page.
struct Case<'a> {
    stored: &'a Stored,
    /// What tells it from the others: its name, and the folder if that is not
    /// enough.
    label: String,
    /// Numbers of the looks of its groups: those of their congestion controls.
    looks: Vec<usize>,
}

/// A summary on its way to tables.
#[derive(Clone)]
struct Shown<'a> {
    summary: &'a Summary,
    /// See [`Case::label`].
    label: String,
    /// See [`Case::looks`].
    looks: Vec<usize>,
}

impl Shown<'_> {
    /// What a group is called among those of all experiments.
    fn group(&self, group: usize, alone: bool) -> Group {
        let own = &self.summary.groups[group].name;
        let name = match (alone, self.summary.groups.len()) {
            (true, _) => own.clone(),
            (false, 1) => self.label.clone(),
            (false, _) => format!("{}: {own}", self.label),
        };
        Group { name, colour: self.looks[group] }
    }
}

impl<'a> Case<'a> {
    fn shown(&self) -> Shown<'a> {
        let summary = &self.stored.summary;
        Shown { summary, label: self.label.clone(), looks: self.looks.clone() }
    }

    /// The same for a figure of its own, where a congestion control looks as in that of any
    /// other experiment.
    fn alone(&self) -> Self {
        let looks = looks([self.summary()]).remove(0);
        Self { stored: self.stored, label: self.label.clone(), looks }
    }

    fn summary(&self) -> &Summary {
        &self.stored.summary
    }

    /// What a group is called among those of all experiments.
    fn group(&self, group: usize, alone: bool) -> Group {
        self.shown().group(group, alone)
    }

    /// The look of the experiment as a whole: that of its first group.
    fn look(&self) -> usize {
        self.looks.first().copied().unwrap_or_default()
    }
}

/// The page of one or several folders.
///
/// # Panics
/// If there is none.
pub fn of_results(all: &[Stored]) -> Page {
    assert!(!all.is_empty(), "a page is about something");
    let mut cases = Vec::new();
    let folders = titles::folders(all);
    for ((stored, looks), folder) in
        all.iter().zip(looks(all.iter().map(|own| &own.summary))).zip(folders)
    {
        let name = &stored.summary.scenario;
        let same = all.iter().filter(|other| other.summary.scenario == *name).count();
        let plane = &stored.summary.plane;
        let same_plane = all
            .iter()
            .filter(|other| (&other.summary.scenario, &other.summary.plane) == (name, plane));
        let label = match (same, same_plane.count()) {
            (1, _) => name.clone(),
            (_, 1) => format!("{name} ({plane})"),
            _ => format!("{name} ({folder})"),
        };
        let label = match stored.summary.invalid.is_empty() {
            true => label,
            false => format!("{label} INVALID"),
        };
        cases.push(Case { stored, label, looks });
    }
    let shown: Vec<Shown<'_>> = cases.iter().map(Case::shown).collect();
    let mut page = Page {
        title: match (title(all), cases.as_slice()) {
            (Some(title), [_]) => title,
            (_, [case]) => case.label.clone(),
            _ => titles::of_comparison(all),
        },
        lead: answer::lead_of_all(&shown),
        commands: tables::commands(&cases),
        ..Page::default()
    };
    // both planes of one scenario have a figure of both; a comparison has one of all
    let together = cases.len() > 1 && overlay::pairs(&cases).0.is_empty();
    if together {
        page.section("Over time", one_scale::blocks(&cases));
    }
    match &cases[..] {
        [case] => page.answer = answer::answer(case.summary()),
        _ => compare(&mut page, all, &cases),
    }
    let results = results(&cases, &shown);
    page.section(RESULTS, results);
    if !together {
        page.section("Over time", curves::blocks(&cases));
    }
    page.section("Distributions", distributions::blocks(&cases));
    if together {
        page.section("Each experiment", curves::folded(&cases));
    }
    page.section("What was run", tables::origin(&cases));
    page.sections.retain(|section| !section.blocks.is_empty());
    page
}

/// What groups look like, by experiment: as their congestion control does, and where two
/// have the same, with other dashes.
fn looks<'a>(all: impl IntoIterator<Item = &'a Summary>) -> Vec<Vec<usize>> {
    let own: Vec<Vec<usize>> = all.into_iter().map(of_laws).collect();
    let mut apart = style::apart(&own.concat()).into_iter();
    own.iter().map(|groups| apart.by_ref().take(groups.len()).collect()).collect()
}

/// The looks of the groups' congestion controls, whichever groups have the same.
fn of_laws(summary: &Summary) -> Vec<usize> {
    let laws = summary.groups.iter().map(|group| group.cc.first());
    let looks = laws.enumerate().map(|(nth, law)| match law {
        Some(law) => style::of_law(law),
        None => style::nth(nth),
    });
    looks.collect()
}

/// What a folder has over time, as the figure `name`; `None` if nothing was
/// recorded.
pub fn over_time(stored: &Stored, name: &str, title: &str) -> Option<Figure> {
    let looks = looks([&stored.summary]).remove(0);
    let case = Case { stored, label: title.to_owned(), looks };
    let (number, trace) = stored.series.as_ref()?;
    overtime::figure(&case, name, *number, trace)
}

/// What the simulator and real sockets gave of one scenario over time, over the same
/// axes, as the figure `name`; `None` if one of them recorded nothing.
pub fn both_over_time(
    simulated: &Stored,
    measured: &Stored,
    name: &str,
    title: &str,
) -> Option<Figure> {
    let [simulated, measured] = [simulated, measured].map(|stored| {
        let looks = looks([&stored.summary]).remove(0);
        Case { stored, label: title.to_owned(), looks }
    });
    let pair = overlay::Pair { simulated: &simulated, measured: &measured };
    overlay::figure(&pair, name, title)
}

/// The title that the scenario gives itself.
fn title(all: &[Stored]) -> Option<String> {
    let line = all[0].scenario.lines().find_map(|line| line.strip_prefix("title = "))?;
    // what TOML escapes in a basic string, JSON reads, as far as titles go
    serde_json::from_str(line.trim()).ok()
}

fn results(cases: &[Case<'_>], shown: &[Shown<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for case in cases {
        let summary = case.summary();
        if let Some(note) = invalid_note(summary) {
            blocks.push(Block::Warning(format!("{}: {note}", case.label)));
        }
        if !summary.complete {
            let (done, wanted) = (summary.seeds.len(), summary.wanted);
            let (dir, label) = (case.stored.dir.display(), &case.label);
            let run = if summary.is_measured() { "testbed" } else { "run" };
            blocks.push(Block::Warning(format!(
                "{label} is not complete: {done} of {wanted} replicates are in. The rest: \
                 tusker {run} {dir}/scenario.toml --out {dir} --resume"
            )));
        }
    }
    for case in cases {
        let doubts = case.summary().doubts.iter().filter(|doubt| doubt.group.is_some());
        blocks.extend(doubts.map(|doubt| {
            let (label, group) = (&case.label, doubt.group.as_deref().unwrap_or_default());
            Block::Warning(format!("{label}, {group}: {}", doubt.about))
        }));
    }
    blocks.extend(overlay::tables(&overlay::pairs(cases).0));
    for case in cases {
        blocks.extend(answer::doubts(case.summary()).into_iter().map(Block::Warning));
    }
    let (main, _) = answer::main_table(shown);
    blocks.push(Block::Table(main));
    blocks.extend(answer::rest(shown));
    blocks
}

/// Which of several experiments on one path is the best in what, and a row for each.
fn compare(page: &mut Page, all: &[Stored], cases: &[Case<'_>]) {
    let summaries: Vec<Summary> = cases
        .iter()
        .map(|case| {
            let mut summary = case.summary().clone();
            summary.groups.iter_mut().take(1).for_each(|group| group.name.clone_from(&case.label));
            summary
        })
        .collect();
    if summaries.iter().any(|summary| summary.groups.is_empty()) {
        return;
    }
    let values = vec![Vec::new(); summaries.len()];
    let of = Comparison { summaries: &summaries, heads: &[], values: &values };
    page.table = Some(answer::compared(of));
    let path = |stored: &Stored| -> Vec<_> {
        let links = stored.plan.links.iter();
        links.map(|link| (link.rate, link.propagation(), link.queue.limit)).collect()
    };
    let same = all.iter().all(|stored| path(stored) == path(&all[0]));
    if same && cases.iter().all(|case| case.summary().plane == cases[0].summary().plane) {
        page.answer = contest::winners(of);
    }
}

fn seconds(time: Time) -> f64 {
    time.nanos() as f64 / 1e9
}

/// A name for the command line: lower case, digits, `-` and `.`.
fn slug(text: &str) -> String {
    let plain =
        text.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let parts: String = plain.collect();
    let parts: Vec<&str> = parts.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}
