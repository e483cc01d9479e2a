"""Contents of checkpoints, to compare."""

import numpy as np

from rewardware.sw.core.checkpoint import read_checkpoint


def learned(agent, path, steps):
    """Arrays of a checkpoint after training, and counters; the agent is closed."""
    try:
        agent.learn(steps).save(path)
        return read_checkpoint(path)[0], agent.counters()
    finally:
        agent.close()


def assert_same_arrays(one, other):
    """The arrays of two checkpoints are the same."""
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name]), name
