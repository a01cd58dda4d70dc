//! The state of senders for observers: windows, round trips and losses, reported as they
//! change.

use tusker_core::{Bytes, Time};
use tusker_path::room;
use tusker_plan::observe::{Metrics, Observer, SenderEvent, Trigger, Wanted};

use crate::tcp::Sender;

/// Reports that were not passed on yet.
#[derive(Debug)]
pub struct Senders {
    told: Vec<(Time, u32, SenderEvent)>,
    /// For each flow of the plan, its last report; `None` for flows that are not observed.
    last: Vec<Option<Last>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Last {
    metrics: Option<Metrics>,
    timeouts: u64,
}

impl Senders {
    /// Observes the senders that are requested, if there are any.
    pub fn new(flows: usize, wanted: &Wanted) -> Option<Box<Self>> {
        if wanted.flows.is_empty() {
            return None;
        }
        let last = |flow| wanted.flows.contains(&flow).then(Last::default);
        Some(Box::new(Self { told: Vec::new(), last: (0..flows).map(last).collect() }))
    }

    /// A sender has finished its work for this event.
    pub fn look(&mut self, flow: usize, sender: &mut Sender, payload: Bytes, now: Time) {
        let Some(last) = &mut self.last[flow] else { return };
        let index = flow as u32;
        let timeouts = sender.counters().timeouts;
        let trigger = match () {
            () if timeouts > last.timeouts => Trigger::Timeout,
            () if sender.finds_by_time() => Trigger::Time,
            () => Trigger::Reordering,
        };
        last.timeouts = timeouts;
        for (low, high) in sender.take_lost() {
            let each = (low..high).map(|segment| SenderEvent::Lost { segment, trigger });
            self.told.extend(each.map(|lost| (now, index, lost)));
        }
        let bytes = |segments: f64| (segments * payload.get() as f64) as u64;
        let cc = sender.cc();
        let metrics = Metrics {
            window: bytes(cc.cwnd()),
            threshold: Some(cc.ssthresh()).filter(|t| t.is_finite()).map(bytes),
            in_flight: sender.pipe() * payload.get(),
            segments_in_flight: sender.pipe(),
            smoothed_rtt: sender.srtt(),
            min_rtt: sender.min_rtt(),
            pacing: cc.pacing_rate(),
        };
        if last.metrics != Some(metrics) {
            last.metrics = Some(metrics);
            self.told.push((now, index, SenderEvent::Metrics(metrics)));
        }
    }

    /// Passes on the reports. Those of one flow are in order of time.
    pub fn tell(&mut self, observer: &mut dyn Observer) {
        for (at, flow, told) in self.told.drain(..) {
            observer.sender(flow as usize, at, &told);
        }
    }

    /// Bytes in use, and the most with this many more reports.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        room(
            self.told.len() + 2 * more,
            self.told.capacity(),
            size_of::<(Time, u32, SenderEvent)>(),
        )
    }
}
