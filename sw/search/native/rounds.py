"""Trees side by side on one thread, in rounds."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..position_evaluator import PositionEvaluator
from ..search_config import SearchConfig
from ..search_result import SearchResult
from ..search_roots import Root
from .evaluation import evaluate_words
from .game import EnvironmentGame, NativeGame
from .library import last_error, native_library
from .tables import ScoreTables

__all__ = ["Rounds", "as_result"]


class Rounds:
    """The scheme ``"synchronous"`` of :class:`.HostSearch`.

    Parameters
    ----------
    game : NativeGame or EnvironmentGame
    scores : ScoreTables
    cache : int
        Handle of the remembered evaluations.
    evaluator : PositionEvaluator
    config : SearchConfig
    """

    def __init__(
        self,
        game: NativeGame | EnvironmentGame,
        scores: ScoreTables,
        cache: int,
        evaluator: PositionEvaluator,
        config: SearchConfig,
    ):
        self._game, self._evaluator, self._workers = game, evaluator, config.workers
        self._library = native_library()
        self._handle = self._library.make_synchronous(scores.handle, game.handle, cache, config.levels, config.workers)
        self._counts = {"batches": 0, "positions": 0}

    def search(self, states: NDArray[np.uint64], roots: list[Root], simulations: int) -> list[SearchResult]:
        """Search positions, given their words and roots."""
        game, library = self._game, self._library
        room = len(roots) * min(self._workers, simulations)
        planes = np.empty((room, *game.shape), np.float32)
        legal = np.empty((room, game.actions), np.uint8)
        self._check(library.synchronous_begin(self._handle, len(roots)))
        for index, (state, root) in enumerate(zip(states, roots, strict=True)):
            arguments = root_arguments(state, root)
            self._check(
                library.synchronous_begin_tree(
                    self._handle,
                    game.handle,
                    index,
                    *(array.ctypes.data for array in arguments),
                    root.value,
                    simulations,
                )
            )
        left = True
        while left:
            count = self._check(library.synchronous_select(self._handle, planes.ctypes.data, legal.ctypes.data))
            priors, values = np.empty((0, game.actions), np.uint16), np.empty(0, np.float32)
            if count:
                priors, values = evaluate_words(self._evaluator, planes[:count], legal[:count].view(np.bool_))
                self._counts["batches"] += 1
                self._counts["positions"] += count
            left = bool(self._check(library.synchronous_back_up(self._handle, priors.ctypes.data, values.ctypes.data)))
        return [as_result(root, library.synchronous_read, self._handle, index) for index, root in enumerate(roots)]

    def _check(self, result: int) -> int:
        if result < 0:
            self._game.reraise()
            raise ValueError(last_error())
        return result

    def counters(self) -> dict[str, int]:
        """Batches, and positions in them."""
        return dict(self._counts)

    def close(self) -> None:
        """Give the trees back."""
        self._library.free_synchronous(self._handle)
        self._handle = None


def root_arguments(state: NDArray[np.uint64], root: Root) -> tuple[NDArray[Any], ...]:
    """Words, priors and legal actions as the library takes them."""
    return np.ascontiguousarray(state), root.priors.astype(np.uint16), root.legal.astype(np.uint8)


def as_result(root: Root, read: Any, *of: Any) -> SearchResult:
    """The result of a tree, read by a function of the library."""
    visits, totals = np.zeros(len(root.legal), np.int64), np.zeros(len(root.legal), np.int64)
    nodes, evaluations = ctypes.c_uint32(), ctypes.c_uint32()
    read(*of, visits.ctypes.data, totals.ctypes.data, ctypes.byref(nodes), ctypes.byref(evaluations))
    return SearchResult(
        visits=visits,
        totals=totals,
        priors=root.priors,
        value=root.value,
        legal=root.legal,
        nodes=nodes.value,
        evaluations=evaluations.value,
    )
