//! Reads a value from a text with changes from the command line.

use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml_edit::{Document, DocumentMut};

use super::de;
use super::error::{Error, Fault, Mistake};
use super::overrides::{apply, each};
use super::recorded::Seems;
use super::source::{Set, Source, Text, is_prefix, path_at};

/// The largest scenario file that is read. A scenario with ten thousand links needs
/// a tenth of this.
pub const MAX_BYTES: usize = 4 << 20;

/// The text of a file.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    use std::io::Read;
    let name = path.display();
    let unreadable = |e: std::io::Error| {
        Error::bare(Mistake::new(
            format!("cannot read the scenario `{name}`: {e}"),
            "give the path of a TOML file; examples/ has some",
        ))
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if let Some(other) = other_file(&name.to_string(), &bytes)
        .filter(|_| bytes.len() > MAX_BYTES || std::str::from_utf8(&bytes).is_err())
    {
        return Err(Error::bare(other));
    }
    if bytes.len() > MAX_BYTES {
        return Err(Error::bare(too_long(&name.to_string())));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let byte = e.as_bytes()[at];
        Error::bare(Mistake::new(
            format!("`{name}` is not a text file: byte {at} (0x{byte:02x}) is not UTF-8"),
            "a scenario is a TOML file in UTF-8; is this a result, an archive, or a truncated file?",
        ))
    })
}

/// What is wrong with a file of another tool.
fn other_file(name: &str, bytes: &[u8]) -> Option<Mistake> {
    let seems = Seems::of(bytes);
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let table = seems == Seems::Columns && !first.iter().any(|b| b"=[".contains(b));
    (seems.is_certain() || table).then(|| {
        let message = format!("`{name}` seems to be {}, not a scenario", seems.what());
        Mistake::new(
            message,
            seems.remedy().unwrap_or("a scenario is a TOML file; examples/ has some"),
        )
    })
}

fn too_long(name: &str) -> Mistake {
    Mistake::new(
        format!("`{name}` is longer than {} MiB, the most that a scenario may be", MAX_BYTES >> 20),
        "use `count` for many identical flows, or split the experiment",
    )
}

/// Reads a value from TOML text, after the overrides.
pub(super) fn parse<T: DeserializeOwned>(
    name: &str,
    text: &str,
    sets: &[String],
) -> Result<(T, Source), Error> {
    if text.len() > MAX_BYTES {
        return Err(Error::bare(too_long(name)));
    }
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(Error::bare(Mistake::new(
            format!("`{name}` is empty"),
            "a scenario needs at least `profile`, `duration`, a topology and [[flows]]",
        )));
    }
    let shared: Arc<str> = text.into();
    let document = Document::parse(text.to_owned()).map_err(|e| {
        if let Some(other) = other_file(name, text.as_bytes()) {
            return Error::bare(other);
        }
        let mistake = Mistake::new(
            format!("not valid TOML: {}", e.message().trim().replace('\n', "; ")),
            "TOML has `key = value` lines, [tables] and [[arrays of tables]]; texts are in quotes",
        );
        Error::new(mistake, name, &shared, e.span())
    })?;
    let mut source = Text { name: name.into(), text: shared, document, sets: Vec::new() };
    if sets.is_empty() {
        let value = de::read(source.document.as_table())
            .map_err(|(mistake, span)| Error::new(mistake, name, &source.text, span))?;
        return Ok((value, Source::from(source)));
    }
    let (edited, made, single) = applied(source.document.clone().into_mut(), sets)?;
    source.sets = made;
    // parse again, so that every value has a place
    let edited = Document::parse(edited.to_string())
        .map_err(|e| Error::bare(Mistake::new(e.message(), "check the values given to --set")))?;
    match de::read(edited.as_table()) {
        Ok(value) => Ok((value, Source::from(source))),
        Err((mistake, span)) => {
            let (path, on_key) = span.map_or_else(Default::default, |span| path_at(&edited, &span));
            // a table made by overrides has no place; if the file alone is fine, an
            // override is at fault
            let known = source.sets.iter().any(|set| is_prefix(&set.path, &path));
            let first = source.document.clone().into_mut();
            match culprit::<T>(&first, &single).filter(|_| !known) {
                Some(set) => Err(wrong(&source.sets[set], mistake)),
                None => Err(Source::from(source).error(Fault { path, on_key, mistake })),
            }
        }
    }
}

/// Reads a value from a document that has no text, after the overrides.
pub(super) fn edited<T: DeserializeOwned>(
    document: &DocumentMut,
    sets: &[String],
) -> Result<(T, Vec<Set>), Error> {
    let (edited, made, single) = applied(document.clone(), sets)?;
    match de::read(edited.as_table()) {
        Ok(value) => Ok((value, made)),
        Err((mistake, _)) => match culprit::<T>(document, &single) {
            Some(set) => Err(wrong(&made[set], mistake)),
            None => Err(Error::bare(mistake)),
        },
    }
}

/// A document with overrides, and each of these alone.
fn applied(
    mut document: DocumentMut,
    sets: &[String],
) -> Result<(DocumentMut, Vec<Set>, Vec<String>), Error> {
    let (mut made, mut single) = (Vec::new(), Vec::new());
    for set in sets {
        for set in each(&document, set) {
            made.push(apply(&mut document, &set)?);
            single.push(set);
        }
    }
    Ok((document, made, single))
}

/// A mistake that an override makes.
fn wrong(set: &Set, mistake: Mistake) -> Error {
    let on_key = mistake.message.starts_with("unknown key");
    set.error(mistake, on_key)
}

/// The first override with which the document becomes invalid, if it is valid
/// without any.
fn culprit<T: DeserializeOwned>(document: &DocumentMut, sets: &[String]) -> Option<usize> {
    let with = |count: usize| {
        let edited = applied(document.clone(), &sets[..count]);
        edited.is_ok_and(|(edited, ..)| de::read::<T>(edited.as_table()).is_ok())
    };
    if !with(0) {
        return None;
    }
    (0..sets.len()).rev().find(|&count| with(count))
}
