//! A value that changes at given times, once or over and over: the rate of a link, its delay,
//! its loss, its jitter, and whether it is down.

use std::sync::Arc;

use tusker_core::{Duration, Rate, Time};

/// A value that applies from a given time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<T> {
    /// From this time on; within a period, if the steps repeat.
    pub at: Time,
    /// The new value.
    pub value: T,
}

/// A value, constant or in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Varying<T> {
    first: T,
    later: Option<Arc<Steps<T>>>,
}

#[derive(Debug, PartialEq)]
struct Steps<T> {
    list: Vec<Step<T>>,
    every: Option<Duration>,
}

/// A time within which a value does not change: from, to, value.
pub type Span<T> = (Time, Time, T);

impl<T: Copy> From<T> for Varying<T> {
    fn from(first: T) -> Self {
        Self { first, later: None }
    }
}

impl<T: Copy> Varying<T> {
    /// A value that changes at these times; `every` is the length of the period, if they
    /// repeat.
    ///
    /// # Panics
    /// If the first step is not at zero, the steps are not in the order of time, or a period
    /// ends before its last step.
    pub fn steps(list: Vec<Step<T>>, every: Option<Duration>) -> Self {
        let first = *list.first().expect("a value at the start");
        assert!(first.at == Time::ZERO, "the first step is at zero");
        assert!(list.windows(2).all(|pair| pair[0].at < pair[1].at), "in the order of time");
        let last = list[list.len() - 1].at;
        assert!(every.is_none_or(|every| Time::ZERO + every > last), "within the period");
        let fixed = list.len() == 1;
        let later = (!fixed).then(|| Arc::new(Steps { list, every }));
        Self { first: first.value, later }
    }

    /// The value at the start.
    pub fn first(&self) -> T {
        self.first
    }

    /// The steps, and the length of the period if they repeat; none if it is constant.
    pub fn changes(&self) -> Option<(&[Step<T>], Option<Duration>)> {
        self.later.as_ref().map(|steps| (&steps.list[..], steps.every))
    }

    /// Whether it never changes.
    pub fn is_fixed(&self) -> bool {
        self.later.is_none()
    }

    /// All values that it takes.
    pub fn values(&self) -> impl Iterator<Item = T> {
        let later = self.later.iter().flat_map(|steps| steps.list.iter().skip(1));
        std::iter::once(self.first).chain(later.map(|step| step.value))
    }

    /// The same with other values.
    pub fn map<U: Copy>(&self, change: impl Fn(T) -> U) -> Varying<U> {
        let later = self.later.as_ref().map(|steps| {
            let step = |step: &Step<T>| Step { at: step.at, value: change(step.value) };
            Arc::new(Steps { list: steps.list.iter().map(step).collect(), every: steps.every })
        });
        Varying { first: change(self.first), later }
    }

    /// The time around `at` within which the value stays the same.
    pub fn span(&self, at: Time) -> Span<T> {
        let Some(steps) = &self.later else { return (Time::ZERO, Time::NEVER, self.first) };
        let (begin, within) = match steps.every {
            Some(every) => {
                let within = at.nanos() % every.nanos();
                (at.nanos() - within, Time::from_nanos(within))
            }
            None => (0, at),
        };
        let number = steps.list.partition_point(|step| step.at <= within);
        let end = match (steps.list.get(number), steps.every) {
            (Some(next), _) => begin.saturating_add(next.at.nanos()),
            (None, Some(every)) => begin.saturating_add(every.nanos()),
            (None, None) => u64::MAX,
        };
        let step = &steps.list[number - 1];
        (Time::from_nanos(begin + step.at.nanos()), Time::from_nanos(end), step.value)
    }

    /// The spans between two times, cut off there.
    pub fn spans(&self, from: Time, to: Time) -> impl Iterator<Item = Span<T>> {
        let mut at = from;
        std::iter::from_fn(move || {
            let (begin, (_, end, value)) = (at, (at < to).then(|| self.span(at))?);
            at = end.min(to);
            Some((begin, at, value))
        })
    }

    /// Its mean between two times.
    pub fn mean(&self, from: Time, to: Time, number: impl Fn(T) -> f64) -> f64 {
        if self.is_fixed() || to <= from {
            return number(self.span(from).2);
        }
        let weighted = |(from, to, value): Span<T>| number(value) * to.since(from).secs();
        self.spans(from, to).map(weighted).sum::<f64>() / to.since(from).secs()
    }
}

/// Looks a value up at times that do not decrease, and keeps it until the next step.
#[derive(Clone, Debug)]
pub(crate) struct Current<T> {
    all: Varying<T>,
    pub(crate) value: T,
    /// The value applies until then.
    pub(crate) until: Time,
}

