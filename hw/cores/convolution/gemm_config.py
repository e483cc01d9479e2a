"""Configuration of the GEMM engine. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_kind, require_multiple
from ..memory.config import TransposableConfig
from .systolic_array_config import SystolicArrayConfig

__all__ = ["GemmEngineConfig"]


@dataclass(frozen=True, kw_only=True)
class GemmEngineConfig:
    """A systolic array and the memories around it.

    Parameters
    ----------
    array : SystolicArrayConfig
        Its rows are the lanes of the input buffer, so they are at most those of a :class:`.TransposableMemory`.
    input_rows : int
        Rows of a half of the input buffer, a multiple of the array's rows.
    weight_rows : int
        Rows of a half of the kernel buffer (up to 2^24).
    sum_rows : int
        Rows of the accumulators, a multiple of the array's drains (up to 2^24).
    size_width : int
        Bits of the numbers of pixels and channels of a command (1 to 24).
    depth_width : int
        Bits of the number of products; so many products must fit into a sum of integers (1 to 24).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; sums that could wrap in the array.
    """

    array: SystolicArrayConfig
    input_rows: int
    weight_rows: int
    sum_rows: int
    size_width: int = 16
    depth_width: int = 16

    def __post_init__(self):
        require_kind("Array", self.array, SystolicArrayConfig)
        # The memory's configuration raises its own errors here.
        _ = self.input_memory
        require_integer("Weight rows", self.weight_rows, 1, 1 << 24)
        require_integer("Sum rows", self.sum_rows, 1, 1 << 24)
        require_multiple("Sum rows", self.sum_rows, "drains", self.array.drains)
        require_integer("Size width", self.size_width, 1, 24)
        require_integer("Depth width", self.depth_width, 1, 24)
        if self.array.format is None and self.array.products < (1 << self.depth_width) - 1:
            raise ValueError(
                f"Depth width must be such that a sum holds {(1 << self.depth_width) - 1} products, not only "
                f"{self.array.products} of {self.array.input_width} by {self.array.weight_width} bits in "
                f"{self.array.sum_width}: not {self.depth_width}"
            )

    @property
    def input_memory(self) -> TransposableConfig:
        """A half of the input buffer."""
        return TransposableConfig(lanes=self.array.rows, rows=self.input_rows, width=self.array.input_width)

    @property
    def weights(self) -> int:
        """Weights in a row of the kernel buffer: a row of the array along b, or along c."""
        return max(self.array.rows, self.array.columns)

    @property
    def bank_rows(self) -> int:
        """Rows of a bank of the accumulators, of which there are as many as drains."""
        return self.sum_rows // self.array.drains

    @property
    def row_width(self) -> int:
        """Bits of a row's number, with one for rows past the end of a memory."""
        rows = max(self.input_rows, self.weight_rows, self.sum_rows)
        return max(rows.bit_length(), self.size_width, self.depth_width) + 1
