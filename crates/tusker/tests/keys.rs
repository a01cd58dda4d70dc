//! Every key of a scenario has an effect: it changes the plan, and also the result of the
//! simulation. The test also fails if the schema has a key that this list does not.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;

const DUMBBELL: &str = r#"
profile = "ns2"
duration = "6s"

[dumbbell]
rate = "10Mbit"
delay = "10ms"
queue = "20pkt"
access = { rate = "100Mbit", delay = "1ms" }

[[flows]]
name = "a"
count = 2
cc = "reno"

[[background]]
name = "u"
rate = "1Mbit"
"#;

const COMING: &str = r#"
profile = "ns2"
duration = "6s"

[dumbbell]
rate = "10Mbit"
delay = "10ms"
queue = "20pkt"
access = { rate = "100Mbit", delay = "1ms" }

[[arrivals]]
name = "c"
cc = "reno"
rate = 20
size = { exponential = "20kB" }

[[web]]
name = "w"
cc = "reno"
sessions = 4
servers = { count = 6, rate = "1Gbit", delay = ["1ms", "9ms"] }
clients = { count = 3, rate = ["20Mbit", "50Mbit"], delay = "4ms" }
page_interval = "200ms"
objects = 9.5
object_interval = "5ms"
object_size = { pareto = "12kB", shape = 1.5 }
"#;

const LOT: &str = r#"
profile = "ns2"
duration = "4s"

[parking-lot]
hops = 2
rate = "10Mbit"
delay = "5ms"
queue = "10pkt"
access = { rate = "100Mbit", delay = "1ms" }

[[flows]]
name = "a"
cc = "reno"
recovery = "sack"
"#;

const GRAPH: &str = r#"
profile = "ns2"
duration = "4s"
nodes = ["A", "B", "C"]

[[links]]
from = "A"
to = "B"
rate = "10Mbit"
delay = "5ms"
queue = "10pkt"

[[links]]
from = "B"
to = "A"
name = "second"
rate = "10Mbit"
delay = "6ms"
queue = "10pkt"

[[links]]
from = "B"
to = "C"
rate = "10Mbit"
delay = "5ms"
queue = "10pkt"

[[flows]]
name = "a"
from = "A"
to = "B"
cc = "reno"
recovery = "sack"
"#;

macro_rules! keys {
    ($($key:literal $([$($before:literal),*])? => $change:literal;)*) => {
        &[$(($key, &[$($($before),*)?], $change)),*]
    };
}

