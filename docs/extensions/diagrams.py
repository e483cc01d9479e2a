"""Diagrams: Mermaid in the Markdown, which GitHub draws too, becomes an SVG on the page, without script or browser."""

import mmdr
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

# Grey on white, text measured for a font of the same widths everywhere.
SETTINGS = "%%{init: {'theme': 'neutral', 'look': 'classic', 'fontFamily': 'Arial, Liberation Sans, sans-serif'}}%%\n"


class Mermaid(SphinxDirective):
    """The fence that GitHub knows."""

    has_content = True

    def run(self):
        number = self.env.new_serialno("mermaid")
        svg = mmdr.render(SETTINGS + "\n".join(self.content)).svg()
        # Styles and arrow heads of a diagram are found by its name.
        svg = svg.replace("merman", f"diagram-{number}")
        return [nodes.raw("", f'<div class="diagram">{svg}</div>', format="html")]


def setup(app):
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
