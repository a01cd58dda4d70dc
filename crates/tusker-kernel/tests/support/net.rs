//! Three hosts in a row, each a network namespace:
//!
//! ```text
//!   a ---------- r ==========> b
//!     10.9.0.0/24  10.9.1.0/24
//! ```
//!
//! The bottleneck is the router's outgoing link to `b`: a token bucket with a queue in front.
//! It is never the sender's own outgoing link: TCP keeps only a few segments in its own host's
//! queue (TCP small queues), so a shaper there would slow the sender down before the queue
//! could fill.
//!
//! The only delay is that of the queue, because kernels without netem cannot add any. A window
//! of a few segments fills this path; whatever a law adds to that waits in the queue.
//!
//! Connections start with Reno. The machine's default may be BBR, and a connection that started
//! with BBR is paced for the rest of its life, under any law.

use std::fs;
use std::process::{self, Command};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use nix::sched::{CloneFlags, setns};

use super::command::{command, done, sh};

/// The address of `b`.
pub const RECEIVER: &str = "10.9.1.1";

/// Bytes of a segment of TCP data, with timestamps (RFC 7323) and an MTU of 1500.
pub const SEGMENT: f64 = 1448.0;

/// Bytes of the frame around it as the token bucket counts: 20 of IP, 32 of TCP, 14 of
/// Ethernet.
pub const FRAME: f64 = 1514.0;

static COUNT: AtomicU32 = AtomicU32::new(0);

/// The bottleneck.
#[derive(Clone, Copy, Debug)]
pub struct Bottleneck {
    /// Bits per second of frames.
    pub rate: f64,
    /// Bytes that wait at most.
    pub queue: u32,
}

impl Bottleneck {
    /// The most that TCP can deliver through it, in bits per second.
    pub fn goodput(self) -> f64 {
        self.rate * SEGMENT / FRAME
    }

    /// For `tc`. The bucket holds 16 frames: at 100 Mbit/s a timer that is 2 ms late loses
    /// nothing.
    fn tbf(self) -> String {
        format!("tbf rate {} burst 24kb limit {}", self.rate, self.queue)
    }
}

/// Which of the three.
#[derive(Clone, Copy, Debug)]
pub enum Host {
    /// `a`
    Sender,
    /// `r`
    Router,
    /// `b`
    Receiver,
}

/// The network.
#[derive(Debug)]
pub struct Net {
    name: String,
}

impl Net {
    /// Makes it.
    ///
    /// # Panics
    /// If that fails.
    pub fn new(bottleneck: Bottleneck) -> Self {
        sweep();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let net = Self { name: format!("tusker-{}-{count}", process::id()) };
        let [a, r, b] = net.namespaces();
        sh(&format!(
            "set -e
             for n in {a} {r} {b}; do
               ip netns add $n
               ip -n $n link set lo up
               ip netns exec $n sysctl -qw net.ipv4.tcp_no_metrics_save=1 \
                 net.ipv4.tcp_congestion_control=reno
             done
             ip link add a0 netns {a} type veth peer name r0 netns {r}
             ip link add r1 netns {r} type veth peer name b0 netns {b}
             ip -n {a} addr add 10.9.0.1/24 dev a0
             ip -n {r} addr add 10.9.0.2/24 dev r0
             ip -n {r} addr add 10.9.1.2/24 dev r1
             ip -n {b} addr add {RECEIVER}/24 dev b0
             ip -n {a} link set a0 up
             ip -n {r} link set r0 up
             ip -n {r} link set r1 up
             ip -n {b} link set b0 up
             ip -n {a} route add default via 10.9.0.2
             ip -n {b} route add default via 10.9.1.2
             ip netns exec {r} sysctl -qw net.ipv4.ip_forward=1
             tc -n {r} qdisc add dev r1 root {}",
            bottleneck.tbf()
        ));
        net
    }

    /// The names of its namespaces, in order.
    fn namespaces(&self) -> [String; 3] {
        ["a", "r", "b"].map(|host| format!("{}-{host}", self.name))
    }

    /// The name of a host's namespace.
    pub fn namespace(&self, host: Host) -> String {
        let [a, r, b] = self.namespaces();
        match host {
            Host::Sender => a,
            Host::Router => r,
            Host::Receiver => b,
        }
    }

    /// A program on that host.
    pub fn on<S: AsRef<str>>(&self, host: Host, program: &str, args: &[S]) -> Command {
        let mut on = command("ip", &["netns", "exec", &self.namespace(host), program]);
        on.args(args.iter().map(AsRef::as_ref));
        on
    }

    /// Runs `work` in a thread on that host.
    ///
    /// # Panics
    /// If `work` panics.
    pub fn within<T: Send>(&self, host: Host, work: impl FnOnce() -> T + Send) -> T {
        let namespace = format!("/run/netns/{}", self.namespace(host));
        thread::scope(|scope| {
            let thread = scope.spawn(move || {
                let file = fs::File::open(&namespace).expect("the namespace is there");
                setns(file, CloneFlags::CLONE_NEWNET).expect("root may");
                work()
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Changes a setting of a host: `NAME=VALUE`, as for sysctl.
    ///
    /// # Panics
    /// If there is no such setting.
    pub fn set(&self, host: Host, setting: &str) {
        done(&mut self.on(host, "sysctl", &["-qw", setting]));
    }

    /// Changes the bottleneck. Queued packets stay queued.
    ///
    /// # Panics
    /// If that fails.
    pub fn change(&self, bottleneck: Bottleneck) {
        let r = self.namespace(Host::Router);
        sh(&format!("tc -n {r} qdisc change dev r1 root {}", bottleneck.tbf()));
    }

    /// Drops everything towards the receiver in the router, or stops doing so.
    ///
    /// # Panics
    /// If that fails.
    pub fn lose_everything(&self, lose: bool) {
        // a prohibiting route; an interface that is down would lose its routes
        let what = if lose { "add" } else { "del" };
        let route = ["route", what, "blackhole", "10.9.1.1/32"];
        done(&mut self.on(Host::Router, "ip", &route));
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        remove(&self.namespaces());
    }
}

fn remove(namespaces: &[String]) {
    for name in namespaces {
        // a failure does not matter: another process may have been faster
        let _ = command("ip", &["netns", "del", name]).output();
    }
}

/// Removes what killed tests left behind: namespaces whose process has ended.
fn sweep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let of = |name: &str| name.strip_prefix("tusker-")?.split('-').next()?.parse::<u32>().ok();
        let Ok(names) = fs::read_dir("/run/netns") else { return };
        let names = names.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let dead = |name: &String| {
            of(name).is_some_and(|pid| !fs::exists(format!("/proc/{pid}")).unwrap_or(true))
        };
        remove(&names.filter(dead).collect::<Vec<_>>());
    });
}
