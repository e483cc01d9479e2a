"""Rules that play games of the Arcade Learning Environment from the emulator's memory: whom a policy learns from.

A rule knows where everything is; the policy has to find it in the pixels.
"""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

__all__ = ["RULES", "Rule", "rule_of"]

# The name of an action for the memory (128,) now and at the observation before.
Rule = Callable[[NDArray[np.uint8], NDArray[np.uint8]], str]

# How far a paddle goes on by itself, as a part of its last step.
COASTING = 0.3


def breakout(memory: NDArray[np.uint8], before: NDArray[np.uint8]) -> str:
    """Stay under the ball, and serve where there is none."""
    (ball, height, paddle), (_, _, paddle_before) = (_bytes(each, 99, 101, 72) for each in (memory, before))
    if not height:
        return "FIRE"
    # The paddle's place is that of its left end.
    distance = ball - paddle - 6 - COASTING * (paddle - paddle_before)
    if abs(distance) < 6:
        return "NOOP"
    return "RIGHT" if distance > 0 else "LEFT"


RULES: Mapping[str, Rule] = {"breakout": breakout}


def rule_of(env: gymnasium.Env) -> Callable[[NDArray[np.uint8]], int]:
    """The rule of a game: the number of an action for the memories (2, 128), now and at the observation before.

    Raises
    ------
    ValueError
        There is no rule for the game; the text names those for which there is one.
    """
    game = "" if env.spec is None else env.spec.kwargs.get("game", "")
    if game not in RULES:
        raise ValueError(f"There is no rule to learn {game!r} from, only for {', '.join(RULES)}")
    emulated: Any = env.unwrapped
    rule, actions = RULES[game], {name: number for number, name in enumerate(emulated.get_action_meanings())}
    return lambda memories: actions[rule(*memories)]


def _bytes(memory: NDArray[np.uint8], *places: int) -> list[int]:
    return [int(memory[place]) for place in places]
