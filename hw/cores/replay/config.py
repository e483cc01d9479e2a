"""Configuration of a sum tree. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["DRAW_WIDTH", "INDEX_WIDTH", "PRIORITY_WIDTH", "SumTreeConfig"]

# Bits of the fields of requests and answers; a tree may have less.
INDEX_WIDTH = 24
PRIORITY_WIDTH = 32
# Fraction bits of a draw in [0, 1): the probability of a leaf is off by at most the last one.
DRAW_WIDTH = 48

# Nodes of a level up to which they lie in distributed RAM, which is read when the node is wanted.
DISTRIBUTED_ROWS = 64
FANOUTS = (2, 4, 8, 16, 32)
MOST_LANES = 4


@dataclass(frozen=True, kw_only=True)
class SumTreeConfig:
    """A sum tree with a fanout.

    The nodes of level l, the root's is 0, have ``fanout ** (depth - 1 - l)`` leaves below each of their children; the
    root has no more children than it takes. Sums are as wide as they can get: none is ever rounded.

    Parameters
    ----------
    leaves : int
        Most experiences (2 to 2**24); any number.
    fanout : int
        K, children of a node: 2, 4, 8, 16 or 32, so that a digit of a leaf's index is made of wires.
    priority_width : int
        Bits of a priority, unsigned (1 to 32).
    priority_fraction : int
        Bits after the binary point (at most all of them). Hardware does not know it.
    lanes : int
        Samples that pass side by side, one a cycle each (1 to 4): rows of a beat, and copies of all nodes.
    node_latency : int
        Cycles to a node in block RAM: 2, with an output register, or 1, a cycle a level less at a lower clock.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    leaves: int
    fanout: int = 16
    priority_width: int = 32
    priority_fraction: int = 16
    lanes: int = 1
    node_latency: int = 2

    def __post_init__(self):
        require_integer("Leaves", self.leaves, 2, 1 << INDEX_WIDTH)
        require_integer("Priority width", self.priority_width, 1, PRIORITY_WIDTH)
        require_integer("Priority fraction", self.priority_fraction, 0, self.priority_width)
        require_integer("Lanes", self.lanes, 1, MOST_LANES)
        require_integer("Node latency", self.node_latency, 1, 2)
        if self.fanout not in FANOUTS:
            raise ValueError(f"Fanout must be {', '.join(map(str, FANOUTS[:-1]))} or {FANOUTS[-1]}, not {self.fanout}")

    def read_latency(self, level: int) -> int:
        """Cycles to a node of a level, 0 in distributed RAM."""
        return 0 if self.rows(level) <= DISTRIBUTED_ROWS else self.node_latency

    def level_latency(self, level: int) -> int:
        """Cycles of a request in a level: to its node, to its child, and to what is left there."""
        return max(1, self.read_latency(level)) + 2

    @property
    def index_width(self) -> int:
        """Bits of a leaf's index."""
        return (self.leaves - 1).bit_length()

    @property
    def digit_width(self) -> int:
        """Bits of a child's number."""
        return self.fanout.bit_length() - 1

    @property
    def depth(self) -> int:
        """D, levels of nodes with children."""
        return -(-self.index_width // self.digit_width)

    @property
    def total_width(self) -> int:
        """Bits of the sum of all leaves."""
        return self._sum_width(self.leaves)

    def rows(self, level: int) -> int:
        """Nodes of a level."""
        return -(-self.leaves // self.fanout ** (self.depth - level))

    def children(self, level: int) -> int:
        """Children that a node of a level has at most."""
        return min(self.fanout, -(-self.leaves // self.fanout ** (self.depth - 1 - level)))

    def digit(self, level: int) -> slice:
        """Bits of a leaf's index that are the number of a level's child; above them is the node's row."""
        low = self.digit_width * (self.depth - 1 - level)
        return slice(low, low + self.digit_width)

    def sum_width(self, level: int) -> int:
        """Bits of the sum of all leaves below a node of a level."""
        return self._sum_width(min(self.leaves, self.fanout ** (self.depth - level)))

    def _sum_width(self, leaves: int) -> int:
        return (leaves * ((1 << self.priority_width) - 1)).bit_length()
