//! Lines of `ss -tin` (iproute2): `cubic wscale:7,7 rto:351 rtt:150.1/0.2 mss:1448 cwnd:27000
//! bytes_acked:7877000000 busy:30012ms rwnd_limited:29000ms(96.6%) ..`.

use crate::measured::{Interval, Measured, Tool};
use crate::{Mistake, choose};

/// Whether a text has such lines.
pub(crate) fn is(text: &str) -> bool {
    text.lines().any(|line| line.contains(" cwnd:") && line.contains("rtt:"))
}

/// The connection that sent most, or the one that `flow` names; of several lines of one, the
/// last, and its progress from one to the next, timed by `busy`.
pub(crate) fn measured(name: &str, text: &str, flow: Option<&str>) -> Result<Measured, Mistake> {
    let mut all: Vec<(String, Vec<(f64, Measured)>)> = Vec::new();
    let mut label = String::new();
    for line in text.lines() {
        let ends: Vec<&str> = line.split_ascii_whitespace().filter(|word| is_end(word)).collect();
        if let [from, to, ..] = ends[..] {
            label = format!("{from}>{to}");
        }
        let info = line.contains("cwnd:") && line.contains("rtt:");
        let Some(own) = info.then(|| connection(line)).flatten() else { continue };
        match all.iter_mut().find(|(other, _)| *other == label) {
            Some((_, lines)) => lines.push(own),
            None => all.push((label.clone(), vec![own])),
        }
    }
    let most = |lines: &[(f64, Measured)]| lines.iter().map(|own| own.0).fold(0.0, f64::max);
    all.sort_by(|a, b| most(&b.1).total_cmp(&most(&a.1)));
    if all.is_empty() {
        let message = format!("{name}: no line of ss says how fast a connection is");
        let help = "ss -tin on the sender, while data flows, has bytes_acked and busy";
        return Err(Mistake::new(message, help));
    }
    let labels: Vec<String> = all.iter().map(|(label, _)| label.clone()).collect();
    let lines = all.swap_remove(choose::one(name, &labels, flow)?).1;
    let intervals = if lines.len() > 1 { progress(&lines) } else { Vec::new() };
    // a connection that ended and began again has fewer bytes than before
    let last = lines.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|own| own.1);
    Ok(Measured { connections: labels.len() as u32, intervals, ..last.unwrap_or_default() })
}

/// Whether a word is an address with a port.
fn is_end(word: &str) -> bool {
    let Some((host, port)) = word.rsplit_once(':') else { return false };
    host.contains(['.', '[', ':']) && port.parse::<u16>().is_ok()
}

/// From one line of a connection to the next.
fn progress(lines: &[(f64, Measured)]) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    let (mut from_s, mut before) = (0.0, 0.0);
    for (bytes, own) in lines {
        let Some(to_s) = own.seconds.filter(|to_s| *to_s > from_s && *bytes >= before) else {
            continue;
        };
        intervals.push(Interval {
            from_s,
            to_s,
            goodput_bps: (bytes - before) * 8.0 / (to_s - from_s),
            rtt_s: own.rtt_s,
            cwnd_bytes: own.cwnd_bytes,
        });
        (from_s, before) = (to_s, *bytes);
    }
    intervals
}

