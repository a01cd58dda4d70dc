//! Files that the user names for a page or a picture. One that is there already is replaced
//! only if it is of the same kind, so that a typing error cannot overwrite a scenario.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::files;
use crate::traces::{pcapng, qlog};

/// What a file holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A page that this program made.
    Page,
    /// A drawing.
    Svg,
    /// A picture.
    Png,
    /// A page of a drawing's size.
    Pdf,
    /// Points of a figure.
    Table,
    /// What stands below a figure.
    Caption,
    /// Captured packets.
    Capture,
    /// What a sender told.
    Qlog,
    /// Verdicts as JUnit XML.
    JUnit,
    /// A page for `man`.
    Manual,
    /// What begins like this, and what it is called.
    Other(&'static str, &'static str),
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Page => "page of tusker",
            Self::Svg => "SVG drawing",
            Self::Png => "PNG picture",
            Self::Pdf => "PDF file",
            Self::Table => "table of CSV",
            Self::Caption => "caption that tusker wrote",
            Self::Capture => "packet capture (pcapng)",
            Self::Qlog => "qlog file (JSON-SEQ)",
            Self::JUnit => "JUnit XML file",
            Self::Manual => "manual page of tusker",
            Self::Other(_, name) => name,
        }
    }

    /// Whether a file that begins so is one.
    fn fits(self, head: &[u8]) -> bool {
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start();
        match self {
            Self::Page => files::is_page(head),
            Self::Svg => text.starts_with("<svg") || text.starts_with("<?xml"),
            Self::Png => head.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::Pdf => head.starts_with(b"%PDF-"),
            Self::Table => is_table(text),
            Self::Caption => text.starts_with(CAPTION),
            Self::Manual => text.contains(".TH tusker"),
            Self::Capture => head.starts_with(&pcapng::MAGIC),
            Self::Qlog => head.starts_with(&qlog::MAGIC),
            Self::JUnit => {
                text.starts_with("<testsuite")
                    || (text.starts_with("<?xml") && text.contains("<testsuite"))
            }
            Self::Other(begin, _) => text.starts_with(begin),
        }
    }
}

/// How a file with a caption begins.
pub const CAPTION: &str = "Caption:";

/// Two lines of as many cells, as far as they are known.
fn is_table(head: &str) -> bool {
    // commas outside of quotes
    let commas =
        |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum();
    let mut lines = head.split('\n');
    let first: usize = lines.next().map_or(0, commas);
    let second = lines.next().filter(|_| lines.next().is_some()).map(commas);
    first > 0
        && second.is_none_or(|second: usize| second == first)
        && !head.starts_with(['{', '[', '#'])
}

/// The same as [`check`] of files that may have been asked for.
///
/// # Errors
/// As of [`check`].
pub fn check_each<const N: usize>(files: [(&Option<PathBuf>, Kind); N]) -> Result<(), Error> {
    let named = files.into_iter().filter_map(|(file, kind)| Some((file.as_ref()?, kind)));
    named.into_iter().try_for_each(|(file, kind)| check(file, kind))
}

/// Makes sure that a file can be written, before the work that it is to hold.
///
/// # Errors
/// If it is there and of another kind, or cannot be written.
pub fn check(file: &Path, kind: Kind) -> Result<(), Error> {
    let about = match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        about => Some(about.map_err(|error| cannot(file, &error))?),
    };
    match about {
        // a pipe, a terminal, /dev/null
        Some(about) if !about.is_file() && !about.is_dir() => return Ok(()),
        Some(about) if about.is_file() => {
            let mut head = Vec::new();
            let read = File::open(file).and_then(|file| file.take(1024).read_to_end(&mut head));
            read.map_err(|error| cannot(file, &error))?;
            if !head.is_empty() && !kind.fits(&head) {
                return Err(Error::OtherFile { path: file.to_owned(), kind: kind.name() });
            }
        }
        Some(_) => return Err(cannot(file, &io::ErrorKind::IsADirectory.into())),
        None => {}
    }
    files::can_write_beside(&target(file)).map_err(|error| cannot(file, &error))
}

/// Makes sure that a file within a folder of results is one, or not there.
///
/// # Errors
/// If it is something else.
pub fn within(file: &Path) -> Result<(), Error> {
    files::is_file(file).map(drop).map_err(|error| cannot(file, &error))
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// As of [`check`].
pub fn write(file: &Path, kind: Kind, content: &[u8]) -> Result<(), Error> {
    check(file, kind)?;
    let path = target(file);
    let written = match fs::metadata(&path) {
        // it cannot be replaced, only written to
        Ok(about) if !about.is_file() => fs::write(&path, content),
        _ => files::write_whole(&path, content),
    };
    written.map_err(|error| cannot(file, &error))
}

/// What a link leads to, which is what is replaced.
fn target(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_owned())
}

fn cannot(file: &Path, error: &io::Error) -> Error {
    Error::NoFile { path: file.to_owned(), cause: error.to_string() }
}
