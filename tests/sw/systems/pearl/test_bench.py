"""The rows of PEARL's bench, on a small device."""

import dataclasses
import re

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.mapping.composer.latency_table import Latency
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles
from rewardware.sw.mapping.replay_cycles import sample_cycles, update_cycles
from rewardware.sw.measurement.bench import comparison_library
from rewardware.sw.reference.learner.temporal_difference_loss import temporal_difference_loss
from rewardware.sw.reference.replay.sum_tree import SumTreeReference
from rewardware.sw.systems.pearl.bench import figures as bench_pearl
from rewardware.sw.systems.pearl.bench import learner as bench_learner
from rewardware.sw.systems.pearl.bench import replay as bench_replay
from rewardware.sw.systems.pearl.bench import returns as bench_returns
from rewardware.sw.systems.pearl.bench import runtime as bench_runtime
from rewardware.sw.systems.pearl.bench import sum_trees as bench_sum_trees
from rewardware.sw.systems.pearl.bench.figures import FANOUTS, PearlBench
from rewardware.sw.systems.pearl.bench.learner import count_step
from rewardware.sw.systems.pearl.bench.portability import harmonic_mean, portability
from rewardware.sw.systems.pearl.bench.replay import count_batches
from tests.sw.systems.fake_clock import fake_time

# As that of tests/hw/soc/pearl, so that its simulator is built once.
CONFIG = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)

ARITHMETIC = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)
LEARNER = DQNLearnerConfig(
    network=NetworkConfig(sizes=(5, 9, 2), units=(3, 1), arithmetic=ARITHMETIC), optimizer="sgd", update_interval=1
)
ACTOR_CRITIC = DDPGLearnerConfig(
    actor=NetworkConfig(sizes=(2, 7, 1), units=(3, 1), output_activation="tanh", arithmetic=ARITHMETIC),
    critic=NetworkConfig(sizes=(3, 5, 1), units=(2, 1), arithmetic=ARITHMETIC),
    loss="huber",
    optimizer="sgd",
    update_interval=1,
)


def test_batches_take_a_cycle_a_request():
    counts = count_batches(CONFIG, 128)
    assert (counts.leaves, counts.depth) == (150, 3)
    assert (counts.update, counts.sample) == (update_cycles(CONFIG, 128), sample_cycles(CONFIG, 128))
    assert counts.update < counts.sample <= 128 + 8 * 5


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("batch", [1, 2, 37])
def test_the_model_is_exact_for_any_batch(batch, lanes):
    config = dataclasses.replace(CONFIG, lanes=lanes)
    counts = count_batches(config, batch)
    assert (counts.update, counts.sample) == (update_cycles(config, batch), sample_cycles(config, batch))


def test_a_wrong_answer_is_no_figure(monkeypatch):
    class Wrong(SumTreeReference):
        def serve(self, requests):
            answers = super().serve(requests)
            # The lowest bit of the index.
            return dataclasses.replace(answers, index=answers.index ^ 1)

    monkeypatch.setattr("rewardware.sw.device.replay_backends.SumTreeReference", Wrong)
    with pytest.raises(LockstepError, match="The device's answer to sample differs from the reference in index"):
        bench_replay.count_batches(CONFIG, 16)


@pytest.mark.parametrize("config", [LEARNER, ACTOR_CRITIC], ids=["dqn", "ddpg"])
def test_a_sample_more_takes_a_stage_more(config):
    assert count_step(config, 33) - count_step(config, 20) == 13 * learner_stage_cycles(config)


def test_wrong_numbers_are_no_figure(monkeypatch):
    def wrong(*arguments, **settings):
        loss = temporal_difference_loss(*arguments, **settings)
        return loss._replace(derivatives=-loss.derivatives)

    monkeypatch.setattr("rewardware.sw.reference.learner.dqn_learner.temporal_difference_loss", wrong)
    with pytest.raises(LockstepError, match="The learner differs from the reference in weights"):
        count_step(LEARNER, 3)


