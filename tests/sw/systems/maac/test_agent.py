"""MAAC: training that repeats and goes on, environments whose agents differ or end, failures, refusals."""

import gymnasium
import numpy as np
import pytest

from rewardware.sw.algorithms.maac.maac_config import MAACConfig
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.core.environments.joint_environments import JointEnvironments
from rewardware.sw.core.environments.rover_tower_config import RoverTowerConfig
from rewardware.sw.systems.agents import load_agent
from rewardware.sw.systems.maac.agent import MAAC
from tests.sw.core.environments.parallel import Broken, Staggered
from tests.sw.core.environments.test_joint_environments import Uneven

TASK = RoverTowerConfig(agents=4, steps=6, messages=3)
HERE = "tests.sw.core.environments.parallel"


def config(**values):
    settings = {"hidden_size": 8, "heads": 2, "episodes": 4, "updates": 2, "batch_size": 16, "buffer_size": 100}
    return MAACConfig(**{**settings, **values})


def records_of(agent, iterations):
    records = []
    agent.learn(iterations, lambda _, record: records.append(record))
    return records


def assert_same_state(one, other):
    (left, about), (right, rest) = one.learner.save(), other.learner.save()
    assert left.keys() == right.keys() and about == rest
    for name in left:
        assert np.array_equal(left[name], right[name]), name
    assert one._starts.bit_generator.state == other._starts.bit_generator.state


@pytest.mark.parametrize("env", [TASK, RoverTowerConfig(agents=2, steps=6), Uneven], ids=["four", "two", "uneven"])
def test_same_seed_same_bits_and_a_checkpoint_goes_on(env, tmp_path):
    whole = MAAC(env, config(seed=4))
    expected = records_of(whole, 6)
    begun = MAAC(env, config(seed=4))
    assert records_of(begun, 3) == expected[:3]
    begun.save(tmp_path / "checkpoint.zip")
    resumed = MAAC.load(tmp_path / "checkpoint.zip", env if env is Uneven else None)
    assert resumed.iterations == 3 and records_of(resumed, 3) == expected[3:]
    assert_same_state(resumed, whole)
    assert records_of(MAAC(env, config(seed=5)), 3) != expected[:3]
    assert "critic_loss" in expected[-1] and all(np.isfinite(value) for value in expected[-1].values())


def test_an_evaluation_leaves_training_alone():
    one, other = MAAC(TASK, config()), MAAC(TASK, config())
    expected = records_of(one, 4)
    assert records_of(other, 2) == expected[:2]
    first = other.evaluate(5)
    assert first["episodes"] == 8 and first["length"] == 6 and other.evaluate(5) == first
    assert other.evaluate(5, seed=1) != first and other.baseline(5) != first
    assert records_of(other, 2) == expected[2:]
    assert_same_state(one, other)
    assert "over 8 episodes, after 4 iterations" in other.describe_evaluation(first)[0]
    with pytest.raises(ValueError, match="Episodes of maac go on to their end: leave --steps 3 away"):
        other.evaluation(steps=3)


def test_experiences_say_what_followed():
    """Experiences of agents that end one after the other: what they observed, and for whom nothing follows."""
    agent = MAAC(Staggered, config(episodes=1, updates=0))
    agent.learn(1)
    kept = agent.learner.replay._experiences()
    # The last agent ends in step 4, and nothing is kept of the episode after it.
    assert len(agent.learner.replay) == 4
    assert kept["finished"].tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 0, 1]]
    assert kept["observations"][:, :, 1].tolist() == [[0, 0, 0], [1, 1, 1], [0, 2, 2], [0, 3, 0]]
    assert kept["next_observations"][:, :, 1].tolist() == [[1, 1, 1], [0, 2, 2], [0, 3, 0], [0, 4, 0]]
    paid = np.arange(1, 5)[:, np.newaxis] + (kept["actions"] + 2) / 8
    alive = np.array([2, 4, 3]) >= np.arange(1, 5)[:, np.newaxis]
    assert np.array_equal(kept["rewards"], np.where(alive, paid, 0).astype(np.float32))


class Blind(Staggered):
    """Agents of which the first observes zeros alone."""

    def _observations(self, agents):
        found = super()._observations(agents)
        return {agent: values * (agent != "agent_0") for agent, values in found.items()}


def test_an_agent_may_observe_nothing():
    agent = MAAC(Blind, config())
    records = records_of(agent, 4)
    assert all(np.isfinite(value) for value in records[-1].values()) and "policy_loss" in records[-1]


