"""Configuration of the array matrix engine. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_interval
from ..memory.config import TransposableConfig
from .config import ArrayConfig, WritebackConfig

__all__ = ["ArrayEngineConfig"]


@dataclass(frozen=True, kw_only=True)
class ArrayEngineConfig:
    """Dimensions of an array matrix engine.

    Parameters
    ----------
    cores : int
        N, array cores in lockstep (1 to 62).
    lanes : int
        L: a core is L x L processing elements, a memory row L words (even, 2 to 64).
    weight_banks, gradient_banks : int
        Weight memories, and parts of the gradient memory, that commands choose from (1 to 4).
    weight_rows : int
        Rows of each of them, a multiple of ``lanes`` (up to 65536).
    activation_rows, error_rows : int
        Rows of a core's activation and error memory, multiples of ``lanes`` (up to 65536).
    accumulator_depth : int
        Entries in each of the two accumulator buffers (2 to 65536).
    slots : int
        Tensors with a recorded range (2 to 16).
    interval : int
        Cycles from one drained row to the next, a divisor of the lanes, see :class:`.WritebackConfig`.
    activation_fraction : int
        Fraction bits of activations (20).
    factor_lane : int or None
        See :class:`.WritebackConfig`.
    pipelined : bool
        See :class:`.ArrayConfig`.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    cores: int = 2
    lanes: int = 16
    weight_banks: int = 1
    gradient_banks: int = 1
    weight_rows: int = 1024
    activation_rows: int = 1024
    error_rows: int = 1024
    accumulator_depth: int = 512
    slots: int = 16
    interval: int = 1
    activation_fraction: int = 20
    factor_lane: int | None = None
    pipelined: bool = False

    def __post_init__(self):
        require_integer("Cores", self.cores, 1, 62)
        require_integer("Lanes", self.lanes, 2, 64, 2)
        require_integer("Weight banks", self.weight_banks, 1, 4)
        require_integer("Gradient banks", self.gradient_banks, 1, 4)
        for what in ("weight_rows", "activation_rows", "error_rows"):
            require_integer(what.replace("_", " ").capitalize(), getattr(self, what), self.lanes, 1 << 16, self.lanes)
        require_integer("Slots", self.slots, 2, 16)
        require_interval(self.interval, self.lanes)
        # The parts check what is theirs.
        _ = self.array, self.writeback, self.gradients

    @property
    def array(self):
        """Configuration of a core and its accumulators."""
        return ArrayConfig(
            lanes=self.lanes,
            accumulator_depth=self.accumulator_depth,
            activation_fraction=self.activation_fraction,
            pipelined=self.pipelined,
        )

    @property
    def writeback(self):
        """Configuration of the write-back path."""
        return WritebackConfig(
            cores=self.cores,
            lanes=self.lanes,
            rows=max(self.activation_rows, self.error_rows),
            slots=self.slots,
            activation_fraction=self.activation_fraction,
            interval=self.interval,
            factor_lane=self.factor_lane,
        )

    @property
    def gradients(self):
        """Configuration of the gradient memory: the rows of its banks, one after the other."""
        return TransposableConfig(lanes=self.lanes, rows=self.gradient_banks * self.weight_rows)
