//! Every expected number is computed by hand from `example.rs`.

use super::*;
use crate::example;
use crate::stats::{Estimate, Over};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

fn summary(plan: &Plan, seeds: &[u64]) -> Summary {
    let view = View::new(plan);
    let replicates: Vec<Replicate> =
        (1..).zip(seeds).map(|(n, &seed)| view.replicate(n, &example::run(seed))).collect();
    Summary::of("example", &view, 2, &replicates)
}

#[track_caller]
fn close(estimate: Option<Estimate>, expected: f64) {
    let mean = estimate.expect("it was measured").mean;
    assert!((mean - expected).abs() <= 1e-9 * expected.abs(), "{mean} instead of {expected}");
}

#[test]
fn throughput_counts_the_wire_and_goodput_the_payload_that_was_new() {
    let plan = example::plan();
    let summary = summary(&plan, &[1]);
    let (slow, fast) = (&summary.groups[0].measured, &summary.groups[1].measured);
    // 50,000 packets of 1500 B in 10 s; 49,000 segments of 1460 B
    close(slow.throughput_bps, 60e6);
    close(slow.goodput_bps, 57.232e6);
    close(fast.throughput_bps, 720e6);
    close(fast.goodput_bps, 700.8e6);
    close(summary.total.throughput_bps, 780e6);
    close(summary.total.goodput_bps, 758.032e6);
    // 12,250 packets of 1000 B in 10 s
    close(summary.total.background_bps, 9.8e6);
    close(summary.background[0].measured.loss_rate, 0.02);
}

#[test]
fn fairness_is_jains_index_of_shares_of_the_fair_rate() {
    let mut plan = example::plan();
    plan.background.clear();
    let view = View::with_fair_rates(&plan, vec![100e6, 900e6]);
    let mut run = example::run(1);
    run.background.clear();
    let summary = Summary::of("example", &view, 1, &[view.replicate(1, &run)]);
    close(summary.groups[0].measured.fair_share, 0.6);
    close(summary.groups[1].measured.fair_share, 0.8);
    // (0.6 + 0.8)^2 / (2 (0.36 + 0.64))
    close(summary.total.jain, 0.98);
    assert_eq!(summary.groups[1].fair_bps, 900e6);
}

#[test]
fn a_bottleneck_is_a_shared_link_that_fair_rates_fill() {
    let plan = example::plan();
    let summary = summary(&plan, &[1]);
    // A->R is full too, but one flow alone crosses it
    assert_eq!(summary.bottlenecks, ["R->D"]);
    assert_eq!(summary.links.len(), 1);
    let link = &summary.links[0].measured;
    close(link.carried_bps, 780e6);
    close(link.utilisation, 0.78);
    close(link.idle, 0.22);
    close(link.goodput_utilisation, 0.758_032);
    close(link.loss_rate, 0.01);
    close(link.queue_p50_pkt, 30.0);
    close(link.queue_p95_pkt, 57.0);
    close(link.synchronisation, 0.75);
    close(summary.total.utilisation, 0.78);
    close(summary.total.loss_rate, 0.01);
}

#[test]
fn without_a_full_shared_link_the_most_loaded_one_is_the_bottleneck() {
    let plan = example::plan();
    assert_eq!(View::with_fair_rates(&plan, vec![100e6, 200e6]).bottlenecks, [2]);
    // one flow alone, no background: its slowest link
    let mut alone = plan.clone();
    alone.background.clear();
    alone.flows.truncate(1);
    assert_eq!(View::with_fair_rates(&alone, vec![100e6]).bottlenecks, [0]);
}

#[test]
fn counts_times_and_rates_of_a_group() {
    let plan = example::plan();
    let summary = summary(&plan, &[1]);
    let slow = &summary.groups[0].measured;
    // of 505 that were dropped and 50,000 that arrived
    close(slow.loss_rate, 505.0 / 50_505.0);
    close(slow.retransmissions, 500.0);
    close(slow.timeouts, 1.0);
    close(slow.episodes, 3.0);
    close(slow.switches_below_bdp, 18.0);
    close(slow.switches_above_bdp, 7.0);
    close(slow.reno_mode_below_bdp, 0.25);
    close(slow.reno_mode_above_bdp, 0.9);
    assert_eq!(summary.groups[1].measured.switches_below_bdp, None);
    assert_eq!(summary.groups[1].measured.reno_mode_above_bdp, None);
    close(slow.rtt_mean_s, 30.5e-9);
    close(slow.rtt_p5_s, 3e-9);
    close(slow.rtt_p99_s, 60e-9);
    close(slow.rtt_min_s, 1e-9);
    close(slow.completed, 1.0);
    close(slow.completion_mean_s, 2.5);
    assert_eq!(summary.groups[1].measured.completion_mean_s, None);
    assert_eq!(summary.groups[1].measured.rtt_mean_s, None);
}

