//! Events for another program: one line of JSON each, into a new file or a socket.
//!
//! The first line describes what is watched, and the last one how the watch ended. The reader
//! of a socket stops the watch by closing the socket or by shutting down its sending half.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tusker_kernel::events::Event;
use tusker_kernel::host::{HostLaw, Number};

use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::machine;
use crate::watcher::now_us;

/// Version of the lines.
const FORMAT: u32 = 1;

/// Where the lines go.
pub struct Record {
    to: BufWriter<To>,
    ended: Arc<AtomicBool>,
    name: String,
    missed: u64,
}

enum To {
    File(File),
    Socket(UnixStream),
}

impl Record {
    /// Opens it and writes the first line.
    ///
    /// # Errors
    /// If the file already exists or cannot be written.
    pub fn open(
        path: &Path,
        loaded: &Loaded,
        shows: &[Number],
        every: Duration,
    ) -> Result<Self, Failure> {
        let ended = Arc::new(AtomicBool::new(false));
        let to = To::open(path, &ended).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::input(
                format!("--events: {} already exists", path.display()),
                "name a new file, or remove this one",
            ),
            _ => cannot(&path.display().to_string(), &error),
        })?;
        let name = path.display().to_string();
        let missed = loaded.control.missed;
        let mut record = Self { to: BufWriter::new(to), ended, name, missed };
        record.put(&head(loaded, shows, every))?;
        record.flush()?;
        Ok(record)
    }

    /// The reader has closed its end.
    pub fn asked_to_end(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Writes these events.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, events: &[Event], shows: &[Number]) -> Result<(), Failure> {
        for event in events {
            self.put(&line(event, shows))?;
        }
        self.flush()
    }

    /// Writes the last line: when it ended and how many events were lost, if the law is
    /// still there to report that.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, loaded: &Loaded) -> Result<(), Failure> {
        let now = Loaded::all()?.into_iter().find(|other| other.events_id == loaded.events_id);
        let missed = now.map(|now| now.control.missed.saturating_sub(self.missed));
        self.put(&json!({ "what": "end", "time_us": now_us(), "missed": missed }))?;
        self.flush()
    }

    fn put(&mut self, value: &Value) -> Result<(), Failure> {
        writeln!(self.to, "{value}").map_err(|error| cannot(&self.name, &error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(|error| cannot(&self.name, &error))
    }
}

impl To {
    fn open(path: &Path, ended: &Arc<AtomicBool>) -> io::Result<Self> {
        if !path.metadata().is_ok_and(|about| about.file_type().is_socket()) {
            return File::create_new(path).map(Self::File);
        }
        let socket = UnixStream::connect(path)?;
        let (mut other, ended) = (socket.try_clone()?, ended.clone());
        thread::spawn(move || {
            // the other side sends nothing, so this waits for the end
            let _ = other.read(&mut [0]);
            ended.store(true, Ordering::SeqCst);
        });
        Ok(Self::Socket(socket))
    }
}

impl Write for To {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Socket(socket) => socket.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Socket(socket) => socket.flush(),
        }
    }
}

impl Drop for To {
    fn drop(&mut self) {
        if let Self::Socket(socket) = self {
            // the thread's copy would keep it open
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

fn cannot(name: &str, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::PipeClosed;
    }
    Failure::other(
        format!("--events: cannot write {name}: {error}"),
        "name a file that you may write, on a disk with enough space",
    )
}

/// The first line.
fn head(loaded: &Loaded, shows: &[Number], every: Duration) -> Value {
    let numbers = HostLaw::named(&loaded.control.law).map(HostLaw::params).unwrap_or_default();
    let params: Map<String, Value> = numbers
        .iter()
        .zip(&loaded.params)
        .map(|(number, &units)| (number.name.to_owned(), json!(units as f64 / number.one as f64)))
        .collect();
    let shows: Vec<&str> = shows.iter().map(|number| number.name).collect();
    json!({
        "what": "watch",
        "format": FORMAT,
        "name": loaded.control.name,
        "law": loaded.control.law,
        "parameters": params,
        "shows": shows,
        "every_us": every.as_micros() as u64,
        "time_us": now_us(),
        "began": humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        "kernel": machine::release(),
        "tusker": env!("CARGO_PKG_VERSION"),
    })
}

/// An event as JSON.
pub fn line(event: &Event, numbers: &[Number]) -> Value {
    let shows: Map<String, Value> = numbers
        .iter()
        .zip(event.shows)
        .map(|(number, units)| (number.name.to_owned(), json!(units as f64 / number.one as f64)))
        .collect();
    let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    json!({
        "what": event.what.name(),
        "time_us": event.now,
        "flow": format!("{:x}", event.flow),
        "from": format!("{}:{}", event.from.0, event.from.1),
        "to": format!("{}:{}", event.to.0, event.to.1),
        "state": event.state_name(),
        "cwnd_before": event.before,
        "cwnd": event.cwnd,
        "ssthresh": finite(event.ssthresh),
        "kernel_cwnd": event.snd_cwnd,
        "rtt_us": event.rtt,
        "srtt_us": event.srtt,
        "rtt_min_us": event.rtt_min,
        "forward_us": event.forward,
        "in_flight": event.in_flight,
        "acked": event.acked,
        "delivered": event.delivered,
        "lost": event.lost,
        "mss": event.mss,
        "round_start": event.round_start,
        "cwnd_limited": event.cwnd_limited,
        "values": shows,
    })
}
