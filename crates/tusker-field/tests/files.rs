//! Files of other tools, and damaged ones.

use tusker_field::{Tool, import, read};
use tusker_scenario::recorded::{self, Columns, Wanted};

/// A capture of raw IPv4 packets, with times in ms.
fn capture(packets: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 101] {
        file.extend(word.to_le_bytes());
    }
    for (ms, packet) in packets {
        let length = packet.len() as u32;
        for word in [ms / 1_000, ms % 1_000 * 1_000, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(packet);
    }
    file
}

/// A TCP packet from one of two hosts.
fn packet(
    from: u8,
    seq: u32,
    ack: u32,
    flags: u8,
    window: u16,
    payload: usize,
    scale: bool,
) -> Vec<u8> {
    let options: &[u8] = if scale { &[1, 3, 3, 7] } else { &[] };
    let head = 20 + options.len();
    let mut own = vec![0x45, 0];
    own.extend(((20 + head + payload) as u16).to_be_bytes());
    own.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, 3 - from]);
    let ports: [u16; 2] = if from == 1 { [40_000, 5_201] } else { [5_201, 40_000] };
    ports.iter().for_each(|port| own.extend(port.to_be_bytes()));
    own.extend(seq.to_be_bytes());
    own.extend(ack.to_be_bytes());
    own.extend([(head as u8 / 4) << 4, flags]);
    own.extend(window.to_be_bytes());
    own.extend([0; 4]);
    own.extend(options);
    own.resize(own.len() + payload, b'x');
    own
}

/// Ten segments of 1000 bytes from 100 ms on, one each 10 ms, of which the fourth is sent again
/// at 165 ms; each is acknowledged after 40 ms. From 100 to 230 ms: 10,000 x 8 / 0.13 = 615,385
/// bit/s. The window of 8 << 7 = 1,024 bytes has no room for two segments: at all ACKs but the
/// last, which leaves nothing under way, it is full.
fn sample() -> Vec<u8> {
    let start = u32::MAX - 4_000;
    let mut packets = vec![
        (0, packet(1, start, 0, 2, 65_535, 0, true)),
        (40, packet(2, 7, start.wrapping_add(1), 18, 65_535, 0, true)),
    ];
    for n in 0..10 {
        let seq = start.wrapping_add(1 + 1_000 * n);
        packets.push((100 + 10 * n, packet(1, seq, 8, 16, 512, 1_000, false)));
        let ack = seq.wrapping_add(1_000);
        packets.push((140 + 10 * n, packet(2, 8, ack, 16, 8, 0, false)));
    }
    packets.push((165, packet(1, start.wrapping_add(3_001), 8, 16, 512, 1_000, false)));
    packets.sort_by_key(|own| own.0);
    capture(&packets)
}

#[test]
fn a_packet_capture_by_hand() {
    let own = read("a.pcap", &sample(), None).unwrap();
    assert_eq!(own.tool, Tool::Pcap);
    assert!((own.goodput_bps - 10_000.0 * 8.0 / 0.13).abs() < 1.0, "{own:?}");
    assert_eq!(own.retransmits, Some(1));
    assert!((own.min_rtt_s.unwrap() - 0.04).abs() < 1e-6, "{own:?}");
    assert_eq!(own.receive_limited, Some(0.9));
    // 130 ms in 40 parts
    assert!(own.intervals.iter().filter_map(|part| part.rtt_s).all(|s| (s - 0.04).abs() < 1e-6));
    let most = own.intervals.iter().filter_map(|part| part.cwnd_bytes).fold(0.0, f64::max);
    assert_eq!(most, 4_000.0);
    for flow in ["1", ":40000>10.0.0.2", "5201"] {
        assert_eq!(read("a.pcap", &sample(), Some(flow)).unwrap(), own);
    }
    let wrong = read("a.pcap", &sample(), Some("10.9.9.9")).unwrap_err();
    assert!(wrong.help.contains("1 10.0.0.1:40000>10.0.0.2:5201"), "{wrong:?}");
    let wrong = read("a.json", IPERF.as_bytes(), Some("1")).unwrap_err();
    assert!(wrong.message.contains("one transfer"), "{wrong:?}");
    // 40 ms of a segment per 10 ms
    assert_eq!(own.cwnd_bytes, Some(4_000.0));
}

