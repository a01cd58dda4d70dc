//! One measure against another: means over replicates, each with an ellipse that shows how the
//! two vary together; lines join the means in the order of a varied value.

use super::{Axis, Group};

/// Panels of the same measures; each has axes of its own.
#[derive(Clone, Debug, Default)]
pub struct Clouds {
    /// What runs to the right.
    pub x: Axis,
    /// To the left instead: less is better.
    pub backwards: bool,
    /// What runs upwards.
    pub y: Axis,
    /// The panels, by rows.
    pub panels: Vec<CloudPanel>,
}

/// One panel.
#[derive(Clone, Debug, Default)]
pub struct CloudPanel {
    /// What it is of; empty if it is the only one.
    pub title: String,
    /// What is in it.
    pub trails: Vec<Trail>,
}

/// Means that a line joins, in their order.
#[derive(Clone, Debug)]
pub struct Trail {
    /// Its name and colour, the same in all panels.
    pub group: Group,
    /// Its means.
    pub clouds: Vec<Cloud>,
}

/// A mean with its ellipse.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// Which it is: `queue 0.1bdp`; empty if it is the only one.
    pub label: String,
    /// The means of both.
    pub mean: (f64, f64),
    /// Variance of the first, covariance, variance of the second; `None` of a single
    /// replicate.
    pub spread: Option<[f64; 3]>,
    /// It is doubtful: its mark is hollow.
    pub doubtful: bool,
}

impl Cloud {
    /// A point of the ellipse of one standard deviation, at an angle.
    ///
    /// The points at which a bivariate normal of these variances is exp(-1/2) of its
    /// height: mean + A (cos, sin), with A of Cholesky's decomposition A A' of the
    /// matrix of covariances.
    pub fn edge(&self, angle: f64) -> (f64, f64) {
        let [xx, xy, yy] = self.spread.unwrap_or_default();
        let a = xx.max(0.0).sqrt();
        let b = if a > 0.0 { xy / a } else { 0.0 };
        let c = (yy - b * b).max(0.0).sqrt();
        let (sin, cos) = angle.sin_cos();
        (self.mean.0 + a * cos, self.mean.1 + b * cos + c * sin)
    }
}

impl Clouds {
    /// Without panels yet.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self { x, y, ..Self::default() }
    }

    /// All means.
    pub fn clouds(&self) -> impl Iterator<Item = &Cloud> {
        self.panels.iter().flat_map(|panel| &panel.trails).flat_map(|trail| &trail.clouds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point of the ellipse has Mahalanobis distance 1: d' S^-1 d = 1.
    #[test]
    fn the_ellipse_is_where_the_distance_is_one_deviation() {
        let cloud = Cloud {
            label: String::new(),
            mean: (3.0, -1.0),
            spread: Some([4.0, 1.5, 1.0]),
            doubtful: false,
        };
        let (xx, xy, yy) = (4.0, 1.5, 1.0);
        let determinant = xx * yy - xy * xy;
        for nth in 0..12 {
            let (x, y) = cloud.edge(f64::from(nth));
            let (x, y) = (x - 3.0, y + 1.0);
            let distance = (yy * x * x - 2.0 * xy * x * y + xx * y * y) / determinant;
            assert!((distance - 1.0).abs() < 1e-12, "{nth}: {distance}");
        }
        // one that does not vary to the right is a line upwards
        let line = Cloud { spread: Some([0.0, 0.0, 9.0]), ..cloud.clone() };
        assert_eq!(line.edge(std::f64::consts::FRAC_PI_2), (3.0, 2.0));
        assert_eq!(Cloud { spread: None, ..cloud }.edge(1.0), (3.0, -1.0));
    }
}
