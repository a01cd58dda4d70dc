//! Writing to stdout, which is for data, and to stderr, which is for messages.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use tusker_lab::News;
use tusker_measure::table::CODE;

use crate::failure::Failure;
use crate::screen::{Mood, coloured, for_stdout, hanging, say_line};

/// Writes to stdout; colours only where they are wanted.
pub fn print(text: &str) -> Result<(), Failure> {
    let text = for_stdout(text);
    // whether a colour is wanted is a question only where there is one
    let coloured = text.bytes().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let mut out: Box<dyn Write> =
        if coloured { Box::new(anstream::stdout().lock()) } else { Box::new(io::stdout().lock()) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Goes back over the last lines, and removes them.
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub fn rewind(lines: usize) -> Result<(), Failure> {
    write!(anstream::stdout(), "\x1b[{lines}A\x1b[J")?;
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

/// What a warning begins with.
const NOTE: &str = "note:";

/// Says something on stderr, in lines that fit; commands to copy begin with a colour or
/// further to the right, and stay whole.
pub fn say(text: &str) {
    let whole = text.starts_with([CODE, ' ']);
    let folded = if whole { text.to_owned() } else { hanging(text, NOTE) };
    let text = folded.as_str();
    match text.strip_prefix(NOTE) {
        Some(rest) => say_line(&format!("{}{rest}", coloured(NOTE, Mood::Mixed))),
        None => say_line(text),
    }
}

/// A bar on stderr that fills as simulated time passes; hidden when stderr is not a terminal or
/// nobody wants to see it.
pub fn progress(quiet: bool) -> ProgressBar {
    let target = if quiet || !io::stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr_with_hz(10)
    };
    ProgressBar::with_draw_target(Some(0), target).with_style(bar_style(None))
}

/// What a bar shows: how many runs are done, how fast it goes and how long the rest takes.
/// `seconds` is what a run simulates, if all are about alike.
pub fn bar_style(seconds: Option<f64>) -> ProgressStyle {
    let done = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let (done, all) = (state.pos() / News::STEPS, state.len().unwrap_or(0) / News::STEPS);
        // one run has a name, which stands there already
        let _ = if all == 1 { Ok(()) } else { write!(out, "{done} of {all} runs") };
    };
    let rate = move |state: &ProgressState, out: &mut dyn fmt::Write| {
        let runs = state.per_sec() / News::STEPS as f64;
        let _ = match seconds {
            Some(seconds) => write!(out, "{:.1} x real time", runs * seconds),
            None => write!(out, "{:.1} runs/min", runs * 60.0),
        };
    };
    let style = "{msg}{done}  [{wide_bar}] {percent:>3} %  {rate}  {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is right");
    style.with_key("done", done).with_key("rate", rate).progress_chars("=> ")
}
