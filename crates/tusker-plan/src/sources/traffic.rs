//! The demand for connections that come and go: a Poisson process, or users who load web pages
//! (like ns-2's PagePool/WebTraf, `webtraf.cc`, but in our own code).
//!
//! ```text
//! page                                             next page
//!  |- object ------------|                           |- ...
//!  |     |- object --|                               |
//!  |     |        |- object -----------|             |
//!  |<--->|<------>|                    |<----------->|
//!  object interval                      page interval
//!  |<------ response time ------------>|
//! ```
//!
//! Each page comes from one server, drawn from those of the session. Objects begin
//! at their intervals whether or not earlier ones have ended, as in WebTraf; the
//! page ends with the last byte of the last object, and the next page begins one
//! page interval later (`interPageOption_` 1). Differences: an object waits if the
//! session has no free connection to that server, while WebTraf opens a new one,
//! and a session uses a few servers, not all (docs/scenario.md).
//!
//! A user learns about the end of an object only when its last ACK reaches the server, not half
//! a round trip earlier, when its last byte arrives: a page interval that would end before the
//! ACK is extended to it (`response_time_by_hand` in
//! `crates/tusker-sim/tests/sim/traffic.rs`).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::plan::{self, Demand, Distribution, Plan};
use crate::run::Transfer;
use crate::streams;
use tusker_core::{Duration, Rng, Time};

/// A request for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Its slot, a flow of the plan.
    pub slot: usize,
    /// Payload to transfer.
    pub bytes: u64,
}

/// One demand and its slots.
#[derive(Debug)]
pub struct Traffic {
    asks: Asks,
    stop: Time,
    first_slot: usize,
    /// Slots per pool, the same for all pools.
    per_pool: usize,
    free: Vec<Vec<usize>>,
    waiting: Vec<VecDeque<Object>>,
    /// The transfer that each slot is busy with.
    busy_with: Vec<usize>,
    /// Whether it stopped before it was done: it continues at the same time.
    pub paused: bool,
    /// All that have begun.
    pub transfers: Vec<Transfer>,
}

/// Something to be sent.
#[derive(Clone, Copy, Debug)]
struct Object {
    transfer: usize,
    bytes: u64,
}

#[derive(Debug)]
enum Asks {
    Arrivals {
        /// Nanoseconds; a fraction is kept.
        next: f64,
        mean_gap: f64,
        size: Distribution,
        times: Rng,
        sizes: Rng,
    },
    Web {
        web: plan::Web,
        sessions: Vec<Session>,
        due: BinaryHeap<Reverse<(Time, usize)>>,
    },
}

/// A user.
#[derive(Debug)]
struct Session {
    rng: Rng,
    page: Option<Page>,
}

/// A page in progress.
#[derive(Clone, Copy, Debug)]
struct Page {
    transfer: usize,
    server: usize,
    to_begin: u64,
    to_end: u64,
    /// When the last byte so far reached the client.
    arrived: Time,
}

impl Traffic {
    /// A demand of a plan, before anything has begun.
    pub fn new(plan: &Plan, demand: &plan::Traffic, seed: u64) -> Self {
        let name = &plan.groups[demand.group];
        let (asks, per_pool) = match &demand.demand {
            Demand::Arrivals { rate, size, start } => {
                let mut times = streams::arrival_times(seed, name);
                let mean_gap = 1e9 / rate;
                let asks = Asks::Arrivals {
                    next: start.nanos() as f64 + times.exponential(mean_gap),
                    mean_gap,
                    size: size.clone(),
                    times,
                    sizes: streams::arrival_sizes(seed, name),
                };
                (asks, demand.slots.len())
            }
            Demand::Web(web) => {
                let session = |s| Session { rng: streams::session(seed, name, s), page: None };
                let sessions = (0..web.sessions).map(session);
                let begin = |(s, start): (usize, &plan::Start)| {
                    Reverse((start.time(seed, &format!("{name}.{s}")), s))
                };
                let due = web.start.iter().enumerate().map(begin).collect();
                let asks = Asks::Web { web: web.clone(), sessions: sessions.collect(), due };
                (asks, web.connections)
            }
        };
        let pools = demand.slots.len() / per_pool;
        // the first slots are used first
        let free = |pool: usize| (pool * per_pool..(pool + 1) * per_pool).rev().collect();
        Self {
            asks,
            stop: demand.stop.unwrap_or(Time::NEVER),
            first_slot: demand.slots.start,
            per_pool,
            free: (0..pools).map(free).collect(),
            waiting: vec![VecDeque::new(); pools],
            busy_with: vec![0; demand.slots.len()],
            paused: false,
            transfers: Vec::new(),
        }
    }

