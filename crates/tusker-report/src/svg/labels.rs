//! Names at points, if they do not overlap.

/// Height of a name.
pub(super) const HIGH: f64 = 13.0;

/// A rectangle: left, upper, right and lower edge.
pub(super) type Area = [f64; 4];

/// From a point to its name.
const FAR: f64 = 10.0;

/// Right, left, above, below, and between them: the side of a point on which its name is.
const SIDES: [(f64, f64); 8] = [
    (1.0, -0.4),
    (-1.0, -0.4),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.8, -1.0),
    (-0.8, -1.0),
    (0.8, 1.0),
    (-0.8, 1.0),
];

/// Left end and base line of a name of this width at each point: within `frame`, not on a
/// point of this radius, nor on `others` or on another name. None if one has no such place:
/// then keys have to tell the points apart.
pub(super) fn place(
    frame: Area,
    points: &[((f64, f64), f64)],
    radius: f64,
    others: &[Area],
) -> Option<Vec<(f64, f64)>> {
    let mut taken: Vec<Area> = points.iter().map(|((x, y), _)| around((*x, *y), radius)).collect();
    taken.extend(others);
    let mut places = Vec::new();
    for &((x, y), wide) in points {
        let at = |(dx, dy): (f64, f64)| {
            let left = match dx {
                0.0 => x - wide / 2.0,
                dx if dx > 0.0 => x + dx * FAR,
                dx => x + dx * FAR - wide,
            };
            (left, y + dy * FAR + if dy > 0.0 { HIGH - 4.0 } else { 4.0 })
        };
        let area = |(left, base): (f64, f64)| [left, base - HIGH + 3.0, left + wide, base + 3.0];
        let free = |at: &(f64, f64)| {
            let own = area(*at);
            within(own, frame) && !taken.iter().any(|other| overlap(own, *other))
        };
        let place = SIDES.into_iter().map(at).find(free)?;
        taken.push(area(place));
        places.push(place);
    }
    Some(places)
}

fn around((x, y): (f64, f64), radius: f64) -> Area {
    [x - radius, y - radius, x + radius, y + radius]
}

fn within(inner: Area, outer: Area) -> bool {
    inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

fn overlap(a: Area, b: Area) -> bool {
    a[2].min(b[2]) > a[0].max(b[0]) && a[3].min(b[3]) > a[1].max(b[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Area = [0.0, 0.0, 600.0, 300.0];

    #[test]
    fn names_of_close_points_lie_on_nothing() {
        // names of 60 at the right edge have room at the left alone
        let points: Vec<((f64, f64), f64)> =
            [20.0, 34.0, 48.0].map(|y| ((590.0, y), 60.0)).to_vec();
        let places = place(FRAME, &points, 5.0, &[]).expect("14 apart is more than a line");
        let areas: Vec<Area> = places
            .iter()
            .map(|(left, base)| [*left, base - HIGH + 3.0, left + 60.0, base + 3.0])
            .collect();
        for (nth, area) in areas.iter().enumerate() {
            assert!(within(*area, FRAME), "{area:?}");
            assert!(!areas[..nth].iter().any(|other| overlap(*area, *other)), "{areas:?}");
            assert!(!points.iter().any(|(at, _)| overlap(*area, around(*at, 5.0))), "{areas:?}");
        }
    }

    #[test]
    fn points_at_one_place_have_no_names() {
        // eight at the right edge, as fair experiments are
        let points: Vec<((f64, f64), f64)> =
            (0..8).map(|i| ((590.0, 20.0 + f64::from(i % 2)), 60.0)).collect();
        assert_eq!(place(FRAME, &points, 5.0, &[]), None);
    }

    #[test]
    fn a_point_alone_has_its_name_at_its_right() {
        let points = [((100.0, 100.0), 40.0)];
        assert_eq!(place(FRAME, &points, 5.0, &[]), Some(vec![(110.0, 100.0)]));
        // an interval lies there: above or below it
        let bar = [60.0, 99.0, 160.0, 101.0];
        let (_, base) = place(FRAME, &points, 5.0, &[bar]).unwrap()[0];
        assert!(base + 3.0 <= 99.0 || base - HIGH + 3.0 >= 101.0, "{base}");
    }
}
