"""Games as the C++ search sees them: those it plays itself, and any other through its environment."""

import copy
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.environments.board_environment import BoardEnvironment
from ...core.environments.board_game import BoardGame
from ...core.environments.legal_actions import action_mask
from .library import OBSERVE_FUNCTION, STEP_FUNCTION, native_library

__all__ = ["EnvironmentGame", "NativeGame", "make_native_game"]

WORD_BITS = 64


class NativeGame:
    """A game whose rules are computed in C++.

    Parameters
    ----------
    game : BoardGame
    """

    def __init__(self, game: BoardGame):
        library = native_library()
        self.handle = library.make_line_game(game.rows, game.columns, game.line, game.gravity)
        self.actions, self.shape = game.actions, game.observation_shape
        self.words = library.state_words(self.handle)

    def pack(self, states: Sequence[tuple[int, int]]) -> NDArray[np.uint64]:
        """The words of positions (batch, words)."""
        size = self.words // 2 * (WORD_BITS // 8)
        packed = b"".join(stones.to_bytes(size, "little") for state in states for stones in state)
        return np.frombuffer(packed, "<u8").reshape(len(states), self.words).astype(np.uint64)

    def reraise(self) -> None:
        """Nothing of Python's fails in it."""

    def forget(self) -> None:
        """Nothing is kept of positions."""

    def close(self) -> None:
        """Give the game back."""
        native_library().free_game(self.handle)
        self.handle = None


class EnvironmentGame:
    """A game whose positions an environment knows: C++ asks for each step, which takes the interpreter's lock.

    Parameters
    ----------
    environment : BoardEnvironment
        It has a copy of its own.
    """

    def __init__(self, environment: BoardEnvironment):
        self._environment = copy.deepcopy(environment)
        self.actions, self.shape = environment.actions, environment.observation_shape
        self._states: dict[int, Any] = {}
        self._number = 0
        self._error: BaseException | None = None
        # Threads of the search ask at once, and the environment is in one position at a time.
        self._lock = threading.Lock()
        # The library calls them as long as the game is there.
        self._functions = STEP_FUNCTION(self._step), OBSERVE_FUNCTION(self._observe)
        values = int(np.prod(self.shape))
        self.handle = native_library().make_callback_game(self.actions, values, *self._functions)
        self.words = 1

    def pack(self, states: Sequence[Any]) -> NDArray[np.uint64]:
        """Numbers of positions (batch, 1)."""
        return np.array([[self._keep(state)] for state in states], np.uint64)

    def _keep(self, state: Any) -> int:
        self._number += 1
        self._states[self._number] = state
        return self._number

    def _step(self, state: int, action: int, reward: Any, terminal: Any) -> int:
        try:
            with self._lock:
                self._environment.restore(self._states[state])
                reward[0], terminal[0] = self._environment.step(action)
                return self._keep(self._environment.save())
        except BaseException as error:
            self._error = error
            return -1

    def _observe(self, state: int, planes: Any, legal: Any) -> int:
        try:
            with self._lock:
                self._environment.restore(self._states[state])
                np.ctypeslib.as_array(planes, self.shape)[:] = self._environment.observation()
                allowed = self._environment.legal_actions()
            np.ctypeslib.as_array(legal, (self.actions,))[:] = action_mask(allowed, self.actions)
            return 0
        except BaseException as error:
            self._error = error
            return -1

    def reraise(self) -> None:
        """Raise what the environment raised, if it did."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def forget(self) -> None:
        """Forget all positions: the search that asked for them is over."""
        self._states.clear()

    def close(self) -> None:
        """Give the game back."""
        native_library().free_game(self.handle)
        self.handle = None


def make_native_game(environment: BoardEnvironment) -> NativeGame | EnvironmentGame:
    """The game of an environment: in C++ where it is one of :data:`.BOARD_GAMES`."""
    return NativeGame(environment) if type(environment) is BoardGame else EnvironmentGame(environment)
