//! Lines of tc: `tc qdisc add dev eth0 root netem delay 50ms 10ms loss 1%`.
//!
//! Units as in tc(8), netem as in tc-netem(8) (from memory): rates in bits per second, with
//! `bps` in bytes; a time without unit is in microseconds, and sizes count in powers of 1024.

use tusker_core::{Duration, Rate};
use tusker_scenario::{Limit, Written};

use super::{Difference, Path, short, words};
use crate::Mistake;

/// What all lines together say.
#[derive(Default)]
struct Found {
    path: Path,
    netem: bool,
    netem_limit: Option<u64>,
    delay: Option<f64>,
    jitter: Option<(f64, Option<String>)>,
    loss: f64,
    chain: Option<[f64; 4]>,
}

pub(super) fn path(text: &str) -> Result<Path, Mistake> {
    let mut found = Found::default();
    let lines = text.replace("&&", "\n").replace(';', "\n").replace("\\\n", " ");
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = words(line);
        words.retain(|word| !["sudo", "$"].contains(word));
        if words.is_empty() || words[0].starts_with('#') {
            continue;
        }
        found.line(&words)?;
    }
    found.path.title = short(text.lines().next().unwrap_or_default());
    found.path()
}

/// The words of a line from a place on.
struct Words<'a> {
    all: &'a [&'a str],
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.all.get(self.at - 1).copied()
    }

    /// The word behind a key.
    fn value(&mut self, key: &str, what: &str) -> Result<&'a str, Mistake> {
        let missing =
            || Mistake::new(format!("tc: no value behind `{key}`"), format!("expected {what}"));
        self.next().ok_or_else(missing)
    }

    /// The next word, if it is a value.
    fn perhaps<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = read(self.all.get(self.at)?)?;
        self.at += 1;
        Some(value)
    }

    fn is(&mut self, word: &str) -> bool {
        let is = self.all.get(self.at) == Some(&word);
        self.at += usize::from(is);
        is
    }
}

