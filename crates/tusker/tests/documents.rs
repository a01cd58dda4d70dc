//! The documents tell the truth: the commands that they give work and print what is shown,
//! everything that they link to exists, and the names that they list are those in the code.
//!
//! The convention for blocks of code in any Markdown file:
//!
//! - `console`: each line after `$ ` is run by bash, in one folder per document,
//!   which holds a copy of `examples/`. It must succeed and print what the block
//!   shows (stdout); a line `...` stands for any lines.
//! - `console slow`: the same, but only when the outputs are written anew.
//! - `toml` that begins with `# NAME.toml` is put into that folder under its name.
//! - Everything else (`sh`, `text`, ...) is left alone.
//!
//! `make docs` writes the outputs anew: it sets `TUSKER_DOCS` to the binary that
//! is to be run.

use std::env;
use std::fmt::Write;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tusker_core::{congestion, queue};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root is there")
}

/// Every Markdown file of the project.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let built =
                ["target", "results", "node_modules"].contains(&&*name) || name.starts_with('.');
            if path.is_dir() && !built {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A stretch of a document: text, or a block of code with its head.
enum Part<'a> {
    Text(&'a str),
    Code { kind: &'a str, body: &'a str },
}

/// Cuts a document at its fences; put together again it is the same.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n```") {
        let (before, fenced) = rest.split_at(at + 1);
        let (head, body) = fenced.split_once('\n').expect("a block has a head");
        let end = if body.starts_with("```") { Some(0) } else { body.find("\n```").map(|e| e + 1) };
        let end = end.expect("a block ends");
        parts.push(Part::Text(before));
        parts.push(Part::Code { kind: &head[3..], body: &body[..end] });
        rest = body[end + 3..].strip_prefix('\n').map_or("", |_| &body[end + 3..]);
    }
    parts.push(Part::Text(rest));
    parts
}

/// A command of a block and what is shown below it.
struct Step {
    command: String,
    shown: String,
}

fn steps(body: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut open = false;
    for line in body.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), shown: String::new() });
            }
            (None, Some(step)) if open => write!(step.command, "\n{line}").expect("memory"),
            (None, Some(step)) => writeln!(step.shown, "{line}").expect("memory"),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
        // what is shown may end like this, too
        let typed = open || line.starts_with("$ ");
        open = typed && line.ends_with('\\');
    }
    steps
}

/// What commands may need besides tusker and what every system has. A command
/// that needs one which is not installed is left out.
const TOOLS: &[&str] = &["jq"];

fn lacks_a_tool(command: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let there = |tool: &str| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    let words: Vec<&str> = command.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    TOOLS.iter().any(|tool| words.contains(tool) && !there(tool))
}

/// Columns of the terminal that documents show: what is wider is hard to read on a page.
const COLUMNS: &str = "100";