/// Key, what is set before in brackets, what is set then.
const KEYS: &[(&str, &[&str], &str)] = keys! {
    "Scenario.profile" => "profile=linux";
    "Scenario.duration" ["measure.from=2s", "measure.to=4s"] => "duration=7s";
    "Scenario.measure" => "measure.from=2s";
    "Scenario.host_time" => "host_time=10us";
    "Scenario.hosts" ["dumbbell.rate=200Mbit", "dumbbell.access.rate=1Gbit", "dumbbell.delay=98ms",
            "dumbbell.queue=unlimited"] => "hosts=stock-linux";
    "HostTime.exponential" => "host_time={ exponential = '5us' }";
    "Measure.from" ["measure.from=3s"] => "measure.from=2s";
    "Measure.to" ["measure.from=3s"] => "measure.to=5s";
    "Scenario.trace" => "trace.interval=100ms";
    "Trace.interval" ["trace.interval=100ms"] => "trace.interval=50ms";
    "Trace.flows" ["trace.interval=100ms"] => "trace.flows=false";
    "Trace.links" ["trace.interval=100ms"] => "trace.links=all";
    "Scenario.tcp" => "tcp.initial_window=4";
    "Scenario.flows" => "flows.a.count=3";
    "Scenario.background" => "background=[]";
    "Scenario.dumbbell" => "dumbbell.rate=9Mbit";
    "Dumbbell.rate" => "dumbbell.rate=9Mbit";
    "Dumbbell.delay" => "dumbbell.delay=11ms";
    "Dumbbell.queue" => "dumbbell.queue=19pkt";
    "Dumbbell.loss" => "dumbbell.loss=0.01";
    "Loss.p" ["dumbbell.loss={ p = 0.01, r = 0.5 }"] => "dumbbell.loss.p=0.02";
    "Loss.r" ["dumbbell.loss={ p = 0.02, r = 0.5 }"] => "dumbbell.loss.r=0.2";
    "Loss.loss_good" ["dumbbell.loss={ p = 0.01, r = 0.5 }"] => "dumbbell.loss.loss_good=0.05";
    "Loss.loss_bad" ["dumbbell.loss={ p = 0.05, r = 0.2 }"] => "dumbbell.loss.loss_bad=0.4";
    "Loss.mean" ["dumbbell.loss={ mean = 0.02, burst = 3 }"] => "dumbbell.loss.mean=0.04";
    "Loss.burst" ["dumbbell.loss={ mean = 0.04, burst = 3 }"] => "dumbbell.loss.burst=6";
    "Dumbbell.jitter" => "dumbbell.jitter=2ms";
    "Jitter.distribution" ["dumbbell.jitter={ distribution = 'exponential', mean = '2ms' }"]
        => "dumbbell.jitter={ distribution = 'uniform', max = '20ms' }";
    "Jitter.mean" ["dumbbell.jitter={ distribution = 'exponential', mean = '2ms' }"]
        => "dumbbell.jitter.mean=3ms";
    "Jitter.sd" ["dumbbell.jitter={ distribution = 'normal', mean = '2ms', sd = '1ms' }"]
        => "dumbbell.jitter.sd=500us";
    "Jitter.max" ["dumbbell.jitter={ distribution = 'normal', mean = '2ms', sd = '1ms' }"]
        => "dumbbell.jitter.max=3ms";
    "Jitter.reorder" ["dumbbell.jitter={ distribution = 'uniform', max = '9ms' }"]
        => "dumbbell.jitter.reorder=true";
    "RateStep.at" ["dumbbell.rate=[{ at = '0s', rate = '9Mbit' }, { at = '3s', rate = '5Mbit' }]"]
        => "dumbbell.rate.1.at=4s";
    "RateStep.rate" ["dumbbell.rate=[{ at = '0s', rate = '9Mbit' }, { at = '3s', rate = '5Mbit' }]"]
        => "dumbbell.rate.1.rate=6Mbit";
    "RateStep.rate" ["dumbbell.rate={ every = '2s', steps = [{ at = '0s', rate = '9Mbit' }, { at = '1s', rate = '5Mbit' }] }"]
        => "dumbbell.rate.every=3s";
    "DelayStep.at" ["dumbbell.delay=[{ at = '0s', delay = '9ms' }, { at = '3s', delay = '5ms' }]"]
        => "dumbbell.delay.1.at=4s";
    "DelayStep.delay" ["dumbbell.delay=[{ at = '0s', delay = '9ms' }, { at = '3s', delay = '5ms' }]"]
        => "dumbbell.delay.1.delay=6ms";
    "DelayStep.reorder" ["dumbbell.delay={ every = '1s', steps = [{ at = '0s', delay = '90ms' }, { at = '500ms', delay = '5ms' }] }"]
        => "dumbbell.delay.reorder=true";
    "LossStep.at" ["dumbbell.loss=[{ at = '0s', loss = 0 }, { at = '2s', loss = 0.01 }]"]
        => "dumbbell.loss.1.at=4s";
    "LossStep.loss" ["dumbbell.loss=[{ at = '0s', loss = 0 }, { at = '2s', loss = 0.01 }]"]
        => "dumbbell.loss.1.loss=0.02";
    "JitterStep.at" ["dumbbell.jitter=[{ at = '0s', jitter = '0s' }, { at = '2s', jitter = '3ms' }]"]
        => "dumbbell.jitter.1.at=4s";
    "JitterStep.jitter" ["dumbbell.jitter=[{ at = '0s', jitter = '0s' }, { at = '2s', jitter = '3ms' }]"]
        => "dumbbell.jitter.1.jitter=2ms";
    "Dumbbell.down" => "dumbbell.down={ at = '2s', for = '200ms' }";
    "Outage.at" ["dumbbell.down=[{ at = '2s', for = '200ms' }]"] => "dumbbell.down.0.at=3s";
    "Outage.for" ["dumbbell.down=[{ at = '4s', for = '200ms' }]"] => "dumbbell.down.0.for=400ms";
    "Down.every" ["dumbbell.down={ at = '1s', for = '200ms' }"] => "dumbbell.down.every=2s";
    "Down.waiting" ["dumbbell.down={ at = '4s', for = '200ms' }"] => "dumbbell.down.waiting=drop";
    "LinkRate.opportunities" ["dumbbell.rate={ trace = 'a', opportunities = '0 1 1' }"]
        => "dumbbell.rate.opportunities='0 0 1'";
    "Queue.target" ["dumbbell.queue={policy='codel', limit='200pkt'}"]
        => "dumbbell.queue.target=1ms";
    "Queue.qdelay_ref" ["dumbbell.queue={policy='pie', limit='200pkt'}"]
        => "dumbbell.queue.qdelay_ref=5ms";
    "Queue.quantum" ["dumbbell.queue={policy='fq_codel', limit='200pkt'}"]
        => "dumbbell.queue.quantum=9000";
    "Dumbbell.reverse" => "dumbbell.reverse.delay=11ms";
    "Dumbbell.access" => "dumbbell.access.delay=2ms";
    "Reverse.rate" => "dumbbell.reverse.rate=100kbit";
    "Reverse.delay" => "dumbbell.reverse.delay=11ms";
    "Reverse.queue" ["dumbbell.reverse.rate=100kbit"] => "dumbbell.reverse.queue=2pkt";
    "Reverse.loss" => "dumbbell.reverse.loss=0.3";
    "Reverse.jitter" => "dumbbell.reverse.jitter=9ms";
    "Reverse.down" => "dumbbell.reverse.down={ at = '4s', for = '200ms' }";
    "Access.rate" => "dumbbell.access.rate=9Mbit";
    "Access.delay" => "flows.a.access.delay=2ms";
    "Access.queue" ["dumbbell.access.rate=4Mbit"] => "dumbbell.access.queue=1pkt";
    "Queue.limit" => "dumbbell.queue.limit=21pkt";
    "Queue.policy" => "dumbbell.queue.policy=red";
    "Queue.classes" ["dumbbell.queue.policy=wred"]
        => "dumbbell.queue.classes=[{ dscp = 0, min_th = 2, max_th = 4 }]";
    "Class.dscp" ["dumbbell.queue.policy=wred",
        "dumbbell.queue.classes=[{ dscp = 'ef', min_th = 2, max_th = 4 }]"]
        => "dumbbell.queue.classes.0.dscp=[46, '0..7']";
    "Class.min_th" ["dumbbell.queue.policy=wred",
        "dumbbell.queue.classes=[{ dscp = 0, min_th = 2, max_th = 8 }]"]
        => "dumbbell.queue.classes.0.min_th=5";
    "Class.max_th" ["dumbbell.queue.policy=wred",
        "dumbbell.queue.classes=[{ dscp = 0, min_th = 2, max_th = 8 }]"]
        => "dumbbell.queue.classes.0.max_th=4";
    "Class.max_p" ["dumbbell.queue.policy=wred",
        "dumbbell.queue.classes=[{ dscp = 0, min_th = 2, max_th = 8 }]"]
        => "dumbbell.queue.classes.0.max_p=0.9";
    "Queue.ecn" ["dumbbell.queue.policy=red", "tcp.ecn=true"] => "dumbbell.queue.ecn=true";
    "Queue.mean_packet" ["dumbbell.queue.policy=red"] => "dumbbell.queue.mean_packet=300B";
    "Queue.min_th" ["dumbbell.queue.policy=red"] => "dumbbell.queue.min_th=3pkt";
    "Queue.gentle" ["dumbbell.queue={policy='red', limit='20pkt', w_q=1, min_th=2, max_th=4}"]
        => "dumbbell.queue.gentle=true";
    "Queue.interval" ["dumbbell.queue.policy=ared"] => "dumbbell.queue.interval=100ms";
    "Flows.name" ["flows.a.start.uniform=['0s', '1s']"] => "flows.a.name=b";
    "Flows.count" => "flows.a.count=1";
    "Flows.from" => "flows.a={name='a', from='R2', to='R1', cc='reno'}";
    "Flows.to" ["background.u.rate=10Mbit"] => "flows.a={name='a', from='R2', to='R1', cc='reno'}";
    "Flows.direction" => "flows.a.direction=reverse";
    "Flows.cc" ["tcp.initial_ssthresh=20", "dumbbell.queue=200pkt"] => "flows.a.cc=hstcp";
    "Cc.w_low" ["flows.a.cc=hstcp", "dumbbell.queue=200pkt"] => "flows.a.cc.w_low=10";
    "Flows.recovery" => "flows.a.recovery=newreno";
    "Flows.access" => "flows.a.access.rate=9Mbit";
    "Flows.host_queue" ["dumbbell.access.rate=4Mbit"] => "flows.a.host_queue=4pkt";
    "Flows.hosts" ["dumbbell.rate=200Mbit", "dumbbell.access.rate=1Gbit", "dumbbell.delay=98ms",
            "dumbbell.queue=unlimited"] => "flows.a.hosts=stock-linux";
    "Flows.start" => "flows.a.start=1s";
    "Start.uniform" => "flows.a.start={uniform=['0s', '1s']}";
    "Start.first" => "flows.a.start={first='0s', every='1s'}";
    "Flows.stop" => "flows.a.stop=4s";
    "Flows.size" => "flows.a.size=300kB";
    "Flows.tcp" => "flows.a.tcp.initial_window=4";
    "Flows.parallel" => "flows.a.parallel=2";
    "Scenario.arrivals" => "arrivals.c.rate=19";
    "Arrivals.name" => "arrivals.c.name=d";
    "Arrivals.rate" => "arrivals.c.rate=19";
    "Arrivals.load" => "arrivals.0={name='c', cc='reno', load=0.2, size='20kB'}";
    "Arrivals.size" => "arrivals.c.size=20kB";
    "Arrivals.connections" => "arrivals.c.connections=2";
    "Arrivals.handshake" => "arrivals.c.handshake=false";
    "Arrivals.from"
        => "arrivals.0={name='c', cc='reno', rate=20, size={exponential='20kB'}, from='R2', to='R1'}";
    "Arrivals.to"
        => "arrivals.0={name='c', cc='reno', rate=20, size={exponential='20kB'}, from='R2', to='R1'}";
    "Arrivals.direction" => "arrivals.c.direction=reverse";
    "Arrivals.cc" [
        "arrivals.c.size=2MB", "arrivals.c.rate=1", "dumbbell.queue=200pkt",
        "tcp.initial_ssthresh=20"
    ] => "arrivals.c.cc=hstcp";
    "Arrivals.recovery" ["arrivals.c.size=200kB"] => "arrivals.c.recovery=sack";
    "Arrivals.access" => "arrivals.c.access.rate=9Mbit";
    "Arrivals.host_queue" ["dumbbell.access.rate=2Mbit"] => "arrivals.c.host_queue=2pkt";
    "Arrivals.start" => "arrivals.c.start=1s";
    "Arrivals.stop" => "arrivals.c.stop=4s";
    "Arrivals.hosts" ["arrivals.c.size=20MB", "dumbbell.rate=200Mbit",
            "dumbbell.access.rate=1Gbit", "dumbbell.delay=98ms", "dumbbell.queue=unlimited"]
        => "arrivals.c.hosts=stock-linux";
    "Arrivals.tcp" => "arrivals.c.tcp.initial_window=4";
    "Scenario.web" => "web.w.sessions=3";
    "Web.name" => "web.w.name=v";
    "Web.sessions" => "web.w.sessions=3";
    "Web.servers" => "web.w.servers.count=5";
    "Web.clients" => "web.w.clients.count=2";
    "Hosts.count" => "web.w.clients.count=2";
    "Hosts.rate" => "web.w.clients.rate=30Mbit";
    "Hosts.delay" => "web.w.servers.delay=5ms";
    "Web.servers_per_session" => "web.w.servers_per_session=2";
    "Web.connections" => "web.w.connections=1";
    "Web.handshake" => "web.w.handshake=false";
    "Web.page_interval" => "web.w.page_interval=210ms";
    "Web.objects" => "web.w.objects=3";
    "Web.object_interval" => "web.w.object_interval=6ms";
    "Web.object_size" => "web.w.object_size=12kB";
    "Web.from" ["web.w.to=R1"] => "web.w.from=R2";
    "Web.to" ["web.w.from=R2"] => "web.w.to=R1";
    "Web.direction" => "web.w.direction=reverse";
    "Web.cc" [
        "arrivals=[]", "web.w.sessions=1", "web.w.objects=1", "web.w.object_size=20MB",
        "dumbbell.queue=200pkt", "tcp.initial_ssthresh=20"
    ] => "web.w.cc=hstcp";
    "Web.recovery" => "web.w.recovery=sack";
    "Web.queue" ["web.w.clients.rate=2Mbit"] => "web.w.queue=2pkt";
    "Web.host_queue" ["web.w.servers.rate=2Mbit"] => "web.w.host_queue=2pkt";
    "Web.start" => "web.w.start=1s";
    "Web.stop" => "web.w.stop=4s";
    "Web.hosts" ["web.w.object_size=20MB", "web.w.objects=1", "web.w.sessions=1",
            "web.w.servers.rate=1Gbit", "web.w.clients.rate=1Gbit", "dumbbell.rate=200Mbit",
            "dumbbell.delay=98ms", "dumbbell.queue=unlimited"]
        => "web.w.hosts=stock-linux";
    "Web.tcp" => "web.w.tcp.initial_window=4";
    "Background.name" ["background.u.jitter=0.5"] => "background.u.name=v";
    "Background.count" => "background.u.count=2";
    "Background.from" => "background.0={name='u', rate='1Mbit', from='R2', to='R1'}";
    "Background.to" => "background.0={name='u', rate='1Mbit', from='R2', to='R1'}";
    "Background.direction" => "background.u.direction=reverse";
    "Background.rate" => "background.u.rate=2Mbit";
    "Background.packet" => "background.u.packet=500B";
    "Background.dscp" ["dumbbell.queue.policy=wred", "dumbbell.queue.min_th=1pkt",
        "dumbbell.queue.max_th=2pkt"] => "background.u.dscp=af11";
    "Background.jitter" => "background.u.jitter=0.5";
    "Background.on" ["background.0={name='u', rate='1Mbit', on='10ms', off='10ms'}"]
        => "background.u.on=20ms";
    "Background.off" ["background.0={name='u', rate='1Mbit', on='10ms', off='10ms'}"]
        => "background.u.off=20ms";
    "Background.share" => "background.u.share=0.5";
    "Background.period" ["background.u.share=0.5"] => "background.u.period=100ms";
    "Background.start" => "background.u.start=3500ms";
    "Background.stop" => "background.u.stop=4s";
    "Flows.app" => "flows.a.app={rate='1Mbit'}";
    "App.rate" ["flows.a.app={rate='1Mbit'}"] => "flows.a.app.rate=2Mbit";
    "App.every" ["flows.a.app={write='5kB',every='50ms'}"] => "flows.a.app.every=20ms";
    "App.write" ["flows.a.app={rate='1Mbit'}"] => "flows.a.app.write=5kB";
    "App.on" ["flows.a.app={rate='1Mbit',on='1s',off='1s'}"] => "flows.a.app.on=500ms";
    "App.off" ["flows.a.app={rate='1Mbit',on='1s',off='1s'}"] => "flows.a.app.off=500ms";
    "Tcp.recovery" => "tcp.recovery=sack";
    "Tcp.prr" ["tcp.recovery=sack"] => "tcp.prr=true";
    "Tcp.limited_transmit" ["dumbbell.queue=4pkt"] => "tcp.limited_transmit=false";
    "Tcp.impatient" ["tcp.recovery=newreno", "dumbbell.delay=100ms", "dumbbell.queue=50pkt"]
        => "tcp.impatient=false";
    "Tcp.ns2_details" ["dumbbell.queue=4pkt"] => "tcp.ns2_details=false";
    "Tcp.linux_details" ["tcp.recovery=rack"] => "tcp.linux_details=true";
    "Tcp.segmentation" ["profile=linux", "tcp.initial_window=10"] => "tcp.segmentation=false";
    // the receiver tells the latest four blocks again; it takes more holes
    "Tcp.forget_sack_on_timeout" [
        "tcp.recovery=sack", "tcp.initial_window=100", "dumbbell.queue=200pkt", "dumbbell.loss=0.2"
    ] => "tcp.forget_sack_on_timeout=false";
    // a path whose packets overtake each other
    "Tcp.undo" [
        "tcp.recovery=sack", "dumbbell.jitter={max='20ms',distribution='uniform',reorder=true}"
    ] => "tcp.undo=true";
    // and one that stands still for a while
    "Tcp.frto" [
        "tcp.recovery=newreno",
        "dumbbell.rate=[{at='0s',rate='10Mbit'},{at='4s',rate='1kbit'},{at='5s',rate='10Mbit'}]"
    ] => "tcp.frto=true";
    "Tcp.after_idle" ["flows.a.app={write='100kB',every='1s'}", "tcp.initial_window=2"]
        => "tcp.after_idle=restart";
    "Tcp.max_burst" ["tcp.initial_window=10"] => "tcp.max_burst=2";
    "Tcp.scoreboard" ["tcp.recovery=sack"] => "tcp.scoreboard=2";
    "Tcp.segments_per_packet" => "tcp.segments_per_packet=2";
    "Tcp.delayed_ack" => "tcp.delayed_ack=40ms";
    "Tcp.initial_window" => "tcp.initial_window=10";
    "Tcp.initial_ssthresh" => "tcp.initial_ssthresh=8";
    "Tcp.slow_start" ["dumbbell.delay=50ms", "dumbbell.queue=100pkt"] => "tcp.slow_start=hystart++";
    "SlowStart.max_ssthresh" ["tcp.slow_start=limited"] => "tcp.slow_start.max_ssthresh=4";
    "Tcp.counting" ["tcp.delayed_ack=40ms"] => "tcp.counting=segments";
    "Tcp.timestamps" ["tcp.recovery=sack"] => "tcp.timestamps=true";
    "Tcp.ecn" ["dumbbell.queue.policy=red", "dumbbell.queue.ecn=true"] => "tcp.ecn=true";
    "Tcp.ecn" ["dumbbell.queue.policy=red", "dumbbell.queue.ecn=true", "tcp.ecn=true"]
        => "tcp.ecn=accurate";
    "Tcp.pacing" => "tcp.pacing=true";
    "Tcp.gro" => "tcp.gro=true";
    "Tcp.dscp" ["dumbbell.queue.policy=wred", "dumbbell.queue.min_th=1pkt",
        "dumbbell.queue.max_th=2pkt"] => "tcp.dscp=af11";
    "Tcp.packet" => "tcp.packet=1000B";
    "Tcp.header" ["flows.a.size=300kB"] => "tcp.header=80B";
    "Tcp.ack" => "tcp.ack=80B";
    "Tcp.sack_bytes" ["tcp.recovery=sack", "dumbbell.reverse.rate=200kbit"]
        => "tcp.sack_bytes=false";
    "Tcp.send_buffer" => "tcp.send_buffer=20kB";
    "Tcp.receive_buffer" => "tcp.receive_buffer=20kB";
    "Tcp.rmem" => "tcp.rmem=128KiB";
    "Tcp.rto" ["dumbbell.loss=0.1"] => "tcp.rto.min=400ms";
    "Rto.initial" ["dumbbell.loss=0.9"] => "tcp.rto.initial=1s";
    "Rto.min" ["dumbbell.loss=0.1"] => "tcp.rto.min=400ms";
    "Rto.max" ["dumbbell.loss=0.3", "tcp.rto.initial=200ms"] => "tcp.rto.max=200ms";
    "Rto.granularity" ["dumbbell.loss=0.1", "tcp.rto.min=0s"] => "tcp.rto.granularity=70ms";
    "Scenario.parking-lot" => "parking-lot.rate=9Mbit";
    "ParkingLot.hops" => "parking-lot.hops=3";
    "ParkingLot.rate" => "parking-lot.rate=9Mbit";
    "ParkingLot.delay" => "parking-lot.delay=6ms";
    "ParkingLot.queue" => "parking-lot.queue=9pkt";
    "ParkingLot.loss" => "parking-lot.loss=0.01";
    "ParkingLot.jitter" => "parking-lot.jitter=2ms";
    "ParkingLot.down" => "parking-lot.down={ at = '2s', for = '200ms' }";
    "ParkingLot.reverse" => "parking-lot.reverse.delay=6ms";
    "ParkingLot.access" => "parking-lot.access.delay=2ms";
    "Hop.rate" => "parking-lot.hops=[{}, { rate = '5Mbit' }]";
    "Hop.delay" => "parking-lot.hops=[{}, { delay = '6ms' }]";
    "Hop.queue" => "parking-lot.hops=[{ queue = '5pkt' }, {}]";
    "Hop.loss" => "parking-lot.hops=[{}, { loss = 0.01 }]";
    "Hop.down" => "parking-lot.hops=[{}, { down = { at = '2s', for = '200ms' } }]";
    "Hop.jitter" => "parking-lot.hops=[{}, { jitter = '2ms' }]";
    "Scenario.nodes" => "nodes=['A', 'B', 'C', 'D']";
    "Scenario.links" => "links.0.rate=9Mbit";
    "Link.name" ["links.0.loss=0.01"] => "links.0.name=first";
    "Link.from" ["links.0.name=first"] => "links.0.from=C";
    "Link.to" => "links.0.to=C";
    "Link.rate" => "links.0.rate=9Mbit";
    "Link.delay" => "links.0.delay=5500us";
    "Link.queue" => "links.0.queue=9pkt";
    "Link.loss" => "links.0.loss=0.01";
    "Link.down" => "links.0.down={ at = '2s', for = '200ms' }";
    "Link.jitter" => "links.0.jitter=2ms";
    "Flows.route" ["links.0.loss=0.01"] => "flows.a.route=[{ at = '0s', via = ['second.reverse'] }]";
    "RouteStep.at" ["flows.a.route=[{ at = '0s', via = [] }, { at = '1s', via = ['second.reverse'] }]"]
        => "flows.a.route.1.at=2s";
    "RouteStep.via" ["flows.a.route=[{ at = '0s', via = [] }, { at = '1s', via = [] }]"]
        => "flows.a.route.1.via=['second.reverse']";
    "RouteStep.back" ["flows.a.route=[{ at = '0s', via = [] }, { at = '1s', via = [] }]"]
        => "flows.a.route.1.back=['second']";
    "Link.duplex" => "links.0.duplex=false";
    "Link.reverse" => "links.0.reverse.delay=5500us";
};

