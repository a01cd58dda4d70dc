//! Which congestion control of the kernel corresponds to a law of the registry.

use tusker_core::congestion::{Spec, linux};

use crate::error::Error;
use crate::socket::laws;

/// Names under which laws were loaded for one plan, each with its own parameters. Other
/// laws have the name that [`kernel_name`] returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names(Vec<(Spec, String)>);

impl Names {
    /// Records the kernel's name of `spec`.
    pub fn push(&mut self, spec: Spec, name: String) {
        self.0.push((spec, name));
    }

    /// The kernel's name of a law.
    ///
    /// # Errors
    /// As for [`kernel_name`].
    pub fn of(&self, spec: &Spec) -> Result<String, Error> {
        let own = self.0.iter().find(|(known, _)| known == spec);
        own.map_or_else(|| kernel_name(spec), |(_, name)| Ok(name.clone()))
    }

    /// All names loaded for the plan.
    pub fn iter(&self) -> impl Iterator<Item = &(Spec, String)> {
        self.0.iter()
    }
}

/// The parameters that differ from those of the kernel's module, or from the law's defaults
/// if the kernel has none, as text; `None` if none do.
pub fn changed(spec: &Spec) -> Option<String> {
    let module = |param| linux::default(spec.name(), param);
    let changed = spec.iter().filter(|(param, value)| *value != module(param));
    let changed: Vec<String> =
        changed.map(|(param, value)| format!("{} = {value}", param.name)).collect();
    (!changed.is_empty()).then(|| changed.join(", "))
}

/// The kernel's name of a law: ours, if `tusker kernel load` loaded it, or the kernel's
/// own.
///
/// # Errors
/// If the kernel has neither; the error includes the remedy.
pub fn kernel_name(spec: &Spec) -> Result<String, Error> {
    // the kernel's names have no hyphens
    let ours = spec.name().replace('-', "_");
    let module = linux::module(spec.name()).filter(|module| module.patched.is_none());
    let theirs = module.map(|module| module.name);
    let available = laws();
    let names = [Some(ours.as_str()), theirs];
    let found = names.into_iter().flatten().find(|name| available.iter().any(|a| a == name));
    found.map(str::to_owned).ok_or_else(|| Error::Law { law: spec.name().to_owned(), available })
}

#[cfg(test)]
mod tests {
    use tusker_core::congestion::Kind;

    use super::*;

    /// The kernel's CUBIC has two names here: that of the RFC's and that of Linux's. Every Linux
    /// has Reno.
    #[test]
    fn both_names_of_cubic_are_the_kernels() {
        let name = |kind| kernel_name(&Spec::new(kind)).ok();
        assert_eq!(name(Kind::CubicLinux), name(Kind::Cubic));
        assert_eq!(name(Kind::Reno).as_deref(), Some("reno"));
    }

    /// The module has RTT scaling on, and its other parameters are the defaults.
    #[test]
    fn parameters_are_compared_with_those_of_the_module() {
        let changed = |name, given: &[(&'static str, f64)]| {
            changed(&Spec::named(name, given.iter().copied()).expect("in range"))
        };
        assert_eq!(changed("htcp", &[("rtt_scaling", 1.0)]), None);
        assert_eq!(changed("htcp", &[]).as_deref(), Some("rtt_scaling = 0"));
        assert_eq!(changed("ghstcp", &[]), None);
        assert_eq!(changed("ghstcp", &[("z", 2.0)]).as_deref(), Some("z = 2"));
    }
}
