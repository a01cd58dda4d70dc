//! What all TCP connections have in common: their path, their congestion control,
//! their settings.

use tusker_core::{Duration, Rate, congestion};
use tusker_plan::plan;

use super::graph::Written;
use super::queues::Passing;
use super::specs;
use crate::error::{Fault, Mistake};
use crate::forms::Cc;
use crate::model::Scenario;
use crate::tcp::{self, Tcp};
use crate::text::{Hosts, Text};
use crate::traffic::{Arrivals, Flows, Web};

/// The keys that all kinds of connections have.
#[derive(Clone, Copy)]
pub struct Connections<'a> {
    pub name: &'a str,
    pub ends: Written<'a>,
    pub cc: &'a Cc,
    pub recovery: Option<Text<plan::Recovery>>,
    pub hosts: Option<Text<Hosts>>,
    pub tcp: Option<&'a Tcp>,
}

macro_rules! connections {
    ($($written:ident),*) => {$(
        impl<'a> From<&'a $written> for Connections<'a> {
            fn from(w: &'a $written) -> Self {
                let (from, to) = (w.from.as_deref(), w.to.as_deref());
                Self {
                    name: &w.name,
                    ends: Written { from, to, direction: w.direction.map(|d| d.0) },
                    cc: &w.cc,
                    recovery: w.recovery,
                    hosts: w.hosts,
                    tcp: w.tcp.as_ref(),
                }
            }
        }
    )*};
}

connections!(Flows, Arrivals, Web);

/// From one node to another and back.
pub struct Way {
    pub from: usize,
    pub to: usize,
    /// The wires on the forward path, and on the way back.
    pub there: Vec<usize>,
    pub back: Vec<usize>,
    /// Propagation delay of a round trip.
    pub delay: Duration,
    /// The routes that it changes to, in the order of time; if there are any, or the first was
    /// chosen, all are written.
    pub later: Vec<Later>,
    pub chosen: bool,
}

/// Another route, from a time on.
pub struct Later {
    pub at: Duration,
    pub there: Vec<usize>,
    pub back: Vec<usize>,
}

impl Way {
    /// The wires of all routes of its data, and of what comes back.
    pub fn all(&self) -> impl Iterator<Item = [&[usize]; 2]> {
        let later = self.later.iter().map(|later| [&later.there[..], &later.back[..]]);
        std::iter::once([&self.there[..], &self.back[..]]).chain(later)
    }
}

/// A group of connections.
pub struct Group {
    pub name: String,
    pub way: Way,
    pub cc: congestion::Spec,
    pub tcp: plan::Tcp,
}

impl Group {
    pub fn of(s: &Scenario, w: Connections<'_>, way: Way, path: &str) -> Result<Self, Fault> {
        let profile = s.profile.0;
        let hosts = w.hosts.or(s.hosts).map(|hosts| hosts.0);
        let cc = specs::law(w.cc, profile, &format!("{path}.cc"))?;
        let mut said = w.tcp.cloned().unwrap_or_default();
        if w.recovery.is_some() && said.recovery.is_some() {
            let mistake =
                Mistake::new("the recovery is given twice", "keep the group's `recovery`");
            return Err(mistake.at(format!("{path}.tcp.recovery")));
        }
        said.recovery = w.recovery.or(said.recovery);
        let tcp = tcp::complete(profile, hosts, cc.sheet(), s.tcp.as_ref(), &said, path)?;
        Ok(Self { name: w.name.to_owned(), way, cc, tcp })
    }

    /// Its congestion control, as written.
    pub fn written_cc(&self) -> Cc {
        Cc { name: self.cc.name().to_owned(), params: specs::written(&self.cc) }
    }

    /// Its recovery and its other settings, as written.
    pub fn written_tcp(&self) -> (Option<Text<plan::Recovery>>, Option<Tcp>) {
        let tcp = Tcp { recovery: None, ..Tcp::written(&self.tcp) };
        (Some(self.tcp.recovery.into()), Some(tcp))
    }

    /// Bits on the wire for this many bytes of payload.
    pub fn on_the_wire(&self, bytes: f64) -> f64 {
        bytes / self.tcp.payload().get() as f64 * self.tcp.packet.get() as f64 * 8.0
    }

    /// The traffic of a link of its hosts, given this round trip.
    pub fn passing(&self, rate: Rate, rtt: Duration) -> Passing {
        Passing { rate, rtt: Some(rtt), packet: self.tcp.packet }
    }
}
