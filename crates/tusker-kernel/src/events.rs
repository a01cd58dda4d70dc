//! `struct event` of `bpf/events.h`: what a law in the kernel reports to its watchers.

use std::net::Ipv4Addr;

/// The number of internal values in an event.
pub const SHOWS: usize = 6;

/// Bytes of an event.
pub const SIZE: usize = 168;

/// Units that make one segment: `FX_ONE` of `bpf/fixed.h`.
const FX_ONE: f64 = (1_u64 << 24) as f64;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum What {
    /// A connection starts to use the law.
    Open,
    /// An ACK that the law processed.
    Ack,
    /// That ACK increased the window.
    Grow,
    /// The window shrinks after a loss or mark.
    Shrink,
    /// The window shrinks after a timeout.
    Timeout,
    /// The kernel's recovery state changes.
    State,
    /// The last shrink or timeout was unneeded and is undone.
    Undo,
    /// The connection ends or switches to another law.
    Close,
}

impl What {
    const ALL: [Self; 8] = [
        Self::Open,
        Self::Ack,
        Self::Grow,
        Self::Shrink,
        Self::Timeout,
        Self::State,
        Self::Undo,
        Self::Close,
    ];

    /// Its printed name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ack => "ack",
            Self::Grow => "grow",
            Self::Shrink => "shrink",
            Self::Timeout => "timeout",
            Self::State => "state",
            Self::Undo => "undo",
            Self::Close => "close",
        }
    }
}

/// The kernel's recovery states, by number.
pub const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

/// One event. Times are in microseconds, windows in segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Time of `CLOCK_MONOTONIC`, as last read by TCP.
    pub now: u64,
    /// Identifies the connection.
    pub flow: u64,
    /// Forward one-way delay; the clocks may differ.
    pub forward: Option<i64>,
    /// The window before the law ran.
    pub before: f64,
    /// The window after that.
    pub cwnd: f64,
    /// Infinite until the first congestion.
    pub ssthresh: f64,
    /// ACK credit for growth, in segments.
    pub credit: f64,
    /// Internal values, in the law's units.
    pub shows: [i64; SHOWS],
    /// What happened.
    pub what: What,
    /// The kernel's recovery state, of [`STATES`]; the new one for [`What::State`].
    pub state: u32,
    /// The sample of this ACK.
    pub rtt: Option<u32>,
    /// The smoothed round trip.
    pub srtt: u32,
    /// The smallest sample.
    pub rtt_min: u32,
    /// Segments newly delivered.
    pub acked: u32,
    /// Segments in the network.
    pub in_flight: u32,
    /// Segments sent and not yet cumulatively acknowledged; for [`What::Shrink`], not
    /// acknowledged before this ACK.
    pub flight: u32,
    /// Segments ever considered lost.
    pub lost: u32,
    /// The kernel's window before the law ran.
    pub snd_cwnd: u32,
    /// Segments ever delivered.
    pub delivered: u32,
    /// Bytes of payload in a segment.
    pub mss: u32,
    /// Source and destination; 0.0.0.0 with IPv6.
    pub from: (Ipv4Addr, u16),
    /// The other end.
    pub to: (Ipv4Addr, u16),
    /// The ACK started a round.
    pub round_start: bool,
    /// The window was what limits the sender.
    pub cwnd_limited: bool,
    /// The window was below ssthresh.
    pub slow_start: bool,
}

impl Event {
    /// Parses its bytes; `None` if they are not an event.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; SIZE] = bytes.get(..SIZE)?.try_into().ok()?;
        let u64_at = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight"));
        let u32_at = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four"));
        let u16_at = |at: usize| u16::from_ne_bytes(bytes[at..at + 2].try_into().expect("two"));
        // in network byte order
        let address = |at: usize| {
            let four: [u8; 4] = bytes[at..at + 4].try_into().expect("four");
            Ipv4Addr::from(four)
        };
        let segments = |at: usize| match u64_at(at) {
            u64::MAX => f64::INFINITY,
            units => units as f64 / FX_ONE,
        };
        Some(Self {
            now: u64_at(0),
            flow: u64_at(8),
            forward: (bytes[164] != 0).then(|| u64_at(16).cast_signed()),
            before: segments(24),
            cwnd: segments(32),
            ssthresh: segments(40),
            credit: segments(48),
            shows: std::array::from_fn(|i| u64_at(56 + 8 * i).cast_signed()),
            what: *What::ALL.get(u32_at(104) as usize)?,
            state: u32_at(108),
            rtt: Some(u32_at(112)).filter(|rtt| *rtt > 0),
            srtt: u32_at(116),
            rtt_min: u32_at(120),
            acked: u32_at(124),
            in_flight: u32_at(128),
            flight: u32_at(132),
            lost: u32_at(136),
            snd_cwnd: u32_at(140),
            delivered: u32_at(144),
            mss: u32_at(148),
            from: (address(152), u16_at(160)),
            to: (address(156), u16_at(162)),
            round_start: bytes[165] != 0,
            cwnd_limited: bytes[166] != 0,
            slow_start: bytes[167] != 0,
        })
    }

    /// The connection as text.
    pub fn connection(&self) -> String {
        if self.to.0.is_unspecified() {
            return format!("port {} to {}", self.from.1, self.to.1);
        }
        format!("{}:{} to {}:{}", self.from.0, self.from.1, self.to.0, self.to.1)
    }

    /// The recovery state as text.
    pub fn state_name(&self) -> &'static str {
        STATES.get(self.state as usize).copied().unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_bytes_are_no_event() {
        assert_eq!(Event::read(&[0; SIZE - 1]), None);
        let mut bytes = [0; SIZE];
        assert!(Event::read(&bytes).is_some());
        // one more than the last kind
        bytes[104] = 8;
        assert_eq!(Event::read(&bytes), None);
    }
}
