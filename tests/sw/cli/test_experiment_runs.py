"""Runs of experiments: none without a limit."""

import sys

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.systems.experiment_runs import run_command

# In Python's place: a run that never ends, unless it is asked to.
ENDLESS = """#!/bin/sh
trap 'echo "$@" > {folder}/stopped; exit 0' TERM
while :; do sleep 0.05; done
"""


def test_a_run_that_takes_too_long_is_asked_to_stop(tmp_path, monkeypatch):
    script = tmp_path / "endless"
    script.write_text(ENDLESS.format(folder=tmp_path))
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    run = tmp_path / "run"
    words = f"{run}: took longer than its limit of 0.0003 hours; the same command goes on with it"
    with pytest.raises(RuntimeError, match=words):
        run_command(run, ["train", "fixar"], 0.0003)
    assert (tmp_path / "stopped").read_text() == "-m rewardware.sw.cli train fixar\n"


def test_a_run_that_fails_says_what_it_said(tmp_path):
    with pytest.raises(RuntimeError, match="run: rewardware train fixar: error: unrecognized arguments: --nothing"):
        run_command(tmp_path / "run", ["train", "fixar", "--nothing"], 1)


def test_a_limit_of_nothing_is_refused(capsys):
    assert dispatch(["experiment", "fixar", "pendulum", "--limit", "0"]) == 2
    assert "--limit must be above 0 hours, not 0.0" in capsys.readouterr().err
