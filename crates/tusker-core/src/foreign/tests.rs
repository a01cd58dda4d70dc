use super::*;
use crate::congestion::{Algorithm, Controller, Options};
use crate::units::{Bytes, Rate};

/// Grows by two segments per unit of credit, shrinks by a quarter.
#[derive(Clone, Debug)]
struct Own;

impl Law for Own {
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        w.cwnd += 2.0 * ack.credit;
    }
    fn shrink(&mut self, w: f64) -> f64 {
        w * 0.75
    }
}

#[derive(Clone, Debug)]
struct Closed;

impl Aqm for Closed {
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Drop
    }
}

#[test]
fn a_law_has_its_name_as_long_as_its_registration_lives() {
    assert_eq!(congestion::Kind::named("own-law"), None);
    let needs = [Need::Pacing];
    let held = register_law("own-law", "A law of ours", &needs, || Own).expect("it is free");
    let taken = register_law("own-law", "Another", &[], || Own);
    assert_eq!(taken.err(), Some(Taken));
    assert_eq!(register_law("reno", "Not Reno", &[], || Own).err(), Some(Taken));
    let spec = congestion::Spec::named("own-law", []).expect("it has no parameters");
    assert_eq!((spec.name(), spec.sheet().title), ("own-law", "A law of ours"));
    let options = Options { initial_window: 10.0, initial_ssthresh: 8.0, ..Options::default() };
    let mut law = Algorithm::new(&spec, &options);
    assert!(law.needs(Need::Pacing) && !law.needs(Need::Timestamps));
    assert_eq!(law.kind(), spec.kind());
    law.on_ack(&Ack { credit: 1.0, acked: 1, cwnd_limited: true, ..Ack::default() });
    // 10 + 2
    assert_eq!(law.cwnd(), 12.0);
    let signal = congestion::Signal::Loss;
    let mut copy = law.clone();
    copy.on_congestion(&congestion::Congestion { now: Time::ZERO, signal, flight: 12 });
    // 12 - 12 / 4, and the other one is unchanged
    assert_eq!((copy.cwnd(), law.cwnd()), (9.0, 12.0));
    drop(held);
    assert_eq!(congestion::Kind::named("own-law"), None);
    let again = register_law("own-law", "A law of ours", &needs, || Own).expect("it is free");
    let sheet = congestion::Kind::named("own-law").map(Kind::sheet);
    assert!(sheet.is_some_and(|sheet| std::ptr::eq(sheet, spec.sheet())), "one sheet for both");
    drop(again);
}

#[test]
fn scopes_do_not_see_the_names_of_each_other() {
    let (one, other) = (Scope::new(), Scope::new());
    let register = || register_law("scoped", "A law of ours", &[], || Own);
    let found = || congestion::Kind::named("scoped").map(Kind::sheet);
    let first = one.within(register).expect("it is free");
    assert!(found().is_none() && other.within(found).is_none());
    assert_eq!(one.within(register).err(), Some(Taken));
    let second = other.within(register).expect("it is free there");
    let sheets = [one, other].map(|scope| scope.within(found).expect("it is registered"));
    assert!(!std::ptr::eq(sheets[0], sheets[1]), "both are there at the same time");
    drop(first);
    assert!(one.within(found).is_none() && other.within(found).is_some());
    drop(second);
    assert!(other.within(found).is_none() && WITHIN.get() == Scope::ALL);
}

#[test]
fn a_queue_policy_decides_under_its_name() {
    let held = register_policy("closed", "Drops all", &[], |link| {
        assert_eq!(link.rate, Rate::from_bits_per_sec(1_000_000));
        Closed
    });
    let link = Link { rate: Rate::from_bits_per_sec(1_000_000), mean_packet: Bytes::new(1_500) };
    let spec = queue::Spec::named("closed", []).expect("it has no parameters");
    let mut policy = queue::Policy::new(&spec, &link);
    let p = Meta { size: Bytes::new(1_500), ecn_capable: false, dscp: 0 };
    let rng = &mut Rng::named(1, "closed");
    assert_eq!(policy.on_arrival(&p, &Backlog::EMPTY, Time::ZERO, rng), Verdict::Drop);
    assert_eq!(policy.sheet().name, "closed");
    drop(held.expect("the name is free"));
    assert_eq!(queue::Spec::named("closed", []), Err(crate::SpecError::Name));
}
