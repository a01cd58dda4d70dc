//! Runs a controller through a script.

use tusker_core::congestion::{
    Ack, Congestion, Controller, LossSample, Options, RateSample, Rtt, Timeout,
};
use tusker_core::{Duration, Time};

use crate::script::{Acks, Connection, Expected, Script, Step};
use crate::words::{ROUNDING, same_within};
use crate::{Failure, Text};

/// How a controller deviated from its script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What was found instead.
    pub what: String,
}

impl Wrong {
    /// The same with the script's file and the controller's name.
    pub fn by(self, name: &str, text: &Text) -> Failure {
        text.at(self.line, format!("{name}: {}", self.what))
    }
}

impl Script {
    /// Runs the whole script. `new` makes a controller for each connection that starts;
    /// `name` is used in errors.
    ///
    /// # Errors
    /// The first deviation from the script.
    pub fn run<C: Controller>(
        &self,
        name: &str,
        new: impl FnMut(&Options) -> C,
    ) -> Result<(), Failure> {
        self.run_within(ROUNDING, name, new)
    }

    /// The same for a controller that does not compute in f64: its values may differ by
    /// this relative error, in addition to half a unit of the last digit expected.
    ///
    /// # Errors
    /// As for [`Self::run`].
    pub fn run_within<C: Controller>(
        &self,
        slack: f64,
        name: &str,
        mut new: impl FnMut(&Options) -> C,
    ) -> Result<(), Failure> {
        self.connections.iter().try_for_each(|connection| {
            let led = connection.lead_within(slack, &mut new(&connection.options));
            led.map_err(|wrong| wrong.by(name, &self.text))
        })
    }
}

impl Connection {
    /// Runs a controller, newly set up with the connection's options, to the end of the
    /// script.
    ///
    /// # Errors
    /// The first deviation from the script.
    pub fn lead(&self, law: &mut dyn Controller) -> Result<(), Wrong> {
        self.lead_within(ROUNDING, law)
    }

    fn lead_within(&self, slack: f64, law: &mut dyn Controller) -> Result<(), Wrong> {
        let mut leader = Leader {
            law,
            slack,
            departure: Time::from_nanos(1_000_000_000),
            delivered: 0,
            prior_delivered: 0,
        };
        self.steps.iter().try_for_each(|(line, step)| {
            leader.step(step).map_err(|what| Wrong { line: *line, what })
        })
    }
}

/// A controller and its clock.
struct Leader<'a> {
    law: &'a mut dyn Controller,
    /// The relative error allowed in numbers.
    slack: f64,
    departure: Time,
    /// Segments delivered, now and when the round started.
    delivered: u64,
    prior_delivered: u64,
}

impl Leader<'_> {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        let now = self.departure;
        match step {
            Step::Wait(time) => self.departure += *time,
            Step::Idle(time) => {
                self.departure += *time;
                self.law.on_idle(self.departure, *time);
            }
            Step::Acks(count, acks) => self.acks(*count, acks),
            Step::Rounds(rounds, acks) => {
                for _ in 0..*rounds {
                    self.acks(self.law.cwnd() as u32, acks);
                }
            }
            Step::Congestion(signal, flight) => {
                let flight = flight.unwrap_or(u32::MAX);
                self.law.on_congestion(&Congestion { now, signal: *signal, flight });
            }
            Step::Recovered => self.law.on_recovered(now),
            Step::Lost(losses) => self.lose(losses, false),
            Step::Timeout { first, flight, in_flight } => {
                let (flight, in_flight) = (flight.unwrap_or(u32::MAX), *in_flight);
                self.law.on_timeout(&Timeout { now, flight, in_flight, first: *first });
            }
            Step::Undo => self.law.on_undo(now),
            Step::Expect(all) => return all.iter().try_for_each(|expected| self.expect(expected)),
        }
        Ok(())
    }

    fn acks(&mut self, count: u32, acks: &Acks) {
        for i in 0..count {
            let first = i == 0;
            if acks.round && first {
                self.prior_delivered = self.delivered;
            }
            self.delivered += acks.credit as u64;
            self.departure += acks.gap;
            let part = f64::from(i) / f64::from(count.max(2) - 1);
            let at = |(from, to): (Duration, Duration)| {
                Duration::from_secs(from.secs() + part * (to.secs() - from.secs()))
            };
            let (latest, forward) = (acks.rtt.map(at), acks.forward.map(at));
            let in_flight = acks.flight.unwrap_or(self.law.cwnd() as u32);
            let interval = latest.unwrap_or(Duration::from_millis(100));
            let lost = if first { acks.lost } else { 0 };
            if first {
                self.lose(&acks.losses, acks.held);
            }
            self.law.on_ack(&Ack {
                lost,
                rate: acks.rate.map(|rate| RateSample {
                    delivered: (rate * interval.secs()).round() as u32,
                    interval,
                    prior_delivered: self.prior_delivered,
                    total_delivered: self.delivered,
                    tx_in_flight: in_flight,
                    lost,
                    app_limited: acks.held,
                    dispersion: acks.pair,
                }),
                now: self.departure + latest.unwrap_or_default(),
                acked: acks.credit as u32,
                credit: acks.credit,
                in_flight,
                rtt: latest.map(|rtt| Rtt { latest: rtt, smoothed: rtt, min: rtt, forward }),
                departed: self.departure,
                leaves: Time::ZERO,
                round_start: acks.round && first,
                cwnd_limited: !acks.app_limited,
                marked: if acks.marked { acks.credit as u32 } else { 0 },
                feedback: acks.feedback,
            });
        }
    }

    /// Each segment in turn.
    fn lose(&mut self, losses: &[(u32, u32)], app_limited: bool) {
        for &(lost, tx_in_flight) in losses {
            let departed = self.departure;
            let loss = LossSample { departed, tx_in_flight, lost, app_limited };
            self.law.on_lost(self.departure, &loss);
        }
    }

    fn expect(&self, Expected { name, value }: &Expected) -> Result<(), String> {
        let got = shown(&*self.law, name).ok_or_else(|| format!("it shows no `{name}`"))?;
        if same_within(self.slack, got, value)? {
            Ok(())
        } else {
            Err(format!("{name} is {got}, expected {value}"))
        }
    }
}

/// The controller's value of this name.
pub(crate) fn shown(law: &dyn Controller, name: &str) -> Option<f64> {
    let mut got = match name {
        "cwnd" => Some(law.cwnd()),
        "ssthresh" => Some(law.ssthresh()),
        "quantum" => Some(f64::from(law.quantum())),
        "pacing_mbit" => law.pacing_rate().map(|rate| rate.bits_per_sec() as f64 / 1e6),
        _ => None,
    };
    law.inspect(&mut |seen, value| {
        if seen == name {
            got = Some(value);
        }
    });
    got
}
