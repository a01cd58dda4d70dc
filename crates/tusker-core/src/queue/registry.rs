//! One line per queue policy; everything else about the list is generated from it, and so are
//! the modules of the policies.

/// Passes the list on to a macro, with a `$` for the macros that this one defines.
macro_rules! list {
    ($then:ident, $d:tt) => {
        $then! { ($d)
            DropTail(droptail::DropTail) = droptail;
            Red(red::Red) = red;
            Ared(ared::Ared) = ared;
            Gared(gared::Gared) = gared;
            Wred(wred::Wred) = wred;
            Step(step::Step) = step;
            Xcp(xcp::Xcp) = xcp;
            Vcp(vcp::Vcp) = vcp;
            Codel(codel::Codel) = codel;
            Pie(pie::Pie) = pie;
            FqCodel(fq_codel::FqCodel) = fq_codel;
            FqPie(fq_pie::FqPie) = fq_pie;
            Fq(fq::Fq) = fq;
            Sfq(sfq::Sfq) = sfq;
            Cake(cake::Cake) = cake;
            DualPi2(dualpi2::DualPi2) = dualpi2;
            Policer(policer::Policer) = policer;
            Tbf(tbf::Tbf) = tbf;
        }
    };
}

use super::{
    Aqm, Backlog, CakeQueues, Departing, FlowQueues, Header, Heads, Link, Meta, SetUp,
    TokenBuckets, TwoQueues, Verdict,
};
#[cfg(feature = "foreign")]
use crate::foreign;
use crate::params::{Params, Sheet};
use crate::rng::Rng;
use crate::spec;
use crate::units::Time;

/// A queue policy with its parameters, checked.
pub type Spec = spec::Spec<Kind>;

macro_rules! policies {
    (($d:tt) $($variant:ident($policy:ty) = $module:ident;)*) => {
        $(use super::$module;)*

        /// The same for whichever one it is.
        macro_rules! dispatch {
            ($d on:expr, $d it:ident => $d do:expr) => {
                match $d on {
                    $(Policy::$variant($d it) => $d do,)*
                    #[cfg(feature = "foreign")]
                    Policy::Foreign($d it) => $d do,
                }
            };
        }

        /// Any queue policy of the registry.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "each variant is described by its sheet")]
        #[expect(clippy::large_enum_variant, reason = "wred has a table, and nothing allocates here")]
        pub enum Policy {
            $($variant($policy),)*
            #[cfg(feature = "foreign")]
            Foreign(foreign::AnyPolicy),
        }

        spec::registry! {
            "queue policy", [$($variant = $module,)*], foreign::policy: foreign::AnyPolicy,
            fn check(self, params: &Params) -> Result<(), &'static str> {
                match self {
                    $(Self::$variant => <$policy>::check(&params.read()),)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(_) => Ok(()),
                }
            }
        }

        impl Policy {
            /// The policy, set up for a link.
            pub fn new(spec: &Spec, link: &Link) -> Self {
                match spec.kind() {
                    $(Kind::$variant => {
                        Self::$variant(SetUp::new(spec.params().read(), link))
                    })*
                    #[cfg(feature = "foreign")]
                    Kind::Foreign(policy) => Self::Foreign(foreign::AnyPolicy::new(policy, link)),
                }
            }

            /// Its sheet: what `tusker explain` shows, and what it needs.
            pub fn sheet(&self) -> &'static Sheet {
                match self {
                    $(Self::$variant(_) => spec::Kind::sheet(Kind::$variant),)*
                    #[cfg(feature = "foreign")]
                    Self::Foreign(policy) => policy.of().sheet(),
                }
            }
        }

        // a method missing here would silently do nothing
        #[deny(clippy::missing_trait_methods)]
        impl Aqm for Policy {
            #[inline]
            fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
                dispatch!(self, policy => policy.on_arrival(p, q, now, rng))
            }
            #[inline]
            fn on_overflow(&mut self) {
                dispatch!(self, policy => policy.on_overflow())
            }
            #[inline]
            fn poll_at(&self) -> Time {
                dispatch!(self, policy => policy.poll_at())
            }
            fn on_poll(&mut self, now: Time, q: &Backlog) {
                dispatch!(self, policy => policy.on_poll(now, q))
            }
            fn write(&mut self, header: &mut Header, p: &Meta) {
                dispatch!(self, policy => policy.write(header, p))
            }
            fn on_departure(
                &mut self,
                p: &Departing,
                q: &Backlog,
                now: Time,
                rng: &mut Rng,
            ) -> Verdict {
                dispatch!(self, policy => policy.on_departure(p, q, now, rng))
            }
            fn on_empty(&mut self, now: Time) {
                dispatch!(self, policy => policy.on_empty(now))
            }
            fn flow_queues(&self) -> Option<FlowQueues> {
                dispatch!(self, policy => policy.flow_queues())
            }
            fn two_queues(&self) -> Option<TwoQueues> {
                dispatch!(self, policy => policy.two_queues())
            }
            fn cake_queues(&self) -> Option<CakeQueues> {
                dispatch!(self, policy => policy.cake_queues())
            }
            fn token_buckets(&self) -> Option<TokenBuckets> {
                dispatch!(self, policy => policy.token_buckets())
            }
            fn on_heads(&mut self, heads: &Heads) {
                dispatch!(self, policy => policy.on_heads(heads))
            }
            fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
                dispatch!(self, policy => policy.inspect(see))
            }
            fn target(&self) -> Option<(f64, f64)> {
                dispatch!(self, policy => policy.target())
            }
        }
    };
}

list!(policies, $);
