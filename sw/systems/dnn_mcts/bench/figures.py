"""The figures of AlphaZero beside those of the paper and of other searches."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ....core.run_folder import CHECKPOINT
from ....measurement.bench import Bench
from . import playouts, schemes
from .configurations import configuration_of
from .perfect_moves import GAME, perfect_moves
from .strength import plain_search, strength

__all__ = ["DnnMCTSBench"]


class DnnMCTSBench(Bench):
    """Rows of the bench, all of one configuration.

    Parameters
    ----------
    preset : str
        One of :data:`.CONFIGURATIONS`; or the folder of a run of ``rewardware train alphazero``, whose strength is that
        of the row: the rest is of configuration ``paper``.

    Raises
    ------
    ValueError
        There is none of that name.
    """

    def __init__(self, preset: str = "paper"):
        self._run = Path(preset) if (Path(preset) / CHECKPOINT).is_file() else None
        self.config = configuration_of(preset if self._run is None else "paper")

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        config, part = self.config, functools.partial
        first, *others = config.evaluators
        rows: dict[str, Callable[[], dict[str, Any]]] = {
            "adaptive_speedup": part(schemes.adaptive_speedup, config, first),
            **{f"adaptive_speedup_{_word(name)}": part(schemes.adaptive_speedup, config, name) for name in others},
            "model_choice": part(schemes.model_choice, config),
            "vsearch_gap": part(schemes.vsearch_gap, config),
            "playouts_vs_peer": part(playouts.playouts_against_peers, config),
            "strength": part(strength, config, self._run),
            "plain_search": part(plain_search, config),
        }
        if self._run is not None or config.trained_env == GAME:
            rows["perfect_moves"] = part(perfect_moves, config, self._run)
        return rows | {
            f"{name}_playouts_per_s": part(playouts.playouts_per_second, config, name)
            for name in (*playouts.OURS, *playouts.PEERS)
        }

    def close(self) -> None:
        """Nothing is held."""


def _word(evaluator: str) -> str:
    """An evaluator's name without what separates names in ``--only``."""
    return evaluator.replace(":", "_").replace(",", "_")
