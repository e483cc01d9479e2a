"""Training on the Verilated RTL: the reference's bits, alone and in lockstep, in both precisions."""

import numpy as np
import pytest

from rewardware.sw.algorithms.ddpg_config import DDPGConfig
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.core.run import Run
from rewardware.sw.systems.fixar.agent import FixarDDPG

CONFIG = DDPGConfig(hidden_sizes=(21, 17), batch_size=41, learning_starts=10, quantization_delay=20)


def make(backend: str, **options) -> FixarDDPG:
    return FixarDDPG("Pendulum-v1", CONFIG, hardware="tiny", backend=backend, **options)


def assert_same_state(one: FixarDDPG, other: FixarDDPG) -> None:
    left, right = one.learner.save(), other.learner.save()
    assert left.keys() == right.keys()
    for name in left:
        assert np.array_equal(left[name], right[name]), name


def test_rtl_trains_as_the_reference_and_reads_its_checkpoints(tmp_path):
    reference, rtl = make("reference").learn(30), make("rtl")
    try:
        rtl.learn(15).save(tmp_path / "a.zip")
        rtl.learn(15)
        assert_same_state(reference, rtl)
        observations = np.random.default_rng(0).normal(size=(7, 3))
        assert np.array_equal(reference.predict(observations)[0], rtl.predict(observations)[0])
        assert rtl.learner.counters()["cycles_from"] == "RTL"
    finally:
        rtl.close()
    assert_same_state(reference, FixarDDPG.load(tmp_path / "a.zip", backend="reference").learn(15))


def test_lockstep_compares_and_summarizes(tmp_path):
    agent = make("lockstep", lockstep_every=3)
    try:
        run = Run(agent, tmp_path, 32, evaluation_episodes=1, progress=False)
        counters = run.run()["counters"]
    finally:
        agent.close()
    assert counters["lockstep_steps"] == 8
    assert counters["lockstep_compared"] == counters["lockstep_equal"] > 8 * 2500
    assert counters["train_steps"] == 8 and counters["cycles_from"] == "RTL"
    assert 0 < counters["utilization"]["processing elements"] < 1
    assert (tmp_path / "statistics.png").stat().st_size > 5_000
    assert_same_state(make("reference").learn(32), agent_of(tmp_path))


def agent_of(directory):
    return FixarDDPG.load(directory / "checkpoint.zip", backend="reference")


def test_board_preset_in_lockstep_with_its_memories_full():
    config = DDPGConfig(hidden_sizes=(48, 32), batch_size=64, learning_starts=70, quantization_delay=74)
    agent = FixarDDPG("Pendulum-v1", config, hardware="ulx3s", backend="lockstep", lockstep_every=1)
    try:
        agent.learn(77)
        assert agent.learner.counters()["lockstep_steps"] == 7
    finally:
        agent.close()


def test_ranges_frozen_with_a_margin_are_the_references_up_to_the_words_limits():
    config = DDPGConfig.from_mapping({**CONFIG.to_mapping(), "range_margin": 3.7, "bits": 13})
    agent = FixarDDPG("Pendulum-v1", config, hardware="tiny", backend="lockstep", lockstep_every=1)
    try:
        state = agent.learn(20).learner.save()
        state["range/minimum"][0] = -(1 << 31)
        state["range/maximum"][2] = 1 << 30
        agent.learner.load(state)
        agent.learn(3)
        assert agent.learner.counters()["lockstep_steps"] == 13
        frozen = agent.learner.save()
    finally:
        agent.close()
    assert frozen["range/minimum"][0] == -(1 << 31) and frozen["range/maximum"][2] == (1 << 31) - 1
    assert frozen["range/maximum"][1] == np.ceil(state["range/maximum"][1] * 3.7) > 0


def test_lockstep_notices_a_single_bit():
    agent = make("lockstep", lockstep_every=2)
    load = agent.learner.device.load

    def spoiled(state):
        state["weight/target_critic/1/matrix"][16, 20] ^= 1 << 9
        load(state)

    agent.learner.device.load = spoiled
    try:
        with pytest.raises(LockstepError, match=r"Training step 0, train: RTL differs from the reference in "):
            agent.learn(20)
    finally:
        agent.close()
