"""Commands of the store unit for a convolution, and of the pooling unit. No Amaranth here."""

from dataclasses import dataclass, replace

from ..checks import require_integer
from .loop_nest_config import jumps
from .pool_config import PoolConfig
from .shape import ConvolutionShape, OutputPart, PoolingShape
from .store_config import StoreConfig
from .transform_config import transform_number, winograd
from .window_loops import Windows, pixel_windows

__all__ = ["FeatureMap", "matrix_store", "pool_windows", "tile_store"]


@dataclass(frozen=True, kw_only=True)
class FeatureMap:
    """Where the output of a convolution goes.

    Parameters
    ----------
    place : int
        Of the map's first element in the feature memory.
    channels : int
        Of a pixel of the map: those of all that are concatenated.
    first : int
        The output's first one among them.

    Raises
    ------
    TypeError, ValueError
        A parameter that is no integer, or out of its range.
    """

    place: int
    channels: int
    first: int = 0

    def __post_init__(self):
        require_integer("Place", self.place, 0)
        require_integer("Channels", self.channels, 1)
        require_integer("First", self.first, 0, self.channels - 1)


def matrix_store(
    config: StoreConfig,
    shape: ConvolutionShape,
    features: FeatureMap,
    *,
    sum_row: int,
    parameter_row: int,
    turned: bool = False,
    part: OutputPart | None = None,
    **words: int,
) -> dict:
    """Store the sums of im2col or kn2row.

    Parameters
    ----------
    config
        Of the unit.
    shape
        Of the convolution.
    features
        Where its output goes.
    sum_row
        From which its sums stand: ``sum_row + block * pixels + pixel``; turned, ``sum_row + block * channels +
        channel``, a block being as many pixels as the array has columns.
    parameter_row
        From which its biases and multipliers stand, a row a block of channels.
    turned
        The dataflow was IS.
    part
        Of the output whose sums these are; None: all of it.
    **words
        ``shift`` and ``rectifies``.

    Returns
    -------
    dict
        :func:`.store_unit.store_command`.

    Raises
    ------
    ValueError
        Something has no room.
    """
    lanes, channels = config.lanes, shape.output_channels
    here = OutputPart.of(shape.output, part)
    pixels, blocks = here.pixels, -(-channels // lanes)
    before = here.first[0] * shape.output[1] + here.first[1]
    features = replace(features, place=features.place + before * features.channels)
    # All pixels are one line: what a block has behind the last of them is outside of the picture.
    channel_step = {"lane": lanes, "element": lanes, "rest": -lanes}
    pixel_step = {"lane": features.channels, "element": features.channels}
    if turned:
        wide = -(-pixels // lanes)
        # The last block of channels has rows behind them, which are those of others, and are not written.
        sums = [(wide, channels), (blocks, lanes), (lanes, 1)]
        parameters = [(wide, 0), (blocks * lanes, 1)]
        target = [
            (wide, {name: lanes * step for name, step in pixel_step.items()}),
            (blocks, channel_step),
            (lanes, pixel_step),
        ]
        last = sum_row + wide * channels - 1
    else:
        sums = [(blocks * pixels, 1)]
        parameters = [(blocks, lanes), (pixels, 0)]
        target = [(blocks, channel_step), (pixels, pixel_step)]
        last = sum_row + blocks * pixels - 1
    return {
        "sums": _sums(config, sum_row, last, sums),
        "transform": 0,
        "words": {
            "turned": int(turned),
            "parameters": _parameters(config.writer, parameter_row, blocks, parameters),
            "target": _target(config.writer, shape.output_channels, features, target, (1, pixels)),
            **words,
        },
    }


def tile_store(
    config: StoreConfig,
    shape: ConvolutionShape,
    transform: tuple[int, int],
    features: FeatureMap,
    *,
    sum_row: int,
    parameter_row: int,
    part: OutputPart | None = None,
    **words: int,
) -> dict:
    """Store the sums of Winograd's algorithm, in the dataflows NS and WS.

    Parameters
    ----------
    transform
        m and r.
    sum_row
        From which its sums stand, with n = m + r - 1 number (i, j) of a tile in row ``sum_row + ((i * n + j) * blocks +
        block) * tiles + tile``.
    part
        Of the lines and columns of tiles whose sums these are, whole lines; None: all of them.
    config, shape, features, parameter_row, **words
        As of :func:`matrix_store`.

    Raises
    ------
    ValueError
        The unit does not have the transform, a part is not of whole lines, or something has no room.
    """
    number = transform_number(config.transforms, transform)
    matrices = winograd(*transform)
    tile, size = matrices.tile, matrices.size
    all_tiles = tuple(-(-output // tile) for output in shape.output)
    here = OutputPart.of(all_tiles, part)
    lines, columns = here.size
    if columns < all_tiles[1]:
        raise ValueError(f"A part must have all {all_tiles[1]} columns of tiles, not {columns}")
    tiles, blocks = here.pixels, -(-shape.output_channels // config.lanes)
    pitch = shape.output[1] * features.channels
    features = replace(features, place=features.place + here.first[0] * tile * pitch)
    picture = min(shape.output[0] - here.first[0] * tile, lines * tile), shape.output[1]
    numbers = size * size
    sums = [(tiles, 1), (blocks, tiles), (numbers, blocks * tiles)]
    parameters = [(tiles, 0), (blocks, config.lanes), (tile * tile, 0)]
    target = [
        (lines, {"lane": tile * pitch, "line": tile}),
        (columns, {"lane": tile * features.channels, "element": tile * features.channels}),
        (blocks, {"lane": config.lanes, "element": config.lanes, "rest": -config.lanes}),
        # Results leave column by column.
        (tile, {"lane": features.channels, "element": features.channels}),
        (tile, {"lane": pitch, "line": 1}),
    ]
    return {
        "sums": _sums(config, sum_row, sum_row + numbers * blocks * tiles - 1, sums),
        "transform": number,
        "words": {
            "turned": 0,
            "parameters": _parameters(config.writer, parameter_row, blocks, parameters),
            "target": _target(config.writer, shape.output_channels, features, target, picture),
            **words,
        },
    }


def pool_windows(
    config: PoolConfig,
    shape: PoolingShape,
    features: FeatureMap,
    *,
    place: int,
    parameter_row: int,
    maximum: bool,
    **words: int,
) -> dict:
    """Pool the windows of a feature map.

    Parameters
    ----------
    config
        Of the pooling unit.
    shape
        Of the pooling.
    features
        Where its output goes.
    place
        Of the input's first element.
    parameter_row
        From which biases and multipliers stand, a row a block of channels.
    maximum
        The largest of a window, or its sum.
    **words
        ``shift`` and ``rectifies``.

    Returns
    -------
    dict
        :func:`.pool_unit.pool_command`.

    Raises
    ------
    ValueError
        Something has no room.
    """
    lanes = config.writer.lanes
    pixels, blocks = shape.output[0] * shape.output[1], -(-shape.channels // lanes)
    if shape.kernel[0] * shape.kernel[1] > config.window:
        raise ValueError(f"A window must have at most {config.window} pixels, not {shape.kernel[0] * shape.kernel[1]}")
    (above, _), (left, _) = shape.padding
    windows = Windows(
        channels=shape.channels,
        picture=shape.picture,
        output=shape.output,
        kernel=shape.kernel,
        stride=shape.stride,
        origin=(-above, -left),
        place=place,
    )
    target = [
        (pixels, {"lane": features.channels, "element": features.channels}),
        (blocks, {"lane": lanes, "element": lanes, "rest": -lanes}),
    ]
    return {
        "window": pixel_windows(config.reader, windows),
        "maximum": int(maximum),
        "words": {
            "turned": 0,
            "parameters": _parameters(config.writer, parameter_row, blocks, [(pixels, 0), (blocks, lanes)]),
            "target": _target(config.writer, shape.channels, features, target, (1, pixels)),
            **words,
        },
    }


def _sums(config, first, last, loops):
    if not 0 <= first <= last < config.gemm.sum_rows:
        raise ValueError(f"Rows of sums must be below {config.gemm.sum_rows}, not from {first} to {last}")
    return _nest(config.sums, [(count, {"row": step}) for count, step in loops], {"row": first})


def _parameters(config, first, blocks, loops):
    """Loops in words of rows."""
    if not 0 <= first <= first + blocks - 1 < config.parameter_rows:
        raise ValueError(
            f"Rows of parameters must be below {config.parameter_rows}, not from {first} to {first + blocks - 1}"
        )
    return _nest(config.parameters, [(count, {"word": step}) for count, step in loops], {"word": 0, "row": first})


def _nest(nest, loops, first):
    loops = [(1, {})] * (nest.levels - len(loops)) + loops
    counts, steps = [count for count, _ in loops], [step for _, step in loops]
    return {"first": first, "counts": counts, "jumps": jumps(nest, counts, steps)}


def _target(config, channels, features, loops, picture):
    """Loops over a map of so many lines and columns."""
    target, memory = config.target, config.features
    if features.first + channels > features.channels:
        raise ValueError(
            f"Channels {features.first} to {features.first + channels - 1} must be among the "
            f"{features.channels} of the map"
        )
    height, pitch = picture[0], picture[1] * features.channels
    if features.place + height * pitch > memory.rows * memory.lanes:
        raise ValueError(
            f"The map's {height * pitch} elements must be in the {memory.rows * memory.lanes} of the memory, "
            f"not from {features.place} on"
        )
    # Tiles and blocks may go over the picture.
    reached = features.first + sum((count - 1) * step.get("element", 0) for count, step in loops)
    if height >= 1 << target.line_width - 1 or reached >= 1 << target.element_width - 1:
        raise ValueError(
            f"A map must have at most {(1 << target.line_width - 1) - 1} lines of at most "
            f"{(1 << target.element_width - 1) - 1} elements, not {height} of {reached + 1}"
        )
    begins = features.place + features.first
    first = {
        "lane": begins % memory.lanes,
        "row": begins // memory.lanes,
        "line": 0,
        "element": features.first,
        "rest": channels,
    }
    return {"nest": _nest(target.nest, loops, first), "height": height, "pitch": pitch}
