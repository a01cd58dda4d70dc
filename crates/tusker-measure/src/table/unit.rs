//! Numbers with their units, and intervals, as people read them.

use super::NONE;
use crate::stats::{Estimate, Over};

/// A unit with its multiples, and how many significant digits are shown.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Bits per second: `411 Mbit/s`.
    Rate,
    /// Seconds: `52.3 ms`.
    Time,
    /// A share of 1 as per cent: `97.41 %`.
    Percent,
    /// A difference of shares of 1: `0.09 points`.
    Points,
    /// A share of 1 that may be small, as per cent: `0.013 %`, `1.2e-5 %`.
    Probability,
    /// A number between 0 and 1: `0.913`.
    Index,
    /// A count or a number of packets: `8,431`.
    Count,
    /// Bytes: `1.5 MB`.
    Bytes,
}

impl Unit {
    /// A value, as text with its unit.
    pub fn text(self, value: f64) -> String {
        if !value.is_finite() {
            return NONE.to_owned();
        }
        let (scale, unit) = self.scale(value);
        format!("{}{unit}", self.number(value, scale))
    }

    /// An estimate: the mean, and half the 95 % confidence interval if known; zero only if
    /// it is over replicates, all of which had the same value. Half is rounded to two digits, and
    /// the mean to the same place; neither has more decimals than the mean alone would have. Half
    /// that rounds to zero there is `<0.01`.
    pub fn estimate(self, estimate: Option<Estimate>) -> String {
        self.of([estimate]).estimate(estimate)
    }

    /// A difference with its sign, unless it rounds to zero; `none` if its interval does, too.
    pub fn difference(self, estimate: Option<Estimate>) -> String {
        let Some(own) = estimate.filter(|own| own.mean.is_finite()) else {
            return NONE.to_owned();
        };
        let scaled = self.of([estimate]);
        let places = scaled.places(&own);
        let rounded = |value: f64| {
            let step = 10_f64.powi(-places.unwrap_or(300));
            (value / scaled.scale / step).round() * step
        };
        let half = own.ci95.filter(|half| *half > self.rounding()).unwrap_or(0.0);
        match (rounded(own.mean), rounded(half)) {
            (0.0, 0.0) => "none".to_owned(),
            (0.0, _) => scaled.estimate(Some(Estimate { mean: own.mean.abs(), ..own })),
            (mean, _) if mean > 0.0 => format!("+{}", scaled.estimate(estimate)),
            _ => scaled.estimate(estimate),
        }
    }

    /// The one unit of a column of estimates: that of the largest mean.
    pub fn of(self, column: impl IntoIterator<Item = Option<Estimate>>) -> Scaled {
        let means = column.into_iter().flatten().map(|estimate| estimate.mean.abs());
        let means = means.filter(|mean| mean.is_finite());
        let (scale, name) = self.scale(means.fold(0.0, f64::max));
        Scaled { unit: self, scale, name }
    }

