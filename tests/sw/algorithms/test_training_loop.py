"""The loop: what is sampled, inserted and updated in which order, lost episodes, poisoned errors."""

import os
import signal

import numpy as np
import pytest

from rewardware.hw.cores.replay.config import SumTreeConfig
from rewardware.sw.actors.actor_pool import ActorPool
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.algorithms.prioritized_replay_buffer import PrioritizedReplayBuffer
from rewardware.sw.algorithms.training_loop import TrainingLoop
from rewardware.sw.core.environments.environment import DiscreteEnvironment
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import open_sum_tree
from tests.sw.algorithms.counting import Counting

CAPACITY = 50
CONFIG = DQNConfig(batch_size=7, learning_starts=20, train_freq=2, gradient_steps=1, alpha=1.0, priority_epsilon=0.0)


def any_action(weights, observations, step, generator):
    return generator.integers(3, size=len(observations))


class Learner:
    """Remembers its batches; errors are what `errors` says."""

    def __init__(self):
        self.batches, self.errors = [], lambda batch: np.ones(len(batch.indices))

    def train(self, batch, step):
        self.batches.append(batch)
        return self.errors(batch)

    def weights(self):
        return [np.zeros(1, np.float32)]


class Journal(PrioritizedReplayBuffer):
    """Writes down what it is asked."""

    def __init__(self, backend="reference"):
        config = SumTreeConfig(leaves=CAPACITY)
        super().__init__(CAPACITY, alpha=1.0, epsilon=0.0, device=ReplayDevice(open_sum_tree(backend, config)))
        self.journal = []

    def add(self, **experience):
        indices = super().add(**experience)
        self.journal.append(("add", indices))
        return indices

    def sample(self, batch, **settings):
        found = super().sample(batch, **settings)
        self.journal.append(("sample", found.indices))
        return found

    def update_priorities(self, indices, priorities):
        super().update_priorities(indices, priorities)
        self.journal.append(("update", indices))


@pytest.fixture(params=[True, False], ids=["overlapped", "in turn"])
def loop(request):
    pool = ActorPool(Counting, DiscreteEnvironment, any_action, [np.zeros(1, np.float32)], actors=2, environments=3)
    replay = Journal()
    opened = TrainingLoop(pool, replay, Learner(), CONFIG, overlap=request.param)
    yield opened
    opened.close()
    replay.close()


def test_insertions_follow_sampling_and_updates_spare_what_they_replaced(loop):
    for _ in range(3):
        assert loop.round()[1] is None
    # 3 gradient steps of every 6 experiences; that of step 20 is not behind learning_starts.
    loop.round()
    assert loop.gradient_steps == 2 and loop.num_timesteps == 24
    loop.replay.journal.clear()
    replaced = 0
    for _ in range(30):
        loop.round()
        kinds, indices = zip(*loop.replay.journal, strict=True)
        assert kinds == ("sample", "add", "sample", "update", "sample", "update", "update")
        batches = [batch.indices for batch in loop.learner.batches[-3:]]
        assert all(np.array_equal(batches[step], indices[at]) for step, at in enumerate((0, 2, 4)))
        assert np.array_equal(indices[3], batches[0][~np.isin(batches[0], indices[1])])
        assert np.array_equal(indices[5], batches[1]) and np.array_equal(indices[6], batches[2])
        replaced += len(batches[0]) - len(indices[3])
        loop.replay.journal.clear()
    assert replaced > 5 and loop.gradient_steps == 92 and loop.num_timesteps == 204
    assert np.array_equal(loop.replay.device.retrieve(np.arange(CAPACITY)), np.ones(CAPACITY))


def test_a_lost_episode_is_dropped_whole_and_nothing_counts_twice(loop):
    for _ in range(6):
        loop.round()
    loop.pool.round()
    os.kill(loop.pool.process_ids[0], signal.SIGKILL)
    told = {}
    while not loop.pool.restarts:
        # Episodes of the actor that dies, which are under way.
        told = {number: list(loop._episodes[number]) for number in range(6)}
        loop.round()
    dropped = sum(len(told[number]) for number in range(3))
    assert loop.dropped == dropped > 0 and loop.num_timesteps % 6 == 0
    priorities = loop.replay.device.retrieve(np.arange(len(loop.replay)))
    gone = np.flatnonzero(priorities == 0)
    assert gone.tolist() == sorted(number for index in range(3) for number in told[index])
    for _ in range(3):
        loop.round()
        # As far as others have not taken their places.
        gone = gone[gone >= loop.num_timesteps - CAPACITY]
        assert not any(np.isin(batch.indices, gone).any() for batch in loop.learner.batches[-3:])
    assert loop.dropped == dropped


@pytest.mark.parametrize("poison", [np.nan, -1.0, np.inf])
def test_poisoned_errors_stop_training_and_change_no_priority(loop, poison):
    for _ in range(6):
        loop.round()
    loop.learner.errors = lambda batch: np.full(len(batch.indices), poison)
    with pytest.raises(ValueError, match=r"Priorities must be (at least|from) 0.*, not (nan|-1|inf)"):
        loop.round()
    loop.replay.journal.clear()
    priorities = loop.replay.device.retrieve(np.arange(len(loop.replay)))
    assert np.array_equal(priorities, np.ones(len(priorities)))
    # The same loop goes on once errors are numbers again.
    loop.learner.errors = lambda batch: np.ones(len(batch.indices))
    loop.round()
    assert len(loop.replay) == loop.num_timesteps == 48


def test_a_round_larger_than_the_buffer_is_refused():
    pool = ActorPool(Counting, DiscreteEnvironment, any_action, [np.zeros(1, np.float32)], environments=51)
    with pool, Journal() as replay:
        with pytest.raises(ValueError, match="A round must be at most the buffer's 50 experiences, not 51"):
            TrainingLoop(pool, replay, Learner(), CONFIG)
