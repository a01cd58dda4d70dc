//! What a terminal shows: how wide it is, and whether it gets colours.

use std::env;
use std::io::{IsTerminal, Write, stdout};
use std::sync::OnceLock;

use clap::ValueEnum;
use miette::MietteHandlerOpts;
use tusker_measure::table::{CODE, fold};
use tusker_report::terminal::{self, Detail, Terminal};
use tusker_scenario::shown;

/// What was found when the program began.
#[derive(Clone, Copy, Debug, Default)]
struct Screen {
    /// Columns, if there is a limit.
    columns: Option<usize>,
    /// Whether tables are shown with all their columns.
    wide: bool,
    /// Whether everything is shown that belongs to an answer.
    explain: bool,
    /// Whether somebody looks at stdout as it is printed.
    terminal: bool,
}

static SCREEN: OnceLock<Screen> = OnceLock::new();

/// When output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// Looks at the terminal and at what flags say of it. Before this is called, and in a
/// program that never does, tables have all their columns.
pub fn begin(wide: bool, explain: bool, color: Color) {
    let terminal = stdout().is_terminal();
    SCREEN.get_or_init(|| Screen { columns: found(), wide, explain, terminal });
    match color {
        Color::Auto => {}
        Color::Always => {
            anstream::ColorChoice::Always.write_global();
            // it has been set already only if this is called twice
            let _ = miette::set_hook(Box::new(|_| {
                Box::new(MietteHandlerOpts::new().color(true).unicode(true).build())
            }));
        }
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Columns of the terminal on stdout; elsewhere those of the variable COLUMNS.
fn found() -> Option<usize> {
    let out = stdout();
    let terminal = out.is_terminal().then(|| terminal_size::terminal_size_of(&out)).flatten();
    match terminal {
        Some((terminal_size::Width(columns), _)) if columns > 0 => Some(columns.into()),
        _ => env::var("COLUMNS").ok()?.trim().parse().ok().filter(|&columns| columns > 0),
    }
}

fn screen() -> Screen {
    SCREEN.get().copied().unwrap_or_default()
}

/// Columns for a table; `None` if there is no limit.
pub fn room() -> Option<usize> {
    let Screen { columns, wide, .. } = screen();
    columns.filter(|_| !wide)
}

/// Rows for a table: on a terminal so many that its head can still be found; elsewhere
/// all.
pub fn most_rows() -> usize {
    const MOST: usize = 40;
    if screen().terminal { MOST } else { usize::MAX }
}

/// The terminal as a page is shown on it: all columns and rows with `--wide`, everything else
/// with `--explain`.
pub fn terminal(quiet: bool) -> Terminal {
    let Screen { columns, wide, explain, .. } = screen();
    let detail = match (explain, quiet) {
        (true, _) => Detail::All,
        (false, true) => Detail::Quiet,
        (false, false) => Detail::Short,
    };
    let rows = Some(most_rows()).filter(|&rows| rows < usize::MAX);
    Terminal { columns, rows, detail, wide }
}

/// The terminal for what is read from its beginning to its end: all rows, and lines of a
/// readable length where nothing limits them.
pub fn reader() -> Terminal {
    const READABLE: usize = 100;
    let columns = Some(screen().columns.unwrap_or(READABLE));
    Terminal { columns, rows: None, wide: room().is_none(), detail: Detail::All }
}

/// A line of text, folded between words where the terminal ends.
pub fn prose(line: &str) -> String {
    screen().columns.map_or_else(|| line.to_owned(), |columns| fold(line, columns).join("\n"))
}

/// Lines that are broken where they do not fit. What they go on with stands as far to the
/// right as they do, and after `head` as far as its text.
pub fn hanging(text: &str, head: &str) -> String {
    terminal::hanging(text, head, screen().columns)
}

/// How good a piece of news is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Mixed,
    Bad,
}

/// A verdict in its colour, with ANSI codes that [`crate::output::print()`] leaves out where they
/// would hurt.
pub fn coloured(text: &str, mood: Mood) -> String {
    let code = match mood {
        Mood::Mixed => 33,
        Mood::Bad => 31,
    };
    format!("{CODE}[{code}m{text}{CODE}[0m")
}

/// A text as a terminal may get it: with our own colours, and what others wrote escaped.
pub fn safe(text: &str) -> String {
    painted(&shown(text))
}

/// With the codes of [`coloured`] as a terminal wants them.
pub fn painted(text: &str) -> String {
    let mut parts = text.split(CODE);
    let mut painted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let own =
            ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m"].iter().any(|own| part.starts_with(own));
        painted.push(if own { '\x1b' } else { char::REPLACEMENT_CHARACTER });
        painted += part;
    }
    painted
}

/// What goes to stdout, in the form that is right for whoever reads it: a program gets what is
/// there.
pub fn for_stdout(text: &str) -> String {
    if screen().terminal { safe(text) } else { painted(text) }
}

/// Says something on stderr as it is.
pub fn say_line(text: &str) {
    // nobody may be listening, which is their business
    let _ = writeln!(anstream::stderr(), "{}", safe(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_codes_reach_a_terminal() {
        let text = format!("{} \x1b[31mx\x1b[0m \u{9b}2J {CODE}[2J", coloured("y\x07", Mood::Bad));
        let told = "\x1b[31my\\u{7}\x1b[0m \\u{1b}[31mx\\u{1b}[0m \\u{9b}2J \u{fffd}[2J";
        assert_eq!(safe(&text), told);
    }
}
