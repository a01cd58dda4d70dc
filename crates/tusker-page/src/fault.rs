//! What is wrong with a call.

use serde_json::json;

/// A mistake: where, what was expected, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// The key of the scenario (`flows.0.cc`), or another place; empty for all of it.
    pub place: String,
    /// What is there, if that is a text.
    pub found: Option<String>,
    /// What was expected; empty if the remedy says it.
    pub expected: String,
    /// What to do.
    pub remedy: String,
}

impl Fault {
    /// One of the call.
    pub fn new(message: impl Into<String>, expected: impl Into<String>, remedy: &str) -> Self {
        Self {
            message: message.into(),
            place: String::new(),
            found: None,
            expected: expected.into(),
            remedy: remedy.to_owned(),
        }
    }

    /// The same at a place.
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// As the answer of a call.
    pub fn to_json(&self) -> String {
        let Self { message, place, found, expected, remedy } = self;
        json!({ "error": {
            "message": message, "place": place, "found": found, "expected": expected,
            "remedy": remedy,
        } })
        .to_string()
    }
}

impl From<tusker_scenario::Error> for Fault {
    fn from(error: tusker_scenario::Error) -> Self {
        let place = error.path().or_else(|| error.place().map(str::to_owned));
        Self {
            message: error.to_string(),
            place: place.unwrap_or_default(),
            found: error.offending().map(str::to_owned),
            expected: String::new(),
            remedy: error.remedy().unwrap_or_default().to_owned(),
        }
    }
}
