//! A measure over two varied values, shown by colours: a heat map, in small multiples.

use super::{Axis, Caption, Figure, Plot};

/// Cells of one height and width, whatever lies between their values.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    /// What runs to the right, and its values in their order.
    pub x: (Axis, Vec<f64>),
    /// The same upwards, from below.
    pub y: (Axis, Vec<f64>),
    /// What colours stand for.
    pub z: Axis,
    /// The panels, by rows.
    pub panels: Vec<HeatPanel>,
}

/// One panel.
#[derive(Clone, Debug, Default)]
pub struct HeatPanel {
    /// What it is of; empty if it is the only one.
    pub title: String,
    /// A value for each place of x, then the same for the next one of y; NaN for none.
    pub cells: Vec<f64>,
}

/// Cells that a figure has at most: with more of them a page would be slow, and a
/// reader sees no more.
const MOST: usize = 4_000;

impl Heat {
    /// How many cells it has.
    pub fn len(&self) -> usize {
        self.panels.iter().map(|panel| panel.cells.len()).sum()
    }

    /// It shows nothing.
    pub fn is_empty(&self) -> bool {
        self.panels.iter().flat_map(|panel| &panel.cells).all(|value| value.is_nan())
    }

    /// As a figure. Of very many cells neighbours become one with their mean.
    pub fn figure(mut self, name: &str, title: &str, caption: impl Into<Caption>) -> Figure {
        let merged = self.merge(MOST);
        let caption = caption.into();
        let caption = match merged {
            (1, 1) => caption,
            (x, y) => caption.and(format!(
                "A cell is the mean of up to {x} x {y} neighbours, and is drawn at the values of \
                 the first."
            )),
        };
        Figure::new(name, title, caption, Plot::Heat(self), None)
    }

    /// Makes one cell of neighbours until there are no more than `most`; how many to
    /// the right and upwards.
    fn merge(&mut self, most: usize) -> (usize, usize) {
        let (wide, high) = (self.x.1.len(), self.y.1.len());
        let (mut x, mut y) = (1, 1);
        while wide.div_ceil(x) * high.div_ceil(y) * self.panels.len() > most {
            if wide.div_ceil(x) >= high.div_ceil(y) { x += 1 } else { y += 1 }
        }
        if (x, y) == (1, 1) {
            return (1, 1);
        }
        let (columns, rows) = (wide.div_ceil(x), high.div_ceil(y));
        for panel in &mut self.panels {
            let mut sums = vec![(0.0, 0.0); columns * rows];
            for (nth, value) in panel.cells.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                let (sum, count) = &mut sums[nth / wide / y * columns + nth % wide / x];
                (*sum, *count) = (*sum + value, *count + 1.0);
            }
            // none of nothing is NaN
            panel.cells = sums.into_iter().map(|(sum, count)| sum / count).collect();
        }
        let every = |values: &[f64], n: usize| values.iter().copied().step_by(n).collect();
        (self.x.1, self.y.1) = (every(&self.x.1, x), every(&self.y.1, y));
        (x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat(wide: usize, high: usize, cells: Vec<f64>) -> Heat {
        let values = |n: usize| (0..n).map(|i| i as f64).collect();
        Heat {
            x: (Axis::new("x", ""), values(wide)),
            y: (Axis::new("y", ""), values(high)),
            z: Axis::new("z", ""),
            panels: vec![HeatPanel { title: String::new(), cells }],
        }
    }

    #[test]
    fn of_too_many_cells_neighbours_are_one_with_their_mean() {
        let no = f64::NAN;
        // the last column and the last row stay alone
        let mut own = heat(3, 3, vec![1.0, 2.0, 3.0, 4.0, no, no, 7.0, 9.0, 5.0]);
        assert_eq!(own.merge(4), (2, 2));
        assert_eq!((own.x.1.as_slice(), own.y.1.as_slice()), (&[0.0, 2.0][..], &[0.0, 2.0][..]));
        // (1 + 2 + 4) / 3, 3, (7 + 9) / 2, 5
        assert_eq!(own.panels[0].cells, [7.0 / 3.0, 3.0, 8.0, 5.0]);
    }

    #[test]
    fn cells_without_a_value_are_not_in_its_table() {
        let figure = heat(2, 1, vec![0.5, f64::NAN]).figure("h", "H", "");
        let rows = figure.table.unwrap().rows;
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].cells, ["", "0", "0", "0.5"]);
    }
}
