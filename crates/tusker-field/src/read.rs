//! What a file is, by what is in it.

use tusker_scenario::recorded::{Seems, is_gzip, unpacked};

use crate::measured::Measured;
use crate::{Mistake, choose, flent, iperf, pcap, qlog, ss};

/// The most bytes of a file that are read.
pub const MAX_BYTES: u64 = 64 << 20;

/// What a file measured. `name` is what messages call it; of several connections, `flow` names
/// one by its number (in captures and lines of ss, 1 has most data) or a part of its name or
/// addresses.
///
/// # Errors
/// If it is none of the formats; the message says what it seems to be.
pub fn read(name: &str, bytes: &[u8], flow: Option<&str>) -> Result<Measured, Mistake> {
    if is_gzip(bytes) {
        let inner = unpacked(name, bytes).map_err(|(message, help)| Mistake::new(message, help))?;
        return read(name, &inner, flow);
    }
    let seems = Seems::of(bytes);
    let other = || {
        let message = format!("{name} seems to be {}, not a measurement", seems.what());
        let expected =
            "expected a file of `iperf3 --json`, `ss -tin`, Flent, qlog, or a packet capture";
        let remedy = seems.remedy().map(|remedy| format!("{remedy}; {expected}"));
        Err(Mistake::new(message, remedy.unwrap_or_else(|| expected.to_owned())))
    };
    let read = if seems == Seems::Capture {
        pcap::measured(name, bytes, flow)
    } else {
        let Ok(text) = std::str::from_utf8(bytes) else { return other() };
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(json) if iperf::is(&json) => iperf::measured(name, &json),
            Ok(json) if flent::is(&json) => flent::measured(name, &json, flow),
            Ok(json) if qlog::is(&json) && json.get("traces").is_some() => {
                qlog::of_document(name, &json, flow)
            }
            Ok(_) => return other(),
            Err(_) if qlog::is_sequence(text) => qlog::of_sequence(name, text, flow),
            Err(_) if ss::is(text) => ss::measured(name, text, flow),
            Err(wrong) if text.trim_start().starts_with('{') => {
                let message = format!("{name}: damaged JSON: {wrong}");
                return Err(Mistake::new(message, "measure again, or take the complete file"));
            }
            Err(_) => return other(),
        }
    };
    let own = read.and_then(|own| plausible(name, own))?;
    if own.connections == 0 {
        choose::none(name, flow)?;
    }
    Ok(own)
}

/// Refuses numbers that nothing can have measured.
fn plausible(name: &str, own: Measured) -> Result<Measured, Mistake> {
    let times = [own.seconds, own.rtt_s, own.min_rtt_s].into_iter().flatten();
    let sizes = [own.cwnd_bytes, own.target_bps, own.cpu].into_iter().flatten();
    let rates = own.intervals.iter().map(|part| part.goodput_bps).chain([own.goodput_bps]);
    let good =
        times.chain(own.intervals.iter().map(|part| part.to_s)).all(|s| (0.0..1e9).contains(&s))
            && sizes.chain(rates).all(|value| (0.0..1e15).contains(&value));
    match good {
        true => Ok(own),
        false => {
            let message = format!("{name}: a time, a rate or a window that cannot be");
            Err(Mistake::new(message, "times below 1e9 s, rates below 1e15 bit/s"))
        }
    }
}
