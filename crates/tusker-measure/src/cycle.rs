//! How long a flow takes from one loss to the next, before anything is measured.

use tusker_core::Kind as _;
use tusker_core::congestion::{Bound, Kind, Spec, linux};
use tusker_plan::plan::{Counting, Flow, Limit, Plan, Start};

use crate::response::{cycle, cycle_of_losses};
use crate::table::Unit;

/// From one loss of a flow to the next, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// About so long, if that is known of the law; else what Reno would need.
    pub about_s: f64,
    /// The law that takes so long; `None`: the flow's is another, and Reno would.
    pub law: Option<&'static str>,
    /// The law takes about so long, or at least, if that is known of it.
    pub least: Option<Least>,
    /// At most about so long, if the law grows at least as fast as Reno.
    pub longest_s: f64,
    /// What to reckon with if hardly any loss was seen: `about_s` of a law of which it is known
    /// and that is alone, else `longest_s`.
    pub reckoned_s: f64,
    /// The measuring window begins when slow start is over.
    pub settled: bool,
    /// The wire loses packets before the queue does.
    pub by_chance: bool,
}

/// The time that a law takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Least {
    /// The law, as sentences name it.
    pub law: &'static str,
    /// Seconds.
    pub seconds: f64,
    /// Whether it is that or more.
    pub bound: Bound,
}

impl Cycle {
    /// In words: `HSTCP takes about 15.9 s`.
    pub fn about(&self) -> String {
        let about = Unit::Time.text(self.about_s);
        match self.law {
            Some(law) => format!("{law} takes about {about}"),
            None => format!("a Reno flow would need about {about}"),
        }
    }

    /// The same of a window that was too short; if it was longer than that, what to reckon with.
    pub fn too_long_for(&self, window_s: f64) -> String {
        match self.about_s < window_s {
            true => format!("a flow takes up to about {}", Unit::Time.text(self.reckoned_s)),
            false => self.about(),
        }
    }

    /// That of a flow: the shorter of what the queue and what the wire gives it. `None` if
    /// nothing is ever lost.
    pub fn of(plan: &Plan, flow: &Flow) -> Option<Self> {
        // the formulas are for the default parameters, and for those of Linux's modules
        let of_module = |(param, value)| linux::default(flow.cc.name(), param) == value;
        let usual = flow.cc == Spec::new(flow.cc.kind()) || flow.cc.iter().all(of_module);
        let kind = flow.cc.kind();
        let known = kind.sheet().losses.period;
        let about_of = |bound| known.filter(|period| period.bound == bound);
        let own = about_of(Bound::About).filter(|_| usual);
        let about_s = match own {
            Some(_) => about(plan, flow, kind, slower(plan, flow))?,
            None => about(plan, flow, Kind::Reno, 1.0)?,
        };
        let at_least = about_of(Bound::AtLeast).and_then(|_| about(plan, flow, kind, 1.0));
        let seconds = own.map(|_| about_s).or(at_least);
        let least = seconds.zip(known).map(|(seconds, period)| Least {
            law: period.law,
            seconds,
            bound: period.bound,
        });
        let longest_s = longest(plan, flow)?.max(about_s);
        // beside others, shares are uneven
        let formula = own.is_some_and(|own| !own.proportional) && beside(plan, flow) == 1;
        Some(Self {
            least,
            reckoned_s: if formula { about_s } else { longest_s },
            about_s,
            law: own.map(|own| own.law),
            longest_s,
            settled: settled(plan, flow),
            by_chance: lost(plan, flow) > 0.0,
        })
    }
}

fn about(plan: &Plan, flow: &Flow, kind: Kind, slower: f64) -> Option<f64> {
    let scaled = kind.sheet().losses.scale.is_some();
    let of_queue = queue_cycle(plan, flow).and_then(|(window, rtt)| match scaled {
        // the window rises by 1/slower of that of the formula in the same time, but no slower
        // than Reno's
        true => Some(cycle(kind, slower * window, rtt)?.min(cycle(Kind::Reno, window, rtt)?)),
        false => Some(slower * cycle(kind, window, rtt)?),
    });
    let lost = lost(plan, flow);
    let of_wire = match lost > 0.0 {
        true if scaled => cycle_of_losses(kind, lost / slower, delays(plan, flow)),
        true => {
            cycle_of_losses(kind, slower * lost, delays(plan, flow)).map(|period| slower * period)
        }
        false => None,
    };
    of_queue.into_iter().chain(of_wire).min_by(f64::total_cmp)
}

