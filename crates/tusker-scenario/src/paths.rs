//! Paths as the options of commands say them (`--rate`, `--rtt`, `--buffer`, `--loss`, each of
//! which may be a list), the dumbbells that they stand for, and the axes of a sweep over them.

use tusker_core::{Duration, Rate};

use super::builder::Builder;
use super::error::{Error, Mistake};
use super::forms::{Cc, Queue};
use super::impair::Loss;
use super::sweep::{Axis, CC, Value, list};
use super::text::{Written, Wrong};

/// The most paths that one comparison has; a sweep takes more.
const MOST: usize = 1_000;

/// A path, as options say it.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Rate of the bottleneck.
    pub rate: String,
    /// Round-trip time without queueing.
    pub rtt: String,
    /// Limit of the queue.
    pub buffer: String,
    /// Share of packets lost at random.
    pub loss: Option<String>,
}

/// What does not differ between paths.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    /// The queue policy.
    pub queue: &'a str,
    /// Whether it marks, and TCP reacts.
    pub ecn: bool,
    /// How long it runs.
    pub duration: &'a str,
    /// Default TCP settings.
    pub profile: &'a str,
}

impl Path {
    /// All that it is; a path on which nothing is lost does not say so, whether or not other
    /// paths have loss.
    pub fn label(&self) -> String {
        let mut label = format!("{}, {}, buffer {}", self.rate, self.rtt, self.buffer);
        let none = |loss: &&String| loss.parse::<f64>().is_ok_and(|loss| loss == 0.0);
        if let Some(loss) = self.loss.as_ref().filter(|loss| !none(loss)) {
            label += &format!(", loss {loss}");
        }
        label
    }

    /// The path without flows.
    ///
    /// # Errors
    /// If an option cannot be read.
    pub fn dumbbell(&self, title: String, shared: &Shared<'_>) -> Result<Builder, Error> {
        let Shared { queue, ecn, duration, profile } = *shared;
        if queue.split(',').skip(1).any(|part| !part.contains('=')) {
            let help = "give one, and run the command once for each of them";
            let mistake = Mistake::new(format!("`{queue}` is more than one queue policy"), help);
            return Err(Error::of_option(mistake, "--queue"));
        }
        let limit = option("--buffer", &self.buffer)?;
        let loss = self.loss.as_deref().map(|loss| of_option("--loss", Loss::read(loss)));
        Ok(Builder {
            title,
            profile: option("--profile", profile)?,
            duration: option("--duration", duration)?,
            rate: option("--rate", &self.rate)?,
            traces: None,
            rtt: option("--rtt", &self.rtt)?,
            queue: of_option("--queue", Queue::read(queue, limit))?,
            loss: loss.transpose()?,
            loses_both_ways: false,
            ecn,
            flows: Vec::new(),
        })
    }
}

/// All paths of a comparison, and what they differ in.
#[derive(Clone, Debug)]
pub struct Paths {
    /// What differs: `buffer`.
    pub heads: Vec<&'static str>,
    /// Each with its values of that.
    pub all: Vec<(Path, Vec<String>)>,
}

type Put = fn(&mut Path, String);

impl Paths {
    /// Every combination of these lists; the first option changes slowest.
    ///
    /// # Errors
    /// If a list cannot be read, or there are too many paths.
    pub fn of(rate: &str, rtt: &str, buffer: &str, loss: Option<&str>) -> Result<Self, Error> {
        let options: [(&'static str, Option<&str>, Put); 4] = [
            ("rate", Some(rate), |path, value| path.rate = value),
            ("rtt", Some(rtt), |path, value| path.rtt = value),
            ("buffer", Some(buffer), |path, value| path.buffer = value),
            ("loss", loss, |path, value| path.loss = Some(value)),
        ];
        let mut paths = Self { heads: Vec::new(), all: vec![(Path::default(), Vec::new())] };
        for (name, text, put) in options {
            let Some(text) = text else { continue };
            let values = values(name, text)?;
            let several = values.len() > 1;
            if several {
                paths.heads.push(name);
            }
            if paths.all.len() * values.len() > MOST {
                let mistake =
                    Mistake::new(format!("more than {MOST} paths"), "`tusker sweep` has no limit");
                return Err(Error::of_option(mistake, &format!("--{name}")));
            }
            let with = |(path, named): &(Path, Vec<String>)| {
                let (path, named) = (path.clone(), named.clone());
                values.clone().into_iter().map(move |value| {
                    let (mut path, mut named) = (path.clone(), named.clone());
                    named.extend(several.then(|| value.clone()));
                    put(&mut path, value);
                    (path, named)
                })
            };
            paths.all = paths.all.iter().flat_map(with).collect();
        }
        Ok(paths)
    }
}

/// The values of an option, whose name has no dashes.
///
/// # Errors
/// If they are no list.
pub fn values(name: &str, text: &str) -> Result<Vec<String>, Error> {
    of_option(&format!("--{name}"), list(name, text))
}

/// The congestion control of an option, with its parameters.
///
/// # Errors
/// If there is none such.
pub fn cc(name: &str, text: &str) -> Result<Cc, Error> {
    of_option(name, Cc::read(text))
}

/// How many connections `8xreno` asks for, and of what.
///
/// # Errors
/// If a flow cannot have so many.
pub fn connections<'a>(name: &str, cc: &'a str) -> Result<(Option<u32>, &'a str), Error> {
    let digits = cc.find(|c: char| !c.is_ascii_digit()).unwrap_or(cc.len());
    let (number, Some(rest)) = (&cc[..digits], cc[digits..].strip_prefix('x')) else {
        return Ok((None, cc));
    };
    if number.is_empty() {
        return Ok((None, cc));
    }
    match number.parse() {
        Ok(parallel @ 1..=100_000) => Ok((Some(parallel), rest)),
        _ => {
            let message = format!("a flow cannot have `{number}` connections");
            let mistake = Mistake::new(message, "from 1 to 100000, as in 8xreno");
            Err(Error::of_option(mistake, name))
        }
    }
}

