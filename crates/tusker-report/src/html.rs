//! A page as one file that needs nothing else.
//!
//! What came from a user (names, titles, paths, the scenario) goes through
//! `escaped` or, within the data of curves, through JSON without `<`, so that
//! nothing ends a tag or a script early.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::RangeInclusive;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Serialize;

use crate::figure::{Axis, Figure, Group, Panels, Plot};
use crate::font;
use crate::pack;
use crate::page::{Block, Page, Section};
use crate::style::{DASHES, Look};
use crate::svg::{self, Theme};

pub(crate) use crate::svg::escaped;
use table::{write_table, written};

const TEMPLATE: &str = include_str!("../../../report/template.html");
const STYLE: &str =
    concat!(include_str!("../../../report/colours.css"), include_str!("../../../report/style.css"));
const PLOT_STYLE: &str = include_str!("../../../report/vendor/uPlot.min.css");
const PLOT: &str = include_str!("../../../report/vendor/uPlot.iife.min.js");

/// Width of a drawing for a phone.
const PHONE: f64 = 360.0;

/// A larger drawing, in bytes, has none for a phone beside it.
const TWICE: usize = 400_000;

/// Nor has one of a page that is this large already.
const LARGE: usize = 2_000_000;

/// One after the other within one function.
const SCRIPTS: [&str; 7] = [
    include_str!("../../../report/page/look.js"),
    include_str!("../../../report/page/data.js"),
    include_str!("../../../report/page/zoom.js"),
    include_str!("../../../report/page/ends.js"),
    include_str!("../../../report/page/panels.js"),
    include_str!("../../../report/page/export.js"),
    include_str!("../../../report/page/main.js"),
];

/// The file.
pub fn html(page: &Page) -> String {
    let (mut menu, mut body) = (String::new(), write_answer(page));
    for (i, section) in page.more.iter().chain(&page.sections).enumerate() {
        let _ = writeln!(menu, "<li><a href=\"#s{i}\">{}</a></li>", escaped(&section.title));
        write_section(&mut body, i, section);
    }
    let data = data(page);
    let again = match page.commands.len() {
        0 => "",
        1 => " The command at the top makes this page again.",
        _ => " The commands at the top make it anew.",
    };
    let commands = commands(&page.commands);
    let nonce = nonce(&[&page.title, &page.lead, &commands, &menu, &body, &data]);
    let script = format!("{PLOT}\n(function () {{\n\"use strict\";\n{}}})();", SCRIPTS.concat());
    let parts = BTreeMap::from([
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("title", escaped(&page.title)),
        ("lead", escaped(&page.lead)),
        ("commands", commands),
        ("again", again.to_owned()),
        ("style", style(&[&body, &data])),
        ("menu", menu),
        ("body", body),
        ("data", data),
        ("nonce", nonce),
        ("script", script),
    ]);
    fill(TEMPLATE, &parts)
}

/// What the page's own script has and no other can: a hash of everything that
/// came from a user. What a name or title smuggles in cannot contain the hash of
/// itself, so a browser runs none of it.
fn nonce(parts: &[&str]) -> String {
    tusker_store::hash(parts.concat().as_bytes())[..32].to_owned()
}

/// Puts the parts in their places, once: what is in a part stays as it is.
fn fill(template: &str, parts: &BTreeMap<&str, String>) -> String {
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").expect("a place in the template is closed");
        text += parts.get(name).unwrap_or_else(|| panic!("the template has no part {name}"));
        text += rest;
    }
    text
}

fn commands(all: &[String]) -> String {
    let boxed =
        |text: &String| format!("<pre class=\"command\"><code>{}</code></pre>\n", escaped(text));
    all.iter().map(boxed).collect()
}

/// Letters that scripts write besides those that are in the page: numbers and names of
/// keys.
const WRITTEN: RangeInclusive<char> = ' '..='~';

