//! What arrived at one link and what happened to each packet: enough to replay the same
//! arrivals at the same times through the same queue, in the simulator or by hand.

use std::io::{self, Write};

use tusker_core::Time;

use crate::packet::Packet;

/// A packet that was offered to the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When, since the start of the run.
    pub at: Time,
    /// Bytes from the IP header on.
    pub size: u32,
    /// The flow of the plan that it belongs to, in either direction.
    pub flow: Option<usize>,
    /// It can be marked instead of dropped.
    pub ecn_capable: bool,
    /// What became of it.
    pub became: Became,
}

/// What happens to a packet. Some queues decide about it only when it leaves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It was still in the queue at the end.
    Waiting,
    /// It was forwarded.
    Passed,
    /// It was forwarded with a mark.
    Marked,
    /// The queue dropped it.
    Dropped,
    /// It was forwarded, and the wire lost it.
    Lost,
}

impl Became {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Passed => "passed",
            Self::Marked => "marked",
            Self::Dropped => "dropped",
            Self::Lost => "lost",
        }
    }
}

/// Records what arrives at one link.
#[derive(Debug)]
pub struct Recorder {
    link: usize,
    arrivals: Vec<Arrival>,
}

impl Recorder {
    /// For a link of a plan, by its index.
    pub fn new(link: usize) -> Self {
        Self { link, arrivals: Vec::new() }
    }

    /// A packet arrives at a link.
    pub fn offered(&mut self, at: Time, link: usize, packet: &mut Packet) {
        if link == self.link {
            packet.recorded = self.arrivals.len();
            self.arrivals.push(Arrival {
                at,
                size: packet.bytes.len() as u32,
                flow: packet.flow,
                ecn_capable: packet.ecn.is_capable(),
                became: Became::Waiting,
            });
        }
    }

    /// What happened to a packet at a link.
    pub fn became(&mut self, link: usize, packet: &Packet, became: Became) {
        if link == self.link
            && let Some(arrival) = self.arrivals.get_mut(packet.recorded)
        {
            arrival.became = became;
        }
    }

    /// All arrivals, in order of time.
    pub fn finish(self) -> Vec<Arrival> {
        self.arrivals
    }
}

/// The first line of a file of arrivals.
pub const COLUMNS: &str = "time_ns,bytes,flow,ecn_capable,became";

/// Writes arrivals as CSV, one per line: time in ns since the start of the run, bytes from
/// the IP header on, the flow's name or nothing, `true` or `false` for whether it can be
/// marked, and [`Became::name`].
///
/// # Errors
/// Any error of the writer.
pub fn write<'a>(
    arrivals: &[Arrival],
    flow: impl Fn(usize) -> &'a str,
    to: &mut impl Write,
) -> io::Result<()> {
    writeln!(to, "{COLUMNS}")?;
    for Arrival { at, size, flow: number, ecn_capable, became } in arrivals {
        let flow = number.map_or("", &flow);
        writeln!(to, "{},{size},{},{ecn_capable},{}", at.nanos(), field(flow), became.name())?;
    }
    Ok(())
}

/// RFC 4180, section 2: fields with a comma, a quote or a line break are quoted.
fn field(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_csv() {
        let one = Arrival {
            at: Time::from_nanos(1_500_000_000),
            size: 1500,
            flow: Some(0),
            ecn_capable: true,
            became: Became::Marked,
        };
        let other = Arrival { flow: None, ecn_capable: false, became: Became::Lost, ..one };
        let mut text = Vec::new();
        write(&[one, other], |_| "a, \"b\"", &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "time_ns,bytes,flow,ecn_capable,became\n\
             1500000000,1500,\"a, \"\"b\"\"\",true,marked\n1500000000,1500,,false,lost\n"
        );
    }
}