const IPERF: &str = r#"{"start": {"test_start": {"protocol": "TCP", "num_streams": 1}},
    "intervals": [{"streams": [], "sum": {"start": 0, "end": 1, "bits_per_second": 1e6}}],
    "end": {"sum_sent": {"seconds": 1, "retransmits": 2}, "sum_received": {"bits_per_second": 1e6}}}"#;
const SS: &str = " cubic rtt:10/1 mss:1448 cwnd:10 bytes_acked:1000000 busy:1000ms retrans:0/3";
const FLENT: &str = r#"{"x_values": [0, 1], "results": {"TCP upload": [1, 2]}}"#;
const QLOG: &str = "\u{1e}{\"qlog_version\": \"0.3\"}\n\
    \u{1e}{\"time\": 0, \"name\": \"transport:packet_sent\", \"data\": {}}\n\
    \u{1e}{\"time\": 9, \"name\": \"transport:packet_sent\", \"data\": {}}\n";

/// All readers: an error with a remedy, or values that can be.
fn read_all(bytes: &[u8]) {
    if let Err(wrong) = read("a", bytes, None) {
        assert!(!wrong.message.is_empty() && !wrong.help.is_empty(), "{wrong:?}");
    }
    for wanted in [Wanted::Rate, Wanted::Delay, Wanted::Loss] {
        if let Err((message, help)) = recorded::read("a", bytes, wanted, &Columns::default()) {
            assert!(!message.is_empty() && !help.is_empty());
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = import::commands(text, false).map_err(|wrong| assert!(!wrong.help.is_empty()));
    }
}

#[test]
fn damaged_files_give_an_error_and_no_panic() {
    let line = "tc qdisc add dev a root netem delay 50ms 10ms 25% loss gemodel 1% 5% rate 10mbit";
    let shells = "mm-delay 5 mm-loss uplink 0.1 mm-link a b --uplink-queue=droptail";
    let files = [
        sample(),
        IPERF.into(),
        SS.into(),
        FLENT.into(),
        QLOG.into(),
        line.into(),
        shells.into(),
        b"time,mbps\n1,2\n2,3\n".to_vec(),
    ];
    for file in &files {
        for at in 0..file.len() {
            read_all(&file[..at]);
            let all = [file[at] ^ 1, 0xff, b'9', b'-', 0];
            let few = if file.len() > 500 { 1 } else { all.len() };
            for &byte in &all[..few] {
                let mut own = file.clone();
                own[at] = byte;
                read_all(&own);
            }
        }
    }
    for (from, to) in [("1e6", "1e308"), ("1000000", "1e999"), ("[1, 2]", "[1e400, null]")] {
        [IPERF, SS, FLENT].iter().for_each(|own| read_all(own.replace(from, to).as_bytes()));
    }
    let deep = "[".repeat(100_000);
    read_all(format!("{{\"intervals\": {deep}").as_bytes());
}

#[test]
fn what_is_no_measurement_is_named() {
    for (bytes, word) in [
        (&b""[..], "empty"),
        (b"\xff\xff", "binary"),
        (b"PK\x03\x04", "unpack it"),
        (b"<html>", "the file itself"),
        (b"64 bytes from 10.0.0.1: icmp_seq=1 ttl=63 time=60.6 ms", "ping"),
        (b"[  5]   0.00-1.00   sec   114 MBytes   956 Mbits/sec", "--json"),
        (b"[dumbbell]", "tusker run"),
        (b"tc qdisc add dev a root netem", "tusker import"),
        (b"{\"a\": 1}", "JSON"),
        (b"{\"intervals\": [", "damaged JSON"),
        (b"time,mbps\n1,2\n", "a table in columns"),
    ] {
        let wrong = read("a", bytes, None).unwrap_err();
        let all = format!("{} {}", wrong.message, wrong.help);
        assert!(all.contains(word) && !wrong.help.is_empty(), "{wrong:?}");
    }
}
