use super::*;
use tusker_scenario::Scenario;

/// A window that has room decides once per round trip: 100 times at 100 ms in
/// the 10 s that are measured, in which it grows past the product of 833
/// segments (of half the link). The law beside it has no modes.
#[test]
fn decisions_are_counted_once_per_round_trip_of_the_window() {
    let text = "profile = 'ns2'\nduration = '20s'\n[dumbbell]\nrate = '200Mbit'\n\
        delay = '50ms'\nqueue = '1000pkt'\naccess = { rate = '1Gbit', delay = '0s' }\n\
        [[flows]]\nname = 'gentle'\ncc = 'ghstcp'\ntcp.initial_ssthresh = 100\n\
        [[flows]]\nname = 'reno'\ncc = 'reno'\ntcp.initial_ssthresh = 100\n";
    let scenario = Scenario::parse("test.toml", text, &[]).expect("a scenario");
    let plan = scenario.plan().expect("a plan");
    let run = crate::run(&plan, 1, &mut |_| ControlFlow::Continue(()));
    let run = run.expect("nothing broke off");
    let modes = run.flows[0].modes.expect("gHSTCP has modes");
    let made = modes.below.made + modes.above.made;
    assert!(made.abs_diff(100) <= 3, "{modes:?}");
    assert!(modes.below.made > 0 && modes.above.made > 0, "{modes:?}");
    assert_eq!(run.flows[1].modes, None);
}

/// Losses of data and of ACKs, SACK blocks, delayed ACKs, other traffic.
#[test]
fn what_packets_carried_is_given_back() {
    let text = "profile = 'linux'\nduration = '100s'\n[dumbbell]\nrate = '10Mbit'\n\
        delay = '5ms'\nqueue = { policy = 'xcp', limit = '20pkt' }\nloss = 0.02\n\
        reverse = { loss = 0.02 }\naccess = { rate = '100Mbit' }\n\
        [[flows]]\nname = 'xcp'\ncc = 'xcp'\nsize = '2MB'\ncount = 2\n\
        [[flows]]\nname = 'vcp'\ncc = 'vcp'\nsize = '2MB'\n\
        [[flows]]\nname = 'reno'\ncc = 'reno'\nsize = '2MB'\n\
        [[background]]\nname = 'udp'\nrate = '1Mbit'\nstop = '90s'\n";
    let scenario = Scenario::parse("test.toml", text, &[]).expect("a scenario");
    let plan = scenario.plan().expect("a plan");
    for ahead in [true, false] {
        let mut engine = Engine::new(&plan, 1, ahead);
        let mut most = 0;
        while engine.step() {
            most = most.max(engine.net.headers_in_use());
        }
        assert!(engine.flows.iter().all(|flow| flow.finished.is_some()), "all is sent");
        assert!(most > 2, "{most} headers at most");
        assert_eq!(engine.net.headers_in_use(), 0, "ahead {ahead}");
    }
}

/// With so many flows, what senders need is read before they act.
#[test]
fn many_flows_give_the_same_results_one_by_one() {
    let text = "profile = 'linux'\nduration = '400ms'\n[dumbbell]\nrate = '1Gbit'\n\
        delay = '5ms'\nqueue = '500pkt'\naccess = { rate = '1Gbit' }\n\
        [[flows]]\nname = 'f'\ncc = 'reno'\ncount = 600\nstart = { uniform = ['0s', '0.1s'] }\n";
    let scenario = Scenario::parse("test.toml", text, &[]).expect("a scenario");
    let plan = scenario.plan().expect("a plan");
    let run = |ahead| {
        let engine = Engine::new(&plan, 1, ahead);
        assert_eq!(engine.net.processes.need_warmth(Time::ZERO), ahead);
        let go_on = &mut |_| ControlFlow::Continue(());
        let run = engine.run(Bytes::new(u64::MAX), go_on, None).expect("nothing broke off");
        format!("{:?}", (run.flows, run.links))
    };
    assert_eq!(run(true), run(false));
}
