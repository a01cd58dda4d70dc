//! Keys and values of a table, which is printed one key per line or inline.

use std::fmt::Display;

use super::Choices;

#[derive(Default)]
pub struct Keys(Vec<String>);

impl Keys {
    /// Writes a key; the value is already TOML.
    pub fn say(&mut self, key: &str, value: impl Display) {
        self.0.push(format!("{key} = {value}"));
    }

    /// Writes a key, or leaves it out.
    pub fn maybe<'a, V: Display>(
        &mut self,
        choices: &mut Choices<'a>,
        key: &str,
        value: impl FnOnce(&mut Choices<'a>) -> V,
    ) {
        if choices.flag() {
            self.say(key, value(choices));
        }
    }

    pub fn lines(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }

    pub fn inline(&self) -> String {
        format!("{{ {} }}", self.0.join(", "))
    }
}