/// A value of an option, in the units of scenario files.
///
/// # Errors
/// If it cannot be read.
pub fn option<T: Written>(name: &str, text: &str) -> Result<T, Error> {
    of_option(name, T::read(text))
}

fn of_option<T>(name: &str, read: Result<T, Wrong>) -> Result<T, Error> {
    read.map_err(|(message, help)| Error::of_option(Mistake::new(message, help), name))
}

/// What the options of a sweep vary. A single rate or RTT is not varied.
///
/// # Errors
/// If a list cannot be read.
pub fn axes(options: [(&str, Option<&String>); 5]) -> Result<Vec<Axis>, Error> {
    let mut axes = Vec::new();
    for (name, text) in options {
        let Some(text) = text else { continue };
        let axis = match name {
            "cc" => Axis::read(&format!("{CC}={text}"))?,
            _ => axis(name, text)?,
        };
        let always = !matches!(name, "rate" | "rtt");
        axes.extend(Some(axis).filter(|axis| always || axis.values.len() > 1));
    }
    Ok(axes)
}

/// Reads a value as it was written.
type ReadValue = fn(String) -> Result<Value, Error>;

/// The axis of an option with these values.
///
/// # Errors
/// If they cannot be read.
pub fn axis(name: &str, text: &str) -> Result<Axis, Error> {
    let plain = |label: String| Ok(Value::plain(label));
    let (key, read): (_, ReadValue) = match name {
        "rate" => ("dumbbell.rate", |label| {
            let access = Builder::access(option("--rate", &label)?);
            let also = vec![format!("dumbbell.access.rate={access}")];
            Ok(Value { text: label.clone(), label, also })
        }),
        "rtt" => ("dumbbell.delay", |label| {
            let delay = Builder::delay(option("--rtt", &label)?)?;
            Ok(Value { text: delay.to_string(), label, also: Vec::new() })
        }),
        "buffer" => ("dumbbell.queue.limit", plain),
        _ => ("dumbbell.loss", plain),
    };
    let values = values(name, text)?.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(Axis { key: key.to_owned(), option: Some(name.to_owned()), values })
}

/// The largest of the values of an option.
///
/// # Errors
/// If one cannot be read.
pub fn largest<T: Written + Ord>(name: &str, values: &[String]) -> Result<T, Error> {
    let all = values.iter().map(|value| option(name, value)).collect::<Result<Vec<T>, _>>()?;
    Ok(all.into_iter().max().expect("a list has a value"))
}

/// Long enough for six cycles of Reno with a buffer of 2 BDP, as the second half is measured: each
/// takes about 3 BDP RTTs, with the BDP in packets. At least 100 s, and at most 100 Gbit in all, so
/// that a run takes seconds.
pub fn long_enough_s(rate: Rate, rtt: Duration) -> f64 {
    /// The shortest duration that is chosen.
    const LEAST_S: f64 = 100.0;
    let (rate, rtt) = (rate.bits_per_sec() as f64, rtt.nanos() as f64 / 1e9);
    let wanted = 6.0 * 3.0 * (rate * rtt / 12_000.0) * rtt;
    let most = (1e11 / rate.max(1.0)).max(LEAST_S);
    wanted.clamp(LEAST_S, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 Mbit/s and 60 ms are 500 packets: 18 x 500 x 0.06 s = 540 s. At 1 Gbit/s 5,400 s are
    /// more than 100 Gbit take, which is 100 s.
    #[test]
    fn a_path_is_simulated_long_enough() {
        let seconds = |mbit: u64, ms: u64| {
            let (rate, rtt) = (mbit * 1_000_000, ms * 1_000_000);
            long_enough_s(Rate::from_bits_per_sec(rate), Duration::from_nanos(rtt)).round()
        };
        assert_eq!([seconds(100, 60), seconds(10, 10), seconds(1_000, 60)], [540.0, 100.0, 100.0]);
    }
}
