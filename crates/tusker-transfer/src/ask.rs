//! Parses a question in the user's words. It may come from a command line or a program; the
//! errors are the same.

use tusker_core::congestion::Kind as Law;
use tusker_core::{Bytes, Duration, Kind, Rate};
use tusker_scenario::{Cc, Limit, Written, sweep};

use super::Way;
use super::path::{Named, On, scenario};
use tusker_lab::Trouble;

/// The words of a question; [`Words::default`] has the optional ones.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// Payload to move: `200TB`.
    pub size: &'a str,
    /// Rate of the bottleneck: `10Gbit`.
    pub rate: &'a str,
    /// Round trip on the empty path: `160ms`.
    pub rtt: &'a str,
    /// Share of packets lost at random: `1e-6`.
    pub loss: &'a str,
    /// Buffer of the bottleneck: `2MB`, `0.1bdp`, `1000pkt`; if it is empty, `1bdp` is
    /// assumed, and the answer says so.
    pub buffer: &'a str,
    /// The others on the path, present all the time: `4xcubic,reno`.
    pub with: &'a str,
    /// Congestion controls: `cubic,bbr1,ghstcp:z=2`.
    pub laws: &'a str,
    /// Numbers of connections: `1,2,4,8,16`; `1..32` doubles, `1..32:5:log:whole` gives five.
    pub streams: &'a str,
    /// Payload that a connection may have in flight: `enough`, `64MB`.
    pub socket_buffer: &'a str,
    /// Packet size on the wire: `1500B`.
    pub packet: &'a str,
    /// The target width of intervals: `5%`.
    pub until: &'a str,
    /// The time limit for the transfer: `12h`; empty for none.
    pub deadline: &'a str,
    /// How much a recommended way may harm the others: `0.3`; empty for half of their rate.
    pub max_harm: &'a str,
    /// What runs today: `cubic-linux`, `4xcubic-linux`; `none` for nothing.
    pub today: &'a str,
    /// The way whose commands are wanted: `4xbbr1`; empty for the recommended one.
    pub asked_for: &'a str,
}

/// Laws that are tried by default: those that are in Linux or can be loaded into it, one of
/// each kind.
pub const LAWS: &str = "cubic-linux,bbr1,htcp,hstcp,ghstcp";

/// The buffer that is assumed if none is named.
const BUFFER: &str = "1bdp";

impl Default for Words<'_> {
    fn default() -> Self {
        Self {
            size: "",
            rate: "",
            rtt: "",
            loss: "0",
            buffer: "",
            with: "",
            laws: LAWS,
            streams: "1,2,4,8,16",
            socket_buffer: "enough",
            packet: "1500B",
            until: "5%",
            deadline: "",
            max_harm: "",
            today: "cubic-linux",
            asked_for: "",
        }
    }
}

/// A parsed question.
#[derive(Clone, Debug)]
pub struct Ask {
    pub(super) size: Bytes,
    pub(super) on: On,
    /// Nobody said how large the buffer is.
    pub(super) buffer_assumed: bool,
    pub(super) laws: Vec<Named>,
    pub(super) streams: Vec<u32>,
    /// `None` means enough.
    pub(super) sockets: Vec<Option<Bytes>>,
    pub(super) until: f64,
    pub(super) deadline: Option<Duration>,
    pub(super) max_harm: Option<f64>,
    /// Its number of connections, and the law.
    pub(super) today: Option<(u32, Named)>,
    pub(super) asked_for: Option<(u32, Named)>,
    /// Laws and streams of rows to simulate early, because others are compared with them.
    pub early: Vec<(String, u32)>,
}

/// The slowest bottleneck, bits per second: a packet takes 12 s.
const SLOWEST: u64 = 1_000;

/// The most connections of one kind.
const MOST_STREAMS: u32 = 1_024;

/// The most rows: each takes seconds.
const MOST_ROWS: usize = 500;

