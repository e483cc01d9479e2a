"""Exit codes of every command: 2 for wrong input alone, 1 for what failed, 130 for Ctrl-C."""

import errno
import functools
import importlib
import os
import signal
import subprocess
import sys

import pytest

from rewardware.hw.soc.export.tools import ToolError
from rewardware.hw.soc.written_file import WriteError
from rewardware.sim.verilator.build import BuildError
from rewardware.sw.actors.actor import actor_failure
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import CheckpointError
from rewardware.sw.core.environments.failure import EnvironmentFailure, NonFiniteError
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.core.run_folder import Interrupted
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.systems.descriptor import systems_with
from tests.sw.cli.test_every_command import COMMANDS_THAT_RUN, PARSERS, least

ERRORS = [
    (ValueError("a value"), 2),
    (TypeError("a type"), 2),
    (CheckpointError("no checkpoint"), 2),
    (FileNotFoundError(errno.ENOENT, "No such file", "there"), 2),
    (IsADirectoryError(errno.EISDIR, "A folder", "there"), 2),
    (WriteError(errno.EACCES, "not allowed", "there"), 1),
    (OSError(errno.EIO, "input/output error"), 1),
    (TimeoutError("too late"), 1),
    (ImportError("no package"), 1),
    (RuntimeError("a check"), 1),
    (BuildError("g++ failed"), 1),
    (ToolError("yosys failed"), 1),
    (DeviceError("is gone"), 1),
    (EnvironmentFailure("a step"), 1),
    (NonFiniteError("reward is infinite"), 1),
    (FloatingPointError("NaN in a weight"), 1),
    (LockstepError("a word differs"), 1),
    (Interrupted("Stopped after step 3", signal.SIGINT), 130),
    (Interrupted("Stopped after step 3", signal.SIGTERM), 143),
    (KeyboardInterrupt(), 130),
]

# For every command something wrong that is found at once.
WRONG = {
    "train a3c": "--env NoSuch-v0",
    "train dynamap": "--env CartPole-v1",
    "train fixar": "--env NoSuch-v0",
    "train pearl": "--env CartPole-v1 --config nowhere.yaml",
    "train learninggroup": "--iterations 0",
    "train maac": "--env NoSuch-v0",
    "train alphazero": "--env NoSuch-v0",
    "plan mcts": "--env NoSuch-v0",
    "play": "--env NoSuch-v0",
    "eval": "nowhere",
    "experiment a3c": "cartpole-a3c --arms none",
    "experiment dynamap": "breakout --arms none",
    "experiment fixar": "pendulum --jobs 0",
    "experiment pearl": "cartpole --arms none",
    "experiment learninggroup": "sweep --limit 0",
    "experiment mcts": "workers --arms none",
    "experiment maac": "rover-tower --arms none",
    "bench": "fixar --only nothing",
    "explore a3c": "--agents 0",
    "explore dnn_mcts": "--env nothing",
    "explore maac": "--part nowhere",
    "explore mcts": "--part nowhere",
    "compose": "--algo dqn",
    "map": "nothing --array 8x8",
    "infer": "atari --input nowhere.npy",
    "package": "nothing -o there",
    "build": "fixar --config nowhere.yaml -o there",
    "probe": "nowhere",
    "report": "rescaler --part nowhere",
    "list": "nothing",
    "cache": "--days -1",
    "completion": "tcsh",
}

# This function belongs to no file: an error of a user's own module is told in other words.
SCOPE: dict = {}
exec(compile("def fail(error, arguments):\n    raise error.with_traceback(None)", "<fail>", "exec"), SCOPE)


def module_of(words: tuple[str, ...]) -> str:
    """Module of a command."""
    return systems_with(words[0])[words[1]].commands[words[0]] if len(words) > 1 else f"rewardware.sw.cli.{words[0]}"


@pytest.mark.parametrize("words", COMMANDS_THAT_RUN, ids=" ".join)
def test_what_went_wrong_is_in_the_exit_code(words, monkeypatch, capsys):
    for error, code in ERRORS:
        monkeypatch.setattr(importlib.import_module(module_of(words)), "run", functools.partial(SCOPE["fail"], error))
        assert dispatch([*words, *least(PARSERS[words])]) == code, repr(error)
        captured = capsys.readouterr()
        said = str(error) or "interrupted"
        assert captured.out == "" and captured.err.count("\n") == 1 and said in captured.err


@pytest.mark.parametrize("words", COMMANDS_THAT_RUN, ids=" ".join)
def test_wrong_input_is_refused_with_2(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = dispatch([*words, *WRONG[" ".join(words)].split()])
    except SystemExit as stop:
        code = stop.code
    captured = capsys.readouterr()
    assert code == 2, captured.err
    assert captured.out == "" and captured.err.startswith("rewardware") and "error: " in captured.err
    assert list(tmp_path.iterdir()) == []


def test_the_traceback_of_another_process_is_not_in_the_line(monkeypatch, capsys):
    error = actor_failure(3, "ValueError: boom", "Traceback (most recent call last):\n  File ...\nValueError: boom")
    error.add_note("checkpoint written at step 12")
    monkeypatch.setattr("rewardware.sw.cli.list.run", functools.partial(SCOPE["fail"], error))
    assert dispatch(["list"]) == 1
    said = "Actor 3 failed with ValueError: boom; checkpoint written at step 12 (--traceback shows the way there)"
    assert capsys.readouterr().err == f"rewardware: error: {said}\n"


def test_an_error_that_nobody_expects_is_shown_whole(monkeypatch):
    monkeypatch.setattr("rewardware.sw.cli.list.run", functools.partial(SCOPE["fail"], KeyError("nothing")))
    with pytest.raises(KeyError):
        dispatch(["list"])


def test_ctrl_c_ends_a_command_that_is_no_run(tmp_path):
    command = [sys.executable, "-m", "rewardware.sw.cli", "report", "fixar", "--config", "paper"]
    # Where the tests run in the background of a shell Ctrl-C is ignored, which processes inherit.
    heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    environment = os.environ | {"REWARDWARE_CACHE": str(tmp_path)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, preexec_fn=heard, **streams) as process:
        try:
            assert "elaborating" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, said) == (130, "", "rewardware: interrupted\n")
