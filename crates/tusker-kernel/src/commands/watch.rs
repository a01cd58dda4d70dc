//! `tusker kernel watch`: shows live what a law does to the connections that use it.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tusker_kernel::host::{HostLaw, Number};

use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::loaded::Loaded;
use crate::machine::{Machine, Task};
use crate::record::{Record, line};
use crate::watcher::{Inbox, Watcher, events_of};
use tusker_kernel::events::{Event, What};

/// How long to wait for events at a time.
const WAIT: Duration = Duration::from_millis(50);

/// How often the table is refreshed.
const REFRESH: Duration = Duration::from_millis(500);

/// How often to check whether the law is still in the kernel.
const LOOK: Duration = Duration::from_secs(1);

/// A connection that was silent for this long is no longer shown.
const SILENT: Duration = Duration::from_secs(10);

/// The request.
#[derive(Debug)]
pub struct Watch {
    /// The law's name in the kernel; the only loaded law if none is given.
    pub name: Option<String>,
    /// The interval at which each connection's ACKs are reported.
    pub every: Duration,
    /// When to stop.
    pub duration: Option<Duration>,
    /// Every event as a line of JSON instead of the table.
    pub json: bool,
    /// No table.
    pub quiet: bool,
    /// Also write every event into this file or socket.
    pub events: Option<PathBuf>,
}

