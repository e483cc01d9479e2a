"""The search in C++ on the host: many trees in rounds, or one tree with threads."""

import contextlib
import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core.environments.board_environment import BoardEnvironment
from .native.game import make_native_game
from .native.library import native_library
from .native.rounds import Rounds
from .native.tables import ScoreTables
from .native.threads import Threads
from .position_evaluator import PositionEvaluator
from .search_config import SearchConfig
from .search_result import SearchResult
from .search_roots import begin_roots, simulations_of
from .tree_search import SearchError

__all__ = ["SCHEMES", "HostSearch"]

SYNCHRONOUS = "synchronous"
SCHEMES = (SYNCHRONOUS, "shared", "local")
CACHED_POSITIONS = 100_000


class HostSearch:
    """A :class:`.TreeSearch` in C++, whose work in the tree runs without the interpreter's lock.

    Parameters
    ----------
    environment : BoardEnvironment
        A game of two players who take turns. Games of :data:`.BOARD_GAMES` are played in C++; another one's steps are
        asked of its environment, of which the search has a copy.
    evaluator : PositionEvaluator
        It stays open. With several ``evaluators`` it is called by as many threads at once.
    config : SearchConfig
        With N ``workers``.
    scheme : str
        ``"synchronous"``: rounds, all positions side by side on one thread, the same bits each time. ``"shared"``: N
        threads on one tree with a lock a node, each with the evaluation of its own leaf. ``"local"``: one thread does
        all that is done in the tree, up to N evaluations under way. With threads, one position after the other is
        searched, and what is found depends on who comes first, unless N is 1.
    batch : int or None
        B, positions that are evaluated at once, of the schemes with threads; fewer where all who search wait. None: N.
    evaluators : int or None
        Threads that evaluate, of these schemes. None: N / B, rounded up, as many as the source has streams.
    cached : int
        Positions whose evaluations are remembered, of games in C++; 0: none.
    limit : float
        Seconds that an evaluation may take, of the schemes with threads.

    Raises
    ------
    ValueError
        There is no such scheme; a number out of its range.
    BuildError
        The compiler refused.

    Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 5.2.1.
    """

    def __init__(
        self,
        environment: BoardEnvironment,
        evaluator: PositionEvaluator,
        config: SearchConfig,
        *,
        scheme: str = "synchronous",
        batch: int | None = None,
        evaluators: int | None = None,
        cached: int = CACHED_POSITIONS,
        limit: float = 60.0,
    ):
        if scheme not in SCHEMES:
            raise ValueError(f"Scheme must be one of {', '.join(SCHEMES)}, not {scheme!r}")
        if scheme == SYNCHRONOUS and (batch, evaluators) != (None, None):
            raise ValueError(f"batch= and evaluators= are for the schemes with threads: omit them with {scheme!r}")
        batch = config.workers if batch is None else batch
        if not 1 <= batch <= config.workers:
            raise ValueError(f"Batch must be from 1 to the {config.workers} workers, not {batch}")
        evaluators = math.ceil(config.workers / batch) if evaluators is None else evaluators
        if not 1 <= evaluators <= config.workers:
            raise ValueError(f"Evaluators must be from 1 to the {config.workers} workers, not {evaluators}")
        if cached < 0:
            raise ValueError(f"Cached positions must be at least 0, not {cached}")
        if not limit > 0:
            raise ValueError(f"Limit must be above 0 seconds, not {limit}")
        self.config, self.scheme, self.batch, self.evaluators = config, scheme, batch, evaluators
        self._evaluator = evaluator
        self._environment = environment
        self._searches = self._root_batches = self._roots = 0
        library = native_library()
        with contextlib.ExitStack() as opened:
            self._game = make_native_game(environment)
            opened.callback(self._game.close)
            self._scores = ScoreTables(config)
            opened.callback(self._scores.close)
            self._cache = library.make_cache(cached, self._game.words)
            opened.callback(library.free_cache, self._cache)
            parts = self._game, self._scores, self._cache, evaluator, config
            self._trees: Rounds | Threads = (
                Rounds(*parts)
                if scheme == SYNCHRONOUS
                else Threads(*parts, shared=scheme == "shared", batch=batch, evaluators=evaluators, limit=limit)
            )
            opened.callback(self._trees.close)
            self._opened = opened.pop_all()
        self._closed = False

    def search(
        self,
        states: Sequence[Any],
        noise: Sequence[NDArray[np.float64]] | None = None,
        simulations: int | None = None,
    ) -> list[SearchResult]:
        """Search positions; as of :class:`.TreeSearch`. Ctrl-C ends the search."""
        self._refuse_if_closed()
        count = simulations_of(self.config, simulations)
        roots = begin_roots(self._environment, self._evaluator, states, noise, self.config.noise_fraction)
        if not roots:
            return []
        self._root_batches += 1
        self._roots += len(roots)
        try:
            results = self._trees.search(self._game.pack(states), roots, count)
        finally:
            self._game.forget()
        self._searches += len(results)
        return results

    def forget_evaluations(self) -> None:
        """Remember none: to be called when the evaluator says other things from now on."""
        self._refuse_if_closed()
        native_library().clear_cache(self._cache)

    def counters(self) -> dict[str, int]:
        """Searches; batches of the evaluator, positions in them, those of roots included; positions that were
        remembered; of schemes with threads nanoseconds of selections with their expansions, and of backups."""
        self._refuse_if_closed()
        counts = self._trees.counters()
        return {
            "searches": self._searches,
            "batches": counts.pop("batches") + self._root_batches,
            "positions": counts.pop("positions") + self._roots,
            "remembered": native_library().cache_hits(self._cache),
            **counts,
        }

    def close(self) -> None:
        """Give the trees back."""
        self._closed = True
        self._opened.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise SearchError("The search was closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
