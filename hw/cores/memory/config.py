"""Configurations of the memories. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_even, require_integer, require_kind, require_multiple, require_name

__all__ = [
    "HAZARDS",
    "STYLES",
    "ActivationMemoryConfig",
    "ArbiterConfig",
    "MemoryConfig",
    "SharedMemoryConfig",
    "SharedUnalignedConfig",
    "TransposableConfig",
    "UnalignedConfig",
]

# Result of a read in the cycle in which its row is written.
HAZARDS = ("old", "forward", "never")
# Kinds of RAM that a synthesis tool may be told to use.
STYLES = ("auto", "block", "distributed")


@dataclass(frozen=True, kw_only=True)
class MemoryConfig:
    """A memory with one write port and any number of read ports.

    Parameters
    ----------
    depth : int
        Number of rows.
    lanes : int
        Equal parts of a row with a write enable each; every lane is a memory of its own.
    readers : int
        Number of read ports; tools make a copy of the memory for each.
    latency : int
        Cycles from a read to its data: 0 (combinational, distributed RAM), 1, or 2 (with an output register).
    hazard : str
        Word that a read gives whose row is written in its cycle: "old", what the row held before; "forward", what
        is written, by registers outside the memory, also in the cycle after the read where the latency is 2, so that a
        read gives all that was written before its data are there; "never", nothing defined, as the user promises that
        it does not happen. A combinational read gives what the row held before, so only "old" goes with a latency of 0.
    style : str
        Kind of memory that a tool is asked to make of it: "block" or "distributed" RAM, or "auto", as the tool likes.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; a hazard that does not go with the latency.
    """

    depth: int
    lanes: int = 1
    readers: int = 1
    latency: int = 1
    hazard: str = "old"
    style: str = "auto"

    def __post_init__(self):
        require_integer("Depth", self.depth, 1, 1 << 24)
        require_integer("Lanes", self.lanes, 1, 1024)
        require_integer("Readers", self.readers, 1, 64)
        require_integer("Latency", self.latency, 0, 2)
        require_name("Hazard", self.hazard, HAZARDS)
        require_name("Style", self.style, STYLES)
        if self.latency == 0 and self.hazard != "old":
            raise ValueError(f"Hazard must be old with a latency of 0, not {self.hazard!r}")


@dataclass(frozen=True, kw_only=True)
class ArbiterConfig:
    """Several users of one memory port.

    Parameters
    ----------
    depth : int
        Number of rows of the memory.
    users : int
        Number of users; the first has precedence.
    latency : int
        Cycles from a read to its data; only a read arbiter has one.
    lanes : int
        Parts of a row with a write enable each; only a write arbiter has them.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    depth: int
    users: int
    latency: int = 1
    lanes: int = 1

    def __post_init__(self):
        require_integer("Depth", self.depth, 1, 1 << 24)
        require_integer("Users", self.users, 1, 64)
        require_integer("Latency", self.latency, 0, 2)
        require_integer("Lanes", self.lanes, 1, 1024)


@dataclass(frozen=True, kw_only=True)
class SharedMemoryConfig:
    """A memory whose read port and whose write port several users share.

    Parameters
    ----------
    depth : int
        Number of rows.
    readers, writers : int
        Users of the read port and of the write port; the first of each has precedence.
    lanes : int
        Equal parts of a row with a write enable each.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    depth: int
    readers: int = 1
    writers: int = 1
    lanes: int = 1

    def __post_init__(self):
        require_integer("Depth", self.depth, 1, 1 << 24)
        require_integer("Readers", self.readers, 1, 64)
        require_integer("Writers", self.writers, 1, 64)
        require_integer("Lanes", self.lanes, 1, 1024)


@dataclass(frozen=True, kw_only=True)
class TransposableConfig:
    """Dimensions of a transposable memory.

    Parameters
    ----------
    lanes : int
        Words in a row, and rows in a block (2 to 128).
    rows : int
        Rows, a multiple of ``lanes`` (up to 2^24).
    width : int
        Bits in a word (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    rows: int
    width: int = 32

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 2, 128)
        require_integer("Rows", self.rows, self.lanes, 1 << 24)
        require_multiple("Rows", self.rows, "lanes", self.lanes)
        require_integer("Width", self.width, 1, 64)


@dataclass(frozen=True, kw_only=True)
class ActivationMemoryConfig:
    """Dimensions of an activation memory.

    Parameters
    ----------
    lanes : int
        Words in a row (even, 2 to 64).
    rows : int
        Rows, a multiple of ``lanes`` (up to 2^24).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    rows: int

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 2, 64)
        require_even("Lanes", self.lanes)
        require_integer("Rows", self.rows, self.lanes, 1 << 24)
        require_multiple("Rows", self.rows, "lanes", self.lanes)


@dataclass(frozen=True, kw_only=True)
class UnalignedConfig:
    """Dimensions of an unaligned memory.

    Parameters
    ----------
    lanes : int
        Words of an access (2 to 256).
    rows : int
        Words over ``lanes`` (2 to 2^24).
    width : int
        Bits in a word (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    rows: int
    width: int = 8

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 2, 256)
        require_integer("Rows", self.rows, 2, 1 << 24)
        require_integer("Width", self.width, 1, 64)


@dataclass(frozen=True, kw_only=True)
class SharedUnalignedConfig:
    """An unaligned memory whose read port and whose write port several users share.

    Parameters
    ----------
    memory : UnalignedConfig
    readers, writers : int
        Users of the read port and of the write port (1 to 64); the first of each has precedence.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    memory: UnalignedConfig
    readers: int = 1
    writers: int = 1

    def __post_init__(self):
        require_kind("Memory", self.memory, UnalignedConfig)
        require_integer("Readers", self.readers, 1, 64)
        require_integer("Writers", self.writers, 1, 64)
