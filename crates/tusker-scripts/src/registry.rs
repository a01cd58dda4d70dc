//! The scripts of the registry's laws.

use std::path::Path;

use tusker_core::congestion::Algorithm;
use tusker_core::{Params, Sheet};

use crate::words::parse;
use crate::{Failure, Script, Text};

/// What `*` leaves out: a slow start of their own, or no Reno at small windows.
const OTHERWISE: &[&str] = &["vegas", "fast", "eefast", "illinois", "hcc"];

/// `*`: needs nothing of its transport, and is Reno below 38 segments.
fn is_plain(sheet: &Sheet) -> bool {
    sheet.needs.is_empty() && !OTHERWISE.contains(&sheet.name)
}

/// The scripts of the registry's laws, by file.
pub fn of_laws() -> Vec<Result<Script, Failure>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    Text::all_in(&folder).into_iter().map(|text| Script::of(text?)).collect()
}

impl Script {
    /// Runs the script for each law of the registry that it names; gives how many.
    ///
    /// # Errors
    /// The first thing that is not as the script says.
    ///
    /// # Panics
    /// Never: laws are found by the names that the registry gives them.
    pub fn run_for_its_laws(&self) -> Result<usize, Failure> {
        let laws = self.text.laws(is_plain)?;
        for sheet in &laws {
            let mut params = Params::defaults(sheet.params);
            for (name, value) in &self.text.settings {
                let value = parse(value).map_err(|e| self.text.at_head(e))?;
                params
                    .set(name, value)
                    .map_err(|e| self.text.at_head(format!("{}: {name}: {e:?}", sheet.name)))?;
            }
            self.run(sheet.name, |options| {
                Algorithm::new(sheet.name, &params, options).expect("from the registry")
            })?;
        }
        Ok(laws.len())
    }
}
