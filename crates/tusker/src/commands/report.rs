//! `tusker report`: a page of stored results, or a figure of it.

mod figure;
mod kinds;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use tusker_field::Measured;
use tusker_papers::stored::is_reproduction;
use tusker_report::page::{Block, Table};
use tusker_report::{Page, csv, html, results};
use tusker_store::sweep::{POINTS, SweepSummary};
use tusker_store::{REPORT, Stored, folder, harm, has_results, watched};
use tusker_transfer::planned;

use super::{evaluate, reproduce};
use crate::args::ReportArgs;
use crate::done::{Done, Value};
use crate::failure::Failure;
use crate::outfile::{self, Kind, write};
use crate::output::say;

pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    check(args)?;
    let mut pages = pages(&folders(&args.dirs)?, args)?;
    let with = args
        .with
        .iter()
        .map(|file| with(file, args.flow.as_deref()))
        .collect::<Result<Vec<_>, _>>()?;
    pages.iter_mut().for_each(|(_, page)| results::add_measured(page, &with));
    if args.list {
        return list(&pages, args).print(args.format, args.quiet);
    }
    if let Some(name) = &args.figure {
        return figure::figure(&pages, name, args);
    }
    if let Some(address) = &args.live
        && pages.iter_mut().map(|(_, page)| page.live_at(address)).sum::<usize>() == 0
    {
        let help = "leave --live out, or give a folder of `run` or `compare`";
        return Err(Failure::input("--live: there is no run on this page to open", help));
    }
    let pages = match &args.out {
        Some(file) => {
            let one = pages.into_iter().map(|(_, page)| page).reduce(Page::and);
            one.map(|page| (file.clone(), page)).into_iter().collect()
        }
        None => pages,
    };
    // before the first is written
    for (file, _) in &pages {
        if args.out.is_none() {
            outfile::within(file)?;
        }
        outfile::check(file, Kind::Page)?;
    }
    for (file, page) in &pages {
        write(file, Kind::Page, html::html(page).as_bytes())?;
        if !args.quiet {
            say(&format!("the report is {}", file.display()));
        }
    }
    Ok(())
}

/// The names of figures, and what each shows.
struct Figures(Vec<(String, String)>);

impl Value for Figures {
    fn json(&self) -> String {
        let object = |(name, title): &(String, String)| json!({ "name": name, "title": title });
        format!("{:#}\n", Json::Array(self.0.iter().map(object).collect()))
    }

    fn csv(&self) -> String {
        csv::csv(&Page { table: Some(self.table()), ..Page::default() })
    }
}

impl Figures {
    fn table(&self) -> Table {
        let mut table = Table::new("Figures", ["figure", "what it shows"]);
        table.words = true;
        self.0.iter().for_each(|(name, title)| table.row(None, [name.as_str(), title]));
        table
    }
}

fn list(pages: &[(PathBuf, Page)], args: &ReportArgs) -> Done<Figures> {
    let figures = Figures(pages.iter().flat_map(|(_, page)| page.names()).collect());
    let mut page = Page { table: Some(figures.table()), ..Page::default() };
    if args.dirs.iter().any(|dir| is_sweep(dir)) {
        page.note(
            "--figure also takes any measure of `tusker list measure`, such as rtt_p95_s; if \
             several groups have it, by its full name, such as groups.NAME.rtt_p95_s",
        );
    }
    Done::of(figures, page)
}

/// What another tool measured, with the name of its file.
fn with(file: &Path, flow: Option<&str>) -> Result<(String, Measured), Failure> {
    let measured = super::diagnose::measured(file, flow)?;
    let name =
        file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok((name, measured))
}

/// Makes sure that every file that was asked for can be written.
fn check(args: &ReportArgs) -> Result<(), Failure> {
    Ok(outfile::check_each([
        (&args.out, Kind::Page),
        (&args.svg, Kind::Svg),
        (&args.png, Kind::Png),
        (&args.pdf, Kind::Pdf),
        (&args.data, Kind::Table),
        (&args.caption, Kind::Caption),
    ])?)
}

/// Whether a folder has runs of a sweep or a plan.
fn is_sweep(dir: &Path) -> bool {
    matches!(folder::kind(dir), Some(folder::Kind::Sweep | folder::Kind::Plan))
}

/// Whether a folder has an evaluation.
fn is_evaluation(dir: &Path) -> bool {
    folder::kind(dir) == Some(folder::Kind::Evaluation)
}

/// The folders that were given. A pattern such as `results/*` finds our own report among
/// them, which is passed over.
fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let (files, folders): (Vec<PathBuf>, Vec<PathBuf>) =
        given.iter().cloned().partition(|path| path.is_file());
    let other = files.iter().find(|file| folders.is_empty() || !file.ends_with(REPORT));
    other.map_or(Ok(folders), |file| {
        let message = format!("{} is a file, not a folder of results", file.display());
        Err(Failure::input(message, "give the folder that it is in"))
    })
}