fn wrong<T>(message: String, help: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Asked { message, help: help.into() })
}

fn read<T: Written>(flag: &str, text: &str) -> Result<T, Trouble> {
    T::read(text).or_else(|(message, help)| wrong(format!("{flag}: {message}"), help))
}

impl Ask {
    /// Parses a question.
    ///
    /// # Errors
    /// [`Trouble::Asked`], which names the option, the mistake and the remedy.
    pub fn read(words: &Words<'_>) -> Result<Self, Trouble> {
        let size: Bytes = read("--size", words.size)?;
        if size == Bytes::ZERO {
            return wrong("--size: nothing to move".into(), "expected a size such as \"200TB\"");
        }
        let rtt: Duration = read("--rtt", words.rtt)?;
        if rtt < Duration::from_nanos(1_000) {
            let message = format!("--rtt: a round trip of {rtt} is too short");
            return wrong(message, "use 1us or more; a long path has 100ms");
        }
        let rate: Rate = read("--rate", words.rate)?;
        if rate.bits_per_sec() < SLOWEST {
            let message = format!("--rate: {rate} is too slow to plan for");
            return wrong(message, "use 1kbit or more; a fast path has 10Gbit");
        }
        let buffer_assumed = words.buffer.is_empty();
        let mut on = On {
            rate,
            rtt,
            loss: share("--loss", words.loss, "1e-6", 0.0..=0.5)?,
            buffer: buffer(if buffer_assumed { BUFFER } else { words.buffer })?,
            packet: packet(words.packet)?,
            others: others(words.with)?,
            each: 1,
        };
        on.each = on.coarsest();
        let laws = items("--cc", words.laws)?;
        let laws = laws.iter().map(|law| named("--cc", law)).collect::<Result<Vec<_>, _>>()?;
        let until = share("--until", words.until, "5%", 0.001..=0.5)?;
        let (streams, sockets) = (streams(words.streams)?, sockets(words.socket_buffer, &on)?);
        let rows = laws.len() * streams.len() * sockets.len();
        if rows > MOST_ROWS {
            let message = format!("{rows} rows: congestion controls x streams x socket buffers");
            return wrong(message, format!("at most {MOST_ROWS}"));
        }
        let deadline = match words.deadline {
            "" => None,
            text => Some(read("--deadline", text)?),
        };
        let max_harm = match words.max_harm {
            "" => None,
            text => Some(share("--max-harm", text, "0.3", 0.0..=1.0)?),
        };
        if max_harm.is_some() && on.others.is_empty() {
            let message = "--max-harm: there are no other flows on the path".into();
            return wrong(message, "add them: --with 4xcubic");
        }
        let (today, asked_for) = (one("--today", words.today)?, one("--for", words.asked_for)?);
        let ask = Self {
            size,
            on,
            buffer_assumed,
            laws,
            streams,
            sockets,
            until,
            deadline,
            max_harm,
            today,
            asked_for,
            early: Vec::new(),
        };
        ask.check()?;
        Ok(ask)
    }