def test_a_failure_leaves_the_agent_of_the_iteration_before():
    """Draws of a failed try are taken back: the next try has the bits of a run that never failed."""

    def raising(environment, result):
        raise RuntimeError("out of fuel")

    class Failing(Broken):
        count = 0

        def step(self, actions):
            Failing.count += 1
            # In the middle of the third iteration, whose episodes take 4 steps each of 4 environments.
            return super().step(actions) if Failing.count == 16 * 2 + 7 else Staggered.step(self, actions)

    plain = MAAC(Staggered, config())
    expected = records_of(plain, 4)
    agent = MAAC(lambda: Failing(raising), config())
    assert records_of(agent, 2) == expected[:2]
    with pytest.raises(EnvironmentFailure, match="Step 2 of environment 2 .*: RuntimeError: out of fuel"):
        agent.learn(1)
    assert agent.iterations == 2 and records_of(agent, 2) == expected[2:]
    assert_same_state(agent, plain)


def test_more_experiences_than_there_is_room_for():
    agent = MAAC(TASK, config(buffer_size=16))
    records_of(agent, 2)
    assert len(agent.learner.replay) == 16


def test_checkpoints_of_other_environments_are_refused(tmp_path):
    path = tmp_path / "checkpoint.zip"
    MAAC(f"{HERE}:Staggered", config()).save(path)
    assert MAAC.load(path).environment.name == f"{HERE}:Staggered"
    with pytest.raises(CheckpointError, match=r"is of an environment with sizes \[3, 3, 3\]; this one has \[1, 2, 3\]"):
        MAAC.load(path, Uneven)
    with pytest.raises(ValueError, match="Backend must be torch, reference, rtl, lockstep, uart.*, not 'uart'"):
        MAAC.load(path, backend="uart")
    MAAC(TASK, config()).save(path)
    assert MAAC.load(path, "rover-tower").environment.task == MAAC(TASK, config()).environment.task
    with pytest.raises(CheckpointError, match="is of rover-tower and has its task: omit the environment"):
        MAAC.load(path, Staggered)
    MAAC(Staggered, config()).save(path)
    with pytest.raises(CheckpointError, match="is not registered: give the environment"):
        MAAC.load(path)
    assert isinstance(load_agent(path, env=Staggered), MAAC)
    arrays, about = read_checkpoint(path)
    arrays.pop("learner/update/critic.key.weight")
    write_checkpoint(path, arrays, {name: value for name, value in about.items() if name != "arrays"})
    with pytest.raises(CheckpointError, match="lacks critic.key.weight: it was written by version"):
        MAAC.load(path, Staggered)
    write_checkpoint(path, {}, {"agent": "ic3net"})
    with pytest.raises(CheckpointError, match="checkpoint of 'ic3net', not of 'maac'"):
        MAAC.load(path)


def test_refuses_what_it_cannot_train():
    with pytest.raises(ValueError, match="Backend must be torch, reference, rtl, lockstep, uart.*, not 'abacus'"):
        MAAC(TASK, config(), backend="abacus")
    with pytest.raises(ValueError, match="Heads of accelerator small must be those of the agents, 1, not 2"):
        MAAC(RoverTowerConfig(agents=2), config(hidden_size=8, heads=1), backend="rtl", hardware="small")
    with pytest.raises(ValueError, match="Backend 'transport' is a device behind a link of your own: give transport="):
        MAAC(TASK, config(), backend="transport")
    with pytest.raises(ValueError, match="'simple' cannot be made: .* The environment of MAAC itself is rover-tower"):
        MAAC("simple")
    made = JointEnvironments(lambda: Staggered(lengths=(3,)), 4)
    with pytest.raises(ValueError, match="MAAC must have at least 2 agents, whose critics attend to each other, not 1"):
        MAAC(made, config())
    assert all(environment.closed for environment in made._environments)
    with pytest.raises(ValueError, match="There must be the 4 episodes of the configuration, not 3"):
        MAAC(JointEnvironments(Staggered, 3), config())
    with pytest.raises(ValueError, match="Episodes that are made have their own length: omit steps 3"):
        MAAC(JointEnvironments(Staggered, 4), config(), steps=3)

    class Continuous(Staggered):
        def __init__(self):
            super().__init__()
            self.action_spaces["agent_1"] = gymnasium.spaces.Box(0, 1)

    with pytest.raises(ValueError, match="The action space of agent agent_1 must be Discrete, not Box"):
        MAAC(Continuous, config())


def test_steps_are_those_that_are_said():
    assert MAAC(TASK, config(), steps=3).environment.task["steps"] == 3
    assert MAAC(Staggered, config(), steps=3).environment.steps == 3
    assert MAAC("rover-tower", config()).environment.steps == 25
