//! Replay: a law in the running kernel reports all its events; the law in Rust processes
//! the same events and must do the same.
//!
//! The kernel itself also changes the window: during recovery (RFC 6937), after a timeout,
//! an idle time or an undo. If a window is not what the law left, the Rust law is given the
//! kernel's window; these cases are counted, by reason. The law's own changes in between
//! are compared after every ACK that increased the window, and the threshold after every
//! congestion event.

use std::collections::BTreeMap;
use std::fmt;

use tusker_core::congestion::{
    Ack, Algorithm, Congestion, Controller, Options, Overrule, Rtt, Signal, Spec, Timeout,
};
use tusker_core::{Duration, Time};

use super::steps::{AGREE, RELATIVE, SEGMENTS};
use crate::events::{Event, What};
use crate::host::Number;

/// How far the law in Rust was from the kernel's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Events processed.
    pub events: u64,
    /// Windows compared.
    pub windows: u64,
    /// Thresholds compared after losses and marks.
    pub shrinks: u64,
    /// Thresholds compared after timeouts.
    pub timeouts: u64,
    /// Reductions that were undone.
    pub undone: u64,
    /// Windows that the kernel itself changed during or after recovery.
    pub moved_by_repair: u64,
    /// Windows that it changed otherwise: after an idle time.
    pub moved_by_idleness: u64,
    /// The largest difference of a window or threshold, relative to it ...
    pub worst_relative: f64,
    /// ... and in segments.
    pub worst_absolute: f64,
    /// How many were off by more than both [`RELATIVE`] and [`SEGMENTS`].
    pub outside: u64,
    /// Modes compared, at each growth of a law that has modes.
    pub modes: u64,
    /// Those that differed.
    pub modes_differ: u64,
    /// How often the kernel's law changed its mode.
    pub mode_changes: u64,
    /// The first difference.
    pub first: Option<String>,
}

impl Replayed {
    /// Windows are close enough, and modes agree.
    pub fn hold(&self) -> bool {
        let agree = (self.modes - self.modes_differ) as f64;
        self.windows > 0 && self.outside == 0 && agree >= AGREE * self.modes as f64
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} events, {} windows with relative differences up to {:.1e} ",
            self.events, self.windows, self.worst_relative
        )?;
        write!(f, "and {:.1e} segments, {} outside; ", self.worst_absolute, self.outside)?;
        write!(f, "{} losses, {} timeouts, {} undone; ", self.shrinks, self.timeouts, self.undone)?;
        write!(
            f,
            "the kernel changed {} windows in recovery, {} after idling",
            self.moved_by_repair, self.moved_by_idleness
        )?;
        if self.modes > 0 {
            write!(
                f,
                "; {} modes, {} changes, {} differ",
                self.modes, self.mode_changes, self.modes_differ
            )?;
        }
        self.first.as_ref().map_or(Ok(()), |first| write!(f, "; {first}"))
    }
}

/// Replays the events of any number of connections of one law.
pub struct Replay<'a> {
    spec: &'a Spec,
    /// The position of the mode among the internal values, and its unit.
    mode: Option<(usize, u64)>,
    flows: BTreeMap<u64, Flow>,
    found: Replayed,
}

/// A connection.
struct Flow {
    law: Algorithm,
    /// Window and threshold after the last event.
    left: (f64, f64),
    /// An ACK that may still increase the window.
    ack: Option<Event>,
    /// When the law processed the last ACK before its growth.
    heard: Option<u64>,
    /// The recovery state.
    state: u32,
    /// Recovery has been active since the last comparison of windows.
    repaired: bool,
    mode: i64,
    /// The last event was the threshold of a timeout.
    fired: bool,
    /// The kernel has undone a reduction since the law last ran.
    undone: bool,
}

/// Numbers of the kernel's recovery states.
const OPEN: u32 = 0;
const DISORDER: u32 = 1;
const LOSS: u32 = 4;

impl<'a> Replay<'a> {
    /// For a law loaded with these parameters that shows these values.
    pub fn new(spec: &'a Spec, shows: &[Number]) -> Self {
        let mode = shows.iter().position(|number| number.name == "mode");
        Self {
            spec,
            mode: mode.map(|i| (i, shows[i].one)),
            flows: BTreeMap::new(),
            found: Replayed::default(),
        }
    }

    /// Processes the next event. A connection that existed before is left out.
    pub fn hear(&mut self, event: &Event) {
        if event.what == What::Open {
            self.flows.insert(event.flow, Flow::new(self.spec, event));
        }
        let Some(flow) = self.flows.get_mut(&event.flow) else { return };
        self.found.events += 1;
        flow.hear(event, self.mode, &mut self.found);
        if event.what == What::Close {
            self.flows.remove(&event.flow);
        }
    }

    /// The findings.
    pub fn end(self) -> Replayed {
        self.found
    }
}

impl Flow {
    fn new(spec: &Spec, event: &Event) -> Self {
        let options = Options {
            initial_window: f64::from(event.snd_cwnd),
            initial_ssthresh: event.ssthresh,
            whole_ssthresh: true,
            ..Options::default()
        };
        Self {
            law: Algorithm::new(spec, &options),
            left: (event.cwnd, event.ssthresh),
            ack: None,
            heard: None,
            state: OPEN,
            repaired: false,
            mode: 0,
            fired: false,
            undone: false,
        }
    }

