"""Sphinx's settings. The pages lie in build/docs/source, where docs/site/build.py puts them."""

project = "MMO"
author = copyright = "The MMO maintainers"
html_title = "MMO"
html_theme = "furo"  # its styles and scripts lie in the site; no fonts or icons from elsewhere

extensions = ["myst_parser"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write `name`
html_copy_source = False
html_show_sphinx = False