#[test]
fn one_run_gives_batch_means_and_two_give_replicates() {
    let plan = example::plan();
    let one = summary(&plan, &[1]);
    let goodput = one.total.goodput_bps.unwrap();
    // all batches are equal, so that the interval is zero wide
    assert_eq!((goodput.over, goodput.n), (Over::Batches, 20));
    assert!(goodput.ci95.unwrap() < 1e-3, "{goodput:?}");
    assert!(!one.complete);

    let two = summary(&plan, &[1, 2]);
    let goodput = two.total.goodput_bps.unwrap();
    assert_eq!((goodput.over, goodput.n), (Over::Replicates, 2));
    assert!(two.complete);
    assert_eq!(two.seeds, [1, 2]);
}

#[test]
fn speed_is_over_all_replicates() {
    let plan = example::plan();
    let execution = summary(&plan, &[1, 2]).execution;
    // twice 20 simulated seconds, 900,000 segments, 4 million events in 2 s
    assert_eq!(execution.wall_s, 4.0);
    assert_eq!(execution.speed, 10.0);
    assert_eq!(execution.segments_per_s, 450_000.0);
    assert_eq!(execution.events_per_s, Some(2e6));
}

#[test]
fn no_replicate_yet_is_a_summary_too() {
    let plan = example::plan();
    let view = View::new(&plan);
    let summary = Summary::of("example", &view, 3, &[]);
    assert_eq!(summary.total.jain, None);
    assert!(summary.to_json().contains("\"complete\": false"));
}

#[test]
fn json_is_read_back() {
    let plan = example::plan();
    let summary = summary(&plan, &[1, 2]);
    let back: Summary = serde_json::from_str(&summary.to_json()).unwrap();
    assert!(back == summary, "a number changed on the way");
}

#[test]
fn published_schema_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/summary.schema.json");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(path, Summary::schema()).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == Summary::schema(),
        "write it anew: tusker schema summary > schema/summary.schema.json"
    );
}

