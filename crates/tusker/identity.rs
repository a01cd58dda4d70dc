//! The identity of a build: a hash of the code that decides the numbers of a result, so that
//! results of two builds are never mixed. Comments, documentation and tests decide none, nor
//! do the crates that store, judge and show results: what changes only those keeps every
//! stored run.
//!
//! Shared by `build.rs` and the test `identity.rs`.

use std::error::Error;
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree, token_stream};

/// The crates that decide numbers: what a law and a queue do, what a path does, what a
/// scenario means, what the simulator does with it, and the measures made of that.
const CRATES: [&str; 6] = [
    "tusker-core",
    "tusker-path",
    "tusker-plan",
    "tusker-measure",
    "tusker-scenario",
    "tusker-sim",
];

/// What decides measured ones as well.
const TESTBED: &str = "tusker-testbed";

/// What the simulator and the laws take from others.
const PACKAGES: [&str; 4] = ["libm", "rand_core", "rand_pcg", "statrs"];

/// Fields of a law's sheet that are read by people alone.
const PROSE: [&str; 4] = ["title", "source", "equations", "differs"];

/// Hashes of the code behind simulated results, and of that behind measured ones.
#[derive(Debug, PartialEq, Eq)]
pub struct Identity {
    pub simulated: String,
    pub measured: String,
    /// The folders and files that were read.
    pub read: Vec<PathBuf>,
}

impl Identity {
    /// The identity of the crates in a folder, at a version of the program.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is not Rust.
    pub fn of(crates: &Path, lock: &Path, version: &str) -> Result<Self, Box<dyn Error>> {
        let mut hasher = blake3::Hasher::new();
        let mut read = vec![lock.to_owned()];
        hasher.update(version.as_bytes());
        for name in CRATES {
            read.extend(add(&mut hasher, crates, name)?);
        }
        for package in packages(lock) {
            hasher.update(package.as_bytes());
        }
        let simulated = hasher.finalize().to_hex().to_string();
        read.extend(add(&mut hasher, crates, TESTBED)?);
        Ok(Self { simulated, measured: hasher.finalize().to_hex().to_string(), read })
    }
}

/// Adds the sources of a crate; the folder, if there is one. Where the sources are not beside
/// this crate, the version must do.
fn add(
    hasher: &mut blake3::Hasher,
    crates: &Path,
    name: &str,
) -> Result<Option<PathBuf>, Box<dyn Error>> {
    let folder = crates.join(name).join("src");
    if !folder.is_dir() {
        return Ok(None);
    }
    for file in files(&folder)? {
        let within = file.strip_prefix(&folder)?.to_string_lossy().replace('\\', "/");
        let content = content(&file)?;
        hasher.update(format!("{name}/{within} {}\n", content.len()).as_bytes());
        hasher.update(&content);
    }
    Ok(Some(folder))
}

/// All files in a folder and below that are no tests, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What of a file decides numbers: of Rust, its code; of anything else, every byte.
fn content(file: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    if file.extension().is_none_or(|extension| extension != "rs") {
        return Ok(fs::read(file)?);
    }
    let text = fs::read_to_string(file)?;
    let tokens: TokenStream =
        text.parse().map_err(|error| format!("{}: {error}", file.display()))?;
    let mut code = String::new();
    write(tokens, &mut code);
    Ok(code.into_bytes())
}

/// Writes code without comments, documentation and what is compiled for tests only.
fn write(tokens: TokenStream, code: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(hash) = &token
            && hash.as_char() == '#'
        {
            let inner = tokens
                .next_if(|next| matches!(next, TokenTree::Punct(mark) if mark.as_char() == '!'));
            let attribute = match tokens.peek() {
                Some(TokenTree::Group(group)) => group.stream().to_string(),
                _ => String::new(),
            };
            if attribute.starts_with("doc =") {
                tokens.next();
                continue;
            }
            if attribute == "cfg (test)" && inner.is_none() {
                tokens.next();
                skip_item(&mut tokens);
                continue;
            }
            code.push('#');
            code.extend(inner.map(|_| '!'));
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                code.push_str(open);
                write(group.stream(), code);
                code.push_str(close);
            }
            TokenTree::Punct(mark) => {
                code.push(mark.as_char());
                if mark.spacing() == Spacing::Alone {
                    code.push(' ');
                }
            }
            TokenTree::Ident(name) => {
                code.push_str(&format!("{name} "));
                if PROSE.iter().any(|field| name == field) {
                    skip_text(&mut tokens);
                }
            }
            TokenTree::Literal(literal) => code.push_str(&format!("{literal} ")),
        }
    }
}

/// Leaves out the text that a field is given, if a text is what comes.
fn skip_text(tokens: &mut Peekable<token_stream::IntoIter>) {
    if tokens
        .next_if(|next| matches!(next, TokenTree::Punct(mark) if mark.as_char() == ':'))
        .is_some()
    {
        tokens.next_if(|next| matches!(next, TokenTree::Literal(_)));
    }
}

/// Leaves out the item that follows: to its semicolon or its body, whichever comes first.
fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    let mut import = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) if word == "use" => import = true,
            TokenTree::Punct(mark) if mark.as_char() == ';' => return,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !import => return,
            _ => {}
        }
    }
}

/// What the lock file says of those packages.
fn packages(lock: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(lock) else { return Vec::new() };
    let named =
        |part: &&str| PACKAGES.iter().any(|name| part.starts_with(&format!("name = \"{name}\"\n")));
    let parts = text.split("[[package]]\n").filter(named);
    // `name`, `version`
    parts.map(|part| part.lines().take(2).collect()).collect()
}
