//! A page: sections of text, tables and figures, apart from how they look.

use crate::beside::Beside;
use crate::figure::{Figure, Plot};
pub use crate::table::{Row, Table};
use crate::tiles::Tile;

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// One sentence below it.
    pub lead: String,
    /// What was typed for it.
    pub commands: Vec<String>,
    /// What it consists of.
    pub sections: Vec<Section>,
}

/// A part of a page with a heading, which the page's menu names.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What is in it.
    pub blocks: Vec<Block>,
    /// It begins a new sheet on paper: what comes before can be sent alone.
    pub sheet: bool,
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
    /// Verdicts.
    Tiles(Vec<Tile>),
    /// Published values beside ours.
    Beside(Beside),
    /// A table behind its caption.
    FoldedTable(Table),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Box<Figure>),
    /// More of all this behind its title.
    More(String, Vec<Block>),
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
        self.sections.push(Section { title: title.into(), blocks, sheet: false });
    }

    /// Adds a section that begins a new sheet on paper.
    pub fn sheet(&mut self, title: impl Into<String>, blocks: Vec<Block>) {
        self.sections.push(Section { title: title.into(), blocks, sheet: true });
    }

    /// This page and another one below it.
    pub fn and(mut self, other: Self) -> Self {
        self.commands.extend(other.commands);
        self.sections.extend(other.sections);
        self
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
