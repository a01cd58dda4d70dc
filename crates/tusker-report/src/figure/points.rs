//! Counts the points of a figure that lie outside a range.

use super::Plot;

impl Plot {
    /// How many of its points lie beyond the ends of the axes, and how many there are.
    pub fn outside(&self, x: Option<(f64, f64)>, y: Option<(f64, f64)>) -> (usize, usize) {
        let beyond = |ends: Option<(f64, f64)>, value: f64| {
            ends.is_some_and(|(low, high)| !(low..=high).contains(&value))
        };
        // one range for both axes
        let y = if matches!(self, Self::Diagonal(_)) { x } else { y };
        let (mut outside, mut all) = (0, 0);
        self.each_point(&mut |at: (f64, f64)| {
            all += 1;
            outside += usize::from(beyond(x, at.0) || beyond(y, at.1));
        });
        (outside, all)
    }

    /// Every point that is drawn, in the units of the axes.
    fn each_point(&self, put: &mut dyn FnMut((f64, f64))) {
        match self {
            Self::Panels(own) => {
                for curve in own.panels.iter().flat_map(|panel| &panel.curves) {
                    let points = own.xs.iter().copied().zip(curve.values.iter().copied());
                    points.filter(|(_, y)| y.is_finite()).for_each(&mut *put);
                }
            }
            Self::Scatter(own) => own.points.iter().for_each(|at| put((at.x.0, at.y.0))),
            Self::Dots(own) => {
                let values = own.rows.iter().flat_map(|row| [row.paper, row.ours]);
                values.flatten().for_each(|value| put((value, 0.0)));
            }
            Self::Lines(own) => {
                let lines = own.panels.iter().flat_map(|panel| &panel.lines);
                lines.flat_map(|line| &line.points).for_each(|at| put((at.0, at.1)));
            }
            Self::Clouds(own) => own.clouds().for_each(|cloud| put(cloud.mean)),
            Self::Diagonal(own) => own.points.iter().for_each(|at| put((at.paper, at.ours.0))),
            Self::Bars(own) => {
                let known = own.panels.iter().flat_map(|panel| panel.known());
                known.for_each(|(_, _, height)| put((0.0, height.0)));
            }
            Self::Heat(_) => {}
        }
    }
}
