//! One line per algorithm; everything else about the list is generated from it, and so are
//! the modules of the algorithms.

/// Passes the list on to a macro, with a `$` for the macros that this one defines.
macro_rules! list {
    ($then:ident, $d:tt) => {
        $then! { ($d)
            Reno(Windowed<reno::Reno>) = reno, |p, o| Windowed::new(reno::Reno::new(p), o);
            Hstcp(Windowed<hstcp::Hstcp>) = hstcp, |p, o| Windowed::new(hstcp::Hstcp::new(p), o);
            Ghstcp(Windowed<ghstcp::Ghstcp>) = ghstcp, |p, o| Windowed::new(ghstcp::Ghstcp::new(p), o), modes;
            Scalable(Windowed<scalable::Scalable>) = scalable, |p, o| Windowed::new(scalable::Scalable::new(p), o);
            Htcp(Windowed<htcp::Htcp>) = htcp, |p, o| Windowed::new(htcp::Htcp::new(p), o);
            Westwood(Windowed<westwood::Westwood>) = westwood, |p, o| Windowed::new(westwood::Westwood::new(p), o);
            Bic(Windowed<bic::Bic>) = bic, |p, o| Windowed::new(bic::Bic::new(p), o);
            Cubic(Windowed<cubic::Cubic>) = cubic, |p, o| Windowed::new(cubic::Cubic::new(p), o);
            Cubic2005(Windowed<cubic2005::Cubic2005>) = cubic2005, |p, o| Windowed::new(cubic2005::Cubic2005::new(p), o);
            GhstcpRefined(Windowed<ghstcp_refined::GhstcpRefined>) = ghstcp_refined, |p, o| Windowed::new(ghstcp_refined::GhstcpRefined::new(p), o), modes;
            Vegas(Windowed<vegas::Vegas>) = vegas, |p, o| Windowed::new(vegas::Vegas::new(p), o);
            Fast(Windowed<fast::Fast>) = fast, |p, o| Windowed::new(fast::Fast::new(p), o);
            Eefast(Windowed<eefast::Eefast>) = eefast, |p, o| Windowed::new(eefast::Eefast::new(p), o);
            Illinois(Windowed<illinois::Illinois>) = illinois, |p, o| Windowed::new(illinois::Illinois::new(p), o);
            Compound(Windowed<compound::Compound>) = compound, |p, o| Windowed::new(compound::Compound::new(p), o);
            Hcc(Windowed<hcc::Hcc>) = hcc, |p, o| Windowed::new(hcc::Hcc::new(p), o);
            Lp(Windowed<lp::Lp>) = lp, |p, o| Windowed::new(lp::Lp::new(p), o);
            Udt(udt::Udt) = udt, udt::Udt::new;
            Bbr1(bbr1::Bbr1) = bbr1, bbr1::Bbr1::new;
            Bbr3(bbr3::Bbr3) = bbr3, bbr3::Bbr3::new;
            Copa(copa::Copa) = copa, copa::Copa::new;
            LedbatPp(Windowed<ledbat_pp::LedbatPp>) = ledbat_pp, |p, o| Windowed::new(ledbat_pp::LedbatPp::new(p), &ledbat_pp::LedbatPp::options(o));
            Dctcp(Windowed<dctcp::Dctcp>) = dctcp, |p, o| Windowed::new(dctcp::Dctcp::new(p), o);
            Prague(prague::Prague) = prague, prague::Prague::new;
            Xcp(xcp::Xcp) = xcp, xcp::Xcp::new, routers;
            Vcp(vcp::Vcp) = vcp, vcp::Vcp::new, routers;
            CubicLinux(Windowed<cubic_linux::CubicLinux>) = cubic_linux, |p, o| Windowed::new(cubic_linux::CubicLinux::new(p, o), o);
            Yeah(Windowed<yeah::Yeah>) = yeah, |p, o| Windowed::new(yeah::Yeah::new(p), o);
            Hybla(Windowed<hybla::Hybla>) = hybla, |p, o| Windowed::new(hybla::Hybla::new(p), o);
            Swift(swift::Swift) = swift, swift::Swift::new;
            Vivace(vivace::Vivace) = vivace, vivace::Vivace::new;
            C4(c4::C4) = c4, c4::C4::new;
            Scream(scream::Scream) = scream, scream::Scream::new;
        }
    };
}

