"""Layouts and signatures between the parts of the engine."""

from amaranth.hdl import Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..convolution.loop_nest import nest_command
from ..layouts import record_layout
from ..records import Record
from .config import FractionalConvolutionConfig
from .records import LEVELS, command_record, output_nest

__all__ = [
    "SCRATCHPAD_LATENCY",
    "ScratchpadReadPort",
    "ScratchpadWritePort",
    "column_command",
    "column_layout",
    "command_layout",
    "connect_command",
    "operands_layout",
    "output_layout",
    "pixel_command",
    "pixel_layout",
    "row_command",
    "step_layout",
    "sums_layout",
    "task_command",
]

# Cycles from an address to the sums of the scratchpad.
SCRATCHPAD_LATENCY = 2

_PLACE = ("row", "position", "address", "lane")
_TASK = ("input_row", "weight_row", "input_channels", "span", "tiles", "blocks", "tile_cycles", "last_cycles")
_PIXEL = (
    "tiles",
    "blocks",
    "last_pixels",
    "interval",
    *(f"first_{part}" for part in _PLACE),
    *(f"count_{level}" for level in LEVELS),
    *(f"step_{level}_{part}" for level in LEVELS for part in _PLACE),
    "picture_rows",
    "row_positions",
)
_COLUMN = ("kernel_rows", "kernel_row_columns", "row_skip")


def command_layout(config: FractionalConvolutionConfig):
    """A command: one pass. ``outputs``: the loops over its words."""
    return data.StructLayout(record_layout(command_record(config)).members | row_command(config).members)


def _part_of(config, names):
    fields = command_record(config).fields
    return record_layout(Record(tuple(field for field in fields if field.name in names)))


def task_command(config):
    """Layout of the fields of a command that the task sequencer needs."""
    return _part_of(config, _TASK)


def pixel_command(config):
    """Layout of the fields of a command that the pixel walk needs."""
    return _part_of(config, _PIXEL)


def column_command(config):
    """Layout of the fields of a command that the column walk needs."""
    return _part_of(config, _COLUMN)


def row_command(config):
    """Layout of the fields of a command that the row reader needs."""
    return data.StructLayout({"outputs": nest_command(output_nest(config))})


def connect_command(m, command, part):
    """Gives a part of a command its fields."""
    m.d.comb += [Value.cast(part[name]).eq(command[name]) for name, _ in part.shape()]


def _shapes(config):
    return {field.name: field.width for field in command_record(config).fields}


def operands_layout(config, count):
    """Pixels or weights side by side."""
    return data.ArrayLayout(config.operand_width, count)


def sums_layout(config):
    """N sums side by side."""
    return data.ArrayLayout(config.sum_width, config.lanes)


def step_layout(config):
    """A step: one input channel of a pixel tile and a column block."""
    shapes = _shapes(config)
    return data.StructLayout(
        {
            "valid": 1,
            "input_row": shapes["input_row"],
            "weight_row": shapes["weight_row"],
            "first": 1,  # of its tile's sums
            "last": 1,
        }
    )


def pixel_layout(config):
    """A pixel whose sums leave the conv cores, and where they belong.

    ``row`` is the output row of the kernel's first element, ``position`` the position within the row of column 0,
    ``address`` and ``lane`` that of column 0 among all positions, (row * pitch + position) by N.
    """
    shapes = _shapes(config)
    return data.StructLayout(
        {
            "valid": 1,
            "row": shapes["first_row"],
            "position": shapes["first_position"],
            "address": shapes["first_address"],
            "lane": shapes["first_lane"],
            "picture_rows": shapes["picture_rows"],
            "row_positions": shapes["row_positions"],
            "begins_block": 1,
            "last": 1,  # of its pass
        }
    )


def column_layout(config):
    """Where a column belongs, seen from a pixel's column 0: column j of a block is j lanes and ``address`` rows on."""
    shapes = _shapes(config)
    return data.StructLayout(
        {
            "valid": 1,
            "row": shapes["first_row"],
            "position": shapes["first_position"],
            "address": shapes["first_address"],
        }
    )


def output_layout(config):
    """A word of an output row, or of a pixel. ``last``: of its pass."""
    return data.StructLayout({"values": data.ArrayLayout(config.sum_width, config.outputs), "last": 1})


class ScratchpadReadPort(wiring.Signature):
    """Reads a sum in each lane, seen from the user.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    half : Out(1)
    enable : Out(lanes)
    address : Out(ArrayLayout)
        Address of each lane.
    data : In(sums_layout(config))
        ``SCRATCHPAD_LATENCY`` cycles later.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__({**_access(config), "data": In(sums_layout(config))})


class ScratchpadWritePort(wiring.Signature):
    """Writes a sum in each lane, seen from the user.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    half : Out(1)
    enable : Out(lanes)
    address : Out(ArrayLayout)
        Address of each lane.
    data : Out(sums_layout(config))
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__({**_access(config), "data": Out(sums_layout(config))})


def _access(config):
    addresses = data.ArrayLayout(_shapes(config)["first_address"], config.lanes)
    return {"half": Out(1), "enable": Out(config.lanes), "address": Out(addresses)}
