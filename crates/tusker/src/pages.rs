//! Prints pages on a terminal.

use std::env;

use tusker_report::results::command;
use tusker_report::terminal::{self, Detail, Terminal};
use tusker_report::{Page, page};

use crate::args::EXPLAIN;
use crate::failure::Failure;
use crate::output::{print_and_go_on, say};
use crate::screen;

/// The answer on stdout, and what goes with it on stderr.
pub fn print(page: &Page, quiet: bool) -> Result<(), Failure> {
    let shown = screen::terminal(quiet);
    let printed = print_and_go_on(&terminal::text(page, &shown), quiet);
    talk(page, &shown);
    printed
}

/// What goes with an answer, on stderr.
pub fn talk(page: &Page, shown: &Terminal) {
    let done = |step: &&page::Step| shown.detail == Detail::All && step.command.ends_with(EXPLAIN);
    let next = page.next.iter().filter(|step| !done(step)).cloned().collect();
    let page = Page { notes: page.notes.clone(), work: page.work.clone(), next, ..Page::default() };
    terminal::talk(&page, shown, &program()).iter().for_each(|line| say(line));
}

/// Commands to type next, without the name of the program, and what they are good for.
pub fn steps<W: Into<String>>(steps: Vec<(String, W)>) {
    let next = steps.into_iter().map(|(command, what)| page::Step::new(command, what)).collect();
    talk(&Page { next, ..Page::default() }, &screen::terminal(false));
}

/// A path as a word of a shell.
pub fn path(path: &std::path::Path) -> String {
    command(&[path.display().to_string()])
}

/// The program as it was called, so that what is said can be typed.
fn program() -> String {
    let typed = env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    typed.map_or_else(|| "tusker".to_owned(), |name| command(&[name]))
}
