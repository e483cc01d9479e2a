"""DQN with its learner in hardware: PyTorch's gradient step, the same on every backend, what it refuses."""

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.algorithms.q_learner import QLearner
from rewardware.sw.algorithms.replay_buffer import Batch
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.systems.pearl.device_q_learner import DeviceQLearner
from rewardware.sw.systems.pearl.dqn import DQN
from rewardware.sw.systems.pearl.learner_backends import DeviceLearner, ReferenceLearner

from ...algorithms.checkpoints import assert_same_arrays, learned
from .test_dqn import CONFIG as DEFAULTS
from .test_dqn import HARDWARE

# As that of tests/hw/soc/pearl, so that its simulator is built once.
LEARNER = load_preset("small", "pearl_learner")
CONFIG = DQNConfig.from_mapping({**DEFAULTS.to_mapping(), **DQNConfig.suited_to(None, "small")})


def make(backend="reference", config=CONFIG, kind=DQN, **settings):
    return kind("CartPole-v1", config, hardware=HARDWARE, learner=LEARNER, backend=backend, **settings)


def test_gradient_steps_are_pytorchs():
    """But for the order of sums, whose rounding Adam makes larger where a gradient is near 0."""
    learners = QLearner(4, 2, CONFIG, 3), DeviceQLearner(CONFIG, 3, ReferenceLearner(LEARNER))
    rng = np.random.default_rng(0)
    observations = rng.normal(size=(50, 4)).astype(np.float32)
    for step in range(12):
        experiences = {
            "observation": rng.normal(size=(13, 4)).astype(np.float32),
            "action": rng.integers(2, size=13),
            "reward": rng.normal(0, 2, 13).astype(np.float32),
            "next_observation": rng.normal(size=(13, 4)).astype(np.float32),
            "terminated": rng.random(13) < 0.3,
        }
        batch = Batch(experiences, np.arange(13), rng.random(13).astype(np.float32))
        errors = [learner.train(learner.prepare(batch), step) for learner in learners]
        assert np.allclose(*errors, atol=1e-5)
        if step == 5:
            for learner in learners:
                learner.update_target()
    assert np.allclose(*(learner.values(observations) for learner in learners), atol=1e-4)
    for one, other in zip(*(learner.weights() for learner in learners), strict=True):
        assert np.allclose(one, other, atol=1e-4)


def test_every_backend_learns_the_same(tmp_path):
    runs = {backend: learned(make(backend), tmp_path / backend, 60) for backend in ("reference", "rtl", "lockstep")}
    arrays, counters = runs["lockstep"]
    for backend in ("reference", "rtl"):
        assert_same_arrays(runs[backend][0], arrays)
    assert runs["reference"][1] == {"gradient_steps": 16}
    assert counters["learner_lockstep_steps"] == 16
    # Priorities and all arrays of every step, and the weights that actions are chosen with.
    least = 16 * (CONFIG.batch_size + 4 * LEARNER.arrays["weights"].parameters)
    assert counters["learner_lockstep_equal"] == counters["learner_lockstep_compared"] > least
    assert counters["replay_lockstep_equal"] == counters["replay_lockstep_compared"]
    assert counters["step_cycles"] == runs["rtl"][1]["step_cycles"] > 16 * 13


