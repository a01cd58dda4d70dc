//! Turns lines of events into a recording.

use std::collections::BTreeMap;

use super::event::{Event, FORMAT, Head, Line};
use super::{Connection, QUANTITIES, STATES, Watched};

/// The most moments kept of all connections together. If there would be more, they
/// are thinned out.
pub const MOST_MOMENTS: usize = 500_000;

/// Connections with their own row; any further ones are only counted.
pub const MOST_CONNECTIONS: usize = 10_000;

/// The state of a connection at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Microseconds since the watching began.
    pub time_us: u64,
    /// In the order of [`Watched::quantities`]: windows in segments, times in seconds;
    /// NaN where there is none.
    pub values: Box<[f64]>,
}

/// A recording in progress.
#[derive(Debug, Default)]
pub struct Watching {
    watched: Watched,
    began_us: u64,
    last_us: u64,
    /// One entry per connection, in order.
    tracks: Vec<Track>,
    /// Open connections, by the kernel's identifier.
    live: BTreeMap<String, Place>,
    moments: usize,
    most: usize,
    headed: bool,
}

/// Where a connection is kept.
#[derive(Clone, Copy, Debug)]
enum Place {
    Kept(usize),
    Counted,
}

/// The values with which a connection's next event is compared.
#[derive(Debug, Default)]
struct Track {
    delivered: u32,
    lost: u32,
    moments: Vec<Moment>,
}

impl Watching {
    /// An empty recording; `command` is the command line.
    pub fn new(command: Vec<String>) -> Self {
        Self::with_room(command, MOST_MOMENTS)
    }

    /// The same, keeping at most this many moments.
    pub(super) fn with_room(command: Vec<String>, most: usize) -> Self {
        let watched = Watched { format: super::FORMAT, command, ..Watched::default() };
        Self { watched, most, ..Self::default() }
    }

    /// Whether the first line has been processed: the law is loaded and being
    /// watched.
    pub fn has_begun(&self) -> bool {
        self.headed
    }

    /// Processes a line.
    ///
    /// # Errors
    /// A message, if the line is not from `tusker-kernel watch --events`.
    pub fn hear(&mut self, line: &str) -> Result<(), String> {
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        match line {
            Line::Watch(head) if !self.headed => self.begin(head),
            Line::Watch(_) => Err("it begins a second time".to_owned()),
            _ if !self.headed => Err("it does not begin with what is watched".to_owned()),
            Line::End { time_us, missed } => {
                self.watched.missed = missed;
                self.last_us = self.last_us.max(time_us);
                Ok(())
            }
            Line::Open(event) => {
                // the kernel uses a name again
                self.live.remove(&event.flow);
                self.event(&event, |connection| connection.opened = true)
            }
            Line::Ack(event) | Line::Grow(event) | Line::State(event) => self.event(&event, |_| {}),
            Line::Shrink(event) => self.event(&event, |connection| connection.shrinks += 1),
            Line::Timeout(event) => self.event(&event, |connection| connection.timeouts += 1),
            Line::Undo(event) => self.event(&event, |connection| connection.undone += 1),
            Line::Close(event) => {
                self.event(&event, |connection| connection.closed = true)?;
                self.live.remove(&event.flow);
                Ok(())
            }
        }
    }

    /// The recording, and the moments of each connection.
    pub fn finish(mut self) -> (Watched, Vec<Vec<Moment>>) {
        self.watched.duration_s = seconds(self.last_us - self.began_us);
        self.watched.moments = self.moments as u64;
        for connection in &mut self.watched.connections {
            let took = connection.ended_s - connection.began_s;
            let bits = connection.delivered_bytes as f64 * 8.0;
            connection.rate_bps = (took > 0.0).then(|| bits / took);
        }
        (self.watched, self.tracks.into_iter().map(|track| track.moments).collect())
    }

    fn begin(&mut self, head: Head) -> Result<(), String> {
        if head.format != FORMAT {
            return Err(format!("its format is {}, not {FORMAT}", head.format));
        }
        (self.began_us, self.last_us, self.headed) = (head.time_us, head.time_us, true);
        let watched = &mut self.watched;
        watched.tusker = head.tusker;
        watched.name = head.name;
        watched.law = head.law;
        watched.parameters = head.parameters;
        watched.shows = head.shows;
        watched.kernel = head.kernel;
        watched.began = head.began;
        watched.every_s = seconds(head.every_us);
        Ok(())
    }

