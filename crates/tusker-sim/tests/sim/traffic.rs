//! Connections that come and go, compared with arithmetic: every expected time is
//! worked out here, by hand. All seeds are 1.

use crate::support::{run_ahead, simulate};
use tusker_core::Time;
use tusker_plan::plan::Plan;
use tusker_plan::run::{Run, Transfer};
use tusker_scenario::Scenario;
use tusker_sim::Engine;

fn took(transfer: &Transfer) -> Option<u64> {
    Some(transfer.end?.since(transfer.begin).nanos())
}

/// 100 Mbit/s, 10 ms, with access links of 1 Gbit/s, 1 ms.
fn over_a_dumbbell(duration: u32, arrivals: &str) -> (Plan, Run) {
    simulate(&format!(
        "profile = 'ns2'\nduration = '{duration}s'\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '1000pkt'\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[arrivals]]\nname = 'a'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         {arrivals}\n"
    ))
}

/// One way: 1 + 10 + 1 ms; 1500 bytes take 12 + 120 + 12 us, 40 bytes 0.32 +
/// 3.2 + 0.32 us.
const DATA: u64 = 12_000_000 + 144_000;
const SMALL: u64 = 12_000_000 + 3_840;
const RTT: u64 = DATA + SMALL;

/// Thirty segments from a window of two: rounds of 2, 4, 8 and 16. The last
/// segment is 15 times 120 us behind the first of the fourth round.
const THIRTY: u64 = 3 * RTT + DATA + 15 * 120_000;

/// Those that had the path to themselves: nothing else was under way from a second
/// before their start to their end.
fn alone(all: &[Transfer]) -> Vec<&Transfer> {
    let second = tusker_core::Duration::from_millis(1000);
    let apart = |a: &Transfer, b: &Transfer| {
        a.begin == b.begin || a.end.is_some_and(|end| end < b.begin) || {
            b.end.is_some_and(|end| end + second < a.begin)
        }
    };
    let done = all.iter().filter(|t| t.end.is_some());
    done.filter(|t| all.iter().all(|other| apart(t, other))).collect()
}

/// One transfer every 20 s, 0.12 s each: the load is 0.6 %, and each takes what
/// it would take alone: a round trip of 40 bytes to open, then slow start.
#[test]
fn at_low_load_a_transfer_takes_its_rounds_of_slow_start() {
    let (_, run) = over_a_dumbbell(
        4_000,
        "rate = 0.05\nsize = '43800B'\ntcp.initial_window = 2\nconnections = 3",
    );
    let all = &run.traffic[0].transfers;
    // 200 are expected, with a deviation of 14
    assert!((150..250).contains(&all.len()), "{}", all.len());
    let alone = alone(all);
    assert!(alone.len() * 10 >= all.len() * 8, "{} of {}", alone.len(), all.len());
    for transfer in alone {
        assert_eq!(took(transfer), Some(2 * SMALL + THIRTY), "{transfer:?}");
        assert_eq!((transfer.bytes, transfer.objects, transfer.waited), (43_800, 1, 0));
    }
    let times: Vec<f64> = all.iter().filter_map(took).map(|ns| ns as f64).collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    // two that overlap share a path that both fill only in bursts
    assert!((mean / (2 * SMALL + THIRTY) as f64 - 1.0).abs() < 0.005, "{mean}");
}

#[test]
fn without_a_handshake_data_begin_at_once() {
    let (_, run) = over_a_dumbbell(
        400,
        "rate = 0.05\nsize = '43800B'\ntcp.initial_window = 2\nhandshake = false",
    );
    for transfer in alone(&run.traffic[0].transfers) {
        assert_eq!(took(transfer), Some(THIRTY), "{transfer:?}");
    }
}

