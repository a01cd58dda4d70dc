//! Output for other tools: packet captures, and events of senders.
//!
//! An [`Observer`] that writes while a run goes on, so that memory does not grow. A
//! write error ends the writing; [`Traces::trouble`] reports it, and the caller
//! should check it from time to time.

pub mod pcapng;
pub mod qlog;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tusker_core::Time;
use tusker_plan::observe::{Observer, Place, Seen, SenderEvent, Wanted, address};
use tusker_plan::plan::Plan;

use self::pcapng::{Interface, Packet, Pcapng};
use self::qlog::Qlog;

/// Writes observations to files.
#[derive(Debug)]
pub struct Traces {
    captures: Vec<Capture>,
    senders: Vec<Sender>,
    missed: u64,
    trouble: Trouble,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Packets in the capture of each place.
    pub packets: Vec<u64>,
    /// Events in the file of each flow.
    pub events: Vec<u64>,
    /// Packets missing from all captures, because there was no time to write them.
    pub missed: u64,
}

/// What went wrong first, if something did.
#[derive(Clone, Debug, Default)]
pub struct Trouble(Arc<Mutex<Option<(PathBuf, String)>>>);

impl Trouble {
    /// The file that could not be written, and why.
    pub fn is(&self) -> Option<(PathBuf, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, path: &Path, error: &io::Error) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| (path.to_owned(), error.to_string()));
    }
}

/// The file of one flow's sender.
#[derive(Debug)]
struct Sender {
    flow: usize,
    path: PathBuf,
    /// `None` after a write error.
    file: Option<Qlog<BufWriter<File>>>,
    events: u64,
}

/// The capture of one place.
#[derive(Debug)]
struct Capture {
    path: PathBuf,
    /// `None` after a write error.
    file: Option<Pcapng<BufWriter<File>>>,
    /// For each link of the plan, its interface in the file.
    interfaces: Vec<Option<usize>>,
    /// For each interface: packets seen, and those recorded as dropped.
    counts: Vec<(u64, Option<u64>)>,
    last: Time,
}

impl Traces {
    /// Starts a file for each requested place and flow: `files` are those of the
    /// places, then of the flows. `about` describes the run.
    ///
    /// # Errors
    /// If a file cannot be created: which one, and why.
    pub fn begin(
        plan: &Plan,
        wanted: &Wanted,
        files: &[PathBuf],
        about: &str,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let (of_places, of_flows) = files.split_at(wanted.places.len());
        let places = wanted.places.iter().zip(of_places);
        let capture = |(place, path): (&Place, &PathBuf)| {
            Capture::begin(plan, *place, path, about).map_err(|error| (path.clone(), error))
        };
        let flows = wanted.flows.iter().zip(of_flows);
        let sender = |(flow, path): (&usize, &PathBuf)| {
            Sender::begin(plan, *flow, path, about).map_err(|error| (path.clone(), error))
        };
        Ok(Self {
            captures: places.map(capture).collect::<Result<_, _>>()?,
            senders: flows.map(sender).collect::<Result<_, _>>()?,
            missed: 0,
            trouble: Trouble::default(),
        })
    }

    /// Where write errors are reported.
    pub fn trouble(&self) -> Trouble {
        self.trouble.clone()
    }

    /// Ends all files.
    pub fn finish(self) -> Written {
        let finish = |capture: Capture| {
            let count = capture.counts.iter().map(|count| count.0).sum();
            let end = capture.last.nanos();
            if let Some(file) = capture.file
                && let Err(error) = file.finish(end, &capture.counts)
            {
                self.trouble.set(&capture.path, &error);
            }
            count
        };
        let packets = self.captures.into_iter().map(finish).collect();
        let end = |sender: Sender| {
            if let Some(Err(error)) = sender.file.map(Qlog::finish) {
                self.trouble.set(&sender.path, &error);
            }
            sender.events
        };
        let events = self.senders.into_iter().map(end).collect();
        Written { packets, events, missed: self.missed }
    }
}

impl Observer for Traces {
    fn packet(&mut self, seen: &Seen<'_>) {
        let capture = &mut self.captures[seen.place];
        if let Err(error) = capture.packet(seen) {
            capture.file = None;
            self.trouble.set(&capture.path, &error);
        }
    }

    fn sender(&mut self, flow: usize, at: Time, event: &SenderEvent) {
        let of = self.senders.iter_mut().find(|sender| sender.flow == flow);
        let Some(sender) = of else { return };
        let Some(file) = &mut sender.file else { return };
        sender.events += 1;
        if let Err(error) = file.sender(at, event) {
            sender.file = None;
            self.trouble.set(&sender.path, &error);
        }
    }

    fn missed(&mut self, packets: u64) {
        self.missed += packets;
    }
}

impl Sender {
    fn begin(plan: &Plan, flow: usize, path: &Path, about: &str) -> io::Result<Self> {
        let planned = &plan.flows[flow];
        let about = format!("{about}: {}, {}", planned.name, planned.cc.name());
        let out = BufWriter::with_capacity(1 << 16, File::create(path)?);
        let file = Some(Qlog::new(out, &planned.name, &about)?);
        Ok(Self { flow, path: path.to_owned(), file, events: 0 })
    }
}

impl Capture {
    fn begin(plan: &Plan, place: Place, path: &Path, about: &str) -> io::Result<Self> {
        let links = place.links(plan);
        let interface = |&link: &usize| {
            let link = &plan.links[link];
            let (from, to) = (&plan.nodes[link.from], &plan.nodes[link.to]);
            Interface {
                name: link.name.clone(),
                description: format!("the link from {from} to {to}"),
                speed: link.rate.bits_per_sec(),
            }
        };
        let interfaces: Vec<Interface> = links.iter().map(interface).collect();
        let nodes = plan.nodes.iter().enumerate();
        let names: Vec<_> = nodes.map(|(node, name)| (address(node), name.as_str())).collect();
        let out = BufWriter::with_capacity(1 << 16, File::create(path)?);
        let file = Pcapng::new(out, about, &interfaces, &names)?;
        let mut by_link = vec![None; plan.links.len()];
        for (interface, &link) in links.iter().enumerate() {
            by_link[link] = Some(interface);
        }
        let counted = |&link: &usize| {
            // what drops at departure drops later
            let known = !plan.links[link].queue.acts_at_departure();
            (0, (known && place.sees_entrance(plan, link)).then_some(0))
        };
        Ok(Self {
            path: path.to_owned(),
            file: Some(file),
            interfaces: by_link,
            counts: links.iter().map(counted).collect(),
            last: Time::ZERO,
        })
    }

    fn packet(&mut self, seen: &Seen<'_>) -> io::Result<()> {
        let (Some(file), Some(interface)) = (&mut self.file, self.interfaces[seen.link]) else {
            return Ok(());
        };
        self.counts[interface].0 += 1;
        if let Some(dropped) = &mut self.counts[interface].1 {
            *dropped += u64::from(seen.dropped);
        }
        self.last = seen.at;
        file.packet(&Packet {
            interface,
            at: seen.at.nanos(),
            inward: seen.inward,
            bytes: seen.bytes,
            size: seen.size,
            note: seen.note,
        })
    }
}
