//! Notes on scenarios that are valid, but rarely do what one expects.

use tusker_core::congestion::{Kind as Law, SlowStart, linux};
use tusker_core::params::Need;
use tusker_core::queue;
use tusker_measure::table::Unit;
use tusker_plan::plan::{Counting, Flow, Plan, Recovery, Start};
use tusker_plan::{fairness, stock};
use tusker_scenario::Written;

use crate::{News, Watch};

/// Tells a watch the notes on these plans, each once.
pub fn tell<'a>(plans: impl IntoIterator<Item = &'a Plan>, watch: &dyn Watch) {
    all(plans).iter().for_each(|text| watch.tell(News::Note { text, doubt: true }));
}

/// The notes on these plans, each once.
pub fn all<'a>(plans: impl IntoIterator<Item = &'a Plan>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let plans: Vec<&Plan> = plans.into_iter().collect();
    let each = plans.iter().flat_map(|plan| notes(plan));
    for note in each.chain(stock_buffers(&plans)).chain(counting(&plans)) {
        if !said.contains(&note) {
            said.push(note);
        }
    }
    said
}

/// A law that Linux has in a form that another law of the registry is nearer to.
pub fn nearer(law: &str) -> Option<String> {
    let nearer = linux::module(law)?.nearer?;
    Some(format!(
        "{law} is as published, with standard slow start. Linux's version leaves slow start \
         before the queue overflows (HyStart), so that it loses far fewer packets there: {nearer}."
    ))
}

/// Seconds after the start of a flow in which slow start still shows in what is measured.
const SLOW_START_S: f64 = 10.0;

/// The same, of a flow that is meant to be Linux's and whose first slow start is measured.
fn not_linux(plan: &Plan, index: usize) -> Option<String> {
    let flow = &plan.flows[index];
    let standard = !flow.tcp.ns2_details && flow.tcp.slow_start == SlowStart::Standard;
    let (Start::At(start) | Start::Uniform(_, start)) = flow.start;
    let short = flow.size.is_some() || index >= plan.lasting();
    let seen = short || plan.measure_from.secs() < start.secs() + SLOW_START_S;
    if standard && seen { nearer(flow.cc.name()) } else { None }
}

/// HighSpeed TCP as in Linux beside gHSTCP, which is HighSpeed TCP in one of its modes, with
/// another way to count.
fn counting(plans: &[&Plan]) -> Option<String> {
    let flows = || plans.iter().flat_map(|plan| &plan.flows);
    let delayed = |flow: &&Flow| flow.tcp.delayed_ack.is_some();
    let acks = |flow: &&Flow| {
        flow.cc.kind() == Law::Hstcp && flow.tcp.counting == Counting::SegmentsThenAcks
    };
    let segments = |flow: &&Flow| {
        matches!(flow.cc.kind(), Law::Ghstcp | Law::GhstcpRefined)
            && matches!(flow.tcp.counting, Counting::Segments(_))
    };
    let (hstcp, gentle) = (flows().filter(delayed).find(acks)?, flows().find(segments)?);
    Some(format!(
        "{} counts ACKs in congestion avoidance, as in Linux, and {} counts segments. With delayed \
         ACKs the former therefore grows half as fast; --set tcp.counting=segments makes them alike.",
        hstcp.cc.name(),
        gentle.cc.name()
    ))
}

/// Above this share of lost packets, utilisation alone misleads.
pub const MUCH: f64 = 0.1;

/// The note on those of these that lost more than a tenth of their packets: a full link
/// says little of them. Each has a name and its loss rate.
pub fn lossy<'a>(of: impl IntoIterator<Item = (&'a str, Option<f64>)>) -> Option<String> {
    let much = of.into_iter().filter_map(|(name, loss)| Some((name, loss?)));
    let much = much.filter(|(_, loss)| *loss > MUCH);
    let much: Vec<String> =
        much.map(|(name, loss)| format!("{name} lost {:.0} %", 100.0 * loss)).collect();
    (!much.is_empty()).then(|| {
        format!(
            "{} of the packets. Many of the packets on the link were therefore \
             retransmissions, so look at goodput, not at utilisation alone",
            much.join(", ")
        )
    })
}

/// What to expect of a plan; nothing for most.
fn notes(plan: &Plan) -> Vec<String> {
    let flow = |(index, flow)| {
        let own = [recovery(flow), marks(plan, flow), unmarked(plan, flow), alone(plan, flow)];
        own.into_iter().chain([not_linux(plan, index)])
    };
    let flows = plan.flows.iter().enumerate().flat_map(flow).flatten();
    flows.chain((0..plan.links.len()).filter_map(|link| unasked(plan, link))).collect()
}

