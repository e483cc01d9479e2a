"""Parts that cannot be made let go of what they have opened: devices, actors, shared memory."""

from multiprocessing.shared_memory import SharedMemory

import numpy as np
import pytest

from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.actors import actor_pool, process_actor
from rewardware.sw.actors.actor_pool import ActorPool
from rewardware.sw.algorithms import in_rounds, prioritized_replay_buffer
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.algorithms.policies import EpsilonGreedy
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint, write_checkpoint
from rewardware.sw.core.environments.environment import DiscreteEnvironment
from rewardware.sw.device import replay_backends
from rewardware.sw.device import search_tree_backends as tree_backends
from rewardware.sw.device.simulation import SimulationTransport
from rewardware.sw.systems.fixar.agent import FixarDDPG
from rewardware.sw.systems.learninggroup.agent import IC3Net
from rewardware.sw.systems.mcts import planner as planner_module
from rewardware.sw.systems.pearl import agent as replay_agent
from rewardware.sw.systems.pearl import learner_backends
from rewardware.sw.systems.pearl.dqn import DQN
from tests.hw.soc.mcts.test_system import config_of

REPLAY = PearlConfig(leaves=150)
# What every checkpoint says of itself.
OWN = ("format", "version", "rewardware", "arrays")
CONFIG = DQNConfig(hidden_sizes=(5, 3), double_q=False, max_grad_norm=float("inf"))


class Broken(Exception):
    """Raised by a step that comes after others."""


def broken(*_, **__):
    raise Broken


@pytest.fixture
def closed(monkeypatch):
    """Names of the references that were closed: sum tree, learner, tree."""
    found = []
    for module, name in (
        (replay_backends, "ReferenceSumTree"),
        (learner_backends, "ReferenceLearner"),
        (tree_backends, "ReferenceTree"),
    ):
        monkeypatch.setattr(getattr(module, name), "close", lambda self, name=name: found.append(name))
    return found


def test_an_agent_closes_its_sum_tree(closed, monkeypatch):
    monkeypatch.setattr(replay_agent, "PrioritizedReplayBuffer", broken)
    with pytest.raises(Broken):
        DQN("CartPole-v1", CONFIG, hardware=REPLAY)
    assert closed == ["ReferenceSumTree"]


@pytest.mark.parametrize("step", ["open_sum_tree", "ReplayDevice"])
def test_an_agent_closes_its_learner(step, closed, monkeypatch):
    monkeypatch.setattr(replay_agent, step, broken)
    with pytest.raises(Broken):
        DQN("CartPole-v1", CONFIG, hardware=REPLAY, learner="small")
    assert closed == ["ReferenceSumTree"] * (step == "ReplayDevice") + ["ReferenceLearner"]


def test_a_learner_that_takes_no_weights_is_closed(closed, monkeypatch):
    monkeypatch.setattr(learner_backends.ReferenceLearner, "load", broken)
    with pytest.raises(Broken):
        DQN("CartPole-v1", CONFIG, hardware=REPLAY, learner="small")
    assert closed == ["ReferenceLearner"]


@pytest.mark.parametrize("step", ["ActorPool", "TrainingLoop"])
def test_an_agent_with_actors_closes_all(step, closed, monkeypatch):
    pools = []

    class Pool(ActorPool):
        def close(self):
            pools.append(self)
            super().close()

    monkeypatch.setattr(replay_agent, "ActorPool", Pool)
    monkeypatch.setattr(replay_agent if step == "ActorPool" else in_rounds, step, broken)
    with pytest.raises(Broken):
        DQN("CartPole-v1", CONFIG, hardware=REPLAY, learner="small", actors=2, environments=1)
    assert sorted(closed) == ["ReferenceLearner", "ReferenceSumTree"]
    assert len(pools) == (step == "TrainingLoop")


def test_a_pool_gives_its_shared_memory_back(monkeypatch):
    blocks, made = [], []

    class Weights(actor_pool.WeightsBuffer):
        def __init__(self, arrays):
            super().__init__(arrays)
            blocks.append(self._block._memory.name)

    class Actor(process_actor.ProcessActor):
        def __init__(self, number, *rest):
            if number == 2:
                raise Broken
            super().__init__(number, *rest)
            blocks.append(self._ring._block._memory.name)
            made.append(self)

    monkeypatch.setattr(actor_pool, "WeightsBuffer", Weights)
    monkeypatch.setattr(actor_pool, "ProcessActor", Actor)
    weights = [np.zeros((2, 4), np.float32), np.zeros(2, np.float32)]
    with pytest.raises(Broken):
        ActorPool("CartPole-v1", DiscreteEnvironment, EpsilonGreedy(CONFIG, 2), weights, actors=3)
    assert len(blocks) == 3 and len(made) == 2
    for name in blocks:
        with pytest.raises(FileNotFoundError):
            SharedMemory(name=name)


def test_a_buffer_closes_its_device(closed, monkeypatch):
    monkeypatch.setattr(prioritized_replay_buffer, "ReplayDevice", broken)
    with pytest.raises(Broken):
        prioritized_replay_buffer.PrioritizedReplayBuffer(8)
    assert closed == ["ReferenceSumTree"]


class Link(SimulationTransport):
    """A link over which no program goes; it counts how often it is closed."""

    closed = 0
    write_words = broken

    def close(self):
        self.closed += 1
        super().close()


@pytest.mark.parametrize(
    ("make", "config"),
    [(replay_backends.DeviceSumTree, PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)),
     (tree_backends.DeviceTree, config_of("uct"))],
)  # fmt: skip
def test_a_device_that_takes_no_program_is_closed(make, config):
    link = Link(config)
    with pytest.raises(Broken):
        make(config, "transport", transport=link)
    assert link.closed == 1


def test_a_simulation_that_takes_no_register_is_closed(monkeypatch):
    made = []

    class Transport(SimulationTransport):
        def write(self, address, value):
            made.append(self.simulation)
            raise Broken

    with pytest.raises(Broken):
        Transport(config_of("uct"))
    assert made[0]._handle is None


def test_a_checkpoint_that_does_not_fit_closes_the_agent(tmp_path, monkeypatch):
    closed = []
    path = tmp_path / "checkpoint.zip"
    for make in (lambda: DQN("CartPole-v1", CONFIG, hardware=REPLAY), lambda: FixarDDPG("Pendulum-v1"), IC3Net):
        agent = make()
        agent.save(path)
        agent.close()
        arrays, rest = read_checkpoint(path)
        del arrays[next(name for name in arrays if name.startswith("learner/"))]
        write_checkpoint(path, arrays, {name: value for name, value in rest.items() if name not in OWN})
        monkeypatch.setattr(type(agent), "close", lambda self: closed.append(type(self)))
        with pytest.raises((ValueError, RuntimeError), match="lacks |Missing key"):
            type(agent).load(path)
        assert closed[-1] is type(agent)
    assert len(closed) == 3


@pytest.mark.parametrize("step", ["MCTSDevice", "MCTSPlanner"])
def test_planning_closes_its_tree(step, closed, monkeypatch, tmp_path, capsys):
    if step == "MCTSPlanner":
        monkeypatch.setattr(planner_module.MCTSPlanner, "__init__", broken)
    else:
        monkeypatch.setattr("rewardware.sw.device.search_tree.MCTSDevice.__init__", broken)
    with pytest.raises(Broken):
        dispatch(["--traceback", "plan", "mcts", "--env", "tic-tac-toe", "--out", str(tmp_path)])
    assert closed == ["ReferenceTree"]
