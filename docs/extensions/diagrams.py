"""Diagrams and waveforms as SVG, made when the site is built: its pages need no script, and the build no browser.

Diagrams are Mermaid in the Markdown, which GitHub draws too. Waveforms are recorded from a simulation.
"""

import re

import mmdr
import yowasp_wavedrom
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import recordings

# Grey on white, close together; text is measured for a font that has the same widths everywhere.
SETTINGS = """%%{init: {
    "theme": "neutral", "look": "classic", "fontFamily": "Arial, Liberation Sans, sans-serif",
    "flowchart": {"rankSpacing": 28, "nodeSpacing": 24, "padding": 10}
}}%%
"""
# Mermaid draws for a larger size than the text of these pages.
SCALE = 0.8


class _Drawing(SphinxDirective):
    """One that becomes an SVG in the page."""

    def picture(self, svg):
        """The nodes of an SVG, whose names of styles and arrow heads are made its own."""
        number = self.env.new_serialno("drawing")
        svg = re.sub(r"\b(merman|svgcontent_0)\b", rf"\1_{number}", svg)
        return [nodes.raw("", f'<div class="diagram">{svg}</div>', format="html")]


class Mermaid(_Drawing):
    """The fence that GitHub knows."""

    has_content = True

    def run(self):
        svg = mmdr.render(SETTINGS + "\n".join(self.content)).svg()
        width = re.compile(r"(?<=max-width:)[0-9.]+(?=px)")
        return self.picture(width.sub(lambda found: f"{float(found[0]) * SCALE:.0f}", svg, count=1))


class Waveform(_Drawing):
    """A recording of :mod:`.recordings`, by its name."""

    required_arguments = 1

    def run(self):
        recorded = getattr(recordings, self.arguments[0])()
        return self.picture(yowasp_wavedrom.render(recorded))


def setup(app):
    app.add_directive("mermaid", Mermaid)
    app.add_directive("waveform", Waveform)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
