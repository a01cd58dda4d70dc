//! Every expected number is worked by hand from `example.rs`.

use super::*;
use crate::example;
use crate::plan::Plan;
use crate::stats::{Estimate, Over};

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
    close(slow.loss_rate, 0.01);
    close(slow.retransmissions, 500.0);
    close(slow.timeouts, 1.0);
    close(slow.episodes, 3.0);
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
    assert_eq!(execution.events_per_s, 2e6);
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
    let published = include_str!("../../../../schema/summary.schema.json");
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
