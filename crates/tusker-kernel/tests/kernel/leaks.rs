//! The kernel keeps nothing of an unloaded law.

use std::collections::VecDeque;
use std::thread;

use crate::support::command::done;
use crate::support::flow::Flow;
use crate::support::law::{Loaded, available, status, tusker};
use crate::support::laws;
use crate::support::objects::Objects;
use crate::support::rights::rights;

/// Connections of each thread, which outlive the laws with which they started.
const FLOWS: usize = 3;

/// One of four threads: loads and unloads 50 times, and always has traffic under the law
/// that is being unloaded and under earlier ones.
fn churn(thread: usize) -> (Objects, Vec<String>) {
    let mut objects = Objects::default();
    let mut names = Vec::new();
    let mut flows: VecDeque<Flow> = VecDeque::new();
    let laws = laws();
    for i in 0..50 {
        let loaded = Loaded::new(laws[(thread + i) % laws.len()]);
        let name = loaded.name.clone();
        flows.push_back(Flow::loopback(&name));
        for flow in &mut flows {
            flow.send(100_000);
        }
        let held = Objects::of(loaded.pid());
        // ring, parameters, control, watch, the map that is registered, and one for the storage
        // of some; a program for each of the seven hooks; a link
        let [maps, programs, links, types] = held.count();
        assert!(maps >= 5 && programs == 7 && links == 1 && types >= 1, "{held:?}");
        objects.add(held);
        if i % 10 == 0 {
            done(&mut tusker(&format!("unload {name}")));
        }
        let ended = loaded.end("TERM");
        assert_eq!((ended.code, ended.said()), (Some(0), ""), "{name}");
        for flow in &mut flows {
            flow.send(100_000);
        }
        // its connections keep it
        assert_eq!(flows.back().expect("one was opened").law(), name);
        if flows.len() > FLOWS {
            flows.pop_front();
        }
        names.push(name);
    }
    for flow in flows {
        flow.arrived();
    }
    (objects, names)
}

#[test]
fn two_hundred_loads_under_traffic_leave_nothing() {
    if !rights("200 loads under traffic leave nothing") {
        return;
    }
    let threads: Vec<_> = (0..4).map(|i| thread::spawn(move || churn(i))).collect();
    let mut all = Objects::default();
    let mut names = Vec::new();
    for thread in threads {
        let (objects, mine) = thread.join().unwrap_or_else(|p| std::panic::resume_unwind(p));
        all.add(objects);
        names.extend(mine);
    }
    assert_eq!(names.len(), 200);
    let [maps, programs, links, _] = all.count();
    assert!(maps >= 5 * 200 && programs == 7 * 200 && links == 200, "{maps} {programs} {links}");
    all.are_gone();
    let left = available();
    assert!(!names.iter().any(|name| left.contains(name)), "{left:?}");
    assert!(names.iter().all(|name| status(name).is_none()));
}

/// Ends one load by a signal, with a connection that has the law.
fn ends_by(signal: &str, code: Option<i32>) {
    let loaded = Loaded::new("hstcp");
    let name = loaded.name.clone();
    let mut flow = Flow::loopback(&name);
    flow.send(100_000);
    let objects = Objects::of(loaded.pid());
    let ended = loaded.end(signal);
    assert_eq!((ended.code, ended.said()), (code, ""), "SIG{signal}");
    assert!(!available().contains(&name), "SIG{signal}: {name} can be chosen");
    flow.send(100_000);
    flow.arrived();
    drop(flow);
    objects.are_gone();
}

/// Ctrl-C and the signals that request the end are the normal way to end it: exit code 0.
#[test]
fn a_load_that_ends_takes_its_law_with_it() {
    if !rights("a load that ends takes its law with it") {
        return;
    }
    for (signal, code) in [("INT", Some(0)), ("TERM", Some(0)), ("HUP", Some(0)), ("KILL", None)] {
        ends_by(signal, code);
    }
}
