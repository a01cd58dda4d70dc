//! A run ends before it exceeds its memory budget, whatever grows, and asks after a bounded
//! amount of work whether to stop, whatever it is doing. All seeds are 1.

use std::ops::ControlFlow;
use std::time::Duration as WallTime;

use tusker_core::Bytes;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_sim::{Engine, Simulator, run};

fn plan(text: &str) -> Plan {
    let scenario = Scenario::parse("test.toml", text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    scenario.plan().unwrap_or_else(|e| panic!("{e:?}"))
}

fn dumbbell(rate: &str, queue: &str, rest: &str) -> Plan {
    plan(&format!(
        "profile = 'ns2'\nduration = '10s'\n[dumbbell]\nrate = '{rate}'\ndelay = '10ms'\n\
         queue = '{queue}'\naccess = {{ rate = '100Tbit', delay = '1ms' }}\n{rest}\n"
    ))
}

const WEB: &str = "[[web]]\nname = 'web'\ncc = 'reno'\nsessions = 1\nobjects = 1e9\n\
    object_interval = '0s'\nobject_size = '10kB'\npage_interval = '1s'\n\
    servers = { count = 1, rate = '1Gbit' }\nclients = { count = 1, rate = '1Gbit' }\n";

fn flood() -> Plan {
    dumbbell("1Gbit", "unlimited", "[[background]]\nname = 'udp'\nrate = '100Tbit'\n")
}

fn windows() -> Plan {
    // 10,000 segments of each at once
    let flows = "[[flows]]\nname = 'f'\ncc = 'reno'\ncount = 2000\nrecovery = 'rack'\n\
        tcp.initial_window = 10000\nhost_queue = 'unlimited'\n";
    dumbbell("1Gbit", "100pkt", flows)
}

/// No loss ends its slow start.
fn endless() -> Plan {
    dumbbell("10Gbit", "unlimited", "[[flows]]\nname = 'f'\ncc = 'reno'\n")
}

/// CoDel keeps its packets; the target is never reached within the run.
fn station() -> Plan {
    let queue = "[[background]]\nname = 'udp'\nrate = '100Tbit'\n";
    let mut plan = dumbbell("1Gbit", "unlimited", queue);
    let codel = plan_of_codel();
    plan.links.iter_mut().for_each(|link| {
        if link.rate.bits_per_sec() == 1_000_000_000 {
            link.queue = codel.links[0].queue.clone();
        }
    });
    plan
}

fn plan_of_codel() -> Plan {
    plan(
        "profile = 'ns2'\nduration = '10s'\n[dumbbell]\nrate = '1Gbit'\ndelay = '10ms'\n\
         queue = { policy = 'codel', limit = 'unlimited' }\n\
         access = { rate = '1Gbit' }\n[[flows]]\nname = 'f'\ncc = 'reno'\n",
    )
}

/// The peak memory of this process, on Linux.
fn most_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

fn within(plan: &Plan, memory: Bytes) -> Result<Run, Stopped> {
    let go_on = &mut |_| ControlFlow::Continue(());
    Simulator.execute(Job { memory, ..Job::new(plan, 1, go_on) })
}

#[test]
fn nothing_grows_beyond_the_budget() {
    let budget = Bytes::new(150_000_000);
    for (name, plan, packets) in [
        ("a page of a thousand million objects", dumbbell("100Mbit", "100pkt", WEB), false),
        ("100 Tbit/s into a queue without a limit", flood(), true),
        ("the same into one that keeps its packets", station(), true),
        ("large windows at once", windows(), true),
        ("a slow start without an end", endless(), true),
    ] {
        let stopped = within(&plan, budget);
        let Err(Stopped::OverBudget { budget: told, needed, .. }) = stopped else {
            panic!("{name}: {:?}", stopped.map(|run| run.events));
        };
        assert_eq!(told, budget);
        assert!(needed.total() > budget.get(), "{name}: {needed:?}");
        assert_eq!(needed.packets > needed.transfers, packets, "{name}: {needed:?}");
    }
    // including this program and what the allocator retains; without the budget each of
    // them takes gigabytes
    if let Some(most) = most_resident() {
        assert!(most < 300_000_000, "{most} bytes");
    }
}

fn text(run: Run) -> String {
    format!("{:?}", Run { wall: WallTime::ZERO, ..run })
}

#[test]
fn a_budget_ends_a_run_or_changes_nothing() {
    let flows = "[[flows]]\nname = 'f'\ncc = 'cubic'\ncount = 3\nrecovery = 'rack'\n\
        [[background]]\nname = 'udp'\nrate = '1Mbit'\non = '1ms'\noff = '1ms'\n";
    let plan = dumbbell("20Mbit", "100pkt", flows);
    let free = run(&plan, 1, &mut |_| ControlFlow::Continue(())).expect("no limit");
    let free = text(free);
    let mut ended = 0;
    // from too little, through what makes it check all the time, to rare checks
    for budget in [1_000_000, 20_000_000, 25_000_000, 50_000_000, 1_000_000_000] {
        match within(&plan, Bytes::new(budget)) {
            Ok(run) => assert!(text(run) == free, "{budget} bytes"),
            Err(Stopped::OverBudget { .. }) => ended += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!((1..4).contains(&ended), "{ended} were too small");
}

/// Within the 5 ms that a process may run ahead 100 Gbit/s are 41,667 segments, and
/// ten pauses; one event at a time there is none.
#[test]
fn where_it_pauses_is_not_seen() {
    let plan = plan(
        "profile = 'ns2'\nduration = '80ms'\n[dumbbell]\nrate = '100Gbit'\ndelay = '10ms'\n\
         queue = '200000pkt'\naccess = { rate = '400Gbit', delay = '5ms' }\n\
         [[flows]]\nname = 'f'\ncc = 'reno'\ncount = 2\ntcp.initial_window = 10000\n\
         [[background]]\nname = 'udp'\nrate = '50Gbit'\non = '1us'\noff = '1us'\n",
    );
    let go_on = &mut |_| ControlFlow::Continue(());
    let [ahead, one_by_one] = [true, false].map(|ahead| {
        let run =
            Engine::new(&plan, 1, ahead).run(Bytes::new(u64::MAX), go_on, None).expect("runs");
        text(Run { events: 0, ..run })
    });
    assert!(ahead == one_by_one);
}

/// Each of these would take minutes within one event: 10^10 periods of 2 us between two
/// packets, 10^9 objects at once.
#[test]
fn it_can_be_stopped_within_an_event() {
    let toggles = "[[background]]\nname = 'udp'\nrate = '1bit'\non = '1us'\noff = '1us'\n";
    for plan in [dumbbell("1Gbit", "100pkt", toggles), dumbbell("1Gbit", "100pkt", WEB)] {
        let mut asked = 0;
        let stopped = run(&plan, 1, &mut |_| {
            asked += 1;
            if asked == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(stopped.map(|_| ()), Err(Stopped::Interrupted));
        assert_eq!(asked, 3, "nothing is asked after the answer");
    }
}

/// 5,000 flows have 20,002 links: progress is called about four times for them before the
/// first event, and four times after the last.
#[test]
fn set_up_and_end_can_be_stopped() {
    let plan = plan(
        "profile = 'ns2'\nduration = '1ms'\n[dumbbell]\nrate = '1Gbit'\n\
         delay = '10ms'\nqueue = '10pkt'\naccess = { rate = '1Gbit' }\n\
         [[flows]]\nname = 'f'\ncc = 'reno'\ncount = 5000\nstart = '900us'\n",
    );
    let mut asked = 0;
    Engine::set_up(&plan, 1, true, &mut |_| {
        asked += 1;
        ControlFlow::Continue(())
    })
    .expect("nobody breaks off");
    assert!(asked >= 4, "{asked}");
    for most in 1..=asked {
        let mut left = most;
        let stopped = Engine::set_up(&plan, 1, true, &mut |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, Err(Stopped::Interrupted)));
    }
    let mut at_end = 0;
    let go_on = &mut |at| {
        at_end += usize::from(at == plan.end);
        ControlFlow::Continue(())
    };
    let engine = Engine::new(&plan, 1, true);
    engine.run(Bytes::new(u64::MAX), go_on, None).expect("nobody breaks off");
    assert!(at_end >= 4, "{at_end}");
    let stop = &mut |at| {
        if at == plan.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = Engine::new(&plan, 1, true).run(Bytes::new(u64::MAX), stop, None);
    assert_eq!(stopped.map(|_| ()), Err(Stopped::Interrupted));
}