/// Runs a line as a shell does; what it printed, or what went wrong.
fn run(command: &str, folder: &Path, tusker: &Path) -> Result<String, String> {
    let inherited = env::var_os("PATH").unwrap_or_default();
    let ours = tusker.parent().map(Path::to_path_buf).unwrap_or_default();
    let path = env::join_paths([ours].into_iter().chain(env::split_paths(&inherited)));
    let output = Command::new("bash")
        .args(["-o", "pipefail", "-c", command])
        .current_dir(folder)
        .env("PATH", path.expect("a path without colons"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", COLUMNS)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("bash can be run");
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{command}` ended with {}:\n{told}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What is shown is what was printed, `...` standing for any lines.
fn agrees(shown: &str, printed: &str) -> bool {
    match shown.split_once("...\n") {
        None => shown == printed,
        Some((head, tail)) => {
            printed.len() >= head.len() + tail.len()
                && printed.starts_with(head)
                && printed.ends_with(tail)
        }
    }
}

/// What to show of an output where `shown` stood: as many lines around `...`.
fn shortened(shown: &str, printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    match shown.split_once("...\n") {
        Some((head, tail)) if head.lines().count() + tail.lines().count() < lines.len() => {
            let (head, tail) = (head.lines().count(), tail.lines().count());
            format!("{}...\n{}", text(&lines[..head]), text(&lines[lines.len() - tail..]))
        }
        _ => text(&lines),
    }
}

/// Goes through a document; gives back what it should say, and what is wrong.
fn check(text: &str, tusker: &Path, writing: bool) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder for the commands");
    let examples = folder.path().join("examples");
    fs::create_dir(&examples).expect("a folder can be made");
    for entry in fs::read_dir(root().join("examples")).expect("there are examples") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            continue;
        }
        fs::copy(&path, examples.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let (mut should, mut wrong) = (String::new(), Vec::new());
    for part in parts(text) {
        let (kind, body) = match part {
            Part::Text(text) => {
                should += text;
                continue;
            }
            Part::Code { kind, body } => (kind, body),
        };
        writeln!(should, "```{kind}").expect("memory");
        if kind == "toml"
            && let Some(name) = body.lines().next().and_then(|line| line.strip_prefix("# "))
            && name.ends_with(".toml")
        {
            fs::write(folder.path().join(name), body).expect("a file can be written");
        }
        if kind != "console" && !(kind == "console slow" && writing) {
            should += body;
        } else {
            for Step { command, shown } in steps(body) {
                writeln!(should, "$ {command}").expect("memory");
                if lacks_a_tool(&command) {
                    should += &shown;
                    continue;
                }
                match run(&command, folder.path(), tusker) {
                    Err(error) => {
                        wrong.push(error);
                        should += &shown;
                    }
                    Ok(printed) => {
                        should += &shortened(&shown, &printed);
                        if !agrees(&shown, &printed) {
                            wrong.push(format!("`{command}` prints\n{printed}\nnot\n{shown}"));
                        }
                    }
                }
            }
        }
        should += "```";
    }
    (should, wrong)
}

#[test]
fn what_documents_say_to_type_works_and_prints_what_they_show() {
    let given = env::var_os("TUSKER_DOCS").map(PathBuf::from);
    let writing = given.is_some();
    let tusker = given.unwrap_or_else(|| env!("CARGO_BIN_EXE_tusker").into());
    let tusker = root().join(tusker);
    assert!(tusker.is_file(), "{} is missing", tusker.display());
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let checks: Vec<_> = documents()
            .into_iter()
            .map(|path| {
                let tusker = &tusker;
                scope.spawn(move || {
                    let text = fs::read_to_string(&path).expect("a document is text");
                    let (should, wrong) = check(&text, tusker, writing);
                    if writing && should != text {
                        fs::write(&path, should).expect("a document can be written");
                    }
                    let of = |error| format!("{}: {error}", path.display());
                    wrong.into_iter().map(of).collect::<Vec<_>>()
                })
            })
            .collect();
        checks.into_iter().flat_map(|check| check.join().expect("no panic")).collect()
    });
    // what was merely out of date is mended by writing; what fails is not
    let wrong: Vec<String> =
        wrong.into_iter().filter(|error| !writing || error.contains("` ended with ")).collect();
    let help = "if the program is right, run `make docs` and look at the difference";
    assert!(wrong.is_empty(), "{}\n\n{help}", wrong.join("\n\n"));
}

/// The heading as GitHub links to it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in parts(text) {
        if let Part::Text(text) = part {
            found.extend(text.lines().filter(|line| line.starts_with('#')).map(anchor));
        }
    }
    found
}

/// What a document links to and shows.
fn targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in parts(text) {
        let Part::Text(text) = part else { continue };
        for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')] {
            let rests = text.split(opening).skip(1);
            found.extend(rests.filter_map(|rest| rest.split(closing).next()).map(str::to_owned));
        }
    }
    found
}

#[test]
fn what_documents_link_to_is_there() {
    let mut wrong = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document is text");
        for target in targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((&target, ""));
            let there = match file {
                "" => path.clone(),
                file => path.parent().expect("a file is in a folder").join(file),
            };
            let found = match fs::read_to_string(&there) {
                Ok(text) => place.is_empty() || anchors(&text).iter().any(|a| a == place),
                Err(_) => there.exists() && place.is_empty(),
            };
            if !found {
                wrong.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

/// Three screens: on a page 838 pixels wide, with a picture of 494 pixels, so many words and
/// lines were 2,824 pixels high.
#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let (words, lines) = (readme.split_whitespace().count(), readme.lines().count());
    assert!(words <= 1_000 && lines <= 80, "{words} words, {lines} lines");
}

#[test]
fn the_index_names_every_document() {
    let index = fs::read_to_string(root().join("docs/README.md")).expect("docs has an index");
    for path in documents().iter().filter(|path| path.parent() == Some(&root().join("docs"))) {
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(name == "README.md" || index.contains(&format!("]({name})")), "no {name}");
    }
}

/// The README's two commands set up a machine that has nothing yet: where one program is
/// missing, its packages are installed. `apt-get` is one that only says what it was asked.
#[test]
fn set_up_installs_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder for the command");
    let apt = folder.path().join("apt-get");
    fs::write(&apt, "#!/bin/sh\necho \"$@\"\n").expect("it can be written");
    fs::set_permissions(&apt, Permissions::from_mode(0o755)).expect("it may be run");
    let path = env::var("PATH").unwrap_or_default();
    let out = Command::new("make")
        .args(["--silent", "setup-kernel", "KERNEL_PROGRAMS=ip no-such-program"])
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .env_remove("MAKEFLAGS")
        .current_dir(root())
        .output()
        .expect("make runs");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("install") && said.contains(" clang "), "{said:?}");
}

