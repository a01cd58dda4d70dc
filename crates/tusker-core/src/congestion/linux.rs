//! The forms in which Linux has laws of the registry: one row per law, shared by everything
//! that depends on it. In the profile `linux` a law has the parameters of its row, and its
//! window counts what the row says, unless a scenario says otherwise; `tusker explain`
//! describes the row; `tusker plan` and the testbed take the module's name from it, and
//! compare parameters with it.
//!
//! Sources: net/ipv4/tcp_NAME.c of Linux 6.1, the kernel of docs/validation.md ("Against
//! Linux's own modules"). What a module counts:
//!
//! | modules | slow start | congestion avoidance |
//! |---|---|---|
//! | reno, westwood, lp, dctcp, cubic, bic, scalable, yeah | segments (`tcp_slow_start`) | segments (`tcp_cong_avoid_ai` gets all that the ACK acknowledges) |
//! | htcp, illinois | segments | segments (`pkts_acked`) |
//! | vegas | segments | one step per round trip, as in the law |
//! | highspeed | segments | ACKs: a(w) is added once per ACK |
//! | hybla | ACKs | ACKs: rho^2/w is added once per ACK |
//!
//! Where a module differs from the law in more than parameters and counting, the law's sheet
//! says so ([`Sheet::differs`](crate::Sheet)).

use crate::params::Param;

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

/// A law as Linux has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module {
    /// The law's name in the registry: `hstcp`.
    pub law: &'static str,
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
    /// A module that only has another name, if any.
    const fn of(law: &'static str, name: &'static str, counts: Counts) -> Self {
        Self { law, name, patched: None, counts, params: &[], nearer: None, about: "" }
    }
}

/// All laws that Linux has, in the order of the registry.
pub const MODULES: &[Module] = &[
    Module::of("reno", "reno", Counts::Segments),
    Module::of("hstcp", "highspeed", Counts::AcksInAvoidance),
    Module::of("scalable", "scalable", Counts::Segments),
    Module { params: &[("rtt_scaling", 1.0)], ..Module::of("htcp", "htcp", Counts::Segments) },
    Module {
        params: &[("filter", 0.875)],
        about: "The module filters twice with this weight.",
        ..Module::of("westwood", "westwood", Counts::Segments)
    },
    Module {
        params: &[("beta", 0.2)],
        about: "The module has s_max = 16 and divisor = 4. But it also divides the time between \
                two steps by the segments per ACK, so that with delayed ACKs it grows as with \
                32 and 2, which are the defaults here.",
        ..Module::of("bic", "bic", Counts::Segments)
    },
    Module { nearer: Some("cubic-linux"), ..Module::of("cubic", "cubic", Counts::Segments) },
    Module {
        params: &[("alpha", 2.0), ("beta", 4.0), ("gamma", 1.0), ("b", 0.5)],
        ..Module::of("vegas", "vegas", Counts::Segments)
    },
    Module::of("illinois", "illinois", Counts::Segments),
    Module::of("lp", "lp", Counts::Segments),
    Module { params: &[("linux_details", 1.0)], ..Module::of("bbr1", "bbr", Counts::Neither) },
    Module {
        patched: Some("a kernel with BBRv3: github.com/google/bbr, branch v3"),
        ..Module::of("bbr3", "bbr", Counts::Neither)
    },
    Module::of("dctcp", "dctcp", Counts::Segments),
    Module {
        patched: Some("a kernel with TCP Prague: github.com/L4STeam/linux"),
        ..Module::of("prague", "prague", Counts::Neither)
    },
    Module::of("cubic-linux", "cubic", Counts::Segments),
    Module::of("yeah", "yeah", Counts::Segments),
    Module { params: &[("linux_rounding", 1.0)], ..Module::of("hybla", "hybla", Counts::Acks) },
];

/// Laws that `tusker kernel load` provides, with any parameters. These are the forms of the
/// publications, and count segments, in congestion avoidance too. Where the kernel has a
/// module, its form is another one ([`MODULES`]): `highspeed` counts ACKs there.
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

/// The law of this name as Linux has it; `None` if Linux does not.
pub fn module(law: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.law == law)
}

/// The law that Linux calls so, if that is one law: its `bbr` may be one of two.
pub(crate) fn named(name: &str) -> Option<&'static str> {
    let is = |module: &&Module| module.name.eq_ignore_ascii_case(name) && module.name != "bbr";
    MODULES.iter().find(is).map(|module| module.law)
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
    use crate::congestion::{ALL, Spec};

    #[test]
    fn every_row_is_of_the_registry_and_has_values_of_its_law() {
        let place = |law: &str| ALL.iter().position(|sheet| sheet.name == law);
        for module in MODULES {
            let given = Spec::named(module.law, module.params.iter().copied());
            let spec = given.expect("the law has these parameters, in range");
            for (param, value) in spec.iter() {
                assert_eq!(default(module.law, param), value, "{} {}", module.law, param.name);
            }
            let says = |name: &str| module.params.iter().any(|(own, _)| *own == name);
            let same = |(param, value): (&Param, f64)| value == param.default;
            // gamma is the same, but belongs to the other three
            let idle = spec.iter().filter(|(param, _)| says(param.name) && param.name != "gamma");
            assert!(!idle.into_iter().any(same), "{} repeats a default", module.law);
            assert!(module.nearer.is_none_or(|law| place(law).is_some()), "{}", module.law);
        }
        assert!(MODULES.is_sorted_by_key(|module| place(module.law)), "the registry's order");
    }

    #[test]
    fn what_linux_does_not_have_keeps_its_defaults() {
        let spec = Spec::named("ghstcp", []).expect("in the registry");
        assert!(spec.iter().all(|(param, value)| default("ghstcp", param) == value));
        assert_eq!(module("ghstcp"), None);
    }
}
