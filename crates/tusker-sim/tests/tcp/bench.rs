//! A connection controlled by a script.

use std::collections::VecDeque;

use tusker_core::{Bytes, Duration, Time};
use tusker_plan::plan::{AfterIdle, Counting, Ecn, Recovery, Tcp};
use tusker_scripts::slow_start;
use tusker_scripts::words::{Words, moment, parse, range, same, same_time, span};
use tusker_sim::packet::flag;
use tusker_sim::tcp::{AckIn, AckOut, FIRST_ACE, Job, Segment};

use crate::path::{Fate, Path, Travels, default_law, packet};

/// Both ends and what the script has not yet checked.
pub struct Connection {
    law: &'static str,
    tcp: Tcp,
    path: Path,
    sent: Vec<Segment>,
    /// The last transmission of each segment.
    last: Vec<(Time, bool)>,
    acks: VecDeque<AckOut>,
    fates: Fates,
    /// The ACE field of the last ACK that the script made, and of the last that it checked.
    ace: [u8; 2],
}

/// What the path does during `run`.
#[derive(Default)]
struct Fates {
    delay: Duration,
    drop: Vec<u64>,
    mark: Vec<u64>,
    count: u64,
}

impl Connection {
    /// The simplest TCP: only RFC 5681 and 6298.
    pub fn default_tcp() -> Tcp {
        Tcp { initial_window: 10, ..Tcp::PLAIN }
    }

    pub fn new(law: &'static str, mut words: Words) -> Result<Self, String> {
        let d = Self::default_tcp();
        let slow_start = slow_start(&mut words)?;
        let bytes = |text: Option<&str>| text.map(parse).transpose().map(|b| b.map(Bytes::new));
        let tcp = Tcp {
            recovery: match words.setting("recovery").unwrap_or("reno") {
                "reno" => Recovery::Reno,
                "newreno" => Recovery::NewReno,
                "sack" => Recovery::Sack,
                "rack-tlp" => Recovery::RackTlp,
                other => return Err(format!("no recovery is called `{other}`")),
            },
            prr: words.flag("prr"),
            limited_transmit: words.flag("limited_transmit"),
            impatient: words.flag("impatient"),
            ns2_details: words.flag("ns2_details"),
            linux_details: words.flag("linux_details"),
            segmentation: words.flag("segmentation"),
            forget_sack_on_timeout: words.flag("forget_sack_on_timeout"),
            scoreboard: words.setting("scoreboard").map(parse).transpose()?,
            max_burst: words.setting("max_burst").map(parse).transpose()?,
            undo: words.flag("undo"),
            frto: words.flag("frto"),
            after_idle: match words.setting("after_idle") {
                None => AfterIdle::Keep,
                Some("restart") => AfterIdle::Restart,
                Some("halve") => AfterIdle::Halve,
                Some(other) => return Err(format!("no window after idle is called `{other}`")),
            },
            delayed_ack: words.setting("delayed_ack").map(span).transpose()?,
            initial_window: words.number("initial_window", d.initial_window)?,
            initial_ssthresh: words.setting("initial_ssthresh").map(parse).transpose()?,
            slow_start,
            counting: match words.setting("counting") {
                None | Some("acks") => Counting::Acks,
                Some("segments-then-acks") => Counting::SegmentsThenAcks,
                Some(limit) => Counting::Segments(parse(limit)?),
            },
            timestamps: words.flag("timestamps"),
            ecn: match words.setting("ecn") {
                Some("accurate") => Ecn::Accurate,
                Some("l4s") => Ecn::L4s,
                Some(other) => return Err(format!("no ECN is called `{other}`")),
                None if words.flag("ecn") => Ecn::Classic,
                None => Ecn::Off,
            },
            pacing: words.flag("pacing"),
            initial_rto: words.time("initial_rto", d.initial_rto)?,
            min_rto: words.time("min_rto", d.min_rto)?,
            max_rto: words.time("max_rto", d.max_rto)?,
            granularity: words.time("granularity", d.granularity)?,
            packet: Bytes::new(words.number("packet", d.packet.get())?),
            header: Bytes::new(words.number("header", d.header.get())?),
            send_buffer: bytes(words.setting("send_buffer"))?,
            receive_buffer: bytes(words.setting("receive_buffer"))?,
            rmem: bytes(words.setting("rmem"))?,
            ..d
        };
        let job = Job {
            segments: words.number("segments", u64::MAX)?,
            stop: words.setting("stop").map_or(Ok(Time::NEVER), moment)?,
        };
        let app = words.flag("app");
        words.done()?;
        let mut connection = Self {
            law,
            tcp,
            path: Path::new(default_law(law, &tcp), tcp, job),
            sent: Vec::new(),
            last: Vec::new(),
            acks: VecDeque::new(),
            fates: Fates::default(),
            ace: [if tcp.ecn.is_accurate() { FIRST_ACE } else { 0 }; 2],
        };
        if app {
            let sender = &mut connection.path.sender;
            *sender = sender.clone().for_application();
        }
        connection.pump();
        Ok(connection)
    }

