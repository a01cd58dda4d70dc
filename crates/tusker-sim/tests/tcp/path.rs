//! A sender, a receiver, and a closure that decides what happens to packets between them.

use std::collections::BTreeMap;

use tusker_core::congestion::{Algorithm, Options, Spec};
use tusker_core::{Duration, Time};
use tusker_plan::plan::{Recovery, Tcp};
use tusker_sim::packet::{Packet, flag};
use tusker_sim::tcp::{
    AckIn, AckOut, Job, Receiver, ReceiverSetup, Segment, Sender, compresses_acks,
};

/// What happens to a packet: when its copies arrive, and whether marked.
#[derive(Clone, Debug, Default)]
pub struct Fate {
    pub arrives: Vec<Duration>,
    pub marked: bool,
}

/// What is on its way.
#[derive(Clone, Copy, Debug)]
pub enum Travels {
    Data(Packet),
    Ack(AckOut),
}

/// Both ends and the path between them.
pub struct Path {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    ecn: bool,
    on_the_way: BTreeMap<(Time, u64), Travels>,
    entered: u64,
    /// Segments delivered for the first time.
    pub delivered: u64,
    /// Events so far.
    pub events: u64,
}

/// A law of the registry with its default parameters.
pub fn default_law(name: &str, tcp: &Tcp) -> Algorithm {
    let spec = Spec::named(name, []).expect("a law of the registry");
    let options = Options {
        initial_window: f64::from(tcp.initial_window),
        initial_ssthresh: tcp.initial_ssthresh.map_or(f64::INFINITY, f64::from),
        max_window: f64::INFINITY,
        slow_start: tcp.slow_start,
        whole_ssthresh: tcp.ns2_details,
        pacing: tcp.pacing.then_some(tcp.packet),
    };
    Algorithm::new(&spec, &options)
}

pub fn receiver(tcp: &Tcp) -> Receiver {
    let sack = matches!(tcp.recovery, Recovery::Sack | Recovery::RackTlp);
    Receiver::new(ReceiverSetup {
        // RFC 2018, section 3: four blocks fit, three beside timestamps
        sack_blocks: if !sack {
            0
        } else if tcp.timestamps {
            3
        } else {
            4
        },
        dsack: tcp.recovery == Recovery::RackTlp || tcp.undo,
        delayed_ack: tcp.delayed_ack,
        gro: tcp.gro,
        timestamps: tcp.timestamps,
        accurate_ecn: tcp.ecn.is_accurate(),
        quick_after: compresses_acks(tcp).then(|| Duration::from_millis(500)),
        compression: None,
        answers: false,
        short: true,
        slot: None,
    })
}

pub fn packet(segment: &Segment, sent: Time, at: Time, ecn: bool) -> Packet {
    let mut flags = 0;
    if segment.retransmission {
        flags |= flag::RETRANSMISSION;
    } else if ecn {
        flags |= flag::ECT;
    }
    if segment.cwr {
        flags |= flag::CWR;
    }
    let mut packet = Packet::new(0, segment.seq, sent, 0, 1500, flags);
    packet.at = at;
    if segment.push {
        packet.state.push();
    }
    packet
}

pub fn heard(ack: &AckOut, now: Time) -> AckIn<'_> {
    AckIn {
        now,
        ack: ack.ack,
        echo: ack.echo,
        reached: ack.reached,
        retransmission: ack.retransmission,
        ece: ack.ece,
        ace: ack.ace,
        blocks: ack.blocks.as_slice(),
        feedback: None,
    }
}

impl Path {
    pub fn new(cc: Algorithm, tcp: Tcp, job: Job) -> Self {
        Self {
            sender: Sender::new(cc, tcp, job),
            receiver: receiver(&tcp),
            now: Time::ZERO,
            ecn: tcp.ecn.is_on(),
            on_the_way: BTreeMap::new(),
            entered: 0,
            delivered: 0,
            events: 0,
        }
    }

    fn travel(&mut self, what: Travels, fate: &Fate) {
        for &after in &fate.arrives {
            self.entered += 1;
            let at = self.now + after;
            let mut what = what;
            if let Travels::Data(packet) = &mut what {
                packet.at = at;
                packet.reached = at;
                // only ECN-capable packets are marked
                if fate.marked && packet.is(flag::ECT) {
                    packet.state.mark(flag::CE);
                }
            }
            // first in, first out among equal times
            self.on_the_way.insert((at, self.entered), what);
        }
    }

    /// These were just sent by the caller.
    pub fn launch(&mut self, segments: &[Segment], fate: &mut impl FnMut(&Travels) -> Fate) {
        for segment in segments {
            let data = Travels::Data(packet(segment, self.now, self.now, self.ecn));
            let fate = fate(&data);
            self.travel(data, &fate);
        }
    }

    /// Sends what may be sent; `fate` is also given the times.
    pub fn pump(&mut self, fate: &mut impl FnMut(&Travels) -> Fate) {
        while let Some(segment) = self.sender.next_segment(self.now) {
            let data = Travels::Data(packet(&segment, self.now, self.now, self.ecn));
            let fate = fate(&data);
            self.travel(data, &fate);
        }
    }

    /// When the next event happens.
    pub fn next(&self) -> Time {
        let arrival = self.on_the_way.keys().next().map_or(Time::NEVER, |k| k.0);
        arrival.min(self.sender.timer()).min(self.receiver.deadline())
    }

    /// Handles the next event; `false` if there will never be one.
    pub fn step(&mut self, fate: &mut impl FnMut(&Travels) -> Fate) -> bool {
        let at = self.next();
        if at == Time::NEVER {
            return false;
        }
        self.events += 1;
        self.now = at;
        if self.receiver.deadline() <= at {
            if let Some(ack) = self.receiver.on_deadline(at) {
                let ack = Travels::Ack(ack);
                let fate = fate(&ack);
                self.travel(ack, &fate);
            }
        } else if self.on_the_way.keys().next().is_some_and(|k| k.0 <= at) {
            let (_, what) = self.on_the_way.pop_first().expect("it was just seen");
            match what {
                Travels::Data(data) => {
                    let (fresh, ack) = self.receiver.on_data(&data);
                    self.delivered += u64::from(fresh);
                    if let Some(ack) = ack {
                        let ack = Travels::Ack(ack);
                        let fate = fate(&ack);
                        self.travel(ack, &fate);
                    }
                }
                Travels::Ack(ack) => self.sender.on_ack(&heard(&ack, at)),
            }
        } else {
            self.sender.on_timer(at);
        }
        self.pump(fate);
        true
    }
}
