//! WRED: RED with thresholds of their own for packets of each drop precedence.
//!
//! All packets share one average queue, so that those with lower thresholds are dropped first.
//! The drop precedence is that of assured forwarding (RFC 2597); [`Class`]es of any DSCPs, such as
//! those of an IP precedence (RFC 2474, section 4.2.2), come before it.

use super::red::{Red, RedParams, Since};
use super::{Aqm, Backlog, Kind, Link, Meta, Policy, SetUp, Spec, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "wred",
    title: "WRED (Weighted RED)",
    family: Family::AverageQueue,
    source: "Cisco IOS: Weighted Random Early Detection, for the defaults (from memory); Linux, \
             net/sched/sch_gred.c, whose virtual queues of the same priority share one average; \
             RFC 2597 for drop precedences",
    equations: "\
avg as in RED, over all packets; then RED with the thresholds of the packet's DSCP:
AFx1 (10, 18, 26, 34):  af1_min_th, af1_max_th, af1_max_p
AFx2 (12, 20, 28, 36):  af2_min_th, af2_max_th, af2_max_p
AFx3 (14, 22, 30, 38):  af3_min_th, af3_max_th, af3_max_p
any other:              min_th, max_th, max_p
Classes of DSCPs with thresholds of their own (scenarios: classes) come before these.",
    differs: "\
- Cisco has defaults for each DSCP or IP precedence; here there is a \
set for each drop precedence, and one for all other packets, with Cisco's defaults for DSCP 0 \
and AF (the_defaults_are_those_of_cisco), and further classes on request \
(classes_come_before_drop_precedences).
- Signals are counted for each set, as in Linux (a_signal_restarts_the_gap_of_its_own_set).
- ACKs have DSCP 0, as on a Linux receiver that sets none.
- All else is as in RED: see `tusker explain red`.",
    needs: &[Need::Departures],
    params: WredParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct WredParams {
    /// weight of a new sample in the average queue; 0 for 1 - exp(-1/C), C in packets/s
    w_q: f64 = 0.001_953_125 in 0.0..=1.0,
    /// average queue below which packets without a drop precedence get no signals
    min_th: f64 = 20.0 "pkt" in 1.0..=1e9,
    /// average queue at which their probability is max_p; 0 for 3 min_th
    max_th: f64 = 40.0 "pkt" in 0.0..=1e9,
    /// their probability of a signal at max_th
    max_p: f64 = 0.1 in 0.0..=1.0,
    /// min_th of AF11, AF21, AF31 and AF41
    af1_min_th: f64 = 32.0 "pkt" in 1.0..=1e9,
    /// max_th of AF11, AF21, AF31 and AF41
    af1_max_th: f64 = 40.0 "pkt" in 0.0..=1e9,
    /// max_p of AF11, AF21, AF31 and AF41
    af1_max_p: f64 = 0.1 in 0.0..=1.0,
    /// min_th of AF12, AF22, AF32 and AF42
    af2_min_th: f64 = 28.0 "pkt" in 1.0..=1e9,
    /// max_th of AF12, AF22, AF32 and AF42
    af2_max_th: f64 = 40.0 "pkt" in 0.0..=1e9,
    /// max_p of AF12, AF22, AF32 and AF42
    af2_max_p: f64 = 0.1 in 0.0..=1.0,
    /// min_th of AF13, AF23, AF33 and AF43
    af3_min_th: f64 = 24.0 "pkt" in 1.0..=1e9,
    /// max_th of AF13, AF23, AF33 and AF43
    af3_max_th: f64 = 40.0 "pkt" in 0.0..=1e9,
    /// max_p of AF13, AF23, AF33 and AF43
    af3_max_p: f64 = 0.1 in 0.0..=1.0,
    gentle: bool as in RedParams,
    wait: bool = false as in RedParams,
} }

/// Of each drop precedence; 0 for other packets.
const PRECEDENCES: usize = 4;