/// By one segment per round trip from half of the largest window, or from what the wire alone
/// holds (Westwood).
fn longest(plan: &Plan, flow: &Flow) -> Option<f64> {
    let losses = &flow.cc.sheet().losses;
    let slower = counting(flow) * (1.0 / losses.least_growth);
    let of_queue = queue_cycle(plan, flow).map(|(window, rtt)| {
        let wire = delays(plan, flow) / (2.0 * rtt - delays(plan, flow));
        let linear = slower * window * (1.0 - wire).max(0.5) * rtt;
        losses.longest.map_or(linear, |longest| linear.max(longest(window, rtt)))
    });
    let lost = lost(plan, flow);
    let of_wire = match lost > 0.0 {
        true => cycle_of_losses(Kind::Reno, slower * lost, delays(plan, flow)),
        false => None,
    };
    let of_wire = of_wire.map(|period| slower * period);
    of_queue.into_iter().chain(of_wire).min_by(f64::total_cmp)
}

/// Whether the flow has had so many round trips before the window that it must have left slow
/// start and repaired what that lost: one for each doubling, and some more.
fn settled(plan: &Plan, flow: &Flow) -> bool {
    const MORE: f64 = 20.0;
    let (Start::At(start) | Start::Uniform(_, start)) = flow.start;
    let before = plan.measure_from.since(start).secs();
    queue_cycle(plan, flow).is_none_or(|(window, rtt)| {
        let full = 2.0 * rtt - delays(plan, flow);
        before >= (libm::log2(window.max(1.0)) + MORE) * full
    })
}

/// The share of packets that the wires of its path lose.
fn lost(plan: &Plan, flow: &Flow) -> f64 {
    1.0 - flow
        .route
        .iter()
        .map(|&l| 1.0 - plan.links[l].mean_loss(plan.measure_from, plan.measure_to))
        .product::<f64>()
}

/// How many times slower than its formula a flow grows. A delayed ACK that counts as one is
/// for two segments; the growth of H-TCP may be scaled with the round trip.
fn slower(plan: &Plan, flow: &Flow) -> f64 {
    let scale = flow.cc.sheet().losses.scale;
    match scale.filter(|scale| flow.cc.value(scale.switch) == Some(1.0)) {
        Some(scale) => 1.0 / (scale.factor)(delays(plan, flow)),
        None => counting(flow),
    }
}

/// How many segments count as one.
fn counting(flow: &Flow) -> f64 {
    let delayed = flow.tcp.delayed_ack.is_some() || flow.tcp.segments_per_packet > 1;
    match flow.tcp.counting {
        Counting::Acks | Counting::SegmentsThenAcks if delayed => 2.0,
        _ => 1.0,
    }
}

/// Propagation there and back, seconds.
pub fn delays(plan: &Plan, flow: &Flow) -> f64 {
    flow.route.iter().chain(&flow.reverse).map(|&l| plan.links[l].propagation().secs()).sum()
}

/// The slowest link on the way of a flow.
pub fn slowest(plan: &Plan, flow: &Flow) -> Option<usize> {
    flow.route.iter().copied().min_by_key(|&l| plan.links[l].rate.bits_per_sec())
}

/// How many flows share the slowest link of a flow. Connections that come and go are too short
/// to take a share for long.
fn beside(plan: &Plan, flow: &Flow) -> usize {
    let Some(slowest) = slowest(plan, flow) else { return 1 };
    let lasting = &plan.flows[..plan.lasting()];
    lasting.iter().filter(|flow| flow.route.contains(&slowest)).count().max(1)
}

/// The largest window of a flow in segments, W = (BDP + B) / n, and the round trip in
/// seconds with a queue that is half full in the mean. `None` without a limit.
fn queue_cycle(plan: &Plan, flow: &Flow) -> Option<(f64, f64)> {
    let slowest = slowest(plan, flow)?;
    let link = &plan.links[slowest];
    let packet = flow.tcp.packet.get() as f64;
    let per_second = link.rate.bits_per_sec() as f64 / 8.0 / packet;
    let buffer = match link.queue.limit {
        Limit::Packets(n) => n as f64,
        Limit::Bytes(n) => n as f64 / packet,
        Limit::Unlimited | Limit::Backpressure(_) => return None,
    };
    let rtt = delays(plan, flow);
    let window = (rtt * per_second + buffer) / beside(plan, flow) as f64;
    Some((window, rtt + buffer / 2.0 / per_second))
}

