"""Completion in shells: what may come next, for the systems and algorithms that the line has so far."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rewardware.sw.cli.completion import SHELLS
from rewardware.sw.cli.dispatch import COMMANDS, dispatch
from tests.sw.cli.test_start import HEAVY


def complete(line: str, folder: Path) -> tuple[set[str], set[str]]:
    """Words that may come next, and the modules that are imported to know them."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    asked |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "answer")}
    command = [sys.executable, "-X", "importtime", "-m", "rewardware.sw.cli"]
    result = subprocess.run(command, env={**os.environ, **asked}, cwd=folder, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    imported = {words.rpartition("|")[2].strip() for words in result.stderr.splitlines() if "|" in words}
    assert "argparse" in imported
    return {word.strip() for word in (folder / "answer").read_text().splitlines()}, imported


@pytest.mark.parametrize(
    ("line", "there", "not_there"),
    [
        ("rewardware ", {*COMMANDS}, {"--help"}),
        ("rewardware tr", {"train"}, {"plan"}),
        ("rewardware --v", {"--version", "--verbose"}, {"--quiet"}),
        ("rewardware train ", {"a3c", "alphazero", "fixar", "learninggroup", "maac", "pearl"}, {"mcts"}),
        ("rewardware -v train fixar --env Pendulum-v1 --le", {"--learning-rate", "--learning-starts"}, {"--tau"}),
        ("rewardware train pearl --algo ", {"dqn", "ddpg", "sac"}, {"--env"}),
        ("rewardware train pearl --t", {"--target-update-interval"}, {"--tau", "--temperature"}),
        ("rewardware train pearl --algo ddpg --t", {"--tau"}, {"--target-update-interval", "--temperature"}),
        ("rewardware train pearl --algo sac --t", {"--tau", "--temperature"}, {"--target-update-interval"}),
        ("rewardware experiment mcts ", {"workers"}, {"sweep"}),
        ("rewardware package resc", {"rescaler"}, {"quantizer"}),
        ("rewardware list 'b", {"boards"}, {"cores"}),
        ("rewardware eval f", {"folder/"}, {"other/"}),
    ],
)
def test_what_may_come_next(line, there, not_there, tmp_path):
    for name in ("folder", "other"):
        (tmp_path / name).mkdir()
    answer, imported = complete(line, tmp_path)
    assert there <= answer and not not_there & answer, answer
    assert not HEAVY & imported and len(imported) < 400


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_every_shell(shell, capsys):
    assert dispatch(["completion", shell]) == 0
    out, said = capsys.readouterr()
    assert said == "" and "_ARGCOMPLETE" in out and "rewardware" in out
    assert {"bash": "complete ", "zsh": "#compdef rewardware", "fish": "complete --command rewardware"}[shell] in out


def test_bash_completes(tmp_path):
    """The script as a user has it: bash calls the function that it registers."""
    line = "rewardware train pearl --algo ddpg --ta"
    script = f"""
        eval "$(rewardware completion bash)"
        complete -p rewardware
        COMP_LINE="{line}" COMP_POINT={len(line)} COMP_TYPE=9 COMP_WORDS=({line}) COMP_CWORD=5
        _python_argcomplete rewardware
        echo "${{COMPREPLY[@]}}"
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    result = subprocess.run(["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True)
    registered, *answer = result.stdout.splitlines()
    assert "_python_argcomplete" in registered and " ".join(answer).split() == ["--tau"], result
