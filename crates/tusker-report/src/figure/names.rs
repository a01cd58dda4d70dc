//! Renames axes, curves, points and panels.

use super::{Axis, Figure, Plot};

impl Figure {
    /// Puts other words in the place of names, all at once, so that two can be swapped; in
    /// the title as well. The error has the first name that the figure does not have, and
    /// those that it has. Of an axis the quantity is a name (`queue`), and the quantity with
    /// its unit (`queue (packets)`). In the caption only names of curves change, and not in
    /// sentences on columns.
    ///
    /// # Errors
    /// If the figure has no such name.
    pub fn rename(&mut self, words: &[(String, String)]) -> Result<(), (String, Vec<String>)> {
        let mut put = Words { words, met: vec![false; words.len()], ..Words::default() };
        self.plot.each(&mut put);
        match put.met.iter().position(|met| !met) {
            Some(at) => Err((words[at].0.clone(), put.known)),
            None => {
                self.title = put.in_text(&self.title, true);
                for sentence in self.caption.sentences.iter_mut().filter(|own| !own.is_source) {
                    sentence.text = put.in_text(&sentence.text, false);
                    sentence.bars = sentence.bars.as_ref().map(|text| put.in_text(text, false));
                }
                Ok(())
            }
        }
    }
}

/// What is to stand in the place of what, and what was met of it.
#[derive(Default)]
struct Words<'a> {
    words: &'a [(String, String)],
    met: Vec<bool>,
    known: Vec<String>,
    /// What was put in the place of what: names of curves, and of axes.
    done: Vec<(String, String)>,
    axes: Vec<(String, String)>,
}

impl Words<'_> {
    /// A name, and whether it is to be listed; true if it has changed.
    fn name(&mut self, name: &mut String, listed: bool) -> bool {
        if listed && !name.is_empty() && !self.known.contains(name) {
            self.known.push(name.clone());
        }
        let Some(at) = self.words.iter().position(|(old, _)| old == name) else { return false };
        self.met[at] = true;
        let old = std::mem::replace(name, self.words[at].1.clone());
        self.done.push((old, name.clone()));
        true
    }

    /// A text in which names stand as words of their own; those of axes, too, or as they are.
    fn in_text(&self, text: &str, axes: bool) -> String {
        let of_axes = self.axes.iter().filter(|_| axes);
        let (mut put, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            let free = !put.ends_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
            let done = self.done.iter().chain(of_axes.clone());
            let here = done.filter(|(old, _)| free && begins(rest, old));
            let (len, new) = match here.max_by_key(|(old, _)| old.len()) {
                Some((old, new)) => (old.len(), new.as_str()),
                None => (first.len_utf8(), &rest[..first.len_utf8()]),
            };
            put += new;
            rest = &rest[len..];
        }
        put
    }
}

/// A text begins with this word, which the beginning of a sentence may have in upper case.
fn begins(text: &str, word: &str) -> bool {
    let Some((begin, rest)) = text.split_at_checked(word.len()) else { return false };
    let (mut own, mut of) = (begin.chars(), word.chars());
    let first = own.next().zip(of.next()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(&b));
    // `A` may be no name
    let same = begin == word || word.len() > 1 && first && own.as_str() == of.as_str();
    same && !word.is_empty() && !goes_on(rest)
}

/// A word goes on here: `-law`, `.goodput`; at the end of a sentence it does not.
fn goes_on(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['-', '_', '.']);
    rest.starts_with(char::is_alphanumeric)
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
            Self::Dots(own) => {
                axis(&mut own.x, put);
                put.name(&mut own.names.0, true);
                put.name(&mut own.names.1, true);
                for row in &mut own.rows {
                    put.name(&mut row.label, true);
                    put.name(&mut row.group, true);
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
            Self::Clouds(own) => {
                axis(&mut own.x, put);
                axis(&mut own.y, put);
                for panel in &mut own.panels {
                    put.name(&mut panel.title, true);
                    panel
                        .trails
                        .iter_mut()
                        .for_each(|trail| _ = put.name(&mut trail.group.name, true));
                }
            }
            Self::Bars(own) => {
                for panel in &mut own.panels {
                    axis(&mut panel.y, put);
                    put.name(&mut panel.title, true);
                    panel.bars.iter_mut().for_each(|bar| _ = put.name(&mut bar.name, true));
                    panel.cases.iter_mut().for_each(|case| _ = put.name(&mut case.name, true));
                }
            }
            Self::Diagonal(own) => {
                axis(&mut own.axis, put);
                own.points.iter_mut().for_each(|point| _ = put.name(&mut point.group.name, true));
            }
        }
    }
}

fn axis(axis: &mut Axis, put: &mut Words<'_>) {
    let (mut label, mut key, old) = (axis.label(), axis.key.clone(), axis.title.clone());
    let of_curves = put.done.len();
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
    put.axes.extend(put.done.split_off(of_curves));
    if axis.title != old {
        put.axes.push((old, axis.title.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Caption, Group, Point, Scatter};

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
    fn a_title_has_the_other_words_as_well() {
        for (title, words, new) in [
            ("share against queue", &[("share (%)", "Use (%)")][..], "Use against queue"),
            ("Queue of reno", &[("queue", "buffer"), ("reno", "Reno")], "buffer of Reno"),
            ("queues of renos", &[("queue", "buffer"), ("reno", "Reno")], "queues of renos"),
            ("reno, cubic", &[("reno", "cubic"), ("cubic", "reno")], "cubic, reno"),
            ("é ± share", &[("share", "Anteil für é")], "é ± Anteil für é"),
        ] {
            let mut figure = Figure { title: title.to_owned(), ..two() };
            figure.rename(&pairs(words)).unwrap();
            assert_eq!(figure.title, new);
        }
    }

    /// Columns keep their names, and a name within another stays.
    #[test]
    fn a_caption_has_the_other_words_as_well() {
        let caption = Caption::from("A flow of reno, reno-late or cubic.")
            .source("queue and share of flows.reno.goodput")
            .and("The queue holds reno.");
        let mut figure = Figure { caption, ..two() };
        figure.rename(&pairs(&[("reno", "Reno"), ("queue", "buffer")])).unwrap();
        let renamed = "A flow of Reno, reno-late or cubic. Drawn from queue and share of \
                       flows.reno.goodput. The queue holds Reno.";
        assert_eq!(figure.caption.to_string(), renamed);
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_with_those_that_are() {
        let (name, known) = two().rename(&pairs(&[("hstcp", "HSTCP")])).unwrap_err();
        assert_eq!(name, "hstcp");
        assert_eq!(known, ["queue", "share", "reno", "cubic"]);
    }
}
