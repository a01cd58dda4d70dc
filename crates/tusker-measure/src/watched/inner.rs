//! Internal values of a law in the kernel during a run, from the lines of
//! `tusker-kernel watch --json`: gHSTCP's mode decisions, and series for the
//! report.

use std::collections::BTreeMap;

use tusker_core::congestion::Modes;

use super::event::{Event, Line};

/// What laws showed for each flow, identified by its receiver's port.
#[derive(Debug, Default)]
pub struct Inner {
    flows: BTreeMap<u16, Shown>,
}

#[derive(Debug, Default)]
struct Shown {
    names: Vec<String>,
    moments: Vec<Moment>,
}

#[derive(Debug)]
struct Moment {
    time_us: u64,
    cwnd: f64,
    /// In the order of [`Shown::names`].
    values: Box<[f64]>,
}

impl Inner {
    /// Processes one line; lines that are not events of a connection are skipped.
    ///
    /// # Errors
    /// If such a stream cannot contain the line.
    pub fn hear(&mut self, line: &str) -> Result<(), String> {
        let event = match serde_json::from_str(line).map_err(|error| error.to_string())? {
            Line::Watch(_) | Line::End { .. } => return Ok(()),
            Line::Open(e) | Line::Ack(e) | Line::Grow(e) | Line::Shrink(e) => e,
            Line::Timeout(e) | Line::State(e) | Line::Undo(e) | Line::Close(e) => e,
        };
        let port = event.to.rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.ok_or_else(|| format!("{} has no port", event.to))?;
        self.flows.entry(port).or_default().take(event);
        Ok(())
    }

    /// Decisions for a mode within a time (microseconds of CLOCK_MONOTONIC) of the flow
    /// with this port, below and from a window of `bdp` segments on; `None` if its law
    /// has no modes.
    ///
    /// A decision changes `r` and `z`; a loss, which resets the mode without a
    /// decision, does not.
    pub fn modes(&self, port: u16, bdp: f64, from_us: u64, to_us: u64) -> Option<Modes> {
        let shown = self.flows.get(&port)?;
        let [mode, r, z] = ["mode", "r", "z"].map(|name| shown.place(name));
        let (mode, r, z) = (mode?, r?, z?);
        let mut modes = Modes::default();
        for pair in shown.moments.windows(2) {
            let [before, after] = pair else { continue };
            let within = after.time_us >= from_us && after.time_us < to_us;
            let new = |i: usize| before.values[i].to_bits() != after.values[i].to_bits();
            if within && (new(r) || new(z)) {
                let side = if before.cwnd < bdp { &mut modes.below } else { &mut modes.above };
                side.made += 1;
                side.gentle += u64::from(after.values[mode] != 0.0);
                side.switches += u64::from(new(mode));
            }
        }
        Some(modes)
    }

    /// Names of the values of the flow with this port, and each value at these
    /// times (in order; NaN before the first).
    pub fn series(&self, port: u16, times_us: &[u64]) -> Vec<(String, Vec<f64>)> {
        let Some(shown) = self.flows.get(&port) else { return Vec::new() };
        let at = |time: &u64| shown.moments.partition_point(|moment| moment.time_us <= *time);
        let places: Vec<usize> = times_us.iter().map(at).collect();
        let values = |i: usize| {
            let value = |place: &usize| match place.checked_sub(1) {
                Some(last) => shown.moments[last].values[i],
                None => f64::NAN,
            };
            places.iter().map(value).collect()
        };
        shown.names.iter().enumerate().map(|(i, name)| (name.clone(), values(i))).collect()
    }
}

impl Shown {
    fn take(&mut self, event: Event) {
        if self.names.is_empty() {
            self.names = event.values.keys().cloned().collect();
        }
        self.moments.push(Moment {
            time_us: event.time_us,
            cwnd: event.cwnd,
            values: event.values.into_values().collect(),
        });
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::congestion::Decisions;

    fn line(what: &str, time_us: u64, cwnd: f64, mode: f64, r: f64) -> String {
        format!(
            "{{\"what\":\"{what}\",\"time_us\":{time_us},\"flow\":\"f\",\"from\":\"10.0.0.1:4\",\
             \"to\":\"10.0.0.2:10003\",\"state\":\"open\",\"cwnd\":{cwnd},\"ssthresh\":null,\
             \"srtt_us\":1,\"rtt_min_us\":1,\"in_flight\":1,\"delivered\":1,\"lost\":0,\
             \"mss\":1448,\"values\":{{\"mode\":{mode},\"r\":{r},\"z\":{}}}}}",
            r * 2.0
        )
    }

    /// By hand: below 100 segments three decisions, of which two switch and one is for
    /// Reno; a loss puts the mode back, which is none; one decision above; one too late.
    #[test]
    fn decisions_are_new_correlations() {
        let mut inner = Inner::default();
        for line in [
            line("open", 10, 10.0, 0.0, 0.0),
            line("ack", 20, 50.0, 0.0, 0.1),
            line("ack", 30, 60.0, 1.0, 0.9),
            line("ack", 35, 60.0, 1.0, 0.9),
            line("ack", 40, 99.0, 0.0, 0.2),
            line("ack", 50, 120.0, 0.0, 0.2),
            line("ack", 60, 121.0, 1.0, 0.8),
            line("shrink", 70, 90.0, 0.0, 0.8),
            line("ack", 80, 90.0, 1.0, 0.7),
        ] {
            inner.hear(&line).unwrap();
        }
        let modes = inner.modes(10_003, 100.0, 0, 80).unwrap();
        assert_eq!(modes.below, Decisions { made: 3, gentle: 1, switches: 2 });
        assert_eq!(modes.above, Decisions { made: 1, gentle: 1, switches: 1 });
        assert_eq!(inner.modes(10_004, 100.0, 0, 80), None);
        let series = inner.series(10_003, &[5, 45, 100]);
        let mode = &series.iter().find(|(name, _)| name == "mode").unwrap().1;
        assert!(mode[0].is_nan() && mode[1..] == [0.0, 1.0], "{mode:?}");
    }

    #[test]
    fn what_is_no_event_is_told() {
        assert!(Inner::default().hear("no JSON").is_err());
    }
}