    /// The ways to do it, without doubles: what runs today and the one asked for, then each
    /// law with each number of streams and each socket buffer.
    pub(super) fn ways(&self) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        let mut add = |way: Way| {
            if ways.iter().all(|own| own.row() != way.row()) {
                ways.push(way);
            }
        };
        for named in [&self.today, &self.asked_for].into_iter().flatten() {
            add(self.named(named));
        }
        for law in &self.laws {
            for &streams in &self.streams {
                for socket in &self.sockets {
                    add(self.way(law, streams, *socket));
                }
            }
        }
        ways
    }

    /// How many ways are first because they were named on their own.
    pub(super) fn pinned(&self) -> usize {
        match (&self.today, &self.asked_for) {
            (Some(today), Some(asked_for)) if today == asked_for => 1,
            (today, asked_for) => usize::from(today.is_some()) + usize::from(asked_for.is_some()),
        }
    }

    /// A way that was named on its own: it has the first of the socket buffers.
    pub(super) fn named(&self, (streams, law): &(u32, Named)) -> Way {
        self.way(law, *streams, self.sockets[0])
    }

    fn way(&self, law: &Named, streams: u32, socket: Option<Bytes>) -> Way {
        let (enough, law) = (socket.is_none(), law.clone());
        Way { law, streams, socket: socket.unwrap_or_else(|| self.on.enough()), enough }
    }

    /// Checks every law with its parameters, and the path.
    fn check(&self) -> Result<(), Trouble> {
        let of = |named: &Option<(u32, Named)>| named.as_ref().map(|(_, law)| law.clone());
        let single = [("--today", of(&self.today)), ("--for", of(&self.asked_for))];
        let single = single.into_iter().filter_map(|(flag, law)| Some((flag, law?)));
        let laws = self.laws.iter().map(|law| ("--cc", law.clone()));
        for (flag, law) in laws.chain(single) {
            let way = self.way(&law, 1, None);
            let made = scenario(&self.on, Some(&way));
            made.complete().or_else(|error| {
                // the user did not write `flows.0.cc.z`
                let message = error.key().and_then(|(path, what)| {
                    let is = |own: &str| path.split('.').any(|part| part == own);
                    match () {
                        () if is("cc") => Some(format!("{flag}: {}: {what}", law.label)),
                        () if is("queue") => Some(format!("--buffer: {what}")),
                        () if is("rate") => Some(format!("--rate: {what}")),
                        () => None,
                    }
                });
                let message = message.unwrap_or_else(|| error.to_string());
                wrong(message, error.remedy().unwrap_or("see docs/plan.md"))
            })?;
        }
        Ok(())
    }
}

fn items(flag: &str, text: &str) -> Result<Vec<String>, Trouble> {
    sweep::list(flag, text).or_else(|(message, help)| wrong(format!("{flag}: {message}"), help))
}

/// `ghstcp:z=2`.
fn named(flag: &str, text: &str) -> Result<Named, Trouble> {
    let mut parts = text.split([':', ',']);
    let name = parts.next().unwrap_or_default().trim();
    let Some(kind) = Law::named(name) else {
        let names: Vec<String> = Law::ALL.iter().map(|law| law.sheet().name.to_owned()).collect();
        let near = sweep::nearest(name, &names).unwrap_or("cubic");
        return wrong(
            format!("{flag}: unknown congestion control `{}`", name.escape_debug()),
            match name.eq_ignore_ascii_case("bbr") {
                true => "which one: `bbr1`, that of Linux, or `bbr3`?".to_owned(),
                false => format!("did you mean `{near}`? `tusker list cc` lists all"),
            },
        );
    };
    let mut params = Vec::new();
    for part in parts {
        let pair = part.split_once('=');
        let value = pair.and_then(|(key, value)| Some((key, value.parse::<f64>().ok()?)));
        let Some((key, value)) = value.filter(|(_, value)| value.is_finite()) else {
            return wrong(
                format!("{flag}: `{}` in `{}` is not a parameter", part.escape_debug(), text),
                "write NAME:PARAM=NUMBER; `tusker explain NAME` lists them",
            );
        };
        params.push((key.to_owned(), value));
    }
    Ok(Named { label: text.to_owned(), cc: Cc { name: name.to_owned(), params }, kind })
}

/// `5%`, `0.05`, `1e-6`.
fn share(
    flag: &str,
    text: &str,
    example: &str,
    range: std::ops::RangeInclusive<f64>,
) -> Result<f64, Trouble> {
    let plain = text.trim().trim_start_matches('±').trim();
    let (number, scale) = match plain.strip_suffix('%') {
        Some(number) => (number.trim(), 0.01),
        None => (plain, 1.0),
    };
    match number.parse::<f64>().map(|number| number * scale) {
        Ok(share) if range.contains(&share) => Ok(share),
        _ => wrong(
            format!("{flag}: `{}` is not a valid share", text.escape_debug()),
            format!("use {} to {}, as in {example}", range.start(), range.end()),
        ),
    }
}

