"""The rows of experiences a second beside the fastest of the others, with libraries that others stand for."""

import json
import subprocess
from types import SimpleNamespace

import pytest
import stable_baselines3
import torch

from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.systems.pearl.bench import fastest, rltools_sac, runtime
from rewardware.sw.systems.pearl.bench.figures import PearlBench
from tests.sw.systems.fake_clock import fake_time

SMALL = {"hidden_sizes": (8,), "batch_size": 8, "learning_starts": 32}
COMPARISONS = {
    "dqn": runtime.Comparison("CartPole-v1", DQNConfig(train_freq=16, gradient_steps=2, **SMALL), 64),
    "ddpg": runtime.Comparison("MountainCarContinuous-v0", PrioritizedDDPGConfig(**SMALL), 64),
    "sac": runtime.Comparison("Pendulum-v1", PrioritizedSACConfig(**SMALL), 64),
}


class NoLimit(stable_baselines3.DQN):
    """DQN whose parameters are SBX's: none of the gradient's length."""

    def __init__(self, *arguments, **settings):
        assert "max_grad_norm" not in settings
        super().__init__(*arguments, **settings)


# SBX's interface is that of Stable-Baselines3, without JAX's compiler.
STAND_IN = SimpleNamespace(DQN=NoLimit, DDPG=stable_baselines3.DDPG, SAC=stable_baselines3.SAC)


@pytest.fixture
def short(monkeypatch):
    """One measurement, returns of an episode of some steps, and SBX stood in for."""
    monkeypatch.setattr(runtime, "REPEATS", 1)
    monkeypatch.setattr(runtime, "CORES", 2)
    monkeypatch.setattr(fastest, "comparison_library", lambda name: {"sbx": STAND_IN}[name])
    monkeypatch.setattr(fastest, "native_library", lambda: SimpleNamespace(has_bfloat16=lambda: 0))
    # Stable-Baselines3's networks are compiled only where a test does it.
    monkeypatch.setattr(fastest, "compiled_model", runtime.model_of)
    returns = iter([-10.0, -20.0, -30.0, -35.0, -40.0, -50.0])
    monkeypatch.setattr(fastest, "mean_return", lambda model, name, episodes: next(returns))


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_fastest_of_all_others_counts(name, short, monkeypatch):
    """Ours takes a second, Stable-Baselines3 4, 3 and 3, SBX 2 and 5: with one environment it is the fastest."""
    monkeypatch.setattr(runtime, "time", fake_time(1, 4, 3, 3, 2, 5))
    monkeypatch.setattr(fastest, "rltools_speed", lambda comparison: 8.0)
    row = fastest.against_the_fastest(COMPARISONS[name])
    assert (row["value"], row["unit"], row["kind"], row["paper"]) == (2, "times", "measured", None)
    assert "SBX with 1: 32 (32 to 32); SBX with 8: 13 (13 to 13)" in row["how"]
    assert row["how"].endswith("after the same experiences: -10.0, fastest of the others -40.0")
    assert ("RLtools, once, of fewer experiences: 8" in row["how"]) == (name == "sac")


def test_on_one_core_the_learners_process_may_be_the_faster_place(short, monkeypatch):
    """Ours takes 2 s with an actor in a process, 1 without; the fastest of the others 2."""
    monkeypatch.setattr(runtime, "CORES", 1)
    monkeypatch.setattr(runtime, "time", fake_time(2, 1, 4, 3, 3, 2, 5))
    monkeypatch.setattr(fastest, "mean_return", lambda model, name, episodes: 0.0)
    row = fastest.against_the_fastest(COMPARISONS["dqn"])
    assert row["value"] == 2
    assert "1 actor in the learner's process with 8 environments, prioritised replay" in row["how"]


def test_products_of_bfloat16_count_where_the_processor_has_them(short, monkeypatch):
    """Ours takes 2 s with products of binary32, 1 of bfloat16; the fastest of the others 2."""
    monkeypatch.setattr(fastest, "native_library", lambda: SimpleNamespace(has_bfloat16=lambda: 1))
    monkeypatch.setattr(runtime, "time", fake_time(2, 1, 4, 3, 3, 2, 5))
    monkeypatch.setattr(fastest, "mean_return", lambda model, name, episodes: 0.0)
    row = fastest.against_the_fastest(COMPARISONS["dqn"])
    assert row["value"] == 2
    assert "products of binary32, 1 thread: 32 (" in row["how"] and "products of bfloat16, 1 thread: 64 (" in row["how"]


