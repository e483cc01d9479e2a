"""Configuration of DYNAMAP's device. No Amaranth here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ...cores.checks import require_integer, require_kind, require_multiple, require_power_of_two
from ...cores.convolution.gemm_config import GemmEngineConfig
from ...cores.convolution.layout_config import LayoutConfig
from ...cores.convolution.pool_config import PoolConfig
from ...cores.convolution.requantizer_config import MULTIPLIER_WIDTH
from ...cores.convolution.store_config import StoreConfig
from ...cores.convolution.systolic_array_config import SystolicArrayConfig
from ...cores.convolution.transform_config import LinearTransformConfig, winograd
from ...cores.convolution.window_reader_config import WindowReaderConfig
from ...cores.convolution.word_writer_config import WordWriterConfig
from ...cores.fractional_convolution.config import FractionalConvolutionConfig
from ...cores.fractional_convolution.unit_config import FractionalConvolutionUnitConfig
from ...cores.memory.config import SharedUnalignedConfig, UnalignedConfig
from ...cores.memory.host_map_config import HostMapConfig, HostRegion
from ..sequencer.instructions import InstructionSet
from ..shell.config import ShellConfig, configuration_hash
from ..shell.transfer_config import TransferConfig
from .instructions import ADDRESS_WIDTH, Memory, instruction_set
from .registers import REGISTERS

__all__ = ["DynamapConfig"]


@dataclass(frozen=True, kw_only=True)
class DynamapConfig:
    """The array, its numbers, and the memories around it.

    Parameters
    ----------
    name : str
        Name of the preset; not part of the hardware.
    rows, columns : int
        P_SA1 (up to 128) and P_SA2 of the systolic array.
    drains : int
        Drain chains of a column, a power of two.
    width : int
        Bits of activations and weights, two's complement (2 to 16).
    sum_width : int
        Bits of a sum (up to 47), with room for 2^16 - 1 products, or as many as it says in an error.
    transforms : tuple of (int, int)
        m and r of Winograd's F(m, r); none: the device has no transforms.
    turned_tiles : bool
        Winograd's algorithm may also be computed in IS (:class:`.StoreConfig`).
    feature_rows : int
        Rows of the memory of feature maps, a power of two; a row has as many words as the array's larger side.
    input_rows, weight_rows : int
        Rows of a half of the input buffer, a multiple of the array's rows, and of the kernel buffer.
    sum_rows : int
        Rows of the accumulators, a multiple of the drains.
    parameter_rows : int
        Rows of biases and multipliers, a row for as many channels as the array has columns.
    pooling_window : int
        Most pixels of a window of a pooling.
    pooling_length : int
        Most pixels of a line over which windows of a pooling slide; longer ones are pooled window by window.
    line_width, element_width : int
        Bits of a number of lines, and of a number of elements in a feature map, the sign included.
    fractional : FractionalConvolutionConfig, mapping or None
        FSCAccel's engine of fractionally strided convolutions, of integers, with at least as many columns as the array;
        its words that leave are those of the array's columns. None: the device has none.
    stream_width : int
        Bits of a beat of the host's streams, a multiple of 32.
    instruction_depth : int
        Instructions of the program memory, a power of two.
    system : str
        ``"dynamap"``.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; sizes that do not go together.
    """

    name: str = "custom"
    rows: int
    columns: int
    drains: int = 1
    width: int = 8
    sum_width: int = 32
    transforms: tuple[tuple[int, int], ...] = ()
    turned_tiles: bool = False
    feature_rows: int
    input_rows: int
    weight_rows: int
    sum_rows: int
    parameter_rows: int
    pooling_window: int = 64
    pooling_length: int = 128
    line_width: int = 10
    element_width: int = 18
    fractional: FractionalConvolutionConfig | None = None
    stream_width: int = 64
    instruction_depth: int = 512
    system: str = "dynamap"

    def __post_init__(self):
        require_kind("Name", self.name, str)
        if self.system != "dynamap":
            raise ValueError(f"System must be dynamap, not {self.system!r}")
        require_integer("Width", self.width, 2, 16)
        require_multiple("Stream width", self.stream_width, "those of a lane", 32)
        require_power_of_two("Instruction depth", self.instruction_depth, 2)
        object.__setattr__(self, "transforms", tuple(tuple(each) for each in self.transforms))
        if isinstance(self.fractional, Mapping):
            object.__setattr__(self, "fractional", FractionalConvolutionConfig(**self.fractional))
        # The units' configurations raise their own errors here.
        _ = self.shell, self.transfer

    @cached_property
    def features(self) -> UnalignedConfig:
        """The memory of feature maps."""
        return UnalignedConfig(lanes=max(self.rows, self.columns), rows=self.feature_rows, width=self.width)

    @cached_property
    def shared_features(self) -> SharedUnalignedConfig:
        """Its users: units, then the host."""
        users = 3 if self.fractional is None else 4
        return SharedUnalignedConfig(memory=self.features, readers=users, writers=users)

    @cached_property
    def array(self) -> GemmEngineConfig:
        """The GEMM engine, whose operands are wide enough for those of Winograd's algorithm."""
        inputs, weights = [self.width], [self.width]
        for transform in self.transforms:
            matrices = winograd(*transform)
            for widths, matrix in ((inputs, matrices.inputs), (weights, matrices.kernels)):
                widths.append(
                    LinearTransformConfig(matrix=matrix, lanes=1, width=self.width).following(matrix).result_width
                )
        array = SystolicArrayConfig(
            rows=self.rows,
            columns=self.columns,
            input_width=max(inputs),
            weight_width=max(weights),
            sum_width=self.sum_width,
            drains=self.drains,
        )
        return GemmEngineConfig(
            array=array,
            input_rows=self.input_rows,
            weight_rows=self.weight_rows,
            sum_rows=self.sum_rows,
            depth_width=max(1, min(16, (array.products + 1).bit_length() - 1)),
        )

    @cached_property
    def layouts(self) -> LayoutConfig:
        """The layout transformation unit."""
        reader = WindowReaderConfig(
            memory=self.features, lanes=self.rows, line_width=self.line_width, element_width=self.element_width
        )
        return LayoutConfig(reader=reader, buffer=self.array.input_memory, transforms=self.transforms)

    @cached_property
    def stores(self) -> StoreConfig:
        """The store unit."""
        return StoreConfig(
            gemm=self.array,
            features=self.features,
            parameter_rows=self.parameter_rows,
            transforms=self.transforms,
            turned_tiles=self.turned_tiles,
            line_width=self.line_width,
            element_width=self.element_width,
        )

    @property
    def _pixel_writer(self) -> WordWriterConfig:
        """Configuration of the writer that makes words of totals that are no tiles."""
        return replace(self.stores.writer, levels=3, planes=1)

    @cached_property
    def pooling(self) -> PoolConfig:
        """The pooling unit."""
        return PoolConfig(writer=self._pixel_writer, window=self.pooling_window, length=self.pooling_length)

    @cached_property
    def fractional_unit(self) -> FractionalConvolutionUnitConfig | None:
        """FSCAccel's engine, and what makes words of its sums."""
        if self.fractional is None:
            return None
        return FractionalConvolutionUnitConfig(
            engine=replace(self.fractional, output_lanes=self.columns), writer=self._pixel_writer
        )

    @cached_property
    def instruction_set(self) -> InstructionSet:
        """Instructions that the sequencer issues."""
        return instruction_set(self.layouts, self.array, self.stores, self.pooling, self.fractional_unit)

    @cached_property
    def host_map(self) -> HostMapConfig:
        """The memories as the host sees them, in beats of its streams."""
        parameters = self.columns * (self.sum_width + MULTIPLIER_WIDTH)
        weights = self.array.weights * self.array.array.weight_width
        fractional = []
        if self.fractional is not None:
            width = self.fractional.lanes * self.fractional.operand_width
            fractional.append(self._region(Memory.FRACTIONAL_WEIGHTS, width, self.fractional.weight_rows))
        return HostMapConfig(
            regions=(
                self._region(
                    Memory.FEATURES, self.features.lanes * self.width, self.feature_rows, latency=2, readable=True
                ),
                self._region(Memory.WEIGHTS_0, weights, self.weight_rows),
                self._region(Memory.WEIGHTS_1, weights, self.weight_rows),
                self._region(Memory.PARAMETERS, parameters, self.parameter_rows),
                *fractional,
            )
        )

    def _region(
        self, memory: Memory, width: int, depth: int, *, latency: int = 1, readable: bool = False
    ) -> HostRegion:
        """A memory whose rows have so many bits: a beat, or several of which the last are filled up with zeros."""
        beats = -(-width // self.stream_width)
        return HostRegion(
            name=memory.name.lower(),
            number=memory,
            width=self.stream_width,
            depth=depth,
            parts=1 << (beats - 1).bit_length(),
            latency=latency,
            readable=readable,
        )

    @cached_property
    def transfer(self) -> TransferConfig:
        """The engine of loads and stores."""
        return TransferConfig(host=self.host_map, width=self.stream_width, address_width=ADDRESS_WIDTH)

    @cached_property
    def shell(self) -> ShellConfig:
        """The shell around the engines."""
        return ShellConfig(
            system_id="DYNM",
            configuration_hash=self.configuration_hash,
            instruction_set=self.instruction_set,
            stream_width=self.stream_width,
            instruction_depth=self.instruction_depth,
            registers=REGISTERS,
        )

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        parts = [f"{self.rows} x {self.columns} elements of {self.width} bits"]
        parts += [f"F({m}, {r})" for m, r in self.transforms]
        if self.fractional is not None:
            parts.append(f"{self.fractional.elements} elements for fractional strides")
        return f"{', '.join(parts)}, {self.features.lanes * self.feature_rows} words of feature maps"

    @cached_property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash(
            {
                "layouts": self.layouts,
                "stores": self.stores,
                "pooling": self.pooling,
                "fractional": self.fractional_unit,
                "instructions": self.instruction_set.describe(),
                "depth": self.instruction_depth,
                "stream": self.stream_width,
            }
        )
