"""Memory map of a system as a host sees it. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_kind, require_power_of_two

__all__ = ["HostMapConfig", "HostRegion"]


@dataclass(frozen=True, kw_only=True)
class HostRegion:
    """Memories that a host reaches under one number: a copy a core, each of one or more banks.

    Parameters
    ----------
    name : str
        Name of the ports.
    number : int
        Number by which the host names it.
    width : int
        Bits of a host's row.
    depth : int
        Rows of a bank's memory.
    parts : int
        Host's rows in a row of the memory, the first in the lowest bits: a power of two.
    banks : int
        Memories of a core whose rows follow each other.
    cores : int
        Copies.
    latency : int
        Cycles from a read to its data (1 to 4).
    settle : int
        Cycles from a write that was granted until every reader finds it, beyond those of a memory (0 to 255).
    readable : bool
        The host reads it; else no read path is built, and a read is answered with something.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    name: str
    number: int
    width: int
    depth: int
    parts: int = 1
    banks: int = 1
    cores: int = 1
    latency: int = 1
    settle: int = 0
    readable: bool = True

    def __post_init__(self):
        require_kind("Name", self.name, str)
        require_integer("Number", self.number, 0, 255)
        require_integer("Width", self.width, 1)
        require_integer("Depth", self.depth, 1, 1 << 24)
        require_power_of_two("Parts", self.parts, 1, 64)
        require_integer("Banks", self.banks, 1, 64)
        require_integer("Cores", self.cores, 1, 64)
        require_integer("Latency", self.latency, 1, 4)
        require_integer("Settle", self.settle, 0, 255)
        require_kind("Readable", self.readable, bool)

    @property
    def bank_rows(self) -> int:
        """Host's rows of a bank."""
        return self.depth * self.parts

    @property
    def rows(self) -> int:
        """Host's rows of a core."""
        return self.banks * self.bank_rows

    @property
    def row_width(self) -> int:
        """Bits of a row of the memory."""
        return self.parts * self.width


@dataclass(frozen=True, kw_only=True)
class HostMapConfig:
    """All memories of a system that a host reaches.

    Parameters
    ----------
    regions : tuple of HostRegion
    core_width : int
        Bits of a core's number; all ones mean every core.
    modulus : int
        Accesses come with their memory's row modulo this number, for memories that are skewed by it; 1: they do not.
    registered : bool
        A register between an access and the memories, for short paths; a cycle more.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; two regions of one name or number; more cores than numbers;
        regions with parts of different widths; no region that is readable.
    """

    regions: tuple[HostRegion, ...]
    core_width: int = 1
    modulus: int = 1
    registered: bool = False

    def __post_init__(self):
        require_kind("Regions", self.regions, tuple)
        require_integer("Number of regions", len(self.regions), 1)
        require_integer("Core width", self.core_width, 1, 8)
        require_integer("Modulus", self.modulus, 1, 1024)
        require_kind("Registered", self.registered, bool)
        for field in ("name", "number"):
            values = [getattr(region, field) for region in self.regions]
            for value in values:
                if values.count(value) > 1:
                    raise ValueError(f"Regions must have different {field}s, not {value!r} twice")
        for region in self.regions:
            require_kind("Region", region, HostRegion)
            if region.cores > self.every_core:
                raise ValueError(f"Cores of {region.name} must be at most {self.every_core}, not {region.cores}")

        if len({region.width for region in self.regions if region.parts > 1}) > 1:
            raise ValueError("Regions with several parts in a row must have parts of the same width")
        if not self.readable:
            raise ValueError("At least one region must be readable")

    @property
    def readable(self) -> tuple[HostRegion, ...]:
        """The regions that the host reads."""
        return tuple(region for region in self.regions if region.readable)

    @property
    def every_core(self) -> int:
        """The number that means every core."""
        return (1 << self.core_width) - 1

    @property
    def cores(self) -> int:
        """Copies of what has most of them."""
        return max(region.cores for region in self.regions)

    @property
    def width(self) -> int:
        """Bits of the widest host's row."""
        return max(region.width for region in self.regions)

    @property
    def row_width(self) -> int:
        """Bits of the widest memory's row that the host reads."""
        return max(region.row_width for region in self.readable)

    @property
    def parts(self) -> int:
        """Most parts of a row."""
        return max(region.parts for region in self.regions)

    @property
    def rows(self) -> int:
        """Host's rows of the largest region."""
        return max(region.rows for region in self.regions)

    @property
    def number_width(self) -> int:
        """Bits of a region's number."""
        return max(1, max(region.number for region in self.regions).bit_length())

    @property
    def read_latency(self) -> int:
        """Cycles from a read at a memory's port until the row is chosen.

        At least 2: the data of a block memory are late in their cycle and wait for the next one.
        """
        return max(2, *(region.latency for region in self.readable))

    @property
    def latency(self) -> int:
        """Cycles from an access to its answer, while no port makes it wait."""
        return self.registered + self.read_latency + 1

    def region(self, name: str) -> HostRegion:
        """The region of a name.

        Raises
        ------
        ValueError
            There is none.
        """
        for region in self.regions:
            if region.name == name:
                return region
        raise ValueError(f"Region must be one of {', '.join(region.name for region in self.regions)}, not {name!r}")