    /// What to divide by, and what is written behind the number.
    fn scale(self, value: f64) -> (f64, &'static str) {
        let of = |scales: &[(f64, &'static str)]| {
            let fits = scales.iter().find(|(scale, _)| value.abs() >= 0.9995 * scale);
            *fits.or(scales.last()).expect("a unit has a scale")
        };
        match self {
            Self::Rate => {
                of(&[(1e9, " Gbit/s"), (1e6, " Mbit/s"), (1e3, " kbit/s"), (1.0, " bit/s")])
            }
            Self::Time => of(&[(1.0, " s"), (1e-3, " ms"), (1e-6, " us")]),
            Self::Percent | Self::Probability => (0.01, " %"),
            Self::Points => (0.01, " points"),
            Self::Bytes => of(&[(1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")]),
            Self::Index | Self::Count => (1.0, ""),
        }
    }

    /// What is left of a difference of equal shares, which is not a share.
    fn rounding(self) -> f64 {
        match self {
            Self::Percent | Self::Points | Self::Probability | Self::Index => 1e-12,
            Self::Rate | Self::Time | Self::Count | Self::Bytes => 0.0,
        }
    }

    fn number(self, value: f64, scale: f64) -> String {
        let scaled = value / scale;
        match self {
            Self::Percent | Self::Points => format!("{scaled:.2}"),
            Self::Index => format!("{scaled:.3}"),
            Self::Probability if value.abs() <= self.rounding() => "0".to_owned(),
            Self::Probability if scaled.abs() < 1e-4 => format!("{scaled:.1e}"),
            Self::Probability => significant(scaled, 2),
            Self::Count | Self::Bytes if scaled.abs() >= 1e3 || scaled.fract() == 0.0 => {
                thousands(scaled)
            }
            Self::Rate | Self::Time | Self::Count | Self::Bytes => significant(scaled, 4),
        }
    }
}

/// A unit at one of its multiples, for all cells of a column.
#[derive(Clone, Copy, Debug)]
pub struct Scaled {
    unit: Unit,
    scale: f64,
    name: &'static str,
}

impl Scaled {
    /// See [`Unit::estimate`].
    pub fn estimate(&self, estimate: Option<Estimate>) -> String {
        let estimate = estimate.filter(|estimate| estimate.mean.is_finite());
        let Some(estimate) = estimate else { return NONE.to_owned() };
        let mean = self.unit.number(estimate.mean, self.scale);
        let both = match estimate.ci95 {
            Some(half) if half > self.unit.rounding() => {
                let (value, half) = (estimate.mean / self.scale, half / self.scale);
                interval(&mean, value, half, self.places(&estimate))
            }
            Some(_) if estimate.over == Over::Replicates => format!("{mean} \u{b1} 0"),
            _ => mean,
        };
        both + self.name
    }

    /// Decimals that a mean and its interval are written with, before the point if negative; `None`
    /// of numbers with an exponent.
    fn places(&self, estimate: &Estimate) -> Option<i32> {
        let (mean, alone) = (estimate.mean, self.unit.number(estimate.mean, self.scale));
        let own = alone.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        let half = estimate.ci95.filter(|half| *half > self.unit.rounding());
        match half.map(|half| half / self.scale) {
            // of zero all decimals of the interval would be zeros
            Some(half) if mean == 0.0 && half < 1e-4 => None,
            _ if alone.contains('e') => None,
            None => Some(own),
            Some(half) => {
                // of the rounded number: 0.0996 has its second digit in the second place
                let two = format!("{half:.1e}");
                let magnitude = two.split_once('e').map_or(0, |(_, e)| e.parse().unwrap_or(0));
                // more decimals than the mean has would only look exact; of zero they are all
                // there is
                Some(if mean == 0.0 { 1 - magnitude } else { own.min(1 - magnitude) })
            }
        }
    }
}

/// `mean ± half` with so many decimals; `alone` is the mean as it is written without an interval.
fn interval(alone: &str, mean: f64, half: f64, places: Option<i32>) -> String {
    let Some(places) = places else {
        return match mean == 0.0 && !alone.contains('e') {
            true => format!("0 \u{b1} {half:.1e}"),
            false => format!("{mean:.1e} \u{b1} {half:.1e}"),
        };
    };
    let step = 10_f64.powi(-places);
    let text = |value: f64| match usize::try_from(places) {
        Ok(0) => thousands(value),
        Ok(decimals) => format!("{value:.decimals$}"),
        Err(_) => thousands((value / step).round() * step),
    };
    match (half / step).round() == 0.0 {
        true => format!("{} \u{b1} <{}", text(mean), text(step)),
        false => format!("{} \u{b1} {}", text(mean), text(half)),
    }
}

/// `35.2 s`, `12.1 min`, `45.3 h`, `2.21 d`: three digits, in hours up to two days.
pub fn duration(seconds: f64) -> String {
    duration_as(seconds, seconds)
}

/// The same in the unit of another time: one unit for a whole column.
pub fn duration_as(seconds: f64, other: f64) -> String {
    if !seconds.is_finite() {
        return NONE.to_owned();
    }
    let (scale, name) = duration_unit(other);
    format!("{} {name}", significant(seconds / scale, 3))
}

/// The unit in which a time is told: its seconds, and its name.
pub fn duration_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        172_800.0.. => (86_400.0, "d"),
        5_400.0.. => (3_600.0, "h"),
        90.0.. => (60.0, "min"),
        _ => (1.0, "s"),
    }
}

/// `200 TB`, `64 MB`: bytes in powers of 1000, three digits.
pub fn size(bytes: u64) -> String {
    const UNITS: [(f64, &str); 5] =
        [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")];
    let (scale, name) = UNITS.iter().find(|(scale, _)| bytes as f64 >= *scale).unwrap_or(&UNITS[4]);
    let value = bytes as f64 / scale;
    let digits = if value.fract() == 0.0 { 1 } else { 3 };
    format!("{} {name}", significant(value, digits))
}

/// With at least so many significant digits, none of them an exponent; no
/// digit before the point is lost.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // of the rounded number: 999.96 has four digits before the point
    let rounded = format!("{:.*e}", digits as usize - 1, value.abs());
    let magnitude: i32 = rounded.split_once('e').map_or(0, |(_, e)| e.parse().unwrap_or(0));
    let decimals = (digits - 1 - magnitude).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}

/// Rounded to an integer, with a comma every three digits.
fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = if value < 0.0 { "-".to_owned() } else { String::new() };
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding in a trace of a thousand opportunities: no digit of the mean is known.
    #[test]
    fn a_mean_of_zero_is_not_written_with_the_decimals_of_its_interval() {
        let of = |mean, half| Estimate { mean, ci95: Some(half), n: 20, over: Over::Batches };
        for (half, text) in [(8.6e-10, "0 \u{b1} 8.6e-8 %"), (1.2e-4, "0.000 \u{b1} 0.012 %")] {
            assert_eq!(Unit::Percent.estimate(Some(of(0.0, half))), text);
        }
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        for (unit, value, text) in [
            (Unit::Rate, 2.5e9, "2.500 Gbit/s"),
            (Unit::Rate, 411_234_567.0, "411.2 Mbit/s"),
            (Unit::Rate, 999_999.0, "1.000 Mbit/s"),
            (Unit::Rate, 0.0, "0 bit/s"),
            (Unit::Time, 0.0523, "52.30 ms"),
            (Unit::Time, 12.0, "12.00 s"),
            (Unit::Percent, 0.974_123, "97.41 %"),
            (Unit::Probability, 0.861, "86 %"),
            (Unit::Probability, 0.000_344, "0.034 %"),
            (Unit::Probability, 0.000_132, "0.013 %"),
            (Unit::Probability, 1.24e-7, "1.2e-5 %"),
            (Unit::Probability, 0.0, "0 %"),
            (Unit::Index, 0.91349, "0.913"),
            (Unit::Count, 8431.0, "8,431"),
            (Unit::Count, 1_234_567.8, "1,234,568"),
            (Unit::Count, 843.12, "843.1"),
            (Unit::Count, 0.0, "0"),
        ] {
            assert_eq!(unit.text(value), text, "{unit:?} {value}");
        }
    }

    #[test]
    fn an_interval_shares_the_scale_of_its_mean() {
        let estimate = Estimate { mean: 411e6, ci95: Some(2.5e6), n: 5, over: Over::Replicates };
        assert_eq!(Unit::Rate.estimate(Some(estimate)), "411.0 ± 2.5 Mbit/s");
        let alone = Estimate { ci95: None, ..estimate };
        assert_eq!(Unit::Rate.estimate(Some(alone)), "411.0 Mbit/s");
        assert_eq!(Unit::Rate.estimate(None), "-");
    }

    /// Half has two digits, and the mean ends where it ends.
    #[test]
    fn an_interval_decides_how_many_digits_are_written() {
        for (unit, mean, half, text) in [
            (Unit::Rate, 59.87e6, 7.34e6, "59.9 ± 7.3 Mbit/s"),
            (Unit::Rate, 83.76e6, 49.63e6, "84 ± 50 Mbit/s"),
            (Unit::Count, 2_522_004.0, 112_143.0, "2,520,000 ± 110,000"),
            (Unit::Count, 3_726.0, 806.0, "3,730 ± 810"),
            (Unit::Count, 4_550.0, 34.0, "4,550 ± 34"),
            (Unit::Count, 0.25, 0.7956, "0.25 ± 0.80"),
            (Unit::Count, 950.0, 1_234.0, "1,000 ± 1,200"),
            (Unit::Percent, 0.9697, 0.0238, "97.0 ± 2.4 %"),
            (Unit::Percent, 0.9697, 0.00996, "97.0 ± 1.0 %"),
            (Unit::Probability, 0.000_29, 6.4e-5, "0.029 ± 0.006 %"),
            (Unit::Probability, 3.4e-5, 1.2e-5, "0.0034 ± 0.0012 %"),
            (Unit::Probability, 5e-7, 8e-11, "5.0e-5 ± 8.0e-9 %"),
            (Unit::Index, 0.7312, 0.1853, "0.73 ± 0.19"),
            // no digits that nobody measured, and no zero that is none
            (Unit::Rate, 96.53e6, 1_661.0, "96.53 ± <0.01 Mbit/s"),
            (Unit::Time, 0.0519, 1e-13, "51.90 ± <0.01 ms"),
            (Unit::Count, 4_550.0, 0.3, "4,550 ± <1"),
            // 1 less ten tenths, as computed
            (Unit::Probability, 0.0, 2.7e-17, "0 ± 0 %"),
        ] {
            let estimate = Estimate { mean, ci95: Some(half), n: 5, over: Over::Replicates };
            assert_eq!(unit.estimate(Some(estimate)), text, "{unit:?} {mean} {half}");
        }
    }

    /// -0.004 is 0.00 in per cent, and half of 0.3 points is seen at one digit more.
    #[test]
    fn a_difference_has_a_sign_unless_it_rounds_to_zero() {
        let of = |mean, ci95| Some(Estimate { mean, ci95, n: 5, over: Over::Replicates });
        for (unit, own, text) in [
            (Unit::Points, of(-0.000_04, None), "none"),
            (Unit::Points, of(-0.000_04, Some(0.003)), "0.00 \u{b1} 0.30 points"),
            (Unit::Points, of(-0.0123, Some(0.003)), "-1.23 \u{b1} 0.30 points"),
            (Unit::Points, of(0.0123, Some(1e-9)), "+1.23 \u{b1} <0.01 points"),
            (Unit::Index, of(0.2, Some(0.05)), "+0.200 \u{b1} 0.050"),
            (Unit::Count, of(0.0, Some(0.0)), "none"),
            (Unit::Probability, of(5e-7, None), "+5.0e-5 %"),
            (Unit::Rate, None, "-"),
        ] {
            assert_eq!(unit.difference(own), text);
        }
    }

    /// Beside `<0.01` nothing at all would look like a single run.
    #[test]
    fn replicates_with_the_same_value_have_an_interval_of_zero() {
        let estimate = Estimate { mean: 1.0, ci95: Some(0.0), n: 4, over: Over::Replicates };
        assert_eq!(Unit::Percent.estimate(Some(estimate)), "100.00 ± 0 %");
        let alone = Estimate { ci95: None, n: 1, ..estimate };
        assert_eq!(Unit::Percent.estimate(Some(alone)), "100.00 %");
    }

    #[test]
    fn a_column_has_one_unit() {
        let alone = |mean| Some(Estimate { mean, ci95: None, n: 1, over: Over::Replicates });
        let column = [alone(9.6e6), alone(64_320.0), None];
        let unit = Unit::Rate.of(column);
        let cells = column.map(|cell| unit.estimate(cell));
        assert_eq!(cells, ["9.600 Mbit/s", "0.06432 Mbit/s", "-"]);
    }

    #[test]
    fn times_are_in_the_unit_that_people_use() {
        for (seconds, text) in [
            (0.25, "0.250 s"),
            (35.2, "35.2 s"),
            (90.0, "1.50 min"),
            (726.0, "12.1 min"),
            (163_080.0, "45.3 h"),
            (190_944.0, "2.21 d"),
            (8_640_000.0, "100 d"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(duration_as(2_592_000.0, 172_000.0), "720 h");
    }

    #[test]
    fn sizes_are_in_powers_of_a_thousand() {
        for (bytes, text) in
            [(200_000_000_000_000, "200 TB"), (1_500, "1.50 kB"), (404_000_000, "404 MB")]
        {
            assert_eq!(size(bytes), text);
        }
    }
}
