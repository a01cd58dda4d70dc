//! Errors.

use thiserror::Error;

/// What is wrong with a file or a question, and the remedy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct Mistake {
    /// Where, and what.
    pub message: String,
    /// What was expected, or what to do.
    pub help: String,
}

impl Mistake {
    /// A mistake, and the remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// A text of others for a message: short, without control characters.
pub(crate) fn quote(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    format!("`{}`", short.escape_debug())
}
