//! A congestion control whose segments may be smaller than the simulated packets.
//!
//! Usually a packet carries one segment. With `segments_per_packet` (ours, from no paper), a
//! packet stands for n of them, so that a path that is too fast to be simulated segment by
//! segment takes 1/n of the events. The law counts in segments and keeps its rules; the
//! transport counts in packets, and what passes between them is multiplied or divided by n
//! here. docs/plan.md ("Large packets") shows by how much this changes the results.

use tusker_core::congestion::{
    Ack, Algorithm, Congestion, Controller, Deflate, LossSample, Modes, Overrule, RateSample,
    RouterAssisted, Timeout, TwoModes,
};
use tusker_core::params::Need;
use tusker_core::{Duration, Rate, Time};

/// A congestion control, in packets.
#[derive(Clone, Debug)]
pub struct Control {
    cc: Algorithm,
    /// Segments in a packet.
    each: u32,
    /// 1 / `each`.
    share: f64,
}

impl Control {
    /// A packet has `each` segments, at least one.
    pub fn new(cc: Algorithm, each: u32) -> Self {
        let each = each.max(1);
        Self { cc, each, share: 1.0 / f64::from(each) }
    }

    fn many(&self, packets: u32) -> u32 {
        packets.saturating_mul(self.each)
    }

    /// So many segments, in packets; at least one.
    pub fn packets(&self, segments: u32) -> f64 {
        (f64::from(segments) * self.share).max(1.0)
    }

    /// Congestion window in packets, at least 1.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        (self.cc.cwnd() * self.share).max(1.0)
    }

    /// Slow-start threshold in packets.
    #[inline]
    pub fn ssthresh(&self) -> f64 {
        self.cc.ssthresh() * self.share
    }

    /// The rate at which to send, if the law paces.
    #[inline]
    pub fn pacing_rate(&self) -> Option<Rate> {
        self.cc.pacing_rate()
    }

    /// How many packets leave together if the law paces, at least 1.
    #[inline]
    pub fn quantum(&self) -> u32 {
        self.cc.quantum().div_ceil(self.each).max(1)
    }

    /// See [`Algorithm::on_ack_of`].
    #[inline(always)]
    pub fn on_ack(&mut self, ack: impl Fn() -> Ack) {
        if self.each == 1 {
            self.cc.on_ack_of(ack);
        } else {
            self.on_ack_of_many(&ack());
        }
    }

    #[cold]
    #[inline(never)]
    fn on_ack_of_many(&mut self, ack: &Ack) {
        let each = u64::from(self.each);
        let rate = ack.rate.map(|rate| RateSample {
            delivered: self.many(rate.delivered),
            prior_delivered: rate.prior_delivered * each,
            total_delivered: rate.total_delivered * each,
            tx_in_flight: self.many(rate.tx_in_flight),
            lost: self.many(rate.lost),
            ..rate
        });
        let ack = Ack {
            acked: self.many(ack.acked),
            credit: ack.credit * f64::from(self.each),
            in_flight: self.many(ack.in_flight),
            lost: self.many(ack.lost),
            marked: self.many(ack.marked),
            rate,
            ..*ack
        };
        self.cc.on_ack(&ack);
    }

    /// See [`Controller::on_lost`].
    pub fn on_lost(&mut self, now: Time, loss: &LossSample) {
        let (tx_in_flight, lost) = (self.many(loss.tx_in_flight), self.many(loss.lost));
        self.cc.on_lost(now, &LossSample { tx_in_flight, lost, ..*loss });
    }

    /// See [`Controller::on_congestion`].
    pub fn on_congestion(&mut self, event: &Congestion) {
        let flight = self.many(event.flight);
        self.cc.on_congestion(&Congestion { flight, ..*event });
    }

    /// See [`Controller::on_recovered`].
    pub fn on_recovered(&mut self, now: Time) {
        self.cc.on_recovered(now);
    }

    /// See [`Controller::on_timeout`].
    pub fn on_timeout(&mut self, event: &Timeout) {
        let (flight, in_flight) = (self.many(event.flight), self.many(event.in_flight));
        self.cc.on_timeout(&Timeout { flight, in_flight, ..*event });
    }

    /// See [`Controller::on_undo`].
    pub fn on_undo(&mut self, now: Time) {
        self.cc.on_undo(now);
    }

    /// See [`Controller::on_idle`].
    pub fn on_idle(&mut self, now: Time, idle: Duration) {
        self.cc.on_idle(now, idle);
    }

    /// See [`Overrule::overrule`].
    pub fn overrule(&mut self, cwnd: f64, ssthresh: f64) {
        let each = f64::from(self.each);
        self.cc.overrule(cwnd * each, ssthresh * each);
    }

    /// See [`Deflate::deflate`].
    pub fn deflate(&mut self, by: f64) {
        self.cc.deflate(by * f64::from(self.each));
    }

    /// Internal values of the law, which counts in segments.
    pub fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.cc.inspect(see);
    }

    /// See [`Algorithm::needs`].
    pub fn needs(&self, need: Need) -> bool {
        self.cc.needs(need)
    }

    /// See [`Algorithm::router_assisted`]. What routers read and write is about segments: such
    /// a law has one in each packet.
    pub fn router_assisted(&self) -> Option<&dyn RouterAssisted> {
        self.cc.router_assisted()
    }

    /// The decisions of a law with two modes, so far.
    pub fn modes(&self) -> Option<Modes> {
        self.cc.two_modes().map(TwoModes::modes)
    }

    /// See [`TwoModes::watch`]; `window` is in packets.
    pub fn watch(&mut self, window: f64) {
        let window = window * f64::from(self.each);
        if let Some(cc) = self.cc.two_modes_mut() {
            cc.watch(window);
        }
    }
}