def test_rows_of_the_learner(monkeypatch):
    """With cycles made up: the second network's steps are a tenth longer than the model says, DDPG's as long."""
    made_up = {"CartPole": 8773, "MountainCar": 75758, "MountainCarContinuous": 70664}
    configs = {bench_pearl._learner_config(name): cycles for name, cycles in made_up.items()}
    bench_pearl._step.cache_clear()
    monkeypatch.setattr(bench_learner, "count_step", lambda config, batch: configs[config])
    rows = {name: row() for name, row in PearlBench().ids().items() if "learner" in name}
    bench_pearl._step.cache_clear()
    cycles, share, error = (rows[name] for name in ("learner_cycles_dqn", "learner_util_dqn", "model_error_learner"))
    assert (cycles["value"], cycles["paper"]) == (8773, 65 * (128 + 6))
    assert "CartPole, 4-64-64-2, UF 5-64-2, 279 units of at most 300, T_stage 65" in cycles["how"]
    # By hand: forward, target and gradient of 3 x 256, 257 x 128 and 129 x 3 weights, backward without the first layer.
    operations = 128 * (3 * (3 * 256 + 257 * 128 + 129 * 3) + 256 * 128 + 128 * 3)
    assert share["value"] == round(100 * operations / (266 * 75758), 1)
    assert "MountainCar, 2-256-128-3, UF 2-64-1, 266 units" in share["how"]
    assert error["value"] == round(100 * (75758 - 68871) / 75758, 2)
    assert (rows["learner_cycles_ddpg"]["value"], rows["learner_cycles_ddpg"]["paper"]) == (70664, 514 * (128 + 15))
    assert (
        "2-256-128-1, UF 2-64-1 and 3-256-128-1, UF 2-64-1, 666 units of at most 700, T_stage 514"
        in (rows["learner_cycles_ddpg"]["how"])
    )
    # The actor as before; the critic forward three times, into its gradient, back twice, and once to the action.
    operations = 3 * (3 * 256 + 257 * 128 + 129) + 256 * 128 + 128
    operations += 4 * (4 * 256 + 257 * 128 + 129) + 2 * (256 * 128 + 128) + 256
    assert rows["learner_util_ddpg"]["value"] == round(100 * 128 * operations / (666 * 70664), 1)


def test_there_is_a_row_for_every_fanout(capsys):
    figures = {f"{kind}_cycles_k{fanout}" for kind in ("sample", "update") for fanout in FANOUTS}
    assert figures <= set(PearlBench().ids())
    assert dispatch(["bench", "pearl", "--only", "sample_cycles_k3"]) == 2
    assert "must name figures of sample_cycles_k2" in capsys.readouterr().err
    assert dispatch(["bench", "pearl", "--config", "k2"]) == 2
    assert "Each figure of pearl has a configuration of its own" in capsys.readouterr().err


def test_trees_in_software_are_timed(monkeypatch):
    """Two windows of 20 batches each, the first contender's in 0.5 ms at best, the other's in 0.25 ms."""
    monkeypatch.setattr(bench_sum_trees, "WINDOWS", 2)
    for operation in ("sample", "update"):
        monkeypatch.setattr(bench_sum_trees, "time", fake_time(1e-3, 0.5e-3, 0.25e-3, 2e-3))
        found = bench_sum_trees.fastest_tree(operation, 1000)
        assert np.isclose(found["value"], 12.5, rtol=1e-9)
        each = zip(bench_sum_trees.CONTENDERS.values(), ("25.0", "12.5"), strict=True)
        assert all(f"{about} {time} us" in found["how"] for (_, about), time in each)


def test_portability_of_made_up_latencies(monkeypatch):
    """Each task takes a millisecond a batch on the processor, whatever it is: far more than elsewhere."""

    def measure(iteration, device, threads, seed):
        return {task: Latency(fixed=1e-3, origin="measured") for task in iteration.graph.kinds}

    monkeypatch.setattr("rewardware.sw.mapping.composer.torch_latency.measure", measure)
    row = portability()
    assert row["kind"] == "model" and row["value"] > 1
    # DQN: sample, four tasks of the learner, update; of which the processor has two where there is a GPU.
    alone, beside = 128 / 6e-3, 128 / 2e-3
    assert f"all on the processor {alone:.0f} ({alone:.0f}, {alone:.0f}, {alone:.0f})" in row["how"]
    assert f"composed {alone:.0f} (" not in row["how"] and f" ({alone:.0f}, " in row["how"]
    (told,) = re.findall(r"learner on the GPU where there is one \d+ \(21333, 21333, (\d+)\)", row["how"])
    assert alone < int(told) < beside


def test_what_does_not_run_is_not_portable():
    assert harmonic_mean([1, 3, 6]) == 2 and harmonic_mean([5, 0]) == 0