def test_the_learner_may_be_elsewhere_than_the_replay(tmp_path):
    """Resumed, it stays there unless told otherwise, and so do its counts."""
    straight, _ = learned(make(), tmp_path / "straight.zip", 60)
    _, counters = learned(make(learner_backend="lockstep"), tmp_path / "agent.zip", 50)
    assert counters["learner_lockstep_steps"] and "replay_lockstep_steps" not in counters
    arrays, more = learned(DQN.load(tmp_path / "agent.zip"), tmp_path / "resumed.zip", 10)
    assert_same_arrays(straight, arrays)
    assert more["learner_lockstep_steps"] == more["gradient_steps"] > counters["learner_lockstep_steps"]
    for where in ({"learner_backend": "reference"}, {"backend": "reference"}):
        arrays, more = learned(DQN.load(tmp_path / "agent.zip", **where), tmp_path / "back.zip", 10)
        assert_same_arrays(straight, arrays)
        assert "learner_lockstep_steps" not in more
    with pytest.raises(ValueError, match="Backend must be reference, rtl, lockstep, uart.*, not 'fpga'"):
        make(learner_backend="fpga")
    with pytest.raises(ValueError, match="Gradient steps are in PyTorch: there is no learner to be on rtl"):
        DQN("CartPole-v1", DEFAULTS, hardware=HARDWARE, learner_backend="rtl")
    learned(DQN("CartPole-v1", DEFAULTS, hardware=HARDWARE), tmp_path / "torch.zip", 5)
    with pytest.raises(ValueError, match="there is no learner to be on rtl"):
        DQN.load(tmp_path / "torch.zip", learner_backend="rtl")
    with pytest.raises(ValueError, match=r"torch\.zip: only actors_on and learner_backend may be another, not actors"):
        DQN.load(tmp_path / "torch.zip", actors=2)
    # Counts are those of where it is now.
    _, more = learned(DQN.load(tmp_path / "straight.zip", learner_backend="lockstep"), tmp_path / "there.zip", 10)
    assert more["gradient_steps"] == more["learner_lockstep_steps"]


def test_the_learner_may_be_a_board(tmp_path):
    """A simulated one, with the library of tests/sw/systems/pearl/test_learner_driver.py."""
    straight, _ = learned(make(), tmp_path / "straight.zip", 34)
    with SimulatedBoard(LEARNER) as board:
        arrays, counters = learned(make(learner_backend=f"uart:{board.port}"), tmp_path / "board.zip", 34)
    assert_same_arrays(straight, arrays)
    assert counters["gradient_steps"] and counters["step_cycles"]


@pytest.mark.parametrize("settings", [{}, {"actors": 1, "environments": 5}])
def test_resumed_training_is_bit_identical(settings, tmp_path):
    straight, _ = learned(make(**settings), tmp_path / "straight.zip", 150)
    learned(make(**settings), tmp_path / "agent.zip", 80)
    resumed = settings.get("kind", DQN).load(tmp_path / "agent.zip", backend="rtl")
    assert_same_arrays(straight, learned(resumed, tmp_path / "resumed.zip", 70)[0])


def test_a_wrong_weight_of_the_rtl_stops_lockstep(monkeypatch):
    load = DeviceLearner.load

    def load_wrongly(learner, array, numbers):
        load(learner, array, numbers ^ (np.arange(len(numbers)) == 3).astype(np.uint32))

    monkeypatch.setattr(DeviceLearner, "load", load_wrongly)
    agent = make("lockstep")
    try:
        with pytest.raises(LockstepError, match=r"Gradient step 0, store: RTL differs from the reference in \w+\[3\]"):
            agent.learn(30)
    finally:
        agent.close()


@pytest.mark.parametrize(
    ("changes", "backend", "words"),
    [
        ({"hidden_sizes": (5, 4)}, "rtl", "Learner small has the network 4-5-3-2, not 4-5-4-2"),
        ({"double_q": True}, "reference", "double_q must be False with learner small, not True"),
        ({"max_grad_norm": 10}, "reference", "max_grad_norm must be inf with learner small, not 10"),
        ({"loss": "squared"}, "reference", "loss must be huber with learner small, not squared"),
        ({"precision": "bfloat16"}, "reference", "precision must be binary32 with learner small, not bfloat16"),
        ({}, "uart:/dev/null", "The board at /dev/null has the replay manager alone: say where the learner is"),
    ],
)
def test_what_the_learner_does_not_have_is_refused(changes, backend, words):
    with pytest.raises(ValueError, match=words):
        make(backend, DQNConfig.from_mapping({**CONFIG.to_mapping(), **changes}))
