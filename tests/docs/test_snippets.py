"""Every Python snippet of README and docs runs: those of a page in its order, in a folder of their own."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SNIPPET = re.compile(r"^```python([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Seconds that the snippets of a page may take, the builds of simulators included.
LIMIT = 300


def snippets(page):
    """Snippets that run, and fragments of the gateware, which stand where they are taken from."""
    found = SNIPPET.findall(page.read_text())
    return [text for kind, text in found if not kind.strip()], [text for kind, text in found if kind.strip()]


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)[0]], ids=lambda page: page.name)
def test_the_snippets_of_a_page_run(page, tmp_path):
    script = tmp_path / "page.py"
    # Processes of actors import the main module.
    script.write_text("\n".join(snippets(page)[0]))
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)[1]], ids=lambda page: page.name)
def test_fragments_are_python(page):
    for text in snippets(page)[1]:
        ast.parse(text)


def test_the_pages_have_snippets():
    assert {page.name for page in PAGES if snippets(page)[0]} >= {"README.md", "python.md"}
