"""Commands end at their limit, with all that they started."""

import subprocess
import time
from pathlib import Path

import pytest

from rewardware.hw.soc.limited_command import CommandTimeout, run_limited


def is_running(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_what_is_said_comes_back():
    result = run_limited(["sh", "-c", "echo one; echo two >&2; exit 3"], 60)
    assert (result.stdout, result.stderr, result.returncode) == ("one\n", "two\n", 3)
    assert run_limited(["sh", "-c", "echo two >&2"], 60, stderr=subprocess.STDOUT).stdout == "two\n"


def test_a_command_that_takes_too_long_ends_with_its_children(tmp_path):
    script, begun = f"sleep 300 & echo $! > {tmp_path / 'child'}; wait", time.monotonic()
    with pytest.raises(CommandTimeout, match="^sh ran longer than its limit of 1 s to wait for a child$"):
        run_limited(["/bin/sh", "-c", script], 1, what="wait for a child")
    assert time.monotonic() - begun < 60
    child = (tmp_path / "child").read_text().strip()
    until = time.monotonic() + 30
    while is_running(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(child)
