//! `tusker report --figure`: figures as files for a paper.

use std::path::{Path, PathBuf};

use tusker_report::figure::Figure;
use tusker_report::svg::{self, Format, Keys};
use tusker_report::{Page, results};

use crate::args::{Keys as Place, ReportArgs};
use crate::failure::Failure;
use crate::outfile::{CAPTION, Kind, write};
use crate::output::say;
use crate::running::command_line;
use crate::screen::prose;

/// Inches, unless said otherwise.
const WIDTH: f64 = 7.2;

/// Draws the figures that were asked for into the files that were asked for.
pub(super) fn figures(pages: &[(PathBuf, Page)], args: &ReportArgs) -> Result<(), Failure> {
    let named = args.figure.iter().map(|name| named(pages, name.trim()));
    let mut figures = named.collect::<Result<Vec<_>, _>>()?;
    let words = args.label.iter().map(|words| label(words)).collect::<Result<Vec<_>, _>>()?;
    rename(&mut figures, &words)?;
    let files = [&args.svg, &args.png, &args.pdf, &args.data, &args.caption];
    if files.into_iter().all(Option::is_none) {
        let name = &args.figure[0];
        let data = match figures.len() {
            1 => format!(", or --data {name}.csv"),
            _ => String::new(),
        };
        let help = format!("add --svg {name}.svg, --png {name}.png or --pdf {name}.pdf{data}");
        return Err(Failure::input("--figure: no file is given", help));
    }
    if args.data.is_some() && figures.len() > 1 {
        let message = format!("--data: takes one figure, and {} are named", figures.len());
        return Err(Failure::input(message, "run the command once for each figure of --data"));
    }
    has_effect(args)?;
    let format = format(args);
    let drawing = drawing(&figures, args, &format)?;
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
        let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
        write(file, Kind::Pdf, &pdf(&drawing, &titles.join("; "))?)?;
        done(file, &size);
    }
    if let Some(file) = &args.data {
        let table = figures[0].csv();
        write(file, Kind::Table, table.as_bytes())?;
        let rows = table.lines().count() - 1;
        done(file, &format!("{rows} {}", if rows == 1 { "row" } else { "rows" }));
    }
    // what a band is has to stand below it in a paper, too
    let captions = svg::captions(&figures, &format);
    let captions = captions.into_iter().map(|caption| {
        let source = caption.drawn_from().map(|from| format!("drawn from {from}"));
        (caption.without_source().to_string(), source)
    });
    let captions: Vec<(String, Option<String>)> = captions.collect();
    let made = made_by(pages);
    if let Some(file) = &args.caption {
        let texts = captions.iter().map(|(text, source)| {
            let source = source.iter().map(|source| format!("\n\nData: {source}"));
            format!("\n{text}{}\n", source.collect::<String>())
        });
        let texts: String = texts.collect();
        let text = format!("{CAPTION}\n{texts}\nM{}\n", &made[1..]);
        write(file, Kind::Caption, text.as_bytes())?;
        done(file, "the caption below, and the commands");
    }
    if !args.quiet {
        for (text, source) in &captions {
            say(&prose(text));
            if let Some(source) = source {
                say(&prose(&format!("data: {source}")));
            }
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
        ("height", args.height.is_some()),
        ("legend", args.legend.is_some()),
        ("x-range", uncaptioned && args.x_range.is_some()),
        ("y-range", uncaptioned && args.y_range.is_some()),
        ("line", uncaptioned && args.line.is_some()),
        ("error-bars", uncaptioned && args.error_bars),
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

/// Puts other words in the place of names; each has to be in one of the figures.
fn rename(figures: &mut [Figure], words: &[(String, String)]) -> Result<(), Failure> {
    let mut known: Vec<String> = Vec::new();
    let mut met = vec![false; words.len()];
    for figure in figures {
        let mut own: Vec<usize> = (0..words.len()).collect();
        loop {
            let pairs: Vec<_> = own.iter().map(|&nth| words[nth].clone()).collect();
            let mut put = figure.clone();
            let Err((old, names)) = put.rename(&pairs) else {
                *figure = put;
                break;
            };
            own.retain(|&nth| words[nth].0 != old);
            let new: Vec<_> = names.into_iter().filter(|name| !known.contains(name)).collect();
            known.extend(new);
        }
        own.iter().for_each(|&nth| met[nth] = true);
    }
    let Some(missed) = met.iter().position(|met| !met) else { return Ok(()) };
    let message = format!("--label: the figure has no name `{}`", words[missed].0.escape_debug());
    Err(Failure::input(message, format!("it has these: {}", known.join(", "))))
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
        bars: args.error_bars,
        line: args.line,
        ..Format::wide(length(args.width.unwrap_or(WIDTH)))
    }
}

/// The figures as SVG.
fn drawing(figures: &[Figure], args: &ReportArgs, format: &Format) -> Result<String, Failure> {
    let drawing = svg::several(figures, svg::Theme::Paper, format)
        .map_err(|no| Failure::input(format!("--{}: {}", no.what, no.why), no.help))?;
    let counts = figures.iter().map(|figure| figure.plot.outside(format.x, format.y));
    let (outside, all) = counts.fold((0, 0), |(out, all), own| (out + own.0, all + own.1));
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
