//! UDP sources.

use tusker_core::{Bytes, Duration, Rate};
use tusker_plan::plan::{self, Pattern, Plan};

use super::groups::Way;
use super::times::{check_times, start, time};
use crate::error::{Fault, Mistake};
use crate::forms::{Dscp, Start};
use crate::model::Scenario;
use crate::tcp::MAX_PACKET;
use crate::text::Text;
use crate::traffic;

/// ns-2's Exponential has 500 ms of each by default.
const PERIOD: Duration = Duration::from_millis(1000);

/// The shortest mean of a period.
const SHORTEST: Duration = Duration::from_nanos(1_000);

/// Equal sources.
pub struct Background {
    name: String,
    count: u64,
    pub way: Way,
    rate: Rate,
    pub packet: Bytes,
    dscp: u8,
    pattern: Pattern,
    start: Start,
    stop: Option<Duration>,
}

impl Background {
    /// `packet` is the largest of the flows'.
    pub fn of(
        s: &Scenario,
        w: &traffic::Background,
        way: Way,
        packet: Bytes,
        path: &str,
    ) -> Result<Self, Fault> {
        let packet = w.packet.map_or(packet, |packet| packet.0);
        if packet.get() == 0 || packet.get() > MAX_PACKET {
            return Err(Mistake::new(
                format!("a packet of {packet} is out of range"),
                "from 1B to 65535B",
            )
            .at(format!("{path}.packet")));
        }
        let pattern = pattern(w, path)?;
        let (start, stop) = (w.start.unwrap_or(Start::At(Duration::ZERO)), w.stop.map(|t| t.0));
        let count = w.count.unwrap_or(1);
        check_times(start, stop, count, s.duration.0, path)?;
        let (name, rate) = (w.name.clone(), w.rate.0);
        let dscp = w.dscp.map_or(0, |dscp| dscp.0);
        Ok(Self { name, count, way, rate, packet, dscp, pattern, start, stop })
    }

    pub fn add_to(&self, plan: &mut Plan) {
        let Self { ref name, count, rate, packet, dscp, pattern, .. } = *self;
        plan.background.extend((0..count).map(|i| plan::Background {
            name: if count == 1 { name.clone() } else { format!("{name}.{i}") },
            route: self.way.there.clone(),
            rate,
            packet,
            dscp,
            pattern,
            start: start(self.start, i),
            stop: self.stop.map(time),
        }));
    }

    /// As written in a scenario, with every value filled in.
    pub fn written(&self, nodes: &[String]) -> traffic::Background {
        let mut written = traffic::Background {
            name: self.name.clone(),
            count: Some(self.count),
            from: Some(nodes[self.way.from].clone()),
            to: Some(nodes[self.way.to].clone()),
            direction: None,
            rate: self.rate.into(),
            packet: Some(self.packet.into()),
            dscp: Some(Dscp(self.dscp)),
            jitter: None,
            on: None,
            off: None,
            share: None,
            period: None,
            start: Some(self.start),
            stop: self.stop.map(Text),
        };
        match self.pattern {
            Pattern::Constant { jitter } => written.jitter = Some(jitter),
            Pattern::OnOff { on, off } => {
                (written.on, written.off) = (Some(on.into()), Some(off.into()));
            }
            Pattern::Vbr { share, period } => {
                (written.share, written.period) = (Some(share), Some(period.into()));
            }
        }
        written
    }
}

fn pattern(w: &traffic::Background, path: &str) -> Result<Pattern, Fault> {
    let at = |key: &str| format!("{path}.{key}");
    let wrong = |key: &str, message: &str, help| Err(Mistake::new(message, help).at(at(key)));
    if let Some(share) = w.share {
        return vbr(w, share, path);
    }
    if w.period.is_some() {
        let mistake = Mistake::new("`period` without `share`", "add `share`, or delete it");
        return Err(mistake.at_key(at("period")));
    }
    match (w.on, w.off) {
        (None, None) => {
            let jitter = w.jitter.unwrap_or(0.0);
            if !(0.0..1.0).contains(&jitter) {
                return wrong(
                    "jitter",
                    &format!("a jitter of {jitter} is out of range"),
                    "from 0 to below 1",
                );
            }
            Ok(Pattern::Constant { jitter })
        }
        (Some(_), Some(_)) if w.jitter.is_some() => {
            let mistake =
                Mistake::new("`jitter` together with `on` and `off`", "keep one or the other");
            Err(mistake.at_key(at("jitter")))
        }
        (Some(Text(on)), Some(Text(off))) => {
            for (time, key) in [(on, "on"), (off, "off")] {
                if time < SHORTEST {
                    let message = format!("a mean of {time}");
                    return wrong(key, &message, "at least 1us, such as \"500ms\"");
                }
            }
            Ok(Pattern::OnOff { on, off })
        }
        _ => Err(Mistake::new("`on` and `off` come together", "write both, or neither").at(path)),
    }
}

fn vbr(w: &traffic::Background, share: f64, path: &str) -> Result<Pattern, Fault> {
    let at = |key: &str| format!("{path}.{key}");
    if !(0.0..=1.0).contains(&share) {
        let help = "from 0, never on, to 1, always on";
        return Err(
            Mistake::new(format!("a share of {share} is out of range"), help).at(at("share"))
        );
    }
    let others = [("jitter", w.jitter.is_some()), ("on", w.on.is_some()), ("off", w.off.is_some())];
    if let Some((other, _)) = others.into_iter().find(|(_, said)| *said) {
        let help = "keep either `share` and `period`, or the others";
        let mistake = Mistake::new(format!("`{other}` together with `share`"), help);
        return Err(mistake.at_key(at(other)));
    }
    let period = w.period.map_or(PERIOD, |period| period.0);
    if period < SHORTEST {
        let message = format!("a period of {period}");
        let mistake = Mistake::new(message, "at least 1us, such as \"1s\"");
        return Err(mistake.at(at("period")));
    }
    Ok(Pattern::Vbr { share, period })
}