/// A value, or an error that names the key.
fn of<T>(
    key: &str,
    text: &str,
    what: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, Mistake> {
    let wrong = || Mistake::new(format!("tc: `{key} {}`", short(text)), format!("expected {what}"));
    read(text).ok_or_else(wrong)
}

const TIME: &str = "a time such as 50ms";
const RATE: &str = "a rate such as 100mbit";
const SIZE: &str = "a size such as 32kb";
const SHARE: &str = "a percentage such as 1%";

impl Found {
    fn line(&mut self, all: &[&str]) -> Result<(), Mistake> {
        let unknown = |word: &str, help: &str| {
            Err(Mistake::new(format!("tc: `{}` is not known", short(word)), help))
        };
        if !all[0].ends_with("tc") {
            return unknown(all[0], "expected commands of tc");
        }
        let mut words = Words { all, at: 1 };
        match words.next() {
            Some("qdisc" | "class") => {}
            Some("filter") => return Ok(()),
            other => {
                return unknown(
                    other.unwrap_or_default(),
                    "expected tc qdisc add .. or tc class add ..",
                );
            }
        }
        let verbs = ["add", "replace", "change"];
        let verb = words.next().unwrap_or_default();
        if !verbs.contains(&verb) {
            return unknown(verb, "expected add, replace or change");
        }
        let kind = loop {
            match words.next() {
                Some(key @ ("dev" | "parent" | "handle" | "classid")) => {
                    words.value(key, "a name")?;
                }
                Some("root" | "ingress" | "clsact") => {}
                Some(kind) => break kind,
                None => return unknown("the end of the line", "expected a qdisc such as netem"),
            }
        };
        match kind {
            "netem" => self.netem(&mut words),
            "tbf" => self.tbf(&mut words),
            "htb" => self.htb(&mut words),
            "pfifo" | "bfifo" => {
                while let Some(word) = words.next() {
                    let "limit" = word else { return unknown(word, "pfifo and bfifo have limit") };
                    let text = words.value(word, "a number")?;
                    let limit = of(word, text, "a number", |own| size(own).map(|n| n as u64))?;
                    let bytes = kind == "bfifo";
                    self.path.limit =
                        Some(if bytes { Limit::Bytes(limit) } else { Limit::Packets(limit) });
                }
                Ok(())
            }
            "fq_codel" | "codel" | "pie" | "fq" | "fq_pie" | "sfq" | "cake" => {
                self.policy(kind, &mut words)
            }
            other => unknown(
                other,
                "known: netem, tbf, htb, pfifo, bfifo, fq_codel, codel, pie, fq, fq_pie, sfq, cake",
            ),
        }
    }

    /// A queue policy: its limit, and what the policy here has under the same name.
    fn policy(&mut self, kind: &str, words: &mut Words<'_>) -> Result<(), Mistake> {
        let mut text = kind.to_owned();
        while let Some(key) = words.next() {
            match key {
                "limit" => {
                    let value = words.value(key, "a number of packets")?;
                    let limit = of(key, value, "a number of packets", |own| own.parse().ok())?;
                    self.path.limit = Some(Limit::Packets(limit));
                }
                "bandwidth" if kind == "cake" => {
                    let value = words.value(key, RATE)?;
                    self.path.rate = Some(of(key, value, RATE, rate)?);
                }
                "target" | "interval" | "tupdate" | "ce_threshold" => {
                    let value = words.value(key, TIME)?;
                    let seconds = of(key, value, TIME, time)?;
                    text += &format!(":{key}={}", Duration::from_secs(seconds).write());
                }
                "quantum" | "flows" | "alpha" | "beta" | "memory_limit" | "divisor" | "perturb" => {
                    let value = words.value(key, "a number")?;
                    let what = format!("{kind} {key} {}", short(value));
                    self.path.differences.push(Difference::LeftOut(what));
                }
                "ecn" | "noecn" => {
                    self.path.sets.push(format!("dumbbell.queue.ecn={}", key == "ecn"));
                }
                other => {
                    let message = format!("tc: {kind}: `{}` is not known", short(other));
                    let help = "known: limit, target, interval, quantum, flows, ecn, noecn";
                    return Err(Mistake::new(message, help));
                }
            }
        }
        self.path.policy = Some(text);
        Ok(())
    }

    fn tbf(&mut self, words: &mut Words<'_>) -> Result<(), Mistake> {
        let (mut latency, mut burst) = (None, None);
        while let Some(key) = words.next() {
            match key {
                "rate" => self.path.rate = Some(of(key, words.value(key, RATE)?, RATE, rate)?),
                "burst" | "buffer" | "maxburst" => {
                    burst = Some(of(key, words.value(key, SIZE)?, SIZE, size)?);
                }
                "latency" => latency = Some(of(key, words.value(key, TIME)?, TIME, time)?),
                "limit" => {
                    let bytes = of(key, words.value(key, SIZE)?, SIZE, size)?;
                    self.path.limit = Some(Limit::Bytes((bytes as u64).max(1)));
                }
                "peakrate" | "mtu" | "minburst" | "mpu" => {
                    let value = words.value(key, "a value")?;
                    let what = format!("tbf {key} {}", short(value));
                    self.path.differences.push(Difference::LeftOut(what));
                }
                other => {
                    let message = format!("tc: tbf: `{}` is not known", short(other));
                    return Err(Mistake::new(message, "known: rate, burst, latency, limit"));
                }
            }
        }
        let Some(rate) = self.path.rate else {
            return Err(Mistake::new("tc: tbf without rate", "add rate, such as rate 100mbit"));
        };
        // limit = rate x latency + burst (tc-tbf(8))
        if let Some(latency) = latency {
            let bytes = rate.bits_per_sec() as f64 / 8.0 * latency + burst.unwrap_or(0.0);
            self.path.limit = Some(Limit::Bytes((bytes as u64).max(1_500)));
        }
        if let Some(burst) = burst.filter(|burst| *burst > 3_000.0) {
            let what = format!("tbf burst {burst} bytes: the link here sends at an even rate");
            self.path.differences.push(Difference::LeftOut(what));
        }
        Ok(())
    }

    fn htb(&mut self, words: &mut Words<'_>) -> Result<(), Mistake> {
        while let Some(key) = words.next() {
            match key {
                // what a class may borrow is what it gets when it is alone
                "ceil" => self.path.rate = Some(of(key, words.value(key, RATE)?, RATE, rate)?),
                "rate" => {
                    let own = of(key, words.value(key, RATE)?, RATE, rate)?;
                    self.path.rate.get_or_insert(own);
                }
                "default" | "r2q" | "burst" | "cburst" | "prio" | "quantum" | "mtu" => {
                    words.value(key, "a value")?;
                }
                other => {
                    let message = format!("tc: htb: `{}` is not known", short(other));
                    return Err(Mistake::new(message, "known: rate, ceil, burst, prio"));
                }
            }
        }
        Ok(())
    }

    fn netem(&mut self, words: &mut Words<'_>) -> Result<(), Mistake> {
        self.netem = true;
        while let Some(key) = words.next() {
            match key {
                "limit" => {
                    let text = words.value(key, "a number of packets")?;
                    let limit = of(key, text, "a number of packets", |own| own.parse().ok())?;
                    self.netem_limit = Some(limit);
                }
                "delay" | "latency" => {
                    self.delay = Some(of(key, words.value(key, TIME)?, TIME, time)?);
                    if let Some(jitter) = words.perhaps(time) {
                        self.jitter = Some((jitter, None));
                        self.correlation("delay", words);
                    }
                }
                "distribution" => {
                    let name = words.value(key, "uniform or normal")?;
                    if !["uniform", "normal"].contains(&name) {
                        let message = format!("tc: netem: `distribution {}`", short(name));
                        return Err(Mistake::new(message, "known: uniform and normal"));
                    }
                    if let Some((_, distribution)) = &mut self.jitter {
                        *distribution = Some(name.to_owned());
                    }
                }
                "loss" | "drop" => self.loss(words)?,
                "corrupt" => {
                    let share = of(key, words.value(key, SHARE)?, SHARE, share)?;
                    self.loss = 1.0 - (1.0 - self.loss) * (1.0 - share);
                    self.correlation("corruption", words);
                    self.path.differences.push(Difference::CorruptIsLost);
                }
                "rate" => {
                    self.path.rate = Some(of(key, words.value(key, RATE)?, RATE, rate)?);
                    // overheads
                    while words.perhaps(|own| own.parse::<i64>().ok()).is_some() {
                        let what = "netem's overhead per packet".to_owned();
                        self.path.differences.push(Difference::LeftOut(what));
                    }
                }
                "duplicate" | "reorder" => {
                    let value = of(key, words.value(key, SHARE)?, SHARE, share)?;
                    words.perhaps(share);
                    if key == "reorder" && words.is("gap") {
                        words.next();
                    }
                    if value > 0.0 {
                        let what = format!("netem {key} {} %", value * 100.0);
                        self.path.differences.push(Difference::LeftOut(what));
                    }
                }
                "seed" => {
                    words.value(key, "a number")?;
                }
                "ecn" => self.path.differences.push(Difference::LeftOut("netem ecn".to_owned())),
                other => {
                    let message = format!("tc: netem: `{}` is not known", short(other));
                    let help = "known: delay, distribution, loss, corrupt, duplicate, reorder, \
                                rate, limit";
                    return Err(Mistake::new(message, help));
                }
            }
        }
        Ok(())
    }

    fn loss(&mut self, words: &mut Words<'_>) -> Result<(), Mistake> {
        if words.is("gemodel") {
            // p, r, 1-h, 1-k: 1-h is lost in the bad state, 1-k in the good one
            let p = of("loss gemodel", words.value("loss gemodel", SHARE)?, SHARE, share)?;
            let r = words.perhaps(share).unwrap_or(1.0 - p);
            let bad = words.perhaps(share).unwrap_or(1.0);
            let good = words.perhaps(share).unwrap_or(0.0);
            self.chain = Some([p, r, good, bad]);
            return Ok(());
        }
        if words.is("state") {
            let p = of("loss state", words.value("loss state", SHARE)?, SHARE, share)?;
            let r = words.perhaps(share).unwrap_or(1.0 - p);
            let more = std::iter::from_fn(|| words.perhaps(share)).filter(|own| *own > 0.0).count();
            if more > 0 {
                let message = "tc: netem: `loss state` with more than two states";
                return Err(Mistake::new(message, "known: loss state P13 P31"));
            }
            self.chain = Some([p, r, 0.0, 1.0]);
            return Ok(());
        }
        words.is("random");
        let own = of("loss", words.value("loss", SHARE)?, SHARE, share)?;
        self.loss = 1.0 - (1.0 - self.loss) * (1.0 - own);
        self.correlation("loss", words);
        Ok(())
    }

    /// A correlation behind a value.
    fn correlation(&mut self, what: &'static str, words: &mut Words<'_>) {
        if words
            .perhaps(|own| own.ends_with('%').then(|| share(own)).flatten())
            .is_some_and(|own| own > 0.0)
        {
            self.path.differences.push(Difference::Correlation(what));
        }
    }

    /// The path of all lines.
    fn path(mut self) -> Result<Path, Mistake> {
        let sets = &mut self.path.sets;
        let mut base = self.delay.unwrap_or(0.0);
        if let Some((jitter, distribution)) = self.jitter.filter(|own| own.0 > 0.0) {
            let text = |seconds: f64| Duration::from_secs(seconds).write();
            // netem never delays by less than nothing
            let jitter = jitter.min(base);
            let own = match distribution.as_deref() {
                Some("normal") => {
                    let mean = (4.0 * jitter).min(base);
                    base -= mean;
                    let (mean, sd) = (text(mean), text(jitter));
                    format!("distribution = \"normal\", mean = \"{mean}\", sd = \"{sd}\"")
                }
                _ => {
                    base -= jitter;
                    format!("distribution = \"uniform\", max = \"{}\"", text(2.0 * jitter))
                }
            };
            sets.push(format!("dumbbell.jitter={{ {own}, reorder = true }}"));
        }
        match self.chain {
            Some([p, r, good, bad]) => sets.push(format!(
                "dumbbell.loss={{ p = {p}, r = {r}, loss_good = {good}, loss_bad = {bad} }}"
            )),
            // as a person writes it, without what multiplying adds
            None if self.loss > 0.0 => {
                sets.push(format!("dumbbell.loss={}", (self.loss * 1e12).round() / 1e12));
            }
            None => {}
        }
        if self.loss > 0.0 || self.chain.is_some() {
            self.path.differences.push(Difference::LossOfBatches);
        }
        if let Some(delay) = self.delay.filter(|delay| *delay > 0.0) {
            self.path.delay = Some(Duration::from_secs((base / 2.0).max(1e-6)));
            self.path.differences.push(Difference::OneDirection(Duration::from_secs(delay)));
        }
        if self.netem && self.path.limit.is_none() && self.path.policy.is_none() {
            // tc-netem(8): 1000 packets by default
            let limit = self.netem_limit.unwrap_or(1_000);
            let rate = self.path.rate.unwrap_or(Path::RATE).bits_per_sec() as f64;
            let delayed = (rate * self.delay.unwrap_or(0.0) / 12_000.0) as u64;
            if delayed > 0 {
                self.path.differences.push(Difference::LimitHoldsDelayed { limit, delayed });
            }
            self.path.limit = Some(Limit::Packets(limit.saturating_sub(delayed).max(1)));
        }
        Ok(self.path)
    }
}

/// The number and the unit of a value.
fn split(text: &str) -> Option<(f64, String)> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..at].parse().ok()?;
    number.is_finite().then(|| (number, text[at..].to_lowercase()))
}

