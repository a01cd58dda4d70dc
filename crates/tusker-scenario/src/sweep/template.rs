//! A scenario from which many points are made: its text is read once.

use std::path::{Path, PathBuf};

use toml_edit::{Document, DocumentMut};

use super::super::de;
use super::super::error::Error;
use super::super::overrides::{apply, each};
use super::super::print;
use super::Change;
use crate::{Complete, Scenario};

/// A scenario's text, and the folder of the files that it names.
#[derive(Clone, Debug)]
pub struct Template {
    name: String,
    text: String,
    folder: PathBuf,
    document: Option<DocumentMut>,
    /// The scenario, if it was made from options.
    made: Option<Scenario>,
}

impl Template {
    /// From a text whose source is called `name`.
    pub fn new(name: String, text: String, folder: PathBuf) -> Self {
        let document = Document::parse(text.clone()).ok().map(Document::into_mut);
        Self { name, text, folder, document, made: None }
    }

    /// From a scenario that was made from options.
    pub fn of(scenario: Scenario) -> Self {
        let document = Some(print::document(&scenario));
        let (name, folder) = (String::new(), PathBuf::from("."));
        Self { name, text: scenario.to_toml(), folder, document, made: Some(scenario) }
    }

    pub(super) fn document(&self) -> Option<DocumentMut> {
        self.document.clone()
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The scenario with these changes, then those of the axes, then `amend`, with
    /// every value filled in.
    ///
    /// # Errors
    /// If something in it is invalid, shown at its place.
    pub fn complete(
        &self,
        sets: &[String],
        changes: &[Change],
        amend: &dyn Fn(&mut Scenario),
    ) -> Result<Complete, Error> {
        let all = sets.iter().chain(changes.iter().flat_map(|change| &change.sets)).cloned();
        let all: Vec<String> = all.collect();
        if let Some(complete) = self.quickly(&all, amend) {
            return Ok(complete);
        }
        // repeat with the place of every value, for the error
        let complete = || {
            let mut scenario = match &self.made {
                Some(made) => made.with(&all)?,
                None => Scenario::parse(&self.name, &self.text, &all)?,
            };
            self.rest(&mut scenario, amend)?;
            scenario.complete()
        };
        complete().map_err(|error| self.blame(error, changes))
    }

    /// A mistake in an axis's change, shown in the text as written.
    fn blame(&self, error: Error, changes: &[Change]) -> Error {
        let Some((text, span)) = error.within() else { return error };
        let is = |change: &&Change| {
            change.sets.iter().any(|own| match &self.document {
                Some(document) => each(document, own).iter().any(|set| set == text),
                None => own == text,
            })
        };
        let own = |error: &Error| error.place().is_some_and(|place| place.starts_with("--set:"));
        let Some(change) = changes.iter().find(is).filter(|_| own(&error)) else { return error };
        // the expanded value stands for what was written: `cc=ghstcp:z=2`
        let value = change.text.find('=').map_or(0, |at| at + 1);
        let span = if change.text == text { span } else { value..change.text.len() };
        error.moved(&change.from, &change.text, span)
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
        let mut scenario: Scenario = de::read(document.as_table()).ok()?;
        self.rest(&mut scenario, amend).ok()?;
        scenario.complete().ok()
    }
}
