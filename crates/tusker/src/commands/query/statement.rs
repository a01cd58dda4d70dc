//! What a query may be: one statement of SQL.

use crate::failure::Failure;

/// The statement alone, without what ends it.
pub fn one(text: &str) -> Result<&str, Failure> {
    let statement = text.trim();
    if statement.starts_with('.') {
        let what = statement.split_whitespace().next().unwrap_or_default();
        let message = format!("`{what}` is a command of the program duckdb, not SQL");
        return Err(Failure::input(message, "give a query, such as `describe runs`"));
    }
    let Some(end) = end(statement) else { return Ok(statement) };
    if nothing(&statement[end + 1..]) {
        return Ok(&statement[..end]);
    }
    let help = "give one at a time; `with` puts several queries together";
    Err(Failure::input("a query is one statement, and here are several", help))
}

/// Where the first statement ends, if something ends it.
fn end(text: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        match text.as_bytes()[at] {
            b';' => return Some(at),
            _ => at += token(&text[at..]),
        }
    }
    None
}

/// Nothing but spaces, comments and ends of statements.
fn nothing(text: &str) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if !rest.starts_with(';') && !comment(rest) {
            return false;
        }
        rest = rest[token(rest)..].trim_start();
    }
    true
}

fn comment(text: &str) -> bool {
    text.starts_with("--") || text.starts_with("/*")
}

/// The bytes of a text in quotes, a comment, a word, or a single character.
fn token(text: &str) -> usize {
    let until = |from: usize, mark: &str| {
        text[from..].find(mark).map_or(text.len(), |at| from + at + mark.len())
    };
    let first = text.chars().next().map_or(1, char::len_utf8);
    if text.starts_with("--") {
        return until(2, "\n");
    }
    if text.starts_with("/*") {
        return block(text);
    }
    if text.starts_with(['e', 'E']) && text[1..].starts_with('\'') {
        return escaped(text);
    }
    match text.as_bytes()[0] {
        // a quote within is written twice, which reads as two texts
        b'\'' => until(1, "'"),
        b'"' => until(1, "\""),
        b'$' => match dollar(text) {
            Some(mark) => until(mark.len(), mark),
            None => 1,
        },
        byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            text.find(|c| !word(c)).unwrap_or(text.len())
        }
        _ => first,
    }
}

/// A comment that may hold others.
fn block(text: &str) -> usize {
    let (mut deep, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (deep, at) = (deep + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (deep, at) = (deep - 1, at + 2);
            if deep == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// `e'it\'s'`
fn escaped(text: &str) -> usize {
    let mut chars = text.char_indices().skip(2);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// What begins and ends a text such as `$a$..$a$`.
fn dollar(text: &str) -> Option<&str> {
    let name = text[1..].find('$')?;
    let word = text[1..=name].chars().all(|c| c.is_alphanumeric() || c == '_');
    (word && !text[1..].starts_with(|c: char| c.is_ascii_digit())).then(|| &text[..name + 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_within_text_or_a_comment_is_none() {
        for (text, alone) in [
            ("select 1;", "select 1"),
            ("  select 1 ; ; -- done; \n /* ; /* ; */ */ ", "select 1 "),
            ("select ';', 'it''s;', \";\", e'\\';', $$;$$, $a$;$$;$a$", ""),
            ("select 1 -- ;\n + 2; --", "select 1 -- ;\n + 2"),
            ("select 1 /* ; */", ""),
            ("select type';' from \"ä;\"", ""),
            ("select $1, a$b$c", ""),
            ("select 'open; ", "select 'open;"),
        ] {
            let alone = if alone.is_empty() { text } else { alone };
            assert_eq!(one(text).expect(text), alone);
        }
        for text in ["select 1; select 2", "select '';''", "select 1;/**/x", ".shell id", " .mode"]
        {
            assert!(one(text).is_err(), "{text}");
        }
    }
}
