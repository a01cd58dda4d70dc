//! Figures for which a part of the axes was asked for.

use super::*;

/// Everything that is drawn of curves lies within the frame, and what has marks has those
/// of the points within.
#[test]
fn nothing_is_drawn_beyond_the_ends_of_an_axis() {
    let few = Size { laws: 2, panels: 1, top: 100.0, long: false };
    for (name, plot) in [("panels", panels(few, false)), ("lines", lines(few))] {
        let figure = Figure::new(name, "F", "", plot, None);
        let ends = if name == "panels" { (100.0, 150.0) } else { (4.0, 64.0) };
        let format = Format { x: Some(ends), y: Some((60.0, 83.0)), ..Format::wide(720.0) };
        let drawing = drawn(&figure, Theme::Paper, &format).unwrap();
        // the grid tells where the frame is
        let numbers = |name: &str| {
            let key = format!(" {name}=\"");
            let all = drawing.split(key.as_str()).skip(1);
            let all = all.map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
            all.collect::<Vec<f64>>()
        };
        let of = |values: Vec<f64>| {
            (
                values.iter().copied().fold(f64::MAX, f64::min),
                values.into_iter().fold(0.0, f64::max),
            )
        };
        let (left, right) = of([numbers("x1"), numbers("x2")].concat());
        let (top, bottom) = of([numbers("y1"), numbers("y2")].concat());
        let mut seen = 0;
        for path in drawing.split("<path ").skip(1) {
            // marks of points near an edge may reach over it
            if path.starts_with("class=\"m\"") {
                continue;
            }
            let path = path.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
            // names stand at the ends of curves, 3 beyond the frame, each with a stroke
            if path.starts_with(&format!("M{:.1} ", right + 3.0)) {
                continue;
            }
            let places = path.split(['M', 'L', 'Z']).filter(|text| !text.is_empty());
            for place in places.filter(|text| !text.contains('H')) {
                let (x, y) = place.split_once(' ').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((left - 0.1..=right + 0.1).contains(&x), "{name}: {place}");
                assert!((top - 0.1..=bottom + 0.1).contains(&y), "{name}: {place}");
                seen += 1;
            }
        }
        assert!(seen > 4, "{name} has {seen} places");
    }
}

#[test]
fn a_kind_that_cannot_do_it_says_so() {
    let few = Size { laws: 2, panels: 2, top: 9.7, long: false };
    let what = |plot: Plot, format: Format| {
        let figure = Figure::new("f", "F", "", plot, None);
        let no = drawn(&figure, Theme::Paper, &format).unwrap_err();
        assert!(!no.why.is_empty() && !no.help.is_empty());
        no.what
    };
    let own = || Format::wide(720.0);
    let range = Some((0.0, 5.0));
    assert_eq!(what(panels(few, false), Format { y: range, ..own() }), "y-range");
    assert_eq!(what(panels(few, true), Format { x: range, ..own() }), "x-range");
    assert_eq!(what(heat(few), Format { x: range, ..own() }), "x-range");
}

/// XML 1.0, production 2 (Char): no control but tab and the ends of lines, no U+FFFE, U+FFFF.
#[test]
fn letters_that_xml_does_not_have_are_replaced() {
    let odd = "\u{0}\u{1}\u{8}\u{b}\u{c}\r\u{1b}[1m\u{7f}\u{9b}\u{fffe}\u{ffff}";
    let size = Size { laws: 2, panels: 2, top: 9.7, long: false };
    for plot in [panels(size, false), lines(size), heat(size), scatter(size)] {
        let mut figure = Figure::new("f", &format!("F{odd}"), odd, plot, None);
        match &mut figure.plot {
            Plot::Panels(all) => all.groups[0].name += odd,
            Plot::Lines(all) => all.panels[0].title += odd,
            Plot::Heat(all) => all.panels[0].title += odd,
            _ => {}
        }
        let drawing = drawn(&figure, Theme::Paper, &Format::wide(720.0)).unwrap();
        let allowed = |c: char| {
            matches!(c, '\t' | '\n' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
                || c >= '\u{10000}'
        };
        assert!(drawing.chars().all(allowed), "{}", figure.name);
        tree(&drawing);
    }
}
