//! The page that says how to add a law shows the code as it is.

const PAGE: &str = include_str!("../../../docs/add-a-law.md");
const RENO: &str = include_str!("../src/congestion/reno.rs");
const REGISTRY: &str = include_str!("../src/congestion/registry.rs");
const WINDOWED: &str = include_str!("../src/congestion/windowed.rs");

/// The Rust blocks of the page.
fn blocks() -> Vec<&'static str> {
    PAGE.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_page_shows_the_code() {
    let blocks = blocks();
    assert_eq!(blocks[0], RENO, "docs/add-a-law.md shows reno.rs whole");
    let line = blocks[2].trim();
    assert!(REGISTRY.lines().any(|l| l.trim() == line), "the registry has the line {line}");
}

#[test]
fn a_law_is_under_60_lines() {
    assert!(RENO.lines().count() < 60);
}

#[test]
fn the_page_names_every_hook() {
    let law = WINDOWED.split("pub trait Law {").nth(1).expect("the trait is there");
    let law = law.split("\n}\n").next().expect("the trait ends");
    let hooks = law.lines().filter_map(|l| l.trim().strip_prefix("fn "));
    let mut count = 0;
    for hook in hooks.filter_map(|l| l.split('(').next()) {
        assert!(PAGE.contains(&format!("| `{hook}` |")), "the page leaves out `{hook}`");
        count += 1;
    }
    assert_eq!(count, 8, "the hooks of the trait were not found");
}

#[test]
fn the_script_on_the_page_is_one_of_ours() {
    let script = include_str!("scripts/reno.script");
    let block = PAGE.split("```text\n").nth(1).and_then(|b| b.split("```").next());
    for line in block.expect("the page has a script").lines().filter(|l| !l.trim().is_empty()) {
        let command = line.split('#').next().unwrap_or_default().trim();
        assert!(script.contains(command), "reno.script has no `{command}`");
    }
}
