//! A script split into laws, settings and lines, before its commands are parsed.

use std::path::Path;

use tusker_core::Sheet;
use tusker_core::congestion::ALL;

use crate::Failure;
use crate::words::Words;

/// A script's head and lines, without comments.
#[derive(Clone, Debug)]
pub struct Text {
    /// The file, for errors.
    pub file: String,
    /// The laws that the head names, or `*`.
    pub named: Vec<String>,
    /// Its settings: name and value.
    pub settings: Vec<(String, String)>,
    /// The lines below the head, in order.
    pub lines: Vec<Line>,
    head: usize,
}

/// A non-empty line.
#[derive(Clone, Debug)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// Its text, without a comment; not empty.
    pub text: String,
}

impl Line {
    /// The command, and the words behind it.
    pub fn command(&self) -> (&str, Words<'_>) {
        let mut words = self.text.split_whitespace();
        (words.next().unwrap_or_default(), Words(words.collect()))
    }
}

impl Text {
    /// Splits a script.
    ///
    /// # Errors
    /// If it does not start with `cc` and laws.
    pub fn parse(file: &str, text: &str) -> Result<Self, Failure> {
        let mut lines: Vec<_> = text
            .lines()
            .enumerate()
            .map(|(i, line)| Line {
                number: i + 1,
                text: line.split('#').next().unwrap_or_default().trim().to_owned(),
            })
            .filter(|line| !line.text.is_empty())
            .collect();
        let failure = |line, what: &str| Failure { file: file.into(), line, what: what.into() };
        if lines.is_empty() {
            return Err(failure(1, "the script is empty"));
        }
        let head = lines.remove(0);
        let ("cc", words) = head.command() else {
            return Err(failure(head.number, "begin with `cc` and the laws to run"));
        };
        let mut parsed = Self {
            file: file.into(),
            named: Vec::new(),
            settings: Vec::new(),
            lines,
            head: head.number,
        };
        for word in words.0 {
            match word.split_once('=') {
                Some((name, value)) => parsed.settings.push((name.into(), value.into())),
                None => parsed.named.push(word.into()),
            }
        }
        if parsed.named.is_empty() {
            return Err(failure(head.number, "`cc` names no law"));
        }
        Ok(parsed)
    }

    /// All scripts in a folder, by name.
    ///
    /// # Errors
    /// For each one that cannot be parsed.
    ///
    /// # Panics
    /// If the folder or a file in it cannot be read.
    pub fn all_in(folder: &Path) -> Vec<Result<Self, Failure>> {
        let entries = std::fs::read_dir(folder)
            .unwrap_or_else(|e| panic!("{} holds the scripts: {e}", folder.display()));
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("a folder can be listed").path())
            .filter(|path| path.extension().is_some_and(|end| end == "script"))
            .collect();
        paths.sort();
        let parse = |path: std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Self::parse(&name, &std::fs::read_to_string(&path).expect("a script is text"))
        };
        paths.into_iter().map(parse).collect()
    }

    /// The laws of the registry that the head names; `*` means all for which `star` is
    /// true.
    ///
    /// # Errors
    /// If it names a law that does not exist.
    pub fn laws(&self, star: fn(&Sheet) -> bool) -> Result<Vec<&'static Sheet>, Failure> {
        if self.named == ["*"] {
            return Ok(ALL.iter().filter(|sheet| star(sheet)).collect());
        }
        let law = |name: &String| {
            ALL.iter().find(|sheet| sheet.name == name).ok_or_else(|| {
                let known: Vec<_> = ALL.iter().map(|sheet| sheet.name).collect();
                self.at_head(format!("no law is called `{name}`; there are {}", known.join(", ")))
            })
        };
        self.named.iter().map(law).collect()
    }

    /// A failure in the head.
    pub fn at_head(&self, what: String) -> Failure {
        self.at(self.head, what)
    }

    /// A failure in a line.
    pub fn at(&self, line: usize, what: String) -> Failure {
        Failure { file: self.file.clone(), line, what }
    }
}
