//! The last words of a command that kept something: what one would do next.

use std::env;
use std::path::Path;

use crate::output::say;
use crate::screen::bold;

/// A command without the name of the program, and what it is good for.
pub type Step = (String, &'static str);

/// Says them on stderr, one below the other. Queries need DuckDB and are
/// left out where `duckdb` is not found.
pub fn steps(steps: &[Step]) {
    let program = program();
    let steps: Vec<&Step> = steps
        .iter()
        .filter(|(command, _)| !command.starts_with("query ") || has_duckdb())
        .collect();
    let wide = steps.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    for (n, (command, what)) in steps.iter().enumerate() {
        let head = if n == 0 { bold("next:") } else { "     ".to_owned() };
        say(&format!("{head} {program} {command:wide$}  {what}"));
    }
}

/// `duckdb` is on the PATH. A Python module is not looked for: starting Python takes
/// longer than a short run.
fn has_duckdb() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join("duckdb").is_file())
}

/// The program as it was called, so that what is said can be typed.
fn program() -> String {
    let typed = env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    typed.map_or_else(|| "tusker".to_owned(), |name| word(&name))
}

/// A path as a word of a shell.
pub fn path(path: &Path) -> String {
    word(&path.display().to_string())
}

fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_shell_reads_a_path_as_one_word() {
        for (path, text) in [
            ("results/a-1", "results/a-1"),
            ("my results", "'my results'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(word(path), text);
        }
    }
}
