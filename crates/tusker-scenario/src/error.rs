//! What is wrong with a scenario, and where.
//!
//! Inside this crate a mistake is found at a *path* (`flows.0.cc.z`); only when it
//! is reported is the path looked up in the source text. So the structs stay plain,
//! and a scenario that never had a text can also be checked.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};

use crate::shown::shown;

/// What is wrong with a scenario.
///
/// `Display` gives only the message. As a [`miette::Diagnostic`] it also shows the
/// file, the line, the offending text and the remedy.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    message: String,
    help: Option<String>,
    text: Option<NamedSource<Arc<str>>>,
    span: Option<SourceSpan>,
    place: Option<String>,
    offending: Option<String>,
    /// Of a scenario made by a program: the path of the key, and what is wrong with it.
    of_key: Option<(String, String)>,
    /// The text that the mistake is in, and where.
    within: Option<(Arc<str>, Span)>,
}

/// Longest line, in bytes, that is shown in full.
const LONGEST_LINE: usize = 500;

impl Error {
    /// A mistake in `text`, which has a name. The mark ends at the end of its line;
    /// a very long line is only quoted.
    pub(super) fn new(mistake: Mistake, name: &str, text: &Arc<str>, span: Option<Span>) -> Self {
        let mut error = Self::bare(mistake);
        let Some(span) = span else {
            error.0.message = format!("{name}: {}", error.0.message);
            error.0.place = Some(name.to_owned());
            return error;
        };
        let start = floor_char(text, span.start);
        let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
        let end = floor_char(text, span.end.min(line_end)).max(start);
        error.0.within = Some((Arc::clone(text), start..end));
        let line_start = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        error.0.place = Some(format!("{name}:{line}:{column}"));
        error.0.offending = Some(quote(&text[start..end]));
        // a snippet also shows the neighbouring lines
        let before = text[..line_start.saturating_sub(1)].rfind('\n').map_or(0, |n| n + 1);
        let after = text.get(line_end + 1..).and_then(|rest| rest.find('\n'));
        let after = after.map_or(text.len(), |n| line_end + 1 + n);
        if text[before..after].lines().all(|line| line.len() <= LONGEST_LINE) {
            let whole: Arc<str> = match shown(text) {
                Cow::Borrowed(_) => Arc::clone(text),
                Cow::Owned(whole) => whole.into(),
            };
            let [start, end] = [start, end].map(|at| shown(&text[..at]).len());
            error.0.text = Some(NamedSource::new(shown(name), whole).with_language("TOML"));
            error.0.span = Some(SourceSpan::from(start..end));
        } else {
            let inner = &mut error.0;
            let (place, quoted) = (inner.place.as_deref(), inner.offending.as_deref());
            let (place, quoted) = (place.unwrap_or(name), quoted.unwrap_or_default());
            inner.message = format!("{place}: {} (`{quoted}`)", inner.message);
        }
        error
    }

    /// A mistake without a source text: an unreadable file, or a scenario made by a
    /// program.
    pub(super) fn bare(mistake: Mistake) -> Self {
        Self(Box::new(Inner {
            message: mistake.message,
            help: mistake.help,
            text: None,
            span: None,
            place: None,
            offending: None,
            of_key: None,
            within: None,
        }))
    }

    /// A mistake in a key of a scenario made by a program.
    pub(super) fn of_key(mut mistake: Mistake, path: String) -> Self {
        let message = format!("{path}: {}", mistake.message);
        let wrong = std::mem::replace(&mut mistake.message, message);
        let mut error = Self::bare(mistake);
        error.0.of_key = Some((path, wrong));
        error
    }

    /// A mistake in an option of a command.
    pub(super) fn of_option(mut mistake: Mistake, option: &str) -> Self {
        mistake.message = format!("{option}: {}", mistake.message);
        let mut error = Self::bare(mistake);
        error.0.place = Some(option.to_owned());
        error
    }

    /// The text that the mistake is in, and where, if it is in one.
    pub(super) fn within(&self) -> Option<(&str, Span)> {
        self.0.within.as_ref().map(|(text, span)| (&**text, span.clone()))
    }

