//! Options that messages and help name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files with commands of other programs, and with variables of CSS.
const NOT_OURS: &[&str] =
    &["tusker-report/src/svg/canvas.rs", "tusker-report/src/html/published.rs"];

/// Files of a command whose texts another one prints, or which read another one's options.
const ELSEWHERE: &[(&str, &str)] =
    &[("reproduce/files.rs", "report"), ("serve/stored.rs", "sweep")];

/// Options of iperf3.
const IPERF: &[&str] = &["--json", "--udp"];

/// The texts of a Rust source, without comments and without its tests.
fn texts(source: &str) -> Vec<String> {
    let source = source.split("\n#[cfg(test)]").next().unwrap_or_default();
    let (mut texts, mut rest) = (Vec::new(), source);
    while let Some(c) = rest.chars().next() {
        let skipped = |n: usize| rest.get(n..).unwrap_or_default();
        if let Some(doc) = rest.strip_prefix("///") {
            // the help of an argument
            let end = doc.find('\n').unwrap_or(doc.len());
            texts.push(doc[..end].to_owned());
            rest = &doc[end..];
        } else if rest.starts_with("//") {
            rest = skipped(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\''") {
            rest = skipped(if rest.starts_with("'\"'") { 3 } else { 4 });
        } else if rest.starts_with("r#\"") {
            let end = rest[3..].find("\"#").expect("a raw text ends") + 3;
            texts.push(rest[3..end].to_owned());
            rest = skipped(end + 2);
        } else if c == '"' {
            let mut end = 1;
            while !rest[end..].starts_with('"') {
                let letter = |at: usize| rest[at..].chars().next().map_or(1, char::len_utf8);
                end +=
                    if rest[end..].starts_with('\\') { 1 + letter(end + 1) } else { letter(end) };
            }
            texts.push(rest[1..end].to_owned());
            rest = skipped(end + 1);
        } else {
            rest = skipped(c.len_utf8());
        }
    }
    texts
}

/// Every `--option` in a text.
fn options(text: &str) -> BTreeSet<String> {
    let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let found = text.match_indices("--").filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + 2..];
        let name = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        let alone = before.is_none_or(|c| !c.is_alphanumeric() && c != '-');
        (starts && alone && name.len() > 1).then(|| format!("--{}", name.trim_end_matches('-')))
    });
    found.collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() && !path.ends_with("tests") {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            all.push(path);
        }
    }
    all
}

/// The options of each command, as its help lists them.
fn commands() -> BTreeMap<String, BTreeSet<String>> {
    let help = |words: &[&str]| {
        let program = env!("CARGO_BIN_EXE_tusker");
        let output = Command::new(program).args(words).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).expect("help is text")
    };
    let all = help(&[]);
    let listed = all.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let listed = listed.lines().filter_map(|line| line.split_whitespace().next());
    let heads = |text: &str| -> BTreeSet<String> {
        let head = |line: &&str| line.trim_start().starts_with('-');
        let mut all: BTreeSet<String> =
            text.lines().filter(head).flat_map(|line| options(&line.replace(',', " "))).collect();
        // a visible alias stands in the help
        let aliases = text.split("[aliases: ").skip(1);
        all.extend(aliases.flat_map(|rest| options(rest.split(']').next().unwrap_or_default())));
        all
    };
    let of = |name: &str| (name.to_owned(), heads(&help(&[name])));
    let known = |name: &&str| !matches!(*name, "help" | "kernel");
    listed.filter(known).map(of).collect()
}

/// What `tusker-kernel` prints, or is told; the sheets of laws have what it is told to load.
fn starts_kernel(path: &Path, text: &str) -> bool {
    let starts = |folder: &&str| path.starts_with(folder);
    let folders = [
        "tusker-core/src/congestion",
        "tusker-kernel",
        "tusker/src/commands/kernel",
        "tusker/src/commands/testbed",
    ];
    text.contains("kernel") || folders.iter().any(starts)
}

/// An option that a message names is one of the command that prints it, if the file belongs to
/// one; of the command that the text names; or of any.
#[test]
fn hints_name_options_that_exist() {
    let commands = commands();
    assert!(commands.len() > 10 && commands["sweep"].contains("--over"), "{commands:?}");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let kernel: BTreeSet<String> = {
        let args = fs::read_to_string(crates.join("tusker-kernel/src/args.rs")).unwrap();
        let fields = args.lines().filter_map(|line| {
            let line = line.trim();
            let name = line.strip_prefix("pub ").unwrap_or(line).split_once(": ")?.0;
            Some(format!("--{}", name.replace('_', "-")))
        });
        let quoted = args.split('"').skip(1).step_by(2).map(|name| format!("--{name}"));
        fields.chain(quoted).chain(["--help", "--version"].map(str::to_owned)).collect()
    };
    let (mut wrong, mut seen) = (Vec::new(), 0);
    let ours = |path: &PathBuf| {
        path.iter().any(|part| part == "src") && !NOT_OURS.iter().any(|end| path.ends_with(end))
    };
    for file in sources(crates).into_iter().filter(ours) {
        let text = fs::read_to_string(&file).unwrap();
        let path = file.strip_prefix(crates).unwrap();
        let part = |nth: usize| path.iter().nth(nth).and_then(|part| part.to_str());
        let stem = part(4).or(part(3)).unwrap_or_default();
        let other = ELSEWHERE.iter().find(|(end, _)| path.ends_with(end)).map(|(_, name)| *name);
        let own = [other, part(3), Some(stem)].into_iter().flatten().find_map(|name| {
            let name = name.trim_end_matches(".rs");
            // what explains and shows other commands may name their options
            let shows = matches!(name, "explain" | "demo" | "check");
            commands.get(name).filter(|_| path.starts_with("tusker/src") && !shows)
        });
        for text in texts(&text) {
            let named: Vec<&BTreeSet<String>> = commands
                .iter()
                .filter(|(name, _)| {
                    let quoted = format!("`{name}`");
                    text.contains(&format!("tusker {name}"))
                        || text.contains(&quoted)
                        || text.trim().starts_with(&format!("{name} "))
                })
                .map(|(_, options)| options)
                .collect();
            for option in options(&text) {
                seen += 1;
                let is = |all: &BTreeSet<String>| all.contains(&option);
                let known = starts_kernel(path, &text) && is(&kernel)
                    || IPERF.contains(&&*option)
                        && (text.contains("iperf") || path.starts_with("tusker-field"))
                    // what is read there are the options of other programs
                    || path.starts_with("tusker-field/src/import")
                    || named.iter().any(|all| is(all))
                    || match own {
                        Some(own) => is(own),
                        None => commands.values().any(is),
                    };
                if !known {
                    wrong.push(format!("{}: {option} in {text:?}", path.display()));
                }
            }
        }
    }
    assert!(seen > 300, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