/// The next round number: 1, 1.5, 2, 3, 4, 5, 6, 8 and these times powers of ten.
pub fn round_up(value: f64) -> f64 {
    const ROUND: [i32; 9] = [10, 15, 20, 30, 40, 50, 60, 80, 100];
    let power = value.log10().floor() as i32 - 1;
    let times = |round: i32| match power {
        0.. => f64::from(round) * 10_f64.powi(power),
        _ => f64::from(round) / 10_f64.powi(-power),
    };
    // what is round but for the last digits stays as it is
    let enough = |round: &f64| *round >= value * (1.0 - 1e-9);
    ROUND.map(times).into_iter().find(enough).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_shorter_than_the_time_that_is_named() {
        let cycle = Cycle {
            about_s: 8.0,
            law: Some("HSTCP"),
            least: None,
            longest_s: 40.0,
            reckoned_s: 40.0,
            settled: true,
            by_chance: false,
        };
        assert_eq!(cycle.too_long_for(5.0), "HSTCP takes about 8.000 s");
        assert_eq!(cycle.too_long_for(10.0), "a flow takes up to about 40.00 s");
    }

    /// What is said of the first flow of a path with the profile `linux` and a queue of a BDP.
    fn about(rate: &str, rtt_ms: u32, cc: &str, more: &str) -> String {
        let delay = rtt_ms / 2;
        let text = format!(
            "profile = 'linux'\nduration = '2s'\n[dumbbell]\nrate = '{rate}'\ndelay = '{delay}ms'\n\
             queue = '1bdp'\naccess = {{ rate = '1Tbit', delay = '0s' }}\n{more}\n\
             [[flows]]\nname = 'f'\ncc = {cc}\n"
        );
        let plan = tusker_scenario::Scenario::parse("test", &text, &[]).and_then(|s| s.plan());
        let plan = plan.unwrap_or_else(|error| panic!("{error:?}: {text}"));
        Cycle::of(&plan, &plan.flows[0]).map_or_else(String::new, |cycle| cycle.about())
    }

    /// Of 833 segments and a queue of as many, CUBIC loses 0.3 W and needs cbrt(0.3 W / 0.4) =
    /// 10.77 s to have them back (RFC 9438); Reno needs 125 s. Scalable TCP has an eighth back
    /// after ln(8/7)/0.01 = 13.35 round trips of 150 ms, whatever its window. H-TCP reaches 2 F(T)
    /// / 0.15 s = 1667 with F = T + 5 (T - 1)^2 + (T - 1)^3 / 12 = 125 at T = 5.70 s; its growth is
    /// scaled with the round trip, which is 100 ms without a queue. HSTCP has b = 0.303 at 1667
    /// segments, a mean of 1414, a loss in 1/1.331e-5 = 75,130 segments, and 53.1 round trips to
    /// send them: 7.97 s, and twice that because it counts ACKs. Of Westwood the time is not known.
    #[test]
    fn each_law_has_its_own_time() {
        for (cc, told) in [
            ("'cubic'", "CUBIC takes about 10.77 s"),
            ("'reno'", "Reno takes about 125"),
            ("'scalable'", "Scalable TCP takes about 2.003 s"),
            ("'htcp'", "H-TCP takes about 5.70"),
            ("'hstcp'", "HSTCP takes about 15.9"),
            // the time is that of the default parameters
            ("{ name = 'htcp', d_l = 60 }", "a Reno flow would need about 125"),
            ("'westwood'", "a Reno flow would need about 125"),
            ("'ghstcp'", "a Reno flow would need about 125"),
        ] {
            let about = about("100Mbit", 100, cc, "");
            assert!(about.starts_with(told), "{cc}: {about}");
        }
    }

    /// One packet in a million that the wire loses comes sooner than the queue is full
    /// (W = 8333 + 8333, 1250 s): W = sqrt(8 / 3e-6) = 1633 segments, of which half take
    /// 816.5 round trips of 100 ms. Short transfers beside it do not make a long flow's share
    /// smaller: 20 ms and 1 BDP of 10 Mbit/s are W = 16.7 + 17 = 33.7 segments, W / 2 = 16.8
    /// round trips of 20 + 10.2 ms.
    #[test]
    fn the_wire_shortens_the_time_and_short_transfers_do_not() {
        assert_eq!(about("1Gbit", 100, "'reno'", "loss = 1e-6"), "Reno takes about 81.65 s");
        let short = "[[arrivals]]\nname = 'short'\ncc = 'reno'\nrate = 1\nsize = '2kB'\n";
        let about = about("10Mbit", 20, "'reno'", short);
        assert!(about.starts_with("Reno takes about 508"), "{about}");
    }

    #[test]
    fn a_duration_is_rounded_up() {
        for (value, round) in [
            (0.21, 0.3),
            (7.5, 8.0),
            (10.0, 10.0),
            (10.1, 15.0),
            (59.95, 60.0),
            (61.0, 80.0),
            (810.0, 1000.0),
            (0.3 * 2.0 * 10.0, 6.0),
        ] {
            assert_eq!(round_up(value).to_string(), round.to_string(), "{value}");
        }
    }
}
