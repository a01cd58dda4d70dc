//! How queues and links treat traffic, compared with their RFCs and closed forms.

use crate::support::{SEED, simulate};
use tusker_core::wire::{self, Loss};
use tusker_core::{Bytes, Duration, Rate, Rng, Time, queue};
use tusker_path::{DropCause, Hop, Limit, Outcome, Schedule, Setup, Wire};
use tusker_plan::run::Run;

/// Four Reno flows with SACK over 20 Mbit/s and 50 ms, for 40 s, the latter half
/// measured. 83 packets are a bandwidth-delay product.
fn reno(queue: &str) -> Run {
    simulate(&format!(
        "profile = \"ns2\"\nduration = \"40s\"\n[dumbbell]\nrate = \"20Mbit\"\ndelay = \"23ms\"\n\
         queue = {queue}\naccess = {{ rate = \"1Gbit\", delay = \"500us\" }}\n[[flows]]\n\
         name = \"a\"\ncount = 4\ncc = \"reno\"\nrecovery = \"sack\"\n\
         start = {{ uniform = [\"0s\", \"1s\"] }}\n"
    ))
    .1
}

/// Mean time that a packet waits in the queue of the first link, in ms: 0.6 ms for
/// each packet before it but the one in transmission (Little's law would say the
/// same).
fn wait_ms(run: &Run) -> f64 {
    (run.links[0].queue_mean - run.links[0].busy.secs() / 20.0) * 0.6
}

/// RFC 8289 drops once the wait was above 5 ms for 100 ms. Four flows add 4 packets,
/// 2.4 ms, per round trip of about 56 ms: 4.3 ms in the 100, and 2.4 more until the
/// sender hears of the drop, so that the wait rises to 11.7 ms. One flow halves: a
/// quarter of 83 + 10 packets, half of it 11.6, 7.0 ms. If that is enough, the wait
/// goes between 4.7 and 11.7: 8.2 on average. If a second one halves, from nothing
/// to 11.7: 5.85. A third would leave the link idle. The 5 ms are below all.
#[test]
fn codel_holds_the_wait_near_its_target_where_droptail_fills() {
    let full = reno("\"400pkt\"");
    // Reno halves from 483 packets: the queue stays above 483/2 - 83 = 158
    assert!(wait_ms(&full) > 100.0, "{}", wait_ms(&full));
    let codel = reno("{ policy = \"codel\", limit = \"400pkt\" }");
    let wait = wait_ms(&codel);
    println!("codel: {wait} ms on average");
    assert!((5.0..8.2).contains(&wait), "target 5 ms, got {wait}");
    assert!(codel.links[0].busy.secs() > 0.98 * 20.0, "{:?}", codel.links[0].busy);
    assert_eq!(codel.links[0].overflowed, 0);
}

#[test]
fn pie_brings_the_delay_to_its_reference() {
    // RFC 8033, section 4.2: p moves by alpha (qdelay - qdelay_ref), so that where p
    // stays about the same the deviations sum to nothing. What is left is from the
    // tuning: p = 1.5/w^2 is 0.002 and 0.0014 for windows of 27 and 33, and below
    // 0.001 a deviation counts a quarter of what it counts above
    for reference in [15.0, 30.0] {
        let queue =
            format!("{{ policy = \"pie\", limit = \"400pkt\", qdelay_ref = \"{reference}ms\" }}");
        let wait = wait_ms(&reno(&queue));
        println!("pie: {wait} ms for {reference} ms");
        assert!((wait / reference - 1.0).abs() < 0.1, "{wait} ms for {reference} ms");
    }
}

#[test]
fn fq_codel_isolates_a_thin_flow_from_a_fat_one() {
    let flood = |policy: &str| {
        let (_, run) = simulate(&format!(
            "profile = \"ns2\"\nduration = \"20s\"\n[dumbbell]\nrate = \"10Mbit\"\n\
             delay = \"10ms\"\nqueue = {{ policy = \"{policy}\", limit = \"100pkt\" }}\n\
             [[background]]\nname = \"fat\"\nrate = \"20Mbit\"\npacket = \"1500B\"\n\
             [[background]]\nname = \"thin\"\nrate = \"100kbit\"\npacket = \"200B\"\njitter = 0.5\n"
        ));
        let [fat, thin] = [&run.background[0], &run.background[1]].map(|b| b.total);
        (fat.dropped as f64 / fat.sent as f64, thin.dropped)
    };
    let (fat, thin) = flood("fq_codel");
    assert_eq!(thin, 0, "a flow below its share loses nothing");
    // 20 + 0.1 into 10: about half
    assert!((fat - 0.505).abs() < 0.02, "{fat}");
    assert!(flood("droptail").1 > 100, "without queues of its own it loses as the others do");
}