    pub fn step(&mut self, command: &str, mut words: Words) -> Result<(), String> {
        match command {
            "at" => self.pass(moment(words.first()?)?)?,
            "timer" => {
                let at = self.path.sender.timer();
                if at == Time::NEVER {
                    return Err("no timer runs".into());
                }
                self.pass(at)?;
            }
            "ack" => self.ack(&mut words)?,
            "acks" => {
                let (first, last): (u64, u64) = (parse(words.first()?)?, parse(words.first()?)?);
                for ack in first..=last {
                    let ack = ack.to_string();
                    self.ack(&mut Words([&[&*ack], &words.0[..]].concat()))?;
                }
                words.0.clear();
            }
            "write" => {
                self.path.sender.write(parse(words.first()?)?, self.path.now);
                self.pump();
            }
            "data" => self.data(&mut words)?,
            "run" => self.run(&mut words)?,
            "expect" => self.expect(&mut words)?,
            _ if command.starts_with('+') => {
                let at = self.path.now + span(&command[1..])?;
                self.pass(at)?;
            }
            _ => {
                let law = command.strip_prefix("expect[").and_then(|c| c.strip_suffix(']'));
                let law = law.ok_or_else(|| format!("`{command}` is not a command"))?;
                if law == self.law {
                    self.expect(&mut words)?;
                }
                words.0.clear();
            }
        }
        words.done()
    }

    fn pump(&mut self) {
        let now = self.path.now;
        while let Some(segment) = self.path.sender.next_segment(now) {
            note(&mut self.sent, &mut self.last, segment, now);
        }
        self.path.sender.settle_usage(now);
    }

    /// Time passes, and due events happen.
    fn pass(&mut self, until: Time) -> Result<(), String> {
        if until < self.path.now {
            return Err(format!("{until:?} is over, it is {:?}", self.path.now));
        }
        while self.path.sender.timer().min(self.path.receiver.deadline()) <= until {
            let at = self.path.sender.timer().min(self.path.receiver.deadline());
            self.path.now = at.max(self.path.now);
            let now = self.path.now;
            self.acks.extend(self.path.receiver.on_deadline(now));
            if self.path.sender.timer() <= now {
                self.path.sender.on_timer(now);
            }
            self.pump();
        }
        self.path.now = until;
        Ok(())
    }

