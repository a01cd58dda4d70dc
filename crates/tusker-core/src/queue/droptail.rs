//! DropTail: accepts everything that fits.

use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Sheet};
use crate::rng::Rng;
use crate::table::NoParams;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "droptail",
    title: "DropTail (FIFO)",
    family: Family::Limit,
    source: "RFC 2309, section 2: drop what arrives at a full buffer",
    equations: "drop an arriving packet if the queue is at its limit",
    differs: "",
    needs: &[],
    params: &[],
    ..Sheet::NO_LAW
};

/// Lets every packet pass; the queue's limit does the rest.
#[derive(Clone, Debug, Default)]
pub struct DropTail;

impl SetUp for DropTail {
    type Params = NoParams;

    fn new(_: NoParams, _: &Link) -> Self {
        Self
    }
}

impl Aqm for DropTail {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }
}
