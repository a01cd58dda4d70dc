//! The parts of lines and areas that lie within a rectangle.

/// Left, upper, right and lower edge.
pub(super) type Edges = [f64; 4];

/// A place on the drawing.
type At = (f64, f64);

/// Which coordinate has an edge, where, and whether what is above it is kept or below.
type Side = (fn(At) -> f64, f64, f64);

/// Whether a place lies within, or on an edge as far as a drawing tells.
pub(super) fn within((x, y): At, [left, top, right, bottom]: Edges) -> bool {
    let (left, top, right, bottom) = (left - 0.05, top - 0.05, right + 0.05, bottom + 0.05);
    (left..=right).contains(&x) && (top..=bottom).contains(&y)
}

/// The part of a stretch that lies within (Liang and Barsky 1984).
pub(super) fn stretch(from: At, to: At, [left, top, right, bottom]: Edges) -> Option<(At, At)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let sides =
        [(-dx, from.0 - left), (dx, right - from.0), (-dy, from.1 - top), (dy, bottom - from.1)];
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for (step, room) in sides {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            begin = begin.max(room / step);
        } else {
            end = end.min(room / step);
        }
    }
    let at = |share: f64| (from.0 + share * dx, from.1 + share * dy);
    (begin <= end).then(|| (at(begin), at(end)))
}

/// A line through points, with NaN where it leaves the rectangle.
pub(super) fn line(points: &[At], edges: Edges) -> Vec<At> {
    if points.iter().all(|&at| within(at, edges)) {
        return points.to_vec();
    }
    let mut kept: Vec<At> = Vec::new();
    for pair in points.windows(2) {
        let finite = pair.iter().all(|(x, y)| x.is_finite() && y.is_finite());
        match stretch(pair[0], pair[1], edges).filter(|_| finite) {
            Some((from, to)) => {
                if kept.last() != Some(&from) {
                    kept.extend([(f64::NAN, f64::NAN), from]);
                }
                kept.push(to);
            }
            None => kept.push((f64::NAN, f64::NAN)),
        }
    }
    kept
}

/// The part of an area that lies within (Sutherland and Hodgman 1974).
pub(super) fn area(points: &[At], edges: Edges) -> Vec<At> {
    let mut kept: Vec<At> =
        points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    let [left, top, right, bottom] = edges;
    let sides: [Side; 4] = [
        (|at| at.0, left, 1.0),
        (|at| at.0, right, -1.0),
        (|at| at.1, top, 1.0),
        (|at| at.1, bottom, -1.0),
    ];
    for (of, edge, sign) in sides {
        let room = |at: At| sign * (of(at) - edge);
        let before = std::mem::take(&mut kept);
        for (nth, &to) in before.iter().enumerate() {
            let from = before[(nth + before.len() - 1) % before.len()];
            if (room(from) >= 0.0) != (room(to) >= 0.0) {
                let share = room(from) / (room(from) - room(to));
                let across = |a: f64, b: f64| a + share * (b - a);
                kept.push((across(from.0, to.0), across(from.1, to.1)));
            }
            if room(to) >= 0.0 {
                kept.push(to);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: Edges = [0.0, 0.0, 10.0, 10.0];

    #[test]
    fn a_line_is_cut_where_it_crosses_an_edge() {
        assert_eq!(stretch((-5.0, 5.0), (5.0, 5.0), EDGES), Some(((0.0, 5.0), (5.0, 5.0))));
        assert_eq!(stretch((5.0, 5.0), (5.0, 25.0), EDGES), Some(((5.0, 5.0), (5.0, 10.0))));
        assert_eq!(stretch((-5.0, 5.0), (-1.0, 5.0), EDGES), None);
        // past a corner
        assert_eq!(stretch((-5.0, 4.0), (4.0, -5.0), EDGES), None);
        let inside = [(1.0, 1.0), (f64::NAN, 2.0), (3.0, 3.0)];
        assert_eq!(line(&inside[..1], EDGES), inside[..1]);
        // out at the top, and back in: two pieces with a gap
        let found = line(&[(2.0, 5.0), (4.0, -5.0), (6.0, 5.0)], EDGES);
        let found: Vec<At> = found.into_iter().filter(|at| at.0.is_finite()).collect();
        assert_eq!(found, [(2.0, 5.0), (3.0, 0.0), (5.0, 0.0), (6.0, 5.0)]);
    }

    #[test]
    fn an_area_is_cut_to_the_rectangle() {
        // half of a square of 10 lies to the left of it
        let square = [(-5.0, 2.0), (5.0, 2.0), (5.0, 8.0), (-5.0, 8.0)];
        assert_eq!(area(&square, EDGES), [(0.0, 2.0), (5.0, 2.0), (5.0, 8.0), (0.0, 8.0)]);
        assert!(area(&[(11.0, 1.0), (12.0, 1.0), (12.0, 2.0)], EDGES).is_empty());
    }
}
