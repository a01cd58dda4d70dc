//! Renames axes, curves, points and panels.

use super::{Axis, Figure, Plot};

impl Figure {
    /// Puts other words in the place of names, all at once, so that two can be swapped. The
    /// error has the first name that the figure does not have, and those that it has. Of an
    /// axis the quantity is a name (`queue`), and the quantity with its unit (`queue (packets)`).
    ///
    /// # Errors
    /// If the figure has no such name.
    pub fn rename(&mut self, words: &[(String, String)]) -> Result<(), (String, Vec<String>)> {
        let mut put = Words { words, met: vec![false; words.len()], known: Vec::new() };
        self.plot.each(&mut put);
        match put.met.iter().position(|met| !met) {
            Some(at) => Err((words[at].0.clone(), put.known)),
            None => Ok(()),
        }
    }
}

/// What is to stand in the place of what, and what was met of it.
struct Words<'a> {
    words: &'a [(String, String)],
    met: Vec<bool>,
    known: Vec<String>,
}

impl Words<'_> {
    /// A name, and whether it is to be listed; true if it has changed.
    fn name(&mut self, name: &mut String, listed: bool) -> bool {
        if listed && !name.is_empty() && !self.known.contains(name) {
            self.known.push(name.clone());
        }
        let Some(at) = self.words.iter().position(|(old, _)| old == name) else { return false };
        self.met[at] = true;
        name.clone_from(&self.words[at].1);
        true
    }
}

impl Plot {
    fn each(&mut self, put: &mut Words<'_>) {
        match self {
            Self::Panels(own) => {
                axis(&mut own.x, put);
                own.panels.iter_mut().for_each(|panel| axis(&mut panel.y, put));
                own.groups.iter_mut().for_each(|group| _ = put.name(&mut group.name, true));
            }
            Self::Scatter(own) => {
                axis(&mut own.x, put);
                axis(&mut own.y, put);
                for point in &mut own.points {
                    put.name(&mut point.label, true);
                    put.name(&mut point.group.name, true);
                }
            }
            Self::Lines(own) => {
                axis(&mut own.x, put);
                axis(&mut own.y, put);
                for panel in &mut own.panels {
                    put.name(&mut panel.title, true);
                    panel
                        .lines
                        .iter_mut()
                        .for_each(|line| _ = put.name(&mut line.group.name, true));
                }
            }
            Self::Heat(own) => {
                axis(&mut own.x.0, put);
                axis(&mut own.y.0, put);
                axis(&mut own.z, put);
                own.panels.iter_mut().for_each(|panel| _ = put.name(&mut panel.title, true));
            }
            Self::Bars(own) => {
                for panel in &mut own.panels {
                    axis(&mut panel.y, put);
                    put.name(&mut panel.title, true);
                    panel.bars.iter_mut().for_each(|bar| _ = put.name(&mut bar.name, true));
                    panel.cases.iter_mut().for_each(|case| _ = put.name(&mut case.name, true));
                }
            }
        }
    }
}

fn axis(axis: &mut Axis, put: &mut Words<'_>) {
    let (mut label, mut key) = (axis.label(), axis.key.clone());
    if !axis.unit.is_empty() && put.name(&mut label, false) {
        // the unit stays one, for what is said of the values elsewhere
        (axis.title, axis.unit) = match label.strip_suffix(')').and_then(|l| l.rsplit_once(" (")) {
            Some((title, unit)) => (title.to_owned(), unit.to_owned()),
            None => (label, String::new()),
        };
    } else if !put.name(&mut axis.title, true) && !key.is_empty() && put.name(&mut key, false) {
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
            scatter.points.push(Point {
                label,
                group,
                x: (1.0, None),
                y: (1.0, None),
                doubts: String::new(),
            });
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

    /// What is said of the values elsewhere needs it, such as the head of a column.
    #[test]
    fn an_axis_in_other_words_keeps_its_unit_apart() {
        let mut figure = two();
        figure.rename(&pairs(&[("share (%)", "Link share (per cent)")])).unwrap();
        let Plot::Scatter(scatter) = figure.plot else { panic!("it was points") };
        assert_eq!([scatter.y.title, scatter.y.unit], ["Link share", "per cent"]);
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_with_those_that_are() {
        let (name, known) = two().rename(&pairs(&[("hstcp", "HSTCP")])).unwrap_err();
        assert_eq!(name, "hstcp");
        assert_eq!(known, ["queue", "share", "reno", "cubic"]);
    }
}
