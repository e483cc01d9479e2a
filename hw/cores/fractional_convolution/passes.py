"""How a layer becomes commands: passes over its channel tiles. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

from ..checks import require_integer, require_kind, require_name
from ..convolution.loop_nest_config import nest_loops
from .config import FractionalConvolutionConfig, IntegerLaneConfig
from .layer import FractionalConvolutionLayer
from .records import LEVELS, command_record, output_nest

__all__ = ["Pass", "make_passes"]

# The loops over the pixels, outermost first. Rows and columns are counted down, so that in the first order the kernel
# elements that meet an output come in their own order, within a column block as over the blocks.
_ORDERS = {"rows": ("row", "column", "picture"), "columns": ("column", "row", "picture")}


@dataclass(frozen=True, kw_only=True)
class Pass:
    """A channel tile of a layer: what one command computes, and what its fields are.

    Columns are pairs of kernel element and channel, flattened: column ``q = e * channels + z``. A column block is N of
    them, one behind the other, a pixel tile P1 pixels in the order of ``pixels``.

    The scratchpad holds the output pictures one below the other, an output row every ``pitch`` positions: output
    (row, column, z) is at position ``row * pitch + column * channels + z``, in lane ``position mod N`` at address
    ``position div N``. The pitch is congruent modulo N to the columns of a kernel row, so that the positions of a
    pixel's columns are congruent to numbers one behind the other: N of them meet N different lanes.

    Parameters
    ----------
    config : FractionalConvolutionConfig
    layer : FractionalConvolutionLayer
    first_channel : int
        Of the output channels.
    channels : int
        Output channels of this pass.
    input_row, weight_row : int
        Where its operands begin in their memories.
    order : str
        The order of the pixels: "rows" (row by row, from the last one on) or "columns", in which pixels may meet the
        same outputs less often; floating point has to be added up in the first. All passes of a layer have the same.
    between_maps : bool
        As :class:`.FractionalConvolutionUnit` wants it: one picture, row by row, and outputs that leave pixel by pixel,
        each beginning a word, and not row by row.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range; something does not fit into the configuration.
    """

    config: FractionalConvolutionConfig
    layer: FractionalConvolutionLayer
    first_channel: int
    channels: int
    input_row: int = 0
    weight_row: int = 0
    order: str = "rows"
    between_maps: bool = False

    def __post_init__(self):
        config, layer = self.config, self.layer
        require_name("Order", self.order, ("rows",) if config.floating else tuple(_ORDERS))
        require_kind("Between maps", self.between_maps, bool)
        if self.between_maps and (layer.pictures, self.order) != (1, "rows"):
            raise ValueError(
                f"A pass between maps must have 1 picture, in the order rows, not {layer.pictures}, in {self.order}"
            )
        require_integer("First channel", self.first_channel, 0, layer.output_channels - 1)
        require_integer("Channels of a pass", self.channels, 1, layer.output_channels - self.first_channel)
        require_integer("Input row", self.input_row, 0)
        require_integer("Weight row", self.weight_row, 0)
        _at_most("Input channels of a layer", layer.input_channels, config.input_channels)
        for reach, added in zip(layer.reach, layer.output_padding, strict=True):
            _at_most("Side of all that a picture's kernels reach", reach + added, config.side)
        _at_most("Rows of inputs", self.input_row + self.tiles * layer.input_channels, config.input_rows)
        _at_most("Rows of weights", self.weight_row + self.blocks * layer.input_channels, config.weight_rows)
        _at_most("Rows of the scratchpad", self.scratchpad_rows, config.scratchpad_rows)
        across = (layer.reach[1] + layer.output_padding[1]) * self.channels
        _at_most("Positions of a row with what is cropped", across, 2 * config.lanes * config.scratchpad_rows)
        if isinstance(config.arithmetic, IntegerLaneConfig):
            _at_most("Products of a sum", layer.products_of_a_sum, config.arithmetic.products)

    @property
    def columns(self):
        """Columns in use."""
        return self.layer.elements * self.channels

    @property
    def blocks(self):
        """Column blocks."""
        return -(-self.columns // self.config.lanes)

    @property
    def tiles(self):
        """Pixel tiles."""
        return -(-self.layer.pixels // self.config.rows)

    @property
    def last_pixels(self):
        """Pixels of the last tile."""
        return self.layer.pixels - (self.tiles - 1) * self.config.rows

    @property
    def row_positions(self):
        """Positions of an output row that hold outputs."""
        return self.layer.output_size[1] * self.channels

    @property
    def pitch(self):
        """Positions from one output row to the next."""
        kernel_row = self.layer.kernel[1] * self.channels
        return self.row_positions + (kernel_row - self.row_positions) % self.config.lanes

    @property
    def output_rows(self):
        """Output rows of all pictures."""
        return self.layer.pictures * self.layer.output_size[0]

    @property
    def run(self):
        """Outputs that leave one behind the other: those of an output row, or of a pixel."""
        return self.channels if self.between_maps else self.row_positions

    @property
    def row_words(self):
        """Words in which an output row leaves."""
        return self.row_positions // self.run * self._run_words

    @property
    def _run_words(self):
        return -(-self.run // self.config.outputs)

    @property
    def scratchpad_rows(self):
        """Rows of the scratchpad that hold the output pictures."""
        return -(-((self.output_rows - 1) * self.pitch + self.row_positions) // self.config.lanes)

    def position(self, picture, x, y):
        """The position of column 0 of an input pixel."""
        layer = self.layer
        row = picture * layer.output_size[0] + x * layer.stride[0] - layer.padding[0]
        return row * self.pitch + (y * layer.stride[1] - layer.padding[1]) * self.channels

    @property
    def pixels(self):
        """(picture, x, y) of all input pixels in the order of the tiles."""
        return _pixels(self.layer, self.order)

    @property
    def interval(self):
        """Cycles from one pixel to the next at the scratchpad, so that no sum is read before it is written.

        Pixels that come shortly after each other may have an output in common, also the last ones of a column block and
        the first ones of the next block. Whether that output is cropped is not asked.
        """
        return _interval(self.layer, self.channels, self.pitch, self.config.lanes, self.config.reuse, self.order)

    @cached_property
    def fields(self):
        """The fields of the command (:func:`.command_record`), and ``outputs``, the loops over its words."""
        layer, config = self.layer, self.config
        ranges = _ranges(layer)
        inner_first = _ORDERS[self.order][::-1]
        # What one further picture, row or column down means: output rows, positions across, positions of all.
        moves = {
            "picture": (0, 0, layer.output_size[0] * self.pitch),
            "row": (-layer.stride[0], 0, -layer.stride[0] * self.pitch),
            "column": (0, -layer.stride[1] * self.channels, -layer.stride[1] * self.channels),
        }
        corner = self.pixels[0]
        start = (
            corner[1] * layer.stride[0] - layer.padding[0],
            (corner[2] * layer.stride[1] - layer.padding[1]) * self.channels,
            self.position(*corner),
        )
        values = {
            "input_row": self.input_row,
            "weight_row": self.weight_row,
            "input_channels": layer.input_channels,
            "span": (layer.input_channels - 1) * config.slots,
            "tiles": self.tiles,
            "blocks": self.blocks,
            "tile_cycles": config.rows * self.interval,
            "last_cycles": self.last_pixels * self.interval,
            "last_pixels": self.last_pixels,
            "interval": self.interval,
            **self._place("first", *start),
            **{f"count_{level}": len(ranges[inner_first[level]]) for level in LEVELS},
            "kernel_rows": layer.kernel[0],
            "kernel_row_columns": layer.kernel[1] * self.channels,
            "row_skip": (self.pitch - layer.kernel[1] * self.channels) // config.lanes,
            "picture_rows": layer.output_size[0],
            "row_positions": self.row_positions,
        }
        for level in LEVELS:
            values |= self._place(f"step_{level}", *moves[inner_first[level]])
        signed = {"row", "position", "address", "skip"}
        return {
            field.name: values[field.name] % (1 << field.width)
            if field.name.rpartition("_")[2] in signed and values[field.name] < 0
            else values[field.name]
            for field in command_record(config).fields
        } | {"outputs": self._outputs()}

    def _outputs(self):
        outputs = self.config.outputs
        loops = [
            (self.output_rows, {"lane": self.pitch}),
            (self.row_positions // self.run, {"lane": self.run}),
            (self._run_words, {"lane": outputs, "rest": -outputs}),
        ]
        return nest_loops(output_nest(self.config), loops, {"lane": 0, "address": 0, "rest": self.run})

    def _place(self, name, row, across, position):
        address, lane = divmod(position, self.config.lanes)
        return {f"{name}_row": row, f"{name}_position": across, f"{name}_address": address, f"{name}_lane": lane}


def make_passes(
    config: FractionalConvolutionConfig,
    layer: FractionalConvolutionLayer,
    channels: int,
    input_row: int = 0,
    weight_row: int = 0,
    *,
    between_maps: bool = False,
) -> tuple[Pass, ...]:
    """The passes of a layer with so many output channels each, the last with the rest.

    Sums of integers do not depend on the order of the pixels: they take the one that needs the smaller interval.
    Passes ``between_maps`` have the order of the unit's loader.

    Their weights stand one behind the other in the weight memory, from ``weight_row`` on, and from row 0 again
    whenever those of the next pass would not fit behind: then they must be loaded after the passes that they replace
    are complete.

    Raises
    ------
    TypeError, ValueError
        Something does not fit into the configuration.
    """
    require_integer("Channels of a pass", channels, 1, layer.output_channels)

    def make(first: int, count: int, at: int, order: str) -> Pass:
        return Pass(
            config=config,
            layer=layer,
            first_channel=first,
            channels=count,
            input_row=input_row,
            weight_row=at,
            order=order,
            between_maps=between_maps,
        )

    orders = ("rows",) if config.floating or between_maps else tuple(_ORDERS)
    order = min(orders, key=lambda name: make(0, channels, 0, name).interval)
    found: list[Pass] = []
    for first in range(0, layer.output_channels, channels):
        count = min(channels, layer.output_channels - first)
        rows = -(-layer.elements * count // config.lanes) * layer.input_channels
        if weight_row + rows > config.weight_rows:
            weight_row = 0
        found.append(make(first, count, weight_row, order))
        weight_row += rows
    return tuple(found)


def _ranges(layer):
    height, width = layer.size
    return {
        "picture": range(layer.pictures),
        "row": range(height - 1, -1, -1),
        "column": range(width - 1, -1, -1),
    }


# The passes of a layer have the same pixels, and all but the last one the same interval.
@lru_cache(maxsize=16)
def _pixels(layer, order):
    loops, ranges = _ORDERS[order], _ranges(layer)
    picture, row, column = (loops.index(name) for name in ("picture", "row", "column"))
    return tuple((place[picture], place[row], place[column]) for place in product(*(ranges[name] for name in loops)))


@lru_cache(maxsize=64)
def _interval(layer, channels, pitch, lanes, reuse, order):
    down, across = layer.stride[0] * pitch, layer.stride[1] * channels
    below = layer.output_size[0] * pitch
    first = [picture * below + x * down + y * across for picture, x, y in _pixels(layer, order)]
    kernel_row, columns = layer.kernel[1] * channels, layer.elements * channels
    # Of each column block: positions of its columns, seen from column 0.
    offsets = [column // kernel_row * pitch + column % kernel_row for column in range(columns)]
    blocks = [set(offsets[begin : begin + lanes]) for begin in range(0, columns, lanes)]

    def meet(distance):
        """Whether two pixels at a distance in time have an output in common."""
        count = len(first)
        # How many blocks later, and how many positions further.
        apart = {
            ((number + distance) // count, first[(number + distance) % count] - position)
            for number, position in enumerate(first)
        }
        return any(
            not {offset - further for offset in block}.isdisjoint(later)
            for behind, further in apart
            for block, later in zip(blocks, blocks[behind:], strict=False)
        )

    return next((-(-reuse // distance) for distance in range(1, reuse) if meet(distance)), 1)


def _at_most(what, value, most):
    if value > most:
        raise ValueError(f"{what} must be at most {most}, not {value}")
