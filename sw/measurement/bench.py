"""Parts that the benches of all systems share: rows by name, made when they are asked for."""

import importlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar

from ...hw.soc.under_way import PROGRESS

__all__ = ["Bench", "BenchOfPresets", "comparison_library", "drawn_from", "make_row", "say"]

logger = logging.getLogger(__name__)

Figures = dict[str, Callable[[], dict[str, Any]]]


# Seed of the bench that makes rows, if one was chosen.
_seed: ContextVar[int | None] = ContextVar("seed", default=None)


def drawn_from(usual: int) -> int:
    """The seed of what a figure draws: the one that was chosen for the bench, else the usual one."""
    chosen = _seed.get()
    return usual if chosen is None else chosen


class Bench(ABC):
    """Rows of a bench; a system has one class of its own, with ``ids``."""

    config: Any
    # Figures that are compared from release to release: those that take seconds, exact ones wherever there are.
    tracked: ClassVar[Collection[str]] = ()

    @property
    def configuration(self) -> str:
        """Name of the configuration that the figures have."""
        return self.config.name

    @abstractmethod
    def ids(self) -> Figures:
        """The figures that there are, in the order of the specification's table."""

    def in_order(self, names: Sequence[str]) -> list[str]:
        """The order in which figures are made."""
        return list(names)

    @abstractmethod
    def close(self) -> None:
        """Gives back what making the rows took."""

    def rows(self, only: Iterable[str] | None = None, seed: int | None = None) -> list[dict[str, Any]]:
        """The rows named, or all; with a seed in the place of that of each figure (`drawn_from`).

        Figures keep what they counted: another seed takes another process.
        """
        known = self.ids()
        wanted = list(known) if only is None else list(only)
        for name in wanted:
            if name not in known:
                raise ValueError(f"--only must name figures of {', '.join(known)}, not {name!r}")
        made, before = {}, _seed.set(seed)
        try:
            for name in self.in_order(wanted):
                say(name)
                made[name] = {"id": name, **known[name]()}
        finally:
            _seed.reset(before)
            self.close()
        return [made[name] for name in wanted]


class BenchOfPresets(Bench):
    """Rows of a bench each of which has a preset of its own, the one that its name says.

    Parameters
    ----------
    preset : None
        There is no configuration of them all.

    Raises
    ------
    ValueError
        A preset is given.
    """

    system: ClassVar[str]

    def __init__(self, preset: str | None = None):
        if preset is not None:
            raise ValueError(
                f"Each figure of {self.system} has a configuration of its own: --config does not apply ({preset!r})"
            )

    @property
    def configuration(self) -> str:
        return "of each figure"

    def close(self) -> None:
        """Nothing is held."""


def make_row(value: float, unit: str, kind: str, how: str, paper: float | None = None) -> dict[str, Any]:
    """A row without its name."""
    return {"value": value, "unit": unit, "paper": paper, "kind": kind, "how": how}


def say(text: str) -> None:
    """Progress, to the person who waits."""
    logger.log(PROGRESS, "%s", text)


def comparison_library(name: str) -> Any:
    """A package that figures are held against.

    Raises
    ------
    ValueError
        It is missing; how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ValueError(f"Package {package} is missing: pip install 'rewardware[comparison]'") from None
