"""Partition of a design: which modules become blocks."""

import os
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from .cache import content_key
from .netlist import CLOCK, Netlist

__all__ = ["BLOCKS_VARIABLE", "Partition", "choose_blocks"]

# Lines of a design up to which it is simulated as a whole.
BLOCKS_VARIABLE = "REWARDWARE_BLOCKS"
# Files that make the text of blocks.
_SOURCES = ("netlist.py", "partition.py", "block_model.py", "block.h")


@dataclass(frozen=True)
class Partition:
    """Limits above which a block is worth its calls.

    Lines are of Verilog, flattened; of a block those in other blocks do not count. The defaults were measured on the
    presets named ``paper``, on PEARL's learners of 279 and 666 units and on MCTS's tree of 16 levels
    (``rewardware bench simulation``).

    Parameters
    ----------
    whole : int
        Lines of a design that is simulated as a whole.
    often : int
        Instances from which on a module is there often.
    repeated, alone : int
        Least lines of a block that is there often, and of any other.
    calls : int
        Most further calls in a cycle of a block that is there often: one for each set of inputs that outputs follow
        without a register between.
    most : int
        Lines of a module that is there often up to which others inside it are not blocks: its code fits the caches.
    share : float
        Largest part of the design in a block: with the whole of it nothing would be idle.
    bits : float
        Most bits of ports for a line: they are compared and copied in every cycle.
    """

    whole: int = 60_000
    often: int = 4
    repeated: int = 400
    alone: int = 4_000
    calls: int = 2
    most: int = 12_000
    share: float = 0.6
    bits: float = 1.0

    @classmethod
    def of_environment(cls) -> Self:
        """With ``whole`` from ``REWARDWARE_BLOCKS``, if that is set: 0 has every design in blocks that can be.

        Raises
        ------
        ValueError
            It is no number of lines.
        """
        chosen = os.environ.get(BLOCKS_VARIABLE)
        if chosen is None:
            return cls()
        if not chosen.isdecimal():
            raise ValueError(f"{BLOCKS_VARIABLE} must be a number of lines, not {chosen!r}")
        return replace(cls(), whole=int(chosen))

    @classmethod
    def none(cls) -> Self:
        """Every design as a whole."""
        return cls(whole=sys.maxsize)

    @property
    def key(self) -> str:
        """Key of the blocks of a design, besides the design itself."""
        folder = Path(__file__).parent
        return content_key(**asdict(self), sources=[(folder / name).read_text() for name in _SOURCES])


def choose_blocks(netlist: Netlist, partition: Partition) -> list[str]:
    """The modules that become blocks, each after those inside it; none for a small design."""
    total = netlist.sizes[netlist.top]
    if total <= partition.whole:
        return []
    around: dict[str, set[str]] = {}
    for name, module in netlist.modules.items():
        for instance in module.instances:
            around.setdefault(instance.module, set()).add(name)

    def has_small_surroundings(name: str) -> bool:
        return all(
            netlist.counts[one] >= partition.often and netlist.sizes[one] <= partition.most for one in around[name]
        )

    chosen: list[str] = []
    lines: dict[str, int] = {}
    for name, module in netlist.modules.items():
        lines[name] = module.lines + sum(lines[one.module] for one in module.instances if one.module not in chosen)
        bits = sum(port.width for port in module.ports.values())
        if name == netlist.top or name not in netlist.dependences:
            continue
        calls = len({inputs for inputs in netlist.dependences[name].values() if inputs})
        often = netlist.counts[name] >= partition.often
        least = partition.repeated if often else partition.alone
        if (
            (calls <= partition.calls or not often)
            and netlist.clocks[name] == {CLOCK}
            and lines[name] >= least
            and bits <= partition.bits * lines[name]
            and netlist.sizes[name] <= partition.share * total
            and not has_small_surroundings(name)
        ):
            chosen.append(name)
    return chosen
