//! Congestion controls and queue policies: names and parameters, checked.

use tusker_core::params::{ParamError, Sheet};
use tusker_core::spec::{Kind, Spec, SpecError};
use tusker_core::{congestion, queue};

use crate::error::{Fault, Mistake, nearest, quote};
use crate::forms::Cc;
use crate::text::Profile;

const LAW: &str = "congestion control";
const POLICY: &str = "queue policy";

/// The congestion control given at `path`.
pub fn law(cc: &Cc, profile: Profile, path: &str) -> Result<congestion::Spec, Fault> {
    let kind: congestion::Kind = find(&cc.name, LAW, &format!("{path}.name"))?;
    // given values come after those of the profile, and override them
    let profile = profile.law_params(kind.sheet()).iter().copied();
    let given = profile.chain(pairs(&cc.params));
    Spec::with(kind, given).map_err(|error| refused(kind.sheet(), error, path))
}

/// The queue policy of this name, given at `path`.
pub fn policy(
    name: Option<&str>,
    given: &[(String, f64)],
    path: &str,
) -> Result<queue::Spec, Fault> {
    let Some(name) = name else { return with(queue::Kind::DropTail, given, path) };
    with(find(name, POLICY, &format!("{path}.policy"))?, given, path)
}

fn with(kind: queue::Kind, given: &[(String, f64)], path: &str) -> Result<queue::Spec, Fault> {
    Spec::with(kind, pairs(given)).map_err(|error| refused(kind.sheet(), error, path))
}

fn pairs(given: &[(String, f64)]) -> impl Iterator<Item = (&str, f64)> {
    given.iter().map(|(name, value)| (name.as_str(), *value))
}

/// All parameters, as written in a scenario.
pub fn written<K: Kind>(spec: &Spec<K>) -> Vec<(String, f64)> {
    spec.iter().map(|(param, value)| (param.name.to_owned(), value)).collect()
}

/// The algorithm of this name.
fn find<K: Kind>(name: &str, what: &str, path: &str) -> Result<K, Fault> {
    K::named(name).ok_or_else(|| {
        let names: Vec<&str> = K::ALL.iter().map(|kind| kind.sheet().name).collect();
        Mistake::new(format!("unknown {what} `{}`", quote(name)), nearest(name, &names)).at(path)
    })
}

/// The message for invalid parameters.
fn refused(sheet: &Sheet, error: SpecError<'_>, path: &str) -> Fault {
    match error {
        SpecError::Name => {
            Mistake::new(format!("`{}` is not in the registry", sheet.name), "`tusker list`")
                .at(path)
        }
        SpecError::Param(name, _, ParamError::Unknown(params)) => {
            let names: Vec<&str> = params.iter().map(|p| p.name).collect();
            let message = format!("`{}` has no parameter `{}`", sheet.name, quote(name));
            let help = match names.as_slice() {
                [] => format!("`{}` has no parameters", sheet.name),
                _ => nearest(name, &names),
            };
            Mistake::new(message, help).at_key(format!("{path}.{name}"))
        }
        SpecError::Param(name, value, ParamError::OutOfRange(p)) => {
            let range = format!("from {} to {} {}", p.min, p.max, p.unit);
            let message = format!("{name} = {value} is out of range");
            Mistake::new(message, range.trim_end()).at(format!("{path}.{name}"))
        }
        SpecError::Rule(rule) => {
            Mistake::new(format!("the parameters of `{}` are inconsistent", sheet.name), rule)
                .at(path)
        }
    }
}
