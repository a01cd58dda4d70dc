//! Connections that come and go: each is opened at its randomly drawn time, as in the
//! simulator, and is finished when the emulator sees its last ACK return to the sender.
//!
//! One thread handles all of them. It waits for their sockets, for the next start that is
//! due, and for a signal from the emulator.

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use tusker_core::{Duration, Time};
use tusker_plan::plan::Plan;
use tusker_plan::run;
use tusker_plan::sources::{Begin, Traffic};

use crate::books::Done;
use crate::error::Error;
use crate::opening::{options, whole};
use crate::places::Hosts;
use crate::socket::{Brief, Progress};
use crate::ways::ends;

/// The longest wait, so that a request to stop is noticed.
const LONGEST: Duration = Duration::from_millis(10);

/// How long both ends of a finished connection are kept, for answers still under way.
const LINGER: Duration = Duration::from_millis(2_000);

/// The number of the bell; connections have other numbers.
const BELL: u64 = u64::MAX;

/// Objects requested before the thread checks whether to stop.
const MOST: u64 = 1 << 12;

/// A bell that wakes the thread that handles the connections.
pub fn bell() -> Result<Arc<EventFd>, Error> {
    let bell = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC);
    bell.map(Arc::new).map_err(|error| waiting("make an eventfd", error))
}

/// Rings it.
pub fn ring(bell: &EventFd) {
    // full only after 2^64 unheard rings
    let _ = bell.write(1);
}

/// All demands of a plan, and their current connections.
pub struct Coming<'a> {
    plan: &'a Plan,
    hosts: &'a Hosts,
    began: Instant,
    demands: Vec<Traffic>,
    /// Finished connections: flow and time.
    told: Receiver<(usize, Done)>,
    bell: Arc<EventFd>,
    epoll: Epoll,
    open: BTreeMap<u64, Brief>,
    /// Finished connections, and since when.
    closed: VecDeque<(Time, Brief)>,
    number: u64,
}

impl<'a> Coming<'a> {
    /// Nothing is under way.
    pub fn new(
        plan: &'a Plan,
        seed: u64,
        hosts: &'a Hosts,
        began: Instant,
        told: Receiver<(usize, Done)>,
        bell: Arc<EventFd>,
    ) -> Result<Self, Error> {
        let wrong = |error| waiting("wait for sockets", error);
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(wrong)?;
        epoll.add(&*bell, EpollEvent::new(EpollFlags::EPOLLIN, BELL)).map_err(wrong)?;
        Ok(Self {
            plan,
            hosts,
            began,
            demands: plan.traffic.iter().map(|demand| Traffic::new(plan, demand, seed)).collect(),
            told,
            bell,
            epoll,
            open: BTreeMap::new(),
            closed: VecDeque::new(),
            number: 0,
        })
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    /// Handles connections until it is `over`.
    pub fn run(mut self, over: &AtomicBool) -> Result<Self, Error> {
        // below the emulator's priority, so that connections still start on time
        crate::sys::real_time(5);
        while !over.load(Ordering::Relaxed) {
            let now = self.now();
            self.begin(now)?;
            while self.closed.front().is_some_and(|(since, _)| now.since(*since) > LINGER) {
                self.closed.pop_front();
            }
            self.wait()?;
            self.listen()?;
        }
        // includes connections that finished by now
        while let Ok((flow, done)) = self.told.try_recv() {
            self.demand_of(flow).map(|demand| demand.on_done(flow, done.known, done.arrived));
        }
        self.open.clear();
        self.closed.clear();
        Ok(self)
    }

    /// Starts what is due by now, each at the time that was drawn for it.
    fn begin(&mut self, now: Time) -> Result<(), Error> {
        for i in 0..self.demands.len() {
            let mut left = MOST;
            loop {
                let at = self.demands[i].next();
                if at > now || at >= self.plan.end || left == 0 {
                    break;
                }
                while let Some(begin) = self.demands[i].act(at, &mut left) {
                    self.connect(begin)?;
                }
            }
        }
        Ok(())
    }

    fn connect(&mut self, Begin { slot, bytes }: Begin) -> Result<(), Error> {
        let flow = &self.plan.flows[slot];
        let [from, to] = ends(self.plan, &flow.route).map(|node| self.hosts.of(node));
        let options = options(self.plan, self.hosts, slot)?;
        let brief = Brief::begin(from, to, &options, whole(flow, bytes))?;
        self.number += 1;
        brief.watch(&self.epoll, self.number)?;
        self.open.insert(self.number, brief);
        Ok(())
    }

    /// Waits until something happens or the next start is due.
    fn wait(&self) -> Result<(), Error> {
        let now = self.now();
        let next = self.demands.iter().map(Traffic::next).min().unwrap_or(Time::NEVER);
        let wait = next.since(now).min(LONGEST);
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(wait.nanos()));
        let mut fds = [PollFd::new(self.epoll.0.as_fd(), PollFlags::POLLIN)];
        match ppoll(&mut fds, Some(timeout), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(waiting("wait for sockets", error)),
        }
    }

    /// Does what sockets and the bell require.
    fn listen(&mut self) -> Result<(), Error> {
        let mut events = [EpollEvent::empty(); 64];
        let many = match self.epoll.wait(&mut events, EpollTimeout::ZERO) {
            Ok(many) => many,
            Err(Errno::EINTR) => 0,
            Err(error) => return Err(waiting("wait for sockets", error)),
        };
        for event in &events[..many] {
            match event.data() {
                BELL => self.done()?,
                number => {
                    let Some(brief) = self.open.get_mut(&number) else { continue };
                    if brief.go_on(&self.epoll, number)? == Progress::Over
                        && let Some(brief) = self.open.remove(&number)
                    {
                        brief.forget(&self.epoll)?;
                        self.closed.push_back((self.now(), brief));
                    }
                }
            }
        }
        Ok(())
    }

    /// Connections are finished: those that waited for their slots start.
    fn done(&mut self) -> Result<(), Error> {
        // one ring covers all finished connections reported before it
        let _ = self.bell.read();
        while let Ok((flow, done)) = self.told.try_recv() {
            let begin = self
                .demand_of(flow)
                .and_then(|demand| demand.on_done(flow, done.known, done.arrived));
            if let Some(begin) = begin {
                self.connect(begin)?;
            }
        }
        Ok(())
    }

    /// The demand that owns a flow's slot; other flows may finish, too.
    fn demand_of(&mut self, flow: usize) -> Option<&mut Traffic> {
        let demand = self.plan.traffic.iter().position(|t| t.slots.contains(&flow))?;
        self.demands.get_mut(demand)
    }

    /// The results of all demands.
    pub fn finish(self) -> Vec<run::Traffic> {
        let demands = self.demands.into_iter();
        demands.map(|demand| run::Traffic { transfers: demand.transfers }).collect()
    }
}

fn waiting(what: &'static str, error: Errno) -> Error {
    Error::Waiting { what, source: error.into() }
}