    /// Its lists: the entries of each after this many more objects, its capacity,
    /// and the bytes per entry.
    pub fn lists(&self, more: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let begun = &self.transfers;
        let begun = (begun.len() + more, begun.capacity(), size_of::<Transfer>());
        let waiting = self.waiting.iter();
        let waiting =
            waiting.map(move |list| (list.len() + more, list.capacity(), size_of::<Object>()));
        std::iter::once(begun).chain(waiting)
    }

    /// When it requests something next.
    pub fn next(&self) -> Time {
        match &self.asks {
            Asks::Arrivals { next, .. } => {
                let at = Time::from_nanos(*next as u64);
                if at < self.stop { at } else { Time::NEVER }
            }
            Asks::Web { due, .. } => due.peek().map_or(Time::NEVER, |Reverse((at, _))| *at),
        }
    }

    /// A request that is due by `now` and has a free slot; call this until there is
    /// none. It makes at most `left` requests for objects, and subtracts them.
    pub fn act(&mut self, now: Time, left: &mut u64) -> Option<Begin> {
        while *left > 0 && self.next() <= now {
            *left -= 1;
            let (pool, object) = match &mut self.asks {
                Asks::Arrivals { next, mean_gap, size, times, sizes } => {
                    *next += times.exponential(*mean_gap);
                    let bytes = whole(size.draw(sizes));
                    self.transfers.push(Transfer { objects: 1, bytes, ..Transfer::new(now) });
                    (0, Object { transfer: self.transfers.len() - 1, bytes })
                }
                Asks::Web { web, sessions, due } => {
                    let Reverse((at, s)) = due.pop()?;
                    let session = &mut sessions[s];
                    if session.page.is_none() && at >= self.stop {
                        continue;
                    }
                    let rng = &mut session.rng;
                    let page = session.page.get_or_insert_with(|| {
                        let server = rng.range(0.0, web.servers as f64) as usize;
                        let objects = whole(web.objects.draw(rng));
                        self.transfers.push(Transfer { objects, ..Transfer::new(at) });
                        Page {
                            transfer: self.transfers.len() - 1,
                            server: server.min(web.servers - 1),
                            to_begin: objects,
                            to_end: objects,
                            arrived: at,
                        }
                    });
                    page.to_begin -= 1;
                    let bytes = whole(web.object_size.draw(rng));
                    self.transfers[page.transfer].bytes += bytes;
                    if page.to_begin > 0 {
                        due.push(Reverse((at + time(web.object_interval.draw(rng)), s)));
                    }
                    let pool = s * web.servers + page.server;
                    (pool, Object { transfer: page.transfer, bytes })
                }
            };
            if let Some(slot) = self.free[pool].pop() {
                return Some(self.take(slot, object));
            }
            self.transfers[object.transfer].waited += 1;
            self.waiting[pool].push_back(object);
        }
        None
    }

    fn take(&mut self, slot: usize, object: Object) -> Begin {
        self.busy_with[slot] = object.transfer;
        Begin { slot: self.first_slot + slot, bytes: object.bytes }
    }

    /// The transfer in a slot is over: the sender learns it `now`, after the last
    /// byte arrived. Returns what begins in the slot at once, if something was
    /// waiting.
    pub fn on_done(&mut self, slot: usize, now: Time, arrived: Time) -> Option<Begin> {
        let slot = slot - self.first_slot;
        let pool = slot / self.per_pool;
        let transfer = &mut self.transfers[self.busy_with[slot]];
        match &mut self.asks {
            Asks::Arrivals { .. } => transfer.end = Some(arrived),
            Asks::Web { web, sessions, due } => {
                let s = pool / web.servers;
                let Session { rng, page } = &mut sessions[s];
                let open = page.as_mut().expect("an object belongs to a page");
                open.to_end -= 1;
                open.arrived = open.arrived.max(arrived);
                if open.to_end == 0 {
                    transfer.end = Some(open.arrived);
                    let next = open.arrived + time(web.page_interval.draw(rng));
                    due.push(Reverse((next.max(now), s)));
                    *page = None;
                }
            }
        }
        if let Some(object) = self.waiting[pool].pop_front() {
            return Some(self.take(slot, object));
        }
        self.free[pool].push(slot);
        None
    }
}

/// A random number of bytes or objects, at least one and within what a slot can
/// count.
fn whole(value: f64) -> u64 {
    const MOST: f64 = (1_u64 << 38) as f64;
    value.ceil().clamp(1.0, MOST) as u64
}

/// A random time, limited to a year.
fn time(secs: f64) -> Duration {
    const LONGEST: f64 = 366.0 * 86_400.0;
    Duration::from_secs(secs.min(LONGEST))
}
