"""Sphinx's settings. Its input is a folder that build.py has assembled, not docs/ itself."""

project = "Tusker"
copyright = "the Tusker authors"
extensions = ["myst_parser"]
root_doc = "docs/README"

html_theme = "furo"
html_title = "Tusker"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["style.css"]
html_show_sphinx = False
html_theme_options = {"source_view_link": "", "source_edit_link": ""}
# fonts come from the reader's machine, so nothing is downloaded
# every token has a contrast of at least 4.5 to 1, as build.py checks
pygments_style = "a11y-light"
pygments_dark_style = "monokai"

# headings are linked to by GitHub's names, to any depth
myst_heading_anchors = 6
# <img> in Markdown is a picture like any other, and copied with the book
myst_enable_extensions = ["html_image"]
suppress_warnings = [
    # a block shortened with `...` may not be valid in its language
    "misc.highlighting_failure",
    # a page generated or written for GitHub may begin its sections at the third level
    "myst.header",
]
