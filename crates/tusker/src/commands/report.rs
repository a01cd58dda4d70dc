//! `tusker report`: a page of stored results, or a figure of it.

mod apart;

use std::fs;
use std::path::{Path, PathBuf};

use tusker_papers::stored::is_reproduction;
use tusker_record::store::sweep::{Journal, POINTS, SweepSummary};
use tusker_record::store::{REPORT, Stored, has_results, planned, watched};
use tusker_report::figure::Figure;
use tusker_report::svg::{self, Format, Keys};
use tusker_report::{Page, html, results};

use super::{harm, reproduce};
use crate::args::{Keys as Place, ReportArgs};
use crate::failure::Failure;
use crate::outfile::{Kind, write};
use crate::output::{print, say};
use crate::screen::prose;

pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let pages = pages(&folders(&args.dirs)?, args)?;
    if args.list {
        let names: Vec<_> = pages.iter().flat_map(|(_, page)| page.names()).collect();
        let longest = names.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let lines = names.iter().map(|(name, title)| format!("{name:longest$}  {title}\n"));
        return print(&lines.collect::<String>());
    }
    if let Some(name) = &args.figure {
        return figure(&pages, name, args);
    }
    let pages = match &args.out {
        Some(file) => {
            let one = pages.into_iter().map(|(_, page)| page).reduce(Page::and);
            one.map(|page| (file.clone(), page)).into_iter().collect()
        }
        None => pages,
    };
    for (file, page) in &pages {
        write(file, Kind::Page, html::html(page).as_bytes())?;
        if !args.quiet {
            say(&format!("the report is {}", file.display()));
        }
    }
    Ok(())
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
    apart::one_page(dirs)?;
    if let [dir] = dirs
        && let plans @ [_, ..] = &planned::of_buffers(dir)[..]
    {
        apart::one_plan(dir, plans, args)?;
        let mut pages = plans.iter().map(|dir| plan(dir, args)).collect::<Result<Vec<_>, _>>()?;
        if plans.len() > 1 {
            let all = plans.iter().map(|dir| planned::read(dir)).collect::<Result<Vec<_>, _>>()?;
            pages.push((dir.join(REPORT), tusker_report::plans::of_plans(&all, dir)));
        }
        return Ok(pages);
    }
    if let Some(dir) = dirs.iter().find(|dir| planned::is_plan(dir)) {
        return Ok(vec![plan(dir, args)?]);
    }
    if let Some(dir) = dirs.iter().find(|dir| Journal::is_sweep(dir)) {
        if !dir.join(POINTS).is_file() {
            let message =
                format!("{} has runs, but no results were made from them yet", dir.display());
            let help = "the sweep or plan was stopped: the same command continues it";
            return Err(Failure::input(message, help));
        }
        no_replicate(dir, "shows means of all replicates", args)?;
        let page = tusker_report::sweep::of_sweep(&SweepSummary::read(dir)?);
        return Ok(vec![(dir.join(REPORT), page)]);
    }
    if let Some(dir) = dirs.iter().find(|dir| watched::is_watched(dir)) {
        no_replicate(dir, "was watched in the kernel and has no replicates", args)?;
        return Ok(vec![(file_of(dirs), of_watched(dirs)?)]);
    }
    if let Some(dir) = dirs.iter().find(|dir| is_reproduction(dir)) {
        return reproduce::pages(dir, args.replicate);
    }
    let mut page = page(&with_results(dirs), args.replicate)?;
    dirs.iter().try_for_each(|dir| harm::show(&mut page, dir))?;
    Ok(vec![(file_of(dirs), page)])
}

/// The page of a plan, and where it goes.
fn plan(dir: &Path, args: &ReportArgs) -> Result<(PathBuf, Page), Failure> {
    no_replicate(dir, "shows means of all replicates", args)?;
    let page = tusker_report::plan::of_plan(&planned::read(dir)?);
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
        below.sort();
        if below.is_empty() { vec![dir.clone()] } else { below }
    };
    given.iter().flat_map(below).collect()
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