fn time(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    let scale = match unit.as_str() {
        "s" | "sec" | "secs" => 1.0,
        "ms" | "msec" | "msecs" => 1e-3,
        "us" | "usec" | "usecs" | "" => 1e-6,
        "ns" | "nsec" | "nsecs" => 1e-9,
        _ => return None,
    };
    Some(number * scale).filter(|seconds| *seconds < 1_000.0)
}

fn rate(text: &str) -> Option<Rate> {
    let (number, unit) = split(text)?;
    let (prefix, bits) = match unit.as_str() {
        "" => ("", 1.0),
        unit => match (unit.strip_suffix("bit"), unit.strip_suffix("bps")) {
            (Some(prefix), _) => (prefix, 1.0),
            (None, Some(prefix)) => (prefix, 8.0),
            (None, None) => return None,
        },
    };
    let scale = match prefix {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        "ki" => 1024.0,
        "mi" => 1024.0 * 1024.0,
        "gi" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let rate = number * bits * scale;
    (1.0..=1e14).contains(&rate).then(|| Rate::from_bits_per_sec(rate as u64))
}

/// Bytes.
fn size(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    let scale = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1024.0,
        "m" | "mb" => 1024.0 * 1024.0,
        "g" | "gb" => 1024.0 * 1024.0 * 1024.0,
        "kbit" => 128.0,
        "mbit" => 131_072.0,
        _ => return None,
    };
    Some(number * scale).filter(|bytes| *bytes < 1e15)
}

/// A share of 1 of a percentage; tc takes a number without sign as per cent, too.
fn share(text: &str) -> Option<f64> {
    let (number, unit) = split(text)?;
    let known = ["", "%"].contains(&unit.as_str());
    // 16.7 / 100 as a person writes it
    (known && number <= 100.0).then(|| (number * 1e10).round() / 1e12)
}
