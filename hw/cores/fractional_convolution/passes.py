"""How a layer becomes commands: passes over its channel tiles. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

from ..checks import require_integer, require_kind, require_name
from ..convolution.loop_nest_config import nest_loops
from ..convolution.shape import FractionallyStridedShape
from .config import FractionalConvolutionConfig, IntegerLaneConfig
from .records import LEVELS, command_record, output_nest

__all__ = ["Pass", "make_passes"]

# The loops over the pixels, outermost first. Rows and columns are counted down, so that in the first order the kernel
# elements that meet an output come in their own order, within a column block as over the blocks.
_ORDERS = {"rows": ("row", "column", "picture"), "columns": ("column", "row", "picture")}


@dataclass(frozen=True, kw_only=True)
class Pass:
    """A channel tile of a layer: what one command computes, and what its fields are.

    Columns are pairs of kernel element and channel, flattened: column ``q = e * channels + z``. A column block is N of
    them, one after the other, a pixel tile P1 pixels in the order of ``pixels``.

    The scratchpad holds the output pictures one below the other, an output row every ``pitch`` positions: output
    (row, column, z) is at position ``row * pitch + column * channels + z``, in lane ``position mod N`` at address
    ``position div N``. The pitch is congruent modulo N to the columns of a kernel row, so that the positions of a
    pixel's columns are congruent to numbers one after the other: N of them meet N different lanes.

    Parameters
    ----------
    config : FractionalConvolutionConfig
    shape : FractionallyStridedShape
        Shape of the layer, for each picture.
    first_channel : int
        First of the output channels.
    channels : int
        Output channels of this pass.
    pictures : int
        Pictures that are computed together.
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
    shape: FractionallyStridedShape
    first_channel: int
    channels: int
    pictures: int = 1
    input_row: int = 0
    weight_row: int = 0
    order: str = "rows"
    between_maps: bool = False

    def __post_init__(self):
        config, shape = self.config, self.shape
        require_name("Order", self.order, ("rows",) if config.floating else tuple(_ORDERS))
        require_kind("Between maps", self.between_maps, bool)
        if self.between_maps and (self.pictures, self.order) != (1, "rows"):
            raise ValueError(
                f"A pass between maps must have 1 picture, in the order rows, not {self.pictures}, in {self.order}"
            )
        require_integer("Pictures", self.pictures, 1)
        require_integer("First channel", self.first_channel, 0, shape.output_channels - 1)
        require_integer("Channels of a pass", self.channels, 1, shape.output_channels - self.first_channel)
        require_integer("Input row", self.input_row, 0)
        require_integer("Weight row", self.weight_row, 0)
        _at_most("Input channels of a layer", shape.input_channels, config.input_channels)
        for reach, added in zip(shape.full, shape.output_padding, strict=True):
            _at_most("Side of all that a picture's kernels reach", reach + added, config.side)
        _at_most("Rows of inputs", self.input_row + self.tiles * shape.input_channels, config.input_rows)
        _at_most("Rows of weights", self.weight_row + self.blocks * shape.input_channels, config.weight_rows)
        _at_most("Rows of the scratchpad", self.scratchpad_rows, config.scratchpad_rows)
        across = (shape.full[1] + shape.output_padding[1]) * self.channels
        _at_most("Positions of a row with what is cropped", across, 2 * config.lanes * config.scratchpad_rows)
        if isinstance(config.arithmetic, IntegerLaneConfig):
            _at_most("Products of a sum", shape.products_of_a_sum, config.arithmetic.products)

    @property
    def columns(self):
        """Columns in use."""
        return self.shape.elements * self.channels

    @property
    def blocks(self):
        """Column blocks."""
        return -(-self.columns // self.config.lanes)

    @property
    def pixel_count(self):
        """Input pixels of all pictures."""
        return self.pictures * self.shape.picture[0] * self.shape.picture[1]

    @property
    def tiles(self):
        """Pixel tiles."""
        return -(-self.pixel_count // self.config.rows)

    @property
    def last_pixels(self):
        """Pixels of the last tile."""
        return self.pixel_count - (self.tiles - 1) * self.config.rows

    @property
    def row_positions(self):
        """Positions of an output row that hold outputs."""
        return self.shape.output[1] * self.channels

    @property
    def pitch(self):
        """Positions from one output row to the next."""
        kernel_row = self.shape.kernel[1] * self.channels
        return self.row_positions + (kernel_row - self.row_positions) % self.config.lanes

    @property
    def output_rows(self):
        """Output rows of all pictures."""
        return self.pictures * self.shape.output[0]

    @property
    def run(self):
        """Outputs that leave one after the other: those of an output row, or of a pixel."""
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
        shape = self.shape
        row = picture * shape.output[0] + x * shape.stride[0] - shape.padding[0][0]
        return row * self.pitch + (y * shape.stride[1] - shape.padding[1][0]) * self.channels

    @property
    def pixels(self):
        """(picture, x, y) of all input pixels in the order of the tiles."""
        return _pixels(self.shape, self.pictures, self.order)

    @property
    def interval(self):
        """Cycles from one pixel to the next at the scratchpad, so that no sum is read before it is written.

        Pixels that come shortly after each other may have an output in common, also the last ones of a column block and
        the first ones of the next block. Whether that output is cropped is not asked.
        """
        return _interval(
            self.shape, self.pictures, self.channels, self.pitch, self.config.lanes, self.config.reuse, self.order
        )

    @cached_property
    def fields(self):
        """The fields of the command (:func:`.command_record`), and ``outputs``, the loops over its words."""
        shape, config = self.shape, self.config
        ranges = _ranges(shape, self.pictures)
        inner_first = _ORDERS[self.order][::-1]
        # Distance of one picture, row or column further: output rows, positions across, positions of all.
        moves = {
            "picture": (0, 0, shape.output[0] * self.pitch),
            "row": (-shape.stride[0], 0, -shape.stride[0] * self.pitch),
            "column": (0, -shape.stride[1] * self.channels, -shape.stride[1] * self.channels),
        }
        corner = self.pixels[0]
        start = (
            corner[1] * shape.stride[0] - shape.padding[0][0],
            (corner[2] * shape.stride[1] - shape.padding[1][0]) * self.channels,
            self.position(*corner),
        )
        values = {
            "input_row": self.input_row,
            "weight_row": self.weight_row,
            "input_channels": shape.input_channels,
            "span": (shape.input_channels - 1) * config.slots,
            "tiles": self.tiles,
            "blocks": self.blocks,
            "tile_cycles": config.rows * self.interval,
            "last_cycles": self.last_pixels * self.interval,
            "last_pixels": self.last_pixels,
            "interval": self.interval,
            **self._place("first", *start),
            **{f"count_{level}": len(ranges[inner_first[level]]) for level in LEVELS},
            "kernel_rows": shape.kernel[0],
            "kernel_row_columns": shape.kernel[1] * self.channels,
            "row_skip": (self.pitch - shape.kernel[1] * self.channels) // config.lanes,
            "picture_rows": shape.output[0],
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
    shape: FractionallyStridedShape,
    channels: int,
    input_row: int = 0,
    weight_row: int = 0,
    *,
    pictures: int = 1,
    between_maps: bool = False,
) -> tuple[Pass, ...]:
    """The passes of a layer with so many output channels each, the last with the rest.

    Sums of integers do not depend on the order of the pixels: they take the one that needs the smaller interval.
    Passes ``between_maps`` have the order of the unit's loader.

    Their weights stand one after the other in the weight memory, from ``weight_row`` on, and from row 0 again
    whenever those of the next pass would not fit after them: then they must be loaded after the passes that they
    replace are complete.

    Raises
    ------
    TypeError, ValueError
        Something does not fit into the configuration.
    """
    require_integer("Channels of a pass", channels, 1, shape.output_channels)

    def make(first: int, count: int, at: int, order: str) -> Pass:
        return Pass(
            config=config,
            shape=shape,
            pictures=pictures,
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
    for first in range(0, shape.output_channels, channels):
        count = min(channels, shape.output_channels - first)
        rows = -(-shape.elements * count // config.lanes) * shape.input_channels
        if weight_row + rows > config.weight_rows:
            weight_row = 0
        found.append(make(first, count, weight_row, order))
        weight_row += rows
    return tuple(found)


def _ranges(shape, pictures):
    height, width = shape.picture
    return {
        "picture": range(pictures),
        "row": range(height - 1, -1, -1),
        "column": range(width - 1, -1, -1),
    }


# The passes of a layer have the same pixels, and all but the last one the same interval.
@lru_cache(maxsize=16)
def _pixels(shape, pictures, order):
    loops, ranges = _ORDERS[order], _ranges(shape, pictures)
    picture, row, column = (loops.index(name) for name in ("picture", "row", "column"))
    return tuple((place[picture], place[row], place[column]) for place in product(*(ranges[name] for name in loops)))


@lru_cache(maxsize=64)
def _interval(shape, pictures, channels, pitch, lanes, reuse, order):
    down, across = shape.stride[0] * pitch, shape.stride[1] * channels
    below = shape.output[0] * pitch
    first = [picture * below + x * down + y * across for picture, x, y in _pixels(shape, pictures, order)]
    kernel_row, columns = shape.kernel[1] * channels, shape.elements * channels
    # Positions of each column block's columns, relative to column 0.
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