impl Watch {
    /// Watches until Ctrl-C, the end of the time, or until the law is unloaded.
    pub fn run(self) -> Result<ExitCode, Failure> {
        let interrupts = Interrupts::listen()?;
        Machine::look(Task::Watch)?;
        let loaded = find(self.name.as_deref())?;
        let numbers = HostLaw::named(&loaded.control.law).map(HostLaw::shows).unwrap_or_default();
        let (inbox, events) = (Inbox::default(), events_of(&loaded)?);
        let watcher = Watcher::begin(&loaded, self.every, &inbox, &events)?;
        let began = Instant::now();
        let mut record = match &self.events {
            Some(path) => Some(Record::open(path, &loaded, &numbers, self.every)?),
            None => None,
        };
        let mut table = Table::new(&loaded.control.name, &numbers);
        let mut looked = began;
        while self.duration.is_none_or(|end| began.elapsed() < end) {
            let asked = record.as_ref().is_some_and(Record::asked_to_end);
            if asked || interrupts.within(Duration::ZERO).is_some() {
                break;
            }
            watcher.listen(WAIT)?;
            let heard: Vec<Event> = inbox.borrow_mut().drain(..).collect();
            if let Some(record) = &mut record {
                record.write(&heard, &numbers)?;
            }
            if self.json {
                let mut out = stdout().lock();
                for event in &heard {
                    writeln!(out, "{}", line(event, &numbers))?;
                }
                out.flush()?;
            } else if !self.quiet {
                heard.into_iter().for_each(|event| table.hear(event));
                table.show(false)?;
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                if loaded.is_gone()? {
                    eprintln!("{} is no longer in the kernel", loaded.control.name);
                    break;
                }
            }
        }
        if let Some(record) = record {
            record.end(&loaded)?;
        }
        if !self.json && !self.quiet {
            table.show(true)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The law of this name, or the only one.
pub fn find(name: Option<&str>) -> Result<Loaded, Failure> {
    let mut all: Vec<Loaded> = Loaded::all()?.into_iter().filter(Loaded::matters).collect();
    let names: Vec<String> = all.iter().map(|loaded| loaded.control.name.clone()).collect();
    let found = match name {
        Some(name) => names.iter().position(|known| known == name),
        None => (names.len() == 1).then_some(0),
    };
    if let Some(i) = found {
        return Ok(all.swap_remove(i));
    }
    let help = match &names[..] {
        [] => {
            "no congestion control of Tusker is loaded; tusker kernel load LAW loads one".to_owned()
        }
        names => format!("loaded congestion controls: {}", names.join(", ")),
    };
    Err(match name {
        Some(name) => {
            let what = format!("no congestion control of Tusker called {name} is in the kernel");
            Failure::input(what, help)
        }
        None => Failure::input("which congestion control?", help),
    })
}

/// A connection in the table.
struct Row {
    /// Its name, kept because its port is gone when it closes.
    connection: String,
    last: Event,
    heard: Instant,
    /// Segments delivered when the last table was printed, and that time.
    before: (u32, u64),
    rate_mbit: f64,
    timeouts: u32,
    undone: u32,
    over: bool,
}

/// All connections, one line each.
struct Table<'a> {
    name: &'a str,
    numbers: &'a [Number],
    rows: BTreeMap<u64, Row>,
    shown: Instant,
    lines: usize,
}

impl<'a> Table<'a> {
    fn new(name: &'a str, numbers: &'a [Number]) -> Self {
        Self { name, numbers, rows: BTreeMap::new(), shown: Instant::now(), lines: 0 }
    }

    fn hear(&mut self, event: Event) {
        let row = self.rows.entry(event.flow).or_insert_with(|| Row {
            connection: event.connection(),
            before: (event.delivered, event.now),
            last: event.clone(),
            heard: Instant::now(),
            rate_mbit: 0.0,
            timeouts: 0,
            undone: 0,
            over: false,
        });
        if event.what == What::Open {
            // the kernel may reuse the number of a closed connection
            row.connection = event.connection();
        }
        row.timeouts += u32::from(event.what == What::Timeout);
        row.undone += u32::from(event.what == What::Undo);
        row.over = event.what == What::Close;
        row.heard = Instant::now();
        row.last = event;
    }

    /// Prints the table if it is due. On a terminal it replaces the last one; elsewhere
    /// only the final one is printed.
    fn show(&mut self, last: bool) -> Result<(), Failure> {
        let live = stdout().is_terminal();
        if !last && (!live || self.shown.elapsed() < REFRESH) {
            return Ok(());
        }
        self.shown = Instant::now();
        for row in self.rows.values_mut() {
            let (delivered, since) = row.before;
            let spent = row.last.now.saturating_sub(since);
            if spent > 0 {
                let bytes =
                    f64::from(row.last.delivered.wrapping_sub(delivered)) * f64::from(row.last.mss);
                row.rate_mbit = bytes * 8.0 / spent as f64;
                row.before = (row.last.delivered, row.last.now);
            }
        }
        let mut out = anstream::stdout().lock();
        if live && self.lines > 0 {
            // up to the first line of the last table, and clear everything below
            write!(out, "\x1b[{}A\x1b[J", self.lines)?;
        }
        let lines = self.lines_now();
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        self.lines = lines.len();
        self.rows.retain(|_, row| !row.over && row.heard.elapsed() < SILENT);
        Ok(())
    }

    fn lines_now(&self) -> Vec<String> {
        if self.rows.is_empty() {
            return vec![format!("no connection that uses {} has sent anything yet", self.name)];
        }
        let mut head: Vec<String> = [
            "connection",
            "Mbit/s",
            "cwnd",
            "ssthresh",
            "srtt ms",
            "in flight",
            "lost",
            "timeouts",
            "undone",
            "state",
        ]
        .map(str::to_owned)
        .into();
        head.extend(self.numbers.iter().map(|number| number.name.to_owned()));
        let mut table = vec![head];
        for row in self.rows.values() {
            let event = &row.last;
            let mut cells = vec![
                row.connection.clone(),
                format!("{:.1}", row.rate_mbit),
                format!("{:.1}", event.cwnd),
                if event.ssthresh.is_finite() {
                    format!("{:.0}", event.ssthresh)
                } else {
                    "-".into()
                },
                format!("{:.1}", f64::from(event.srtt) / 1e3),
                event.in_flight.to_string(),
                event.lost.to_string(),
                row.timeouts.to_string(),
                row.undone.to_string(),
                if row.over { "over".to_owned() } else { event.state_name().to_owned() },
            ];
            let shows = self.numbers.iter().zip(event.shows);
            cells.extend(shows.map(|(number, units)| short(units as f64 / number.one as f64)));
            table.push(cells);
        }
        let (mut lines, hidden) = aligned(&table, columns_of_the_terminal());
        if hidden > 0 {
            lines.push(format!("columns hidden because the terminal is too narrow: {hidden}"));
        }
        if self.numbers.iter().any(|number| number.name == "mode") {
            lines.push("mode: 1 if the window grows as Reno's, else 0".to_owned());
        }
        lines
    }
}

/// At most three decimals, without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Columns that are left out first if there is not enough room, the least important first;
/// then others from the right.
const SPARE: [&str; 9] =
    ["rtt_ms", "low_ms", "high_ms", "undone", "in flight", "state", "timeouts", "ssthresh", "lost"];

/// The width of the terminal: a longer line would wrap, and the table could not be
/// overwritten.
fn columns_of_the_terminal() -> Option<usize> {
    let size = terminal_size::terminal_size_of(stdout());
    size.map(|(terminal_size::Width(columns), _)| usize::from(columns)).filter(|&n| n > 0)
}

/// The first column left-aligned, the others right-aligned, as many as fit; and how many
/// are left out.
fn aligned(table: &[Vec<String>], room: Option<usize>) -> (Vec<String>, usize) {
    let columns = table.first().map_or(0, Vec::len);
    let wide: Vec<usize> =
        (0..columns).map(|i| table.iter().map(|row| row[i].len()).max().unwrap_or(0)).collect();
    let rank = |&i: &usize| SPARE.iter().position(|spare| *spare == table[0][i]);
    let mut order: Vec<usize> = (1..columns).collect();
    order.sort_by_key(|i| rank(i).map_or(0, |rank| SPARE.len() - rank));
    let mut used = wide.first().copied().unwrap_or(0);
    let mut shown: Vec<usize> = Vec::new();
    for i in order {
        if room.is_none_or(|room| used + 2 + wide[i] <= room) {
            used += 2 + wide[i];
            shown.push(i);
        }
    }
    shown.sort_unstable();
    let line = |row: &Vec<String>| {
        let mut line = format!("{:1$}", row[0], wide[0]);
        for &i in &shown {
            line += &format!("  {:>1$}", row[i], wide[i]);
        }
        line
    };
    (table.iter().map(line).collect(), columns.saturating_sub(1 + shown.len()))
}

#[cfg(test)]
mod tests {
    use super::aligned;

    /// gHSTCP's columns on 100: what only its refined form has goes first.
    #[test]
    fn what_matters_is_shown_on_a_hundred_columns() {
        let head = [
            "connection",
            "Mbit/s",
            "cwnd",
            "ssthresh",
            "srtt ms",
            "in flight",
            "lost",
            "timeouts",
            "undone",
            "state",
            "mode",
            "z",
            "rtt_ms",
            "low_ms",
            "high_ms",
        ];
        let row = [
            "10.0.0.1:40000->10.0.1.1:5201",
            "48.9",
            "1234.5",
            "1000",
            "41.2",
            "1200",
            "12",
            "0",
            "0",
            "open",
            "1",
            "21.345",
            "0",
            "0",
            "0",
        ];
        let table = [head.map(str::to_owned).to_vec(), row.map(str::to_owned).to_vec()];
        let (lines, _) = aligned(&table, Some(100));
        for column in ["lost", "ssthresh", "timeouts", " z"] {
            assert!(lines[0].contains(column), "{column}: {lines:?}");
        }
        for column in ["rtt_ms", "low_ms", "high_ms"] {
            assert!(!lines[0].contains(column), "{column}: {lines:?}");
        }
    }

    #[test]
    fn a_line_is_no_longer_than_the_terminal_is_wide() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let table =
            [row(["connection", "Mbit/s", "undone", "state"]), row(["a", "9.5", "0", "open"])];
        let lines = |room| aligned(&table, room).0.join("\n");
        let all = "connection  Mbit/s  undone  state\na              9.5       0   open";
        assert_eq!(lines(None), all);
        assert_eq!(lines(Some(33)), all);
        let fewer = "connection  Mbit/s  state\na              9.5   open";
        assert_eq!((lines(Some(32)).as_str(), aligned(&table, Some(32)).1), (fewer, 1));
        assert_eq!(
            aligned(&table, Some(5)),
            (vec!["connection".to_owned(), format!("{:10}", "a")], 3)
        );
    }
}
