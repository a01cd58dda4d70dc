//! A scenario of which many points are made: its text is read once.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{Document, DocumentMut};

use super::super::error::Error;
use super::super::overrides::{apply, each};
use super::super::shape;
use crate::{Complete, Scenario};

/// A scenario's text, and where the files lie that it names.
#[derive(Clone, Debug)]
pub struct Template {
    name: String,
    text: String,
    folder: PathBuf,
    document: Option<DocumentMut>,
}

impl Template {
    /// Of a text that came from somewhere called `name`.
    pub fn new(name: String, text: String, folder: PathBuf) -> Self {
        let document = Document::parse(text.clone()).ok().map(Document::into_mut);
        Self { name, text, folder, document }
    }

    /// The scenario with these changes, after `amend`, with every value said.
    ///
    /// # Errors
    /// If something in it cannot be, shown in its place.
    pub fn complete(
        &self,
        sets: &[String],
        amend: &dyn Fn(&mut Scenario),
    ) -> Result<Complete, Error> {
        if let Some(complete) = self.quickly(sets, amend) {
            return Ok(complete);
        }
        // again with the place of every value, for the error
        let mut scenario = Scenario::parse(&self.name, &self.text, sets)?;
        self.rest(&mut scenario, amend)?;
        scenario.complete()
    }

    fn rest(&self, scenario: &mut Scenario, amend: &dyn Fn(&mut Scenario)) -> Result<(), Error> {
        scenario.read_traces(Path::new(&self.folder))?;
        amend(scenario);
        Ok(())
    }

    /// The same without the places; `None` if anything is wrong.
    fn quickly(&self, sets: &[String], amend: &dyn Fn(&mut Scenario)) -> Option<Complete> {
        let mut document = self.document.clone()?;
        for set in sets {
            for set in each(&document, set) {
                apply(&mut document, &set).ok()?;
            }
        }
        shape::check(document.as_table()).ok()?;
        let deserializer = toml_edit::de::Deserializer::from(document);
        let mut scenario = Scenario::deserialize(deserializer).ok()?;
        self.rest(&mut scenario, amend).ok()?;
        scenario.complete().ok()
    }
}
