//! What is asked: a path, a congestion control and a measurement.

use tusker_core::congestion::Kind as Law;
use tusker_core::params::Sheet;
use tusker_core::{Duration, Kind, Rate};
use tusker_scenario::{Cc, Limit, Written};

use crate::{Measured, Mistake};

/// The words of a question; an empty one was not said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'a> {
    /// Rate of the path's slowest link: `10gbit`.
    pub rate: &'a str,
    /// Round trip without queues: `150ms`.
    pub rtt: &'a str,
    /// The goodput: `2.1gbit`.
    pub measured: &'a str,
    /// The congestion control: `cubic-linux`.
    pub cc: &'a str,
    /// How long it was measured: `30s`.
    pub duration: &'a str,
    /// The bottleneck's buffer: `1bdp`.
    pub buffer: &'a str,
    /// Retransmitted segments.
    pub retransmits: &'a str,
    /// Parallel connections.
    pub streams: &'a str,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Question {
    pub(super) rate: Rate,
    pub(super) rtt: Duration,
    pub(super) cc: Cc,
    pub(super) kind: Law,
    pub(super) label: String,
    pub(super) buffer: Limit,
    pub(super) buffer_assumed: bool,
    /// How long it was measured from the start on; `None` is the rate of a long transfer.
    pub(super) seconds: Option<f64>,
    pub(super) measured: Measured,
}

/// The congestion control of Linux, if nothing says which it was.
const CC: &str = "cubic-linux";
/// The longest measurement.
const LONGEST: f64 = 86_400.0;
/// Payload of a segment of 1500 bytes with timestamps.
pub(super) const PAYLOAD: f64 = 1448.0;

impl Question {
    /// Reads it; options win against the file.
    ///
    /// # Errors
    /// A mistake that names the option, or says which one is missing.
    pub fn read(words: &Words<'_>, file: Option<Measured>) -> Result<Self, Mistake> {
        let mut measured = file.unwrap_or_default();
        measured.streams = measured.streams.max(1);
        let missing = |option: &str, example: &str| {
            let message = format!("{option} is missing, and no file says it");
            Mistake::new(message, format!("add {option}, such as {option} {example}"))
        };
        let rate: Rate = match words.rate {
            "" => return Err(missing("--rate", "10gbit: the rate of the slowest link")),
            text => of("--rate", text)?,
        };
        if !words.measured.is_empty() {
            let goodput: Rate = of("--measured", words.measured)?;
            measured.goodput_bps = goodput.bits_per_sec() as f64;
        }
        if measured.goodput_bps < 1.0 {
            return Err(missing("--measured", "2.1gbit: the goodput"));
        }
        let rtt = match (words.rtt, measured.min_rtt_s) {
            ("", None) => return Err(missing("--rtt", "150ms: the round trip of an empty path")),
            ("", Some(seconds)) => Duration::from_secs(seconds),
            (text, _) => of("--rtt", text)?,
        };
        if rtt < Duration::from_nanos(1_000) || rtt.secs() > 100.0 {
            let message = format!("--rtt: a round trip of {rtt}");
            return Err(Mistake::new(message, "from 1us to 100s; a long path has 150ms"));
        }
        let goodput = measured.goodput_bps;
        if goodput > rate.bits_per_sec() as f64 {
            let message = format!("{goodput:.0} bit/s were measured on a path of {rate}");
            return Err(Mistake::new(message, "--rate is the rate of the slowest link"));
        }
        if goodput * 1e6 < rate.bits_per_sec() as f64 || rate.bits_per_sec() < 1_000 {
            let message = format!("{goodput:.0} bit/s of {rate} is too little to explain");
            return Err(Mistake::new(message, "at least a millionth of a rate from 1kbit on"));
        }
        let number = |option: &str, text: &str, most: u64| match text.parse::<u64>() {
            Ok(number) if number <= most => Ok(number),
            _ => {
                let message = format!("{option}: `{}` is no number", text.escape_debug());
                Err(Mistake::new(message, format!("a whole number up to {most}")))
            }
        };
        if !words.retransmits.is_empty() {
            measured.retransmits =
                Some(number("--retransmits", words.retransmits, 1_000_000_000_000)?);
        }
        if !words.streams.is_empty() {
            measured.streams = number("--streams", words.streams, 1_024)?.max(1) as u32;
        }
        let seconds = match words.duration {
            "" => measured.seconds,
            text => Some(of::<Duration>("--duration", text)?.secs()),
        };
        let range = 2.0 * rtt.secs()..=LONGEST;
        if let Some(seconds) = seconds.filter(|seconds| !range.contains(seconds)) {
            let message = format!("{seconds} s of measurement");
            let help = "--duration is from two round trips to 24h, such as 30s";
            return Err(Mistake::new(message, help));
        }
        if seconds.is_none() && measured.retransmits.is_some_and(|count| count > 0) {
            let message = "--retransmits: within which time?";
            return Err(Mistake::new(message, "add --duration, such as --duration 30s"));
        }
        let label = match (words.cc, &measured.congestion) {
            ("", None) => CC.to_owned(),
            ("", Some(kernel)) => of_kernel(kernel)?,
            (text, _) => text.to_owned(),
        };
        let wrong =
            |(message, help): (String, String)| Mistake::new(format!("--cc: {message}"), help);
        let cc = Cc::read(&label).map_err(wrong)?;
        let kind = Law::named(&cc.name).ok_or_else(|| {
            let message = format!("--cc: unknown congestion control `{}`", cc.name.escape_debug());
            Mistake::new(message, "`tusker list cc` lists all")
        })?;
        let buffer_assumed = words.buffer.is_empty();
        let buffer = of("--buffer", if buffer_assumed { "1bdp" } else { words.buffer })?;
        if matches!(buffer, Limit::Unlimited | Limit::Backpressure(_)) {
            let message = format!("--buffer: `{}` is not the buffer of a router", words.buffer);
            return Err(Mistake::new(message, "a limit such as 0.5bdp, 1000pkt or 2MB"));
        }
        Ok(Self { rate, rtt, cc, kind, label, buffer, buffer_assumed, seconds, measured })
    }

