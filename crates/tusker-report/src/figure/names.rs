//! Names of axes, curves, points and panels in other words.

use super::{Axis, Figure, Plot};

impl Figure {
    /// Puts other words in the place of names, all at once, so that two can be swapped;
    /// the error has the first name that the figure does not have, and those that it has.
    /// Of an axis the quantity is a name (`queue`), and the quantity with its unit
    /// (`queue (packets)`).
    ///
    /// # Errors
    /// If the figure has no such name.
    pub fn rename(&mut self, words: &[(String, String)]) -> Result<(), (String, Vec<String>)> {
        let (mut known, mut met) = (Vec::new(), vec![false; words.len()]);
        let mut put = |name: &mut String, listed: bool| {
            if listed && !name.is_empty() && !known.contains(name) {
                known.push(name.clone());
            }
            let Some(at) = words.iter().position(|(old, _)| old == name) else { return false };
            met[at] = true;
            name.clone_from(&words[at].1);
            true
        };
        self.plot.each(&mut put);
        match met.iter().position(|met| !met) {
            Some(at) => Err((words[at].0.clone(), known)),
            None => Ok(()),
        }
    }
}

/// Is given a name, and whether it is to be listed; true if it has changed it.
type Put<'a> = dyn FnMut(&mut String, bool) -> bool + 'a;

impl Plot {
    fn each(&mut self, put: &mut Put<'_>) {
        match self {
            Self::Panels(own) => {
                axis(&mut own.x, put);
                own.panels.iter_mut().for_each(|panel| axis(&mut panel.y, put));
                own.groups.iter_mut().for_each(|group| _ = put(&mut group.name, true));
            }
            Self::Scatter(own) => {
                axis(&mut own.x, put);
                axis(&mut own.y, put);
                for point in &mut own.points {
                    put(&mut point.label, true);
                    put(&mut point.group.name, true);
                }
            }
            Self::Dots(own) => {
                axis(&mut own.x, put);
                put(&mut own.names.0, true);
                put(&mut own.names.1, true);
                for row in &mut own.rows {
                    put(&mut row.label, true);
                    put(&mut row.group, true);
                }
            }
            Self::Lines(own) => {
                axis(&mut own.x, put);
                axis(&mut own.y, put);
                for panel in &mut own.panels {
                    put(&mut panel.title, true);
                    panel.lines.iter_mut().for_each(|line| _ = put(&mut line.group.name, true));
                }
            }
            Self::Heat(own) => {
                axis(&mut own.x.0, put);
                axis(&mut own.y.0, put);
                axis(&mut own.z, put);
                own.panels.iter_mut().for_each(|panel| _ = put(&mut panel.title, true));
            }
            Self::Clouds(own) => {
                axis(&mut own.x, put);
                axis(&mut own.y, put);
                for panel in &mut own.panels {
                    put(&mut panel.title, true);
                    panel.trails.iter_mut().for_each(|trail| _ = put(&mut trail.group.name, true));
                }
            }
            Self::Diagonal(own) => {
                axis(&mut own.axis, put);
                own.points.iter_mut().for_each(|point| _ = put(&mut point.group.name, true));
            }
        }
    }
}

fn axis(axis: &mut Axis, put: &mut Put<'_>) {
    let mut label = axis.label();
    let mut key = axis.key.clone();
    if !axis.unit.is_empty() && put(&mut label, false) {
        (axis.title, axis.unit) = (label, String::new());
    } else if !put(&mut axis.title, true) && !key.is_empty() && put(&mut key, false) {
        // the key that the word stands for is a name as well
        axis.title = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Group, Point, Scatter};

    fn two() -> Figure {
        let mut scatter = Scatter::new(Axis::new("queue", "packets"), Axis::new("share", "%"));
        for name in ["reno", "cubic"] {
            let group = Group { name: name.to_owned(), colour: 0 };
            let label = name.to_owned();
            scatter.points.push(Point { label, group, x: (1.0, None), y: (1.0, None) });
        }
        scatter.figure("f", "F", "")
    }

    fn pairs(words: &[(&str, &str)]) -> Vec<(String, String)> {
        words.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect()
    }

    #[test]
    fn names_are_put_in_other_words_all_at_once() {
        let mut figure = two();
        let words = [("reno", "cubic"), ("cubic", "reno"), ("queue", "Queue"), ("share (%)", "U")];
        figure.rename(&pairs(&words)).unwrap();
        let Plot::Scatter(scatter) = figure.plot else { panic!("it was points") };
        let names: Vec<&str> = scatter.points.iter().map(|p| p.group.name.as_str()).collect();
        assert_eq!(names, ["cubic", "reno"]);
        assert_eq!([scatter.x.label(), scatter.y.label()], ["Queue (packets)", "U"]);
    }

    #[test]
    fn an_axis_is_known_by_the_key_that_its_word_stands_for() {
        let axis = Axis::new("buffer", "BDP").of_key("dumbbell.queue");
        for name in ["buffer", "dumbbell.queue"] {
            let mut figure = Scatter::new(axis.clone(), Axis::default()).figure("f", "F", "");
            figure.rename(&pairs(&[(name, "Queue")])).unwrap();
            let Plot::Scatter(scatter) = figure.plot else { panic!("it was points") };
            assert_eq!(scatter.x.label(), "Queue (BDP)");
        }
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_with_those_that_are() {
        let (name, known) = two().rename(&pairs(&[("hstcp", "HSTCP")])).unwrap_err();
        assert_eq!(name, "hstcp");
        assert_eq!(known, ["queue", "share", "reno", "cubic"]);
    }
}