#[test]
fn fq_codel_shares_between_unequal_laws() {
    let shares = |policy: &str| {
        let (_, run) = simulate(&format!(
            "profile = \"ns2\"\nduration = \"60s\"\nmeasure = {{ from = \"20s\" }}\n[dumbbell]\n\
             rate = \"100Mbit\"\ndelay = \"48ms\"\nqueue = {{ policy = \"{policy}\", limit = \"1bdp\" }}\n\
             access = {{ rate = \"1Gbit\", delay = \"500us\" }}\n[tcp]\nrecovery = \"sack\"\n\
             [[flows]]\nname = \"reno\"\ncount = 2\ncc = \"reno\"\n\
             [[flows]]\nname = \"hstcp\"\ncount = 2\ncc = \"hstcp\"\n"
        ));
        let arrived = |i: usize| run.flows[i].arrived as f64;
        (arrived(2) + arrived(3)) / (arrived(0) + arrived(1))
    };
    let (fair, fifo) = (shares("fq_codel"), shares("droptail"));
    println!("hstcp over reno: {fair} with fq_codel, {fifo} with droptail");
    assert!(fifo > 1.5, "HSTCP takes more from a common queue: {fifo}");
    // what a flow frees by halving, the others take: HSTCP more often
    assert!((0.8..1.5).contains(&fair) && fair < fifo, "{fair}");
}

/// Two applications on one link of 20 Mbit/s: what the one with eight connections gets
/// over what the other gets.
fn eight_over_one(queue: &str) -> f64 {
    let (_, run) = simulate(&format!(
        "profile = \"linux\"\nduration = \"40s\"\nmeasure = {{ from = \"10s\" }}\n\
         tcp.segmentation = false\n[dumbbell]\n\
         rate = \"20Mbit\"\ndelay = \"9ms\"\nqueue = {{ limit = \"400pkt\", {queue} }}\n\
         access = {{ rate = \"1Gbit\", delay = \"500us\" }}\n\
         [[flows]]\nname = \"eight\"\nparallel = 8\ncc = \"cubic\"\n\
         [[flows]]\nname = \"one\"\ncc = \"cubic\"\n"
    ));
    let arrived = |i: usize| run.flows[i].arrived as f64;
    (0..8).map(arrived).sum::<f64>() / arrived(8)
}

#[test]
fn cake_shares_between_hosts_and_fq_codel_between_flows() {
    let cake = eight_over_one("policy = \"cake\"");
    let flows = eight_over_one("policy = \"cake\", by_source = false, by_destination = false");
    let fq_codel = eight_over_one("policy = \"fq_codel\"");
    println!("eight connections over one: cake {cake}, flows {flows}, fq_codel {fq_codel}");
    // a half and a half, but for what one connection alone leaves when it has reduced
    assert!((0.98..1.15).contains(&cake), "{cake}");
    assert!((flows / 8.0 - 1.0).abs() < 0.05, "{flows}");
    assert!((fq_codel / 8.0 - 1.0).abs() < 0.05, "{fq_codel}");
}

#[test]
fn what_leaves_a_shaper_is_its_rate_to_the_packet() {
    let (_, run) = simulate(
        "profile = \"ns2\"\nduration = \"20s\"\nmeasure = { from = \"5s\" }\n[dumbbell]\n\
         rate = \"10Mbit\"\ndelay = \"10ms\"\n\
         queue = { policy = \"cake\", limit = \"100pkt\", bandwidth = \"4Mbit\", overhead = 100 }\n\
         [[background]]\nname = \"flood\"\nrate = \"20Mbit\"\npacket = \"1500B\"\n",
    );
    // packets of 1600 B there: 312.5 a second, for 15 s
    let arrived = run.background[0].arrived as f64;
    assert!((arrived - 4687.5).abs() <= 1.0, "{arrived} packets");
}