use core::mem::offset_of;

use super::extensions::{Deflate, Overrule, RouterAssisted};
use super::modes::TwoModes;
use super::windowed::{Options, Windowed};
use super::{Ack, Congestion, Controller, LossSample, Timeout, Window};
#[cfg(feature = "foreign")]
use crate::foreign;
use crate::params::{Need, Params, Sheet};
use crate::spec;
use crate::table::Table;
use crate::units::{Duration, Rate, Time};

/// An algorithm as the trait named after the comma in its line: `routers` for
/// [`RouterAssisted`], `modes` for [`TwoModes`].
macro_rules! extension {
    ($wanted:ident: $c:ident) => {{
        let _ = $c;
        None
    }};
    (routers: $c:ident routers) => { Some($c) };
    (modes: $c:ident modes) => { Some($c) };
    ($wanted:ident: $c:ident $other:ident) => { extension!($wanted: $c) };
}

/// Compiles if a controller begins with its window. One that works with routers begins with
/// what it is without them.
macro_rules! begins_with_window {
    ($controller:ty, routers) => { begins_with_window!(@ $controller, legacy.window) };
    ($controller:ty $(, $other:ident)?) => { begins_with_window!(@ $controller, window) };
    (@ $controller:ty, $($field:ident).+) => {{
        let _: fn(&$controller) -> &Window = |controller| &controller.$($field).+;
        assert!(
            offset_of!($controller, $($field).+) == 0,
            concat!(stringify!($controller), " must be #[repr(C)] and begin with its window")
        );
    }};
}

/// A congestion control with its parameters, checked.
pub type Spec = spec::Spec<Kind>;

/// Passes a constructor the values that it takes.
fn set_up<P: Table, C>(
    new: impl FnOnce(P, &Options) -> C,
    params: &Params,
    options: &Options,
) -> C {
    new(params.read(), options)
}

