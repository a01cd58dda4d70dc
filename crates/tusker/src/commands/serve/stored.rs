//! Stored results: a list of what a folder holds, and the files in it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use tusker_report::live;
use tusker_report::svg::escaped;
use tusker_scenario::Scenario;
use tusker_store::SCENARIO;
use tusker_store::sweep::{BASE, SweepSummary};

use super::answer::Answer;

/// The most folders of a list.
const MAX_LISTED: usize = 2_000;

/// How deep folders are looked through: papers/KEY/ROW.
const MAX_DEPTH: usize = 3;

/// The largest file that is handed out.
const MAX_FILE: u64 = 256 << 20;

/// Answers for a path below the folder; an empty one is the list.
pub fn answer(dir: &Path, path: &str) -> Answer {
    if path.is_empty() {
        return Answer::own("list.html", list(dir).into_bytes());
    }
    if let Some(folder) = path.strip_suffix(POINTS) {
        let sweep = within(dir, &format!("{folder}sweep.json"));
        let page = sweep.and_then(|file| points(file.parent()?, folder));
        return page.map_or_else(Answer::missing, |page| Answer::own(POINTS, page.into_bytes()));
    }
    let file = within(dir, path).filter(|file| file.metadata().is_ok_and(|m| m.len() <= MAX_FILE));
    let Some(file) = file else { return Answer::missing() };
    let Ok(mut body) = fs::read(&file) else { return Answer::missing() };
    let folder = file.parent().unwrap_or(dir);
    if path.ends_with("report.html")
        && let Some(scenario) = scenario(folder)
    {
        body = with_link(body, path, &scenario);
    }
    Answer::stored(path, body)
}

/// A report with a link that opens its scenario as a run.
fn with_link(report: Vec<u8>, path: &str, scenario: &str) -> Vec<u8> {
    const END: &[u8] = b"</header>";
    let Some(at) = report.windows(END.len()).position(|part| part == END) else { return report };
    let up = "../".repeat(path.matches('/').count() + 1);
    let link = format!("<p><a href=\"{up}{}\">open this live</a></p>\n", live::fragment(scenario));
    [&report[..at], link.as_bytes(), &report[at..]].concat()
}

/// The name of the page with the points of a sweep, beside its `sweep.json`.
const POINTS: &str = "points.html";

/// The most points of such a page.
const MAX_POINTS: usize = 500;

/// The points of a sweep, each with a link that opens it as a run.
fn points(dir: &Path, folder: &str) -> Option<String> {
    let sweep = SweepSummary::read(dir).ok()?;
    let base = fs::read_to_string(dir.join(BASE)).ok()?;
    let up = "../".repeat(folder.matches('/').count() + 1);
    let mut rows = String::new();
    for point in sweep.points.iter().take(MAX_POINTS) {
        let cells = point.values.iter().map(|value| format!("<td>{}</td>", escaped(value)));
        let cells: String = cells.collect();
        let sets = sweep.set.iter().flatten().chain(&point.set).cloned().collect::<Vec<_>>();
        let link = match Scenario::parse(BASE, &base, &sets) {
            _ if sweep.set.is_none() => "its settings were not stored".to_owned(),
            Ok(scenario) => {
                format!("<a href=\"{up}{}\">open live</a>", live::fragment(&live::text(&scenario)))
            }
            Err(error) => escaped(&error.to_string()),
        };
        let _ = writeln!(rows, "<tr>{cells}<td>{link}</td></tr>");
    }
    let heads = sweep.axes.iter().map(|axis| format!("<th>{}</th>", escaped(axis.name())));
    let heads: String = heads.collect();
    let lead = match sweep.set {
        Some(_) => "",
        None => "Run the sweep again to store its settings: nothing is simulated a second time.",
    };
    Some(page(&up, &sweep.name, lead, &format!("{heads}<th>run</th>"), &rows))
}

/// The scenario of a folder of one run.
fn scenario(folder: &Path) -> Option<String> {
    fs::read_to_string(folder.join(SCENARIO)).ok()
}

/// A file below a folder, links resolved; `None` if it is none or elsewhere.
pub fn within(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = decoded(path)?;
    if !Path::new(&path).components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = folder.join(path).canonicalize().ok()?;
    (file.is_file() && file.starts_with(folder.canonicalize().ok()?)).then_some(file)
}

/// A path of an address as text: `%20` is a space.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

/// The reverse.
fn encoded(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(byte.into());
            }
            other => {
                let _ = write!(text, "%{other:02X}");
            }
        }
    }
    text
}

/// A page with the folders of results: their reports, and their scenarios as runs to open.
fn list(dir: &Path) -> String {
    let mut folders = Vec::new();
    find(dir, Path::new(""), 0, &mut folders);
    folders.sort();
    let mut rows = String::new();
    for folder in &folders {
        let name = folder.display().to_string();
        let name = if name.is_empty() { "." } else { &name };
        let own = dir.join(folder);
        let mut links = String::new();
        for (file, word) in [("report.html", "report"), ("summary.json", "numbers")] {
            if own.join(file).is_file() {
                let _ = write!(links, "<a href=\"{}\">{word}</a> ", encoded(&folder.join(file)));
            }
        }
        if let Some(scenario) = scenario(&own) {
            let _ = write!(links, "<a href=\"../{}\">open live</a> ", live::fragment(&scenario));
        }
        if own.join("sweep.json").is_file() {
            let _ = write!(links, "<a href=\"{}\">points</a> ", encoded(&folder.join(POINTS)));
        }
        let _ = writeln!(rows, "<tr><td>{}</td><td>{links}</td></tr>", escaped(name));
    }
    if rows.is_empty() {
        rows.push_str("<tr><td>nothing yet: `tusker run FILE` stores results here</td></tr>");
    }
    let lead =
        format!("{}; <a href=\"../\">the live page</a>", escaped(&dir.display().to_string()));
    page("../", "Stored results", &lead, "<th>folder</th><th>open</th>", &rows)
}

/// A page with a table.
fn page(up: &str, title: &str, lead: &str, heads: &str, rows: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><link rel=\"stylesheet\" href=\"{up}report/colours.css\">\
         <link rel=\"stylesheet\" href=\"{up}report/style.css\"></head><body>\
         <header class=\"top\"><h1>{title}</h1><p class=\"lead\">{lead}</p></header>\
         <main id=\"main\"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table>\
         </main></body></html>\n"
    )
}

/// Folders that hold results, below a folder of which `path` is the part that is shown.
fn find(dir: &Path, path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let own = dir.join(path);
    let holds = |file: &str| own.join(file).is_file();
    if found.len() < MAX_LISTED && ["manifest.json", "report.html"].into_iter().any(holds) {
        found.push(path.to_owned());
    }
    if depth == MAX_DEPTH {
        return;
    }
    let Ok(entries) = fs::read_dir(&own) else { return };
    for entry in entries.flatten() {
        // a link may lead back here
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && found.len() < MAX_LISTED {
            find(dir, &path.join(entry.file_name()), depth + 1, found);
        }
    }
}