/// Bytes that were acknowledged, and the connection.
fn connection(line: &str) -> Option<(f64, Measured)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let text = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix(':'));
    let value = |key| text(key).and_then(number);
    // `rwnd_limited:433148ms(98.8%)`: a share of busy
    let share = |key| {
        let (_, percent) = text(key)?.split_once('(')?;
        number(percent).map(|percent| percent / 100.0)
    };
    let busy = value("busy").map(|ms| ms / 1e3).filter(|&s| s > 0.0);
    let acked = value("bytes_acked").or_else(|| value("bytes_sent"));
    let recent = words.iter().position(|word| *word == "delivery_rate");
    let recent = recent.and_then(|at| rate(words.get(at + 1)?));
    let mean = acked.zip(busy).map(|(bytes, seconds)| bytes * 8.0 / seconds);
    let goodput_bps = mean.or(recent).filter(|rate| *rate > 0.0)?;
    let (rtt, mss) = (value("rtt").map(|ms| ms / 1e3), value("mss").unwrap_or(1448.0));
    // `retrans:0/244`: now under way, and in all
    let again = text("retrans").and_then(|text| text.split_once('/')?.1.parse().ok());
    let limited = |key| share(key).or_else(|| busy.map(|_| 0.0));
    let known = |word: &&&str| !word.contains(':') && word.bytes().all(|b| b.is_ascii_lowercase());
    Some((
        acked.unwrap_or(0.0),
        Measured {
            tool: Tool::Ss,
            goodput_bps,
            seconds: mean.and(busy),
            streams: 1,
            congestion: words.iter().filter(known).map(|word| (*word).to_owned()).find(|word| {
                !["ts", "sack", "ecn", "ecnseen", "fastopen", "send"].contains(&word.as_str())
            }),
            rtt_s: rtt,
            min_rtt_s: value("minrtt").map(|ms| ms / 1e3).or(rtt).filter(|&s| s > 0.0),
            retransmits: again.or(acked.map(|_| 0)),
            cwnd_bytes: value("cwnd").map(|segments| segments * mss),
            receive_limited: limited("rwnd_limited"),
            send_limited: limited("sndbuf_limited"),
            app_limited: busy.map(|_| words.contains(&"app_limited")),
            ..Measured::default()
        },
    ))
}

/// The number that a text begins with.
fn number(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

/// `900150880bps`, `34.1Mbps`.
fn rate(text: &str) -> Option<f64> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let scale = match unit {
        "bps" => 1.0,
        "Kbps" => 1e3,
        "Mbps" => 1e6,
        "Gbps" => 1e9,
        "Tbps" => 1e12,
        _ => return None,
    };
    number(text).map(|number| number * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 50,394,960,214 B in 438.588 s are 919.2 Mbit/s.
    #[test]
    fn a_line_of_ss() {
        let text = "ESTAB 0 3235770 10.0.1.29:42314 10.0.1.37:5201\n\t cubic wscale:7,7 rto:204 \
            rtt:3.579/1.106 mss:8949 pmtu:9001 cwnd:45 ssthresh:23 bytes_sent:50397082723 \
            bytes_acked:50394960214 send 900150880bps delivery_rate 1011626080bps busy:438588ms \
            rwnd_limited:433148ms(98.8%) retrans:0/244 minrtt:0.228";
        let own = measured("a", text, None).unwrap();
        assert!((own.goodput_bps / 919.22e6 - 1.0).abs() < 1e-4, "{}", own.goodput_bps);
        assert_eq!(own.congestion.as_deref(), Some("cubic"));
        assert_eq!((own.retransmits, own.receive_limited), (Some(244), Some(0.988)));
        assert_eq!((own.send_limited, own.min_rtt_s), (Some(0.0), Some(0.000_228)));
        assert_eq!(own.cwnd_bytes, Some(45.0 * 8949.0));
        assert!(measured("a", "cubic rtt:1/1 cwnd:10", None).is_err());
    }

    /// 1 MB in the first second, 3 MB in the next two: 8 and 12 Mbit/s.
    #[test]
    fn lines_of_several_connections_over_time() {
        let line = |port: u32, mb: u32, s: u32, rtt: u32| {
            format!(
                "ESTAB 0 0 10.0.0.1:{port} 10.0.0.2:5201\n\t cubic rtt:{rtt}/1 mss:1000 cwnd:{rtt} \
                 bytes_acked:{mb}000000 busy:{s}000ms\n"
            )
        };
        let text = line(40_000, 1, 1, 20) + &line(40_001, 9, 1, 5) + &line(40_000, 4, 3, 30);
        let own = measured("a", &text, Some(":40000")).unwrap();
        let rates: Vec<f64> = own.intervals.iter().map(|part| part.goodput_bps).collect();
        assert_eq!((rates, own.connections), (vec![8e6, 12e6], 2));
        assert_eq!(own.intervals[1].rtt_s, Some(0.03));
        assert_eq!(own.intervals[1].cwnd_bytes, Some(30_000.0));
        // that with most data is the first
        assert_eq!(measured("a", &text, None).unwrap().goodput_bps, 72e6);
        assert_eq!(measured("a", &text, Some("2")).unwrap(), own);
        let wrong = measured("a", &text, Some("10.0.0.2")).unwrap_err();
        assert!(wrong.message.contains("several") && wrong.help.contains("2 10.0.0.1:40000>"));
        assert!(measured("a", &text, Some("9")).is_err());
    }
}
