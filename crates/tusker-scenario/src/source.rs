//! The text that a scenario came from, and what the command line changed in it.

use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml_edit::{Document, DocumentMut, Item, Key, Table, TableLike, Value};

use super::error::{Error, Fault, Mistake, Span, nearest, quote};

/// The largest scenario file that is read. A scenario of ten thousand links
/// needs a tenth of it.
pub const MAX_BYTES: usize = 4 << 20;

/// Where a scenario comes from: nowhere, for one that a program made.
///
/// Two scenarios that differ in nothing but their source are equal.
#[derive(Clone, Default)]
pub struct Source(Option<Arc<Text>>);

struct Text {
    name: String,
    text: Arc<str>,
    document: Document<String>,
    sets: Vec<Set>,
}

/// One `--set path=value`, applied.
struct Set {
    /// With an index for every array: `flows.0.count`.
    path: String,
    /// As it was written.
    text: Arc<str>,
    /// Where in the text the path is.
    key: Span,
    /// Where in the text the value is.
    value: Span,
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

/// The text of a file.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    use std::io::Read;
    let name = path.display();
    let unreadable = |e: std::io::Error| {
        Error::bare(Mistake::new(
            format!("cannot read the scenario `{name}`: {e}"),
            "give the path of a TOML file; examples/ has some",
        ))
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::bare(too_long(&name.to_string())));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let byte = e.as_bytes()[at];
        Error::bare(Mistake::new(
            format!("`{name}` is not a text file: byte {at} (0x{byte:02x}) is not UTF-8"),
            "a scenario is a TOML file in UTF-8; is this a result, an archive, or cut short?",
        ))
    })
}

fn too_long(name: &str) -> Mistake {
    Mistake::new(
        format!("`{name}` is longer than {} MiB, the most that a scenario may be", MAX_BYTES >> 20),
        "use `count` for many equal flows, or split the experiment",
    )
}

/// Reads a value from TOML text, after the overrides.
pub(super) fn parse<T: DeserializeOwned>(
    name: &str,
    text: &str,
    sets: &[String],
) -> Result<(T, Source), Error> {
    if text.len() > MAX_BYTES {
        return Err(Error::bare(too_long(name)));
    }
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(Error::bare(Mistake::new(
            format!("`{name}` is empty"),
            "a scenario needs at least `profile`, `duration`, a topology and [[flows]]",
        )));
    }
    let shared: Arc<str> = text.into();
    let document = Document::parse(text.to_owned()).map_err(|e| {
        let mistake = Mistake::new(
            format!("not valid TOML: {}", e.message().trim().replace('\n', "; ")),
            "TOML has `key = value` lines, [tables] and [[arrays of tables]]; texts are in quotes",
        );
        Error::new(mistake, name, &shared, e.span())
    })?;
    let mut source = Text { name: name.into(), text: shared, document, sets: Vec::new() };
    if sets.is_empty() {
        let value = deserialize(&source.document)
            .map_err(|(mistake, span)| Error::new(mistake, name, &source.text, span))?;
        return Ok((value, Source(Some(Arc::new(source)))));
    }
    let mut edited = source.document.clone().into_mut();
    let mut single = Vec::new();
    for set in sets {
        for set in each(&edited, set) {
            source.sets.push(apply(&mut edited, &set)?);
            single.push(set);
        }
    }
    // parsed once more, so that every value has a place again
    let edited = Document::parse(edited.to_string())
        .map_err(|e| Error::bare(Mistake::new(e.message(), "check the values given to --set")))?;
    match deserialize(&edited) {
        Ok(value) => Ok((value, Source(Some(Arc::new(source))))),
        Err((mistake, span)) => {
            let (path, on_key) = span.map_or_else(Default::default, |span| path_at(&edited, &span));
            // a table that overrides made has no place; then it is their fault
            // if the file alone is fine
            let known = source.sets.iter().any(|set| is_prefix(&set.path, &path));
            if !known && let Some(set) = culprit::<T>(&source.document, &single) {
                let set = &source.sets[set];
                let key = mistake.message.starts_with("unknown key");
                let span = if key { set.key.clone() } else { set.value.clone() };
                return Err(Error::new(mistake, "--set", &set.text, Some(span)));
            }
            Err(Source(Some(Arc::new(source))).error(Fault { path, on_key, mistake }))
        }
    }
}

