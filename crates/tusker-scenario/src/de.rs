//! Reads values out of a TOML document.
//!
//! The deserializer of `toml_edit` compiles each table's code five times, for forms that no
//! scenario has, and accepts a list of a table's values in the order in which the code declares
//! them, which users cannot know. This one requires a table where the code has a struct.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer as _,
    MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use toml_edit::{ArrayOfTables, Item, Table, TableLike, Value};

use super::error::{Mistake, Span};

/// Reads a value from a document.
pub(super) fn read<T: DeserializeOwned>(document: &Table) -> Result<T, (Mistake, Option<Span>)> {
    let root = Place { node: Node::Table(document), key: "", in_list: false };
    T::deserialize(root).map_err(|Wrong(wrong)| (Mistake::from_serde(&wrong.0), wrong.1))
}

/// What is wrong, and where in the text.
#[derive(Debug)]
struct Wrong(Box<(String, Option<Span>)>);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.0)
    }
}

impl std::error::Error for Wrong {}

impl serde::de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new((message.to_string(), None)))
    }
}

impl Wrong {
    /// At this place, unless a place within it is at fault.
    fn at(mut self, span: Option<Span>) -> Self {
        self.0.1 = self.0.1.or(span);
        self
    }
}

#[derive(Clone)]
enum Node<'a> {
    Value(&'a Value),
    Table(&'a Table),
    Tables(&'a ArrayOfTables),
    /// A date, which serde knows as a table with a key of its own.
    Date(String),
}

/// The key of a date in its table.
const DATE: &str = "$__toml_private_datetime";

impl<'a> Node<'a> {
    fn of(item: &'a Item) -> Option<Self> {
        match item {
            Item::None => None,
            Item::Value(value) => Some(Self::Value(value)),
            Item::Table(table) => Some(Self::Table(table)),
            Item::ArrayOfTables(tables) => Some(Self::Tables(tables)),
        }
    }

    fn span(&self) -> Option<Span> {
        match self {
            Self::Value(value) => value.span(),
            Self::Table(table) => table.span(),
            Self::Tables(tables) => tables.span(),
            Self::Date(_) => None,
        }
    }

    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Value(Value::String(text)) => Unexpected::Str(text.value()),
            Self::Value(Value::Integer(number)) => Unexpected::Signed(*number.value()),
            Self::Value(Value::Float(number)) => Unexpected::Float(*number.value()),
            Self::Value(Value::Boolean(value)) => Unexpected::Bool(*value.value()),
            Self::Value(Value::Array(_)) | Self::Tables(_) => Unexpected::Seq,
            Self::Value(Value::InlineTable(_) | Value::Datetime(_)) | Self::Table(_) => {
                Unexpected::Map
            }
            Self::Date(text) => Unexpected::Str(text),
        }
    }

    fn entries(&self) -> Option<Entries<'a>> {
        let table: &'a dyn TableLike = match *self {
            Self::Table(table) => table,
            Self::Value(Value::InlineTable(table)) => table,
            Self::Value(Value::Datetime(date)) => {
                let date = Node::Date(date.value().to_string());
                let rest = Box::new(std::iter::once((DATE, date)));
                return Some(Entries { table: None, rest, next: None });
            }
            _ => return None,
        };
        let all = table.iter().filter_map(|(key, item)| Some((key, Node::of(item)?)));
        Some(Entries { table: Some(table), rest: Box::new(all), next: None })
    }

    fn elements(&self) -> Option<Box<dyn Iterator<Item = Node<'a>> + 'a>> {
        match *self {
            Self::Tables(tables) => Some(Box::new(tables.iter().map(Node::Table))),
            Self::Value(Value::Array(all)) => Some(Box::new(all.iter().map(Node::Value))),
            _ => None,
        }
    }
}

/// A value, and how messages call it.
struct Place<'a> {
    node: Node<'a>,
    key: &'a str,
    /// It is an element of the key's list.
    in_list: bool,
}

