//! The goodput of each law through a bottleneck, alone and among others.

use crate::support::iperf::Iperf;
use crate::support::law::Loaded;
use crate::support::laws;
use crate::support::net::{Bottleneck, Net};
use crate::support::rights::rights;

/// 20 ms of transmission time.
const BOTTLENECK: Bottleneck = Bottleneck { rate: 100e6, queue: 250_000 };

/// 100 Mbit/s of frames of 1514 bytes carry 100 · 1448/1514 = 95.6 Mbit/s of data, of which
/// 95 % is 90.9. The first second is not counted: the law is still finding the path.
#[test]
fn each_law_fills_100_mbit_per_second() {
    if !rights("each law fills 100 Mbit/s") {
        return;
    }
    // four at a time, so that two cores have time for all of them
    for laws in laws().chunks(4) {
        let flows = laws.iter().map(|law| {
            // FAST settles only if the queue can hold alpha segments: 400 are too many here
            let loaded = Loaded::with(law, if *law == "fast" { "--alpha 80" } else { "" });
            let net = Net::new(BOTTLENECK);
            let flow = Iperf::start(&net, &loaded.name, 5201, 7);
            (law, loaded, net, flow)
        });
        let flows: Vec<_> = flows.collect();
        for (law, loaded, _net, flow) in flows {
            let received = flow.received();
            assert_eq!(received.law, loaded.name, "{law}");
            let share = received.goodput(1) / BOTTLENECK.goodput();
            assert!(
                share >= 0.95,
                "{law}: {share} of what the link carries: {:?}",
                received.seconds()
            );
        }
    }
}

/// All eight share one bottleneck. The test does not check how they share it, but that each
/// makes progress in every second except the first three, in which they find their shares.
#[test]
fn eight_flows_of_mixed_laws_run_without_a_stall() {
    if !rights("eight flows of mixed laws run without a stall") {
        return;
    }
    let net = Net::new(BOTTLENECK);
    let laws: Vec<Loaded> = laws().into_iter().map(Loaded::new).collect();
    let mut port = 5200;
    let flows = laws.iter().map(|law| {
        port += 1;
        Iperf::start(&net, &law.name, port, 30)
    });
    let flows: Vec<Iperf> = flows.collect();
    for (law, flow) in laws.iter().map(|law| &law.name).zip(flows) {
        let seconds = flow.received().seconds();
        assert!(seconds.len() >= 30, "{law}: {} seconds", seconds.len());
        // after second 30 comes only part of a second
        let stalls = seconds[3..30].iter().filter(|rate| **rate == 0.0).count();
        assert_eq!(stalls, 0, "{law}: {seconds:?}");
    }
}
