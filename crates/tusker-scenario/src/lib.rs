//! Scenario files: an experiment as a person writes it.
//!
//! ```text
//!  text --parse--> Scenario --complete--> Complete --plan--> Plan
//!         shape,              short forms,     |
//!         units               defaults,        +--to_scenario--> Scenario, every
//!                             routes, BDPs                       value said
//! ```
//!
//! No default that influences a result is hidden: a [`Complete`] scenario can be
//! written with every value filled in, and has the same plan.

mod app;
mod builder;
mod complete;
mod de;
mod draws;
mod error;
mod forms;
mod impair;
mod limit;
mod model;
mod number;
mod overrides;
mod parse;
pub mod paths;
mod print;
mod profile;
mod quantity;
pub mod recorded;
mod schema;
mod shown;
mod source;
pub mod sweep;
mod tcp;
mod text;
mod topology;
mod trace_files;
mod traffic;

pub use app::App;
pub use builder::{Builder, Group};
pub use complete::{Complete, MAX_FLOWS};
pub use draws::{Amount, Draw, Spread};
pub use error::{Error, distance};

pub use forms::{Cc, Class, Dscp, DscpSet, HostTime, Queue, Start, TraceLinks};
pub use impair::{
    Changing, Distribution, Down, Jitter, LinkDelay, LinkRate, Loss, Outage, Step, Steps, TraceFile,
};
pub use limit::Limit;
pub use model::{Measure, Scenario, Trace};
pub use parse::MAX_BYTES;
pub use schema::json_schema;
pub use shown::shown;
pub use source::Source;
pub use tcp::{DelayedAck, Ecn, Gro, Rto, Segments, SlowStart, Tcp};
pub use text::{Direction, Profile, Text, Written};
pub use topology::{Access, Dumbbell, Hop, Hops, Link, ParkingLot, Reverse};
pub use traffic::{Arrivals, Background, Flows, Hosts, RouteStep, Web};

use std::path::Path;

use tusker_core::{Duration, Rate};

use tusker_plan::plan::Plan;

impl Scenario {
    /// Reads a file; `sets` are changes to it such as `flows.S1.count=3`.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a scenario. Checks that need the whole
    /// scenario (names, routes, times) are made by [`Self::plan`].
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, Error> {
        let text = parse::read(path)?;
        let mut scenario = Self::parse(&path.display().to_string(), &text, sets)?;
        scenario.read_traces(path.parent().unwrap_or(Path::new("")))?;
        Ok(scenario)
    }

    /// The text of a file, for [`Self::parse`].
    ///
    /// # Errors
    /// If it cannot be read, or is not text.
    pub fn read(path: &Path) -> Result<String, Error> {
        parse::read(path)
    }

    /// Reads the trace files of rates; their paths are relative to `folder`.
    /// Without this a scenario that names such a file has no plan, unless it is an
    /// expanded one, which contains the trace.
    ///
    /// # Errors
    /// If a file cannot be read, or is not a trace.
    pub fn read_traces(&mut self, folder: &Path) -> Result<(), Error> {
        trace_files::read_traces(self, folder).map_err(|fault| self.source.error(fault))
    }

    /// Reads a text from a source called `name`.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(name: &str, text: &str, sets: &[String]) -> Result<Self, Error> {
        let (mut scenario, source): (Self, _) = parse::parse(name, text, sets)?;
        scenario.source = source;
        Ok(scenario)
    }

    /// Reads a scenario from the JSON form of its keys; keys that are null are left out.
    ///
    /// # Errors
    /// As [`Self::parse`], at the [`Error::path`] of a key.
    pub fn from_json(name: &str, json: &serde_json::Value) -> Result<Self, Error> {
        Self::parse(name, &print::of_json(json)?, &[])
    }

    /// A scenario that was made by [`Builder`], with changes such as `flows.S1.count=3`.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn with(&self, sets: &[String]) -> Result<Self, Error> {
        let (mut scenario, sets): (Self, _) = parse::edited(&print::document(self), sets)?;
        scenario.source = self.source.with(sets);
        Ok(scenario)
    }

    /// An empty dumbbell: add [`Self::flows`] to it.
    pub fn dumbbell(profile: Profile, rate: Rate, delay: Duration, queue: Queue) -> Self {
        Self {
            title: None,
            profile: profile.into(),
            duration: Duration::from_millis(100_000).into(),
            measure: None,
            seed: None,
            replicates: None,
            host_time: None,
            hosts: None,
            trace: None,
            tcp: None,
            dumbbell: Some(Dumbbell {
                rate: rate.into(),
                delay: delay.into(),
                queue,
                loss: None,
                jitter: None,
                down: None,
                reverse: None,
                access: None,
            }),
            parking_lot: None,
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            arrivals: Vec::new(),
            web: Vec::new(),
            background: Vec::new(),
            source: Source::default(),
        }
    }

    /// The plan for executors, if nothing else of [`Self::complete`] is needed.
    ///
    /// # Errors
    /// If something in it is invalid.
    pub fn plan(&self) -> Result<Plan, Error> {
        self.complete().map(Complete::into_plan)
    }

    /// As a scenario file.
    ///
    /// # Panics
    /// If the seed is 2^63 or more.
    pub fn to_toml(&self) -> String {
        print::toml(self)
    }

    /// Its JSON form, without keys that are not set.
    ///
    /// # Panics
    /// As [`Self::to_toml`].
    pub fn to_json(&self) -> serde_json::Value {
        print::json(self)
    }
}

impl Flows {
    /// One flow with this congestion control, and everything else as in the
    /// scenario and its profile.
    pub fn new(name: impl Into<String>, cc: impl Into<Cc>) -> Self {
        Self {
            hosts: None,
            name: name.into(),
            count: None,
            parallel: None,
            from: None,
            to: None,
            direction: None,
            cc: cc.into(),
            recovery: None,
            route: Vec::new(),
            access: None,
            host_queue: None,
            start: None,
            stop: None,
            size: None,
            app: None,
            tcp: None,
        }
    }
}

#[cfg(test)]
mod tests;
