//! `params!`: the parameters of a law or queue policy, each declared once.
//!
//! ```text
//! params! { pub(super) struct CubicParams {
//!     /// how fast the window moves away from and towards W_max (C)
//!     c: f64 = 0.4 "segments/s^3" in 0.001..=10.0,
//!     /// lower W_max further if the loss comes below the last W_max
//!     fast_convergence: bool = true,
//! } }
//! ```
//!
//! defines a struct with these fields, which the law reads, and the list
//! `CubicParams::LIST` of their names, defaults, units, ranges and descriptions,
//! for the sheet. A number without a unit omits it; a flag has no range; a computed
//! default is in parentheses. Other forms share parameters: `alpha: f64 as in
//! Other` takes the row of that name from another table (`alpha: f64 = 0.5 as in
//! Other`: with this default), and `other: Other` takes all of its rows, in its
//! order.

use crate::params::{Param, Params};
use crate::units::Duration;

/// A struct that holds the values of a list of parameters.
pub(crate) trait Table: Default {
    /// The list, in the order of the fields.
    const LIST: &'static [Param];

    /// A value for each entry of the list, in order.
    fn read(values: &mut impl Iterator<Item = f64>) -> Self;
}

impl Params {
    /// All values by field.
    pub(crate) fn read<T: Table>(&self) -> T {
        debug_assert_eq!(self.list(), T::LIST, "a sheet lists the parameters that are read");
        T::read(&mut self.iter().map(|(_, value)| value))
    }
}

/// For algorithms without parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoParams;

impl Table for NoParams {
    const LIST: &'static [Param] = &[];

    fn read(_: &mut impl Iterator<Item = f64>) -> Self {
        Self
    }
}

/// How a value is read.
pub(crate) trait Field {
    /// From the checked number.
    fn from_value(value: f64) -> Self;
}

impl Field for f64 {
    fn from_value(value: f64) -> Self {
        value
    }
}

impl Field for bool {
    fn from_value(value: f64) -> Self {
        value != 0.0
    }
}

impl Field for u32 {
    fn from_value(value: f64) -> Self {
        value as Self
    }
}

impl Field for u64 {
    fn from_value(value: f64) -> Self {
        value as Self
    }
}

/// From seconds.
impl Field for Duration {
    fn from_value(value: f64) -> Self {
        Self::from_secs(value)
    }
}

/// See the comment at the top of this file.
macro_rules! params {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $(
            $(#[doc = $about:literal])*
            $field:ident: $type:ty
            $(= $default:tt $($unit:literal)? $(in $min:literal ..= $max:literal)?)?
            $(as in $other:ty)?
        ),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name {
            $($(#[doc = $about])* $vis $field: $type),*
        }

        impl $name {
            /// The list for a sheet.
            $vis const LIST: &'static [$crate::params::Param] = {
                const PARTS: &[&[$crate::params::Param]] = &[$(
                    $crate::table::params!(@list $field $type, [$($about),*]
                        [$($default [$($unit)?] [$($min, $max)?])?] [$($other)?])
                ),*];
                // one copy of these texts, wherever the constant is used
                static LIST: [$crate::params::Param; $crate::table::length(PARTS)] =
                    $crate::table::joined(PARTS);
                &LIST
            };
        }

        impl $crate::table::Table for $name {
            const LIST: &'static [$crate::params::Param] = Self::LIST;

            fn read(values: &mut impl Iterator<Item = f64>) -> Self {
                Self {$(
                    $field: $crate::table::params!(@read values $type,
                        [$($default)?] [$($other)?])
                ),*}
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::params::Params::defaults(Self::LIST).read()
            }
        }
    };

    (@list $field:ident $type:ty, [] [] []) => { <$type>::LIST };
    (@list $field:ident $type:ty, [] [] [$other:ty]) => {
        &[$crate::table::row(<$other>::LIST, stringify!($field))]
    };
    (@list $field:ident $type:ty, [] [$default:tt [] []] [$other:ty]) => {
        &[$crate::params::Param {
            default: $crate::table::params!(@value $default),
            ..$crate::table::row(<$other>::LIST, stringify!($field))
        }]
    };
    (@list $field:ident $type:ty, [$($about:literal),+] [$default:tt [] []] []) => {
        &[$crate::params::Param {
            name: stringify!($field),
            unit: "flag",
            default: $crate::table::params!(@value $default),
            min: 0.0,
            max: 1.0,
            about: concat!($($about),+).trim_ascii_start(),
        }]
    };
    (@list $field:ident $type:ty, [$($about:literal),+]
        [$default:tt [$($unit:literal)?] [$min:literal, $max:literal]] []
    ) => {
        &[$crate::params::Param {
            name: stringify!($field),
            unit: concat!($($unit)?),
            default: $crate::table::params!(@value $default),
            min: $min as f64,
            max: $max as f64,
            about: concat!($($about),+).trim_ascii_start(),
        }]
    };

    (@value true) => { 1.0 };
    (@value false) => { 0.0 };
    (@value $number:tt) => { $number as f64 };

    (@read $values:ident $type:ty, [] []) => { <$type as $crate::table::Table>::read($values) };
    (@read $values:ident $type:ty, $($one:tt)*) => {
        <$type as $crate::table::Field>::from_value(
            $values.next().expect("there are as many values as parameters"),
        )
    };
}

pub(crate) use params;

/// The states of a law, with their names for its sheet: a variant's number is the place of
/// its name.
macro_rules! states {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$about:meta])* $state:ident = $text:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$about])* $state),*
        }

        impl $name {
            /// The names, in order.
            $vis const NAMES: &'static [&'static str] = &[$($text),*];
        }
    };
}

