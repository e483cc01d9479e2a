"""Configurations of the matrix engine and its parts. No Amaranth here."""

from dataclasses import dataclass
from enum import IntEnum

from ..checks import require_integer, require_power_of_two
from ..float.config import BINARY16, FloatFormat, find_format

__all__ = [
    "ACCUMULATORS",
    "COLUMN_BLOCK",
    "SLOTS",
    "ClusterConfig",
    "LaneReductionConfig",
    "MatrixConfig",
    "Product",
    "VpuConfig",
]

# A VPU has one sum in each stage of its adder.
ACCUMULATORS = 4
# A step reads an operand word in each of its cycles.
SLOTS = 4
# A weight gradient does at most so many columns for a row before the next row.
COLUMN_BLOCK = 4

_MOST_ROWS = 1 << 20


class Product(IntEnum):
    """Products that a command of the matrix engine computes."""

    FORWARD = 0
    BACKWARD = 1
    GRADIENT = 2


@dataclass(frozen=True, kw_only=True)
class VpuConfig:
    """A vector processing unit.

    Parameters
    ----------
    format : FloatFormat or str
        The format of operands and sums.

    Raises
    ------
    TypeError, ValueError
        No format.
    """

    format: FloatFormat = BINARY16

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))

    @property
    def vector_width(self):
        """Bits of the operands of the four accumulators."""
        return ACCUMULATORS * self.format.width


@dataclass(frozen=True, kw_only=True)
class ClusterConfig(VpuConfig):
    """A cluster of VPUs, and the words that are broadcast to it.

    Parameters
    ----------
    format : FloatFormat or str
        The format of operands and sums.
    cluster_vpus : int
        K, a power of two up to 32; a block of a word has 4 K lanes.
    blocks : int
        B, blocks of a word: 1, 2 or 4.
    error_ports : int
        Error words read in a cycle, 1 or 2.
    weight_banks : int
        Neighbouring weights that one read gives, a power of two, 4 to 64.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    cluster_vpus: int = 8
    blocks: int = 4
    error_ports: int = 2
    weight_banks: int = 16

    def __post_init__(self):
        super().__post_init__()
        require_power_of_two("Cluster VPUs", self.cluster_vpus, 1, 32)
        require_power_of_two("Blocks", self.blocks, 1, 4)
        require_integer("Error ports", self.error_ports, 1, 2)
        require_power_of_two("Weight banks", self.weight_banks, COLUMN_BLOCK, 64)

    @property
    def lanes(self):
        """Lanes of a block: each VPU's four accumulators."""
        return ACCUMULATORS * self.cluster_vpus

    @property
    def weight_bank_bits(self):
        """Bits of the number of a weight bank."""
        return (self.weight_banks - 1).bit_length()

    @property
    def error_slots(self):
        """Error words of a step."""
        return SLOTS * self.error_ports

    @property
    def cluster(self):
        """Configuration of a cluster, a part of this one."""
        return ClusterConfig(
            format=self.format,
            cluster_vpus=self.cluster_vpus,
            blocks=self.blocks,
            error_ports=self.error_ports,
            weight_banks=self.weight_banks,
        )


@dataclass(frozen=True, kw_only=True)
class LaneReductionConfig:
    """Sums over lanes and blocks.

    Parameters
    ----------
    format : FloatFormat or str
        The format of terms and sums.
    cluster_vpus : int
        K, a power of two up to 32: 4 K lanes are added up.
    tag_width : int
        Bits that go along with a sum, at least 1.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    format: FloatFormat = BINARY16
    cluster_vpus: int = 8
    tag_width: int = 16

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_power_of_two("Cluster VPUs", self.cluster_vpus, 1, 32)
        require_integer("Tag width", self.tag_width, 1, 64)


@dataclass(frozen=True, kw_only=True)
class MatrixConfig(ClusterConfig):
    """The matrix engine of a core and its memories.

    Parameters
    ----------
    format : FloatFormat or str
        The format of operands and sums.
    cluster_vpus : int
        K, a power of two up to 32; a block of a word has 4 K lanes.
    blocks : int
        B, blocks of a word: 1, 2 or 4.
    error_ports : int
        Error words read in a cycle, 1 or 2. With two, weight gradients fill the clusters better; the error memory is
        there twice.
    weight_banks : int
        Neighbouring weights that one read gives, a power of two, 4 to 64: banks of the weight and gradient memories.
    clusters : int
        Q, 1 to 256.
    cores : int
        C, banks of the activation memory, 1 to 16.
    features : int
        Most rows or columns of a layer, 2 to 4096.
    activation_rows : int
        Depth of a bank of the activation memory, in words.
    error_rows, result_rows : int
        Depth of the error and the result memory, in words.
    weight_rows : int
        Weights of a bank; the gradient memory is as large.
    list_rows : int
        Features in the row list, and in the column list.
    table_rows : int
        Entries of the group tables.
    steps : int
        Most steps of a weight gradient: words of all times and batches.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    clusters: int = 33
    cores: int = 3
    features: int = 512
    activation_rows: int = 4096
    error_rows: int = 8192
    result_rows: int = 1024
    weight_rows: int = 4096
    list_rows: int = 4096
    table_rows: int = 1024
    steps: int = 512

    def __post_init__(self):
        super().__post_init__()
        require_integer("Clusters", self.clusters, 1, 256)
        require_integer("Cores", self.cores, 1, 16)
        require_integer("Features", self.features, 2, 4096)
        require_integer("Steps", self.steps, 1, 1 << 16)
        for name in ("activation_rows", "error_rows", "result_rows", "weight_rows", "list_rows", "table_rows"):
            require_integer(name.replace("_", " ").capitalize(), getattr(self, name), 2, _MOST_ROWS)

    @property
    def vpus(self):
        """V, VPUs of the core."""
        return self.clusters * self.cluster_vpus

    @property
    def vectors(self):
        """Vectors of a word."""
        return self.lanes * self.blocks

    @property
    def result_half(self):
        """Rows of the first half of the result memory, which has a read port of its own: those without the highest
        bit of an address."""
        return 1 << (self.result_rows - 1).bit_length() - 1

    @property
    def reduction(self):
        """The configuration of the lane reduction."""
        return LaneReductionConfig(
            format=self.format,
            cluster_vpus=self.cluster_vpus,
            tag_width=self.weight_bank_bits + (self.weight_rows - 1).bit_length(),
        )

    @property
    def cluster_groups(self):
        """Numbers of clusters that are compiled together for simulation: about 64 lanes, at least four clusters."""
        groups = max(1, round(self.clusters / max(self.blocks, 64 // self.cluster_vpus)))
        groups = min(groups, max(1, self.clusters // self.blocks))
        least, more = divmod(self.clusters, groups)
        return (least + 1,) * more + (least,) * (groups - more)