impl Place<'_> {
    fn mismatch(&self, expected: &dyn Expected) -> Wrong {
        Wrong::invalid_type(self.node.unexpected(), expected).at(self.node.span())
    }

    /// A list where a table must be.
    fn no_table(&self, fields: &[&str]) -> Wrong {
        const FEW: usize = 6;
        let key = self.key;
        let mut fields = fields.to_vec();
        fields.sort_unstable();
        let more = if fields.len() > FEW { ", ..." } else { "" };
        let few: Vec<String> = fields.iter().take(FEW).map(|key| format!("`{key}`")).collect();
        let few = few.join(", ");
        let mistake = match self.in_list {
            true => Mistake::new(
                format!("expected a table as an element of `{key}`, found a list"),
                format!("write {key} = [{{ KEY = VALUE }}]; its keys are {few}{more}"),
            ),
            false => Mistake::new(
                format!("`{key}` has keys with values, and this is a list"),
                format!("write {key} = {{ KEY = VALUE }}; its keys are {few}{more}"),
            ),
        };
        mistake.into_serde::<Wrong>().at(self.node.span())
    }
}

/// Methods for values that are written in one way, which call these methods of a visitor.
macro_rules! only {
    ($($method:ident: $($value:pat => |$visitor:ident| $call:expr),+;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            match &self.node {
                $($value => {
                    let $visitor = visitor;
                    $call.map_err(|wrong: Wrong| wrong.at(self.node.span()))
                })+
                _ => Err(self.mismatch(&visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Place<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.node {
            Node::Value(Value::String(_)) | Node::Date(_) => self.deserialize_str(visitor),
            Node::Value(Value::Integer(_) | Value::Float(_)) => self.deserialize_f64(visitor),
            Node::Value(Value::Boolean(_)) => self.deserialize_bool(visitor),
            Node::Value(Value::Array(_)) | Node::Tables(_) => self.deserialize_seq(visitor),
            _ => self.deserialize_map(visitor),
        }
    }

    only! {
        deserialize_str:
            Node::Value(Value::String(text)) => |visitor| visitor.visit_str(text.value()),
            Node::Date(text) => |visitor| visitor.visit_str(text);
        deserialize_bool:
            Node::Value(Value::Boolean(value)) => |visitor| visitor.visit_bool(*value.value());
        deserialize_i64:
            Node::Value(Value::Integer(number)) => |visitor| visitor.visit_i64(*number.value());
        deserialize_f64:
            Node::Value(Value::Integer(number)) => |visitor| visitor.visit_i64(*number.value()),
            Node::Value(Value::Float(number)) => |visitor| visitor.visit_f64(*number.value());
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_str(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let Some(rest) = self.node.elements() else { return Err(self.mismatch(&visitor)) };
        let elements = Elements { rest, key: self.key };
        visitor.visit_seq(elements).map_err(|wrong| wrong.at(self.node.span()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, v: V) -> Result<V::Value, Wrong> {
        self.deserialize_seq(v)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let Some(entries) = self.node.entries() else { return Err(self.mismatch(&visitor)) };
        visitor.visit_map(entries).map_err(|wrong| wrong.at(self.node.span()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        if self.node.elements().is_some() {
            return Err(self.no_table(fields));
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        // what is not there has no key
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct tuple_struct enum
        identifier ignored_any
    }
}

/// The entries of a table.
struct Entries<'a> {
    table: Option<&'a dyn TableLike>,
    rest: Box<dyn Iterator<Item = (&'a str, Node<'a>)> + 'a>,
    next: Option<(&'a str, Node<'a>)>,
}

impl Entries<'_> {
    /// Where a key is.
    fn span(&self, key: &str) -> Option<Span> {
        self.table?.key(key)?.span()
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        self.next = self.rest.next();
        let Some((key, _)) = &self.next else { return Ok(None) };
        let read: StrDeserializer<'_, Wrong> = key.into_deserializer();
        seed.deserialize(read).map(Some).map_err(|wrong| wrong.at(self.span(key)))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Wrong> {
        let Some((key, node)) = self.next.take() else {
            return Err(Wrong::custom("a value was read before its key"));
        };
        let span = node.span().or_else(|| self.span(key));
        let place = Place { node, key, in_list: false };
        seed.deserialize(place).map_err(|wrong| wrong.at(span))
    }
}

/// The elements of a list.
struct Elements<'a> {
    rest: Box<dyn Iterator<Item = Node<'a>> + 'a>,
    key: &'a str,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Wrong;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Wrong> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        let span = node.span();
        let place = Place { node, key: self.key, in_list: true };
        seed.deserialize(place).map(Some).map_err(|wrong| wrong.at(span))
    }
}
