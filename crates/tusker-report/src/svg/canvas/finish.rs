//! The drawing as a file, or as a part of a page.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::{Canvas, escaped};
use crate::font;
use crate::svg::Theme;

impl Canvas {
    /// As a part of a line of text, which says nothing that the text does not.
    pub(in crate::svg) fn small(self) -> String {
        let (wide, height) = (self.wide, self.height);
        format!(
            "<svg class=\"swatch\" viewBox=\"0 0 {wide} {height}\" width=\"{wide}\" \
             height=\"{height}\" aria-hidden=\"true\">{}</svg>",
            self.body
        )
    }

    /// The letters of the texts, so that they are the same wherever there is no Roboto.
    fn face(&self) -> String {
        let file = BASE64_STANDARD.encode(font::of_letters(&self.letters));
        format!("@font-face{{font-family:Roboto;src:url(data:font/ttf;base64,{file})}}")
    }

    pub(in crate::svg) fn finish(self, title: &str) -> String {
        let (wide, height) = (self.wide, self.height.ceil());
        let size = format!("viewBox=\"0 0 {wide} {height}\"");
        let label = escaped(title);
        let font = "font-family=\"Roboto, Helvetica, Arial, sans-serif\" font-size=\"12\"";
        match self.theme {
            Theme::Page => format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} {font} role=\"img\" \
                 aria-label=\"{label}\">{}</svg>",
                self.body
            ),
            Theme::Paper => format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}in\" height=\"{}in\" \
                 {size} {font}><title>{label}</title><style>{}</style>\
                 <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>{}</svg>\n",
                wide / 100.0,
                height / 100.0,
                self.face(),
                self.body
            ),
        }
    }
}