impl WredParams {
    fn of_each(&self) -> [RedParams; PRECEDENCES] {
        let Self { w_q, gentle, wait, .. } = *self;
        [
            (self.min_th, self.max_th, self.max_p),
            (self.af1_min_th, self.af1_max_th, self.af1_max_p),
            (self.af2_min_th, self.af2_max_th, self.af2_max_p),
            (self.af3_min_th, self.af3_max_th, self.af3_max_p),
        ]
        .map(|(min_th, max_th, max_p)| RedParams {
            min_th,
            max_th,
            w_q,
            max_p,
            gentle,
            wait,
        })
    }
}

/// Packets with thresholds of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// Their DSCPs: bit n for DSCP n.
    pub dscps: u64,
    /// Average below which no packet is dropped, in packets, 1 to 1e9.
    pub min_th: f64,
    /// Average from which all (or, with `gentle`, more) are, in packets, up to 1e9.
    pub max_th: f64,
    /// Drop probability just below max_th, 0 to 1.
    pub max_p: f64,
}

impl Class {
    /// The most of a queue: one for each IP precedence.
    pub const MOST: usize = 8;

    /// A class with these DSCPs and the thresholds of packets without a drop precedence, if the
    /// policy has classes.
    pub fn of(policy: &Spec, dscps: u64) -> Option<Self> {
        let value = |name| policy.value(name);
        let has = policy.kind() == Kind::Wred;
        let [min_th, max_th, max_p] = ["min_th", "max_th", "max_p"].map(value);
        has.then_some(Self { dscps, min_th: min_th?, max_th: max_th?, max_p: max_p? })
    }

    /// Whether the thresholds are in their ranges and in order.
    ///
    /// # Errors
    /// What is wrong, as a sentence for the user.
    pub fn check(&self) -> Result<(), &'static str> {
        let Self { min_th, max_th, max_p, .. } = *self;
        let in_range = (1.0..=1e9).contains(&min_th)
            && (0.0..=1e9).contains(&max_th)
            && (0.0..=1.0).contains(&max_p);
        if !in_range {
            return Err("min_th is from 1 to 1e9, max_th from 0 to 1e9, max_p from 0 to 1");
        }
        Red::check(&RedParams { min_th, max_th, ..RedParams::default() })
    }
}

impl Policy {
    /// Gives packets of these classes thresholds of their own.
    ///
    /// # Panics
    /// If they are more than [`Class::MOST`].
    pub fn classify(&mut self, classes: &[Class]) {
        if let Self::Wred(wred) = self {
            for (nth, class) in classes.iter().enumerate() {
                let Class { dscps, min_th, max_th, max_p } = *class;
                wred.classes[nth] = dscps;
                let since = Since::default();
                wred.sets[PRECEDENCES + nth] = Set { min_th, max_th, max_p, since };
            }
        }
    }
}

/// The drop precedence of RFC 2597, section 6: AFxy is `8 x + 2 y`, x from 1 to 4 and y from 1
/// to 3; 0 for any other DSCP.
fn precedence(dscp: u8) -> usize {
    match (dscp / 8, dscp % 8) {
        (1..=4, low @ (2 | 4 | 6)) => usize::from(low / 2),
        _ => 0,
    }
}

/// The thresholds of a drop precedence, and its last signal.
#[derive(Clone, Copy, Debug, Default)]
struct Set {
    min_th: f64,
    max_th: f64,
    max_p: f64,
    since: Since,
}

/// Weighted RED; see `tusker explain wred`.
#[derive(Clone, Debug)]
pub struct Wred {
    /// The average queue of all.
    red: Red,
    sets: [Set; PRECEDENCES + Class::MOST],
    /// The DSCPs of each class.
    classes: [u64; Class::MOST],
    gentle: bool,
    wait: bool,
    /// Whose packet arrived last.
    last: usize,
}

impl SetUp for Wred {
    type Params = WredParams;

    fn new(params: WredParams, link: &Link) -> Self {
        let each = params.of_each();
        let set = |red: &RedParams| {
            let RedParams { min_th, max_th, max_p, .. } = *red;
            Set { min_th, max_th, max_p, since: Since::default() }
        };
        let WredParams { gentle, wait, .. } = params;
        let sets = core::array::from_fn(|i| each.get(i).map_or_else(Set::default, set));
        let [red, ..] = each;
        let classes = [0; Class::MOST];
        Self { red: Red::new(red, link), sets, classes, gentle, wait, last: 0 }
    }

