"""Random games in a network's place."""

import numpy as np
import pytest

from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.search.rollouts import RolloutEnvironment, RolloutEvaluator


def test_outcomes_are_those_of_the_player_whose_turn_it_is():
    rollouts = RolloutEnvironment(state_environment("tic-tac-toe"), 0)
    for action in (0, 3, 1, 4):
        rollouts.step(action)
    state = rollouts.save()
    values = np.array([rollouts.observation() for _ in range(600)])
    assert values.shape == (600, 1, 1, 1) and rollouts.save() == state
    # Both can win with their next move, the first player first: played out in all ways.
    expected = mean_of(rollouts, state)
    assert 0 < expected < 1 and values.mean() == pytest.approx(expected, abs=0.1)
    rollouts.restore(state)
    rollouts.step(8)
    other = np.array([rollouts.observation() for _ in range(600)])
    assert other.mean() == pytest.approx(mean_of(rollouts, rollouts.save()), abs=0.1)


def mean_of(environment, state):
    environment.restore(state)
    found = []
    for action in range(environment.actions):
        environment.restore(state)
        if environment.legal_actions() >> action & 1:
            reward, ended = environment.step(action)
            found.append(reward if ended else reward - mean_of(environment, environment.save()))
    return np.mean(found)


def test_the_evaluator_gives_them_and_a_seed_decides():
    games = [RolloutEnvironment(state_environment("connect-four"), seed) for seed in (4, 4, 5)]
    one, same, other = (np.stack([game.observation() for _ in range(30)]) for game in games)
    assert (one == same).all() and (one != other).any()
    priors, values = RolloutEvaluator().evaluate(one, np.ones((30, 7), bool))
    assert (priors == 1).all() and (values == one[:, 0, 0, 0]).all() and {-1.0, 1.0} <= set(values)
