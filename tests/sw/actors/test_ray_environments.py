"""A3C with environments on Ray: a run with a killed one, done again in this process; what is told without Ray."""

import importlib
import os
import signal
import sys

import pytest

from rewardware import A3C, A3CHyperParameters
from rewardware.sw.actors.actor import ActorError
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.run_folder import CHECKPOINT
from tests.sw.systems.a3c.test_agent import assert_same, state_of

# The processes of the cluster do not find a module of this text.
HERE = "from tests.sw.algorithms.counting import Counting\n\ndef make():\n    return Counting()\n"
RUN = "train", "a3c", "--env", "CartPole-v1", "--environments", "ray", "--quiet"


def test_a_run_with_a_killed_environment_is_done_again_in_this_process(cluster, tmp_path):
    options = "--backend", "reference", "--agents", "2", "--rollout-steps", "64", "--hidden-sizes", "8"
    assert dispatch([*RUN, *options, "--steps", "40", "--evaluate-every", "0", "--out", str(tmp_path)]) == 0
    # It goes on on Ray, where it was.
    with A3C.load(tmp_path / CHECKPOINT) as agent:
        assert agent.place == "ray"
        agent.learn(20)
        # Early in an episode: the step that may be under way does not end it.
        while not 1 <= (half := len(agent.learner._agents[1].rewards)) <= 5:
            agent.learn(1)
        os.kill(agent.learner.environments.process_ids[1], signal.SIGKILL)
        # Until the next environment has come, which takes seconds; the other agent goes on meanwhile.
        while not agent.counters()["dropped"]:
            agent.learn(1)
        agent.learn(60)
        counted = agent.counters()
        assert counted["restarts"] == 1 and counted["dropped"] in (half, half + 1)
        agent.save(tmp_path / "ray.zip")
    # And goes on in this process, which does all of it again.
    with A3C.load(tmp_path / "ray.zip", environments="in-process") as resumed:
        assert resumed.counters() == counted
        resumed.learn(40)
        last = state_of(resumed, tmp_path / "last.zip")
    with A3C.again(tmp_path / "last.zip") as again:
        assert_same(state_of(again, tmp_path / "again.zip"), last)


def test_a_module_that_machines_of_the_cluster_lack_is_named(cluster, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text(HERE)
    monkeypatch.syspath_prepend(tmp_path)
    here = importlib.import_module("only_here").make
    with (
        A3C(here, A3CHyperParameters(agents=1, hidden_sizes=(8,)), environments="ray") as agent,
        pytest.raises(ActorError, match=r"\(ActorDiedError: ModuleNotFoundError: No module named 'only_here'\)"),
    ):
        agent.learn(1)


def test_without_ray_it_is_told_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert dispatch([*RUN, "--out", str(tmp_path / "run")]) == 2
    assert "Environments on Ray need the package ray: pip install 'rewardware[ray]'\n" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
