"""The command line starts at once: help and lists import nothing heavy. Modules are counted, not seconds."""

import json
import subprocess
import sys

import pytest

from tests.sw.cli.test_every_command import PARSERS

# A tenth of a second each, or seconds.
HEAVY = {
    "amaranth", "amaranth_boards", "asyncio", "gymnasium", "matplotlib", "numba", "numpy", "pettingzoo", "PIL", "torch",
}  # fmt: skip

COUNT = """
import contextlib, io, json, sys
from rewardware.sw.cli.dispatch import dispatch
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        dispatch(words)
print(json.dumps(sorted(sys.modules)))
"""


def modules_of(*commands: list[str]) -> set[str]:
    """Modules that a process imports for these commands."""
    result = subprocess.run([sys.executable, "-c", COUNT, json.dumps(commands)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout))


@pytest.mark.parametrize(
    ("commands", "most"),
    [
        ([["--help"]], 220),
        ([["--version"]], 220),
        ([["list"]], 300),
        ([["train", "pearl", "--help"]], 300),
        ([[*words, "--help"] for words in PARSERS], 420),
    ],
    ids=["help", "version", "list", "help of train", "help of every command"],
)
def test_little_is_imported(commands, most):
    modules = modules_of(*commands)
    assert not modules & HEAVY
    assert len(modules) < most
