//! A page: what people read of a result, apart from how it looks. Terminal, HTML and CSV are
//! three renderers of the same page ([`crate::terminal`], [`crate::html`], [`crate::csv`]).

use crate::figure::{Figure, Plot};
use crate::live;
pub use crate::span::{Line, Meaning, Span};
pub use crate::table::{Column, Row, Table};

/// What people read of a result.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// One sentence on what was measured and what intervals mean.
    pub lead: String,
    /// What was typed for it.
    pub commands: Vec<String>,
    /// The answer in a few lines, ten at most; every renderer shows it first.
    pub answer: Vec<Line>,
    /// The table that belongs to the answer.
    pub table: Option<Table>,
    /// What was asked for besides the answer: shown wherever the answer is.
    pub more: Vec<Section>,
    /// Everything else.
    pub sections: Vec<Section>,
    /// What to bear in mind, the most important first.
    pub notes: Vec<Note>,
    /// On the work, not on its results: how fast it went, where they are stored.
    pub work: Vec<Note>,
    /// Commands to type next.
    pub next: Vec<Step>,
}

/// Something to bear in mind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text.
    pub text: String,
    /// It must not be missed, such as what makes the result doubtful: told to whoever wants
    /// nothing but data, too.
    pub doubt: bool,
}

/// A command to type next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The command, without the name of the program.
    pub command: String,
    /// What it is good for.
    pub what: String,
}

impl Step {
    /// A command without the name of the program, and what it is good for.
    pub fn new(command: impl Into<String>, what: impl Into<String>) -> Self {
        Self { command: command.into(), what: what.into() }
    }
}

/// A part of a page with a heading, which the page's menu names.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A paragraph that must not be missed.
    Warning(String),
    /// Commands, each to be copied.
    Commands(Vec<String>),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A long text behind its title.
    Fold(String, String),
    /// A table behind its caption.
    FoldedTable(Table),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Box<Figure>),
    /// A run to be opened in the live page.
    Live(Live),
    /// More of all this behind its title.
    More(String, Vec<Block>),
}

/// A run to be opened in the live page.
#[derive(Clone, Debug)]
pub struct Live {
    /// The scenario.
    pub scenario: String,
    /// The command that opens it.
    pub command: String,
    /// Where the live page is, if that is known.
    pub page: Option<String>,
}

impl Live {
    /// The address of the run, if that of the page is known.
    pub fn link(&self) -> Option<String> {
        self.page.as_ref().map(|page| format!("{page}{}", live::fragment(&self.scenario)))
    }
}

impl Block {
    /// The figures in it.
    fn figures(&self) -> Vec<&Figure> {
        match self {
            Self::Figure(figure) => vec![figure],
            Self::More(_, blocks) => blocks.iter().flat_map(Self::figures).collect(),
            _ => Vec::new(),
        }
    }
}

impl Page {
    /// Adds a section.
    pub fn section(&mut self, title: impl Into<String>, blocks: Vec<Block>) {
        self.sections.push(Section { title: title.into(), blocks });
    }

    /// Adds a note.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(Note { text: text.into(), doubt: false });
    }

    /// Adds a note that makes the result doubtful.
    pub fn doubt(&mut self, text: impl Into<String>) {
        self.notes.push(Note { text: text.into(), doubt: true });
    }

    /// Adds what is to be known of the work.
    pub fn work(&mut self, text: impl Into<String>) {
        self.work.push(Note { text: text.into(), doubt: false });
    }

    /// This page and another one below it.
    pub fn and(mut self, other: Self) -> Self {
        self.commands.extend(other.commands);
        self.sections.extend(other.sections);
        self
    }

    /// Links the runs to the live page at this address; returns how many there are.
    pub fn live_at(&mut self, address: &str) -> usize {
        fn of(blocks: &mut [Block], address: &str) -> usize {
            let linked = blocks.iter_mut().map(|block| match block {
                Block::Live(live) => {
                    live.page = Some(address.to_owned());
                    1
                }
                Block::More(_, blocks) => of(blocks, address),
                _ => 0,
            });
            linked.sum()
        }
        let sections = self.more.iter_mut().chain(&mut self.sections);
        sections.map(|section| of(&mut section.blocks, address)).sum()
    }

    /// All figures, in their order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.blocks).flat_map(Block::figures)
    }

    /// The names that [`Self::figure`] knows, and what they show.
    pub fn names(&self) -> Vec<(String, String)> {
        let mut names = Vec::new();
        for figure in self.figures() {
            names.push((figure.name.clone(), figure.title.clone()));
            let Plot::Panels(panels) = &figure.plot else { continue };
            if panels.panels.len() > 1 {
                let parts = panels.panels.iter();
                names.extend(
                    parts.map(|panel| (format!("{}.{}", figure.name, panel.name), panel.y.label())),
                );
            }
        }
        names
    }

    /// The figure of this name; `time.cwnd` is the panel `cwnd` of `time`.
    pub fn figure(&self, name: &str) -> Option<Figure> {
        if let Some(whole) = self.figures().find(|figure| figure.name == name) {
            return Some(whole.clone());
        }
        let (name, part) = name.rsplit_once('.')?;
        let mut figure = self.figures().find(|figure| figure.name == name)?.clone();
        let Plot::Panels(panels) = &mut figure.plot else { return None };
        panels.panels.retain(|panel| panel.name == part);
        (!panels.panels.is_empty()).then_some(figure)
    }
}

impl From<Figure> for Block {
    fn from(figure: Figure) -> Self {
        Self::Figure(Box::new(figure))
    }
}
