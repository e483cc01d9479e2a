"""One tree with threads: those of the search in C++, those that evaluate in Python."""

import contextlib
import threading

import numpy as np
from numpy.typing import NDArray

from ..position_evaluator import PositionEvaluator
from ..search_config import SearchConfig
from ..search_result import SearchResult
from ..search_roots import Root
from ..tree_search import SearchError
from .evaluation import evaluate_words
from .game import EnvironmentGame, NativeGame
from .library import last_error, native_library
from .rounds import as_result, root_arguments
from .tables import ScoreTables

__all__ = ["Threads"]

# Seconds after which a thread that waits for positions looks whether it was interrupted.
LOOK = 0.1
# Result of a search if a reward is out of its range.
OUT_OF_RANGE = -2


class Threads:
    """The schemes ``"shared"`` and ``"local"`` of :class:`.HostSearch`.

    Parameters
    ----------
    game : NativeGame or EnvironmentGame
    scores : ScoreTables
    cache : int
        Handle of the remembered evaluations.
    evaluator : PositionEvaluator
    config : SearchConfig
    shared : bool
        Whether all threads search; else one does.
    batch, evaluators, limit
        As of :class:`.HostSearch`.
    """

    def __init__(
        self,
        game: NativeGame | EnvironmentGame,
        scores: ScoreTables,
        cache: int,
        evaluator: PositionEvaluator,
        config: SearchConfig,
        *,
        shared: bool,
        batch: int,
        evaluators: int,
        limit: float,
    ):
        self._game, self._evaluator, self._evaluators = game, evaluator, evaluators
        self._library = native_library()
        self._handle = self._library.make_threaded(
            scores.handle, game.handle, cache, config.levels, shared, config.workers, batch, evaluators, limit
        )
        # Planes and legal actions of each evaluator's batch.
        self._batches = [
            (np.empty((batch, *game.shape), np.float32), np.empty((batch, game.actions), np.uint8))
            for _ in range(evaluators)
        ]
        self._error: BaseException | None = None

    def search(self, states: NDArray[np.uint64], roots: list[Root], simulations: int) -> list[SearchResult]:
        """Search positions one after another, given their words and roots."""
        return [self._search(state, root, simulations) for state, root in zip(states, roots, strict=True)]

    def _search(self, state: NDArray[np.uint64], root: Root, simulations: int) -> SearchResult:
        arguments = root_arguments(state, root)
        pointers = (array.ctypes.data for array in arguments)
        if self._library.threaded_begin(self._handle, self._game.handle, *pointers, root.value, simulations) < 0:
            raise ValueError(last_error())
        self._error = None
        # Helpers that Ctrl-C lets start late, unknown to be alive, must not evaluate for the search that comes next.
        started = threading.Barrier(self._evaluators)
        helpers = [threading.Thread(target=self._help, args=(number, started)) for number in range(1, self._evaluators)]
        try:
            for helper in helpers:
                helper.start()
            started.wait()
            self._serve(0)
        except BaseException as error:
            self._give_up(error)
            started.abort()
        self._join(helpers)
        ended = self._library.threaded_finish(self._handle)
        self._game.reraise()
        if self._error is not None:
            raise self._error
        if ended < 0:
            raise ValueError(last_error()) if ended == OUT_OF_RANGE else SearchError(last_error())
        return as_result(root, self._library.threaded_read, self._handle)

    def _serve(self, number: int) -> None:
        """Evaluate batches until none will come; what goes wrong, Ctrl-C too, ends the search first."""
        planes, legal = self._batches[number]
        library, handle = self._library, self._handle
        try:
            while (count := library.threaded_take(handle, number, planes.ctypes.data, legal.ctypes.data, LOOK)) >= 0:
                if count:
                    priors, values = evaluate_words(self._evaluator, planes[:count], legal[:count].view(np.bool_))
                    library.threaded_give(handle, number, priors.ctypes.data, values.ctypes.data)
        except BaseException as error:
            self._give_up(error)

    def _help(self, number: int, started: threading.Barrier) -> None:
        with contextlib.suppress(threading.BrokenBarrierError):
            started.wait()
            self._serve(number)

    def _give_up(self, error: BaseException) -> None:
        self._error = error
        self._library.threaded_fail(self._handle, b"The search was given up")

    def _join(self, helpers: list[threading.Thread]) -> None:
        """Wait for threads that evaluate, also where Ctrl-C comes meanwhile: they use what the next search replaces."""
        for helper in helpers:
            while helper.is_alive():
                try:
                    helper.join()
                except KeyboardInterrupt as error:
                    self._give_up(error)

    def counters(self) -> dict[str, int]:
        """Batches, positions in them, and nanoseconds in the tree."""
        counts = np.zeros(4, np.uint64)
        self._library.threaded_counts(self._handle, counts.ctypes.data)
        names = "select_nanoseconds", "backup_nanoseconds", "batches", "positions"
        return dict(zip(names, counts.tolist(), strict=True))

    def close(self) -> None:
        """Give the tree back."""
        self._library.free_threaded(self._handle)
        self._handle = None
