"""The figures of MCTS beside those of the paper and of searches in software."""

import functools
from collections.abc import Callable
from typing import Any

from .bench_rows import Bench, make_row

__all__ = ["MCTSBench"]

# Of the searches in software, which take the same time on any more levels.
LEVELS = 16
FANOUTS = (6, 18)
# Cycles between selections, by preset, with those of the source's table 3.8.
INTERVALS = {"f6_d8": 3.2, "f6_d16": 3.5, "f6_d32": 9.7, "f18_d4": 4.3, "f18_d16": 4.7, "f18_d32": 10.5}
# Of which preset the insertions are: the source gives 1.02 to 20 cycles for all of its trees.
INSERTIONS = "f6_d16"


class MCTSBench(Bench):
    """Rows of the bench, each made when it is asked for.

    Every figure has a tree of its own, the preset that its name says: ``f6_d16`` is that of preset ``f6-d16``.

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
            raise ValueError(f"Each figure of mcts has a configuration of its own: --config is not for it ({preset!r})")

    @property
    def configuration(self) -> str:
        return "of each figure"

    def ids(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The figures that there are, in the order of the specification's table."""
        part = functools.partial
        rows: dict[str, Callable[[], dict[str, Any]]] = {f"itv_{name}": part(self.interval, name) for name in INTERVALS}
        rows["insert_cycles"] = self.insertion
        for kind, name in (("plain", "cpp"), ("scored", "cpp_scored")):
            rows |= {f"{name}_ops_per_s_f{fanout}": part(self.uct, kind, fanout) for fanout in FANOUTS}
        return rows | {"mctx_simulations_per_s": self.mctx, "openspiel_simulations_per_s": self.openspiel}

    def close(self) -> None:
        """Nothing is held."""

    # Searches on the RTL.

    def interval(self, name: str) -> dict[str, Any]:
        counts = _search(name)
        how = (
            f"preset {name.replace('_', '-')}: {counts.selections} selections, those that came right behind another "
            f"one, all workers selecting and backing up in turn; {counts.nodes} nodes; {counts.requests} answers, all "
            "the reference's"
        )
        return make_row(round(counts.interval, 2), "cycles", "counted", how, INTERVALS[name])

    def insertion(self) -> dict[str, Any]:
        counts = _search(INSERTIONS)
        how = (
            f"preset {INSERTIONS.replace('_', '-')}: cycles of the assignment of banks over {counts.nodes} nodes; it "
            "works beside the stages, and an insertion takes no cycle of them"
        )
        return make_row(round(counts.assigning / counts.nodes, 2), "cycles", "counted", how)

    # Searches in software.

    def uct(self, kind: str, fanout: int) -> dict[str, Any]:
        from .bench_search import uct_speed

        tree = _tree(fanout)
        found = uct_speed(kind, fanout=fanout, levels=tree.levels, nodes=tree.nodes)
        return make_row(round(found["value"] / 1e6, 2), "million/s", "measured", found["how"])

    def mctx(self) -> dict[str, Any]:
        from .bench_search import mctx_speed

        tree = _tree(FANOUTS[0])
        found = mctx_speed(fanout=tree.fanout, levels=tree.levels)
        return make_row(round(found["value"]), "simulations/s", "measured", found["how"])

    def openspiel(self) -> dict[str, Any]:
        from .bench_search import openspiel_speed

        found = openspiel_speed(nodes=_tree(FANOUTS[0]).nodes)
        return make_row(round(found["value"]), "simulations/s", "measured", found["how"])


def _tree(fanout: int) -> Any:
    from ...hw.soc.presets import load_preset

    return load_preset(f"f{fanout}-d{LEVELS}", "mcts")


@functools.cache
def _search(name: str) -> Any:
    from ...hw.soc.presets import load_preset
    from .bench_tree import count_search

    return count_search(load_preset(name.replace("_", "-"), "mcts"))
