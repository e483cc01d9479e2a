"""Commands end at their limit, with all that they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rewardware.hw.soc.limited_command import CommandTimeout, run_limited


def is_running(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(number: str) -> bool:
    until = time.monotonic() + 30
    while is_running(number) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(number)


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
    assert ends(child)


@pytest.mark.parametrize(
    "run",
    [
        "from rewardware.hw.soc.limited_command import run_limited; run_limited([program], 300)",
        "from rewardware.hw.soc.export.tools import run_tool; run_tool('yosys', [], folder, 'log')",
    ],
    ids=["a command", "a tool"],
)
def test_a_command_ends_with_this_process(run, tmp_path):
    program, begun = tmp_path / "program", tmp_path / "begun"
    program.write_text(f"#!/bin/sh\necho $$ > {begun}.part; mv {begun}.part {begun}; exec sleep 300\n")
    program.chmod(0o755)
    script = f"from pathlib import Path; folder, program = Path({str(tmp_path)!r}), {str(program)!r}; {run}"
    with subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"YOSYS": str(program)}) as process:
        try:
            until = time.monotonic() + 60
            while not begun.exists() and time.monotonic() < until:
                time.sleep(0.05)
            process.terminate()
            assert process.wait(60) == 128 + signal.SIGTERM
        finally:
            process.kill()
    assert ends(begun.read_text().strip())