    /// The same mistake in another text.
    pub(super) fn moved(self, name: &str, text: &str, span: Span) -> Self {
        // the quotation was from another text
        let prefix = self.0.place.as_ref().map(|place| format!("{place}: "));
        let message = prefix.and_then(|prefix| self.0.message.strip_prefix(&prefix));
        let ends = |message: &str| {
            let quoted = format!(" (`{}`)", self.0.offending.as_deref().unwrap_or_default());
            message.strip_suffix(&quoted).unwrap_or(message).to_owned()
        };
        let message = message.map_or_else(|| self.0.message.clone(), ends);
        let mistake = Mistake { message, help: self.0.help.clone() };
        Self::new(mistake, name, &text.into(), Some(span))
    }

    /// `file:line:column` of the mistake, if it is in a text.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// The path of the key that is wrong (`flows.0.cc.z`), and what is wrong with it, in a
    /// scenario made by a program.
    pub fn key(&self) -> Option<(&str, &str)> {
        self.0.of_key.as_ref().map(|(path, wrong)| (&**path, &**wrong))
    }

    /// The offending text, if there is one; shortened if it is long.
    pub fn offending(&self) -> Option<&str> {
        self.0.offending.as_deref()
    }

    /// The remedy.
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

fn floor_char(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// As one line, for tests and logs.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(place), Some(_)) = (self.place(), &self.0.offending) {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(text) = self.offending() {
            write!(f, " [{text}]")?;
        }
        if let Some(help) = &self.0.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl Diagnostic for Error {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.text.as_ref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.0.span?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".into()), span))))
    }
}

/// A range of bytes in a text.
pub(super) type Span = std::ops::Range<usize>;

/// A message and its remedy, without the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub message: String,
    pub help: Option<String>,
}

/// Separates the message from the help inside a serde error; texts from a file are
/// escaped before they get into either.
const SEPARATOR: char = '\u{1e}';

impl From<(String, String)> for Mistake {
    fn from((message, help): (String, String)) -> Self {
        Self { message, help: Some(help) }
    }
}

impl Mistake {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: Some(help.into()) }
    }

    /// This mistake at a path.
    pub fn at(self, path: impl Into<String>) -> Fault {
        Fault { path: path.into(), on_key: false, mistake: self }
    }

    /// This mistake in the key at a path.
    pub fn at_key(self, path: impl Into<String>) -> Fault {
        Fault { path: path.into(), on_key: true, mistake: self }
    }

    pub fn into_serde<E: serde::de::Error>(self) -> E {
        match self.help {
            Some(help) => E::custom(format_args!("{}{SEPARATOR}{help}", self.message)),
            None => E::custom(self.message),
        }
    }

    /// Translates serde's message into the words of this crate.
    pub fn from_serde(message: &str) -> Self {
        if let Some((message, help)) = message.split_once(SEPARATOR) {
            return Self::new(message, help);
        }
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        match (&quoted[..], message) {
            ([key, valid @ ..], _) if message.starts_with("unknown field") => {
                let message = format!("unknown key `{}`", quote(key));
                let within = match *key {
                    "buffer" | "queue" => "queue",
                    "rate" | "delay" | "loss" | "jitter" | "access" => key,
                    "rtt" => "delay",
                    _ => "",
                };
                match valid.contains(&"dumbbell") && !within.is_empty() {
                    true => {
                        let help = format!("that of a dumbbell's bottleneck is dumbbell.{within}");
                        Self::new(message, help)
                    }
                    false => Self::new(message, nearest(key, valid)),
                }
            }
            ([key], _) if message.starts_with("missing field") => {
                Self::new(format!("`{key}` is missing here"), format!("add `{key} = ...`"))
            }
            ([key], _) if message.starts_with("duplicate field") => {
                Self::new(format!("`{key}` is given twice"), "keep one of the two")
            }
            _ => {
                let wrong = ["invalid type: ", "invalid value: "];
                let wrong = wrong.iter().find_map(|start| message.strip_prefix(start));
                match wrong.and_then(|m| m.split_once(", expected ")) {
                    Some((found, wanted)) => {
                        let (found, wanted) = (quote(found), plain(wanted));
                        let message = format!("expected {wanted}, found {found}");
                        Self::new(message, format!("write {wanted}"))
                    }
                    None => Self { message: message.trim().replace('\n', "; "), help: None },
                }
            }
        }
    }
}

