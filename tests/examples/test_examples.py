"""Every example runs as it is, and so does every cell of the notebook, in its order."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = EXAMPLES / "train_on_rtl.ipynb"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
# Seconds, the builds of simulators included.
LIMIT = 300


def cells(kind):
    return [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == kind]


def output_of(script, folder):
    """Output of a script in a folder of its own, where pictures are drawn without a screen."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_example_runs(script, tmp_path):
    assert "compared, all equal" in output_of(script, tmp_path)


def test_the_notebook_runs(tmp_path):
    script = tmp_path / "notebook.py"
    script.write_text("\n".join("".join(cell["source"]) for cell in cells("code")))
    compared, equal = output_of(script, tmp_path).splitlines()[-1].split(" answers compared, ")
    assert int(compared) == int(equal.removesuffix(" equal")) > 0


def test_the_notebook_is_without_outputs():
    assert cells("code") and all(not cell["outputs"] and cell["execution_count"] is None for cell in cells("code"))


def test_the_page_names_every_example():
    page = (EXAMPLES / "README.md").read_text()
    files = [path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".ipynb", ".yaml"}]
    assert len(files) >= 4 and not [name for name in files if f"({name})" not in page]