pub(crate) use states;

/// These values, with the others at their defaults, for tests.
#[cfg(test)]
pub(crate) fn given<T: Table>(values: &[(&str, f64)]) -> T {
    let mut all = Params::defaults(T::LIST);
    for (name, value) in values {
        all.set(name, *value).expect(name);
    }
    all.read()
}

/// How many parameters these lists have.
pub(crate) const fn length(lists: &[&[Param]]) -> usize {
    let (mut i, mut length) = (0, 0);
    while i < lists.len() {
        length += lists[i].len();
        i += 1;
    }
    length
}

/// These lists as one.
pub(crate) const fn joined<const N: usize>(lists: &[&[Param]]) -> [Param; N] {
    let mut all = [Param { name: "", unit: "", default: 0.0, min: 0.0, max: 0.0, about: "" }; N];
    let (mut i, mut to) = (0, 0);
    while i < lists.len() {
        let mut j = 0;
        while j < lists[i].len() {
            all[to] = lists[i][j];
            to += 1;
            j += 1;
        }
        i += 1;
    }
    all
}

/// The parameter of this name.
///
/// # Panics
/// If there is none: at compile time of the table that refers to it.
pub(crate) const fn row(list: &[Param], name: &str) -> Param {
    let mut i = 0;
    while i < list.len() {
        if same(list[i].name.as_bytes(), name.as_bytes()) {
            return list[i];
        }
        i += 1;
    }
    panic!("the other table has no parameter of this name")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    params! { struct Queue {
        /// packets that
        /// may wait
        most: u32 = 3 "pkt" in 1..=9,
        /// share
        share: f64 = 0.5 in -1.0..=1e3,
    } }

    params! { struct Both {
        share: f64 = 0.25 as in Queue,
        /// whether
        on: bool = true,
        queue: Queue,
        /// how long
        time: Duration = 0.25 "s" in 0.0..=1.0,
    } }

    #[test]
    fn a_table_is_read_in_the_order_of_its_list() {
        let most = Param {
            name: "most",
            unit: "pkt",
            default: 3.0,
            min: 1.0,
            max: 9.0,
            about: "packets that may wait",
        };
        let share =
            Param { name: "share", unit: "", default: 0.5, min: -1.0, max: 1e3, about: "share" };
        assert_eq!(Queue::LIST, [most, share]);
        let on =
            Param { name: "on", unit: "flag", default: 1.0, min: 0.0, max: 1.0, about: "whether" };
        let time =
            Param { name: "time", unit: "s", default: 0.25, min: 0.0, max: 1.0, about: "how long" };
        assert_eq!(Both::LIST, [Param { default: 0.25, ..share }, on, most, share, time]);
        let mut values = Params::defaults(Both::LIST);
        values.set("on", 0.0).expect("in range");
        values.set("most", 7.5).expect("in range");
        let queue = Queue { most: 7, share: 0.5 };
        let time = Duration::from_millis(250);
        assert_eq!(values.read::<Both>(), Both { share: 0.25, on: false, queue, time });
        assert_eq!(Both::default().queue, Queue { most: 3, share: 0.5 });
    }
}