/// The letters of figures: those of the files that figures are saved in, and as wide as the
/// program takes them to be.
fn face(texts: &[&str]) -> String {
    let mut letters: BTreeSet<char> = WRITTEN.chain(['\u{2013}', '\u{2026}', '\u{d7}']).collect();
    letters.extend(texts.iter().flat_map(|text| text.chars()));
    let file = BASE64_STANDARD.encode(font::of_letters(&letters));
    format!("@font-face{{font-family:Roboto;src:url(data:font/ttf;base64,{file})}}")
}

fn style(texts: &[&str]) -> String {
    format!("{}\n{PLOT_STYLE}\n{STYLE}", face(texts))
}

fn write_section(body: &mut String, number: usize, section: &Section) {
    let title = escaped(&section.title);
    let _ = writeln!(
        body,
        "<section id=\"s{number}\" aria-labelledby=\"h{number}\">\n<h2 id=\"h{number}\">{title}</h2>"
    );
    write_blocks(body, &section.blocks, &mut BTreeSet::new());
    *body += "</section>\n";
}

/// `said` has the sentences of captions that stand above already.
fn write_blocks(body: &mut String, blocks: &[Block], said: &mut BTreeSet<String>) {
    for block in blocks {
        match block {
            Block::Text(text) => {
                let _ = writeln!(body, "<p class=\"text\">{}</p>", escaped(text));
            }
            Block::Warning(text) => {
                let _ = writeln!(body, "<p class=\"warning\">{}</p>", escaped(text));
            }
            Block::Fold(title, text) => {
                let (title, text) = (escaped(title), escaped(text));
                let _ = writeln!(
                    body,
                    "<details><summary>{title}</summary><pre tabindex=\"0\">{text}</pre></details>"
                );
            }
            Block::Commands(all) => *body += &commands(all),
            Block::Live(live) => match live.link() {
                Some(link) => {
                    let link = escaped(&link);
                    let _ = writeln!(
                        body,
                        "<p class=\"text\"><a href=\"{link}\">Open this run in the live page</a></p>"
                    );
                }
                None => {
                    *body += "<p class=\"text\">To open this run in the live page:</p>\n";
                    *body += &commands(std::slice::from_ref(&live.command));
                }
            },
            Block::Facts(facts) => {
                *body += "<dl class=\"facts\">";
                for (name, value) in facts {
                    let _ = write!(body, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
                }
                *body += "</dl>\n";
            }
            Block::FoldedTable(table) => {
                let caption = escaped(&table.caption);
                let _ = write!(body, "<details><summary>{caption}</summary>");
                write_table(body, table);
                *body += "</details>\n";
            }
            Block::Table(table) => write_table(body, table),
            Block::Figure(figure) => write_figure(body, figure, said),
            Block::More(title, blocks) => {
                let title = escaped(title);
                let _ = writeln!(body, "<details class=\"more\"><summary>{title}</summary>");
                // what is folded is read by itself
                write_blocks(body, blocks, &mut BTreeSet::new());
                *body += "</details>\n";
            }
        }
    }
}

/// The answer, its table and what to bear in mind.
fn write_answer(page: &Page) -> String {
    let mut body = String::new();
    if !page.answer.is_empty() {
        body += "<div class=\"answer\">\n";
        for line in &page.answer {
            let line: String = line.iter().map(written).collect();
            let _ = writeln!(body, "<p>{line}</p>");
        }
        body += "</div>\n";
    }
    if let Some(table) = &page.table {
        write_table(&mut body, table);
    }
    for note in &page.notes {
        let _ = writeln!(body, "<p class=\"warning\">{}</p>", escaped(&note.text));
    }
    body
}

fn write_figure(body: &mut String, figure: &Figure, said: &mut BTreeSet<String>) {
    let (name, title) = (escaped(&figure.name), escaped(&figure.title));
    let _ = write!(body, "<figure id=\"f-{name}\"><h3>{title}</h3>");
    let _ = match &figure.plot {
        Plot::Panels(_) => write!(body, "<div class=\"curves\" data-name=\"{name}\"></div>"),
        plot => {
            let drawn = svg::svg(figure, Theme::Page);
            // drawn for a phone as well, unless the page would grow by much; a heat map
            // needs the room for its numbers
            let narrow = match plot {
                Plot::Heat(_) => String::new(),
                _ if drawn.len() > TWICE || body.len() > LARGE => String::new(),
                _ => {
                    let drawn = svg::sized(figure, Theme::Page, PHONE);
                    format!("<div class=\"narrow\">{drawn}</div>")
                }
            };
            let two = if narrow.is_empty() { "" } else { " two" };
            write!(
                body,
                "<div class=\"points{two}\" data-name=\"{name}\" tabindex=\"0\" role=\"group\" \
                 aria-label=\"{title}: drawing\">{drawn}{narrow}</div>"
            )
        }
    };
    let caption = svg::usual_caption(figure).unsaid(said).to_string();
    if !caption.is_empty() {
        let _ = write!(body, "<figcaption>{}</figcaption>", escaped(&caption));
    }
    if let Some(table) = &figure.table {
        *body += "<details><summary>The numbers</summary>";
        write_table(body, table);
        *body += "</details>";
    }
    *body += "</figure>\n";
}

/// A figure of curves as the scripts take it.
#[derive(Serialize)]
struct CurvesData<'a> {
    title: &'a str,
    x: AxisData<'a>,
    time: bool,
    /// All curves rise from 0 to 100 %.
    rising: bool,
    xs: Places,
    window: Option<(f64, f64)>,
    groups: Vec<GroupData<'a>>,
    /// More curves of a group are a band.
    few: usize,
    panels: Vec<PanelData<'a>>,
}

