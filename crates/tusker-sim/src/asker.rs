//! Checks whether to stop while many things are made at once: during the set-up of a
//! simulation with very many flows, and at its end.

use std::ops::ControlFlow;

use tusker_core::Time;
use tusker_plan::budget::Stopped;
use tusker_plan::leave::leave;

/// Things made between two checks.
const EVERY: usize = 4_096;

/// Checks at intervals.
pub struct Asker<'a> {
    at: Time,
    progress: &'a mut dyn FnMut(Time) -> ControlFlow<()>,
    left: usize,
}

impl<'a> Asker<'a> {
    /// Calls `progress` with this simulated time.
    pub fn new(at: Time, progress: &'a mut dyn FnMut(Time) -> ControlFlow<()>) -> Self {
        Self { at, progress, left: EVERY }
    }

    /// This many things were made.
    ///
    /// # Errors
    /// If the run is to stop.
    pub fn made(&mut self, things: usize) -> Result<(), Stopped> {
        if things < self.left {
            self.left -= things;
            return Ok(());
        }
        self.left = EVERY;
        match (self.progress)(self.at) {
            ControlFlow::Break(()) => Err(Stopped::Interrupted),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Makes all of these. After a stop, those made so far are freed, unless the
    /// program ends ([`leave`]).
    ///
    /// # Errors
    /// If the run is to stop.
    pub fn all<T>(&mut self, mut things: impl Iterator<Item = T>) -> Result<Vec<T>, Stopped> {
        let mut all = Vec::with_capacity(things.size_hint().0);
        while let Some(thing) = things.next() {
            all.push(thing);
            if let Err(stopped) = self.made(1) {
                leave((all, things));
                return Err(stopped);
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_every_few_thousand_things() {
        let mut asked = 0;
        let mut made = 0;
        let things = std::iter::repeat_with(|| made += 1).take(100_000);
        let answer = &mut |at| {
            assert_eq!(at, Time::ZERO);
            asked += 1;
            if asked == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = Asker::new(Time::ZERO, answer).all(things);
        assert_eq!(stopped, Err(Stopped::Interrupted));
        assert_eq!((asked, made), (3, 3 * EVERY));
    }
}