/// The override from which on the document is wrong, if it is right without
/// any.
fn culprit<T: DeserializeOwned>(document: &Document<String>, sets: &[String]) -> Option<usize> {
    let right = |document: DocumentMut| {
        let parsed = Document::parse(document.to_string()).ok();
        parsed.is_some_and(|document| deserialize::<T>(&document).is_ok())
    };
    let with = |count: usize| {
        let mut edited = document.clone().into_mut();
        let applied = sets[..count].iter().all(|set| apply(&mut edited, set).is_ok());
        applied && right(edited)
    };
    if !with(0) {
        return None;
    }
    (0..sets.len()).rev().find(|&count| with(count))
}

fn deserialize<T: DeserializeOwned>(
    document: &Document<String>,
) -> Result<T, (Mistake, Option<Span>)> {
    super::shape::check(document)?;
    let deserializer = toml_edit::de::Deserializer::from(document.clone());
    T::deserialize(deserializer).map_err(|e| (Mistake::from_serde(e.message()), e.span()))
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

    /// How many parts of a path the text has.
    pub(super) fn depth(&self, path: &str) -> usize {
        let parts: Vec<&str> = path.split('.').collect();
        self.0.as_ref().map_or(0, |text| locate(&text.document, &parts).depth)
    }

    /// A mistake at a path, shown where the user wrote it.
    pub(super) fn error(&self, fault: Fault) -> Error {
        let Some(text) = &self.0 else {
            let mut mistake = fault.mistake;
            if !fault.path.is_empty() {
                mistake.message = format!("{}: {}", fault.path, mistake.message);
            }
            return Error::bare(mistake);
        };
        // the last override of a place is the one in force
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

fn is_prefix(set: &str, path: &str) -> bool {
    path.strip_prefix(set).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// How far a path leads into a document, and where that is in its text.
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
enum Node<'a> {
    Table(&'a Table),
    Item(&'a Item),
    Value(&'a Value),
}

impl<'a> Node<'a> {
    fn table(self) -> Option<&'a dyn TableLike> {
        match self {
            Self::Table(table) => Some(table),
            Self::Item(item) => item.as_table_like(),
            Self::Value(value) => value.as_inline_table().map(|t| t as &dyn TableLike),
        }
    }

    fn elements(self) -> Vec<Self> {
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

/// The path of what is at a place, and whether the place is its key.
fn path_at(document: &Document<String>, span: &Span) -> (String, bool) {
    let within = |outer: &Span| outer.start <= span.start && span.end <= outer.end;
    let mut path: Vec<String> = Vec::new();
    let mut here = vec![Node::Table(document.as_table())];
    'down: while let Some(node) = here.pop() {
        for (name, key, child) in node.children() {
            if key.as_ref().is_some_and(within) && !child.span().as_ref().is_some_and(within) {
                path.push(name);
                return (path.join("."), true);
            }
            // what has no place of its own may hold what is sought
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

/// `flows.*.cc=reno` as an override of each element; anything else as it is.
fn each(document: &DocumentMut, set: &str) -> Vec<String> {
    let split = || {
        let (path, value) = set.split_once('=')?;
        let (array, rest) = path.split_once(".*")?;
        let whole = rest.trim_end().is_empty() || rest.starts_with('.');
        let elements = element_names(at(document.as_item(), array)?)?.len();
        whole.then(|| (0..elements).map(move |i| format!("{array}.{i}{rest}={value}")))
    };
    match split() {
        Some(elements) => elements.flat_map(|set| each(document, &set)).collect(),
        None => vec![set.to_owned()],
    }
}

/// What is at this path.
fn at<'a>(mut here: &'a Item, path: &str) -> Option<&'a Item> {
    for key in Key::parse(path.trim()).ok()? {
        let key = key.get();
        here = match element_names(here) {
            Some(names) => {
                let named = names.iter().position(|name| name.as_deref() == Some(key));
                here.get(named.or_else(|| key.parse().ok())?)?
            }
            None => here.get(key)?,
        };
    }
    Some(here)
}

/// Applies `path=value` to a document.
fn apply(document: &mut DocumentMut, set: &str) -> Result<Set, Error> {
    let text: Arc<str> = set.into();
    let fail = |message: String, help: String, span: Span| {
        Error::new(Mistake::new(message, help), "--set", &text, Some(span))
    };
    let form = "write `--set path=value`, as in `--set flows.S1.count=3`";
    let Some((path, value)) = set.split_once('=') else {
        return Err(fail("an override without `=`".into(), form.into(), 0..set.len()));
    };
    let key_span = 0..path.len();
    let value_span = path.len() + 1..set.len();
    let keys = Key::parse(path.trim()).map_err(|_| {
        fail(format!("`{}` is not a path", quote(path)), form.into(), key_span.clone())
    })?;
    let value_text = value.trim();
    let value = value_text.parse::<Value>().unwrap_or_else(|_| Value::from(value_text));

    let mut canonical = Vec::new();
    let mut here = document.as_item_mut();
    // an element of [[flows]] can only be another table
    let mut element = false;
    for key in &keys {
        let key = key.get();
        spread(here, canonical.last().map_or("", String::as_str));
        element = here.is_array_of_tables();
        if let Some(names) = element_names(here) {
            let by_index = key.parse().ok().filter(|&i: &usize| i < names.len());
            let index = names.iter().position(|n| n.as_deref() == Some(key)).or(by_index);
            let Some(index) = index else {
                let named: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
                return Err(fail(
                    format!("`{}` has no element `{}`", canonical.join("."), quote(key)),
                    format!("{}; or an index below {}", nearest(key, &named), names.len()),
                    key_span,
                ));
            };
            canonical.push(index.to_string());
            here = here.get_mut(index).expect("the index was found in this array");
        } else if here.is_table_like() {
            canonical.push(key.to_owned());
            here = &mut here[key];
            if here.is_none() {
                *here = toml_edit::table();
                // whether such a table may exist is decided when it is read
                here.as_table_mut().expect("just made").set_implicit(true);
            }
        } else {
            return Err(fail(
                format!("`{}` is a single value", canonical.join(".")),
                format!("nothing called `{}` can be set inside it", quote(key)),
                key_span,
            ));
        }
    }
    *here = match value {
        Value::InlineTable(table) if element => Item::Table(table.into_table()),
        _ if element => {
            let message = format!("`{}` is a table", canonical.join("."));
            return Err(fail(message, "write path={ key = value, ... }".into(), value_span));
        }
        value => Item::Value(value),
    };
    Ok(Set { path: canonical.join("."), text, key: key_span, value: value_span })
}

/// The short form of a few tables is a text; written out, so that an override
/// can reach inside.
fn spread(item: &mut Item, key: &str) {
    let name = match key {
        "cc" | "slow_start" => "name",
        "queue" => "limit",
        _ => return,
    };
    if let Some(text) = item.as_str() {
        let mut table = toml_edit::InlineTable::new();
        table.insert(name, text.into());
        *item = Item::Value(table.into());
    }
}

/// The names of an array's elements, where they have some; `None` if it is no
/// array.
fn element_names(item: &Item) -> Option<Vec<Option<String>>> {
    let node = Node::Item(item);
    if !item.is_array() && !item.is_array_of_tables() {
        return None;
    }
    let name = |element: &Node<'_>| {
        let name = element.table()?.get("name")?.as_str()?;
        Some(name.to_owned())
    };
    Some(node.elements().iter().map(name).collect())
}