/// One slot and more transfers than it can take: each begins with the last ACK
/// of the one before, and takes as long as the first. So do they when the queue
/// is too short for slow start, and each loses segments, and when ACKs are
/// delayed, time out or carry timestamps.
#[test]
fn a_slot_repeats_its_first_transfer_to_the_nanosecond() {
    for tcp in [
        "recovery = 'sack'",
        "recovery = 'reno'",
        "recovery = 'newreno'",
        "recovery = 'rack'\ntcp.timestamps = true",
        "recovery = 'rack'\ntcp.delayed_ack = '40ms'",
        "recovery = 'sack'\ntcp.pacing = true\ntcp.slow_start = 'hystart++'",
        "recovery = 'sack'\nhandshake = false",
    ] {
        for queue in [1000, 6] {
            let (_, run) = simulate(&format!(
                "profile = 'ns2'\nduration = '200s'\n\
                 [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '{queue}pkt'\n\
                 access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
                 [[arrivals]]\nname = 'a'\ncc = 'hstcp'\nhost_queue = 'unlimited'\nrate = 100\n\
                 connections = 1\nsize = '200kB'\ntcp.ns2_details = false\n{tcp}\n"
            ));
            let all = &run.traffic[0].transfers;
            let ends: Vec<Time> = all.iter().filter_map(|t| t.end).collect();
            let first = ends[1].since(ends[0]);
            assert!(ends.len() > 20, "{tcp}: {} in 200 s", ends.len());
            for pair in ends.windows(2) {
                assert_eq!(pair[1].since(pair[0]), first, "{tcp}, {queue} packets");
            }
            let flow = &run.flows[0];
            println!("{tcp}, {queue}: {first:?}, {} again", flow.retransmitted);
            // paced segments need no queue
            let loses = queue == 6 && !tcp.contains("pacing");
            assert_eq!(flow.retransmitted > 0, loses, "{tcp}, {queue} packets");
            assert!(all[1].waited == 1 && flow.finished.is_none());
        }
    }
}

/// The opening is lost with probability 0.3 on the way there. Without loss a
/// transfer of one segment takes 2 SMALL + DATA; each lost opening is repeated
/// by the timer, 1 s after the first, 2 s after the second, ...; a lost segment
/// by a timer of 3 s after a lost opening (RFC 6298, section 5.7), else by the
/// least RTO, 200 ms after it left.
#[test]
fn a_lost_opening_waits_for_the_timer() {
    let (_, run) = simulate(
        "profile = 'ns2'\nduration = '4000s'\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '1000pkt'\nloss = 0.3\n\
         access = { rate = '1Gbit', delay = '1ms', queue = 'unlimited' }\n\
         [[arrivals]]\nname = 'a'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         rate = 0.02\nsize = '1460B'\ntcp.ns2_details = false\ntcp.rto.initial = '1s'\n",
    );
    let all = &run.traffic[0].transfers;
    let base = 2 * SMALL + DATA;
    let count = |extra: u64| all.iter().filter(|t| took(t) == Some(base + extra)).count();
    let (none, one, data, both) =
        (count(0), count(1_000_000_000), count(200_000_000), count(4_000_000_000));
    println!("{} transfers: {none}, {one}, {data}, {both}", all.len());
    // shares 0.49, 0.147 and 0.147 of about 80, and 0.044
    assert!(none > all.len() / 3, "{none} of {}", all.len());
    assert!(one >= 4, "{one}");
    assert!(data >= 4, "{data}");
    assert!(both >= 1, "{both}");
}

/// One user, one server, constants. The server is 1 Gbit/s and 15 ms away from
/// the router, the client 100 Mbit/s and 20 ms, the path between them 100
/// Mbit/s and 10 ms.
fn page(more: &str) -> Run {
    simulate(&format!(
        "profile = 'ns2'\nduration = '100s'\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '1000pkt'\n\
         [[web]]\nname = 'w'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         sessions = 1\nstart = '3s'\n\
         servers = {{ count = 1, rate = '1Gbit', delay = '15ms' }}\n\
         clients = {{ count = 1, rate = '100Mbit', delay = '20ms' }}\n\
         object_size = '2920B'\ntcp.initial_window = 2\n{more}\n"
    ))
    .1
}

/// 45 ms, 12 + 120 + 120 us of 1500 bytes, 0.32 + 3.2 + 3.2 us of 40.
const THERE: u64 = 45_000_000 + 252_000;
const BACK: u64 = 45_000_000 + 6_720;

/// Objects begin at 0, 0.5 and 1 s; the last one takes a round trip of 40 bytes
/// and the way of its two segments, the second 120 us behind the first. The next
/// page begins a second after the end.
#[test]
fn response_time_by_hand() {
    let run = page(
        "objects = 2.5\nobject_interval = '500ms'\npage_interval = '1s'\nservers_per_session = 1",
    );
    let response = 1_000_000_000 + 2 * BACK + THERE + 120_000;
    let pages = &run.traffic[0].transfers;
    // 97 s in steps of 2.135 s: one is under way at the end
    assert_eq!(pages.len(), 46);
    for (i, page) in (0..).zip(&pages[..45]) {
        let begin = 3_000_000_000 + i * (response + 1_000_000_000);
        assert_eq!(page.begin.nanos(), begin, "page {i}");
        assert_eq!(took(page), Some(response), "page {i}");
        assert_eq!((page.bytes, page.objects, page.waited), (3 * 2920, 3, 0));
    }
}

