"""Configuration of the search tree and its number formats. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_power_of_two

__all__ = [
    "COEFFICIENT_FRACTION",
    "COEFFICIENT_WIDTH",
    "FACTOR_WIDTH",
    "IN_FLIGHT_WIDTH",
    "LOSS_WIDTH",
    "MOST_BANKS",
    "MOST_CHILDREN",
    "MOST_ROWS",
    "POLICIES",
    "PRIOR_WIDTH",
    "REWARD_FRACTION",
    "REWARD_WIDTH",
    "SCORE_FRACTION",
    "TOTAL_WIDTH",
    "VALUE_WIDTH",
    "VISIT_WIDTH",
    "TreeConfig",
    "require_concentration",
    "turns_are_long",
]

# Bits of a node's and of an edge's fields. Every selection counts towards a limit of 2**16 - 1, so no count and no sum
# can overflow.
VISIT_WIDTH = 16
REWARD_WIDTH, REWARD_FRACTION = 16, 12
TOTAL_WIDTH = REWARD_WIDTH + VISIT_WIDTH
# Value, factor, prior, loss and score have the same fraction, so that scores add without shifts.
SCORE_FRACTION = 16
VALUE_WIDTH = REWARD_WIDTH - REWARD_FRACTION + SCORE_FRACTION
FACTOR_WIDTH = SCORE_FRACTION + 1
PRIOR_WIDTH = SCORE_FRACTION
LOSS_WIDTH = SCORE_FRACTION
IN_FLIGHT_WIDTH = 8
# The constant c, in [0, 16).
COEFFICIENT_WIDTH, COEFFICIENT_FRACTION = 16, 12
# Children that a node may have, banks that a tree may have, and rows of all of them.
MOST_CHILDREN, MOST_BANKS, MOST_ROWS = 32, 1024, 1 << 16

POLICIES = ("uct", "puct", "puct_root", "puct_visits")
INTERCONNECTS = ("butterfly", "butterfly4", "crossbar")
BANK_ASSIGNMENTS = ("algorithm2", "next_empty")
COMPARISONS = ("lookup", "logic")
# Most rows in a block of a bank that levels share: enough for a grant to come in time, few enough that levels do share.
SHARED_BLOCK = 16


def turns_are_long(concentration: int) -> bool:
    """Whether so many stages share a port that their turns are on the longest paths, which registers end."""
    return concentration > 2


def require_concentration(concentration: int, stages: int, interconnect: str) -> None:
    """Refuse a concentration that leaves a butterfly fewer than two ports, and one of a crossbar."""
    require_integer("Concentration", concentration, 1, (1 << (stages - 1).bit_length()) // 2)
    if interconnect == "crossbar" and concentration != 1:
        raise ValueError(f"Concentration of a crossbar must be 1, not {concentration}")
    require_power_of_two("Concentration", concentration)


@dataclass(frozen=True, kw_only=True)
class TreeConfig:
    """Shape of the tree and choices of its hardware.

    Parameters
    ----------
    fanout : int
        F, children of a node (2 to ``MOST_CHILDREN``, 32).
    levels : int
        D, levels of nodes, the root's included; as many stages stand (2 to 64).
    banks : int
        Y, memory banks (``levels`` to 1024).
    rows : int
        Nodes that a bank holds, a power of two (2 to 4096); ``banks * rows`` at most 65 536.
    nodes : int
        X, most nodes from one clear to the next (2 to ``banks * rows``).
    workers : int
        p, workers (1 to 255).
    policy : str
        ``"uct"``; ``"puct"``, the AlphaZero form of equation 2.2 of the source, with the root of a logarithm;
        ``"puct_root"``, that of the publication, with the root of the count; ``"puct_visits"``, that of the
        publication's pseudocode, with the root of the node's own visits: one more, so that priors decide from the
        first selection on.
    group : int
        f, values that the selector compares in one cycle (2 to ``fanout``).
    comparison : str
        How the greatest of a group is found from its comparisons: ``"lookup"`` in a table, ``"logic"`` by the value
        that wins all of its comparisons.
    interconnect : str
        ``"butterfly"`` of 2 x 2 switches, ``"butterfly4"`` of 4 x 4 switches, ``"crossbar"``.
    concentration : int
        Levels that share a port of a butterfly, a power of two: P ports are ``ports``, and stages s, s + P and so on
        are at port s. Two halve the butterfly, and suit trees in which most of the deepest levels rest.
    bank_assignment : str
        ``"algorithm2"`` of the source, a bank at a time, each of one level alone; or ``"next_empty"``, the plain
        heuristic it is measured against: blocks of rows of one bank after the other, whatever the level.
    slots : int
        Nodes that a stage holds (2 to 64).
    flits : int
        Cycles in which a node is read from its bank and travels (1 to ``fanout``); none is without an edge.
    reserve : int
        A level asks for its next block of rows when the current one has this many left (1 to ``rows``), or at its
        first node where the block is not that large.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    fanout: int = 6
    levels: int = 16
    banks: int = 128
    rows: int = 128
    nodes: int = 10_000
    workers: int = 128
    policy: str = "uct"
    group: int = 6
    comparison: str = "logic"
    interconnect: str = "butterfly"
    concentration: int = 1
    bank_assignment: str = "algorithm2"
    slots: int = 32
    flits: int = 2
    reserve: int = 32

    def __post_init__(self):
        require_integer("Fanout", self.fanout, 2, MOST_CHILDREN)
        require_integer("Number of levels", self.levels, 2, 64)
        require_integer("Number of banks", self.banks, self.levels, MOST_BANKS)
        require_power_of_two("Rows of a bank", self.rows, 2, 4096)
        require_integer("Banks times rows", self.banks * self.rows, 4, MOST_ROWS)
        require_integer("Number of nodes", self.nodes, 2, self.banks * self.rows)
        require_integer("Number of workers", self.workers, 1, (1 << IN_FLIGHT_WIDTH) - 1)
        require_integer("Group", self.group, 2, self.fanout)
        require_integer("Number of slots", self.slots, 2, 64)
        require_integer("Number of flits", self.flits, 1, self.fanout)
        needed = -(-self.fanout // self.lanes)
        if needed != self.flits:
            edges = f"{self.fanout} edges, {self.lanes} a flit"
            raise ValueError(f"Number of flits must be {needed} for {edges}, not {self.flits}")
        require_integer("Reserve", self.reserve, 1, self.rows)
        for name, allowed in (
            ("policy", POLICIES),
            ("comparison", COMPARISONS),
            ("interconnect", INTERCONNECTS),
            ("bank_assignment", BANK_ASSIGNMENTS),
        ):
            if getattr(self, name) not in allowed:
                shown = name.replace("_", " ").capitalize()
                raise ValueError(f"{shown} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        require_concentration(self.concentration, self.levels, self.interconnect)

    @property
    def bank_width(self) -> int:
        """Bits of the number of a bank."""
        return (self.banks - 1).bit_length()

    @property
    def row_width(self) -> int:
        """Bits of the number of a row."""
        return (self.rows - 1).bit_length()

    @property
    def node_width(self) -> int:
        """Bits of the number of a node, ``bank * rows + row``."""
        return self.bank_width + self.row_width

    @property
    def block(self) -> int:
        """Rows that a level is given at a time: a bank, or a part of one that levels share."""
        return self.rows if self.bank_assignment == "algorithm2" else min(self.rows // 2, SHARED_BLOCK)

    @property
    def grant_threshold(self) -> int:
        """Rows left of a block at which a level asks for the next one."""
        return min(self.reserve, self.block - 1)

    @property
    def ports(self) -> int:
        """P, of the butterfly on either side: the power of two not below the levels, over the ``concentration``."""
        return (1 << (self.levels - 1).bit_length()) // self.concentration

    @property
    def lanes(self) -> int:
        """Edges of a flit: action a is lane ``a % lanes`` of flit ``a // lanes``."""
        return -(-self.fanout // self.flits)

    @property
    def explores_by_count(self) -> bool:
        """Whether exploration grows with the root of a count of visits, not with that of its logarithm."""
        return self.policy in ("puct_root", "puct_visits")

    @property
    def explores_first(self) -> bool:
        """Whether a node's own evaluation is one of its visits: exploration is then not 0 at its first selection."""
        return self.policy == "puct_visits"

    @property
    def exploration_width(self) -> int:
        """Bits of ``g``, saturated: below 64, or 1024 where the count itself is under the root."""
        return SCORE_FRACTION + (10 if self.explores_by_count else 6)

    @property
    def score_width(self) -> int:
        """Bits of a score, signed: no sum of value, exploration and losses overflows."""
        losses = LOSS_WIDTH + IN_FLIGHT_WIDTH
        return 2 + max(self.exploration_width, losses)

    @property
    def unvisited_first(self) -> bool:
        """Whether a child that nobody has chosen wins over every other: its score is infinite in UCT, not in PUCT."""
        return self.policy == "uct"
