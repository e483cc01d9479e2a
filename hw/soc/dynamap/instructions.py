"""The instruction set of DYNAMAP's device, made from its configuration. No Amaranth here.

An instruction holds the whole command of a unit, with its nested loops, so none refers to another.
"""

import enum

from ...cores.convolution.command_records import layout_record, pool_record, store_record
from ...cores.convolution.commands import gemm_command
from ...cores.convolution.gemm_config import GemmEngineConfig
from ...cores.convolution.layout_config import LayoutConfig
from ...cores.convolution.pool_config import PoolConfig
from ...cores.convolution.store_config import StoreConfig
from ...cores.fractional_convolution.unit_commands import fractional_convolution_record
from ...cores.fractional_convolution.unit_config import FractionalConvolutionUnitConfig
from ...cores.records import Field
from ..sequencer.instructions import HEADER_WIDTH, Format, InstructionSet, Operand

__all__ = ["ADDRESS_WIDTH", "LOAD", "Memory", "instruction_set"]

# Bits of a row's address in the host's map, and of a number of rows.
ADDRESS_WIDTH = 28


class Memory(enum.IntEnum):
    """Memories that a load reaches; a store only reaches the feature maps."""

    FEATURES = 0
    WEIGHTS_0 = 1  # halves of the kernel buffer
    WEIGHTS_1 = 2
    PARAMETERS = 3  # biases and multipliers
    FRACTIONAL_WEIGHTS = 4  # of fractionally strided convolutions


_ROWS = (
    Operand(Field("memory", 3, values=Memory)),
    Operand(Field("base", ADDRESS_WIDTH), description="address of the first row, in beats of the stream"),
    Operand(Field("count", ADDRESS_WIDTH), description="beats, at least 1"),
)

LOAD = Format(
    "load", engine="transfer", opcode=1, description="one packet of the input stream to a memory", operands=_ROWS
)

STORE = Format(
    "store", engine="transfer", opcode=2, description="rows of a memory to the output stream, one packet",
    operands=_ROWS,
)  # fmt: skip


def instruction_set(
    layouts: LayoutConfig,
    array: GemmEngineConfig,
    stores: StoreConfig,
    pooling: PoolConfig,
    fractional: FractionalConvolutionUnitConfig | None,
) -> InstructionSet:
    """The instructions for units of these configurations; a device may have no fractional one."""
    formats = [
        LOAD,
        STORE,
        Format(
            "lay_out", engine="layouts", opcode=3,
            description="windows of a feature map to rows of a half of the input buffer",
            operands=(Operand(Field("half"), description="of the input buffer"), *layout_record(layouts).fields),
        ),
        Format(
            "multiply", engine="array", opcode=4, description="a product of matrices to the accumulators",
            operands=gemm_command(array).fields,
        ),
        Format(
            "put_away", engine="stores", opcode=5, description="sums to words of a feature map",
            operands=store_record(stores).fields,
        ),
        Format(
            "pool", engine="pooling", opcode=6, description="windows of a feature map to words of another",
            operands=pool_record(pooling).fields,
        ),
    ]  # fmt: skip
    engines = ["transfer", "layouts", "array", "stores", "pooling"]
    if fractional is not None:
        engines.append("fractional")
        formats.append(
            Format(
                "convolve", engine="fractional", opcode=7,
                description="a pass of a fractionally strided convolution, from a feature map to another",
                operands=fractional_convolution_record(fractional).fields,
            )
        )  # fmt: skip
    widest = HEADER_WIDTH + max(entry.width for entry in formats)
    return InstructionSet(
        engines=tuple(engines),
        formats=tuple(formats),
        width=1 << (widest - 1).bit_length(),
    )