/// Keys that do not belong into a plan; the tests of the command line have
/// them.
const ELSEWHERE: &[&str] = &["Scenario.title", "Scenario.seed", "Scenario.replicates"];

fn planned(text: &str, sets: &[&str]) -> Plan {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let scenario = Scenario::parse("keys.toml", text, &sets);
    scenario.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{sets:?}: {e:?}"))
}

/// Everything that a run gives, but for how long it took.
fn outcome(plan: &Plan) -> String {
    let mut run = tusker_sim::run(plan, 1, &mut |_| ControlFlow::Continue(())).expect("it ends");
    run.wall = std::time::Duration::ZERO;
    format!("{run:?}")
}

#[test]
fn every_key_changes_the_plan_and_the_result() {
    let mut idle = Vec::new();
    for (key, before, change) in KEYS {
        let text = match key.split('.').next() {
            _ if key.ends_with("parking-lot") => LOT,
            Some("Arrivals" | "Web" | "Hosts") => COMING,
            _ if ["Scenario.arrivals", "Scenario.web"].contains(key) => COMING,
            Some("ParkingLot" | "Hop") => LOT,
            _ if ["Scenario.nodes", "Scenario.links"].contains(key) => GRAPH,
            Some("Link" | "RouteStep") => GRAPH,
            _ if *key == "Flows.route" => GRAPH,
            _ => DUMBBELL,
        };
        let sets: Vec<&str> = before.iter().chain([change]).copied().collect();
        let (without, with) = (planned(text, before), planned(text, &sets));
        if without == with {
            idle.push(format!("{key}: `{change}` does not change the plan"));
        } else if *key != "Scenario.nodes" && outcome(&without) == outcome(&with) {
            // a node without links is nobody's way
            idle.push(format!("{key}: `{change}` does not change the result"));
        }
    }
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}

#[test]
fn no_key_of_the_schema_is_left_out() {
    let schema: serde_json::Value = serde_json::from_str(&tusker_scenario::json_schema()).unwrap();
    let properties = |of: &serde_json::Value| -> Vec<String> {
        of["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let mut keys: BTreeSet<String> =
        properties(&schema).iter().map(|key| format!("Scenario.{key}")).collect();
    for (name, table) in schema["$defs"].as_object().unwrap() {
        keys.extend(properties(table).iter().map(|key| format!("{name}.{key}")));
    }
    assert!(keys.len() > 80, "{keys:?}");
    let tested: BTreeSet<String> = KEYS
        .iter()
        .map(|(key, ..)| *key)
        .chain(ELSEWHERE.iter().copied())
        .map(str::to_owned)
        .collect();
    let missing: Vec<&String> = keys.difference(&tested).collect();
    assert!(missing.is_empty(), "add to KEYS: {missing:?}");
}
