//! Names beside points, placed so that they do not overlap.

/// Height of a name.
pub(super) const HIGH: f64 = 13.0;

/// A rectangle: left, upper, right and lower edge.
pub(super) type Area = [f64; 4];

/// Where a name of this width goes around each point: left end and base line, and
/// whether it is so far that a line should lead there. Within `frame`, not on a point
/// of this radius, nor on `others` or a name before it, if there is such a place.
pub(super) fn place(
    frame: Area,
    points: &[((f64, f64), f64)],
    radius: f64,
    others: &[Area],
) -> Vec<((f64, f64), bool)> {
    let mut taken: Vec<Area> = points.iter().map(|((x, y), _)| around((*x, *y), radius)).collect();
    taken.extend(others);
    let mut places = Vec::new();
    for &((x, y), wide) in points {
        let mut best: Option<(f64, (f64, f64), bool, Area)> = None;
        for (ring, far) in
            [10.0, 22.0, 36.0, 52.0, 70.0, 90.0, 112.0, 136.0].into_iter().enumerate()
        {
            // right, left, above, below, and between them
            let sides: [(f64, f64); 8] = [
                (1.0, -0.4),
                (-1.0, -0.4),
                (0.0, -1.0),
                (0.0, 1.0),
                (0.8, -1.0),
                (-0.8, -1.0),
                (0.8, 1.0),
                (-0.8, 1.0),
            ];
            for (dx, dy) in sides {
                let left = match dx {
                    0.0 => x - wide / 2.0,
                    dx if dx > 0.0 => x + dx * far,
                    dx => x + dx * far - wide,
                };
                let base = y + dy * far + if dy > 0.0 { HIGH - 4.0 } else { 4.0 };
                let area = [left, base - HIGH + 3.0, left + wide, base + 3.0];
                let outside = if within(area, frame) { 0.0 } else { 1e6 };
                let over: f64 = taken.iter().map(|other| common(area, *other)).sum();
                let cost = outside + over;
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, (left, base), ring > 0, area));
                }
            }
            if best.as_ref().is_some_and(|best| best.0 == 0.0) {
                break;
            }
        }
        if let Some((_, at, far, area)) = best {
            taken.push(area);
            places.push((at, far));
        }
    }
    places
}

fn around((x, y): (f64, f64), radius: f64) -> Area {
    [x - radius, y - radius, x + radius, y + radius]
}

fn within(inner: Area, outer: Area) -> bool {
    inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

/// What two rectangles have in common.
fn common(a: Area, b: Area) -> f64 {
    let wide = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let high = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    wide * high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_points_at_one_place_do_not_overlap() {
        let frame = [0.0, 0.0, 600.0, 300.0];
        // eight at the right edge, as fair experiments are
        let points: Vec<((f64, f64), f64)> =
            (0..8).map(|i| ((590.0, 20.0 + f64::from(i % 2)), 60.0)).collect();
        let places = place(frame, &points, 5.0, &[]);
        let areas: Vec<Area> = places
            .iter()
            .map(|((left, base), _)| [*left, base - HIGH + 3.0, left + 60.0, base + 3.0])
            .collect();
        for (nth, area) in areas.iter().enumerate() {
            assert!(within(*area, frame), "{area:?}");
            for other in &areas[..nth] {
                assert_eq!(common(*area, *other), 0.0, "{area:?} {other:?}");
            }
            for ((x, y), _) in &points {
                assert_eq!(common(*area, around((*x, *y), 5.0)), 0.0);
            }
        }
    }

    #[test]
    fn a_point_alone_has_its_name_at_its_right() {
        let places = place([0.0, 0.0, 600.0, 300.0], &[((100.0, 100.0), 40.0)], 5.0, &[]);
        assert_eq!(places, [((110.0, 100.0), false)]);
        // an interval lies there: above or below it
        let bar = [60.0, 99.0, 160.0, 101.0];
        let places = place([0.0, 0.0, 600.0, 300.0], &[((100.0, 100.0), 40.0)], 5.0, &[bar]);
        let ((_, base), _) = places[0];
        assert!(base + 3.0 <= 99.0 || base - HIGH + 3.0 >= 101.0, "{base}");
        let places = place([0.0, 0.0, 600.0, 300.0], &[((100.0, 100.0), 40.0)], 5.0, &[]);
        assert_eq!(places, [((110.0, 100.0), false)]);
    }
}
