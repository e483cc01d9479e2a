"""Commands end at their limit, with all that they started."""

import functools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rewardware.hw.soc.limited_command import CommandTimeout, run_all, run_limited


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


def test_results_of_calls_are_in_their_order():
    together = threading.Barrier(2, timeout=60)

    def call(number):
        together.wait()
        time.sleep(0.1 if number == 0 else 0)
        return number

    assert run_all(2, [functools.partial(call, number) for number in range(4)]) == [0, 1, 2, 3]


def test_the_first_error_ends_what_other_calls_run(tmp_path):
    begun, ended = tmp_path / "begun", []

    def wait():
        run_limited(["/bin/sh", "-c", f"echo $$ > {begun}.part; mv {begun}.part {begun}; exec sleep 300"], 300)

    def fail():
        while not begun.exists():
            time.sleep(0.05)
        raise KeyError("a defect")

    def late():
        time.sleep(2)
        assert run_limited(["sleep", "300"], 300).returncode == -signal.SIGKILL
        ended.append("late")

    started = time.monotonic()
    with pytest.raises(KeyError):
        run_all(3, [wait, fail, late])
    assert time.monotonic() - started < 60 and ends(begun.read_text().strip()) and ended == ["late"]


@pytest.mark.parametrize(
    "run",
    [
        "from rewardware.hw.soc.limited_command import run_limited; run_limited([program], 300)",
        "from rewardware.hw.soc.export.tools import run_tool; run_tool('yosys', [], folder, 'log')",
        "from rewardware.sw.measurement.seed_sweep import sweep_seeds; "
        "from rewardware.hw.soc.export.tools import run_tool; "
        "sweep_seeds(lambda seed: run_tool('yosys', [], folder, 'log'), 3, jobs=2)",
    ],
    ids=["a command", "a tool", "a sweep"],
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_ends_with_this_process(run, number, tmp_path):
    program, begun = tmp_path / "program", tmp_path / "begun"
    program.write_text(f"#!/bin/sh\necho $$ > {begun}.part; mv {begun}.part {begun}; exec sleep 300\n")
    program.chmod(0o755)
    script = f"from pathlib import Path; folder, program = Path({str(tmp_path)!r}), {str(program)!r}; {run}"
    # Where the tests run in the background of a shell signals are ignored, which processes inherit.
    heard = functools.partial(signal.signal, number, signal.SIG_DFL)
    environment = os.environ | {"YOSYS": str(program)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, preexec_fn=heard) as process:
        try:
            until = time.monotonic() + 60
            while not begun.exists() and time.monotonic() < until:
                time.sleep(0.05)
            process.send_signal(number)
            assert process.wait(60) == (-number if number == signal.SIGINT else 128 + number)
        finally:
            process.kill()
    assert ends(begun.read_text().strip())
