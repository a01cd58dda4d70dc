//! Whether both ends of a flow kept up: the sender always had something to send, and the
//! receiver read at once.

use tusker_core::Time;
use tusker_plan::plan::{Flow, Plan};

use crate::socket::Info;

/// How the kernel accounts for a sender's time up to some moment.
#[derive(Clone, Copy, Debug)]
struct Count {
    at: Time,
    busy: f64,
    held: f64,
}

/// The first and the last observation of a flow within the measuring window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    first: Option<Count>,
    last: Option<Count>,
}

impl Ends {
    /// The socket of an endless flow reports this now.
    pub fn look(&mut self, now: Time, plan: &Plan, flow: &Flow, info: &Info) {
        const ESTABLISHED: u8 = 1;
        let measured = now >= plan.measure_from && now < plan.measure_to;
        let stopped = flow.stop.is_some_and(|stop| now >= stop);
        let always = flow.size.is_none() && flow.app.is_none();
        if always && measured && !stopped && info.state == ESTABLISHED {
            let held = info.rwnd_limited.as_secs_f64();
            self.note(Count { at: now, busy: info.busy.as_secs_f64(), held });
        }
    }

    fn note(&mut self, count: Count) {
        self.first.get_or_insert(count);
        self.last = Some(count);
    }

    /// The fractions of time in which there was nothing to send, and in which the
    /// receiver's window held the sender back. Nothing is reported for less than a second,
    /// because the kernel counts in ticks of up to 10 ms.
    pub fn lacked(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.first?, self.last?);
        let time = last.at.since(first.at).secs();
        let part = |some: f64| (some / time).clamp(0.0, 1.0);
        (time >= 1.0).then(|| (1.0 - part(last.busy - first.busy), part(last.held - first.held)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(counts: &[(u64, f64, f64)]) -> Option<(f64, f64)> {
        let mut ends = Ends::default();
        for &(ms, busy, held) in counts {
            ends.note(Count { at: Time::from_nanos(ms * 1_000_000), busy, held });
        }
        ends.lacked()
    }

    #[test]
    fn parts_are_of_the_time_between_the_first_and_the_last_look() {
        // 2 s, of which 1.5 s busy and 0.25 s held back
        let (idle, held) = noted(&[(1_000, 0.5, 0.25), (2_000, 1.0, 0.25), (3_000, 2.0, 0.5)])
            .expect("long enough");
        assert_eq!((idle, held), (0.25, 0.125));
        // a tick more than there was
        assert_eq!(noted(&[(1_000, 1.0, 0.0), (3_000, 3.01, 0.0)]), Some((0.0, 0.0)));
        assert_eq!(noted(&[(1_000, 0.5, 0.0), (1_999, 0.5, 0.0)]), None);
        assert_eq!(noted(&[]), None);
    }
}