    fn event(&mut self, event: &Event, count: impl FnOnce(&mut Connection)) -> Result<(), String> {
        let state = STATES.iter().position(|state| *state == event.state);
        // TCP may have read the clock before we began
        let time_us = event.time_us.saturating_sub(self.began_us);
        self.last_us = self.last_us.max(event.time_us);
        let Place::Kept(place) = self.place(event, time_us) else { return Ok(()) };
        let (connection, track) = (&mut self.watched.connections[place], &mut self.tracks[place]);
        count(connection);
        let time_us = track.moments.last().map_or(time_us, |last| last.time_us.max(time_us));
        connection.ended_s = seconds(time_us);
        // these are 32-bit counters in the kernel, which wrap around
        let delivered = event.delivered.wrapping_sub(track.delivered);
        connection.delivered_bytes += u64::from(delivered) * u64::from(event.mss);
        connection.lost += u64::from(event.lost.wrapping_sub(track.lost));
        (track.delivered, track.lost) = (event.delivered, event.lost);
        // neither is a time: no sample yet
        if !matches!(event.rtt_min_us, 0 | u32::MAX) {
            let rtt = seconds(u64::from(event.rtt_min_us));
            connection.rtt_min_s = Some(connection.rtt_min_s.map_or(rtt, |least| least.min(rtt)));
        }
        let own: [f64; QUANTITIES.len()] = [
            event.cwnd,
            event.ssthresh.unwrap_or(f64::NAN),
            if event.srtt_us == 0 { f64::NAN } else { seconds(u64::from(event.srtt_us)) },
            f64::from(event.in_flight),
            connection.delivered_bytes as f64,
            connection.lost as f64,
            state.map_or(f64::NAN, |state| state as f64),
        ];
        let shows = self.watched.shows.iter();
        let shows = shows.map(|name| event.values.get(name).copied().unwrap_or(f64::NAN));
        let values = own.into_iter().chain(shows).collect();
        let spacing = (self.watched.spacing_s * 1e6) as u64;
        self.moments += track.keep(Moment { time_us, values }, spacing);
        if self.moments > self.most {
            self.thin_out();
        }
        Ok(())
    }

    /// The slot of an event's connection; a new one if it has none.
    fn place(&mut self, event: &Event, time_us: u64) -> Place {
        if let Some(&place) = self.live.get(&event.flow) {
            return place;
        }
        let number = self.tracks.len();
        let place = match number < MOST_CONNECTIONS.min(self.most / 4) {
            true => Place::Kept(number),
            false => Place::Counted,
        };
        match place {
            Place::Counted => self.watched.more_connections += 1,
            Place::Kept(_) => {
                self.watched.connections.push(Connection {
                    number: number as u32 + 1,
                    from: event.from.clone(),
                    to: event.to.clone(),
                    began_s: seconds(time_us),
                    ..Connection::default()
                });
                let (delivered, lost) = (event.delivered, event.lost);
                self.tracks.push(Track { delivered, lost, moments: Vec::new() });
            }
        }
        self.live.insert(event.flow.clone(), place);
        place
    }

    /// Thins out moments until half of the room is free.
    fn thin_out(&mut self) {
        let spacing = &mut self.watched.spacing_s;
        while self.moments > self.most / 2 {
            *spacing = if *spacing == 0.0 { 1e-3 } else { *spacing * 2.0 };
            let us = (*spacing * 1e6) as u64;
            self.tracks.iter_mut().for_each(|track| track.thin_out(us));
            self.moments = self.tracks.iter().map(|track| track.moments.len()).sum();
        }
    }
}

impl Track {
    /// Keeps a moment; returns how many more there are now. It replaces the last
    /// one if that has the same time, or is too close to the one before it: so all
    /// but the last are far apart, and the most recent one is always there.
    fn keep(&mut self, moment: Moment, spacing_us: u64) -> usize {
        let replaces = match &self.moments[..] {
            [.., before, last] if last.time_us - before.time_us < spacing_us => true,
            [.., last] => last.time_us == moment.time_us,
            [] => false,
        };
        if replaces {
            self.moments.pop();
        }
        self.moments.push(moment);
        usize::from(!replaces)
    }

    /// Keeps the first, the last, and those in between that are at least this far
    /// apart.
    fn thin_out(&mut self, spacing_us: u64) {
        for moment in std::mem::take(&mut self.moments) {
            self.keep(moment, spacing_us);
        }
    }
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
