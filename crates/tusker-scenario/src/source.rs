//! The text that a scenario was read from, and the command line's changes to it.

use std::sync::Arc;

use toml_edit::{Document, Item, Table, TableLike, Value};

use super::error::{Error, Fault, Span};

/// The source of a scenario; empty if a program made it.
///
/// Two scenarios that differ only in their source are equal.
#[derive(Clone, Default)]
pub struct Source(Option<Arc<Text>>);

impl From<Text> for Source {
    fn from(text: Text) -> Self {
        Self(Some(Arc::new(text)))
    }
}

pub(super) struct Text {
    pub name: String,
    pub text: Arc<str>,
    pub document: Document<String>,
    pub sets: Vec<Set>,
}

/// One `--set path=value` that was applied.
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
        f.write_str(self.0.as_ref().map_or("no text", |text| &text.name))
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
        self.0.as_ref().is_some_and(|text| {
            let parts: Vec<&str> = path.split('.').collect();
            locate(&text.document, &parts).depth == parts.len()
                || text.sets.iter().any(|set| is_prefix(&set.path, path))
        })
    }

    /// How many components of a path exist in the text.
    pub(super) fn depth(&self, path: &str) -> usize {
        let parts: Vec<&str> = path.split('.').collect();
        self.0.as_ref().map_or(0, |text| locate(&text.document, &parts).depth)
    }

    /// A mistake at a path, shown at the place where the user wrote it.
    pub(super) fn error(&self, fault: Fault) -> Error {
        let Some(text) = &self.0 else {
            let mut mistake = fault.mistake;
            if !fault.path.is_empty() {
                mistake.message = format!("{}: {}", fault.path, mistake.message);
            }
            return Error::bare(mistake);
        };
        // the last override of a place applies
        if let Some(set) = text.sets.iter().rev().find(|set| is_prefix(&set.path, &fault.path)) {
            let span = if fault.on_key { set.key.clone() } else { set.value.clone() };
            return Error::new(fault.mistake, "--set", &set.text, Some(span));
        }
        let parts: Vec<&str> = fault.path.split('.').filter(|p| !p.is_empty()).collect();
        let found = locate(&text.document, &parts);
        let span = match (fault.on_key, found.key) {
            (true, Some(key)) if found.depth == parts.len() => Some(key),
            _ => found.value,
        };
        Error::new(fault.mistake, &text.name, &text.text, span)
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

fn below(node: Node<'_>, span: &Span) -> bool {
    let within = |outer: &Span| outer.start <= span.start && span.end <= outer.end;
    node.children().into_iter().any(|(_, key, child)| {
        key.as_ref().is_some_and(within)
            || child.span().as_ref().is_some_and(within)
            || below(child, span)
    })
}
