//! A host is a separate network: its packets come out of its device unchanged, and nothing
//! else does.

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, UdpSocket};
use std::thread;
use std::time::Duration;

use crate::support::{MTU, Pair, rights};
use tusker_testbed::{Error, Host};

const ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 1, 2, 3);

fn namespace() -> std::path::PathBuf {
    fs::read_link("/proc/thread-self/ns/net").expect("every thread has a namespace")
}

#[test]
fn a_datagram_comes_out_as_one_plain_packet() {
    if !rights("a_datagram_comes_out_as_one_plain_packet") {
        return;
    }
    let (host, tun) = Host::new("a", ADDRESS, MTU).expect("a host");
    let mut packet = [0; MTU as usize];
    // IPv6 would have sent packets by itself when the device came up
    let nothing = tun.recv(&mut packet).expect_err("nothing was sent");
    assert_eq!(nothing.kind(), ErrorKind::WouldBlock);

    let socket = host.run(|| UdpSocket::bind((ADDRESS, 0))).expect("entered").expect("bound");
    let payload = [7; 1000];
    socket.send_to(&payload, ("10.255.0.9", 5000)).expect("sent");
    let length = tun.recv(&mut packet).expect("a packet");
    // RFC 791 and 768: 20 bytes of IP, 8 of UDP
    assert_eq!(length, 20 + 8 + 1000);
    assert_eq!(packet[0], 0x45, "IPv4, five words of header");
    assert_eq!(packet[9], 17, "UDP");
    assert_eq!(packet[12..16], ADDRESS.octets());
    assert_eq!(packet[16..20], [10, 255, 0, 9]);
    assert_eq!(packet[28..length], payload);
    // RFC 768: the sum of the pseudo header and all words is all ones
    let words = packet[12..length].chunks(2).map(|two| u32::from(two[0]) << 8 | u32::from(two[1]));
    let sum = words.sum::<u32>() + 17 + (8 + 1000);
    assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff, "the checksum is filled in");
    assert!(tun.recv(&mut packet).is_err(), "one packet, not two");
}

#[test]
fn two_hosts_reach_each_other_and_not_the_machine() {
    if !rights("two_hosts_reach_each_other_and_not_the_machine") {
        return;
    }
    let pair = Pair::new();
    let receiver =
        pair.right.run(|| UdpSocket::bind(("0.0.0.0", 9000))).expect("entered").expect("bound");
    receiver.set_read_timeout(Some(Duration::from_secs(5))).expect("a wait with an end");
    let sender =
        pair.left.run(|| UdpSocket::bind(("0.0.0.0", 0))).expect("entered").expect("bound");
    sender.send_to(b"over", (pair.right.address(), 9000)).expect("sent");
    let mut read = [0; 16];
    let (length, from) = receiver.recv_from(&mut read).expect("arrived");
    assert_eq!((&read[..length], from.ip()), (&b"over"[..], pair.left.address().into()));
    let away = sender.send_to(b"out", ("192.0.2.1", 9000)).expect_err("no route leads out");
    assert_eq!(away.kind(), ErrorKind::NetworkUnreachable);
}

#[test]
fn work_runs_within_and_the_caller_stays_where_it_is() {
    if !rights("work_runs_within_and_the_caller_stays_where_it_is") {
        return;
    }
    let before = namespace();
    let (host, _tun) = Host::new("a", ADDRESS, MTU).expect("a host");
    let (other, _other) = Host::new("b", ADDRESS, MTU).expect("the same address elsewhere");
    let within = host.run(namespace).expect("entered");
    assert_ne!(within, before);
    assert_ne!(within, other.run(namespace).expect("entered"));
    assert_eq!(namespace(), before);
    // from many threads at once, borrowing from the caller
    let mut seen = vec![before; 8];
    thread::scope(|scope| {
        for place in &mut seen {
            scope.spawn(|| host.run(|| *place = namespace()).expect("entered"));
        }
    });
    assert_eq!(seen, vec![within; 8]);
}

#[test]
fn devices_and_settings_are_the_hosts_own() {
    if !rights("devices_and_settings_are_the_hosts_own") {
        return;
    }
    let (host, _tun) = Host::new("a", ADDRESS, 9000).expect("a host");
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let sack = "/proc/sys/net/ipv4/tcp_sack";
    let machine = read(sack);
    host.sysctl("net.ipv4.tcp_sack", "0").expect("set");
    let within = |path| host.run(|| read(path)).expect("entered").trim().to_owned();
    assert_eq!(within(sack), "0");
    assert_eq!(read(sack), machine);
    assert_eq!(within("/proc/sys/net/ipv4/tcp_no_metrics_save"), "1");
    assert_eq!(within("/proc/sys/net/ipv4/tcp_congestion_control"), "reno");
    let link = host
        .run(|| std::process::Command::new("ip").args(["-o", "link", "show", "tun0"]).output())
        .expect("entered");
    if let Ok(link) = link {
        let link = String::from_utf8_lossy(&link.stdout).into_owned();
        assert!(link.contains("mtu 9000") && link.contains("qlen 20000"), "{link}");
    }

    let error = host.sysctl("net.ipv4.tcp_sock", "0").expect_err("no such setting").to_string();
    assert!(error.contains("host a: cannot set net.ipv4.tcp_sock to \"0\""), "{error}");
    assert!(error.contains("No such file"), "{error}");
    let error = host.sysctl("kernel.panic", "0").expect_err("the machine's").to_string();
    assert!(error.contains("no setting of a network namespace"), "{error}");
}

#[test]
fn what_no_host_can_be_is_refused() {
    for address in ["192.168.0.1", "10.0.0.0", "10.255.255.255", "11.0.0.1"] {
        let address = address.parse().expect("an address");
        let error = Host::new("a", address, MTU).expect_err("no such host");
        assert!(matches!(error, Error::Address { .. }), "{error}");
        assert!(error.to_string().contains("between 10.0.0.1 and 10.255.255.254"), "{error}");
    }
    let error = Host::new("a", ADDRESS, 67).expect_err("too small for IP").to_string();
    assert!(error.contains("from 68 to 65,535"), "{error}");
}

#[test]
fn what_a_full_queue_drops_is_counted() {
    if !rights("what_a_full_queue_drops_is_counted") {
        return;
    }
    let (host, _tun) = Host::new("a", ADDRESS, MTU).expect("a host");
    let socket = host.run(|| UdpSocket::bind((ADDRESS, 0))).expect("entered").expect("bound");
    assert_eq!(host.dropped().expect("told"), 0);
    // nothing reads, and the queue has room for 20,000
    for _ in 0..20_050 {
        socket.send_to(&[], ("10.255.0.9", 5000)).expect("sent");
    }
    assert_eq!(host.dropped().expect("told"), 50);
}
