//! The text that a scenario was read from, and the command line's changes to it.

use std::sync::Arc;

use toml_edit::{Document, Item, Table, TableLike, Value};

use super::error::{Error, Fault, Mistake, Span};

/// The source of a scenario: a text, or options of a command; empty if a program made it.
///
/// Two scenarios that differ only in their source are equal.
#[derive(Clone, Default)]
pub struct Source(Option<Origin>);

impl From<Text> for Source {
    fn from(text: Text) -> Self {
        Self(Some(Origin::Text(Arc::new(text))))
    }
}

impl From<Options> for Source {
    fn from(options: Options) -> Self {
        Self(Some(Origin::Options(Arc::new(options))))
    }
}

#[derive(Clone)]
enum Origin {
    Text(Arc<Text>),
    Options(Arc<Options>),
}

/// Options of a command.
pub(super) struct Options {
    /// Paths, and the option that each comes from.
    pub names: Vec<(String, &'static str)>,
    pub sets: Vec<Set>,
}

pub(super) struct Text {
    pub name: String,
    pub text: Arc<str>,
    pub document: Document<String>,
    pub sets: Vec<Set>,
}

/// One `--set path=value` that was applied.
#[derive(Clone)]
pub(super) struct Set {
    /// The path, with an index for every array: `flows.0.count`.
    pub path: String,
    /// As written.
    pub text: Arc<str>,
    /// Where in the text the path is.
    pub key: Span,
    /// Where in the text the value is.
    pub value: Span,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0.as_ref() {
            None => "no text",
            Some(Origin::Text(text)) => &text.name,
            Some(Origin::Options(_)) => "options",
        })
    }
}

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Source {
    /// Whether the text or an override has this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.depth(path) == path.split('.').count()
            || self.sets().iter().any(|set| is_prefix(&set.path, path))
    }

    fn sets(&self) -> &[Set] {
        match self.0.as_ref() {
            None => &[],
            Some(Origin::Text(text)) => &text.sets,
            Some(Origin::Options(options)) => &options.sets,
        }
    }

    /// The same options with these overrides.
    pub(super) fn with(&self, sets: Vec<Set>) -> Self {
        match self.0.as_ref() {
            Some(Origin::Options(options)) => {
                Self::from(Options { names: options.names.clone(), sets })
            }
            _ => Self::from(Options { names: Vec::new(), sets }),
        }
    }

    /// How many components of a path exist in the text, or have an option.
    pub(super) fn depth(&self, path: &str) -> usize {
        let parts: Vec<&str> = path.split('.').collect();
        match self.0.as_ref() {
            None => 0,
            Some(Origin::Text(text)) => locate(&text.document, &parts).depth,
            Some(Origin::Options(options)) => {
                let has = |depth: &usize| {
                    let path = parts[..*depth].join(".");
                    options.names.iter().any(|(own, _)| is_prefix(&path, own))
                };
                (1..=parts.len()).take_while(has).last().unwrap_or(0)
            }
        }
    }

    /// A mistake at a path, shown at the place where the user wrote it.
    pub(super) fn error(&self, fault: Fault) -> Error {
        // the last override of a place applies
        if let Some(set) = self.sets().iter().rev().find(|set| is_prefix(&set.path, &fault.path)) {
            return set.error(fault.mistake, fault.on_key);
        }
        let option = |options: &Options| {
            let names = options.names.iter().filter(|(path, _)| is_prefix(path, &fault.path));
            names.max_by_key(|(path, _)| path.len()).map(|(_, option)| *option)
        };
        let text = match self.0.as_ref() {
            Some(Origin::Text(text)) => Ok(text),
            Some(Origin::Options(options)) => Err(option(options)),
            None => Err(None),
        };
        if let Err(Some(option)) = text {
            return Error::of_option(fault.mistake, option);
        }
        let Ok(text) = text else {
            return match fault.path.is_empty() {
                true => Error::bare(fault.mistake),
                false => Error::of_key(fault.mistake, fault.path),
            };
        };
        let parts: Vec<&str> = fault.path.split('.').filter(|p| !p.is_empty()).collect();
        let found = locate(&text.document, &parts);
        let span = match (fault.on_key, found.key) {
            (true, Some(key)) if found.depth == parts.len() => Some(key),
            _ => found.value,
        };
        Error::new(fault.mistake, &text.name, &text.text, span)
    }
}

