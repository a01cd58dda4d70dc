//! A congestion control or queue policy with its parameters, checked once.
//!
//! The algorithm of a [`Spec`] can always be set up: nothing in it can be unknown
//! or out of range.

use crate::congestion::linux;
use crate::params::{Need, Param, ParamError, Params, Sheet};

/// An entry of a registry, by number instead of by name.
pub trait Kind: Copy + core::fmt::Debug + PartialEq + 'static {
    /// All entries of the registry, in order.
    const ALL: &'static [Self];

    /// Its sheet.
    fn sheet(self) -> &'static Sheet;

    /// Checks that the values are consistent with one another; each one's range has
    /// been checked already.
    ///
    /// # Errors
    /// What is inconsistent, as a sentence for the user.
    fn check(self, _params: &Params) -> Result<(), &'static str> {
        Ok(())
    }

    /// The entry of this name. Capitals do not count, and names of Linux are known.
    fn named(name: &str) -> Option<Self> {
        let of = |such: &dyn Fn(&str) -> bool| {
            Self::ALL.iter().copied().find(|kind| such(kind.sheet().name))
        };
        let linux = linux::named(name);
        of(&|own| own == name)
            .or_else(|| Self::foreign(name))
            .or_else(|| of(&|own| own.eq_ignore_ascii_case(name)))
            .or_else(|| of(&|own| linux == Some(own)))
    }

    /// A foreign one of this name.
    fn foreign(_name: &str) -> Option<Self> {
        None
    }
}

/// The sheets of a registry and its [`Kind`]: a variant for each module, foreign ones as this
/// function finds them, and more methods.
macro_rules! registry {
    (
        $what:literal, [$($variant:ident = $module:ident,)*], $find:path: $foreign:ty,
        $($more:tt)*
    ) => {
        #[doc = concat!("The sheet of each ", $what, ", in the order of the registry.")]
        pub const ALL: &[Sheet] = &SHEETS;

        // each use of a constant may bring its own copy of these texts
        static SHEETS: [Sheet; [$(stringify!($variant)),*].len()] =
            [$($module::SHEET.listed()),*];

        enum Place {
            $($variant),*
        }

        #[doc = concat!("Which ", $what, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each variant is described by its sheet")]
        pub enum Kind {
            $($variant,)*
            #[cfg(feature = "foreign")]
            Foreign(foreign::Known<$foreign>),
        }

        impl spec::Kind for Kind {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn sheet(self) -> &'static Sheet {
                match self {
                    $(Self::$variant => &SHEETS[Place::$variant as usize],)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(one) => one.sheet(),
                }
            }

            #[cfg(feature = "foreign")]
            fn foreign(name: &str) -> Option<Self> {
                $find(name).map(Self::Foreign)
            }

            $($more)*
        }
    };
}
pub(crate) use registry;

/// An entry of a registry with a checked value for each of its parameters:
/// [`congestion::Spec`](crate::congestion::Spec),
/// [`queue::Spec`](crate::queue::Spec).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec<K> {
    kind: K,
    params: Params,
}

/// Why there is no such [`Spec`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpecError<'a> {
    /// The registry has no entry of this name.
    Name,
    /// This parameter cannot have this value.
    Param(&'a str, f64, ParamError),
    /// The values are inconsistent; a sentence for the user.
    Rule(&'static str),
}

impl<K: Kind> Spec<K> {
    /// All parameters at their defaults.
    pub fn new(kind: K) -> Self {
        Self { kind, params: Params::defaults(kind.sheet().params) }
    }

    /// With these parameters, and the others at their defaults.
    ///
    /// # Errors
    /// If a name is unknown, a value out of its range, or the values are inconsistent.
    pub fn with<'a>(
        kind: K,
        given: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Self, SpecError<'a>> {
        let Self { mut params, .. } = Self::new(kind);
        for (name, value) in given {
            params.set(name, value).map_err(|error| SpecError::Param(name, value, error))?;
        }
        kind.check(&params).map_err(SpecError::Rule)?;
        Ok(Self { kind, params })
    }

    /// The same by name.
    ///
    /// # Errors
    /// As [`Self::with`], or if nothing in the registry has this name.
    pub fn named<'a>(
        name: &str,
        given: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Self, SpecError<'a>> {
        Self::with(K::named(name).ok_or(SpecError::Name)?, given)
    }

    /// The entry of the registry.
    pub fn kind(&self) -> K {
        self.kind
    }

    /// Its sheet.
    pub fn sheet(&self) -> &'static Sheet {
        self.kind.sheet()
    }

    /// Its name on the command line, in scenario files and in legends.
    pub fn name(&self) -> &'static str {
        self.sheet().name
    }

    /// Whether its sheet lists this need.
    pub fn needs(&self, need: Need) -> bool {
        self.sheet().needs.contains(&need)
    }

    /// All parameters with their values, in the sheet's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Param, f64)> {
        self.params.iter()
    }

    /// The value of a parameter, if it has one of this name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.iter().find(|(param, _)| param.name == name).map(|(_, value)| value)
    }

    /// All values.
    pub(crate) fn params(&self) -> &Params {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Rate, congestion, queue};

    #[test]
    fn only_what_was_checked_is_a_spec() {
        let spec = |given: [(&'static str, f64); 1]| queue::Spec::named("red", given);
        let red = spec([("min_th", 3.0)]).expect("in range");
        assert_eq!((red.name(), red.value("min_th")), ("red", Some(3.0)));
        assert_eq!(red.value("beta"), None);
        assert!(matches!(
            spec([("beta", 3.0)]),
            Err(SpecError::Param("beta", 3.0, ParamError::Unknown(_)))
        ));
        assert!(matches!(
            spec([("min_th", f64::NAN)]),
            Err(SpecError::Param("min_th", _, ParamError::OutOfRange(p))) if p.name == "min_th"
        ));
        // each in its range, but the average cannot be above one and below the other
        assert!(matches!(
            queue::Spec::named("red", [("min_th", 30.0), ("max_th", 20.0)]),
            Err(SpecError::Rule(_))
        ));
        assert_eq!(queue::Spec::named("reno", []), Err(SpecError::Name));
        assert_eq!(congestion::Spec::named("red", []), Err(SpecError::Name));
    }

    #[test]
    fn what_is_set_up_is_what_was_named() {
        for sheet in congestion::ALL {
            let spec = congestion::Spec::named(sheet.name, []).expect("defaults fit together");
            assert_eq!(spec.name(), sheet.name);
            assert_eq!(congestion::Algorithm::new(&spec, &Default::default()).kind(), spec.kind());
        }
        let rate = Rate::from_bits_per_sec(10_000_000);
        let link = queue::Link { rate, mean_packet: Bytes::new(1500) };
        for sheet in queue::ALL {
            let spec = queue::Spec::named(sheet.name, []).expect("defaults fit together");
            assert_eq!(queue::Policy::new(&spec, &link).sheet().name, sheet.name);
        }
    }
}
