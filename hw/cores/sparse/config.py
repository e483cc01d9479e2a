"""Configuration of the sparse data units. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_multiple
from ..float.config import BINARY16, FloatFormat, find_format

__all__ = ["SparseConfig"]


def require_power_of_two(name, value, low, high):
    """Raise unless ``value`` is a power of two from ``low`` to ``high``."""
    require_integer(name, value, low, high)
    if value & (value - 1):
        raise ValueError(f"{name} must be a power of two, not {value}")


@dataclass(frozen=True, kw_only=True)
class SparseConfig:
    """Dimensions of everything that makes, keeps and uses sparse data.

    Layers with up to ``rows`` rows, ``core_columns`` columns in each of ``cores`` cores and ``groups`` groups can be
    grouped. A core numbers its own columns from 0; which column of the layer that is, is the program's affair.

    Parameters
    ----------
    cores : int
        Cores the columns are dealt to (1 to 16).
    rows : int
        Most rows of a layer (2 to 4096).
    core_columns : int
        Most columns of one core, a multiple of ``lanes`` (2 to 4096); ``cores * core_columns`` comparators stand.
    groups : int
        Most groups (2 to 64).
    lanes : int
        Numbers in a word of the grouping matrices and of the parameter memory: a power of two (2 to ``banks``).
    banks : int
        Banks of compressed weights, a power of two (2 to 64).
    format : FloatFormat or str
        The format of the grouping matrices.
    weight_width : int
        Bits of a compressed weight (1 to 64).
    parameter_latency : int
        Cycles from the address of a word of parameters to its weights (1 to 16): more than one where something, a
        conversion for instance, stands behind the memory.
    caching : bool
        Generate a bit vector once for each group. If not, for every row: the baseline that the encoder is measured
        against.
    grouping_words : int
        Words of the memory of grouping matrices, all layers together.
    index_words : int
        Words of ``lanes`` indexes in the memory of index lists.
    tuples : int
        Groups of all layers together: entries of the sparse row memory, and half of those of the table memory.
    row_list, column_list : int
        Entries of the lists of a core.
    weight_words : int
        Addresses of each bank of compressed weights.
    parameter_words : int
        Words of the parameter memory of a core.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    cores: int = 3
    rows: int = 512
    core_columns: int = 176
    groups: int = 32
    lanes: int = 16
    banks: int = 16
    format: FloatFormat = BINARY16
    weight_width: int = 16
    parameter_latency: int = 1
    caching: bool = True
    grouping_words: int = 4608
    index_words: int = 256
    tuples: int = 256
    row_list: int = 1024
    column_list: int = 512
    weight_words: int = 4096
    parameter_words: int = 4096

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Cores", self.cores, 1, 16)
        require_power_of_two("Banks", self.banks, 2, 64)
        require_power_of_two("Lanes", self.lanes, 2, self.banks)
        require_integer("Core columns", self.core_columns, 2, 4096)
        require_multiple("Core columns", self.core_columns, "lanes", self.lanes)
        require_integer("Rows", self.rows, 2, 4096)
        if self.rows > self.positions:
            raise ValueError(f"Rows must be at most cores times core columns ({self.positions}), not {self.rows}")
        require_integer("Groups", self.groups, 2, 64)
        require_integer("Weight width", self.weight_width, 1, 64)
        require_integer("Parameter latency", self.parameter_latency, 1, 16)
        if not isinstance(self.caching, bool):
            raise TypeError(f"Caching must be True or False, not {self.caching!r}")
        for name in ("grouping_words", "index_words", "weight_words", "parameter_words"):
            require_integer(name.replace("_", " ").capitalize(), getattr(self, name), 2, 1 << 20)
        require_integer("Tuples", self.tuples, self.groups, 1 << 16)
        require_integer("Row list", self.row_list, self.rows, 1 << 20)
        require_integer("Column list", self.column_list, self.core_columns, 1 << 20)

    @property
    def value_width(self):
        """Bits of a value of the grouping matrices."""
        return find_format(self.format).width

    @property
    def positions(self):
        """Comparators: columns of all cores, or rows."""
        return self.cores * self.core_columns

    @property
    def core_blocks(self):
        """Words of ``lanes`` indexes that the columns of a core take at most."""
        return self.core_columns // self.lanes

    @property
    def position_blocks(self):
        """Words of ``lanes`` indexes of all comparators."""
        return self.cores * self.core_blocks

    @property
    def entries(self):
        """The larger of the rows and a core's columns: what a count of a group can be."""
        return max(self.rows, self.core_columns)
