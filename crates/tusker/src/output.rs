//! Writing to stdout, which is data, and to stderr, which is talk.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;

/// Writes to stdout; colours only where they are wanted.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// The same where something is stored as well, which a reader that has seen
/// enough must not prevent: the caller returns what went wrong when it is done.
pub fn print_and_go_on(text: &str, quiet: bool) -> Result<(), Failure> {
    let printed = print(text);
    if matches!(printed, Err(Failure::PipeClosed)) && !quiet {
        say("note: stdout was closed before everything was printed");
    }
    printed
}

/// Says something on stderr.
pub fn say(text: &str) {
    // nobody may be listening, which is their business
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// A bar on stderr that fills as simulated time passes; hidden when stderr is
/// not a terminal or nobody wants to see it.
pub fn progress(steps: u64, quiet: bool) -> ProgressBar {
    let target = if quiet || !io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr_with_hz(10)
    };
    let style = "{msg:<24} [{bar:32}] {percent:>3} %  {elapsed}, {eta} left";
    ProgressBar::with_draw_target(Some(steps), target).with_style(
        ProgressStyle::with_template(style).expect("the template is right").progress_chars("=> "),
    )
}

/// A heading, with ANSI codes that [`print()`] leaves out where they would hurt.
pub fn bold(text: &str) -> String {
    format!("\x1b[1m{text}\x1b[0m")
}
