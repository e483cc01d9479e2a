"""A link of the user's own in the place of the simulator or a serial port, for every system."""

import math

import numpy as np
import pytest

from rewardware.hw.soc.devices import register_device
from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.hw.soc.presets import read_preset
from rewardware.sw.algorithms.ddpg_config import DDPGConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig
from rewardware.sw.algorithms.prioritized_replay_buffer import PrioritizedReplayBuffer
from rewardware.sw.core.environments.predator_prey_config import PredatorPreyConfig
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.open import open_device
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import DeviceSumTree, open_sum_tree
from rewardware.sw.device.search_tree_backends import DeviceTree, open_tree
from rewardware.sw.device.simulation import SimulationTransport
from rewardware.sw.device.transport import Transport
from rewardware.sw.systems.fixar.agent import FixarDDPG
from rewardware.sw.systems.learninggroup.agent import IC3Net
from rewardware.sw.systems.pearl.dqn import DQN
from tests.hw.soc.mcts.test_system import config_of
from tests.hw.soc.shell.row_memory import DEVICE, RowMemoryConfig
from tests.sw.device.test_simulation import check_round_trip

register_device(DEVICE)
REPLAY = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)


class Link:
    """A user's link, behind which is the simulator; it counts what goes over it."""

    def __init__(self, config):
        self.name = "The card in slot 3"
        self.inner = SimulationTransport(config)
        self.calls = self.closed = 0

    def read(self, address):
        self.calls += 1
        return self.inner.read(address)

    def write(self, address, value):
        self.inner.write(address, value)

    def write_words(self, address, values):
        self.inner.write_words(address, values)

    def send(self, rows):
        self.inner.send(rows)

    def receive(self):
        return self.inner.receive()

    def advance(self, cycles, *, until_done=False, rows=0):
        self.inner.advance(cycles, until_done=until_done, rows=rows)

    def forget(self):
        self.inner.forget()

    def close(self):
        self.closed += 1
        self.inner.close()


def test_a_device_is_behind_it():
    config = RowMemoryConfig()
    link: Transport = Link(config)
    with open_device("transport", config, transport=link) as device:
        check_round_trip(device)
        assert device.transport is link and link.calls > 10
    assert link.closed == 1


def test_another_device_behind_it_is_refused_and_the_link_closed():
    link = Link(RowMemoryConfig())
    with pytest.raises(DeviceError, match="^The card in slot 3 is built for another configuration"):
        open_device("transport", RowMemoryConfig(depth=101), transport=link)
    assert link.closed == 1


def test_the_sum_tree_is_behind_it():
    link = Link(REPLAY)
    samples = []
    for backend in (DeviceSumTree(REPLAY, "transport", transport=link), open_sum_tree("reference", REPLAY)):
        with PrioritizedReplayBuffer(150, device=ReplayDevice(backend, seed=3)) as buffer:
            buffer.add(number=np.arange(40))
            buffer.update_priorities(np.arange(40), np.arange(40.0))
            samples.append(buffer.sample(16).indices.tolist())
    assert samples[0] == samples[1] and link.closed == 1 and link.calls


def test_in_a_pair_it_is_the_one_that_is_compared():
    link = Link(REPLAY)
    with ReplayDevice(open_sum_tree("lockstep:reference,transport", REPLAY, transport=link)) as device:
        device.insert([1.0, 2.0])
        assert device.total() == 3
        assert device.backend.counts()["lockstep_steps"] > 0 and link.calls
    assert link.closed == 1


def test_the_search_tree_is_behind_it():
    config = config_of("uct")
    link = Link(config)
    tree = open_tree("transport", config, transport=link)
    assert isinstance(tree, DeviceTree) and tree.device.transport is link
    tree.close()
    assert link.closed == 1


def fixar(**where):
    config = DDPGConfig(hidden_sizes=(21, 17), batch_size=41, learning_starts=10)
    return FixarDDPG("Pendulum-v1", config, hardware="tiny", **where)


def learninggroup(**where):
    config = IC3NetConfig(hidden_size=11, episodes=6, groups=3, loss_scale=64.0, precision="mixed")
    return IC3Net(PredatorPreyConfig(size=3, predators=3, steps=5), config, hardware="small", **where)


def pearl(**where):
    config = DQNConfig(learning_starts=20, batch_size=8, hidden_sizes=(5, 3), max_grad_norm=math.inf, double_q=False)
    return DQN("CartPole-v1", config, hardware=REPLAY, **where)


def pearl_learner(**where):
    return pearl(learner="small", **where)


def arrays_of(agent):
    """Arrays that a learner has saved, without its plain numbers."""
    saved = agent.learner.save()
    return saved[0] if isinstance(saved, tuple) else saved


@pytest.mark.parametrize(
    ("make", "hardware", "of", "steps"),
    [
        (fixar, read_preset("tiny").hardware, "", 24),
        (learninggroup, read_preset("small", "learninggroup").hardware, "", 1),
        (pearl, REPLAY, "", 24),
        (pearl_learner, read_preset("small", "pearl_learner").hardware, "learner_", 24),
    ],
)
def test_agents_learn_behind_it(make, hardware, of, steps, tmp_path):
    links = [Link(hardware), Link(hardware)]
    there, elsewhere = ({f"{of}backend": "transport", f"{of}transport": link} for link in links)
    agents = [make(**there), make(**{f"{of}backend": "reference"})]
    try:
        for agent in agents:
            agent.learn(steps)
        agents[0].save(tmp_path / "checkpoint.zip")
        agents.append(type(agents[0]).load(tmp_path / "checkpoint.zip", **elsewhere))
        states = [arrays_of(agent) for agent in agents]
    finally:
        for agent in agents:
            agent.close()
    assert all(link.closed == 1 and link.calls for link in links)
    assert states[0].keys() == states[1].keys() == states[2].keys()
    for state in states[1:]:
        assert all(np.array_equal(states[0][name], state[name]) for name in state)


@pytest.mark.parametrize(
    ("where", "options", "error", "words"),
    [
        ("transport", {}, ValueError, "Backend 'transport' is a device behind a link of your own: give transport="),
        (
            "sim",
            {"transport": object()},
            ValueError,
            "transport= is a link of your own: the backend must be 'transport'",
        ),
        ("transport", {"transport": object()}, TypeError, "object lacks name, read, write, write_words, send, receive"),
        ("pcie", {}, ValueError, "A device must be sim, uart:PORT, pynq:BITSTREAM or transport, not 'pcie'"),
    ],
)
def test_what_is_no_link_is_refused(where, options, error, words):
    with pytest.raises(error, match=words):
        open_device(where, RowMemoryConfig(), **options)


def test_options_of_other_links_are_refused():
    link = Link(RowMemoryConfig())
    try:
        with pytest.raises(ValueError, match="baud is for a link that is opened here, not for a given transport"):
            open_device("transport", RowMemoryConfig(), transport=link, baud=9600)
    finally:
        link.close()


@pytest.mark.parametrize("make", [lambda link: DQN("CartPole-v1", hardware=REPLAY, transport=link)])
def test_an_agent_that_would_not_use_it_says_so(make):
    with pytest.raises(ValueError, match="the backend must be 'transport', not 'reference'"):
        make(object())