#[derive(Serialize)]
struct AxisData<'a> {
    title: &'a str,
    unit: &'a str,
    log: bool,
}

#[derive(Serialize)]
struct GroupData<'a> {
    name: &'a str,
    hue: usize,
    dash: &'static [f64],
    /// Corners of its mark around (0, 0); none of a disc.
    mark: Option<Vec<(f64, f64)>>,
}

#[derive(Serialize)]
struct PanelData<'a> {
    y: AxisData<'a>,
    steps: bool,
    tall: bool,
    /// Its curves are not those of flows.
    link: bool,
    range: Option<(f64, f64)>,
    rules: &'a [(String, f64)],
    curves: Vec<pack::Head<'a>>,
    data: String,
}

/// Where curves have values: all of them, or the first, the distance and how
/// many.
#[derive(Serialize)]
#[serde(untagged)]
enum Places {
    All(Vec<f64>),
    Even { start: f64, step: f64, count: usize },
}

impl Places {
    fn of(xs: &[f64]) -> Self {
        if let [first, .., last] = xs {
            let step = (last - first) / (xs.len() - 1) as f64;
            let even = |(i, x): (usize, &f64)| (x - (first + i as f64 * step)).abs() <= 1e-6 * step;
            if step > 0.0 && xs.iter().enumerate().all(even) {
                return Self::Even { start: *first, step, count: xs.len() };
            }
        }
        Self::All(xs.to_vec())
    }
}

fn data(page: &Page) -> String {
    let curves = page.figures().filter_map(|figure| match &figure.plot {
        Plot::Panels(panels) => Some((figure.name.as_str(), curves(figure, panels))),
        _ => None,
    });
    let all: BTreeMap<&str, CurvesData<'_>> = curves.collect();
    let json = serde_json::to_string(&all).expect("figures are plain data");
    // within strings alone, where it means the same
    json.replace('<', "\\u003c")
}

