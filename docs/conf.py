"""The site: Sphinx over the Markdown of this folder, built by `make docs` into build/docs, warnings as errors."""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from rewardware.sim.verilator.build import OPTIMISATION_VARIABLE

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

# The notebook simulates what the tests simulate: both share compiled simulators.
os.environ.setdefault(OPTIMISATION_VARIABLE, "1")

project = "Rewardware"
author = "Rewardware contributors"
copyright = author  # noqa: A001
version = release = version_of("rewardware")

extensions = [
    "myst_nb",  # Markdown, and the notebook, executed
    "sphinx.ext.autodoc",  # classes of the cores
    "sphinx.ext.napoleon",  # sections of their docstrings
    "sphinx_copybutton",
    "docs.extensions.diagrams",
    "docs.extensions.cores",
    "docs.extensions.registers",
    "docs.extensions.configurations",
]
exclude_patterns = ["extensions", "static"]

# Markdown
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
suppress_warnings = ["myst.header"]

# Docstrings
napoleon_google_docstring = False
napoleon_custom_sections = [("Members", "params_style"), "Source"]
autodoc_typehints = "none"
autoclass_content = "class"
add_module_names = False
highlight_language = "none"

# Every reference to a class leads to it. Functions and modules have no place on the site, nor have types in words,
# Amaranth's, and those of other packages.
nitpicky = True
nitpick_ignore_regex = [
    ("py:(func|meth|attr|mod)", ".*"),
    ("py:class", r"(?!rewardware\.)[a-z].*|Module|Value|Node|InstructionSet"),
]
rst_prolog = """
.. role:: py(code)
   :language: python
"""

# The notebook
nb_execution_mode = "auto"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300

# Pages, which work without a network
html_theme = "furo"
html_title = f"Rewardware {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
