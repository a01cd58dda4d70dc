//! `tusker diagnose`: which limit explains a measured goodput.

use std::fs::File;
use std::path::Path;

use tusker_field::diagnose::{Diagnosis, Question, Words};
use tusker_field::{MAX_BYTES, Measured, Mistake};
use tusker_lab::Watch;
use tusker_report::{Page, csv, diagnosis, html, terminal};
use tusker_sim::Simulator;
use tusker_store::files::read_at_most;

use crate::args::{DiagnoseArgs, Format};
use crate::failure::Failure;
use crate::interrupt;
use crate::outfile::{self, Kind};
use crate::output::print;
use crate::pages;
use crate::running::watcher;
use crate::screen;

/// The diagnosis, and what people read of it.
pub fn diagnosis(args: &DiagnoseArgs, watch: &dyn Watch) -> Result<(Diagnosis, Page), Failure> {
    if args.file.is_none() && !args.flow.is_empty() {
        let message = "--flow chooses a connection of a file, and there is none";
        return Err(Failure::input(message, "name the capture, or the file with lines of ss"));
    }
    let flow = Some(args.flow.as_str()).filter(|flow| !flow.is_empty());
    let file = args.file.as_deref().map(|file| measured(file, flow)).transpose()?;
    let words = Words {
        rate: &args.rate,
        rtt: &args.rtt,
        measured: &args.measured,
        cc: &args.cc,
        duration: &args.duration,
        buffer: &args.buffer,
        retransmits: &args.retransmits,
        streams: &args.streams,
    };
    let question = Question::read(&words, file)?;
    let found = question.diagnose(&Simulator, &|| watch.stopped())?;
    let found = found.ok_or(Failure::Interrupted)?;
    let page = diagnosis::page(&found);
    Ok((found, page))
}

pub fn diagnose(args: &DiagnoseArgs) -> Result<(), Failure> {
    if let Some(file) = &args.out {
        outfile::check(file, Kind::Page)?;
    }
    let watch = watcher(args.quiet);
    let (found, page) = interrupt::in_order(|| diagnosis(args, &watch))?;
    let terminal = screen::terminal(args.quiet);
    print(&match args.format {
        Format::Table => terminal::text(&page, &terminal),
        Format::Csv => csv::csv(&page),
        Format::Json => {
            serde_json::to_string_pretty(&found).expect("all of it is plain data") + "\n"
        }
    })?;
    if let Some(file) = &args.out {
        outfile::write(file, Kind::Page, html::html(&page).as_bytes())?;
    }
    pages::talk(&page, &terminal);
    Ok(())
}

/// What a file measured, or one connection of it; `-` is stdin.
pub fn measured(path: &Path, flow: Option<&str>) -> Result<Measured, Failure> {
    let (name, bytes) = bytes(path)?;
    Ok(tusker_field::read(&name, &bytes, flow)?)
}

/// A file's name for messages, and what is in it; `-` is stdin.
pub fn bytes(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() };
    let read = match path == Path::new("-") {
        true => read_at_most(std::io::stdin(), MAX_BYTES),
        false => File::open(path).and_then(|file| read_at_most(file, MAX_BYTES)),
    };
    let most = MAX_BYTES >> 20;
    let help = format!("give a file that can be read, of at most {most} MiB");
    let bytes = read.map_err(|e| Failure::input(format!("cannot read {name}: {e}"), help))?;
    Ok((name, bytes))
}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Self::input(mistake.message, mistake.help)
    }
}
