"""Configuration of the cost model."""

from dataclasses import dataclass

from ....hw.cores.checks import require_integer, require_kind
from ....hw.cores.convolution.gemm_config import GemmEngineConfig
from ....hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from ...core.fields import require_number
from .algorithms import Algorithm

__all__ = ["CostModelConfig"]


@dataclass(frozen=True, kw_only=True)
class CostModelConfig:
    """The engine and its memory.

    Parameters
    ----------
    rows, columns : int
        P_SA1 and P_SA2 of the systolic array.
    frequency : float
        FREQ, in hertz.
    bandwidth : float
        BW of the external memory, in bytes a second. By default four channels of DDR4-2400, as the source's card has.
    element_bytes : int
        Bytes of an element of a feature map.
    burst_length : int
        BL, in elements.
    initialization : int or None
        I_SA, cycles that each matrix product takes beside its passes; None: the larger of rows and columns.
    linear_transform : int
        LT, cycles that each matrix product of Winograd's algorithm takes besides. The source gives none.
    layout_overhead : int
        ovhd, cycles of a transformation from Winograd's to the Toeplitz layout. The source gives none.
    winograd : tuple of (m, r)
        Winograd's algorithms that there are.
    drains : int or None
        Drain chains of this project's GEMM engine, whose exact cycles layers take, without ``initialization``. None:
        equation 3.2.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; an array that the GEMM engine cannot have.
    """

    rows: int
    columns: int
    frequency: float = 286e6
    bandwidth: float = 77e9
    element_bytes: int = 1
    burst_length: int = 64
    initialization: int | None = None
    linear_transform: int = 0
    layout_overhead: int = 0
    winograd: tuple[tuple[int, int], ...] = ((2, 3),)
    drains: int | None = None

    def __post_init__(self) -> None:
        require_integer("Rows", self.rows, 1)
        require_integer("Columns", self.columns, 1)
        require_number("Frequency", self.frequency, positive=True)
        require_number("Bandwidth", self.bandwidth, positive=True)
        require_integer("Element bytes", self.element_bytes, 1)
        require_integer("Burst length", self.burst_length, 1)
        if self.initialization is not None:
            require_integer("Initialization", self.initialization, 0)
        require_integer("Linear transform", self.linear_transform, 0)
        require_integer("Layout overhead", self.layout_overhead, 0)
        require_kind("Winograd", self.winograd, tuple)
        for pair in self.winograd:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"Winograd must be pairs (m, r), not {pair!r}")
        _ = self.winograd_algorithms
        if self.drains is not None:
            if self.initialization is not None:
                raise ValueError(f"Initialization must be None with drains, not {self.initialization}")
            _ = self.engine

    @property
    def winograd_algorithms(self) -> tuple[Algorithm, ...]:
        """The same as algorithms."""
        return tuple(Algorithm(name="winograd", m=m, r=r) for m, r in self.winograd)

    @property
    def engine(self) -> GemmEngineConfig:
        """The GEMM engine with ``drains``; its cycles depend on the array alone, so memories are the smallest."""
        assert self.drains is not None
        array = SystolicArrayConfig(rows=self.rows, columns=self.columns, drains=self.drains)
        return GemmEngineConfig(array=array, input_rows=self.rows, weight_rows=1, sum_rows=self.drains)