    fn check(params: &WredParams) -> Result<(), &'static str> {
        let wrong = params.of_each().iter().any(|red| Red::check(red).is_err());
        if wrong {
            return Err("each max_th must be larger than its min_th, or 0 for 3 min_th");
        }
        Ok(())
    }
}

impl Aqm for Wred {
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.sets[self.last].since = self.red.since();
        let class = self.classes.iter().position(|dscps| dscps >> p.dscp & 1 == 1);
        self.last = class.map_or_else(|| precedence(p.dscp), |nth| PRECEDENCES + nth);
        let Set { min_th, max_th, max_p, since } = self.sets[self.last];
        let (gentle, wait) = (self.gentle, self.wait);
        let set = RedParams { min_th, max_th, max_p, gentle, wait, ..RedParams::default() };
        self.red.judge_by(&set, since);
        self.red.on_arrival(p, q, now, rng)
    }

    fn on_overflow(&mut self) {
        self.red.on_overflow();
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let (early, forced) = self.red.signals();
        see("avg", self.red.avg());
        see("early", early as f64);
        see("forced", forced as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::given;
    use crate::units::{Bytes, Rate};

    fn wred(values: &[(&str, f64)]) -> Wred {
        let rate = Rate::from_bits_per_sec(100_000_000);
        Wred::new(given(values), &Link { rate, mean_packet: Bytes::new(1500) })
    }

    fn arrive(wred: &mut Wred, dscp: u8, packets: u32, rng: &mut Rng) -> Verdict {
        let p = Meta { size: Bytes::new(1500), ecn_capable: false, dscp };
        let bytes = Bytes::new(1500 * u64::from(packets));
        wred.on_arrival(&p, &Backlog { packets, bytes, idle_since: None }, Time::ZERO, rng)
    }

    /// RFC 2597, section 6: the recommended codepoints.
    #[test]
    fn drop_precedences_are_those_of_rfc_2597() {
        let of = |dscps: [u8; 4]| dscps.map(precedence);
        assert_eq!(of([0b00_1010, 0b01_0010, 0b01_1010, 0b10_0010]), [1; 4]);
        assert_eq!(of([0b00_1100, 0b01_0100, 0b01_1100, 0b10_0100]), [2; 4]);
        assert_eq!(of([0b00_1110, 0b01_0110, 0b01_1110, 0b10_0110]), [3; 4]);
        // default, CS1, EF, CS6
        assert_eq!(of([0, 8, 46, 48]), [0; 4]);
    }

    #[test]
    fn the_defaults_are_those_of_cisco() {
        // DSCP-based WRED: default 20, AFx1 32, AFx2 28, AFx3 24, all to 40 with a mark
        // probability denominator of 10; exponential weighting constant 9: 2^-9
        let params = WredParams::default();
        let each = params.of_each().map(|red| (red.min_th, red.max_th, red.max_p));
        assert_eq!(each, [20.0, 32.0, 28.0, 24.0].map(|min_th| (min_th, 40.0, 0.1)));
        assert_eq!(params.w_q, 1.0 / 512.0);
    }

    /// All at 10 waiting packets, weight 1/2, thresholds 4 (0), 8 (1), 16 (2): the average is 5,
    /// 7.5, 8.75, 9.375, whoever arrives.
    #[test]
    fn all_share_one_average() {
        let mut rng = Rng::named(1, "wred");
        let mut wred = wred(&[
            ("w_q", 0.5),
            ("min_th", 4.0),
            ("max_th", 5.0),
            ("af1_min_th", 8.0),
            ("af1_max_th", 9.0),
            ("af2_min_th", 16.0),
        ]);
        // at 5 of 4..5: forced
        assert_eq!(arrive(&mut wred, 0, 10, &mut rng), Verdict::Drop);
        assert_eq!(arrive(&mut wred, 10, 10, &mut rng), Verdict::Pass);
        assert_eq!(arrive(&mut wred, 12, 10, &mut rng), Verdict::Pass);
        assert_eq!(wred.red.avg(), 8.75);
        // 9.375 of 8..9: forced, while AF12 passes below 16
        assert_eq!(arrive(&mut wred, 18, 10, &mut rng), Verdict::Drop);
        assert_eq!(arrive(&mut wred, 20, 10, &mut rng), Verdict::Pass);
    }

    /// p_b = 1/2 for both: every second packet of a set at the latest, since count 2 is certain;
    /// the arrivals of the other set do not count.
    #[test]
    fn a_signal_restarts_the_gap_of_its_own_set() {
        let mut rng = Rng::named(1, "gap");
        let mut wred = wred(&[
            ("w_q", 1.0),
            ("min_th", 4.0),
            ("max_th", 12.0),
            ("max_p", 1.0),
            ("af3_min_th", 4.0),
            ("af3_max_th", 12.0),
            ("af3_max_p", 1.0),
        ]);
        for dscp in [0, 14] {
            // the first above min_th passes, with count 1
            assert_eq!(arrive(&mut wred, dscp, 8, &mut rng), Verdict::Pass);
        }
        for dscp in [0, 14] {
            assert_eq!(arrive(&mut wred, dscp, 8, &mut rng), Verdict::Signal);
        }
    }

    /// By IP precedence, the top three bits of the DSCP: 1 has thresholds 2 and 4, 3 has 6 and 20
    /// with max_p 1; others keep 20 and 40, and AF13, which precedence 1 has, no longer counts as
    /// AFx3. At w_q = 1 and 8 waiting packets, precedence 1 is above max_th, and precedence 3 has
    /// p_b = (8 - 6)/(20 - 6) = 1/7: at count 7, the probability 1/7 / (1 - 7/7) is certain.
    #[test]
    fn classes_come_before_drop_precedences() {
        let mut rng = Rng::named(1, "classes");
        let mut policy = Policy::Wred(wred(&[("w_q", 1.0), ("af3_min_th", 20.0)]));
        let class = |first: u32, min_th, max_th, max_p| Class {
            dscps: 0xff << first,
            min_th,
            max_th,
            max_p,
        };
        policy.classify(&[class(8, 2.0, 4.0, 0.1), class(24, 6.0, 20.0, 1.0)]);
        let Policy::Wred(wred) = &mut policy else { unreachable!("made as one") };
        for (dscp, verdict) in [
            (8, Verdict::Drop),
            (14, Verdict::Drop),
            (15, Verdict::Drop),
            (16, Verdict::Pass),
            (0, Verdict::Pass),
            (22, Verdict::Pass),
        ] {
            assert_eq!(arrive(wred, dscp, 8, &mut rng), verdict, "{dscp}");
        }
        // the first above min_th passes, with count 1
        let signals = (24..32).cycle().take(700);
        let signals = signals.filter(|n| arrive(wred, *n, 8, &mut rng) == Verdict::Signal).count();
        // gaps are uniform from 1 to 7 (Floyd and Jacobson 1993, section 7): 4 in the mean
        assert!((150..=200).contains(&signals), "{signals}");
    }

    #[test]
    fn thresholds_of_classes_are_checked() {
        let class = |min_th, max_th, max_p| Class { dscps: 1, min_th, max_th, max_p }.check();
        assert!(class(2.0, 4.0, 0.1).is_ok() && class(2.0, 0.0, 1.0).is_ok());
        for (min_th, max_th, max_p) in
            [(4.0, 2.0, 0.1), (0.5, 2.0, 0.1), (1.0, 2.0, 1.1), (f64::NAN, 2.0, 0.1)]
        {
            assert!(class(min_th, max_th, max_p).is_err());
        }
    }

    #[test]
    fn thresholds_of_each_set_are_checked() {
        let params = WredParams { af2_max_th: 28.0, ..WredParams::default() };
        assert!(Wred::check(&params).is_err());
        assert!(Wred::check(&WredParams::default()).is_ok());
    }
}
