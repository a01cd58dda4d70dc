//! A real watch, with expected values read off by hand. `fixture.jsonl` has 5 s of gHSTCP: the
//! events of one connection up to 1.1 s and at its end, and those of the opposite direction,
//! which only acknowledges.

use super::*;

const LINES: &str = include_str!("fixture.jsonl");

fn heard(most: usize) -> (Watched, Vec<Vec<Moment>>) {
    let mut watching = Watching::with_room(vec!["tusker".to_owned()], most);
    LINES.lines().for_each(|line| watching.hear(line).unwrap());
    watching.finish()
}

#[test]
fn a_real_watch_is_understood() {
    let (watched, moments) = heard(MOST_MOMENTS);
    assert_eq!((&*watched.name, &*watched.law), ("ghwo", "ghstcp"));
    assert_eq!((&*watched.kernel, &*watched.began), ("6.18.44-fc-v657", "2026-11-22T12:23:54Z"));
    assert_eq!(watched.parameters["w_low"], 38.0);
    assert_eq!(watched.shows, ["mode", "r", "rtt_ms", "low_ms", "high_ms", "z"]);
    // 15774692620 - 15769669737 us from the first line to the last
    assert_eq!((watched.duration_s, watched.every_s), (5.022883, 0.1));
    assert_eq!((watched.missed, watched.more_connections), (Some(0), 0));
    let [data, back] = &watched.connections[..] else { panic!("two connections") };
    assert_eq!((&*data.from, &*data.to), ("10.9.0.1:46218", "10.9.1.1:5201"));
    assert_eq!((data.began_s, data.ended_s), (0.694434, 2.704394));
    assert!(data.opened && data.closed && data.number == 1 && back.number == 2);
    // from 2 to 1765 segments of 1448 bytes, in 2.00996 s
    assert_eq!(data.delivered_bytes, 1763 * 1448);
    let rate = 1763.0 * 1448.0 * 8.0 / 2.00996;
    assert!((data.rate_bps.unwrap() - rate).abs() < 1.0, "{:?}", data.rate_bps);
    // lines 6, 9, 15, 18, 23, 28
    assert_eq!((data.lost, data.shrinks, data.timeouts, data.undone), (97, 6, 0, 0));
    assert_eq!((data.rtt_min_s, back.rtt_min_s), (Some(0.004), None));
    assert_eq!((back.delivered_bytes, back.lost), (0, 0));
    // lines 2, 4+5, 6+7, 8, 9+10, 11, 12-14, 15+16, 17, 18+19, 20, 21+22, 23+24, 25,
    // 26+27, 28+29, 30, 31+32, 35 are one time each
    assert_eq!((moments[0].len(), moments[1].len(), watched.moments), (19, 2, 21));
    let value = |moment: usize, quantity: &str| {
        let place = watched.quantities().position(|name| name == quantity).unwrap();
        moments[0][moment].values[place]
    };
    // line 2
    assert_eq!(moments[0][0].time_us, 694_434);
    assert_eq!((value(0, "cwnd"), value(0, "srtt"), value(0, "state")), (11.0, 19e-6, 0.0));
    assert!(value(0, "ssthresh").is_nan());
    // line 7: the last of its time
    assert_eq!((value(2, "cwnd"), value(2, "ssthresh"), value(2, "lost")), (16.0, 7.0, 6.0));
    assert_eq!((value(2, "state"), value(2, "in_flight")), (3.0, 8.0));
    assert_eq!(value(2, "delivered_bytes"), 6.0 * 1448.0);
    // line 35
    assert_eq!(moments[0][18].time_us, 2_704_394);
    assert!((value(18, "r") - -0.515).abs() < 5e-4);
}

#[test]
fn a_long_watch_keeps_moments_that_are_further_apart() {
    let (all, every) = heard(MOST_MOMENTS);
    let (some, fewer) = heard(12);
    assert!(some.moments <= 12 && some.spacing_s > 0.0, "{}", some.moments);
    let counts = |watched: &Watched| {
        let of = |c: &Connection| (c.delivered_bytes, c.lost, c.shrinks, c.ended_s.to_bits());
        watched.connections.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(counts(&some), counts(&all), "what is counted is counted in full");
    for (fewer, every) in fewer.iter().zip(&every) {
        let ends = |all: &[Moment]| [all.first(), all.last()].map(|m| m.map(|m| m.time_us));
        assert_eq!(ends(fewer), ends(every));
        let far = |pair: &[Moment]| (pair[1].time_us - pair[0].time_us) as f64 / 1e6;
        // all but the last
        let apart = fewer[..fewer.len() - 1].windows(2).all(|pair| far(pair) >= some.spacing_s);
        assert!(apart, "{fewer:?}");
    }
}

#[test]
fn connections_beyond_the_room_are_counted() {
    // room for 4 moments is room for one connection
    let (watched, moments) = heard(4);
    assert_eq!((watched.connections.len(), moments.len(), watched.more_connections), (1, 1, 1));
}

#[test]
fn what_is_no_such_stream_is_told() {
    let refused = |lines: &[&str]| {
        let mut watching = Watching::new(Vec::new());
        let mut heard = lines.iter().map(|line| watching.hear(line));
        heard.find_map(Result::err).expect("it is refused")
    };
    let lines: Vec<&str> = LINES.lines().collect();
    let other = lines[0].replace("\"format\":1", "\"format\":2");
    assert!(refused(&[&other]).contains("format is 2, not 1"));
    assert!(refused(&[lines[1]]).contains("does not begin"));
    assert!(refused(&[lines[0], lines[0]]).contains("second time"));
    assert!(refused(&[lines[0], "{\"what\":\"dance\"}"]).contains("dance"));
    assert!(refused(&["no JSON"]).contains("expected"));
}

/// A name that is used again is another connection, and counts go on over 32 bits.
#[test]
fn connections_and_counts_begin_anew() {
    let lines: Vec<&str> = LINES.lines().collect();
    let mut watching = Watching::new(Vec::new());
    let mut hear = |line: &str| watching.hear(line).unwrap();
    hear(lines[0]);
    hear(&lines[1].replace("\"delivered\":2", "\"delivered\":4294967290"));
    // 6 to the end of 32 bits, and 7 more: 13 segments
    hear(lines[3]);
    // its close was missed
    hear(lines[1]);
    let (watched, _) = watching.finish();
    let [first, second] = &watched.connections[..] else { panic!("two connections") };
    assert_eq!((first.delivered_bytes, first.closed), (13 * 1448, false));
    assert_eq!((second.delivered_bytes, second.opened), (0, true));
}

#[test]
fn published_schema_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/watched.schema.json");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(path, Watched::schema()).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == Watched::schema(),
        "write it anew: tusker schema watched > schema/watched.schema.json"
    );
}
