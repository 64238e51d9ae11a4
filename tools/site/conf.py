"""Settings of the generator that tools/site.py runs."""
project = "kinu"
author = "the authors of kinu"
html_title = "kinu"
root_doc = "README"
extensions = ["myst_parser"]
exclude_patterns = ["docs/manual/pictures"]
myst_heading_anchors = 5
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# The index links to pages that the table of contents has in another order; blocks may hold what no lexer knows.
suppress_warnings = ["toc.not_included", "misc.highlighting_failure"]