fn figure(pages: &[(PathBuf, Page)], name: &str, args: &ReportArgs) -> Result<(), Failure> {
    let Some(mut figure) = pages.iter().find_map(|(_, page)| page.figure(name)) else {
        let names = pages.iter().flat_map(|(_, page)| page.names());
        let names: Vec<String> = names.map(|(name, _)| name).collect();
        let message = format!("--figure: there is no figure `{}`", name.escape_debug());
        return Err(Failure::input(message, format!("these exist: {}", names.join(", "))));
    };
    let words = args.label.iter().map(|words| label(words)).collect::<Result<Vec<_>, _>>()?;
    figure.rename(&words).map_err(|(old, known)| {
        let message = format!("--label: the figure has no name `{}`", old.escape_debug());
        Failure::input(message, format!("it has these: {}", known.join(", ")))
    })?;
    if [&args.svg, &args.png, &args.pdf, &args.data].into_iter().all(Option::is_none) {
        let help = format!(
            "add --svg {name}.svg, --png {name}.png or --pdf {name}.pdf, or --data {name}.csv"
        );
        return Err(Failure::input("--figure: no file is given", help));
    }
    let format = format(args);
    let drawing = drawing(&figure, args, &format)?;
    let size = svg::inches(&drawing);
    let size = size.map_or(String::new(), |(wide, high)| format!("{wide} x {high} in"));
    let done = |file: &Path, what: &str| {
        if !args.quiet {
            say(&format!("wrote {} ({what})", file.display()));
        }
    };
    if let Some(file) = &args.svg {
        write(file, Kind::Svg, drawing.as_bytes())?;
        done(file, &size);
    }
    if let Some(file) = &args.png {
        write(file, Kind::Png, &png(&drawing)?)?;
        done(file, &size);
    }
    if let Some(file) = &args.pdf {
        write(file, Kind::Pdf, &pdf(&drawing, &figure.title)?)?;
        done(file, &size);
    }
    if let Some(file) = &args.data {
        let table = figure.csv();
        write(file, Kind::Table, table.as_bytes())?;
        let rows = table.lines().count() - 1;
        done(file, &format!("{rows} {}", if rows == 1 { "row" } else { "rows" }));
    }
    // what a band is has to stand below it in a paper, too
    let caption = svg::caption(&figure, &format);
    if !caption.is_empty() && !args.quiet {
        say(&prose(&caption));
    }
    Ok(())
}

/// Size, axes and keys, as they were asked for.
fn format(args: &ReportArgs) -> Format {
    // the drawing counts in hundredths of an inch
    let length = |inches: f64| (100.0 * inches).round();
    Format {
        high: args.height.map(length),
        x: args.x_range,
        y: args.y_range,
        keys: match args.legend {
            None => Keys::Fitting,
            Some(Place::Above) => Keys::Above,
            Some(Place::Right) => Keys::Right,
            Some(Place::Inside) => Keys::Inside,
            Some(Place::None) => Keys::None,
        },
        ..Format::wide(length(args.width))
    }
}

/// The figure as SVG.
fn drawing(figure: &Figure, args: &ReportArgs, format: &Format) -> Result<String, Failure> {
    let drawing = svg::drawn(figure, svg::Theme::Paper, format)
        .map_err(|no| Failure::input(format!("--{}: {}", no.what, no.why), no.help))?;
    let (outside, all) = figure.plot.outside(format.x, format.y);
    if outside > 0 {
        let given = [args.x_range.map(|_| "--x-range"), args.y_range.map(|_| "--y-range")];
        let given: Vec<&str> = given.into_iter().flatten().collect();
        say(&format!(
            "note: {outside} of {all} points lie outside {} and are not drawn",
            given.join(" and ")
        ));
    }
    Ok(drawing)
}

/// A name and what is to stand in its place.
fn label(words: &str) -> Result<(String, String), Failure> {
    let pair = words.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
    let (old, new) = pair.ok_or_else(|| {
        let message = format!("--label: `{}` is not a name and a text", words.escape_debug());
        Failure::input(message, "write NAME=TEXT, such as --label ghstcp=gHSTCP")
    })?;
    Ok((old.to_owned(), new.to_owned()))
}

#[cfg(feature = "png")]
fn png(drawing: &str) -> Result<Vec<u8>, Failure> {
    Ok(tusker_report::png::png(drawing))
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Vec<u8>, Failure> {
    let help = "use --svg, or build with the feature `png`, which `make build` does";
    Err(Failure::input("--png: this build of tusker cannot write PNG", help))
}

#[cfg(feature = "pdf")]
fn pdf(drawing: &str, title: &str) -> Result<Vec<u8>, Failure> {
    Ok(tusker_report::pdf::pdf(drawing, title))
}

#[cfg(not(feature = "pdf"))]
fn pdf(_: &str, _: &str) -> Result<Vec<u8>, Failure> {
    let help = "use --svg, or build with the feature `pdf`, which `make build` does";
    Err(Failure::input("--pdf: this build of tusker cannot write PDF", help))
}
