//! Text from outside as a terminal may show it.

use std::borrow::Cow;

/// Characters that do something to a terminal, or to the order of other characters: controls but
/// tab and new line, marks of the direction of writing, and separators of lines.
fn acts(c: char) -> bool {
    let order = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    order || matches!(c, '\u{2028}' | '\u{2029}') || c.is_control() && !matches!(c, '\n' | '\t')
}

/// The same text with these characters escaped: `\u{1b}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let escaped = |c: char| match c {
        '\r' => "\\r".to_owned(),
        c if acts(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    Cow::Owned(text.chars().map(escaped).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped_and_letters_stay() {
        assert_eq!(shown("a\u{1b}[2Jb\r\u{9b}\u{202e}c"), "a\\u{1b}[2Jb\\r\\u{9b}\\u{202e}c");
        let plain = "µ ± → é 日本\n\tend";
        assert!(matches!(shown(plain), Cow::Borrowed(same) if same == plain));
    }
}
