"""Plain Monte-Carlo tree search: random games in a network's place."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.environments.board_environment import BoardEnvironment, Symmetry
from .position_evaluator import Planes

__all__ = ["RolloutEnvironment", "RolloutEvaluator"]


class RolloutEnvironment:
    """A :class:`.BoardEnvironment` whose observation of a position is how a random game from there on ends.

    So a search that knows planes alone plays random games: its evaluator is the :class:`.RolloutEvaluator`.

    Parameters
    ----------
    environment : BoardEnvironment
        Environment of the game. Its state is that of this one.
    seed : int
        Seed of the random games.
    """

    observation_shape = (1, 1, 1)
    players = 2

    def __init__(self, environment: BoardEnvironment, seed: int):
        self._environment, self._random = environment, random.Random(seed)
        self.name, self.actions = environment.name, environment.actions
        self.symmetries: Sequence[Symmetry] = [(np.arange(1), np.arange(self.actions))]

    def reset(self, seed: int) -> None:
        """Begin a game."""
        self._environment.reset(seed)

    def step(self, action: int) -> tuple[float, bool]:
        """Make a move."""
        return self._environment.step(action)

    def save(self) -> Any:
        """The state."""
        return self._environment.save()

    def restore(self, state: Any) -> None:
        """Go back to a saved state."""
        self._environment.restore(state)

    def legal_actions(self) -> int:
        """Bit a is 1 if action a exists here."""
        return self._environment.legal_actions()

    def player(self) -> int:
        """The player to move."""
        return self._environment.player()

    def observation(self) -> np.ndarray:
        """Sum of the rewards of a random game from here on, as the player has it whose turn it is."""
        state = self._environment.save()
        value, sign, ended = 0.0, 1.0, False
        while not ended:
            reward, ended = self._environment.step(self._draw(self._environment.legal_actions()))
            value += sign * reward
            sign = -sign
        self._environment.restore(state)
        return np.full(self.observation_shape, value, np.float32)

    def _draw(self, legal: int) -> int:
        """A legal action, all as likely: draws among all until one is."""
        while True:
            action = int(self._random.random() * self.actions)
            if legal >> action & 1:
                return action


class RolloutEvaluator:
    """Finds every action as good as any other, and a position worth what its random game came to."""

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Ones, and the outcomes of a :class:`RolloutEnvironment`."""
        return np.ones(legal.shape, np.float32), planes.reshape(len(planes)).copy()

    def close(self) -> None:
        """Nothing is held."""
