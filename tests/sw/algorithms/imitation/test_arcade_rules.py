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


def pong(now, before, paddle, paddle_before=None):
    places = [{"at49": x, "at54": y} for x, y in (now, before)]
    old = paddle if paddle_before is None else paddle_before
    return RULES["pong"](memory(at51=paddle, **places[0]), memory(at51=old, **places[1]))


def test_pong_waits_where_the_ball_will_come():
    # 40 more to the right are 80 more down: at 180.
    assert pong((148, 100), (138, 80), 172) == "NOOP"
    assert pong((148, 100), (138, 80), 100) == "LEFT"
    assert pong((148, 100), (138, 80), 190) == "RIGHT"
    # 40 more are 160 more down: 53 behind the wall at 207, back at 154.
    assert pong((148, 100), (138, 60), 146) == "NOOP"
    # It goes away, or is not there: the middle, 125.5.
    assert pong((100, 100), (120, 90), 117) == pong((205, 0), (205, 0), 117) == "NOOP"
    assert pong((100, 100), (120, 90), 150) == "RIGHT"


@pytest.mark.parametrize(("game", "steps", "least"), [("Breakout", 400, 5), ("Pong", 400, -3)])
def test_a_rule_plays_better_than_at_random(game, steps, least):
    environment = FrameEnvironment(f"ALE/{game}-v5", 0)
    rule = rule_of(environment.env)
    played = environment.run_episode(1, lambda _: np.asarray(rule(environment.memories)), steps)
    generator = np.random.default_rng(1)
    drawn = environment.run_episode(1, lambda _: environment.random_action(generator), steps)
    assert played >= least > drawn


def test_games_without_a_rule_are_refused():
    with pytest.raises(ValueError, match="There is no rule to learn 'carnival' from, only for breakout, pong"):
        rule_of(FrameEnvironment("ALE/Carnival-v5", 0).env)
