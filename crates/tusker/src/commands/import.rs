//! `tusker import`: commands and traces of other emulators, as scenarios.

use std::path::Path;

use tusker_field::import::{self, Imported};
use tusker_report::Page;
use tusker_report::page::Step;

use super::diagnose::bytes;
use crate::args::{ColumnArgs, ImportArgs};
use crate::failure::Failure;
use crate::output::print;
use crate::pages;
use crate::screen;

/// The scenario, and what people read of it: where it differs.
pub fn imported(args: &ImportArgs) -> Result<(Imported, Page), Failure> {
    let file = match &args.words[..] {
        [one] if one == "-" || Path::new(one).is_file() => Some(Path::new(one)),
        _ => None,
    };
    let imported = match file {
        Some(path) => {
            let (name, bytes) = bytes(path)?;
            match std::str::from_utf8(&bytes).ok().filter(|text| is_command(text)) {
                Some(text) => commands(text, args)?,
                None if args.upload => {
                    let message = format!("--upload: {name} is a trace, of one direction");
                    let help = "leave it out; it chooses a direction of mm-link or mm-loss";
                    return Err(Failure::input(message, help));
                }
                None => import::trace(&name, &bytes, &(&args.columns).into())?,
            }
        }
        None => commands(&args.words.join(" "), args)?,
    };
    let mut page = Page::default();
    imported.differences.iter().for_each(|own| page.note(own.to_string()));
    page.next.push(Step::new("run - --no-save", "runs it, if this is piped into it"));
    Ok((imported, page))
}

pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let (imported, page) = imported(args)?;
    print(&imported.scenario.to_toml())?;
    pages::talk(&page, &screen::terminal(args.quiet));
    Ok(())
}

/// Commands have no columns.
fn commands(text: &str, args: &ImportArgs) -> Result<Imported, Failure> {
    let ColumnArgs { time, value, over, rows } = &args.columns;
    let columns = [("time", time), ("value", value), ("over", over), ("rows", rows)];
    if let Some((option, _)) = columns.into_iter().find(|(_, given)| given.is_some()) {
        let message = format!("--{option}: a command has no columns");
        return Err(Failure::input(message, "leave it out, or name the file of a trace"));
    }
    Ok(import::commands(text, args.upload)?)
}

/// Whether a file has commands, and not a trace.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().filter(|word| *word != "sudo");
    words.next().is_some_and(|word| word == "tc" || word.starts_with("mm-"))
}
