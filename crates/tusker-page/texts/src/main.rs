//! Prints `{laws: {KEY: {source, equations, differs}}, queues: ..}`.

use tusker_core::params::Sheet;
use tusker_core::{congestion, queue};

fn main() {
    println!("{{\"laws\":{},\n\"queues\":{}}}", all(congestion::ALL), all(queue::ALL));
}

fn all(sheets: &[Sheet]) -> String {
    let one = |sheet: &Sheet| {
        let Sheet { name, source, equations, differs, .. } = sheet;
        let [name, source, equations, differs] = [name, source, equations, differs].map(quoted);
        format!("{name}:{{\"source\":{source},\"equations\":{equations},\"differs\":{differs}}}")
    };
    format!("{{\n{}}}", sheets.iter().map(one).collect::<Vec<_>>().join(",\n"))
}

/// A text in JSON.
fn quoted(text: &&'static str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
