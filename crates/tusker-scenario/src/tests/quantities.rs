//! Quantities and limits, from text and to text.

use tusker_core::{Bytes, Duration, Rate};

use crate::limit::Limit;
use crate::text::{Written, Wrong};

fn rate(text: &str) -> Result<u64, Wrong> {
    Rate::read(text).map(Rate::bits_per_sec)
}

#[test]
fn units_as_people_write_them() {
    for text in ["2.5Gbit", "2.5 Gbit/s", "2.5gbit", "2.5Gbps", "2500Mbit", "2.5Gb/s", "2.5e9bit"] {
        assert_eq!(rate(text), Ok(2_500_000_000), "{text}");
    }
    assert_eq!(Duration::read("50ms"), Ok(Duration::from_millis(50)));
    assert_eq!(Duration::read("0.05 s"), Ok(Duration::from_millis(50)));
    assert_eq!(Duration::read("1.5µs"), Ok(Duration::from_nanos(1500)));
    assert_eq!(Bytes::read("64kB"), Ok(Bytes::new(64_000)));
    assert_eq!(Bytes::read("64KB"), Ok(Bytes::new(64_000)));
    assert_eq!(Bytes::read("64KiB"), Ok(Bytes::new(65_536)));
    assert_eq!(Limit::read("10_000pkt"), Ok(Limit::Packets(10_000)));
    assert_eq!(Limit::read("0.5bdp"), Ok(Limit::Bdp(0.5)));
    assert_eq!(Limit::read("1MB"), Ok(Limit::Bytes(1_000_000)));
    assert_eq!(Limit::read("backpressure:83pkt"), Ok(Limit::Backpressure(Some(83))));
}

#[test]
fn what_is_written_reads_the_same() {
    for bits in [1, 999, 64_000, 1_234_567_891, 2_500_000_000, 99_999_999_999_999] {
        let rate = Rate::from_bits_per_sec(bits);
        assert_eq!(Rate::read(&rate.write()), Ok(rate), "{}", rate.write());
    }
    for ns in [0, 1, 1_234_567_890_123_456_789 / 10, 50_000_000] {
        let time = Duration::from_nanos(ns);
        assert_eq!(Duration::read(&time.write()), Ok(time), "{}", time.write());
    }
    for limit in [Limit::Unlimited, Limit::Bdp(0.1), Limit::Backpressure(None)] {
        assert_eq!(Limit::read(&limit.write()), Ok(limit));
    }
}

#[test]
fn mistakes_say_what_was_expected() {
    let zero = rate("0Mbit").unwrap_err();
    assert_eq!(zero.0, "a rate of zero sends nothing");
    let negative = Duration::read("-5ms").unwrap_err();
    assert_eq!(negative.0, "`-5` is negative");
    let unit = rate("5Gbyte").unwrap_err();
    assert_eq!(unit.0, "unknown unit `Gbyte`");
    assert_eq!(rate("5MB/s").unwrap_err().0, "unknown unit `MB/s`");
    assert!(unit.1.contains("did you mean `Gbit`"), "{}", unit.1);
    let bare = rate("100").unwrap_err();
    assert_eq!(bare.0, "`100` has no unit");
    assert!(bare.1.contains("did you mean `100Mbit` or `100Gbit`?"), "{}", bare.1);
    let bare = Duration::read("100").unwrap_err();
    assert!(bare.1.contains("did you mean `100ms` or `100s`?"), "{}", bare.1);
    assert_eq!(Limit::read("0pkt").unwrap_err().0, "a queue limit of zero lets nothing through");
    assert_eq!(rate("1e300Gbit").unwrap_err().1, "at most 100Tbit");
    assert_eq!(rate("1e400Gbit").unwrap_err().0, "`1e400` is too large");
    let bare = Bytes::read("TB").unwrap_err();
    assert_eq!(bare.1, "write a number before the unit: 1TB");
    // a small b is a bit
    for bits in ["200Tb", "10mb", "1b", "64Kib"] {
        let (message, help) = Bytes::read(bits).unwrap_err();
        assert!(message.ends_with("may be bits"), "{bits}: {message}");
        assert!(help.contains("divide by eight"), "{bits}: {help}");
        assert_eq!(Limit::read(bits).unwrap_err().0, message);
    }
    assert_eq!(Bytes::read("200TB"), Ok(Bytes::new(200_000_000_000_000)));
    assert_eq!(
        rate("nanGbit").unwrap_err().0,
        "expected a rate such as \"2.5Gbit\", found `nanGbit`"
    );
}