/// The pages that were asked for, and where each goes unless said otherwise.
fn pages(dirs: &[PathBuf], args: &ReportArgs) -> Result<Vec<(PathBuf, Page)>, Failure> {
    kinds::one_page(dirs)?;
    if let [dir] = dirs
        && let plans @ [_, ..] = &planned::of_buffers(dir)[..]
    {
        kinds::one_plan(dir, plans, args)?;
        let mut pages = plans.iter().map(|dir| plan(dir, args)).collect::<Result<Vec<_>, _>>()?;
        if plans.len() > 1 {
            pages.push((dir.join(REPORT), super::plan::buffers::of_folder(dir)?));
        }
        return Ok(pages);
    }
    if let Some(dir) = dirs.iter().find(|dir| planned::is_plan(dir)) {
        return Ok(vec![plan(dir, args)?]);
    }
    if let Some(dir) = dirs.iter().find(|dir| is_sweep(dir)) {
        if !dir.join(POINTS).is_file() {
            let message =
                format!("{} has runs, but no results were made from them yet", dir.display());
            let help = "the sweep or plan was stopped: the same command continues it";
            return Err(Failure::input(message, help));
        }
        no_replicate(dir, "shows means of all replicates", args)?;
        let summary = SweepSummary::read(dir)?;
        let mut page = tusker_report::sweep::of_sweep(&summary);
        let other = args.figure.iter().filter(|name| page.figure(name).is_none());
        let other = other.filter_map(|name| tusker_report::sweep::of_measure(&summary, name));
        let other: Vec<_> = other.map(Block::from).collect();
        page.section("Other measures", other);
        return Ok(vec![(dir.join(REPORT), page)]);
    }
    if let Some(dir) = dirs.iter().find(|dir| is_evaluation(dir)) {
        no_replicate(dir, "shows means of all replicates", args)?;
        return Ok(vec![(dir.join(REPORT), evaluate::stored_page(dir)?)]);
    }
    if let Some(dir) = dirs.iter().find(|dir| watched::is_watched(dir)) {
        no_replicate(dir, "was watched in the kernel and has no replicates", args)?;
        return Ok(vec![(file_of(dirs), of_watched(dirs)?)]);
    }
    if let Some(dir) = dirs.iter().find(|dir| is_reproduction(dir)) {
        return reproduce::pages(dir, args.replicate);
    }
    let mut page = page(&with_results(dirs), args.replicate)?;
    for dir in dirs {
        results::add_harm(&mut page, &harm::read(dir)?);
    }
    Ok(vec![(file_of(dirs), page)])
}

/// The page of a plan, and where it goes.
fn plan(dir: &Path, args: &ReportArgs) -> Result<(PathBuf, Page), Failure> {
    no_replicate(dir, "shows means of all replicates", args)?;
    let page = tusker_report::plan::whole_page(&planned::read(dir)?);
    Ok((dir.join(REPORT), page))
}

/// Where a page of these folders goes: into the only one, or the current folder.
fn file_of(dirs: &[PathBuf]) -> PathBuf {
    match dirs {
        [only] => only.join(REPORT),
        _ => PathBuf::from(REPORT),
    }
}

/// What was given, and in the place of a folder without results those below it that have
/// some, as `compare --out` makes it.
fn with_results(given: &[PathBuf]) -> Vec<PathBuf> {
    let below = |dir: &PathBuf| {
        let mut below: Vec<_> = match fs::read_dir(dir) {
            Ok(entries) if !has_results(dir) => entries.flatten().map(|e| e.path()).collect(),
            _ => Vec::new(),
        };
        below.retain(|path| has_results(path));
        below.sort_by_cached_key(|path| (place_in_command(path), path.clone()));
        if below.is_empty() { vec![dir.clone()] } else { below }
    };
    given.iter().flat_map(below).collect()
}

/// Where the name of a folder stands in the command that made it, such as `reno`, which comes
/// before `hstcp` in a list of both: what was asked for first is shown first.
fn place_in_command(dir: &Path) -> usize {
    let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let manifest = fs::read(dir.join("manifest.json")).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || "-_+.".contains(c);
    let words = manifest["command"].as_array().into_iter().flatten();
    let words = words.filter_map(|word| word.as_str()).flat_map(|word| word.split(|c| !plain(c)));
    words.into_iter().position(|word| word == name).unwrap_or(usize::MAX)
}

/// What has no replicate over time.
fn no_replicate(dir: &Path, why: &str, args: &ReportArgs) -> Result<(), Failure> {
    if args.replicate.is_none() {
        return Ok(());
    }
    Err(Failure::input(format!("--replicate: {} {why}", dir.display()), "leave it out"))
}

/// The page of folders of what was watched in the kernel.
fn of_watched(dirs: &[PathBuf]) -> Result<Page, Failure> {
    let stored = dirs.iter().map(|dir| watched::Stored::read(dir));
    Ok(tusker_report::watched::of_watched(&stored.collect::<Result<Vec<_>, _>>()?))
}

/// The page of these folders.
pub fn page(dirs: &[PathBuf], replicate: Option<u32>) -> Result<Page, Failure> {
    let stored = dirs.iter().map(|dir| Stored::read(dir, replicate));
    Ok(results::of_results(&stored.collect::<Result<Vec<_>, _>>()?))
}