def test_a_missing_package_is_named():
    with pytest.raises(ValueError, match=r"Package toaster is missing: pip install 'rewardware\[comparison\]'"):
        comparison_library("toaster.tree")


@pytest.mark.parametrize(
    ("environment", "config", "expected"),
    [
        (
            "CartPole-v1",
            DQNConfig(hidden_sizes=(8,), batch_size=8, learning_starts=32, train_freq=16, gradient_steps=2),
            [12, 12, 12],
        ),
        (
            "MountainCarContinuous-v0",
            PrioritizedDDPGConfig(hidden_sizes=(8,), batch_size=8, learning_starts=32),
            [72, 70, 72],
        ),
        ("Pendulum-v1", PrioritizedSACConfig(hidden_sizes=(8,), batch_size=8, learning_starts=32), [72, 70, 72]),
    ],
)
def test_algorithms_are_measured_against_stable_baselines3(environment, config, expected, monkeypatch):
    """With a training so short that the ratio means nothing; every arm trains as often."""
    trained = []
    monkeypatch.setattr(bench_runtime, "REPEATS", 1)
    # On one core there is an arm more.
    monkeypatch.setattr(bench_runtime, "CORES", 2)
    measure = bench_runtime._experiences_per_second

    def counted(model, comparison):
        speed = measure(model, comparison)
        trained.append(getattr(model, "_n_updates", 0) or model.counters()["gradient_steps"])
        return speed

    monkeypatch.setattr(bench_runtime, "_experiences_per_second", counted)
    # Ours in half the time that the faster one of Stable-Baselines3's takes.
    monkeypatch.setattr(bench_runtime, "time", fake_time(1, 4, 2))
    row = bench_runtime.against_stable_baselines3(bench_runtime.Comparison(environment, config, 64))
    assert row["value"] == 2 and row["unit"] == "times" and row["kind"] == "measured"
    told = f"networks 8, batch 8, gradient steps: {config.gradient_steps} every {config.train_freq} experiences"
    assert told in row["how"]
    assert trained == expected


def test_rate_and_exploration_of_stable_baselines3_fall_by_steps():
    """However many steps `learn` is asked for."""
    falling = {"learning_rate": 2e-3, "learning_rate_final": 1e-3, "learning_rate_steps": 100, "exploration_steps": 100}
    config = DQNConfig(hidden_sizes=(8,), batch_size=8, learning_starts=8, train_freq=4, gradient_steps=1, **falling)
    model = bench_runtime.model_of(bench_runtime.Comparison("CartPole-v1", config, 64), 4)
    for steps in (20, 40):
        model.learn(20)
        assert model.num_timesteps == steps and model.exploration_rate == config.exploration_at(steps)
        assert np.isclose(model.policy.optimizer.param_groups[0]["lr"], config.learning_rate_at(steps))


@pytest.mark.parametrize(
    ("compare", "names"),
    [
        (bench_returns.returns_against_stable_baselines3, ("here", "Stable-Baselines3")),
        (bench_returns.returns_in_bfloat16, ("bfloat16", "binary32")),
    ],
)
def test_returns_beside_others(compare, names, monkeypatch):
    """With a training too short to learn anything."""
    monkeypatch.setattr(bench_returns, "SEEDS", 2)
    monkeypatch.setattr(bench_returns, "EPISODES", 1)
    config = PrioritizedSACConfig(hidden_sizes=(8,), batch_size=8, learning_starts=16)
    comparison = bench_runtime.Comparison("Pendulum-v1", config, 36)
    row = compare(comparison)
    assert all(f"{name}: means" in row["how"] for name in names)
    found = re.findall(r"means ([-\d., ]+), seeds at the end ([-\d., ]+)", row["how"])
    means, finals = ([list(map(float, told[index].split(","))) for told in found] for index in (0, 1))
    assert [len(curve) for curve in means] == [3, 3] and [len(seeds) for seeds in finals] == [2, 2]
    for curve, seeds in zip(means, finals, strict=True):
        assert np.isclose(curve[-1], np.mean(seeds), atol=0.1) and seeds[0] != seeds[1]
    assert np.isclose(row["value"], means[0][-1] - means[1][-1], atol=0.11)
    assert "after every 12 of 36 steps, 2 seeds" in row["how"]


def test_lines_of_a_user_are_at_most_thirty():
    (row,) = PearlBench().rows(["user_lines"])
    assert 20 < row["value"] <= 30 and "sac 30 (paper: 160)" in row["how"]
