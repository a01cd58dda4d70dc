//! The error of a script that failed.

use std::fmt;

/// A script is not understood, or a law does not do what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The script's file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}
