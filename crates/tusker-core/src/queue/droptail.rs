//! DropTail: everything that fits.

use super::{Aqm, Backlog, Link, Meta, Verdict};
use crate::params::{Params, Sheet};
use crate::rng::Rng;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "droptail",
    title: "DropTail (FIFO)",
    source: "RFC 2309, section 2: drop what arrives at a full buffer",
    equations: "drop an arriving packet if the queue holds its limit",
    differs: "",
    needs: &[],
    params: &[],
};

/// Lets everything pass; the limit of the queue does the rest.
#[derive(Clone, Debug, Default)]
pub struct DropTail;

impl DropTail {
    pub(super) fn new(_: &Params, _: &Link) -> Self {
        Self
    }

    pub(super) fn check(_: &Params) -> Result<(), &'static str> {
        Ok(())
    }
}

impl Aqm for DropTail {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }
}