macro_rules! algorithms {
    (($d:tt) $($(#[$doc:meta])* $variant:ident($controller:ty) = $module:ident, $new:expr $(, $is:ident)?;)*) => {
        $(use super::$module;)*

        /// The same for whichever one it is.
        macro_rules! dispatch {
            ($d on:expr, $d it:ident => $d do:expr) => {
                match $d on {
                    $(Algorithm::$variant($d it) => $d do,)*
                    #[cfg(feature = "foreign")]
                    Algorithm::Foreign($d it) => $d do,
                }
            };
        }

        /// Any congestion control of the registry: a closed enum, so that the hot
        /// path has no virtual call and no box.
        // The tag comes first and the contents at a fixed offset: every controller
        // begins with its window, so it can be read without looking at the tag. The
        // compiler checks this below.
        #[derive(Clone, Debug)]
        #[repr(u64)]
        #[expect(missing_docs, reason = "each variant is described by its sheet")]
        pub enum Algorithm {
            $($(#[$doc])* $variant($controller),)*
            #[cfg(feature = "foreign")]
            Foreign(Windowed<foreign::AnyLaw>),
        }

        $(const _: () = begins_with_window!($controller $(, $is)?);)*

        spec::registry! {
            "congestion control", [$($variant = $module,)*], foreign::law: foreign::AnyLaw,
        }

        impl Algorithm {
            /// The algorithm, set up.
            pub fn new(spec: &Spec, options: &Options) -> Self {
                match spec.kind() {
                    $(Kind::$variant => Self::$variant(set_up($new, spec.params(), options)),)*
                    #[cfg(feature = "foreign")]
                    Kind::Foreign(law) => {
                        Self::Foreign(Windowed::new(foreign::AnyLaw::new(law), options))
                    }
                }
            }

            /// Which one of the registry it is.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$variant(_) => Kind::$variant,)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(c) => Kind::Foreign(c.law().of()),
                }
            }

            /// [`Controller::on_ack`] with an ACK that is made here. Large simulations run the
            /// first three laws: they are inlined into the caller, and what they do not read of
            /// the ACK is not made; the others are not inlined, to keep the caller small.
            #[inline(always)]
            pub fn on_ack_of(&mut self, ack: impl Fn() -> Ack) {
                match self {
                    Self::Reno(c) => c.on_ack(&ack()),
                    Self::Hstcp(c) => c.on_ack(&ack()),
                    Self::Ghstcp(c) => c.on_ack(&ack()),
                    _ => self.call_on_ack(&ack()),
                }
            }

            #[inline(never)]
            fn call_on_ack(&mut self, ack: &Ack) {
                dispatch!(self, c => c.on_ack(ack))
            }

            /// The algorithm, if it works with routers.
            pub fn router_assisted(&self) -> Option<&dyn RouterAssisted> {
                match self {
                    $(Self::$variant(c) => extension!(routers: c $($is)?),)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(_) => None,
                }
            }

            /// The algorithm, if it has two modes.
            pub fn two_modes(&self) -> Option<&dyn TwoModes> {
                match self {
                    $(Self::$variant(c) => extension!(modes: c $($is)?),)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(_) => None,
                }
            }

            /// The same, mutable, to choose which decisions to count separately.
            pub fn two_modes_mut(&mut self) -> Option<&mut dyn TwoModes> {
                match self {
                    $(Self::$variant(c) => extension!(modes: c $($is)?),)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(_) => None,
                }
            }

            /// Whether the algorithm, with its parameters, needs this from its
            /// transport: what its sheet lists, and [`Controller::also_needs`].
            pub fn needs(&self, need: Need) -> bool {
                let sheet = spec::Kind::sheet(self.kind());
                sheet.needs.contains(&need) || self.also_needs(need)
            }
        }

        // a method missing here would silently do nothing
        #[deny(clippy::missing_trait_methods)]
        impl Controller for Algorithm {
            #[inline]
            fn cwnd(&self) -> f64 {
                dispatch!(self, c => c.cwnd())
            }
            #[inline]
            fn ssthresh(&self) -> f64 {
                dispatch!(self, c => c.ssthresh())
            }
            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                dispatch!(self, c => c.pacing_rate())
            }
            fn quantum(&self) -> u32 {
                dispatch!(self, c => c.quantum())
            }
            fn on_ack(&mut self, ack: &Ack) {
                self.call_on_ack(ack);
            }
            fn on_lost(&mut self, now: Time, loss: &LossSample) {
                dispatch!(self, c => c.on_lost(now, loss))
            }
            fn on_congestion(&mut self, event: &Congestion) {
                dispatch!(self, c => c.on_congestion(event))
            }
            fn on_recovered(&mut self, now: Time) {
                dispatch!(self, c => c.on_recovered(now))
            }
            fn on_timeout(&mut self, event: &Timeout) {
                dispatch!(self, c => c.on_timeout(event))
            }
            fn on_undo(&mut self, now: Time) {
                dispatch!(self, c => c.on_undo(now))
            }
            fn on_idle(&mut self, now: Time, idle: Duration) {
                dispatch!(self, c => c.on_idle(now, idle))
            }
            fn also_needs(&self, need: Need) -> bool {
                dispatch!(self, c => c.also_needs(need))
            }
            fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
                dispatch!(self, c => c.inspect(see))
            }
        }

        impl Overrule for Algorithm {
            fn overrule(&mut self, cwnd: f64, ssthresh: f64) {
                dispatch!(self, c => c.overrule(cwnd, ssthresh))
            }
        }

        impl Deflate for Algorithm {
            fn deflate(&mut self, by: f64) {
                dispatch!(self, c => c.deflate(by))
            }
        }
    };
}

list!(algorithms, $);
