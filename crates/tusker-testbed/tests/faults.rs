//! Programs that use a path, and what can go wrong with them: the path continues to work for
//! the others, or the error says what happened.
#![cfg(target_os = "linux")]

mod rights;

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::sys::socket::{getsockopt, sockopt};
use rights::rights;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;
use tusker_testbed::{Ended, Names, Offer, Program, Shell, laws, shell};

fn plan(queue: &str) -> Plan {
    plan_with(queue, "reno")
}

fn plan_with(queue: &str, cc: &str) -> Plan {
    let text = format!(
        "profile = 'linux'\nduration = '8s'\n\
         [dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\nqueue = {queue}\n\
         access = {{ rate = '100Mbit', delay = '1ms' }}\n\
         [[flows]]\nname = 'a'\ncc = '{cc}'\n"
    );
    Scenario::parse("test.toml", &text, &[]).and_then(|s| s.plan()).expect("it is right")
}

/// Sender and receiver.
fn ends(plan: &Plan) -> [usize; 2] {
    let route = &plan.flows[0].route;
    [plan.links[route[0]].from, plan.links[route[route.len() - 1]].to]
}

/// Thousands of invalid packets. What is sent over such a socket reaches the device
/// unchanged.
const GARBAGE: &str = "\
import random, socket, struct, subprocess
random.seed(7)
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(('tun0', 0x0800))
for _ in range(1000):
    raw.send(random.randbytes(random.randint(1, 1500)))
me, peer = (socket.inet_aton(socket.gethostbyname(x)) for x in ('a.0.src', 'peer'))
for _ in range(1000):
    length = random.randint(20, 1400)
    said = length + random.choice([-7, -1, 1, 2, 60000])
    head = struct.pack('!BBHHHBBH', 0x45, 0, max(said, 0), 7, 0, 64, 17, 0) + me + peer
    raw.send(head + random.randbytes(length - 20))
# whole packets of protocols that nobody knows, with nonsense in them
for _ in range(100):
    body = random.randbytes(random.randint(0, 100))
    kind = random.choice([0, 6, 17, 253])
    head = struct.pack('!BBHHHBBH', 0x45, 0, 20 + len(body), 7, random.randint(0, 0x1fff), 64, kind, 0)
    raw.send(head + me + peer + body)
# longer than the packets of the plan
subprocess.run(['ip', 'link', 'set', 'tun0', 'mtu', '9000'], check=True)
for length in range(1501, 9001, 75):
    head = struct.pack('!BBHHHBBH', 0x45, 0, length, 7, 0, 64, 17, 0)
    raw.send(head + me + peer + bytes(length - 20))
subprocess.run(['ip', 'link', 'set', 'tun0', 'mtu', '1500'], check=True)
";

/// Tells this program its role inside a host.
const ROLE: &str = "TUSKER_TEST_ROLE";

/// This program in a role.
fn role(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("a path"));
    command.args(["--exact", "plays_its_role", "--nocapture"]).env(ROLE, name);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Not a test of its own: what the others run inside.
#[test]
fn plays_its_role() {
    let Ok(role) = env::var(ROLE) else { return };
    let answer = || {
        let socket = UdpSocket::bind("0.0.0.0:7000").expect("bound");
        let mut bytes = [0; 65536];
        while let Ok((length, from)) = socket.recv_from(&mut bytes) {
            socket.send_to(&bytes[..length], from).expect("sent");
        }
    };
    let swallow = || {
        let socket = TcpListener::bind("0.0.0.0:7000").expect("bound");
        while let Ok((mut connection, _)) = socket.accept() {
            // a killed process resets the connection
            let _ = io::copy(&mut connection, &mut io::sink());
        }
    };
    match role.as_str() {
        "serve" => thread::scope(|scope| {
            scope.spawn(answer);
            scope.spawn(swallow);
        }),
        "send" => {
            let mut connection = TcpStream::connect("peer:7000").expect("connected");
            while connection.write_all(&[0; 65536]).is_ok() {}
        }
        law if law.starts_with("law ") => {
            let connection = TcpStream::connect("peer:7000").expect("connected");
            let used = getsockopt(&connection, sockopt::TcpCongestion).expect("a law");
            assert_eq!(used.to_str(), law.strip_prefix("law "));
        }
        length => {
            let sent: Vec<u8> = (0..length.parse().expect("bytes")).map(|i: u32| i as u8).collect();
            let socket = UdpSocket::bind("0.0.0.0:0").expect("bound");
            socket.set_read_timeout(Some(Duration::from_secs(3))).expect("a wait with an end");
            socket.connect("peer:7000").expect("a name");
            let mut bytes = [0; 65536];
            // a queue filled by others may drop it
            let answer = (0..10).find_map(|_| {
                socket.send(&sent).expect("sent");
                socket.recv(&mut bytes).ok()
            });
            let length = answer.expect("an answer");
            assert_eq!(bytes[..length], sent);
        }
    }
}

/// A listening server at the other end.
fn server(shell: &Shell<'_>, [from, to]: [usize; 2]) -> Program {
    let server = shell.start(to, from, role("serve")).expect("started");
    let end = Instant::now() + Duration::from_secs(30);
    while shell.waiting_sockets(to).expect("entered") < 2 {
        assert!(Instant::now() < end, "it never listens");
        sleep(Duration::from_millis(5));
    }
    server
}

