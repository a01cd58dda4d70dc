//! How Linux has the laws of the registry; each law's sheet says it ([`Sheet::linux`]). In the
//! profile `linux` a law has the parameters of its module, and its window counts what the
//! module's counts, unless a scenario says otherwise; `tusker explain` describes the module;
//! `tusker plan` and the testbed take the module's name from it, and compare parameters with it.
//!
//! Sources: net/ipv4/tcp_NAME.c of Linux 6.1, the kernel of docs/validation.md ("Against
//! Linux's own modules"). Most modules count segments: in slow start with `tcp_slow_start`, in
//! congestion avoidance because `tcp_cong_avoid_ai` gets all that an ACK acknowledges, or the
//! module counts them itself (`pkts_acked`).
//!
//! Where a module differs from the law in more than parameters and counting, the law's sheet
//! says so ([`Sheet::differs`]).

use super::ALL;
use crate::params::{Param, Sheet};

/// What the window counts when it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// The segments that an ACK acknowledges.
    Segments,
    /// These in slow start, and ACKs in congestion avoidance.
    AcksInAvoidance,
    /// ACKs.
    Acks,
    /// Neither: the law has its own rules.
    Neither,
}

/// How Linux has a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linux {
    /// Its form in the kernel.
    pub module: Option<Module>,
    /// What follows `tusker kernel load` to load it: `ghstcp --refined`. This is the form of the
    /// publication, with any parameters, and counts segments, in congestion avoidance too.
    /// Where the kernel has a module, its form is another one.
    pub load: Option<&'static str>,
    /// Of a law that is often confused with others: which of them Linux runs today.
    pub today: &'static str,
}

impl Linux {
    /// Linux does not have it.
    pub const NONE: Self = Self { module: None, load: None, today: "" };

    /// Linux has this module, and there is no more to say.
    pub(super) const fn module(module: Module) -> Self {
        Self { module: Some(module), ..Self::NONE }
    }
}

/// A law's form in the kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module {
    /// The kernel's name for it: `highspeed`.
    pub name: &'static str,
    /// The kernel that has it, if it has to be built.
    pub patched: Option<&'static str>,
    /// What its window counts.
    pub counts: Counts,
    /// Its values of the law's parameters, where they are not the law's defaults.
    pub params: &'static [(&'static str, f64)],
    /// The law of the registry that is nearer to what the module does.
    pub nearer: Option<&'static str>,
    /// What there is to say about the values.
    pub about: &'static str,
}

impl Module {
    /// A module of this name without anything special.
    pub(super) const fn of(name: &'static str, counts: Counts) -> Self {
        Self { name, patched: None, counts, params: &[], nearer: None, about: "" }
    }
}

/// The laws that `tusker kernel load` provides, by their names in the registry.
pub fn loaded() -> impl Iterator<Item = &'static str> {
    ALL.iter().filter(|sheet| sheet.linux.load.is_some()).map(|sheet| sheet.name)
}

/// The module of the law of this name; `None` if Linux has none.
pub fn module(law: &str) -> Option<&'static Module> {
    ALL.iter().find(|sheet| sheet.name == law)?.linux.module.as_ref()
}

/// The law that Linux calls so, if that is one law: its `bbr` may be one of two. Of two
/// forms of a law, it is the first in the registry.
pub(crate) fn named(name: &str) -> Option<&'static str> {
    let is = |sheet: &&Sheet| {
        let module = sheet.linux.module;
        module.is_some_and(|m| m.name.eq_ignore_ascii_case(name) && m.name != "bbr")
    };
    ALL.iter().find(is).map(|sheet| sheet.name)
}

/// The value of a law's parameter in the profile `linux`, if a scenario does not give one:
/// the module's, or else the default.
pub fn default(law: &str, param: &Param) -> f64 {
    let given = module(law).map_or(&[][..], |module| module.params);
    given.iter().find(|(name, _)| *name == param.name).map_or(param.default, |(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Spec;

    #[test]
    fn a_module_has_values_of_its_law_that_are_not_the_defaults() {
        for sheet in ALL {
            let Some(module) = sheet.linux.module else { continue };
            let given = Spec::named(sheet.name, module.params.iter().copied());
            let spec = given.expect("the law has these parameters, in range");
            for (param, value) in spec.iter() {
                assert_eq!(default(sheet.name, param), value, "{} {}", sheet.name, param.name);
            }
            let says = |name: &str| module.params.iter().any(|(own, _)| *own == name);
            let same = |(param, value): (&Param, f64)| value == param.default;
            // gamma is the same, but belongs to the other three
            let idle = spec.iter().filter(|(param, _)| says(param.name) && param.name != "gamma");
            assert!(!idle.into_iter().any(same), "{} repeats a default", sheet.name);
            let known = |law: &str| ALL.iter().any(|sheet| sheet.name == law);
            assert!(module.nearer.is_none_or(known), "{}", sheet.name);
        }
    }

    #[test]
    fn what_linux_does_not_have_keeps_its_defaults() {
        let spec = Spec::named("ghstcp", []).expect("in the registry");
        assert!(spec.iter().all(|(param, value)| default("ghstcp", param) == value));
        assert_eq!(module("ghstcp"), None);
        assert!(loaded().any(|law| law == "ghstcp"));
    }
}