#[test]
fn cake_isolates_a_thin_flow_from_an_unresponsive_one() {
    let (_, run) = simulate(
        "profile = \"ns2\"\nduration = \"20s\"\n[dumbbell]\nrate = \"10Mbit\"\ndelay = \"10ms\"\n\
         queue = { policy = \"cake\", limit = \"100pkt\" }\n\
         [[background]]\nname = \"fat\"\nrate = \"20Mbit\"\npacket = \"1500B\"\n\
         [[background]]\nname = \"thin\"\nrate = \"100kbit\"\npacket = \"200B\"\njitter = 0.5\n",
    );
    let [fat, thin] = [&run.background[0], &run.background[1]].map(|b| b.total);
    assert_eq!(thin.dropped, 0, "a flow below its share loses nothing");
    // 20 + 0.1 into 10 is half; BLUE rises until the queue is empty, and falls only when the
    // queue is found empty at its turn
    let fat = fat.dropped as f64 / fat.sent as f64;
    assert!((0.5..0.65).contains(&fat), "{fat}");
}

#[test]
fn every_policy_marks_instead_of_dropping_with_ecn() {
    // some do not signal; XCP's and VCP's routers write into packets instead
    let speechless = ["droptail", "policer", "sfq", "tbf", "xcp", "vcp"];
    for sheet in queue::ALL.iter().filter(|sheet| !speechless.contains(&sheet.name)) {
        let params = match sheet.name {
            "red" | "ared" | "gared" => ", min_th = 20, max_th = 500",
            "pie" => ", mark_ecnth = 1",
            "fq" => ", ce_threshold = '1ms'",
            _ => "",
        };
        let (_, run) = simulate(&format!(
            "profile = \"ns2\"\nduration = \"20s\"\n[dumbbell]\nrate = \"20Mbit\"\n\
             delay = \"23ms\"\nqueue = {{ policy = \"{}\", limit = \"unlimited\", ecn = true{params} }}\n\
             access = {{ rate = \"1Gbit\", delay = \"500us\" }}\n[tcp]\necn = true\n\
             initial_ssthresh = 60\n[[flows]]\nname = \"a\"\ncount = 4\ncc = \"reno\"\n\
             recovery = \"sack\"\n",
            sheet.name
        ));
        let link = &run.links[0];
        let about = format!("{}: {} marked, {} early", sheet.name, link.marked, link.dropped_early);
        assert!(link.marked > 10 && link.dropped_early == 0, "{about}");
        assert!(run.flows.iter().all(|flow| flow.retransmitted == 0), "{about}");
        assert!(run.flows.iter().map(|flow| flow.episodes).sum::<u64>() > 5, "{about}");
    }
}

#[test]
fn losses_in_bursts_have_their_closed_form_on_a_link() {
    // p = 0.01, r = 0.2: pi_bad = 0.01/0.21 = 0.0476, bursts of 1/r = 5. Of
    // 300,000 packets 2,860 bursts begin, geometric with deviation sqrt(20): the
    // standard error of their mean is 0.084, that of the share 0.0009
    let (p, r) = (0.01, 0.2);
    let rate = Rate::from_bits_per_sec(1_000_000_000);
    let link = queue::Link { rate, mean_packet: Bytes::new(1500) };
    let setup = Setup {
        wire: Wire::fixed(rate),
        delay: Duration::from_millis(1).into(),
        limit: Limit::Unlimited,
        policy: queue::Policy::new(&queue::Spec::new(queue::Kind::DropTail), &link),
        ecn: false,
        loss: Loss::GilbertElliott { p, r, loss_good: 0.0, loss_bad: 1.0 }.into(),
        jitter: None.into(),
        reorder: false,
        policy_rng: Rng::named(SEED, "policy"),
        loss_rng: Rng::named(SEED, "loss"),
        jitter_rng: Rng::named(SEED, "jitter"),
        observed: false,
        sampled: false,
        waits: false,
    };
    let end = Time::from_nanos(10_000_000_000);
    let mut hop = Hop::new(setup, Some(Schedule::even(Time::ZERO, end, 1, 1)));
    let (mut lost, mut bursts, mut before) = (0_u32, 0_u32, false);
    for i in 0..300_000 {
        let outcome = hop.offer(Time::from_nanos(i * 20_000), 1500, false, || None);
        let loses = outcome == Outcome::Dropped(DropCause::Loss);
        lost += u32::from(loses);
        bursts += u32::from(loses && !before);
        before = loses;
    }
    let share = f64::from(lost) / 300_000.0;
    assert!((share - p / (p + r)).abs() < 0.0035, "{share}");
    let length = f64::from(lost) / f64::from(bursts);
    assert!((length - 1.0 / r).abs() < 0.35, "{length}");
    assert_eq!(hop.finish(end).expect("a schedule").window().lost, u64::from(lost));
}