impl<T: Copy> Current<T> {
    pub(crate) fn new(all: Varying<T>) -> Self {
        let (_, until, value) = all.span(Time::ZERO);
        Self { all, value, until }
    }

    /// The value at this time.
    #[inline]
    pub(crate) fn at(&mut self, at: Time) -> T {
        if at >= self.until && self.until != Time::NEVER {
            (_, self.until, self.value) = self.all.span(at);
        }
        self.value
    }
}

impl Current<bool> {
    /// When the value, which is this one, changes: not at the end of a period after which it
    /// goes on.
    pub(crate) fn until_not(&self, value: bool) -> Time {
        let mut until = self.until;
        while until != Time::NEVER {
            match self.all.span(until) {
                (_, end, same) if same == value => until = end,
                _ => break,
            }
        }
        until
    }
}

/// When a link is down.
#[derive(Clone, Debug, PartialEq)]
pub struct Outages {
    /// Whether it is down.
    pub down: Varying<bool>,
    /// Packets that wait when it goes down, or that come while it is down, are dropped.
    pub drop: bool,
}

/// Bits times 1e9 that a wire can carry between two times.
pub fn nanobits(rate: &Varying<Rate>, down: Option<&Outages>, from: Time, to: Time) -> u128 {
    let carries = |from: Time, to: Time| {
        let span = |(from, to, rate): Span<Rate>| {
            u128::from(to.since(from).nanos()) * u128::from(rate.bits_per_sec())
        };
        rate.spans(from, to).map(span).sum::<u128>()
    };
    match down {
        None => carries(from, to),
        Some(outages) => {
            let up = outages.down.spans(from, to).filter(|(.., down)| !down);
            up.map(|(from, to, _)| carries(from, to)).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn steps<T: Copy>(list: &[(u64, T)], every: Option<u64>) -> Varying<T> {
        let step = |&(at, value): &(u64, T)| Step { at: ms(at), value };
        Varying::steps(list.iter().map(step).collect(), every.map(Duration::from_millis))
    }

    #[test]
    fn steps_carry_rate_times_time() {
        let rate = Rate::from_bits_per_sec;
        let steps = steps(&[(0, rate(1_000)), (10, rate(2_000)), (20, rate(500))], None);
        // 5 ms at 1,000, 10 ms at 2,000, 10 ms at 500 bit/s: 5 + 20 + 5 = 30 bit s/1000
        assert_eq!(nanobits(&steps, None, ms(5), ms(30)), 30 * 1_000_000_000);
        assert_eq!(nanobits(&steps, None, ms(12), ms(13)), 2 * 1_000_000_000);
        assert_eq!(nanobits(&steps, None, ms(13), ms(13)), 0);
    }

    #[test]
    fn a_pattern_begins_again_with_its_period() {
        let pattern = steps(&[(0, 'a'), (4, 'b')], Some(10));
        let spans: Vec<_> = pattern.spans(ms(2), ms(25)).collect();
        let expected = [(2, 4, 'a'), (4, 10, 'b'), (10, 14, 'a'), (14, 20, 'b'), (20, 24, 'a')];
        let expected = expected.map(|(from, to, value)| (ms(from), ms(to), value));
        assert_eq!(spans[..5], expected);
        assert_eq!(spans[5..], [(ms(24), ms(25), 'b')]);
        // 4 of 10 ms, and of 2 to 12 ms: 2 + 2
        let share = |from, to| pattern.mean(ms(from), ms(to), |v| f64::from(u8::from(v == 'a')));
        assert!((share(0, 10) - 0.4).abs() < 1e-12 && (share(2, 12) - 0.4).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_carried_while_a_link_is_down() {
        let rate = Varying::from(Rate::from_bits_per_sec(1_000));
        let down = steps(&[(0, false), (8, true)], Some(10));
        let outages = Outages { down, drop: false };
        // 8 of every 10 ms; from 5 to 19 ms: 3 + 8
        assert_eq!(nanobits(&rate, Some(&outages), ms(5), ms(19)), 11 * 1_000_000_000);
    }

    #[test]
    fn a_value_is_looked_up_as_time_goes_on() {
        let pattern = steps(&[(0, 1), (4, 2)], Some(10));
        let mut current = Current::new(pattern);
        let seen = [0, 3, 4, 9, 10, 57, 1_004].map(|at| current.at(ms(at)));
        assert_eq!(seen, [1, 1, 2, 2, 1, 2, 2]);
    }
}
