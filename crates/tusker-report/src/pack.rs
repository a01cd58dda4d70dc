//! Curves as text within a page.
//!
//! ```text
//!  value (its logarithm, where the axis is logarithmic)
//!        --> 16 bits of the curve's range --> difference to the last, zigzag
//!        --> low bytes, then high bytes --> deflate (RFC 1951) --> base64
//! ```
//!
//! 65,534 steps from a curve's smallest value to its largest are more than any screen shows;
//! anyone who needs the last digit has the tables. Differences of a window that grows steadily
//! are small and alike, which is what deflate is good at. `report/page/data.js` undoes these
//! steps.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use crate::figure::Curve;

/// Stands for no value.
const MISSING: u16 = u16::MAX;

/// Steps between the smallest and the largest value.
const STEPS: f64 = 65_534.0;

/// Points that all curves of a figure have together, at most: a page of them stays
/// under 5 MB even if they are noise. Above, only every second, third, ... is kept.
pub const MOST: usize = 2_000_000;

/// What the page must know to unpack a curve.
#[derive(Clone, Debug, Serialize)]
pub struct Head<'a> {
    name: &'a str,
    group: usize,
    low: f64,
    high: f64,
}

/// Curves in one string, every `every`-th value of each; `log`: of their decimal
/// logarithms, which zero does not have.
pub fn pack<'a>(curves: &'a [Curve], every: usize, log: bool) -> (Vec<Head<'a>>, String) {
    let (mut heads, mut bytes) = (Vec::new(), Vec::new());
    for curve in curves {
        let of = |&value: &f64| if log { value.log10() } else { value };
        let finite = || curve.values.iter().map(of).filter(|value| value.is_finite());
        let (low, high) = (finite().fold(f64::MAX, f64::min), finite().fold(f64::MIN, f64::max));
        let (low, high) = if low > high { (0.0, 0.0) } else { (low, high) };
        heads.push(Head { name: &curve.name, group: curve.group, low, high });
        let scale = if high > low { STEPS / (high - low) } else { 0.0 };
        let step = |value: f64| match value.is_finite() {
            true => ((value - low) * scale).round() as u16,
            false => MISSING,
        };
        let mut last = 0_u16;
        let difference = |step: u16| {
            let by = step.wrapping_sub(std::mem::replace(&mut last, step)) as i16;
            ((by << 1) ^ (by >> 15)) as u16
        };
        let steps = curve.values.iter().step_by(every).map(of).map(step).map(difference);
        let steps: Vec<u16> = steps.collect();
        bytes.extend(steps.iter().map(|step| *step as u8));
        bytes.extend(steps.iter().map(|step| (step >> 8) as u8));
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes).expect("memory takes everything");
    let deflated = encoder.finish().expect("memory takes everything");
    (heads, STANDARD.encode(deflated))
}

/// Which values of so many curves of this length, those of all panels of a figure, are
/// kept: every so many-th.
pub fn every(curves: usize, points: usize) -> usize {
    (curves * points).div_ceil(MOST).max(1)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn differences_are_what_the_head_of_this_file_says() {
        let values = vec![f64::NAN, 0.0, 1.0, 0.5];
        let curve = Curve { name: "a".to_owned(), group: 0, values };
        let curves = [curve];
        let (heads, text) = pack(&curves, 1, false);
        assert_eq!((heads[0].low, heads[0].high), (0.0, 1.0));
        let mut bytes = Vec::new();
        let deflated = STANDARD.decode(text).unwrap();
        flate2::read::DeflateDecoder::new(&deflated[..]).read_to_end(&mut bytes).unwrap();
        // steps 65535 0 65534 32767; differences mod 2^16 as signed: -1, 1, -2,
        // -32767; zigzag: 1, 2, 3, 65533 = 255 * 256 + 253
        assert_eq!(bytes, [1, 2, 3, 253, 0, 0, 0, 255]);
    }

    #[test]
    fn on_a_logarithmic_axis_exponents_are_kept() {
        let values = vec![1e-3, 0.0, 1e5];
        let curves = [Curve { name: "w".to_owned(), group: 0, values }];
        let (heads, _) = pack(&curves, 1, true);
        assert!((heads[0].low - -3.0).abs() < 1e-12 && (heads[0].high - 5.0).abs() < 1e-12);
    }

    #[test]
    fn a_figure_has_two_million_points() {
        assert_eq!(every(40, 50_000), 1);
        // 100 flows in two panels: 10 million, of which every fifth
        assert_eq!(every(200, 50_000), 5);
        assert_eq!(every(1_001, 2_000), 2);
    }
}
