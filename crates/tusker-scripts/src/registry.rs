//! The scripts of the registry's laws.

use std::path::Path;

use tusker_core::congestion::{Algorithm, Options, Spec};
use tusker_core::params::Need;
use tusker_core::{ParamError, Sheet, SpecError};

use crate::words::parse;
use crate::{Failure, Script, Step, Text};

/// Whether `*` includes a law.
fn is_plain(sheet: &Sheet) -> bool {
    sheet.needs.is_empty() && sheet.like_reno
}

/// The scripts of the registry's laws, by file.
pub fn of_laws() -> Vec<Result<Script, Failure>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    Text::all_in(&folder).into_iter().map(|text| Script::of(text?)).collect()
}

impl Script {
    /// Runs the script for each law of the registry that it names; returns how many.
    ///
    /// # Errors
    /// The first deviation from the script.
    pub fn run_for_its_laws(&self) -> Result<usize, Failure> {
        let specs = self.specs()?;
        for spec in &specs {
            if self.tells_samples()
                && !Algorithm::new(spec, &Options::default()).needs(Need::RateSamples)
            {
                let what = format!("{}: a transport tells it no rates and losses", spec.name());
                return Err(self.text.at_head(what));
            }
            self.run(spec.name(), |options| Algorithm::new(spec, options))?;
        }
        Ok(specs.len())
    }

    /// Whether ACKs tell what a transport tells only those that need rate samples.
    fn tells_samples(&self) -> bool {
        let mut steps = self.connections.iter().flat_map(|connection| &connection.steps);
        steps.any(|(_, step)| match step {
            Step::Acks(_, acks) | Step::Rounds(_, acks) => acks.lost > 0 || acks.rate.is_some(),
            Step::Lost(_) => true,
            _ => false,
        })
    }

    /// The laws of the registry that the script names, set up as in its head.
    ///
    /// # Errors
    /// Anything that the registry does not have.
    pub fn specs(&self) -> Result<Vec<Spec>, Failure> {
        let mut given = Vec::new();
        for (name, value) in &self.text.settings {
            let value: f64 = parse(value).map_err(|e| self.text.at_head(e))?;
            given.push((name.as_str(), value));
        }
        let spec = |sheet: &&'static Sheet| {
            Spec::named(sheet.name, given.iter().copied())
                .map_err(|error| self.text.at_head(format!("{}: {}", sheet.name, said(error))))
        };
        self.text.laws(is_plain)?.iter().map(spec).collect()
    }
}

/// What is wrong with a law's settings.
fn said(error: SpecError) -> String {
    match error {
        SpecError::Param(name, value, ParamError::OutOfRange(param)) => {
            format!("{name} is {value}, not within {} to {}", param.min, param.max)
        }
        SpecError::Param(name, _, ParamError::Unknown(list)) => {
            let known: Vec<_> = list.iter().map(|param| param.name).collect();
            format!("it has no `{name}`; it has {}", known.join(", "))
        }
        other => format!("{other:?}"),
    }
}
