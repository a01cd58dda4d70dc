//! Progress as lines, where stderr is a file or a pipe and a bar would show nothing.
//!
//! ```text
//!  12 of 36 runs, 33 %, 12.3 x real time, about 14.0 min left
//! ```

use std::time::Duration;

use tusker_lab::News;
use tusker_measure::table::duration;

/// Lines are at least this far apart.
const APART: Duration = Duration::from_secs(10);

/// Without a line for so long, one is due however little was done.
const SILENT: Duration = Duration::from_secs(60);

/// When a line is due, and what it says.
#[derive(Debug, Default)]
pub struct ProgressLines {
    /// Steps of all runs together.
    all: u64,
    /// Of the last line: when it was, and what was done by then.
    last: Option<(Duration, u64)>,
}

impl ProgressLines {
    /// Of this many runs.
    pub fn of(runs: usize) -> Self {
        Self { all: runs as u64 * News::STEPS, last: None }
    }

    /// The line that is due `now`, counted from the begin, when this many steps are done: a
    /// first one when two runs are, then one for each tenth of the work, but never two
    /// within ten seconds. `seconds` is what a run simulates, if all are about alike.
    pub fn line(&mut self, now: Duration, done: u64, seconds: Option<f64>) -> Option<String> {
        let (last, before) = self.last.unwrap_or_default();
        let silent = now.saturating_sub(last);
        let enough = match self.last {
            None => done >= 2 * News::STEPS || 10 * done >= self.all,
            Some(_) => 10 * (done - before.min(done)) >= self.all,
        };
        if silent < APART || !(enough || silent >= SILENT) || done == 0 || done >= self.all {
            return None;
        }
        self.last = Some((now, done));
        let runs = done as f64 / News::STEPS as f64 / now.as_secs_f64();
        let rate = match seconds {
            Some(seconds) => format!("{:.1} x real time", runs * seconds),
            None => format!("{:.1} runs/min", runs * 60.0),
        };
        let left = now.as_secs_f64() * (self.all - done) as f64 / done as f64;
        let (of, percent) = (self.all / News::STEPS, 100 * done / self.all);
        let count = match of {
            1 => String::new(),
            of => format!("{} of {of} runs, ", done / News::STEPS),
        };
        Some(format!("{count}{percent} %, {rate}, about {} left", duration(left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 runs of 100 simulated seconds each.
    #[test]
    fn lines_come_at_each_tenth_but_not_within_ten_seconds() {
        let mut lines = ProgressLines::of(40);
        let mut at = |s: u64, runs: f64| {
            let done = (runs * News::STEPS as f64) as u64;
            lines.line(Duration::from_secs(s), done, Some(100.0))
        };
        // too early, then too little: neither two runs nor a tenth
        assert_eq!(at(9, 3.0), None);
        assert_eq!(at(12, 1.9), None);
        // 2 runs of 100 s in 20 s are 10 times real time; 38 more take 380 s
        let last = "2 of 40 runs, 5 %, 10.0 x real time, about 6.33 min left";
        assert_eq!(at(20, 2.0).as_deref(), Some(last));
        // a tenth is 4 runs; the line after it comes 10 s later at the earliest
        assert_eq!(at(31, 5.9), None);
        let last = "6 of 40 runs, 15 %, 18.8 x real time, about 3.02 min left";
        assert_eq!(at(32, 6.0).as_deref(), Some(last));
        assert_eq!(at(41, 20.0), None);
        assert!(at(42, 20.0).is_some());
        // a minute of silence is enough, and what is done needs no line
        assert_eq!(at(101, 20.5), None);
        assert!(at(102, 20.5).is_some());
        assert_eq!(at(200, 40.0), None);
    }

    #[test]
    fn one_run_is_not_counted() {
        let mut lines = ProgressLines::of(1);
        let last = "25 %, 1.0 runs/min, about 45.0 s left";
        assert_eq!(lines.line(Duration::from_secs(15), 250, None).as_deref(), Some(last));
    }
}
