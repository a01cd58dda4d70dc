//! The last lines of a command that stored something: commands to type next.

use std::env;
use std::path::Path;

use tusker_report::{page, terminal};

use crate::output::say;

/// A command without the name of the program, and what it is good for.
pub type Step<W = &'static str> = (String, W);

/// Says them on stderr, one below the other. Queries need DuckDB and are
/// left out where `duckdb` is not found.
pub fn steps<W: AsRef<str>>(steps: &[Step<W>]) {
    let steps = steps.iter().map(|(command, what)| page::Step::new(command, what.as_ref()));
    terminal::next(&possible(steps.collect()), &program()).iter().for_each(|line| say(line));
}

/// Those that work here: queries need DuckDB.
pub fn possible(mut steps: Vec<page::Step>) -> Vec<page::Step> {
    steps.retain(|step| !step.command.starts_with("query ") || has_duckdb());
    steps
}

/// `duckdb` is on the PATH. A Python module is not looked for: starting Python takes
/// longer than a short run.
fn has_duckdb() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join("duckdb").is_file())
}

/// The program as it was called, so that what is said can be typed.
pub fn program() -> String {
    let typed = env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    typed.map_or_else(|| "tusker".to_owned(), |name| word(&name))
}

/// The command that is running, without the option `less` and with `more`.
pub fn again(less: Option<&str>, more: &[&str]) -> String {
    let typed = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let kept = typed.filter(|word| less != Some(word.as_str()));
    command(&kept.chain(more.iter().map(|&word| word.to_owned())).collect::<Vec<_>>())
}

/// The command that is running, with other values of these options; without one whose value
/// is empty.
pub fn with(options: &[(&str, &str)]) -> String {
    let typed = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    command(&exchanged(typed, options))
}

/// The command that is running, with another list for this key of `--over`, or for the option of
/// this name; none if neither was typed.
pub fn over(key: &str, list: &str) -> Option<String> {
    let typed = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    relisted(typed.collect(), key, list).map(|words| command(&words))
}

/// The command that is running, with these values of `--set`, and of options.
pub fn set(values: &[(&str, String)], options: &[(&str, &str)]) -> String {
    let typed = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    command(&exchanged(reset(typed, values).into_iter(), options))
}

/// These words with these values of `--set` at the end, instead of others of the same keys;
/// the duration has an option of its own.
fn reset(typed: impl Iterator<Item = String>, values: &[(&str, String)]) -> Vec<String> {
    const DURATION: (&str, &str) = ("duration", "--duration");
    let of_option = values.iter().filter(|(key, _)| *key == DURATION.0);
    let typed = exchanged(typed, &of_option.map(|_| (DURATION.1, "")).collect::<Vec<_>>());
    let is_one = |word: &str| {
        let key = word.split_once('=').map(|(key, _)| key);
        values.iter().any(|(own, _)| key == Some(own))
    };
    let mut words: Vec<String> = Vec::new();
    for word in typed {
        if words.last().is_some_and(|last| last == "--set") && is_one(&word) {
            words.pop();
        } else if !word.strip_prefix("--set=").is_some_and(is_one) {
            words.push(word);
        }
    }
    words.extend(values.iter().flat_map(|(key, value)| ["--set".into(), format!("{key}={value}")]));
    words
}

/// These words with another list for this key.
fn relisted(mut words: Vec<String>, key: &str, list: &str) -> Option<Vec<String>> {
    let is_it = |word: &String| {
        let word = word.strip_prefix("--over=").unwrap_or(word);
        word.strip_prefix(key).is_some_and(|rest| rest.starts_with('='))
    };
    let Some(at) = words.iter().position(is_it) else {
        let option = format!("--{key}");
        let is_it = |word: &String| word.split('=').next() == Some(&option);
        return words.iter().any(is_it).then(|| exchanged(words.into_iter(), &[(&option, list)]));
    };
    let option = if words[at].starts_with("--over=") { "--over=" } else { "" };
    words[at] = format!("{option}{key}={list}");
    Some(words)
}

/// The words without these options, and these options at the end.
fn exchanged(typed: impl Iterator<Item = String>, options: &[(&str, &str)]) -> Vec<String> {
    let (mut words, mut is_value) = (Vec::new(), false);
    for word in typed {
        let of = |(option, _): &(&str, &str)| match word.strip_prefix(option) {
            Some("") => true,
            rest => rest.is_some_and(|rest| rest.starts_with('=')),
        };
        if std::mem::take(&mut is_value) {
            continue;
        }
        match options.iter().find(|own| of(own)) {
            Some((option, _)) => is_value = word == *option,
            None => words.push(word),
        }
    }
    let kept = options.iter().filter(|(_, value)| !value.is_empty());
    words.extend(kept.flat_map(|(option, value)| [*option, *value]).map(str::to_owned));
    words
}

/// A path as a word of a shell.
pub fn path(path: &Path) -> String {
    word(&path.display().to_string())
}

/// A command as it is typed.
pub fn command(words: &[String]) -> String {
    words.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ")
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
    use super::{exchanged, relisted, reset, word};

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

    #[test]
    fn values_of_a_scenario_are_set_once() {
        for (typed, words) in [
            ("sweep a.toml", "sweep a.toml --set duration=9s --set dumbbell.jitter=100us"),
            (
                "sweep --rate 1gbit --duration 2s",
                "sweep --rate 1gbit --set duration=9s --set dumbbell.jitter=100us",
            ),
            (
                "sweep --set duration=3s a.toml --set=dumbbell.jitter=0s --set profile=linux",
                "sweep a.toml --set profile=linux --set duration=9s --set dumbbell.jitter=100us",
            ),
        ] {
            let values = [("duration", "9s".to_owned()), ("dumbbell.jitter", "100us".to_owned())];
            let typed = typed.split(' ').map(str::to_owned);
            assert_eq!(reset(typed, &values).join(" "), words);
        }
    }

    #[test]
    fn options_of_the_command_are_exchanged() {
        let typed = "plan --buffer 1bdp,2bdp --out=a --rate 1gbit".split(' ').map(str::to_owned);
        let options = [("--buffer", "2bdp"), ("--out", "a/b"), ("--for", "reno")];
        assert_eq!(
            exchanged(typed, &options).join(" "),
            "plan --rate 1gbit --buffer 2bdp --out a/b --for reno"
        );
    }

    #[test]
    fn a_list_of_values_is_exchanged() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let typed = words("sweep a --over cc=reno --over d.queue=1bdp,2bdp --over=d.q=1");
        let told = |key: &str| relisted(typed.clone(), key, "1..2:9").map(|own| own.join(" "));
        let expected = "sweep a --over cc=reno --over d.queue=1..2:9 --over=d.q=1";
        assert_eq!(told("d.queue").as_deref(), Some(expected));
        let expected = "sweep a --over cc=reno --over d.queue=1bdp,2bdp --over=d.q=1..2:9";
        assert_eq!(told("d.q").as_deref(), Some(expected));
        assert_eq!(told("d.delay"), None);
        let typed = words("sweep --rate 1gbit --buffer=1bdp,2bdp --cc reno");
        let told = |key: &str| relisted(typed.clone(), key, "1..2:9").map(|own| own.join(" "));
        let expected = "sweep --rate 1gbit --cc reno --buffer 1..2:9";
        assert_eq!(told("buffer").as_deref(), Some(expected));
        assert_eq!(told("rtt"), None);
    }
}
