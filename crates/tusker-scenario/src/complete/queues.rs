//! Queues, with limits in packets or bytes.

use tusker_core::params::Need;
use tusker_core::{Bytes, Duration, Rate, queue};
use tusker_plan::plan;

use super::specs;
use crate::error::{Fault, Mistake};
use crate::forms::{Class, DscpSet, Queue};
use crate::limit::Limit;
use crate::tcp::MAX_PACKET;

/// What a queue's limit and its mean packet size depend on.
#[derive(Clone, Copy)]
pub struct Passing {
    /// Rate of the wire behind it.
    pub rate: Rate,
    /// The longest round trip of the flows that pass; `None` if none does.
    pub rtt: Option<Duration>,
    /// The largest packet that passes.
    pub packet: Bytes,
}

/// A queue before a link of the graph.
pub fn queue(q: &Queue, passing: Passing, path: &str) -> Result<plan::Queue, Fault> {
    let policy = specs::policy(q.policy.as_deref(), &q.params, path)?;
    if let Some(size) = q.mean_packet
        && (size.get() == 0 || size.get() > MAX_PACKET)
    {
        return Err(Mistake::new(format!("a mean packet of {size}"), "from 1B to 65535B")
            .at(format!("{path}.mean_packet")));
    }
    if q.ecn == Some(false) && policy.needs(Need::TwoQueues) {
        let message = format!("{} needs {}", policy.name(), Need::TwoQueues.about());
        let help = "leave `ecn` out here, or choose another policy";
        return Err(Mistake::new(message, help).at(format!("{path}.ecn")));
    }
    for key in ["burst", "mtu"] {
        let bytes = policy.value(key).filter(|&bytes| bytes >= 1.0);
        if let Some(bytes) = bytes.filter(|&bytes| bytes < passing.packet.get() as f64) {
            let message = format!(
                "a {key} of {bytes}B does not let a single packet of {} pass",
                passing.packet
            );
            return Err(Mistake::new(message, "give it room for one packet at least")
                .at(format!("{path}.{key}")));
        }
    }
    let marks = policy.value("ce_threshold").is_some_and(|time| time > 0.0);
    if marks && q.ecn == Some(false) {
        let message = "ce_threshold marks packets, and ecn = false forbids that";
        let help = "leave `ecn` out here, or ce_threshold";
        return Err(Mistake::new(message, help).at(format!("{path}.ecn")));
    }
    Ok(plan::Queue {
        policy,
        classes: classes(&q.classes, &policy, &format!("{path}.classes"))?,
        limit: limit(q.limit, passing).map_err(|mistake| mistake.at(format!("{path}.limit")))?,
        ecn: q.ecn.unwrap_or(policy.needs(Need::Marking) || marks),
        mean_packet: q.mean_packet.unwrap_or(passing.packet),
    })
}

/// A queue of the links between hosts and routers that is not a host's own.
pub fn access_queue(q: Option<&Queue>, passing: Passing, path: &str) -> Result<plan::Queue, Fault> {
    let unsaid = Queue::droptail(Limit::Packets(10_000));
    let q = q.unwrap_or(&unsaid);
    if matches!(q.limit, Limit::Backpressure(_)) {
        let message = "back-pressure works only at a sending host's own queue";
        let mistake = Mistake::new(message, "set `host_queue` instead");
        return Err(mistake.at(format!("{path}.limit")));
    }
    queue(q, passing, path)
}

/// A sending host's own queue: a plain one, whatever the others are.
pub fn host_queue(said: Limit, passing: Passing, path: &str) -> Result<plan::Queue, Fault> {
    Ok(plan::Queue {
        policy: queue::Spec::new(queue::Kind::DropTail),
        classes: Vec::new(),
        limit: limit(said, passing).map_err(|mistake| mistake.at(format!("{path}.host_queue")))?,
        ecn: false,
        mean_packet: passing.packet,
    })
}