/// The names of all algorithms, by family.
fn by_family(all: &[tusker_core::Sheet]) -> String {
    let families = tusker_core::Family::ALL.iter().filter_map(|&family| {
        let own = all.iter().filter(|sheet| sheet.family == family);
        let names: Vec<String> = own.map(|sheet| format!("`{}`", sheet.name)).collect();
        let title = family.title();
        (!names.is_empty())
            .then(|| format!("{}{}: {}", title[..1].to_lowercase(), &title[1..], names.join(", ")))
    });
    families.collect::<Vec<_>>().join("; ")
}

/// Two rows of the table of features are the registries' names; the rest of a row, behind a
/// sentence's end, is written by hand.
#[test]
fn the_table_of_features_lists_the_registries() {
    let path = root().join("docs/features.md");
    let page = fs::read_to_string(&path).expect("there is a page");
    let rows = [("Congestion controls", congestion::ALL), ("Queue policies", queue::ALL)];
    let mut wanted = page.clone();
    for (row, all) in rows {
        let begin = format!("| {row} | ");
        let line = page.lines().find(|line| line.starts_with(&begin));
        let line = line.unwrap_or_else(|| panic!("docs/features.md has no row {row:?}"));
        let rest = line.split_once(". ").map_or(" |".to_owned(), |(_, rest)| format!(". {rest}"));
        wanted = wanted.replace(line, &format!("{begin}{}{rest}", by_family(all)));
    }
    if env::var_os("TUSKER_BLESS").is_some() {
        return fs::write(&path, &wanted).expect("the page can be written");
    }
    assert!(page == wanted, "docs/features.md: run this test with TUSKER_BLESS=1");
}

/// docs/results.md leaves the fields of results to the schemas.
#[test]
fn the_schemas_describe_every_field_of_results() {
    let schemas =
        [tusker_measure::summary::Summary::schema(), tusker_measure::watched::Watched::schema()];
    for schema in schemas {
        let schema: serde_json::Value = serde_json::from_str(&schema).expect("it is JSON");
        let sections = schema["$defs"].as_object().expect("the schema has definitions");
        for (section, content) in
            sections.iter().map(|(name, own)| (&**name, own)).chain([("", &schema)])
        {
            for (field, own) in content["properties"].as_object().into_iter().flatten() {
                let about = own["description"].as_str().unwrap_or_default();
                assert!(!about.is_empty(), "{section}.{field} has no description");
            }
        }
    }
}

mod the_checks_themselves {
    use super::*;

    #[test]
    fn a_document_is_cut_and_put_together() {
        let text = "# A\n\n```sh\nls\n```\n\nb\n\n```console\n$ true\n```\n";
        let (should, wrong) = check(text, Path::new("/bin/true"), false);
        assert_eq!((should.as_str(), wrong.len()), (text, 0));
    }

    #[test]
    fn a_wrong_output_and_a_failure_are_told() {
        let text = "\n```console\n$ echo a\nb\n$ false\n```\n";
        let (should, wrong) = check(text, Path::new("/bin/true"), false);
        assert_eq!(should, "\n```console\n$ echo a\na\n$ false\n```\n");
        assert_eq!(wrong.len(), 2, "{wrong:?}");
    }

    #[test]
    fn a_backslash_in_an_output_joins_nothing_to_the_command() {
        let all = steps("$ one \\\n  two\nshown \\\nalso\n$ three\n");
        let text = |step: &Step| format!("{}|{}", step.command, step.shown);
        let expected = ["one \\\n  two|shown \\\nalso\n", "three|"];
        assert_eq!(all.iter().map(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn dots_stand_for_lines() {
        assert!(agrees("a\n...\nd\n", "a\nb\nc\nd\n"));
        assert!(!agrees("a\n...\nd\n", "a\nb\nc\n"));
        assert_eq!(shortened("x\n...\n", "a\nb\nc\n"), "a\n...\n");
    }

    #[test]
    fn anchors_are_as_on_github() {
        assert_eq!(anchor("## What `±` means: two ways"), "what--means-two-ways");
    }
}
