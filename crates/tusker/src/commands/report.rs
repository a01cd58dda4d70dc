//! `tusker report`: a page of stored results, or a figure of it.

use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr};
use tusker_record::store::{REPORT, Stored};
use tusker_report::{Page, html, png, results, svg};

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::output::{print, say};

pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let page = page(&args.dirs, args.replicate)?;
    if args.list {
        let names = page.names();
        let longest = names.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let lines = names.iter().map(|(name, title)| format!("{name:longest$}  {title}\n"));
        return print(&lines.collect::<String>());
    }
    if let Some(name) = &args.figure {
        return figure(&page, name, args);
    }
    let file = match (&args.out, args.dirs.as_slice()) {
        (Some(file), _) => file.clone(),
        (None, [only]) => only.join(REPORT),
        (None, _) => PathBuf::from(REPORT),
    };
    write(&file, html::html(&page).as_bytes())?;
    say(&format!("the report is {}", file.display()));
    Ok(())
}

/// The page of these folders.
pub fn page(dirs: &[PathBuf], replicate: Option<u32>) -> Result<Page, Failure> {
    let stored = dirs.iter().map(|dir| Stored::read(dir, replicate));
    Ok(results::of_results(&stored.collect::<Result<Vec<_>, _>>()?))
}

/// Writes a file.
pub fn write(file: &Path, content: &[u8]) -> Result<(), Failure> {
    std::fs::write(file, content)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
        .map_err(Failure::Other)
}

fn figure(page: &Page, name: &str, args: &ReportArgs) -> Result<(), Failure> {
    let Some(figure) = page.figure(name) else {
        let names: Vec<String> = page.names().into_iter().map(|(name, _)| name).collect();
        let message = format!("--figure: there is no figure `{}`", name.escape_debug());
        return Err(Failure::input(message, format!("these exist: {}", names.join(", "))));
    };
    if args.svg.is_none() && args.png.is_none() {
        let help = format!("add --svg {name}.svg or --png {name}.png");
        return Err(Failure::input("--figure: no file to draw it into", help));
    }
    if let Some(file) = &args.svg {
        write(file, svg::svg(&figure, svg::Theme::Paper).as_bytes())?;
    }
    if let Some(file) = &args.png {
        write(file, &png::png(&figure))?;
    }
    Ok(())
}
