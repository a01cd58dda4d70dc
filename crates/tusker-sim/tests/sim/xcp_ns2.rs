//! XCP, sender and router, compared with ns-2.35: every workload of bench/ns2/xcp.csv
//! with its scenario bench/ns2/xcp/*.toml.
//!
//! | value | holds within |
//! |---|---|
//! | what each flow gets at the last router | 3 % |
//! | mean number of packets that wait at the bottleneck | 2 packets |
//! | packets dropped in the whole run | none on both sides |

use std::path::Path;

use crate::support::{self, SEED};
use tusker_scenario::Scenario;

#[test]
fn xcp_agrees_with_ns2() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/ns2");
    let table = std::fs::read_to_string(folder.join("xcp.csv")).expect("the table is there");
    let rows = table.lines().map(|line| line.splitn(3, ',').collect::<Vec<_>>());
    let mut wrong = Vec::new();
    let mut cells = 0;
    let mut run = None;
    for row in rows {
        let &[cell, key, value] = row.as_slice() else { panic!("xcp.csv: {row:?}") };
        if key == "args" {
            let path = folder.join(format!("xcp/{cell}.toml"));
            let text = std::fs::read_to_string(&path).expect("every workload has a scenario");
            let scenario = Scenario::parse(cell, &text, &[]).expect("a scenario");
            let plan = scenario.plan().expect("a plan");
            let ran = support::run(&plan, SEED);
            run = Some((plan, ran));
            cells += 1;
            continue;
        }
        let (plan, run) = run.as_ref().expect("a workload begins with its arguments");
        let theirs: f64 = value.parse().expect("a number");
        let seconds = plan.measure_to.since(plan.measure_from).secs();
        let link = &run.links[0];
        let (ours, tolerance) = match key {
            "use" => continue,
            // what is in transmission does not wait
            "queue_mean" => (link.queue_mean - link.busy.secs() / seconds, 2.0),
            "drops" => (run.flows.iter().map(|f| f.total.dropped).sum::<u64>() as f64, 0.0),
            _ => {
                let flow = key.strip_prefix('f').and_then(|k| k.strip_suffix(".wire_mbps"));
                let flow: usize = flow.and_then(|f| f.parse().ok()).expect("a known key");
                let bytes = run.flows[flow].arrived * plan.flows[flow].tcp.packet.get();
                (bytes as f64 * 8.0 / seconds / 1e6, 0.03 * theirs)
            }
        };
        println!("{cell} {key}: {ours:.3} / {theirs:.3}");
        if (ours - theirs).abs() > tolerance {
            wrong.push(format!("{cell} {key}: {ours:.3} against {theirs:.3} of ns-2"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cells, 9, "workloads in xcp.csv");
}
