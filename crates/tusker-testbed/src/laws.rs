//! Which congestion control of the kernel a law of the registry is.

use tusker_core::congestion::Spec;

use crate::error::Error;
use crate::socket::laws;

/// Laws that the kernel knows by another name.
const OTHERWISE: &[(&str, &str)] = &[("bbr1", "bbr"), ("hstcp", "highspeed")];

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
