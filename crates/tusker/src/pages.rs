//! Prints pages on a terminal.

use tusker_report::{Page, terminal};

use crate::failure::Failure;
use crate::next;
use crate::output::{print_and_go_on, say};
use crate::screen;

/// The answer on stdout, and what goes with it on stderr.
pub fn print(page: &Page, quiet: bool) -> Result<(), Failure> {
    let shown = screen::terminal(quiet);
    let printed = print_and_go_on(&terminal::text(page, &shown), quiet);
    terminal::talk(page, &shown, &next::program()).iter().for_each(|line| say(line));
    printed
}