/// With one connection the second object waits for the last ACK of the first.
/// The page interval is none: the next page begins with the last ACK, not with
/// the last byte.
#[test]
fn an_object_without_a_connection_waits() {
    let run = page("objects = 2\nobject_interval = '0s'\npage_interval = '0s'\nconnections = 1");
    let object = 2 * BACK + THERE + 120_000 + BACK;
    let pages = &run.traffic[0].transfers;
    for (i, page) in (0..).zip(&pages[..pages.len() - 1]) {
        assert_eq!(page.begin.nanos(), 3_000_000_000 + i * 2 * object, "page {i}");
        assert_eq!(took(page), Some(2 * object - BACK), "page {i}");
        assert_eq!(page.waited, 1);
    }
}

/// A Poisson process of 50 per second over 400 s: 20,000 with a deviation of
/// 141; exponential sizes of 10 kB in the mean, 0.7 % of error.
#[test]
fn arrivals_have_their_rate_and_their_sizes() {
    let (plan, run) =
        over_a_dumbbell(400, "rate = 50\nsize = { exponential = '10kB' }\nconnections = 300");
    let all = &run.traffic[0].transfers;
    assert!(all.len().abs_diff(20_000) < 450, "{}", all.len());
    let mean = all.iter().map(|t| t.bytes as f64).sum::<f64>() / all.len() as f64;
    assert!((mean / 10_000.0 - 1.0).abs() < 0.025, "{mean}");
    assert!(all.iter().all(|t| t.waited == 0));
    // the nominal load: 50 x 10 kB x 1500/1460 x 8 of 100 Mbit/s
    let (again, _) = over_a_dumbbell(
        1,
        "load = 0.0410958904109589\nsize = { exponential = '10kB' }\nconnections = 300",
    );
    let rate = |plan: &Plan| plan.traffic[0].mean_rate;
    assert!((rate(&plan) / 4_109_589.0 - 1.0).abs() < 1e-6, "{}", rate(&plan));
    assert!((rate(&again) / rate(&plan) - 1.0).abs() < 1e-9);
}

/// Processor sharing (M/G/1-PS; Kleinrock, Queueing Systems 2, section 4.4): the
/// mean time of transfers of size x is x / C / (1 - rho), whatever their
/// distribution. Connections come near that share one queue with a window of
/// eight each, all of it at once, on a path of half a packet: half of 10 Mbit/s,
/// 5400 small and 660 large transfers.
#[test]
fn half_loaded_a_link_is_shared_as_by_a_processor() {
    let (_, run) = simulate(
        "profile = 'ns2'\nduration = '4000s'\n\
         [dumbbell]\nrate = '10Mbit'\ndelay = '100us'\nqueue = '2000pkt'\n\
         access = { rate = '100Mbit', delay = '50us', queue = 'unlimited' }\n\
         [[arrivals]]\nname = 'a'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         load = 0.5\nsize = { list = ['200kB', '2MB'], weights = [8, 1] }\nconnections = 100\n\
         handshake = false\ntcp.initial_window = 8\ntcp.receive_buffer = '11680B'\n",
    );
    let all = &run.traffic[0].transfers;
    let mut ratios = Vec::new();
    for size in [200_000, 2_000_000] {
        let times = all.iter().filter(|t| t.bytes == size).filter_map(took);
        let times: Vec<f64> = times.map(|ns| ns as f64 * 1e-9).collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let alone = size as f64 / 1460.0 * 1500.0 * 8.0 / 10e6;
        println!("{size} B: {} took {mean:.4} s, {:.3} times alone", times.len(), mean / alone);
        ratios.push(mean / alone);
    }
    // 1 / (1 - 0.5)
    assert!(ratios.iter().all(|r| (1.85..2.15).contains(r)), "{ratios:?}");
}