/// As written in a scenario, with every value filled in.
pub fn written(q: &plan::Queue) -> Queue {
    Queue {
        policy: Some(q.policy.name().to_owned()),
        limit: q.limit.into(),
        ecn: Some(q.ecn),
        mean_packet: Some(q.mean_packet),
        params: specs::written(&q.policy),
        classes: q.classes.iter().map(class_written).collect(),
    }
}

/// Classes of packets, each with its thresholds, or those of the queue.
fn classes(given: &[Class], policy: &queue::Spec, path: &str) -> Result<Vec<queue::Class>, Fault> {
    if given.len() > queue::Class::MOST {
        let message = format!("{} classes", given.len());
        let help = format!("at most {}", queue::Class::MOST);
        return Err(Mistake::new(message, help).at(path));
    }
    let mut taken = 0;
    let class = |(nth, class): (usize, &Class)| {
        let path = format!("{path}[{nth}]");
        let dscps = class.dscp.0;
        let Some(of_queue) = queue::Class::of(policy, dscps) else {
            let message = format!("`{}` has no classes", policy.name());
            return Err(Mistake::new(message, "leave `classes` out, or choose wred").at_key(path));
        };
        if taken & dscps != 0 {
            let twice = (taken & dscps).trailing_zeros();
            let message = format!("DSCP {twice} is in two classes");
            return Err(Mistake::new(message, "leave it out of one of them").at(path + ".dscp"));
        }
        taken |= dscps;
        let class = queue::Class {
            dscps,
            min_th: class.min_th.unwrap_or(of_queue.min_th),
            max_th: class.max_th.unwrap_or(of_queue.max_th),
            max_p: class.max_p.unwrap_or(of_queue.max_p),
        };
        let wrong = |rule| Mistake::new("the thresholds of a class are wrong", rule).at(path);
        class.check().map_err(wrong)?;
        Ok(class)
    };
    given.iter().enumerate().map(class).collect()
}

fn class_written(class: &queue::Class) -> Class {
    let queue::Class { dscps, min_th, max_th, max_p } = *class;
    let [min_th, max_th, max_p] = [min_th, max_th, max_p].map(Some);
    Class { dscp: DscpSet(dscps), min_th, max_th, max_p }
}

/// Linux lets a flow have as much in the host's queue as leaves in about 1 ms (TCP
/// small queues: `sk_pacing_shift` 10), and at least two segments.
const SMALL_QUEUE: f64 = 0.001;

fn limit(limit: Limit, Passing { rate, rtt, packet }: Passing) -> Result<plan::Limit, Mistake> {
    let packets = |time: f64| rate.bits_per_sec() as f64 * time / (8 * packet.get()) as f64;
    let zero = || Mistake::new("a queue limit of zero lets nothing through", "at least 1pkt");
    match (limit, rtt) {
        (Limit::Unlimited, _) => Ok(plan::Limit::Unlimited),
        (Limit::Packets(0) | Limit::Bytes(0) | Limit::Backpressure(Some(0)), _) => Err(zero()),
        (Limit::Packets(n), _) => Ok(plan::Limit::Packets(n)),
        (Limit::Bytes(n), _) if n < packet.get() => Err(Mistake::new(
            format!("a queue of {n}B does not hold a single packet of {packet}"),
            "the packet in transmission counts: give room for one at least",
        )),
        (Limit::Bytes(n), _) => Ok(plan::Limit::Bytes(n)),
        (Limit::Backpressure(n), _) => {
            let small = || packets(SMALL_QUEUE).ceil().max(2.0) as u64;
            Ok(plan::Limit::Backpressure(n.unwrap_or_else(small)))
        }
        (Limit::Bdp(_), None) => Err(Mistake::new(
            "no TCP flow passes here, so there is no bandwidth-delay product",
            "give the limit in packets or bytes",
        )),
        (Limit::Bdp(n), Some(rtt)) => {
            let packets = (n * packets(rtt.secs())).round().max(1.0);
            if packets > f64::from(u32::MAX) {
                let help = format!("at most {}pkt, or \"unlimited\"", u32::MAX);
                return Err(Mistake::new(format!("{n} bdp are {packets:e} packets"), help));
            }
            Ok(plan::Limit::Packets(packets as u64))
        }
    }
}
