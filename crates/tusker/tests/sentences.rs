//! Sentences are for people: no program reads them again. What one file says, no other file
//! splits, trims, searches or replaces; it takes the fields that the sentence is made of.

#[cfg(all(target_os = "linux", feature = "testbed"))]
mod hints;

use std::fs;
use std::path::{Path, PathBuf};

/// What takes a sentence apart, and what to do instead.
const FORBIDDEN: &[(&str, &str)] = &[
    ("contains('\u{b1}')", "`Table::intervals` says whether some number has an interval"),
    ("contains(\"\u{b1}", "`Table::intervals` says whether some number has an interval"),
    ("contains('\\u{b1}')", "`Table::intervals` says whether some number has an interval"),
    ("split(\" replicates", "`Setting` has a field for each fact"),
    ("setting.split", "`Setting` has a field for each fact"),
    ("caption.replace", "`Caption::band` has a sentence for bands and one for bars"),
    ("caption.split", "`Caption` has its sentences apart"),
    ("caption.find", "`Caption::source` names columns"),
    ("lead.split", "make another sentence from the same fields"),
    ("find(\"Drawn from", "`Sentence::is_source` says so"),
    ("const SOURCE: &str = \"Drawn from \"", "`Sentence::is_source` says so"),
    ("note.split", "make another sentence from the same fields"),
    ("note.replace", "make another sentence from the same fields"),
    ("text.lines().next().is_some_and(|head|", "columns that are there are in `Table::columns`"),
    ("kind.as_str()", "match the enum"),
    ("== \"web\"", "match `TransferKind`"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_takes_the_sentences_of_another_apart() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).expect("the workspace has crates") {
        let folder = entry.expect("an entry can be read").path().join("src");
        if folder.is_dir() {
            sources(&folder, &mut files);
        }
    }
    assert!(files.len() > 300, "{} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(&crates).unwrap_or(&file).display().to_string();
        let text = fs::read_to_string(&file).expect("a source can be read");
        // tests may look at what is said
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (pattern, instead) in FORBIDDEN {
            if code.contains(pattern) {
                wrong.push(format!("{name}: `{pattern}`: {instead}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