@pytest.mark.parametrize("name, networks", [("dqn", 2), ("ddpg", 4), ("sac", 3)])
def test_compiled_networks_are_those_that_are_trained(name, networks, monkeypatch):
    """Calls of all networks reach their compiled forms, which stand in for PyTorch's; the target networks' also."""
    called, reset = set(), []
    monkeypatch.setattr(
        torch.nn.Module, "compile", lambda part: part.register_forward_hook(lambda *_: called.add(part))
    )
    monkeypatch.setattr(torch.compiler, "reset", lambda: reset.append(1))
    model = fastest.compiled_model(COMPARISONS[name], environments=2)
    model.learn(64)
    assert len(called) == networks and reset == [1]


def test_rltools_may_be_the_fastest(short, monkeypatch):
    monkeypatch.setattr(runtime, "time", fake_time(1, 4, 3, 3, 2, 5))
    monkeypatch.setattr(fastest, "rltools_speed", lambda comparison: 128.0)
    assert fastest.against_the_fastest(COMPARISONS["sac"])["value"] == 0.5


def test_there_is_a_row_for_every_algorithm():
    assert {"eps_vs_fastest_dqn", "eps_vs_fastest_ddpg", "eps_vs_fastest_sac"} <= set(PearlBench().ids())


def test_rltools_runs_in_a_process_of_its_own(monkeypatch):
    calls = []

    def run(command, **settings):
        calls.append(command)
        return SimpleNamespace(returncode=0, stdout="Compiling the RLtools interface...\n12.5\n", stderr="")

    monkeypatch.setattr(rltools_sac, "comparison_library", lambda name: None)
    monkeypatch.setattr(subprocess, "run", run)
    assert rltools_sac.rltools_speed(COMPARISONS["sac"]) == 12.5
    ((_, _, module, given),) = calls
    assert module.endswith("bench.rltools_sac") and json.loads(given)["environment"] == "Pendulum-v1"


def test_what_rltools_says_is_told(monkeypatch):
    monkeypatch.setattr(rltools_sac, "comparison_library", lambda name: None)
    failed = SimpleNamespace(returncode=1, stdout="", stderr="Python.h: No such file")
    monkeypatch.setattr(subprocess, "run", lambda command, **settings: failed)
    with pytest.raises(RuntimeError, match="RLtools ended with exit status 1: Python.h: No such file"):
        rltools_sac.rltools_speed(COMPARISONS["sac"])


def test_rltools_gets_the_same_parameters(monkeypatch):
    """Parameters and numbers of steps that rltools gets, before and during the measurement, are those told."""
    steps, given = [], {}

    def made(environment, **settings):
        given.update(settings)
        return SimpleNamespace(State=lambda seed: SimpleNamespace(step=lambda: steps.append(seed)))

    monkeypatch.setattr(rltools_sac, "comparison_library", lambda name: SimpleNamespace(SAC=made))
    monkeypatch.setattr(rltools_sac, "time", fake_time(4))
    config = PrioritizedSACConfig(hidden_sizes=(8, 8), batch_size=16, seed=3)
    told = json.loads(json.dumps(config.to_mapping()))
    assert rltools_sac._measure("Pendulum-v1", told) == rltools_sac.STEPS / 4
    assert steps == [3] * (16 + rltools_sac.WARM_UP + rltools_sac.STEPS)
    assert (given["ACTOR_HIDDEN_DIM"], given["ACTOR_NUM_LAYERS"], given["CRITIC_BATCH_SIZE"]) == (8, 3, 16)


def test_arms_are_measured_in_turn_with_their_threads_and_closed(monkeypatch):
    """Seconds of a few measurements whose median is neither the most nor the mean."""
    told, threads = [], torch.get_num_threads()

    class Model:
        num_timesteps = 0

        def learn(self, steps):
            self.num_timesteps += steps

        def close(self):
            told.append("closed")

    monkeypatch.setattr(runtime, "REPEATS", 3)
    monkeypatch.setattr(runtime, "time", fake_time(1, 1, 2, 2, 4, 4))
    arms = {
        name: runtime.Arm(lambda comparison: Model(), count)
        for name, count in (("one", threads + 2), ("two", threads + 1))
    }
    found = runtime.measure_in_turn(COMPARISONS["dqn"], arms, lambda model: told.append(torch.get_num_threads()))
    assert told == 3 * [threads + 2, "closed", threads + 1, "closed"] and torch.get_num_threads() == threads
    assert runtime.median_speeds(found) == {"one": 32, "two": 32}
