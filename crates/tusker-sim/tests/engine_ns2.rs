//! The cells of bench/ns2 that should agree by construction: single flows and
//! DropTail or RED groups without mass loss. Expected values are those of
//! ns-2.35 in bench/ns2/oracle.csv; docs/validation.md has the whole table and
//! what is missed.

use std::ops::ControlFlow;
use std::path::Path;

use tusker_record::scenario::Scenario;

const SEEDS: u64 = 3;

struct Group {
    /// Name in the oracle: agent, `+hs` for HighSpeed.
    agent: &'static str,
    count: u32,
    access_mbit: u32,
}

struct Cell {
    name: String,
    groups: Vec<Group>,
    rate_mbit: u32,
    delay_ms: u32,
    queue: String,
    seconds: u32,
}

impl Cell {
    fn scenario(&self) -> String {
        let Self { rate_mbit, delay_ms, queue, seconds, .. } = self;
        let mut text = format!(
            "profile = 'ns2'\nduration = '{seconds}s'\n[dumbbell]\nrate = '{rate_mbit}Mbit'\n\
             delay = '{delay_ms}ms'\nqueue = {queue}\nreverse = {{ queue = 'unlimited' }}\n"
        );
        for (i, Group { agent, count, access_mbit }) in self.groups.iter().enumerate() {
            let (recovery, law) = agent.split_once('+').unwrap_or((agent, ""));
            let recovery = recovery.replace("sack1", "sack");
            let cc = if law.is_empty() { "reno" } else { "hstcp" };
            text += &format!(
                "[[flows]]\nname = 'g{i}'\ncount = {count}\ncc = '{cc}'\nrecovery = '{recovery}'\n\
                 access = {{ rate = '{access_mbit}Mbit', delay = '1ms', queue = 'unlimited' }}\n\
                 host_queue = 'unlimited'\nstart = {{ uniform = ['0s', '1s'] }}\n"
            );
        }
        text
    }

    /// Goodput of each group in Mbit/s, means over the seeds.
    fn goodputs(&self) -> Vec<f64> {
        let scenario = Scenario::parse(&self.name, &self.scenario(), &[]).expect("a scenario");
        let plan = scenario.plan().expect("a plan");
        let seconds = plan.measure_to.since(plan.measure_from).secs();
        let mut sums = vec![0.0; self.groups.len()];
        for seed in 1..=SEEDS {
            let run = tusker_sim::run(&plan, seed, &mut |_| ControlFlow::Continue(()));
            for (flow, planned) in run.expect("runs").flows.iter().zip(&plan.flows) {
                let bits = flow.delivered * planned.tcp.payload().get() * 8;
                sums[planned.group] += bits as f64 / seconds / 1e6 / SEEDS as f64;
            }
        }
        sums
    }

    fn hold(&self, oracle: &str, tolerance: f64) {
        for (i, ours) in self.goodputs().into_iter().enumerate() {
            let key = format!("{}.{}.goodput_mbps", i + 1, self.groups[i].agent);
            let theirs = value(oracle, &self.name, &key);
            let off = ours / theirs - 1.0;
            println!("{} {key}: {ours:.3} against {theirs:.3}: {:+.2} %", self.name, off * 100.0);
            assert!(
                off.abs() <= tolerance,
                "{} {key}: {ours:.3} against {theirs:.3} of ns-2, {:+.2} %",
                self.name,
                off * 100.0
            );
        }
    }
}

/// ns-2's value, mean over the seeds.
fn value(oracle: &str, cell: &str, key: &str) -> f64 {
    let mut values = Vec::new();
    for line in oracle.lines() {
        let mut fields = line.split(',');
        let row = (fields.next(), fields.next(), fields.next(), fields.next());
        let (Some(name), Some(seed), Some(found), Some(value)) = row else { continue };
        if name == cell && found == key && seed.parse().is_ok_and(|seed: u64| seed <= SEEDS) {
            values.push(value.parse::<f64>().expect("a number"));
        }
    }
    assert_eq!(values.len() as u64, SEEDS, "seeds of {cell} {key} in the oracle");
    values.iter().sum::<f64>() / values.len() as f64
}

fn oracle() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/ns2/oracle.csv");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn single_flows_are_within_two_percent() {
    let oracle = oracle();
    for agent in ["reno", "newreno", "sack1", "sack1+hs"] {
        let single = |access_mbit| vec![Group { agent, count: 1, access_mbit }];
        let small = "'25pkt'".to_string();
        let cells = [
            Cell {
                name: format!("f/{agent}"),
                groups: single(100),
                rate_mbit: 10,
                delay_ms: 20,
                queue: small.clone(),
                seconds: 100,
            },
            Cell {
                name: format!("f/{agent}/w100"),
                groups: single(1000),
                rate_mbit: 50,
                delay_ms: 20,
                queue: small,
                seconds: 100,
            },
            Cell {
                name: format!("a/{agent}/0.1bdp"),
                groups: single(1000),
                rate_mbit: 200,
                delay_ms: 50,
                queue: "'167pkt'".into(),
                seconds: 200,
            },
        ];
        cells.iter().for_each(|cell| cell.hold(&oracle, 0.02));
    }
}

#[test]
fn groups_are_within_five_percent() {
    let oracle = oracle();
    let drop_tail = |name: &str, agents: &[&'static str]| Cell {
        name: name.into(),
        groups: agents.iter().map(|agent| Group { agent, count: 5, access_mbit: 100 }).collect(),
        rate_mbit: 10,
        delay_ms: 20,
        queue: "'50pkt'".into(),
        seconds: 400,
    };
    for agent in ["reno", "newreno", "sack1"] {
        drop_tail(&format!("b/5x{agent}"), &[agent]).hold(&oracle, 0.05);
    }
    drop_tail("b/5xreno+5xsack1", &["reno", "sack1"]).hold(&oracle, 0.05);
    // ns-2's RED holds limit_ packets and one more in transmission
    for (name, gentle, wait) in
        [("c/red1993", 0, 0), ("c/red1993-gentle", 1, 0), ("c/red1993-wait", 0, 1)]
    {
        let groups =
            ["sack1", "sack1+hs"].map(|agent| Group { agent, count: 5, access_mbit: 1000 });
        let cell = Cell {
            name: name.into(),
            groups: groups.into(),
            rate_mbit: 100,
            delay_ms: 20,
            queue: format!(
                "{{ policy = 'red', limit = '401pkt', min_th = 50, max_th = 150, w_q = 0.002, \
                 max_p = 0.1, gentle = {gentle}, wait = {wait} }}"
            ),
            seconds: 200,
        };
        cell.hold(&oracle, 0.05);
    }
}