#[test]
fn a_trace_delivers_what_it_says_to_the_packet() {
    // 4 of 1504 bytes in 7 ms, 6.875 Mbit/s, under 8 Mbit/s from the start
    let (plan, run) = simulate(
        "profile = \"ns2\"\nduration = \"10s\"\nmeasure = { from = \"2s\", to = \"9s\" }\n[dumbbell]\n\
         rate = { trace = \"up\", opportunities = \"0 1 0 2 0x3 1\" }\ndelay = \"10ms\"\n\
         queue = \"50pkt\"\n[[background]]\nname = \"u\"\nrate = \"8Mbit\"\npacket = \"1504B\"\n",
    );
    // each packet arrives 10 ms after its opportunity. 1427 rounds end by 9989 ms,
    // and one opportunity comes at 9990. A packet is sent every 1.504 ms, so that
    // the third, at 3.008 ms, misses the second opportunity at 3 ms; no other does
    let total = run.background[0].total;
    assert_eq!(total.arrived, 1427 * 4 + 1 - 1);
    // from 2 s to 9 s a thousand rounds: the link was never idle
    let link = &run.links[0];
    assert_eq!(run.background[0].arrived, 4000);
    let carried = link.busy.secs() * plan.links[0].rate.bits_per_sec() as f64;
    let could = plan.links[0].capacity(plan.measure_from, plan.measure_to);
    assert_eq!(could, 4000.0 * 1504.0 * 8.0);
    assert!((carried / could - 1.0).abs() < 1e-6, "{carried} of {could}");
    assert_eq!(wire::opportunities(&[1, 3, 3, 7], plan.end), 1428 * 4 + 3);
}

#[test]
fn a_rate_that_steps_carries_its_integral() {
    // 12 Mbit/s to 3 s, 6 Mbit/s to 6 s, 24 Mbit/s from there; UDP at 16 Mbit/s
    let (plan, run) = simulate(
        "profile = \"ns2\"\nduration = \"9s\"\nmeasure = { from = \"1s\", to = \"8s\" }\n[dumbbell]\n\
         rate = [{ at = \"0s\", rate = \"12Mbit\" }, { at = \"3s\", rate = \"6Mbit\" }, \
                 { at = \"6s\", rate = \"24Mbit\" }]\ndelay = \"10ms\"\nqueue = \"20pkt\"\n\
         [[background]]\nname = \"u\"\nrate = \"16Mbit\"\npacket = \"1500B\"\n",
    );
    // 2 s x 1000 + 3 s x 500 packets, then the queue's 20 beyond 2 s x 1333.3
    let arrived = run.background[0].arrived as f64;
    assert!((arrived - (2000.0 + 1500.0 + 20.0 + 2666.7)).abs() < 25.0, "{arrived}");
    let could = plan.links[0].capacity(plan.measure_from, plan.measure_to);
    assert_eq!(could, 2.0 * 12e6 + 3.0 * 6e6 + 2.0 * 24e6);
}

#[test]
fn jitter_reorders_only_where_it_may() {
    let again = |reorder: bool| {
        let (_, run) = simulate(&format!(
            "profile = \"ns2\"\nduration = \"10s\"\n[dumbbell]\nrate = \"20Mbit\"\n\
             delay = \"20ms\"\nqueue = \"unlimited\"\n\
             jitter = {{ distribution = \"uniform\", max = \"8ms\", reorder = {reorder} }}\n\
             access = {{ rate = \"1Gbit\" }}\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n\
             recovery = \"sack\"\ntcp = {{ send_buffer = \"100kB\" }}\n"
        ));
        let flow = &run.flows[0];
        assert_eq!(flow.total.dropped, 0);
        let (mean, min) = (flow.rtt.mean().expect("samples"), flow.min_rtt.expect("samples"));
        // 44 ms of propagation; 0 to 8 ms each way and in order the larger ones
        assert!(min.nanos() > 44_000_000 && mean < 62e6, "{mean} {min}");
        flow.retransmitted
    };
    // 8 ms are 13 packets: three duplicate ACKs come without any loss
    assert_eq!(again(false), 0);
    assert!(again(true) > 10);
}
