"""Sphinx's settings. It is given a folder that build.py has put together, not docs/ itself."""

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
# letters for code blocks come from the reader's machine, so nothing is fetched
pygments_style = "friendly"
pygments_dark_style = "monokai"

# headings are linked to by GitHub's names, to any depth
myst_heading_anchors = 6
# <img> in Markdown is a picture like any other, and copied with the book
myst_enable_extensions = ["html_image"]
suppress_warnings = [
    # a block that is cut with `...` is not the whole of its language
    "misc.highlighting_failure",
    # a page generated or written for GitHub may begin its sections at the third level
    "myst.header",
]