/// Below this share of its fair rate, a flow misses the buffers that its hosts do not have.
const SLOWER: f64 = 0.9;

/// Flows whose windows nothing limits here, between hosts whose buffers would limit them if
/// nobody had enlarged them. One note, on the flow that would have the smallest share.
fn stock_buffers(plans: &[&Plan]) -> Option<String> {
    let shares = plans.iter().filter_map(|plan| with_stock_buffers(plan));
    let (share, most) = shares.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!(
        "between Linux hosts whose socket buffers nobody has enlarged, a flow gets at most {} \
         here, {:.0} % of its fair share: --set hosts=stock-linux simulates such hosts",
        Unit::Rate.text(most),
        100.0 * share
    ))
}

/// The smallest share of its fair rate that such a flow would have, and its rate.
fn with_stock_buffers(plan: &Plan) -> Option<(f64, f64)> {
    let fair = fairness::max_min(plan);
    let share = |(index, flow): (usize, &Flow)| {
        let long = flow.size.is_none_or(|size| size > stock::SENT) && flow.app.is_none();
        let free = !flow.tcp.ns2_details && flow.tcp.largest_window().is_none() && long;
        let most = stock::at_most(fairness::base_rtt(plan, flow));
        let data = fair[index] * flow.tcp.payload().get() as f64 / flow.tcp.packet.get() as f64;
        (free && data.is_finite() && most < SLOWER * data).then_some((most / data, most))
    };
    let lasting = plan.flows[..plan.lasting()].iter().enumerate();
    lasting.filter_map(share).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Whether this link marks packets that ask for it.
pub fn marking(plan: &Plan, link: usize) -> bool {
    let queue = &plan.links[link].queue;
    // XCP's and VCP's routers write into packets instead
    let never = [queue::Kind::DropTail, queue::Kind::Xcp, queue::Kind::Vcp];
    queue.ecn && !never.contains(&queue.policy.kind())
}

/// A flow whose packets may be marked, and no queue that does.
fn unmarked(plan: &Plan, flow: &Flow) -> Option<String> {
    let asked_by_law = flow.cc.needs(Need::AccurateEcn) || flow.cc.needs(Need::L4s);
    let missing = flow.tcp.ecn.is_on()
        && !asked_by_law
        && !flow.route.iter().any(|&link| marking(plan, link));
    missing.then(|| {
        format!(
            "flows of {} ask for ECN (tcp.ecn), but no queue on their way marks, so the results \
             are those without ECN. Set `ecn = true` in the bottleneck's queue, with a policy \
             other than droptail, xcp and vcp.",
            flow.cc.name()
        )
    })
}

/// A law that works with routers, and no router that takes part.
fn alone(plan: &Plan, flow: &Flow) -> Option<String> {
    let helps = |link: &usize| plan.links[*link].queue.policy.needs(Need::Headers);
    let alone = flow.cc.needs(Need::RouterFeedback) && !flow.route.iter().any(helps);
    alone.then(|| {
        let name = flow.cc.name();
        format!(
            "{name} works with routers, but no queue on its way takes part, so it behaves like \
             Reno. Give the bottleneck the queue policy {name}."
        )
    })
}

/// A queue that is to mark, and no flow whose packets may be marked.
fn unasked(plan: &Plan, link: usize) -> Option<String> {
    let policy = &plan.links[link].queue.policy;
    // routers that talk to their own flows, and two queues that serve both kinds
    if !marking(plan, link) || policy.needs(Need::Marking) || policy.needs(Need::TwoQueues) {
        return None;
    }
    let mut through = plan.flows.iter().filter(|flow| flow.route.contains(&link)).peekable();
    through.peek()?;
    through.all(|flow| !flow.tcp.ecn.is_on()).then(|| {
        format!(
            "the queue of {} has ecn = true, but no flow through it asks for ECN, so the queue \
             drops packets instead of marking them. Set `tcp.ecn = true`.",
            plan.links[link].name
        )
    })
}

/// A recovery that was asked for, where the congestion control needs another.
fn recovery(flow: &Flow) -> Option<String> {
    let recovery = flow.tcp.recovery;
    (flow.cc.needs(Need::RackTlp) && recovery != Recovery::RackTlp).then(|| {
        format!(
            "{cc} keeps sending through losses, but with {recovery} recovery only a timeout \
             repairs a retransmission that is lost. So expect timeouts, and far less \
             throughput wherever {cc} loses packets. If `recovery` is not set, {cc} gets rack.",
            cc = flow.cc.name(),
            recovery = recovery.write(),
        )
    })
}

/// A congestion control that lives on marks, where nobody marks.
fn marks(plan: &Plan, flow: &Flow) -> Option<String> {
    // for a law that measures its rate, marks are one signal among others
    let lives_on_marks = (flow.cc.needs(Need::AccurateEcn) || flow.cc.needs(Need::L4s))
        && !flow.cc.needs(Need::RateSamples);
    let missing = lives_on_marks && !flow.route.iter().any(|&link| marking(plan, link));
    missing.then(|| {
        let policy = if flow.cc.needs(Need::L4s) { "dualpi2" } else { "step" };
        format!(
            "{} is made for queues that mark packets, but no queue on its path marks. So it sees \
             only losses, and halves its window at each. Give the bottleneck the policy {policy}, \
             or another one with ecn = true.",
            flow.cc.name()
        )
    })
}

#[cfg(test)]
mod tests {
    use tusker_scenario::Scenario;

    use super::all;

    /// The notes on flows of this law behind this queue, with these lines in `[tcp]`.
    fn notes(cc: &str, queue: &str, tcp: &str) -> Vec<String> {
        let text = format!(
            "profile = 'linux'\nduration = '20s'\nmeasure = {{ from = '15s' }}\n\
             [dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\n\
             queue = {{ limit = '1bdp', {queue} }}\n\
             [tcp]\n{tcp}\n[[flows]]\nname = 'f'\ncc = '{cc}'\n"
        );
        let plan = Scenario::parse("test", &text, &[]).and_then(|scenario| scenario.plan());
        all([&plan.unwrap_or_else(|error| panic!("{error:?}: {text}"))])
    }

    #[test]
    fn a_law_is_told_what_its_path_lacks() {
        for (cc, queue, tcp, told) in [
            ("dctcp", "policy = 'step', k = 10", "", None),
            ("dctcp", "policy = 'droptail'", "", Some("dctcp is made for queues that mark")),
            ("dctcp", "policy = 'red'", "", Some("dctcp is made for queues that mark")),
            ("dctcp", "policy = 'step', ecn = false", "", Some("dctcp is made for queues")),
            ("reno", "policy = 'droptail'", "", None),
            ("xcp", "policy = 'xcp'", "", None),
            ("xcp", "policy = 'droptail'", "", Some("xcp works with routers, but no queue")),
            ("bbr3", "policy = 'droptail'", "", None),
            (
                "bbr3",
                "policy = 'droptail'",
                "recovery = 'sack'",
                Some("bbr3 keeps sending through"),
            ),
            ("udt", "policy = 'droptail'", "recovery = 'newreno'", Some("udt keeps sending")),
            ("reno", "policy = 'droptail'", "recovery = 'sack'", None),
        ] {
            let notes = notes(cc, queue, tcp);
            assert_eq!(notes.len(), usize::from(told.is_some()), "{cc}, {queue}: {notes:?}");
            assert!(told.is_none_or(|told| notes[0].contains(told)), "{cc}, {queue}: {notes:?}");
        }
    }

    /// 2,796,202 bytes in 100 ms are 224 Mbit/s: 23 % of the 965 Mbit/s of data that one flow can
    /// have, and 46 % of half of it.
    #[test]
    fn stock_buffers_are_noted_once_for_all_plans() {
        let plan = |count: u32| {
            let text = format!(
                "profile = 'linux'\nduration = '20s'\nmeasure = {{ from = '15s' }}\n\
                 [dumbbell]\nrate = '1Gbit'\ndelay = '50ms'\nqueue = '1bdp'\n\
                 [[flows]]\nname = 'f'\ncc = 'reno'\ncount = {count}\n"
            );
            Scenario::parse("test", &text, &[]).and_then(|scenario| scenario.plan()).unwrap()
        };
        let notes = all([&plan(2), &plan(1)]);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("at most 22") && notes[0].contains(", 23 % of"), "{notes:?}");
    }

    /// ECN takes two: flows that ask for it, and a queue that marks.
    #[test]
    fn half_of_ecn_is_noted() {
        for (queue, tcp, told) in [
            ("policy = 'red'", "ecn = true", Some("no queue on their way marks")),
            ("policy = 'red', ecn = true", "", Some("no flow through it asks for ECN")),
            // VCP's routers write into packets, and mark none
            ("policy = 'vcp', ecn = true", "ecn = true", Some("no queue on their way marks")),
            ("policy = 'red', ecn = true", "ecn = true", None),
        ] {
            let notes = notes("reno", queue, tcp);
            assert_eq!(notes.len(), usize::from(told.is_some()), "{queue}: {notes:?}");
            assert!(told.is_none_or(|told| notes[0].contains(told)), "{queue}: {notes:?}");
        }
    }
}
