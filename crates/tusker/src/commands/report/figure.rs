//! `tusker report --figure`: a figure as files for a paper.

use std::path::{Path, PathBuf};

use tusker_report::figure::Figure;
use tusker_report::svg::{self, Format};
use tusker_report::{Page, results};

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::outfile::{CAPTION, Kind, write};
use crate::output::say;
use crate::running::command_line;
use crate::screen::prose;

/// Inches, unless said otherwise.
const WIDTH: f64 = 7.2;

/// Draws the figure of this name into the files that were asked for.
pub(super) fn figure(
    pages: &[(PathBuf, Page)],
    name: &str,
    args: &ReportArgs,
) -> Result<(), Failure> {
    let mut figure = named(pages, name.trim())?;
    let words = args.label.iter().map(|words| label(words)).collect::<Result<Vec<_>, _>>()?;
    figure.rename(&words).map_err(|(missed, known)| {
        let message = format!("--label: the figure has no name `{}`", missed.escape_debug());
        Failure::input(message, format!("it has these: {}", known.join(", ")))
    })?;
    let files = [&args.svg, &args.png, &args.pdf, &args.data, &args.caption];
    if files.into_iter().all(Option::is_none) {
        let help = format!(
            "add --svg {name}.svg, --png {name}.png or --pdf {name}.pdf, or --data {name}.csv"
        );
        return Err(Failure::input("--figure: no file is given", help));
    }
    has_effect(args)?;
    // the drawing counts in hundredths of an inch
    let format = Format {
        x: args.x_range,
        y: args.y_range,
        line: args.line,
        ..Format::wide((100.0 * args.width.unwrap_or(WIDTH)).round())
    };
    let drawing = svg::drawn(&figure, svg::Theme::Paper, &format)
        .map_err(|no| Failure::input(format!("--{}: {}", no.what, no.why), no.help))?;
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
    let source = caption.drawn_from().map(|from| format!("drawn from {from}"));
    let caption = caption.without_source().to_string();
    let made = made_by(pages);
    if let Some(file) = &args.caption {
        let data = source.iter().map(|source| format!("\n\nData: {source}"));
        let data = data.collect::<String>();
        let text = format!("{CAPTION}\n\n{caption}{data}\n\nM{}\n", &made[1..]);
        write(file, Kind::Caption, text.as_bytes())?;
        done(file, "the caption below, and the commands");
    }
    if !args.quiet {
        say(&prose(&caption));
        if let Some(source) = source {
            say(&prose(&format!("data: {source}")));
        }
        say(&made);
    }
    Ok(())
}

/// Makes sure that no option only changes a drawing if none is written.
fn has_effect(args: &ReportArgs) -> Result<(), Failure> {
    if [&args.svg, &args.png, &args.pdf].into_iter().any(Option::is_some) {
        return Ok(());
    }
    // what a caption says, too
    let uncaptioned = args.caption.is_none();
    let given = [
        ("width", args.width.is_some()),
        ("x-range", uncaptioned && args.x_range.is_some()),
        ("y-range", uncaptioned && args.y_range.is_some()),
        ("line", uncaptioned && args.line.is_some()),
    ];
    given.into_iter().find(|(_, given)| *given).map_or(Ok(()), |(option, _)| {
        let message = format!("--{option}: changes a drawing, and none is written");
        Err(Failure::input(message, "add --svg, --png or --pdf, or leave it out"))
    })
}

/// The commands that made what is drawn, and the one that is running: whoever types these again
/// has the same figure.
fn made_by(pages: &[(PathBuf, Page)]) -> String {
    let made = || pages.iter().flat_map(|(_, page)| &page.commands);
    let file = |of: &str| made().any(|own| own.contains(".toml") && own.contains(of));
    let keep = match (file("tusker sweep"), file("tusker ")) {
        (true, _) => " (base.toml in the folder is the scenario file)",
        (false, true) => " (scenario.toml in the folder is the scenario with all defaults)",
        (false, false) => "",
    };
    let commands = made().map(|command| format!("  {command}\n"));
    let commands: String = commands.collect();
    format!("made by{keep}:\n{commands}  {}", results::command(&command_line()))
}

/// The figure of this name.
fn named(pages: &[(PathBuf, Page)], name: &str) -> Result<Figure, Failure> {
    pages.iter().find_map(|(_, page)| page.figure(name)).ok_or_else(|| {
        let names = pages.iter().flat_map(|(_, page)| page.names());
        let names: Vec<String> = names.map(|(name, _)| name).collect();
        let message = format!("--figure: there is no figure `{}`", name.escape_debug());
        let help = match names.as_slice() {
            [] => "there are none here; figures of a paper are drawn by tusker reproduce PAPER \
                   --figure NUMBERS"
                .to_owned(),
            names => format!("these exist: {}", names.join(", ")),
        };
        Failure::input(message, help)
    })
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