fn buffer(text: &str) -> Result<Limit, Trouble> {
    match read("--buffer", text)? {
        limit @ (Limit::Packets(_) | Limit::Bytes(_) | Limit::Bdp(_)) => Ok(limit),
        _ => wrong(
            format!("--buffer: `{}` is not the size of a buffer", text.escape_debug()),
            "expected a size such as \"2MB\", \"0.5bdp\" or \"1000pkt\"",
        ),
    }
}

fn packet(text: &str) -> Result<Bytes, Trouble> {
    let packet: Bytes = read("--packet", text)?;
    match packet.get() {
        576..=65_535 => Ok(packet),
        _ => wrong(format!("--packet: {packet} is not a valid packet size"), "from 576B to 65535B"),
    }
}

/// `4xcubic,reno`.
fn others(text: &str) -> Result<Vec<(u32, Named)>, Trouble> {
    let text = text.trim();
    if text.is_empty() || text == "nobody" {
        return Ok(Vec::new());
    }
    items("--with", text)?.iter().map(|item| counted("--with", item)).collect()
}

/// `4xcubic`; nothing if it is empty or `none`.
fn one(flag: &str, text: &str) -> Result<Option<(u32, Named)>, Trouble> {
    match text.trim() {
        "" | "none" => Ok(None),
        text => counted(flag, text).map(Some),
    }
}

/// `4xcubic`, `reno`.
fn counted(flag: &str, item: &str) -> Result<(u32, Named), Trouble> {
    let counted = item
        .split_once('x')
        .filter(|(count, _)| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()));
    let Some((count, law)) = counted else { return Ok((1, named(flag, item)?)) };
    match count.parse() {
        Ok(count @ 1..=MOST_STREAMS) => Ok((count, named(flag, law)?)),
        _ => wrong(
            format!("{flag}: `{count}` connections"),
            format!("use 1 to {MOST_STREAMS}, as in 4xcubic"),
        ),
    }
}

/// `1,4,16`, `1..32` (each twice the last), `1..32:5:log:whole`.
fn streams(text: &str) -> Result<Vec<u32>, Trouble> {
    let number = |text: &str| match text.trim().parse() {
        Ok(count @ 1..=MOST_STREAMS) => Ok(count),
        _ => wrong(
            format!("--streams: `{}` is not a number of connections", text.escape_debug()),
            format!("use 1 to {MOST_STREAMS}: 1,4,16, or 1..32, which doubles"),
        ),
    };
    if let Some((from, to)) = text.split_once("..").filter(|(_, to)| !to.contains([':', ','])) {
        let (from, to) = (number(from)?, number(to)?);
        if from > to {
            let message = format!("--streams: the range from {from} to {to} runs backwards");
            return wrong(message, "give the smaller number first");
        }
        let doubled = std::iter::successors(Some(from), |n| Some(n * 2));
        let mut all: Vec<u32> = doubled.take_while(|n| *n < to).collect();
        all.push(to);
        return Ok(all);
    }
    let mut all =
        items("--streams", text)?.iter().map(|item| number(item)).collect::<Result<Vec<_>, _>>()?;
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

fn sockets(text: &str, on: &On) -> Result<Vec<Option<Bytes>>, Trouble> {
    let one = |item: &String| {
        if item == "enough" {
            return Ok(None);
        }
        let size: Bytes = read("--socket-buffer", item)?;
        match size >= on.packet {
            true => Ok(Some(size)),
            false => wrong(
                format!("--socket-buffer: {size} is smaller than a packet of {}", on.packet),
                "use a size such as \"64MB\", or \"enough\"",
            ),
        }
    };
    items("--socket-buffer", text)?.iter().map(one).collect()
}
