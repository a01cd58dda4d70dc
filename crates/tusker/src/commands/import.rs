//! `tusker import`: commands and traces of other emulators, as scenarios.

use std::path::Path;

use tusker_field::import::{self, Imported};
use tusker_report::Page;
use tusker_report::page::Step;

use super::diagnose::bytes;
use crate::args::ImportArgs;
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
            let columns = (&args.columns).into();
            match std::str::from_utf8(&bytes).ok().filter(|text| is_command(text)) {
                Some(text) => import::commands(text, args.upload)?,
                None => import::trace(&name, &bytes, &columns)?,
            }
        }
        None => import::commands(&args.words.join(" "), args.upload)?,
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

/// Whether a file has commands, and not a trace.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().filter(|word| *word != "sudo");
    words.next().is_some_and(|word| word == "tc" || word.starts_with("mm-"))
}
