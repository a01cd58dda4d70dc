use std::fs;
use std::path::Path;

use super::*;

type Vector = [f64; 3];

/// Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color
/// Vision Deficiency, IEEE TVCG 15(6), 2009: matrices for linear RGB at severity 1.0, of
/// who sees all colours, no red, no green, no blue.
const SEEN: [[Vector; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

/// sRGB to linear light (IEC 61966-2-1).
fn linear(colour: &str) -> Vector {
    [1, 3, 5].map(|at| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

fn times(matrix: &[Vector; 3], v: Vector) -> Vector {
    matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
}

/// CIE L*a*b* of linear light under D65.
fn lab(light: Vector) -> Vector {
    let xyz = times(
        &[
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ],
        light.map(|part| part.clamp(0.0, 1.0)),
    );
    let white = [0.95047, 1.0, 1.08883];
    let f =
        |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
    let [x, y, z] = [0, 1, 2].map(|i| f(xyz[i] / white[i]));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Least distance of two colours (CIE 1976, where 2.3 is just seen) to any eye.
fn least(a: &str, b: &str) -> f64 {
    let to = |eye: &[Vector; 3]| distance(lab(times(eye, linear(a))), lab(times(eye, linear(b))));
    SEEN.iter().map(to).fold(f64::MAX, f64::min)
}

#[test]
fn the_published_example_is_far_for_most_and_near_for_some() {
    // red and green of traffic lights: far for anyone who sees all, near without red or green
    let [all, red, green, _] = SEEN.map(|eye| {
        distance(lab(times(&eye, linear("#d00000"))), lab(times(&eye, linear("#606000"))))
    });
    assert!(all > 70.0 && red < 25.0 && green < 40.0, "{all} {red} {green}");
    // white stays white: every row sums to one
    for eye in SEEN {
        assert!(distance(lab(times(&eye, [1.0; 3])), [100.0, 0.0, 0.0]) < 0.1);
    }
}

#[test]
fn every_two_colours_are_apart_for_every_eye() {
    for colours in [LIGHT, DARK] {
        for (nth, a) in colours.iter().enumerate() {
            for b in &colours[..nth] {
                assert!(least(a, b) >= 12.0, "{a} {b}: {}", least(a, b));
            }
        }
    }
}

#[test]
fn every_law_has_a_look_and_every_two_differ_also_in_grey() {
    let laws: Vec<&str> = congestion::ALL.iter().map(|sheet| sheet.name).collect();
    let looks: Vec<Look> = laws.iter().map(|law| Look::of(of_law(law))).collect();
    for (nth, a) in looks.iter().enumerate() {
        for (other, b) in looks[..nth].iter().enumerate() {
            let (a_name, b_name) = (laws[nth], laws[other]);
            // in grey and to any eye: by the line alone, or by the mark on it
            let seen = (a.dash != b.dash, a.mark() != b.mark());
            assert_ne!(seen, (false, false), "{a_name} and {b_name}");
            // one hue is told by both
            if a.hue == b.hue {
                assert_eq!(seen, (true, true), "{a_name} and {b_name}");
            }
        }
        assert!(FLOWS.contains(&a.hue), "{}: grey and ink are the queue's", laws[nth]);
    }
}

#[test]
fn a_law_keeps_its_look_and_one_that_is_not_ours_takes_none_of_ours() {
    // by hand, from the table: hue + 10 x dash
    assert_eq!(["ghstcp", "reno", "ledbat++", "vcp"].map(of_law), [0, 1, 34, 43]);
    assert_eq!(of_law("cubic { beta = 0.8 }"), of_law("cubic"));
    let ours: Vec<usize> = congestion::ALL.iter().map(|sheet| of_law(sheet.name)).collect();
    for name in ["mine", "cubic9", "x", ""] {
        assert!(!ours.contains(&of_law(name)), "{name}");
        assert_eq!(of_law(name), of_law(name));
    }
}

#[test]
fn laws_that_are_often_compared_have_a_hue_and_a_mark_each() {
    let often = ["reno", "cubic-linux", "bbr3", "copa", "swift", "prague", "ghstcp", "hcc"];
    let looks = often.map(|law| Look::of(of_law(law)));
    assert_eq!(looks.iter().map(|look| look.hue).collect::<BTreeSet<_>>().len(), 8);
    assert_eq!(looks.iter().map(|look| look.mark()).collect::<BTreeSet<_>>().len(), 8);
}

#[test]
fn two_of_one_law_have_its_hue_and_differ() {
    let (cubic, reno) = (of_law("cubic"), of_law("reno"));
    let all = apart(&[cubic, cubic, reno, cubic, of_law("cubic-linux")]);
    // the first keep their own
    assert_eq!((all[0], all[2], all[4]), (cubic, reno, of_law("cubic-linux")));
    let looks: Vec<Look> = all.iter().map(|&look| Look::of(look)).collect();
    assert!([1, 3, 4].iter().all(|&nth| looks[nth].hue == looks[0].hue));
    for (nth, a) in looks.iter().enumerate() {
        for b in looks[..nth].iter().filter(|b| b.hue == a.hue) {
            assert!(a.dash != b.dash && a.mark() != b.mark(), "{a:?} {b:?}");
        }
    }
    // points have no dashes: HSTCP's mark is a diamond, which gHSTCP's second does not get
    let marks: BTreeSet<usize> =
        apart(&[reno, of_law("hstcp"), of_law("hstcp"), of_law("ghstcp"), of_law("ghstcp")])
            .iter()
            .map(|&look| Look::of(look).mark())
            .collect();
    assert_eq!(marks.len(), 5);
    // forty of one law are all different, by dash or mark
    let many = apart(&[cubic; 40]);
    let seen: BTreeSet<(usize, usize)> =
        many.iter().map(|&n| (Look::of(n).dash, Look::of(n).mark())).collect();
    assert_eq!(seen.len(), 40);
}

#[test]
fn flows_of_one_law_over_time_have_hues_of_their_own() {
    let [hcc, reno] = ["hcc", "reno"].map(of_law);
    let looks =
        |numbers: &[usize]| over_time(numbers).into_iter().map(Look::of).collect::<Vec<_>>();
    let all = looks(&[hcc, hcc, reno, hcc]);
    let hues: BTreeSet<usize> = all.iter().map(|look| look.hue).collect();
    let marks: BTreeSet<usize> = all.iter().map(|look| look.mark()).collect();
    assert_eq!((hues.len(), marks.len()), (4, 4), "{all:?}");
    // the first of each law has the law's hue, and no curve needs dashes
    assert_eq!((all[0].hue, all[2].hue), (hcc % HUES, reno % HUES));
    assert!(all.iter().all(|look| look.dash == 0), "{all:?}");
    // laws that share a hue still do, and dashes tell them apart
    let [one, other] = looks(&[of_law("ghstcp"), of_law("ghstcp-refined")])[..] else {
        panic!("two")
    };
    assert!(one.hue == other.hue && one.dash != other.dash && one.mark() != other.mark());
    // of more flows than hues, every two still differ
    let many = over_time(&[hcc; 12]);
    assert_eq!(many.iter().collect::<BTreeSet<_>>().len(), 12);
}

#[test]
fn a_queue_and_its_probabilities_differ_also_in_grey() {
    let all = [QUEUE, AVERAGE, P_B, MAX_P].map(Look::of);
    let marks: BTreeSet<usize> = all.iter().map(|look| look.mark()).collect();
    assert_eq!(marks.len(), 4, "{all:?}");
    assert!(all[0].dash != all[2].dash && all[1].dash != all[3].dash);
}

#[test]
fn a_law_is_known_by_the_name_that_a_paper_gives_it() {
    let known = |name: &str| known(name).map(Look::of).map(|look| (look.hue, look.dash));
    let ours = |name: &str| Some(Look::of(of_law(name))).map(|look| (look.hue, look.dash));
    assert_eq!(known("gHSTCP"), ours("ghstcp"));
    assert_eq!(known("BBRv3"), ours("bbr3"));
    assert_eq!(known("HSTCP+SACK"), ours("hstcp"));
    // Reno with the recovery of RFC 6582, and Scalable TCP (Kelly 2003)
    assert_eq!(known("NewReno"), ours("reno"));
    assert_eq!(known("STCP"), ours("scalable"));
    assert_eq!(known("Westwood+"), ours("westwood"));
    // a plus that is a part of the name
    assert_eq!(known("LEDBAT++"), ours("ledbat++"));
    assert_eq!(known("DropTail"), None);
}

/// A law looks the same in the findings' pictures, which a script draws.
#[test]
fn pictures_of_findings_have_the_looks_of_laws() {
    let hues = ["blue", "vermilion", "green", "purple", "", "sky", "grey", "ink", "pink", "indigo"];
    let marks = ["disc", "square", "triangle", "diamond", "below", "cross", "plus", "star"];
    let script = include_str!("../../../../bench/findings.py");
    let (_, table) = script.split_once("LOOKS = {\n").expect("a table of looks");
    let (table, _) = table.split_once("\n}").expect("its end");
    for line in table.lines() {
        let parts: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        let [name, hue, dash, mark] = parts[..] else { panic!("{line}") };
        let law = if name == "refined gHSTCP" { "ghstcp-refined" } else { name };
        let look = Look::of(known(law).unwrap_or_else(|| panic!("{name} is no law")));
        let dashes = DASHES[look.dash].iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!((hue, dash, mark), (hues[look.hue], &*dashes, marks[look.mark()]), "{name}");
    }
    assert_eq!(table.lines().count(), 8);
}

/// Curves of the live page look as those of reports: it has these in a file that is made here
/// (`TUSKER_BLESS=1`).
#[test]
fn the_live_page_has_the_same_dashes_and_marks() {
    let json = |value: serde_json::Value| value.to_string().replace(".0", "").replace(',', ", ");
    let marks_of = (0..HUES).map(|hue| {
        let marks = (0..DASHES.len()).map(|dash| Look { hue, dash, turn: 0 }.mark());
        marks.collect::<Vec<_>>()
    });
    let marks_of: Vec<_> = marks_of.collect();
    let text = format!(
        "// Made by a test of crates/tusker-report/src/style.rs (TUSKER_BLESS=1).\n\n\
         /** Lengths of strokes and gaps, by dash. */\nexport const DASHES = {};\n\n\
         /** Corners of marks; null is a disc. */\nexport const MARKS = {};\n\n\
         /** Numbers of marks, by hue and dash. */\nexport const MARKS_OF = {};\n",
        json(serde_json::json!(DASHES)),
        json(serde_json::json!(MARKS)),
        json(serde_json::json!(marks_of)),
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../page/shapes.js");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        fs::write(&file, &text).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&file).expect("it is there"), text);
}

#[test]
fn a_look_has_its_number() {
    for number in 0..HUES * DASHES.len() * TURNS {
        assert_eq!(Look::of(number).number(), number);
    }
    assert_eq!((0..9).map(nth).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 8, 9, 10]);
}

/// Four laws of the first dash: each gets dashes of its own, and keeps its hue and its mark.
#[test]
fn curves_of_a_printed_figure_have_dashes_of_their_own() {
    let laws = ["reno", "cubic", "bbr3", "ghstcp"].map(of_law);
    assert!(laws.iter().all(|law| Look::of(*law).dash == 0));
    let apart = by_dash(&laws);
    let dashes: BTreeSet<usize> = apart.iter().map(|look| Look::of(*look).dash).collect();
    assert_eq!((dashes.len(), apart[0]), (4, laws[0]));
    for (old, new) in laws.iter().zip(&apart) {
        let (old, new) = (Look::of(*old), Look::of(*new));
        assert_eq!((old.hue, old.mark()), (new.hue, new.mark()));
    }
    // who has other dashes already keeps them
    let two = ["reno", "cubic-linux"].map(of_law);
    assert_eq!(by_dash(&two), two);
}