fn curves<'a>(figure: &'a Figure, panels: &'a Panels) -> CurvesData<'a> {
    fn axis(axis: &Axis) -> AxisData<'_> {
        AxisData { title: &axis.title, unit: &axis.unit, log: axis.log }
    }
    let all = panels.panels.iter().map(|panel| panel.curves.len()).sum();
    let every = pack::every(all, panels.xs.len());
    let xs: Vec<f64> = panels.xs.iter().copied().step_by(every).collect();
    // flows are what the first panel that has the most curves shows
    let flows =
        |name: &str| panels.panels.first().is_some_and(|p| p.curves.iter().any(|c| c.name == name));
    let group = |group: &'a Group| {
        let look = Look::of(group.colour);
        let mark = look.corners((0.0, 0.0), 1.0);
        GroupData { name: &group.name, hue: look.hue, dash: DASHES[look.dash], mark }
    };
    CurvesData {
        title: &figure.title,
        x: axis(&panels.x),
        time: panels.time,
        rising: panels.is_cumulative(),
        xs: Places::of(&xs),
        window: panels.window,
        few: panels.few(),
        groups: panels.groups.iter().map(group).collect(),
        panels: panels
            .panels
            .iter()
            .map(|panel| {
                let (curves, data) = pack::pack(&panel.curves, every, panel.y.log);
                PanelData {
                    y: axis(&panel.y),
                    steps: panel.steps,
                    tall: panel.tall,
                    link: !panel.curves.iter().any(|curve| flows(&curve.name)),
                    range: panel.range,
                    rules: &panel.rules,
                    curves,
                    data,
                }
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Curve, Panel};
    use crate::page::Table;

    const EVIL: &str = "</script><script>alert('x')</script>&amp;\"{{body}}";

    fn evil() -> Page {
        let panel = Panel {
            curves: vec![Curve { name: EVIL.to_owned(), group: 0, values: vec![0.0, 1.0] }],
            rules: vec![(EVIL.to_owned(), 1.0)],
            y: Axis::new(EVIL, EVIL),
            ..Panel::default()
        };
        let panels = Panels {
            xs: vec![0.0, 1.0],
            groups: vec![Group { name: EVIL.to_owned(), colour: 0 }],
            panels: vec![panel],
            ..Panels::default()
        };
        let mut table = Table::new(EVIL, [EVIL]);
        table.row(None, [EVIL]);
        let figure = Figure::new("time", EVIL, EVIL, Plot::Panels(panels), Some(table.clone()));
        let mut page = Page {
            title: EVIL.to_owned(),
            lead: EVIL.to_owned(),
            commands: vec![EVIL.to_owned()],
            ..Page::default()
        };
        let text = || EVIL.to_owned();
        page.section(
            EVIL,
            vec![
                Block::Text(text()),
                Block::Warning(text()),
                Block::Facts(vec![(text(), text())]),
                Block::Fold(text(), text()),
                Block::Table(table),
                figure.into(),
            ],
        );
        page
    }

    #[test]
    fn what_a_user_wrote_ends_no_tag_and_no_script() {
        let text = html(&evil());
        let plain = html(&Page::default());
        assert!(!text.contains("<script>alert"), "markup of a user is markup of the page");
        assert_eq!(text.matches("</script").count(), plain.matches("</script").count());
        assert!(text.contains("&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
        // nor does it name a part of the template
        assert_eq!(text.matches("<main").count(), 1);
        let from = text.find("id=\"data\">").unwrap() + 10;
        let json = &text[from..from + text[from..].find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(data["time"]["panels"][0]["curves"][0]["name"], EVIL);
    }

    #[test]
    fn the_foot_names_no_command_that_is_not_there() {
        assert!(!html(&Page::default()).contains("anew"));
        assert!(html(&evil()).contains("The command at the top makes this page again."));
    }

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        let text = html(&evil());
        for outside in ["src=\"http", "href=\"http", "url(http", "@import", "src=\"//"] {
            assert!(!text.contains(outside), "{outside}");
        }
        assert!(text.contains("default-src 'none'"));
    }

    #[test]
    fn even_places_are_three_numbers() {
        assert!(matches!(
            Places::of(&[0.0, 0.1, 0.2, 0.30000000000000004]),
            Places::Even { count: 4, .. }
        ));
        assert!(matches!(Places::of(&[0.0, 0.0, 1.0, 1.0]), Places::All(_)));
    }
}
