//! The files of the live page: within the program if it was built with them, else from
//! `target/page` beside it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::answer::Answer;
use crate::failure::Failure;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Where they are.
pub enum Files {
    /// In the program.
    Within,
    /// In a folder.
    Folder(PathBuf),
}

/// The files of the page; those of this folder, if one is given.
///
/// # Errors
/// If there are none.
pub fn all(given: Option<&Path>) -> Result<Files, Failure> {
    if let Some(page) = given {
        return match page.join("index.html").is_file() {
            true => Ok(Files::Folder(page.to_owned())),
            false => Err(Failure::input(
                format!("--page {}: no index.html in it", page.display()),
                "give the folder that `make page` makes: target/page",
            )),
        };
    }
    if !WITHIN.is_empty() {
        return Ok(Files::Within);
    }
    // target/release/tusker: target/page
    let program = std::env::current_exe().unwrap_or_default();
    let beside = program.parent().and_then(Path::parent).map(|target| target.join("page"));
    match beside.filter(|page| page.join("index.html").exists()) {
        Some(page) => Ok(Files::Folder(page)),
        None => Err(Failure::other(
            "this program was built without the live page",
            "`make page` builds it where a program in target/ finds it; --page DIR names \
             another folder",
        )),
    }
}

impl Files {
    /// Answers with the file of this name.
    pub fn answer(&self, name: &str) -> Answer {
        let name = if name.is_empty() { "index.html" } else { name };
        let body: Option<Cow<'static, [u8]>> = match self {
            Self::Within => {
                let found = WITHIN.iter().find(|(own, _)| *own == name);
                found.map(|(_, body)| Cow::Borrowed(*body))
            }
            Self::Folder(folder) => super::stored::within(folder, name)
                .and_then(|path| std::fs::read(path).ok())
                .map(Cow::Owned),
        };
        let Some(body) = body else { return Answer::missing() };
        let body = match name {
            "index.html" => with_engine(&String::from_utf8_lossy(&body)).into_bytes(),
            _ => body.into_owned(),
        };
        Answer::own(name, body)
    }
}

/// The page, which then makes its calls here instead of loading its own engine.
fn with_engine(page: &str) -> String {
    let lines = page.split_inclusive('\n');
    lines.filter(|line| !line.contains("href=\"engine.wasm\"")).collect::<String>().replacen(
        "<html",
        "<html data-engine=\"call/\"",
        1,
    )
}
