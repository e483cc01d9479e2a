"""The examples learn, and are as short as they are told to be."""

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.examples import ddpg, dqn, sac
from rewardware.sw.systems.pearl.bench.user_lines import EXAMPLES, count_lines


def test_dqn_learns_cartpole():
    torch.manual_seed(0)
    returns = dqn.main(6_000)
    # A random policy has 22; half of the actions are random at the end still.
    assert np.mean(returns[-10:]) > 30 > np.mean(returns[:50])


@pytest.mark.parametrize("example", [ddpg, sac])
def test_examples_of_continuous_actions_learn_pendulum(example):
    torch.manual_seed(0)
    returns = example.main(4_800)
    # Three episodes in each of 8 environments, of 200 steps. At first, and with a gradient that is wrong, means are
    # about -1200 to -1500; behind 3200 steps they were -230 to -640 with several seeds.
    assert len(returns) == 24 and np.mean(returns[:8]) < -1000
    assert np.mean(returns[16:]) > -850


def test_lines_are_counted_without_blank_ones_comments_and_docstrings():
    text = '"""What it is.\n\nMore.\n"""\n\nimport x\n\n# Why.\ndef f():\n    """Does it."""\n    return """a\nb"""\n'
    assert count_lines(text) == 4
    assert set(EXAMPLES) == {"dqn", "ddpg", "sac"}
