//! The results of an experiment, as one page that needs no network, and as figures for papers.
//!
//! ```text
//!  summaries, folders of results --> Page --terminal--> lines
//!  anything else -----------------> |  |--html------> one self-contained file
//!                                   |  |--csv-------> its table
//!                                   |  +--figure----> Figure --svg, png, pdf--> for papers
//! ```
//!
//! - [`page`]: the model: an answer with its table; sections of text, tables and figures.
//! - [`terminal`], [`html`] and [`csv`]: its renderers.
//! - [`figure`]: what a figure shows, apart from how it is drawn.
//! - [`results`]: the page of one or several folders of results.
//! - [`plan`]: the page of a plan for a transfer.
//! - [`diagnosis`]: the page of a diagnosis.
//! - [`sweep`]: the page of a sweep.
//! - [`watched`]: the page of what was watched in the kernel.
//! - [`checked`]: what a scenario describes.
//! - [`names`]: what is known about laws, measures and everything else with a name.
//! - [`style`]: the colour, dashes and mark of each congestion control.
//! - [`html`]: a page as a file. Text, tables and points are there without
//!   JavaScript; curves are data that the scripts in `report/page` draw.
//! - [`svg`], and `png` and `pdf` if the features of these names are enabled: a figure as a
//!   stand-alone picture.

pub mod checked;
mod columns;
pub mod conditions;
pub mod csv;
pub mod diagnosis;
pub mod doubts;
pub mod evaluation;
pub mod figure;
mod font;
pub mod html;
pub mod junit;
pub mod links;
pub mod live;
pub mod names;
mod pack;
pub mod page;
#[cfg(feature = "pdf")]
pub mod pdf;
pub mod plan;
#[cfg(feature = "png")]
pub mod png;
pub mod results;
mod span;
pub mod style;
pub mod svg;
pub mod sweep;
mod table;
pub mod terminal;
#[cfg(any(feature = "png", feature = "pdf"))]
mod tree;
pub mod watched;

pub use page::Page;

/// A text with a capital first letter; names such as gHSTCP and ns-2 keep theirs.
pub fn capital(text: &str) -> String {
    let first = text.split([' ', ',', '.', ':', ';']).next().unwrap_or_default();
    if first.is_empty() || !first.chars().all(|c| c.is_ascii_lowercase()) {
        return text.to_owned();
    }
    text[..1].to_uppercase() + &text[1..]
}

#[cfg(test)]
mod tests {
    use super::capital;

    #[test]
    fn a_sentence_has_a_capital_and_a_name_its_own_letters() {
        for (text, told) in [
            ("chance explains it", "Chance explains it"),
            ("ns-2.35 misses it", "ns-2.35 misses it"),
            ("gHSTCP is fair", "gHSTCP is fair"),
            ("", ""),
        ] {
            assert_eq!(capital(text), told);
        }
    }
}
