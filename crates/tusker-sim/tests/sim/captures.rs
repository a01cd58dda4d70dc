//! Captures: observing a run does not change it, what is seen does not depend on how it was
//! computed, and every packet is seen.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::engine_support::{Choices, scenario};
use crate::support::{self, parse};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tusker_core::{Bytes, Time};
use tusker_plan::observe::{Observer, Place, Seen, SenderEvent as Saying, Wanted};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_sim::Engine;

/// Place, link, direction, time, bytes, size, dropped.
type Packet = (usize, usize, bool, Time, Vec<u8>, u32, bool);

/// The reported events.
#[derive(Default)]
struct Told {
    all: Vec<Packet>,
    senders: Vec<(usize, Time, Saying)>,
}

impl Observer for Told {
    fn packet(&mut self, seen: &Seen<'_>) {
        let Seen { place, link, inward, at, bytes, size, dropped, note } = *seen;
        // inserted packets have a note, and are not packets of the simulation
        if note.is_none() || dropped {
            self.all.push((place, link, inward, at, bytes.to_vec(), size, dropped));
        }
    }

    fn sender(&mut self, flow: usize, at: Time, what: &Saying) {
        self.senders.push((flow, at, *what));
    }

    fn missed(&mut self, _: u64) {
        panic!("a simulation waits for its observer");
    }
}

fn observed(plan: &Plan, seed: u64, ahead: bool, wanted: &Wanted) -> (Run, Told) {
    let mut told = Told::default();
    let engine = Engine::new(plan, seed, ahead);
    let go_on = &mut |_| ControlFlow::Continue(());
    let observe = Some((wanted, &mut told as &mut dyn Observer));
    let run = engine.run(Bytes::new(u64::MAX), go_on, observe);
    (run.expect("not broken off"), told)
}

/// Everything in a run except how much work it was.
fn said(run: Run) -> String {
    format!("{:?}", Run { events: 0, wall: std::time::Duration::ZERO, ..run })
}

pub fn for_any(cases: u32, test: impl Fn(&[u16], u64)) {
    let asked = std::env::var_os("PROPTEST_CASES").map(|_| Config::default().cases);
    let cases = asked.unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"captures........................");
    let any = (prop::collection::vec(any::<u16>(), 0..900), 1..1_000_u64);
    let tried = TestRunner::new_with_rng(config, rng).run(&any, |(numbers, seed)| {
        test(&numbers, seed);
        Ok(())
    });
    tried.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn looking_changes_nothing_and_working_ahead_shows_the_same() {
    for_any(60, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = parse(&text);
        // some links and nodes, others with each seed
        let links = (0..plan.links.len()).map(Place::Link);
        let all: Vec<Place> = links.chain((0..plan.nodes.len()).map(Place::Node)).collect();
        let of = |(nth, place): (usize, &Place)| {
            (seed >> (nth % 10)).is_multiple_of(2).then_some(*place)
        };
        let places = all.iter().enumerate().filter_map(of).collect();
        let flows =
            (0..plan.lasting()).filter(|flow| (seed as usize + flow).is_multiple_of(2)).collect();
        let wanted = Wanted { places, flows };
        let (run, told) = observed(&plan, seed, true, &wanted);
        let (_, slowly) = observed(&plan, seed, false, &wanted);
        let (a, b) = (said(run), said(support::run(&plan, seed)));
        assert!(a == b, "looking changes the run, seed {seed}, in\n{text}");
        let mut last = vec![Time::ZERO; wanted.places.len()];
        for (place, _, _, at, bytes, size, _) in &told.all {
            assert!(*at >= last[*place] && *at <= plan.end, "seed {seed}, in\n{text}");
            last[*place] = *at;
            let total = u32::from(u16::from_be_bytes([bytes[2], bytes[3]]));
            assert!(bytes.len() as u32 <= total && total <= *size, "seed {seed}, in\n{text}");
        }
        for &flow in &wanted.flows {
            let of = |told: &Told| -> Vec<_> {
                told.senders.iter().filter(|said| said.0 == flow).copied().collect()
            };
            let (fast, slow) = (of(&told), of(&slowly));
            assert!(fast.is_sorted_by_key(|said| said.1), "seed {seed}, in\n{text}");
            assert!(fast == slow, "{}: seed {seed}, in\n{text}", plan.flows[flow].name);
        }
        // different places may be reported in any order
        for place in 0..wanted.places.len() {
            let at = |told: &Told| -> Vec<_> {
                told.all.iter().filter(|seen| seen.0 == place).cloned().collect()
            };
            let (fast, slow) = (at(&told), at(&slowly));
            let differ = fast.iter().zip(&slow).find(|(a, b)| a != b);
            assert!(
                fast == slow,
                "{} and {} at {:?}, first {differ:?}, seed {seed}, in\n{text}",
                fast.len(),
                slow.len(),
                wanted.places[place]
            );
        }
    });
}

/// If no packet crosses a link twice, senders send what enters the first links of their routes,
/// and receivers get what arrives from the last ones.
#[test]
fn every_packet_is_seen_where_it_is_sent_and_where_it_arrives() {
    for_any(60, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = parse(&text);
        let places: Vec<Place> = (0..plan.nodes.len()).map(Place::Node).collect();
        let (run, told) = observed(&plan, seed, true, &Wanted { places, flows: Vec::new() });
        for (index, flow) in plan.flows.iter().enumerate() {
            let first: BTreeSet<usize> = flow.routes().map(|route| route[0]).collect();
            let last: BTreeSet<usize> = flow.routes().map(|route| route[route.len() - 1]).collect();
            let port = (10_000 + index as u16).to_be_bytes();
            let is_data = |bytes: &[u8]| bytes[9] == 6 && bytes[22..24] == port;
            let count = |links: &BTreeSet<usize>, inward: bool| {
                let seen =
                    told.all.iter().filter(|seen| links.contains(&seen.1) && seen.2 == inward);
                seen.filter(|seen| is_data(&seen.4)).count() as u64
            };
            let about =
                || format!("{}: {:?}, seed {seed}, in\n{text}", flow.name, run.flows[index]);
            let total = &run.flows[index].total;
            assert_eq!(count(&first, false), total.sent, "{}", about());
            assert_eq!(count(&last, true), total.arrived, "{}", about());
        }
    });
}

/// Linux's receiver compresses ACKs for segments out of order, unless they are quick: here after
/// the losses at the end of slow start. The last link leads to the receiver.
#[test]
fn looking_at_a_receiver_that_compresses_acks_changes_nothing() {
    for key in ["delayed_ack = false", "segments_per_packet = 4"] {
        let plan = parse(&format!(
            "profile = 'linux'\nduration = '1s'\n\
             [dumbbell]\nrate = '20Mbit'\ndelay = '20ms'\nqueue = '8pkt'\n\
             access = {{ rate = '100Mbit', delay = '1ms' }}\n\
             [[flows]]\nname = 'f'\ncc = 'cubic'\ntcp.{key}\n",
        ));
        let places = (0..plan.links.len()).map(Place::Link).collect();
        let (run, _) = observed(&plan, 1, true, &Wanted { places, flows: Vec::new() });
        assert_eq!(said(run), said(support::run(&plan, 1)), "{key}");
    }
}