    fn hear(&mut self, event: &Event, mode: Option<(usize, u64)>, found: &mut Replayed) {
        let now = time(event.now);
        // the kernel ends recovery between an ACK and the growth that it allows; both laws
        // see the ACK with the window before, except for that one
        if !matches!(event.what, What::Grow | What::State) {
            // the previous ACK did not increase the window
            self.observe(0.0);
        }
        if event.state != self.state && matches!(event.what, What::Ack | What::Grow) {
            // seen on Linux 6.18: recovery ends without a call of set_state
            self.enter(event);
        }
        match event.what {
            What::Open | What::Close => {}
            What::Ack => {
                self.follow(event, found);
                self.repaired &= self.state > DISORDER;
                self.ack = Some(event.clone());
            }
            What::Grow => {
                self.follow(event, found);
                let credit = if event.cwnd_limited { event.credit } else { 0.0 };
                if self.ack.is_none() && self.heard == Some(event.now) {
                    // the ACK reported a loss that is being repaired: the kernel shrinks the
                    // window between what the law sees of the ACK and what it grows by it
                    self.ack =
                        Some(Event { acked: 0, rtt: None, round_start: false, ..event.clone() });
                }
                self.observe(credit);
                found.windows += 1;
                self.compare("cwnd", event, (self.law.cwnd(), event.cwnd), found);
                self.compare_mode(event, mode, found);
            }
            What::Shrink => {
                let (signal, flight) = (Signal::Loss, event.flight);
                self.follow(event, found);
                self.law.on_congestion(&Congestion { now, signal, flight });
                found.shrinks += 1;
                self.compare("ssthresh", event, (self.law.ssthresh(), event.ssthresh), found);
            }
            What::Timeout => {
                self.follow(event, found);
                let (flight, in_flight) = (event.flight, event.in_flight);
                self.law.on_timeout(&Timeout { now, flight, in_flight, first: true });
                self.fired = true;
                found.timeouts += 1;
                self.compare("ssthresh", event, (self.law.ssthresh(), event.ssthresh), found);
            }
            What::State => {
                if event.state == LOSS {
                    self.observe(0.0);
                    if !self.fired {
                        // again for the same segment, or during recovery
                        let (flight, in_flight) = (event.flight, event.in_flight);
                        self.law.on_timeout(&Timeout { now, flight, in_flight, first: false });
                    }
                }
                self.fired = false;
                self.enter(event);
            }
            What::Undo => {
                self.law.on_undo(now);
                self.repaired = true;
                self.undone = true;
                found.undone += 1;
            }
        }
        self.left = (event.cwnd, event.ssthresh);
    }

    /// The kernel changes its recovery state.
    fn enter(&mut self, event: &Event) {
        if event.state <= DISORDER && self.state > DISORDER {
            self.law.on_recovered(time(event.now));
        }
        self.repaired |= event.state > DISORDER || self.state > DISORDER;
        self.state = event.state;
    }

    /// The kernel itself changed the window if it is not what the law left.
    fn follow(&mut self, event: &Event, found: &mut Replayed) {
        let undone = std::mem::take(&mut self.undone);
        let ssthresh = match event.what {
            What::Ack => event.ssthresh,
            // the kernel has restored it since the last event
            What::Grow if undone => event.ssthresh,
            _ if undone => self.law.ssthresh(),
            // these have the new threshold
            _ => self.left.1,
        };
        if (event.before, ssthresh) == self.left && !undone {
            return;
        }
        if event.before != self.left.0 {
            let moved = if self.repaired || self.state > DISORDER {
                &mut found.moved_by_repair
            } else {
                &mut found.moved_by_idleness
            };
            *moved += 1;
        }
        self.law.overrule(event.before, ssthresh);
    }

    /// The law in Rust processes the pending ACK, if there is one.
    fn observe(&mut self, credit: f64) {
        let Some(event) = self.ack.take() else { return };
        self.heard = Some(event.now);
        let micros = |us: u32| Duration::from_nanos(u64::from(us) * 1_000);
        let rtt = event.rtt.map(|rtt| Rtt {
            latest: micros(rtt),
            smoothed: micros(event.srtt),
            min: micros(event.rtt_min),
            // clocks differ: only differences matter, negative ones too
            forward: event
                .forward
                .map(|us| Duration::from_nanos(us.wrapping_mul(1_000).cast_unsigned())),
        });
        self.law.on_ack(&Ack {
            now: time(event.now),
            acked: event.acked,
            credit,
            in_flight: event.in_flight,
            rtt,
            departed: time(event.now - u64::from(event.rtt.unwrap_or(0))),
            round_start: event.round_start,
            cwnd_limited: credit > 0.0,
            ..Ack::default()
        });
    }

    fn compare(&self, what: &str, event: &Event, (rust, kernel): (f64, f64), found: &mut Replayed) {
        let absolute = (rust - kernel).abs();
        let relative = absolute / kernel;
        found.worst_absolute = found.worst_absolute.max(absolute);
        found.worst_relative = found.worst_relative.max(relative);
        if absolute > SEGMENTS && relative > RELATIVE {
            found.outside += 1;
            let told = || format!("at {} us {what} is {kernel}, in Rust {rust}", event.now);
            found.first.get_or_insert_with(told);
        }
    }

    fn compare_mode(&mut self, event: &Event, mode: Option<(usize, u64)>, found: &mut Replayed) {
        let Some((place, one)) = mode else { return };
        let kernel = event.shows[place] / one.cast_signed();
        let mut rust = 0.0;
        self.law.inspect(&mut |name, value| {
            if name == "mode" {
                rust = value;
            }
        });
        found.modes += 1;
        found.mode_changes += u64::from(kernel != self.mode);
        self.mode = kernel;
        if rust != kernel as f64 {
            found.modes_differ += 1;
            let told = || format!("at {} us the mode is {kernel}, in Rust {rust}", event.now);
            found.first.get_or_insert_with(told);
        }
    }
}

fn time(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}
