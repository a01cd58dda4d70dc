//! Comments have the form that rustdoc and readers expect; rustfmt leaves them alone.

use std::fs;
use std::path::Path;

/// As `max_width` in rustfmt.toml.
const WIDTH: usize = 100;

/// What is wrong with a line.
fn fault(line: &str) -> Option<&'static str> {
    let comment = line.trim_start();
    let text = comment.strip_prefix("//")?.trim_start_matches(['/', '!']).trim_start();
    let heading = ["# Errors ", "# Panics ", "# Safety ", "# Examples "];
    if heading.iter().any(|heading| text.starts_with(heading)) {
        return Some("the sentence begins on the line after the heading");
    }
    // neither can be wrapped
    let fixed = text.starts_with('|') || !text.contains(' ');
    (line.chars().count() > WIDTH && !fixed).then_some("it is longer than 100 characters")
}

#[test]
fn comments_have_headings_of_their_own_and_fit_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut faults, mut seen) = (Vec::new(), 0);
    let mut folders = ["crates", "fuzz"].map(|name| root.join(name)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|end| end == "rs") {
                seen += 1;
                let source = fs::read_to_string(&path).expect("source is text");
                for (number, line) in source.lines().enumerate() {
                    if let Some(fault) = fault(line) {
                        faults.push(format!("{}:{}: {fault}", path.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(seen > 200, "only {seen} files were found: this test is blind");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn faults_are_found() {
    assert!(fault("    /// # Errors If it cannot be written.").is_some());
    assert!(fault("    /// # Errors").is_none());
    let long = format!("// {}", "word ".repeat(20));
    assert!(fault(&long).is_some());
    assert!(fault(&format!("/// | {}", "cell | ".repeat(20))).is_none());
    assert!(fault(&format!("let long = \"{}\";", "word ".repeat(20))).is_none());
}