    fn ack(&mut self, words: &mut Words) -> Result<(), String> {
        let number: u64 = parse(words.first()?)?;
        let blocks = words.ranges("sack")?;
        let una = self.last.len() as u64 - self.path.sender.flight();
        let cause = match blocks.first() {
            Some(block) if number <= una => block.1 - 1,
            _ => number.saturating_sub(1),
        };
        let unknown = || format!("segment {cause} was never sent");
        let &(sent, retransmission) = self.last.get(cause as usize).ok_or_else(unknown)?;
        self.ace[0] = (self.ace[0] + words.number("marked", 0)?) % 8;
        let now = self.path.now;
        let echo = words.setting("sent").map_or(Ok(sent), moment)?;
        let half = Duration::from_nanos(now.since(echo).nanos() / 2);
        let ack = AckIn {
            now,
            ack: number,
            echo,
            reached: words.setting("reached").map_or(Ok(echo + half), moment)?,
            retransmission,
            ece: words.flag("ece"),
            ace: self.ace[0],
            blocks: &blocks,
            feedback: None,
        };
        self.path.sender.on_ack(&ack);
        self.pump();
        Ok(())
    }

    fn data(&mut self, words: &mut Words) -> Result<(), String> {
        let seq = parse(words.first()?)?;
        let now = self.path.now;
        let sent = words.setting("sent").map_or(Ok(now), moment)?;
        let (retransmission, cwr) = (words.flag("rtx"), words.flag("cwr"));
        let segment = Segment { seq, retransmission, cwr, push: words.flag("psh") };
        let mut data = packet(&segment, sent, now, self.tcp.ecn.is_on());
        if words.flag("ce") {
            data.state.mark(flag::CE);
        }
        let (fresh, ack) = self.path.receiver.on_data(&data);
        self.path.delivered += u64::from(fresh);
        self.acks.extend(ack);
        Ok(())
    }

    fn run(&mut self, words: &mut Words) -> Result<(), String> {
        let until = words.setting("until").map_or(Ok(Time::NEVER), moment)?;
        self.fates.delay = words.time("delay", self.fates.delay)?;
        for (name, list) in [("drop", &mut self.fates.drop), ("mark", &mut self.fates.mark)] {
            if let Some(numbers) = words.setting(name) {
                *list = numbers.split(',').map(parse).collect::<Result<_, _>>()?;
            }
        }
        let Self { path, sent, last, fates, .. } = self;
        // segments sent before the path existed travel on it now
        let before = std::mem::take(sent);
        let mut fate = |what: &Travels| {
            let mut fate = Fate { arrives: vec![fates.delay], marked: false };
            if let Travels::Data(data) = what {
                let (retransmission, cwr) = (data.is(flag::RETRANSMISSION), data.is(flag::CWR));
                let push = data.state.is_pushed();
                note(sent, last, Segment { seq: data.seq, retransmission, cwr, push }, data.sent);
                fates.count += 1;
                fate.marked = fates.mark.contains(&fates.count);
                if fates.drop.contains(&fates.count) {
                    fate.arrives.clear();
                }
            }
            fate
        };
        path.launch(&before, &mut fate);
        for _ in 0..100_000 {
            if path.next() > until || !path.step(&mut fate) {
                break;
            }
        }
        if until != Time::NEVER {
            path.now = until;
        }
        Ok(())
    }

    fn expect(&mut self, words: &mut Words) -> Result<(), String> {
        match words.0.first() {
            Some(&"send") => self.expect_send(&std::mem::take(&mut words.0)[1..]),
            Some(&"ack") => self.expect_ack(words),
            _ => {
                for pair in std::mem::take(&mut words.0).chunks(2) {
                    self.expect_value(pair[0], pair.get(1).ok_or("a value is missing")?)?;
                }
                Ok(())
            }
        }
    }

    fn expect_send(&mut self, words: &[&str]) -> Result<(), String> {
        let mut wanted = Vec::new();
        for word in words.iter().filter(|w| **w != "none") {
            let retransmission = word.starts_with('r');
            let cwr = word.ends_with("cwr");
            let push = word.ends_with("psh");
            let numbers = word.trim_start_matches('r').trim_end_matches("cwr");
            let (low, high) = range(numbers.trim_end_matches("psh"))?;
            wanted.extend((low..high).map(|seq| Segment { seq, retransmission, cwr, push }));
        }
        let sent = std::mem::take(&mut self.sent);
        if sent == wanted {
            return Ok(());
        }
        Err(format!("sent {}, expected {}", show(&sent), show(&wanted)))
    }

