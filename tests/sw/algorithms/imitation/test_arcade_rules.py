"""Rules of games: that they play, what they do where, and games without one."""

import numpy as np
import pytest

from rewardware.sw.algorithms.imitation.arcade_rules import RULES, rule_of
from rewardware.sw.core.environments.frame_environment import FrameEnvironment


def memory(**places):
    found = np.zeros(128, np.uint8)
    for place, value in places.items():
        found[int(place.removeprefix("at"))] = value
    return found


def breakout(ball, height, paddle, before=None):
    old = paddle if before is None else before
    return RULES["breakout"](memory(at99=ball, at101=height, at72=paddle), memory(at72=old))


def test_breakout_serves_and_follows_the_ball():
    assert breakout(100, 0, 100) == "FIRE"
    assert breakout(106, 90, 100) == "NOOP"
    assert breakout(112, 90, 100) == "RIGHT"
    assert breakout(100, 90, 100) == "LEFT"
    # It coasts there.
    assert breakout(112, 90, 100, before=98) == "NOOP"


def test_the_rule_plays_better_than_at_random():
    environment = FrameEnvironment("ALE/Breakout-v5", 0)
    rule = rule_of(environment.env)
    played = environment.run_episode(1, lambda _: np.asarray(rule(environment.memories)), 400)
    generator = np.random.default_rng(1)
    drawn = environment.run_episode(1, lambda _: environment.random_action(generator), 400)
    assert played >= 5 > drawn


def test_games_without_a_rule_are_refused():
    with pytest.raises(ValueError, match="There is no rule to learn 'carnival' from, only for breakout"):
        rule_of(FrameEnvironment("ALE/Carnival-v5", 0).env)
