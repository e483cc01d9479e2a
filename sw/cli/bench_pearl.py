"""The figures of PEARL beside those of the paper and of sum trees in software."""

import functools
from collections.abc import Callable
from typing import Any

from .bench_rows import Bench, make_row

__all__ = ["PearlBench"]

FANOUTS = (2, 4, 8, 16)
BATCH = 128


class PearlBench(Bench):
    """Rows of the bench, each made when it is asked for.

    Every figure has a tree of its own, the preset that its name says: ``sample_cycles_k4`` is that of preset ``k4``.

    Parameters
    ----------
    preset : None
        There is no configuration of them all.

    Raises
    ------
    ValueError
        A preset is given.
    """

    def __init__(self, preset: str | None = None):
        if preset is not None:
            raise ValueError(
                f"Each figure of pearl has a configuration of its own: --config is not for it ({preset!r})"
            )

    @property
    def configuration(self) -> str:
        return "of each figure"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        rows: dict[str, Callable[[], dict[str, Any]]] = {
            f"{kind}_cycles_k{fanout}": part(self.cycles, kind, fanout)
            for kind in ("sample", "update")
            for fanout in FANOUTS
        }
        return rows

    def close(self) -> None:
        """Nothing is held."""

    def cycles(self, kind: str, fanout: int) -> dict[str, Any]:
        """Of a batch, from the start of the program to its end."""
        counts = _counts(fanout)
        depth = counts.depth
        paper = 2 * fanout * (BATCH + depth) if kind == "sample" else 2 * (BATCH + depth)
        what = {
            "sample": "samples, draws of the device, the total behind them",
            "update": "updates of leaves at random, their old priorities in the answers",
        }
        how = (
            f"preset k{fanout}: {BATCH} {what[kind]}, program included; {counts.leaves} leaves, {depth} levels; all "
            f"answers the reference's; {BATCH} + 8 * {depth} is {BATCH + 8 * depth}"
        )
        return make_row(getattr(counts, kind), "cycles", "counted", how, paper)


@functools.cache
def _counts(fanout: int) -> Any:
    from ...hw.soc.presets import load_preset
    from .bench_replay import count_batches

    return count_batches(load_preset(f"k{fanout}", "pearl"), BATCH)