    fn expect_ack(&mut self, words: &mut Words) -> Result<(), String> {
        words.first()?;
        let Some(ack) = self.acks.pop_front() else {
            let none = words.flag("none");
            return if none { Ok(()) } else { Err("the receiver sent no ACK".into()) };
        };
        let (number, sack) = (words.first()?, words.ranges("sack")?);
        let number: u64 = parse(number).map_err(|_| format!("the receiver sent {ack:?}"))?;
        let sent = words.setting("sent").map_or(Ok(ack.echo), moment)?;
        let at = words.setting("at").map_or(Ok(ack.at), moment)?;
        self.ace[1] = words.number("ace", self.ace[1])?;
        let same = ack.ack == number
            && ack.ace == self.ace[1]
            && ack.blocks.as_slice() == sack
            && ack.ece == words.flag("ece")
            && ack.echo == sent
            && ack.at == at;
        if same { Ok(()) } else { Err(format!("the receiver sent {ack:?}")) }
    }

    fn expect_value(&self, name: &str, expected: &str) -> Result<(), String> {
        let sender = &self.path.sender;
        let counters = sender.counters();
        let time = match name {
            "rto" => Some(sender.rto()),
            "srtt" => Some(sender.srtt().unwrap_or_default()),
            "min_rtt" => Some(sender.min_rtt().unwrap_or_default()),
            "now" => Some(self.path.now.since(Time::ZERO)),
            "timer" => Some(sender.timer().since(Time::ZERO)),
            _ => None,
        };
        if let Some(time) = time {
            let same = same_time(time, expected)?;
            return if same {
                Ok(())
            } else {
                Err(format!("{name} is {time}, expected {expected}"))
            };
        }
        let mut got = match name {
            "cwnd" => Some(sender.cc().cwnd()),
            "ssthresh" => Some(sender.cc().ssthresh()),
            "flight" => Some(sender.flight() as f64),
            "pipe" => Some(sender.pipe() as f64),
            "sent" => Some(counters.sent as f64),
            "retransmitted" => Some(counters.retransmitted as f64),
            "episodes" => Some(counters.episodes as f64),
            "undone" => Some(counters.undone as f64),
            "timeouts" => Some(counters.timeouts as f64),
            "delivered" => Some(self.path.delivered as f64),
            "finished" => Some(f64::from(u8::from(sender.is_finished()))),
            "pacing_mbit" => sender.cc().pacing_rate().map(|r| r.bits_per_sec() as f64 / 1e6),
            _ => None,
        };
        sender.cc().inspect(&mut |seen, value| {
            if seen == name {
                got = Some(value);
            }
        });
        let got = got.ok_or_else(|| format!("{} shows no `{name}`", self.law))?;
        if same(got, expected)? {
            Ok(())
        } else {
            Err(format!("{name} is {got}, expected {expected}"))
        }
    }
}

fn note(sent: &mut Vec<Segment>, last: &mut Vec<(Time, bool)>, segment: Segment, now: Time) {
    sent.push(segment);
    let i = segment.seq as usize;
    if i == last.len() {
        last.push((now, segment.retransmission));
    } else {
        last[i] = (now, segment.retransmission);
    }
}

fn show(segments: &[Segment]) -> String {
    let one = |s: &Segment| {
        let (r, cwr) = (if s.retransmission { "r" } else { "" }, if s.cwr { "cwr" } else { "" });
        let psh = if s.push { "psh" } else { "" };
        format!("{r}{}{cwr}{psh}", s.seq)
    };
    if segments.is_empty() {
        return "none".into();
    }
    segments.iter().map(one).collect::<Vec<_>>().join(" ")
}
