//! Which congestion control of the kernel a law of the registry is.

use tusker_core::congestion::Spec;

use crate::error::Error;
use crate::socket::laws;

/// Laws that the kernel knows by another name.
const OTHERWISE: &[(&str, &str)] = &[("bbr1", "bbr"), ("hstcp", "highspeed")];

/// Laws that `tusker kernel load` has, with any parameters.
pub const LOADED: &[&str] = &[
    "fast",
    "ghstcp",
    "ghstcp-refined",
    "hcc",
    "hstcp",
    "htcp",
    "illinois",
    "scalable",
    "westwood",
];

/// Names under which laws were put into the kernel for one plan, each with parameters of
/// its own. What is not among them has the name that [`kernel_name`] tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names(Vec<(Spec, String)>);

impl Names {
    /// The kernel knows `spec` by this name.
    pub fn push(&mut self, spec: Spec, name: String) {
        self.0.push((spec, name));
    }

    /// The kernel's name of a law.
    ///
    /// # Errors
    /// As [`kernel_name`].
    pub fn of(&self, spec: &Spec) -> Result<String, Error> {
        let own = self.0.iter().find(|(known, _)| known == spec);
        own.map_or_else(|| kernel_name(spec), |(_, name)| Ok(name.clone()))
    }

    /// All that were put there.
    pub fn iter(&self) -> impl Iterator<Item = &(Spec, String)> {
        self.0.iter()
    }
}

/// The parameters of a law that are not its defaults, as text; `None` if all are.
pub fn changed(spec: &Spec) -> Option<String> {
    let changed = spec.iter().filter(|(param, value)| *value != param.default);
    let changed: Vec<String> =
        changed.map(|(param, value)| format!("{} = {value}", param.name)).collect();
    (!changed.is_empty()).then(|| changed.join(", "))
}

/// The kernel's name of a law: ours, if `tusker kernel load` put it there, or that of
/// the kernel's own.
///
/// # Errors
/// If the kernel has neither; with the remedy.
pub fn kernel_name(spec: &Spec) -> Result<String, Error> {
    // the kernel's names have no hyphens
    let ours = spec.name().replace('-', "_");
    let theirs = OTHERWISE.iter().find(|(law, _)| *law == spec.name()).map(|(_, name)| *name);
    let available = laws();
    let names = [Some(ours.as_str()), theirs];
    let found = names.into_iter().flatten().find(|name| available.iter().any(|a| a == name));
    found.map(str::to_owned).ok_or_else(|| Error::Law { law: spec.name().to_owned(), available })
}