impl Set {
    /// A mistake in its key or in its value.
    pub(super) fn error(&self, mistake: Mistake, on_key: bool) -> Error {
        let span = if on_key { self.key.clone() } else { self.value.clone() };
        Error::new(mistake, "--set", &self.text, Some(span))
    }
}

pub(super) fn is_prefix(set: &str, path: &str) -> bool {
    path.strip_prefix(set).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// How far a path can be followed in a document, and where that is in its text.
#[derive(Default)]
struct Found {
    depth: usize,
    key: Option<Span>,
    value: Option<Span>,
}

fn locate(document: &Document<String>, parts: &[&str]) -> Found {
    let mut found = Found::default();
    let mut here = Node::Table(document.as_table());
    for part in parts {
        let Some((key, next)) = here.child(part) else { break };
        found.depth += 1;
        // an array of tables and an implicit table have no place of their own
        found.key = key.or(found.key);
        found.value = next.span().or(found.value);
        here = next;
    }
    found
}

/// Anything in a document that can have children.
#[derive(Clone, Copy)]
pub(super) enum Node<'a> {
    Table(&'a Table),
    Item(&'a Item),
    Value(&'a Value),
}

impl<'a> Node<'a> {
    pub fn table(self) -> Option<&'a dyn TableLike> {
        match self {
            Self::Table(table) => Some(table),
            Self::Item(item) => item.as_table_like(),
            Self::Value(value) => value.as_inline_table().map(|t| t as &dyn TableLike),
        }
    }

    pub fn elements(self) -> Vec<Self> {
        match self {
            Self::Item(Item::ArrayOfTables(tables)) => tables.iter().map(Node::Table).collect(),
            Self::Item(Item::Value(Value::Array(a))) | Self::Value(Value::Array(a)) => {
                a.iter().map(Node::Value).collect()
            }
            _ => Vec::new(),
        }
    }

    fn child(self, part: &str) -> Option<(Option<Span>, Self)> {
        if let Some(table) = self.table() {
            let (key, item) = table.get_key_value(part)?;
            return Some((key.span(), Self::Item(item)));
        }
        let index: usize = part.parse().ok()?;
        self.elements().get(index).map(|&element| (None, element))
    }

    fn span(self) -> Option<Span> {
        match self {
            Self::Table(table) => table.span(),
            Self::Item(item) => item.span(),
            Self::Value(value) => value.span(),
        }
    }

    fn children(self) -> Vec<(String, Option<Span>, Self)> {
        if let Some(table) = self.table() {
            let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
            return keys
                .into_iter()
                .filter_map(|key| {
                    table.get_key_value(&key).map(|(k, i)| (key, k.span(), Self::Item(i)))
                })
                .collect();
        }
        let elements = self.elements().into_iter().enumerate();
        elements.map(|(i, element)| (i.to_string(), None, element)).collect()
    }
}

/// The path of the item at a place, and whether the place is its key.
pub(super) fn path_at(document: &Document<String>, span: &Span) -> (String, bool) {
    let within = |outer: &Span| outer.start <= span.start && span.end <= outer.end;
    let mut path: Vec<String> = Vec::new();
    let mut here = vec![Node::Table(document.as_table())];
    'down: while let Some(node) = here.pop() {
        for (name, key, child) in node.children() {
            if key.as_ref().is_some_and(within) && !child.span().as_ref().is_some_and(within) {
                path.push(name);
                return (path.join("."), true);
            }
            // an item without its own place may contain the one we look for
            let holds = match child.span() {
                Some(outer) => within(&outer) || below(child, span),
                None => below(child, span),
            };
            if holds {
                path.push(name);
                here.push(child);
                continue 'down;
            }
        }
    }
    (path.join("."), false)
}

impl Error {
    /// The path of the key that the mistake is at (`flows.0.cc`), if it is at one.
    pub fn path(&self) -> Option<String> {
        if let Some((path, _)) = self.key() {
            return Some(path.to_owned());
        }
        let (text, span) = self.within()?;
        let document = Document::parse(text.to_owned()).ok()?;
        Some(path_at(&document, &span).0).filter(|path| !path.is_empty())
    }
}

fn below(node: Node<'_>, span: &Span) -> bool {
    let within = |outer: &Span| outer.start <= span.start && span.end <= outer.end;
    node.children().into_iter().any(|(_, key, child)| {
        key.as_ref().is_some_and(within)
            || child.span().as_ref().is_some_and(within)
            || below(child, span)
    })
}