#[test]
fn csv_has_a_row_per_group_and_two_columns_per_measure() {
    let plan = example::plan();
    let text = Summary::to_csv(&[summary(&plan, &[1, 2])]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    let head: Vec<&str> = lines[0].split(',').collect();
    assert_eq!(head[..7].join(","), "scenario,group,flows,cc,replicates,fair_bps,throughput_bps");
    assert!(lines[1].starts_with("example,slow,1,reno,2,100000000,60000000,0,"), "{}", lines[1]);
    for line in &lines {
        assert_eq!(line.split(',').count(), head.len());
    }
}

/// Two connections of one application flow beside one of its own: 60 + 720 and
/// no more on a link that gives 100 to the slow way; as two application flows
/// the fair rates are 100 and 890 of the 990 that background leaves.
#[test]
fn parallel_connections_are_judged_as_one_flow_too() {
    let mut plan = example::plan();
    plan.flows[0].application = Some(0);
    plan.flows[1].application = Some(0);
    plan.flows[1].route = plan.flows[0].route.clone();
    plan.flows[1].group = 0;
    plan.applications.truncate(1);
    plan.flows[1].size = plan.flows[0].size;
    let mut run = example::run(1);
    run.flows[1].start = run.flows[0].start;
    let view = View::new(&plan);
    let group = &Summary::of("e", &view, 1, &[view.replicate(1, &run)]).groups[0];
    assert_eq!((group.flows, group.applications), (2, 1));
    // as connections 50 each, together 100; as one flow 100
    assert_eq!((group.fair_bps, group.applications_fair_bps), (100e6, 100e6));
    close(group.measured.applications_fair_share, 7.8);
    close(group.measured.applications_jain, 1.0);
    // 60 and 720 of 50 each: 780^2 / (2 (60^2 + 720^2))
    close(group.measured.jain, 608_400.0 / (2.0 * 522_000.0));
    // one of the two did not end, so the application flow did not
    close(group.measured.completed, 0.0);
    assert_eq!(group.measured.completion_mean_s, None);
    // 2.5 s and 4 s: with the last one it is done
    run.flows[1].finished = Some(run.flows[1].start + tusker_core::Duration::from_secs(4.0));
    let group = &Summary::of("e", &view, 1, &[view.replicate(1, &run)]).groups[0];
    close(group.measured.completed, 1.0);
    close(group.measured.completion_mean_s, 4.0);
}

/// A plan with a slot that takes transfers over A->R and R->D.
fn coming() -> (Plan, Run) {
    use tusker_plan::plan::{Demand, Distribution, Traffic};
    let mut plan = example::plan();
    let mut slot = plan.flows[0].clone();
    (slot.group, slot.application, slot.size, slot.name) = (2, None, None, "c.0".to_owned());
    slot.reverse = vec![1, 1];
    plan.groups.push("c".to_owned());
    plan.flows.push(slot);
    plan.traffic.push(Traffic {
        group: 2,
        slots: 2..3,
        handshake: true,
        stop: None,
        demand: Demand::Arrivals {
            rate: 1.0,
            size: Distribution::Constant(1.0),
            start: Time::ZERO,
        },
        mean_rate: 1e6,
    });
    let mut run = example::run(1);
    run.flows.push(tusker_plan::run::Flow { arrived: 11, opened: 1, ..Default::default() });
    let at = |s: f64| Time::ZERO + tusker_core::Duration::from_secs(s);
    let transfer = |begin, end: Option<f64>, bytes| tusker_plan::run::Transfer {
        end: end.map(at),
        bytes,
        objects: 1,
        waited: u64::from(bytes == 14_600),
        ..tusker_plan::run::Transfer::new(at(begin))
    };
    let transfers = vec![
        // before the window
        transfer(9.0, Some(9.5), 1460),
        transfer(10.0, Some(10.1), 1460),
        transfer(11.0, Some(11.3), 14_600),
        transfer(12.0, None, 200_000_000),
        transfer(13.0, Some(13.2), 1460),
    ];
    run.traffic.push(tusker_plan::run::Traffic { transfers });
    (plan, run)
}

/// An opening: 10 + 10 ms and 40 B at 100 Mbit/s and 1 Gbit/s, 3.52 us, there;
/// the same delays and twice 0.32 us back. A packet: 20 ms, 120 + 12 us; nine
/// more 120 us each.
#[test]
fn transfers_are_those_that_began_in_the_window() {
    let (plan, run) = coming();
    let view = View::new(&plan);
    let summary = Summary::of("e", &view, 1, &[view.replicate(1, &run)]);
    let c = &summary.transfers[0];
    assert_eq!((c.name.as_str(), c.kind), ("c", TransferKind::Arrivals));
    close(c.measured.begun, 4.0);
    close(c.measured.completed, 0.75);
    close(c.measured.time_mean_s, 0.2);
    close(c.measured.time_p50_s, 0.2);
    close(c.measured.time_p99_s, 0.3);
    close(c.measured.size_mean_bytes, 17_520.0 / 3.0);
    close(c.measured.waited, 1.0);
    let one = 0.04 + 4.16e-6 + 0.02 + 132e-6;
    close(c.measured.slowdown_p50, 0.2 / one);
    close(c.measured.slowdown_p99, 0.3 / (one + 9.0 * 120e-6));
    let classes: Vec<_> = c.classes.iter().map(|c| (c.from_bytes, c.below_bytes)).collect();
    assert_eq!(classes, [(0.0, Some(1e4)), (1e4, Some(1e5)), (1e7, None)]);
    close(c.classes[0].measured.time_mean_s, 0.15);
    close(c.classes[2].measured.completed, 0.0);
    // ten packets and an opening of 40 B in 10 s
    close(summary.groups[2].measured.throughput_bps, (15_000.0 + 40.0) * 0.8);
    assert_eq!((summary.groups[2].applications, summary.groups[2].measured.jain), (0, None));
    assert!(waiting_note(&summary).unwrap().contains("1 of `c`"));
    let csv = Summary::to_csv(std::slice::from_ref(&summary));
    assert!(csv.lines().nth(3).unwrap().starts_with("e,c,1,reno,1,0,12032,"), "{csv}");
}

/// Of 6,000 packets that the full queue dropped 2,000 were in step: a third. A quarter is
/// 1,500, and fewer than 20 are a burst or two.
#[test]
fn a_beat_that_decides_is_warned_about() {
    let plan = example::plan();
    let view = View::new(&plan);
    let of = |overflowed: u64, in_step: u64| {
        let mut run = example::run(1);
        let link = run.links.last_mut().expect("the bottleneck");
        (link.overflowed, link.in_step) = (overflowed, in_step);
        phase_note(&[Summary::of("e", &view, 1, &[view.replicate(1, &run)])])
    };
    let note = of(6_000, 2_000).expect("a third");
    assert!(note.contains("this result") && note.contains("of 6,000 packets that R->D"), "{note}");
    assert!(note.contains("2,000 missed") && note.contains("host_time"), "{note}");
    assert_eq!((of(6_000, 1_499), of(40, 19), of(0, 0)), (None, None, None));
    assert!(of(6_000, 1_500).is_some() && of(40, 20).is_some());
}

/// The flows' propagation is 20 ms, a fortieth of which are 500 us. The queue of the
/// fast flow, 100 packets of 1500 B at 1 Gbit/s, drains in 1.2 ms: an eighth is less
/// than the millisecond that counts in any case.
#[test]
fn what_is_late_is_marked_wherever_a_summary_is_read() {
    use tusker_core::Duration;
    use tusker_plan::audit;

    let plan = example::plan();
    let view = View::new(&plan);
    let late = |us: u64, seed: u64| {
        let p99 = Duration::from_nanos(us * 1_000);
        let audit = audit::Audit { packets: 1_000, p99, ..audit::Audit::default() };
        Run { audit: Some(audit), ..example::run(seed) }
    };
    let good = view.replicate(1, &late(500, 7));
    let bad = view.replicate(2, &late(501, 8));
    assert!(!good.is_invalid() && bad.is_invalid());
    let summary = Summary::of("example", &view, 2, &[good, bad]).on("testbed");
    assert_eq!(summary.invalid, [8]);
    let audit = &summary.audits[1];
    assert_eq!(audit.limits.late_p99_s, 500e-6);
    assert_eq!(audit.limits.away_at_once_s, 1e-3);
    let fault = "1 % of the packets were more than 501 us late, 500 us are allowed";
    assert_eq!(audit.faults, [fault]);
    let note = invalid_note(&summary).expect("one is invalid");
    assert!(note.starts_with("invalid") && note.contains("1 of 2"), "{note}");
    assert!(note.contains("seed 8") && note.contains(fault), "{note}");
    assert_eq!(audit_rows(&summary)[1][1], "invalid");
    let json: serde_json::Value = serde_json::from_str(&summary.to_json()).unwrap();
    assert_eq!(json["plane"], "testbed");
    assert_eq!(json["invalid"], serde_json::json!([8]));
    assert_eq!(json["audits"][0]["valid"], true);
    let csv = Summary::to_csv(&[summary]);
    let mut lines = csv.lines();
    assert!(lines.next().is_some_and(|head| head.ends_with(",plane,invalid,doubts")), "{csv}");
    // 2,000 of the 6,000 drops at the full queue are in step
    let end = ",testbed,1,phase-effects invalid-runs";
    assert!(lines.all(|line| line.ends_with(end)), "{csv}");
}

#[test]
fn what_an_executor_does_not_measure_is_absent() {
    let plan = example::plan();
    let mut run = example::run(1);
    run.links[2].losses = None;
    run.events = 0;
    let view = View::new(&plan);
    let summary = Summary::of("e", &view, 1, &[view.replicate(1, &run)]);
    assert_eq!(summary.links[0].measured.loss_episodes, None);
    assert_eq!(summary.links[0].measured.synchronisation, None);
    assert_eq!(summary.execution.events_per_s, None);
    // and the simulator has nothing to answer for
    assert_eq!((summary.plane.as_str(), summary.audits.len()), ("simulator", 0));
    assert!(!summary.to_json().contains("audits"), "it says nothing of it");
}

/// Three of four replicates converged, after 2, 3 and 40 s.
#[test]
fn convergence_over_replicates_is_a_share_and_a_median() {
    let plan = example::plan();
    let view = View::new(&plan);
    let times = [Some(40.0), None, Some(2.0), Some(3.0)];
    let replicates = (1..).zip(times).map(|(n, time)| {
        let mut replicate = view.replicate(n, &example::run(u64::from(n)));
        replicate.total.convergence_s = Sample::once(time);
        replicate.total.converged = f64::from(u8::from(time.is_some())).into();
        replicate
    });
    let summary = Summary::of("example", &view, 4, &replicates.collect::<Vec<_>>());
    let over = Over::Replicates;
    let estimate = |mean, n| Some(Estimate { mean, ci95: None, n, over });
    assert_eq!(summary.total.converged, estimate(0.75, 4));
    assert_eq!(summary.total.convergence_s, estimate(3.0, 3));
}