/// Serde's name of a type in common words.
fn plain(wanted: &str) -> &str {
    match wanted {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" => "a whole number from 0 to 9223372036854775807",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text in quotes",
        "a sequence" => "a list",
        "a map" => "a table",
        _ if wanted.starts_with("struct ") => "a table",
        _ => wanted,
    }
}

/// A mistake and the path at which it was found.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub path: String,
    pub on_key: bool,
    pub mistake: Mistake,
}

/// User text prepared for a message: short, without control characters.
pub(super) fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    // on one line
    let one = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.into() };
    let short: String = text.chars().take(LONGEST).map(one).collect();
    let short = shown(&short);
    if text.chars().nth(LONGEST).is_some() { format!("{short}...") } else { short.into_owned() }
}

/// How far a name is from a valid one, in letters. Capitals do not count; names that differ
/// only in dashes and the like, or by `TCP` at the beginning, are the same: `H-TCP` is `htcp`.
pub fn distance(name: &str, valid: &str) -> usize {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric() || *c == '+');
        let plain = letters.flat_map(char::to_lowercase).take(64).collect::<String>();
        plain.strip_prefix("tcp").filter(|rest| rest.len() > 2).map_or(plain.clone(), str::to_owned)
    };
    match plain(name) == plain(valid) {
        true => 0,
        false => strsim::damerau_levenshtein(&name.to_lowercase(), &valid.to_lowercase()),
    }
}

/// "did you mean ...", and all valid names if they are few.
pub(super) fn nearest(name: &str, valid: &[&str]) -> String {
    const MANY: usize = 16;
    let wanted: String = name.to_lowercase().chars().take(64).collect();
    let best = valid
        .iter()
        .map(|v| (distance(&wanted, v), v))
        .filter(|(distance, v)| *distance <= 1 + v.len().max(wanted.len()) / 3)
        .min_by_key(|(distance, _)| *distance);
    let mut list = valid.iter().take(MANY).map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", ");
    if valid.len() > MANY {
        list.push_str(&format!(" and {} more", valid.len() - MANY));
    }
    if wanted == "bbr" && valid.contains(&"bbr1") && valid.contains(&"bbr3") {
        return "which one: `bbr1`, that of Linux, or `bbr3`?".to_owned();
    }
    match best {
        Some((_, v)) => format!("did you mean `{v}`? valid: {list}"),
        None if valid.is_empty() => "nothing is valid here".into(),
        None => format!("valid: {list}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_proposed() {
        let help = nearest("htscp", &["reno", "hstcp", "ghstcp"]);
        assert_eq!(help, "did you mean `hstcp`? valid: `reno`, `hstcp`, `ghstcp`");
        assert_eq!(nearest("zzzzzz", &["reno"]), "valid: `reno`");
        let help = nearest("H-TCP", &["hstcp", "htcp"]);
        assert_eq!(help, "did you mean `htcp`? valid: `hstcp`, `htcp`");
        assert_eq!(["TCP-Reno", "RENO", "rena", "hctp"].map(|n| distance(n, "reno")), [0, 0, 1, 4]);
    }

    #[test]
    fn serde_speaks_our_words() {
        let m = Mistake::from_serde("unknown field `rat`, expected one of `rate`, `delay`");
        assert_eq!(m.message, "unknown key `rat`");
        assert_eq!(m.help.unwrap(), "did you mean `rate`? valid: `rate`, `delay`");
        let m = Mistake::from_serde("invalid type: integer `5`, expected a rate such as \"1Gbit\"");
        assert_eq!(m.message, "expected a rate such as \"1Gbit\", found integer `5`");
    }
}
