//! An application that writes to a connection from time to time.

use tusker_core::{Rng, Time};

use crate::plan::{self, Flow, Gap};
use crate::streams;

/// What an application writes, and when.
#[derive(Clone, Debug)]
pub struct App {
    app: plan::App,
    /// The next write, and the end of the current on period, in nanoseconds.
    next: f64,
    on_until: f64,
    stop: Time,
    rng: Rng,
}

impl App {
    /// The application of a flow that starts at this time; `None` if the flow
    /// always has data.
    pub fn new(flow: &Flow, start: Time, seed: u64) -> Option<Self> {
        let app = flow.app.as_deref()?.clone();
        let mut rng = streams::app(seed, &flow.name);
        let next = start.nanos() as f64;
        let on = app.pauses.as_ref().map(|(on, _)| nanos(on.draw(&mut rng)));
        let on_until = next + on.unwrap_or(f64::INFINITY);
        let stop = flow.stop.unwrap_or(Time::NEVER);
        Some(Self { app, next, on_until, stop, rng })
    }

    /// When it writes next.
    pub fn next(&self) -> Time {
        let at = Time::from_nanos(self.next as u64);
        if at < self.stop { at } else { Time::NEVER }
    }

    /// How many bytes it writes then.
    pub fn write(&mut self) -> u64 {
        let bytes = self.app.write.draw(&mut self.rng).round().max(1.0);
        self.next += nanos(match &self.app.gap {
            Gap::Every(gap) => gap.draw(&mut self.rng),
            Gap::Rate(rate) => bytes * 8.0 / rate,
        });
        if self.next >= self.on_until
            && let Some((on, off)) = &self.app.pauses
        {
            // an on period begins with a write
            self.next = self.on_until + nanos(off.draw(&mut self.rng));
            self.on_until = self.next + nanos(on.draw(&mut self.rng));
        }
        bytes as u64
    }
}

/// Seconds in nanoseconds; at least one, so that time advances.
fn nanos(seconds: f64) -> f64 {
    (seconds * 1e9).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Distribution::Constant;

    fn app(gap: Gap, pauses: Option<(f64, f64)>) -> App {
        let pauses = pauses.map(|(on, off)| (Constant(on), Constant(off)));
        let on_until = pauses.as_ref().map_or(f64::INFINITY, |(on, _)| on.mean() * 1e9);
        let app = plan::App { write: Constant(12_500.0), gap, pauses };
        App { app, next: 0.0, on_until, stop: Time::NEVER, rng: Rng::named(1, "app") }
    }

    fn times(mut app: App, n: usize) -> Vec<u64> {
        let ms = |app: &App| app.next().nanos() / 1_000_000;
        (0..n)
            .map(|_| {
                let at = ms(&app);
                assert_eq!(app.write(), 12_500);
                at
            })
            .collect()
    }

    /// 12,500 bytes are 100,000 bits: 10 ms at 10 Mbit/s. On for 25 ms (writes at 0, 10
    /// and 20 ms), off for 100 ms.
    #[test]
    fn it_writes_at_its_rate_and_pauses() {
        assert_eq!(times(app(Gap::Rate(1e7), None), 4), [0, 10, 20, 30]);
        assert_eq!(times(app(Gap::Every(Constant(0.05)), None), 3), [0, 50, 100]);
        let paused = app(Gap::Rate(1e7), Some((0.025, 0.1)));
        assert_eq!(times(paused, 6), [0, 10, 20, 125, 135, 145]);
    }
}