    /// Bytes in flight at the measured goodput, of each connection: rate x RTT.
    pub(super) fn window(&self) -> f64 {
        self.measured.goodput_bps / 8.0 * self.rtt.secs() / f64::from(self.measured.streams)
    }

    /// Packets that the bottleneck's buffer holds.
    pub(super) fn buffer_packets(&self) -> f64 {
        match self.buffer {
            Limit::Packets(packets) => packets as f64,
            Limit::Bytes(bytes) => bytes as f64 / 1500.0,
            Limit::Bdp(share) => share * self.bdp() / 1500.0,
            Limit::Unlimited | Limit::Backpressure(_) => f64::INFINITY,
        }
    }

    /// Bytes in flight on the full path without queue.
    pub(super) fn bdp(&self) -> f64 {
        self.rate.bits_per_sec() as f64 / 8.0 * self.rtt.secs()
    }
}

/// The law of the registry that is the kernel's of this name.
fn of_kernel(name: &str) -> Result<String, Mistake> {
    let is = |law: &&Law| law.sheet().linux.module.is_some_and(|module| module.name == name);
    let all = Law::ALL.iter().filter(is).map(|law| law.sheet());
    // of several, the one that a kernel runs as it is
    let as_it_is = |sheet: &&Sheet| {
        let module = sheet.linux.module;
        module.is_some_and(|module| module.nearer.is_none() && module.patched.is_none())
    };
    let all: Vec<&Sheet> = all.collect();
    let nearest = all.iter().copied().find(as_it_is).or_else(|| all.first().copied());
    nearest.map(|sheet| sheet.name.to_owned()).ok_or_else(|| {
        let message = format!("the congestion control `{}` is not simulated", name.escape_debug());
        Mistake::new(message, "--cc names one that is near to it; `tusker list cc` lists all")
    })
}

/// A value of an option, in the units of scenario files.
fn of<T: Written>(option: &str, text: &str) -> Result<T, Mistake> {
    let wrong =
        |(message, help): (String, String)| Mistake::new(format!("{option}: {message}"), help);
    T::read(text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<'a>() -> Words<'a> {
        Words { rate: "1gbit", rtt: "100ms", measured: "100mbit", ..Words::default() }
    }

    #[test]
    fn a_mistake_names_its_option_and_the_remedy() {
        let wrong = |words: Words<'_>| Question::read(&words, None).map(|_| ()).unwrap_err();
        for (words, message, help) in [
            (Words { rate: "", ..words() }, "--rate is missing", "--rate 10gbit"),
            (Words { rtt: "", ..words() }, "--rtt is missing", "--rtt 150ms"),
            (Words { measured: "", ..words() }, "--measured is missing", "--measured 2.1gbit"),
            (Words { measured: "2gbit", ..words() }, "on a path of", "slowest link"),
            (Words { duration: "1ms", ..words() }, "s of measurement", "two round trips"),
            (Words { cc: "nothing", ..words() }, "unknown congestion control", "list cc"),
            (Words { buffer: "unlimited", ..words() }, "not the buffer of a router", "1000pkt"),
            (Words { retransmits: "-1", ..words() }, "--retransmits: `-1`", "whole number"),
            (Words { retransmits: "3", ..words() }, "within which time", "--duration"),
            (Words { rtt: "1000s", ..words() }, "--rtt", "150ms"),
        ] {
            let mistake = wrong(words);
            assert!(
                mistake.message.contains(message) && mistake.help.contains(help),
                "{mistake:?}"
            );
        }
    }

    /// A file's kernel names are those of Linux; what is typed wins against a file.
    #[test]
    fn options_win_against_a_file() {
        let file = |congestion: &str| Measured {
            goodput_bps: 5e6,
            congestion: Some(congestion.to_owned()),
            min_rtt_s: Some(0.02),
            ..Measured::default()
        };
        let typed = Words { rate: "1gbit", ..Words::default() };
        let read = |words, congestion| Question::read(&words, Some(file(congestion)));
        let own = read(typed, "cubic").unwrap();
        assert_eq!((own.label.as_str(), own.rtt), ("cubic-linux", Duration::from_millis(20)));
        assert_eq!(read(typed, "bbr").unwrap().label, "bbr1");
        let own = read(words(), "cubic").unwrap();
        assert_eq!((own.measured.goodput_bps, own.rtt), (1e8, Duration::from_millis(100)));
        assert!(read(typed, "warp").unwrap_err().help.contains("--cc"));
    }
}
