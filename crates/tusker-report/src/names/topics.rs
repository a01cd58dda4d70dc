//! Names of scenarios that stand for no algorithm: traffic, recoveries and profiles.

use super::Entry;

/// A name without parameters.
struct Topic {
    name: &'static str,
    title: &'static str,
    /// What it does.
    about: &'static str,
    /// How a scenario asks for it.
    example: &'static str,
}

/// All of them.
pub fn all() -> impl Iterator<Item = Entry> {
    let kinds = [
        ("traffic", "kind of traffic", TRAFFIC),
        ("recovery", "kind of loss recovery", RECOVERY),
        ("profile", "profile", PROFILE),
    ];
    kinds.into_iter().flat_map(|(kind, what, topics)| {
        topics.iter().map(move |Topic { name, title, about, example }| {
            Entry::new(kind, *name, format!("a {what}: {title}"))
                .value("title", *title)
                .value("about", *about)
                .text("", about)
                .value("example", *example)
                .lines("In a scenario", example)
        })
    })
}

/// All kinds of traffic.
const TRAFFIC: &[Topic] = &[
    Topic {
        name: "greedy",
        title: "a flow that always has data to send",
        about: "A TCP flow whose sender always has data, such as a file without end.",
        example: "[[flows]]\nname = \"bulk\"\ncc = \"reno\"",
    },
    Topic {
        name: "sized",
        title: "a flow that sends a given number of bytes",
        about: "A TCP flow that sends the payload of its `size` and ends. Its completion time is \
                measured from its start to the last acknowledgment.",
        example: "[[flows]]\nname = \"file\"\ncc = \"reno\"\nsize = \"1GB\"",
    },
    Topic {
        name: "parallel",
        title: "several connections as one application flow",
        about: "As in GridFTP and many download tools: N connections between the same two \
                hosts start together and count as one flow of the application. A size is \
                divided evenly among them, and is complete when the last connection is. \
                Throughput, shares and Jain's index are given for connections and for \
                application flows.",
        example: "[[flows]]\nname = \"gridftp\"\ncc = \"reno\"\nparallel = 8",
    },
    Topic {
        name: "arrivals",
        title: "transfers of random size that arrive at random times",
        about: "TCP transfers, each over a new connection, that arrive as a Poisson process: `rate` \
                per second, or as many as give the slowest link on their path the load `load`. \
                Sizes are constant, exponential, Pareto, or from a list. The completion time \
                of a transfer is measured from its arrival to its last byte at the receiver. \
                The slowdown is this time divided by the time on an empty path. Results show \
                both for classes of size. A connection begins with a handshake of one round \
                trip, except with handshake = false.",
        example: "[[arrivals]]\nname = \"short\"\ncc = \"reno\"\nload = 0.3\nsize = { pareto = \"100kB\", shape = 1.3 }",
    },
    Topic {
        name: "web",
        title: "users who load web pages, as in ns-2's WebTraf",
        about: "Each session loads a page from a server, object after object, each over its own \
                TCP connection, then waits and loads the next page. Intervals, objects per \
                page and object sizes are random. The response time of a page is measured from \
                its start to the last byte of its last object at the client. (The servers, \
                clients and distributions below are from Zhang, Hasegawa and Murata, section 5.)",
        example: "[[web]]\nname = \"web\"\ncc = \"reno\"\nsessions = 100\n\
                  servers = { count = 200, rate = \"1Gbit\", delay = [\"10ms\", \"20ms\"] }\n\
                  clients = { count = 1000, rate = [\"100Mbit\", \"155Mbit\"], delay = [\"20ms\", \"50ms\"] }\n\
                  page_interval = { pareto = \"10s\", shape = 2 }\n\
                  objects = { pareto = 3, shape = 1.5 }\n\
                  object_interval = { pareto = \"500ms\", shape = 1.5 }\n\
                  object_size = { pareto = \"12kB\", shape = 1.2 }",
    },
    Topic {
        name: "constant",
        title: "UDP at a constant rate",
        about: "Packets at even intervals, without congestion control. Each interval varies by up \
                to the fraction `jitter` in either direction.",
        example: "[[background]]\nname = \"udp\"\nrate = \"50Mbit\"\njitter = 0.1",
    },
    Topic {
        name: "onoff",
        title: "UDP that is on and off for random times",
        about: "Packets at a constant rate during periods of exponential length, and none \
                between them.",
        example: "[[background]]\nname = \"bursts\"\nrate = \"50Mbit\"\non = \"500ms\"\noff = \"500ms\"",
    },
    Topic {
        name: "vbr",
        title: "UDP that is on for a share of the time",
        about: "On and off periods of exponential length. `share` is the share of the time in which \
                the source sends, from 0 (never) to 1 (always); `period` is the mean length of \
                an on and an off period together. Papers use such sources on the reverse path \
                (direction = \"reverse\"), with small packets.",
        example: "[[background]]\nname = \"vbr\"\nrate = \"50Mbit\"\nshare = 0.9\nperiod = \"1s\"\npacket = \"500B\"\ndirection = \"reverse\"",
    },
];

/// All loss recoveries.
const RECOVERY: &[Topic] = &[
    Topic {
        name: "reno",
        title: "the first ACK of new data ends recovery (RFC 5681)",
        about: "Fast retransmit at the third duplicate ACK, then fast recovery until new data \
                are acknowledged. Several losses in a window usually end in a timeout.",
        example: "[[flows]]\nrecovery = \"reno\"",
    },
    Topic {
        name: "newreno",
        title: "a partial ACK retransmits the next hole (RFC 6582)",
        about: "As reno, but recovery lasts until everything that was outstanding at its start is \
                acknowledged: one loss is repaired per round trip. tcp.impatient chooses when \
                the timer restarts (RFC 6582, section 4).",
        example: "[[flows]]\nrecovery = \"newreno\"",
    },
    Topic {
        name: "sack",
        title: "the receiver reports what it has (RFC 2018 and 6675)",
        about: "An ACK has at most 3 SACK blocks with timestamps, 4 without. A segment counts \
                as lost when three segments after it were reported. tcp.prr controls the \
                sending rate during recovery (RFC 9937).",
        example: "[[flows]]\nrecovery = \"sack\"",
    },
    Topic {
        name: "rack",
        title: "losses are detected by time, with tail loss probes (RFC 8985)",
        about: "A segment counts as lost when one that was sent later has arrived and a reordering \
                window has passed. A probe is sent when the end of the data stays unacknowledged.",
        example: "[[flows]]\nrecovery = \"rack\"",
    },
];

/// All profiles.
const PROFILE: &[Topic] = &[
    Topic {
        name: "ns2",
        title: "the defaults of ns-2.35, with a few exceptions",
        about: "Reno recovery, an initial window of 1 segment, windows that grow with every \
                ACK, no delayed ACKs, no timestamps, 1500 B packets and 40 B ACKs, RTO from 0.2 s to \
                60 s in ticks of 10 ms, a host queue of 10,000 packets. The exceptions are in \
                docs/scenario.md. `tusker check FILE --expand` prints all settings.",
        example: "profile = \"ns2\"",
    },
    Topic {
        name: "linux",
        title: "the defaults of Linux today",
        about: "RACK-TLP with PRR, an initial window of 10 segments, windows that grow with \
                every segment acknowledged, ACKs delayed by 40 ms, timestamps, 1500 B packets and \
                52 B ACKs plus SACK blocks, RTO from 0.2 s to 120 s, back-pressure at the \
                host. `tusker check FILE --expand` prints all settings.",
        example: "profile = \"linux\"",
    },
];
