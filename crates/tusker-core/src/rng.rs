//! Random numbers, passed as an argument: one named stream per component.

use rand_core::{RngCore, SeedableRng};

/// A random stream. Each component of an experiment has its own, seeded from
/// the experiment's seed and the component's name, so that adding a component does not change the
/// draws of the others.
#[derive(Clone, Debug)]
pub struct Rng(rand_pcg::Pcg64Mcg);

impl Rng {
    /// The stream of the component `name` in an experiment with this seed.
    pub fn named(seed: u64, name: &str) -> Self {
        Self::joined(seed, &[name])
    }

    /// The same for a name in parts.
    pub fn joined(seed: u64, name: &[&str]) -> Self {
        // FNV-1a spreads the name; `seed_from_u64` mixes the bits once more.
        let bytes = name.iter().flat_map(|part| part.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mixed = hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(rand_pcg::Pcg64Mcg::seed_from_u64(mixed))
    }

    /// Uniform in `[0, 1)`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`.
    #[inline]
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Exponential with this mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Exponential with this mean, given that it is at most `max`.
    pub fn exponential_below(&mut self, mean: f64, max: f64) -> f64 {
        let share = 1.0 - libm::exp(-max / mean);
        (-mean * libm::log(1.0 - share * self.unit())).clamp(0.0, max)
    }

    /// Normal with this mean and standard deviation (Marsaglia's polar method).
    pub fn normal(&mut self, mean: f64, sd: f64) -> f64 {
        loop {
            let (x, y) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return mean + sd * x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// Pareto with this mean and shape (above 1, so that the mean exists): at least
    /// x_m = mean (shape - 1) / shape, above x with probability (x_m / x)^shape.
    /// The variance is infinite for shapes up to 2.
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let least = mean * (shape - 1.0) / shape;
        least * libm::pow(1.0 - self.unit(), -1.0 / shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_named() {
        let mut a = Rng::named(1, "red/bottleneck");
        let mut again = Rng::joined(1, &["red/", "bottleneck"]);
        let mut other = Rng::named(1, "start/S1");
        let mut later = Rng::named(2, "red/bottleneck");
        let draw = a.unit();
        assert_eq!(draw, again.unit());
        assert_ne!(draw, other.unit());
        assert_ne!(draw, later.unit());
    }

    #[test]
    fn normal_has_its_mean_and_deviation() {
        // standard errors of 100,000 draws: 3/sqrt(1e5) = 0.0095, and 0.0067 of the deviation
        let mut rng = Rng::named(7, "normal");
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..100_000 {
            let x = rng.normal(5.0, 3.0);
            sum += x;
            squares += (x - 5.0) * (x - 5.0);
        }
        assert!((sum / 1e5 - 5.0).abs() < 0.03, "mean {}", sum / 1e5);
        let sd = libm::sqrt(squares / 1e5);
        assert!((sd - 3.0).abs() < 0.02, "sd {sd}");
    }

    #[test]
    fn exponential_has_its_mean() {
        // standard error of the mean of 100,000 draws: 1 / sqrt(1e5) = 0.3 %
        let mut rng = Rng::named(7, "mean");
        let sum: f64 = (0..100_000).map(|_| rng.exponential(2.0)).sum();
        assert!((sum / 1e5 - 2.0).abs() < 0.03, "mean {}", sum / 1e5);
    }

    /// P(X > x) = (x_m / x)^a, so half of all lie below x_m 2^(1/a); and the
    /// mean is a x_m / (a - 1). Of 200,000 draws the share below the median has
    /// a standard error of 0.11 %, at shape 2.5 the mean one of
    /// 1 / sqrt(a (a - 2)) / sqrt(200,000) = 0.2 %.
    #[test]
    fn pareto_has_its_mean_median_and_least_value() {
        const N: u32 = 200_000;
        for (shape, x_m, median) in [
            (1.2, 2.0, 2.0 * 1.781_797_436),
            (1.5, 4.0, 4.0 * 1.587_401_052),
            (2.5, 7.2, 7.2 * 1.319_507_911),
        ] {
            // seed 7, stream "pareto"
            let mut rng = Rng::named(7, "pareto");
            let (mut sum, mut below) = (0.0, 0);
            for _ in 0..N {
                let x = rng.pareto(12.0, shape);
                assert!(x >= x_m * (1.0 - 1e-12), "{x} < {x_m}");
                below += u32::from(x < median);
                sum += x;
            }
            let share = f64::from(below) / f64::from(N);
            assert!((share - 0.5).abs() < 0.0035, "shape {shape}: {share} below the median");
            if shape > 2.0 {
                let mean = sum / f64::from(N);
                assert!((mean / 12.0 - 1.0).abs() < 0.006, "mean {mean}");
            }
        }
    }
}