/// Runs a program on the sender to its end.
#[track_caller]
fn done(shell: &Shell<'_>, [from, to]: [usize; 2], command: Command) {
    let mut program = shell.start(from, to, command).expect("started");
    assert_eq!(program.wait(Duration::from_secs(60)), Some(0));
}

#[test]
fn connections_begin_with_the_law_of_their_flow() {
    if !rights("connections begin with the law of their flow") {
        return;
    }
    // a law that is not allowed for all users, if there is one
    let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    let allowed = allowed.unwrap_or_default();
    let ours = [("cubic", "cubic"), ("bbr1", "bbr"), ("reno", "reno")];
    let there = laws();
    let mut ours: Vec<_> =
        ours.into_iter().filter(|(_, law)| there.iter().any(|l| l == law)).collect();
    ours.sort_by_key(|(_, law)| allowed.split_whitespace().any(|other| other == *law));
    let (name, law) = ours[0];
    let plan = plan_with("'50pkt'", name);
    let ends = ends(&plan);
    shell(&plan, Offer { seed: 1, ..Offer::default() }, |shell| {
        let _server = server(shell, ends);
        assert_eq!(shell.law(ends[0], 0, &Names::default()).expect("the kernel has it"), law);
        done(shell, ends, role(&format!("law {law}")));
    })
    .expect("this machine can");
}

#[test]
fn garbage_disturbs_nobody() {
    if !rights("garbage does not affect the others") {
        return;
    }
    // one kind of link that keeps no packets, one that separates flows
    for queue in ["'100pkt'", "{ policy = 'fq_codel', limit = '100pkt' }"] {
        let plan = plan(queue);
        let ends = ends(&plan);
        let Ended { audit, .. } = shell(&plan, Offer { seed: 1, ..Offer::default() }, |shell| {
            let _server = server(shell, ends);
            let mut garbage = Command::new("python3");
            garbage.args(["-c", GARBAGE]);
            done(shell, ends, garbage);
            done(shell, ends, role("100"));
            // in fragments; only the first has ports
            done(shell, ends, role("8972"));
        })
        .expect("this machine can");
        let audit = audit.expect("the emulator worked to the end");
        // 1000 of random bytes, 1000 with a wrong length in the header, 100 too long
        assert_eq!((audit.foreign, audit.oversized), (2000, 100), "{audit:?}");
    }
}

#[test]
fn a_sender_that_is_killed_takes_nobody_with_it() {
    if !rights("a killed sender does not affect the others") {
        return;
    }
    let plan = plan("'50pkt'");
    let ends = ends(&plan);
    let bottleneck = plan.links.iter().position(|link| link.name == "R1->R2").unwrap();
    shell(&plan, Offer { seed: 1, ..Offer::default() }, |shell| {
        let _server = server(shell, ends);
        for _ in 0..2 {
            let before = shell.carried()[bottleneck].counters.accepted;
            let sender = shell.start(ends[0], ends[1], role("send")).expect("started");
            let end = Instant::now() + Duration::from_secs(30);
            while shell.carried()[bottleneck].counters.accepted < before + 100 {
                assert!(Instant::now() < end, "it never sends");
                sleep(Duration::from_millis(5));
            }
            drop(sender);
            done(shell, ends, role("100"));
        }
    })
    .expect("this machine can");
}

#[test]
fn two_at_once_do_not_meet() {
    if !rights("two at once do not meet") {
        return;
    }
    let plan = plan("'50pkt'");
    let ends = ends(&plan);
    let bottleneck = plan.links.iter().position(|link| link.name == "R1->R2").unwrap();
    thread::scope(|scope| {
        let one = |times| {
            let Ended { carried, .. } =
                shell(&plan, Offer { seed: 1, ..Offer::default() }, |shell| {
                    let _server = server(shell, ends);
                    (0..times).for_each(|_| done(shell, ends, role("100")));
                })
                .expect("this machine can");
            assert_eq!(carried[bottleneck].counters.accepted, times);
        };
        // same addresses, same ports
        let other = scope.spawn(move || one(3));
        one(2);
        other.join().unwrap();
    });
}

#[test]
fn a_device_that_is_taken_away_is_told() {
    if !rights("a removed device is reported") {
        return;
    }
    let plan = plan("'50pkt'");
    let ends = ends(&plan);
    let Ended { audit, .. } = shell(&plan, Offer { seed: 1, ..Offer::default() }, |shell| {
        let mut take = Command::new("ip");
        take.args(["link", "delete", "tun0"]);
        done(shell, ends, take);
        let end = Instant::now() + Duration::from_secs(30);
        while shell.failure().is_none() {
            assert!(Instant::now() < end, "it goes unnoticed");
            sleep(Duration::from_millis(5));
        }
        let why = shell.failure().unwrap();
        assert!(why.starts_with("the emulator cannot read a host's device: "), "{why}");
    })
    .expect("this machine can");
    assert_eq!(audit, None);
}

/// Setting the machine's clock changes no run: all times here come from the clock that
/// cannot be set (`Instant`, CLOCK_MONOTONIC), and waits are relative.
#[test]
fn no_clock_is_read_that_can_be_set() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).unwrap();
            for clock in ["SystemTime", "CLOCK_REALTIME", "gettimeofday", "libc::time("] {
                assert!(!text.contains(clock), "{} reads {clock}", path.display());
            }
        }
    }
    assert!(files > 20);
}