/// Heavy traffic of all kinds over one bottleneck: everything is accounted for, and
/// computing ahead changes nothing.
#[test]
fn packets_of_slots_are_conserved() {
    let scenario = Scenario::parse(
        "test.toml",
        "profile = 'linux'\nduration = '20s'\n\
         [dumbbell]\nrate = '20Mbit'\ndelay = '10ms'\nqueue = '30pkt'\nloss = 0.001\n\
         access = { rate = '100Mbit', delay = '1ms' }\n\
         [[flows]]\nname = 'f'\ncc = 'hstcp'\n\
         [[arrivals]]\nname = 'a'\ncc = 'reno'\nload = 0.5\nsize = { pareto = '20kB', shape = 1.3 }\n\
         [[web]]\nname = 'w'\ncc = 'hstcp'\nsessions = 20\nstart = { uniform = ['0s', '5s'] }\n\
         servers = { count = 5, rate = '1Gbit', delay = ['1ms', '9ms'] }\n\
         clients = { count = 7, rate = ['10Mbit', '50Mbit'], delay = ['2ms', '5ms'] }\n\
         page_interval = { pareto = '1s', shape = 2 }\nobjects = { pareto = 3, shape = 1.5 }\n\
         object_interval = { pareto = '50ms', shape = 1.5 }\n\
         object_size = { pareto = '12kB', shape = 1.2 }\n",
        &[],
    );
    let plan = scenario.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{e:?}"));
    let run = |ahead| {
        let mut engine = Engine::new(&plan, 1, ahead);
        let mut steps = 0_u64;
        while engine.step() {
            steps += 1;
            if steps.is_multiple_of(97) {
                let t = engine.totals();
                assert_eq!(t.sent, t.arrived + t.dropped + t.in_flight, "{t:?}");
            }
        }
        let mut run = run_ahead(&plan, 1, ahead);
        (run.wall, run.events) = (std::time::Duration::ZERO, 0);
        run
    };
    let (ahead, step) = (run(true), run(false));
    for (a, b) in ahead.traffic.iter().zip(&step.traffic) {
        let differ = a.transfers.iter().zip(&b.transfers).find(|(a, b)| a != b);
        assert!(differ.is_none(), "{differ:?}");
    }
    assert!(ahead.traffic[0].transfers.len() > 100 && ahead.traffic[1].transfers.len() > 100);
    assert!(format!("{ahead:?}") == format!("{step:?}"));
}

/// A VBR source on the way back that is never on changes nothing; one that is
/// always on is a constant one, whatever its period and packets.
#[test]
fn vbr_is_nothing_at_0_and_constant_at_1() {
    let with = |background: &str| {
        let (_, run) = simulate(&format!(
            "profile = 'linux'\nduration = '5s'\n\
             [dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\nqueue = '20pkt'\n\
             access = {{ rate = '100Mbit', delay = '1ms' }}\n\
             [[flows]]\nname = 'f'\ncc = 'reno'\ncount = 2\n{background}\n"
        ));
        let sent: u64 = run.background.iter().map(|source| source.total.sent).sum();
        (format!("{:?} {:?}", run.flows, run.links), sent)
    };
    let vbr = "[[background]]\nname = 'v'\nrate = '9Mbit'\ndirection = 'reverse'";
    let nothing = with("");
    for packet in [100, 500, 1500] {
        let never = with(&format!("{vbr}\npacket = '{packet}B'\nshare = 0\nperiod = '1ms'"));
        assert_eq!(never.1, 0);
        assert!(never.0 == nothing.0, "{packet} B");
        let always = with(&format!("{vbr}\npacket = '{packet}B'\nshare = 1\nperiod = '1ms'"));
        let constant = with(&format!("{vbr}\npacket = '{packet}B'"));
        assert!(always == constant, "{packet} B");
        // 9 Mbit/s for 5 s, the packets at 0 s and at 5 s included
        assert!(always.1.abs_diff(5 * 9_000_000 / 8 / packet) <= 1, "{}", always.1);
        assert!(always.0 != nothing.0, "ACKs wait behind it");
    }
}

/// Eight connections that share one size finish when the last one does, and each sends
/// its part: 80,008 bytes are 10,001 each, seven segments of 1460.
#[test]
fn parallel_connections_share_a_size() {
    let (plan, run) = simulate(
        "profile = 'ns2'\nduration = '5s'\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '1000pkt'\n\
         access = { rate = '1Gbit', delay = '1ms' }\n\
         [[flows]]\nname = 'f'\ncc = 'reno'\nparallel = 8\nsize = '80008B'\n\
         start = { uniform = ['0s', '1s'] }\n",
    );
    assert_eq!((plan.applications.len(), run.flows.len()), (1, 8));
    for flow in &run.flows {
        assert_eq!(flow.start, run.flows[0].start, "they start together");
        assert_eq!(flow.total.delivered, 7);
        assert!(flow.finished.is_some());
    }
}

/// What the flows of a run counted: marks, and reductions that were undone.
fn counted(run: &Run) -> (u64, Option<u64>) {
    let undone = run.flows.iter().map(|flow| flow.undone).sum::<Option<u64>>();
    (run.flows.iter().map(|flow| flow.marked).sum(), undone)
}

