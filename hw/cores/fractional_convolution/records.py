"""Fields of a command, as a table. No Amaranth here."""

from ..convolution.loop_nest_config import LoopNestConfig, NestField
from ..records import Field, Record
from .config import FractionalConvolutionConfig

__all__ = ["LEVELS", "command_record", "output_nest"]

# Nested loops of the walk over the pixels, from the innermost on.
LEVELS = range(3)


def command_record(config: FractionalConvolutionConfig) -> Record:
    """The fields of a command: of one pass, the output channels of a channel tile; :class:`.Pass` says their values.

    Beside them a command has the loops over its outputs (:func:`output_nest`).
    Rows and positions may be negative, at the cropped edge, and then also addresses: two's complement.
    """
    spread = config.arithmetic.adder_depth * config.input_channels
    widths = {
        "tile": config.input_rows.bit_length(),
        "block": config.weight_rows.bit_length(),
        "pixels": (config.input_rows * config.rows).bit_length(),
        "row": config.side.bit_length(),
        "position": (config.lanes * config.scratchpad_rows - 1).bit_length() + 1,
        "address": config.scratchpad_rows.bit_length(),
        "lane": (config.lanes - 1).bit_length(),
    }
    place = ("row", "position", "address", "lane")

    def places(name: str) -> list[Field]:
        return [Field(f"{name}_{part}", widths[part]) for part in place]

    return Record(
        (
            Field("input_row", config.input_rows.bit_length()),
            Field("weight_row", config.weight_rows.bit_length()),
            Field("input_channels", config.input_channels.bit_length()),
            Field("span", spread.bit_length()),
            Field("tiles", widths["tile"]),
            Field("blocks", widths["block"]),
            Field("tile_cycles", (config.rows * config.reuse).bit_length()),
            Field("last_cycles", (config.rows * config.reuse).bit_length()),
            Field("last_pixels", config.rows.bit_length()),
            Field("interval", config.reuse.bit_length()),
            *places("first"),
            *(Field(f"count_{level}", widths["pixels"]) for level in LEVELS),
            *(field for level in LEVELS for field in places(f"step_{level}")),
            Field("kernel_rows", widths["row"]),
            Field("kernel_row_columns", widths["position"]),
            Field("row_skip", widths["address"]),
            Field("picture_rows", widths["row"]),
            Field("row_positions", widths["position"]),
        )
    )


def output_nest(config: FractionalConvolutionConfig) -> LoopNestConfig:
    """The loops over the words in which the outputs of a pass leave: output rows, pixels of a row, words of a pixel.

    ``lane``, ``address``: the place of a word's first output in the scratchpad. ``rest``: outputs from it to the end of
    the run, which is a row or a pixel.
    """
    positions = (config.lanes * config.scratchpad_rows).bit_length()
    fields = (
        NestField(name="lane", width=(config.lanes - 1).bit_length(), radix=config.lanes),
        NestField(name="address", width=config.scratchpad_rows.bit_length()),
        NestField(name="rest", width=positions),
    )
    return LoopNestConfig(fields=fields, levels=3, count_width=min(positions, 32))