/// A transfer of ten segments of 1460 bytes from a window of ten, one transfer at
/// a time: they reach the queue
/// 12 us apart, within the 120 us that the first one takes. Segment i from 1 finds i - 1
/// waiting, the one that is being sent not counted: with k = 4 the last four are marked.
#[test]
fn a_transfer_has_the_marks_that_arithmetic_gives_it() {
    let ten = |queue: &str, ecn: bool| {
        simulate(&format!(
            "profile = 'ns2'\nduration = '60s'\nmeasure = {{ from = '0s' }}\n\
             [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\n\
             queue = {{ limit = '1000pkt', {queue} }}\n\
             access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
             [[arrivals]]\nname = 'a'\ncc = 'reno'\nrecovery = 'sack'\n\
             host_queue = 'unlimited'\nrate = 0.3\nsize = '14600B'\nstop = '50s'\nconnections = 1\n\
             tcp.initial_window = 10\ntcp.ecn = {ecn}\n"
        ))
        .1
    };
    let run = ten("policy = 'step', k = 4, ecn = true", true);
    let all = &run.traffic[0].transfers;
    assert!(all.len() > 5 && all.iter().all(|transfer| transfer.end.is_some()), "{all:?}");
    assert_eq!(counted(&run), (4 * all.len() as u64, Some(0)));
    let queued: u64 = run.links.iter().map(|link| link.marked).sum();
    assert_eq!(queued, counted(&run).0);
    assert_eq!(counted(&ten("policy = 'droptail'", false)), (0, Some(0)));
}

/// Beside flows that cannot be marked, in a queue that drops those instead: all marks of the
/// queue are of the transfers, which share it and one another's connections.
#[test]
fn marks_are_counted_for_those_that_can_be_marked() {
    let (plan, run) = simulate(
        "profile = 'linux'\nduration = '30s'\nmeasure = { from = '0s' }\n\
         [dumbbell]\nrate = '20Mbit'\ndelay = '10ms'\n\
         queue = { policy = 'step', k = 10, limit = '1000pkt', ecn = true }\n\
         access = { rate = '1Gbit', delay = '1ms', queue = 'unlimited' }\n\
         [[flows]]\nname = 'f'\ncc = 'reno'\ntcp.ecn = false\n\
         [[arrivals]]\nname = 'a'\ncc = 'cubic'\nload = 0.5\nsize = { exponential = '100kB' }\n\
         connections = 5\nstop = '20s'\ntcp.ecn = true\n",
    );
    assert!(run.traffic[0].transfers.iter().all(|transfer| transfer.end.is_some()));
    assert!(run.traffic[0].transfers.len() > 50);
    let (lasting, slots) = run.flows.split_at(plan.lasting());
    let queued: u64 = run.links.iter().map(|link| link.marked).sum();
    assert!(queued > 100 && lasting[0].dropped > 0, "{queued}");
    assert_eq!(lasting[0].marked, 0);
    assert_eq!(slots.iter().map(|slot| slot.marked).sum::<u64>(), queued);
    assert!(slots.iter().all(|slot| slot.marked > 0), "each connection place was used");
}

/// The link stands still for 1.2 s while transfers are under way, and nothing is lost: a sender
/// that can tell undoes the timeouts of its data, and no other does.
#[test]
fn timeouts_of_transfers_on_a_path_that_stands_still_are_undone() {
    for undo in [true, false] {
        let (_, run) = simulate(&format!(
            "profile = 'linux'\nduration = '30s'\nmeasure = {{ from = '0s' }}\n\
             [dumbbell]\nrate = [{{at='0s',rate='100Mbit'}},{{at='12s',rate='1kbit'}},\
             {{at='13.2s',rate='100Mbit'}}]\ndelay = '28ms'\nqueue = 'unlimited'\n\
             access = {{ rate = '1Gbit', delay = '0.5ms' }}\n\
             [[arrivals]]\nname = 'a'\ncc = 'cubic'\nload = 0.5\nsize = '5MB'\nstop = '20s'\n\
             tcp.undo = {undo}\ntcp.frto = {undo}\n"
        ));
        let timeouts: u64 = run.flows.iter().map(|flow| flow.timeouts).sum();
        let (marked, undone) = counted(&run);
        println!("{undo}: {timeouts} timeouts, {undone:?} undone");
        assert!(timeouts > 0, "{undo}");
        assert_eq!(undone.is_some_and(|undone| undone > 0), undo, "{undone:?}");
        assert!(marked == 0 && undone.is_some(), "{undone:?}");
    }
}
