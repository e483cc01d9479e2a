"""Commands of the store unit for a convolution. No Amaranth here."""

from dataclasses import replace

from .loop_nest_config import nest_loops
from .shape import ConvolutionShape, OutputPart
from .store_config import StoreConfig
from .transform_config import transform_number, winograd
from .word_commands import FeatureMap, parameter_loops, target_loops

__all__ = ["matrix_store", "tile_store"]


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
        Configuration of the unit.
    shape
        Shape of the convolution.
    features
        Where its output goes.
    sum_row
        First row of its sums: ``sum_row + block * pixels + pixel``; turned, ``sum_row + block * channels +
        channel``, a block being as many pixels as the array has columns.
    parameter_row
        First row of its biases and multipliers, a row a block of channels.
    turned
        The dataflow was IS.
    part
        Part of the output whose sums these are; None: all of it.
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
    # All pixels are one line: what a block has after the last of them is outside of the picture.
    channel_step = {"lane": lanes, "element": lanes, "rest": -lanes}
    pixel_step = {"lane": features.channels, "element": features.channels}
    if turned:
        wide = -(-pixels // lanes)
        # The last block of channels has rows after them, which are those of others, and are not written.
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
            **_block(config, 1, lanes),
            "parameters": parameter_loops(config.writer, parameter_row, blocks, parameters),
            "target": target_loops(config.writer, shape.output_channels, features, target, (1, pixels)),
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
    turned: bool = False,
    part: OutputPart | None = None,
    **words: int,
) -> dict:
    """Store the sums of Winograd's algorithm.

    Parameters
    ----------
    transform
        m and r.
    sum_row
        First row of its sums, with n = m + r - 1 number (i, j) of a tile in row ``sum_row + ((i * n + j) * blocks +
        block) * tiles + tile``; turned, in row ``sum_row + (i * n + j) * channels + channel``, tile by tile.
    turned
        The dataflow was IS.
    part
        Part of the lines and columns of tiles whose sums these are, whole lines or, turned, no more tiles than the
        array has columns; None: all of them.
    config, shape, features, parameter_row, **words
        As of :func:`matrix_store`.

    Raises
    ------
    ValueError
        The unit does not have the transform or does not turn tiles, a part is not as it must be, or something has no
        room.
    """
    number = transform_number(config.transforms, transform)
    matrices = winograd(*transform)
    tile, size = matrices.tile, matrices.size
    all_tiles = tuple(-(-output // tile) for output in shape.output)
    here = OutputPart.of(all_tiles, part)
    lines, columns = here.size
    lanes, channels = config.lanes, shape.output_channels
    tiles, blocks = here.pixels, -(-channels // lanes)
    if turned:
        if not config.turned_tiles:
            raise ValueError("Tiles must be those of NS or WS: the unit does not turn them")
        if tiles > lanes:
            raise ValueError(f"A part must have at most {lanes} tiles, as the array has columns, not {tiles}")
    elif columns < all_tiles[1]:
        raise ValueError(f"A part must have all {all_tiles[1]} columns of tiles, not {columns}")
    pitch = shape.output[1] * features.channels
    features = replace(features, place=features.place + here.first[0] * tile * pitch)
    picture = min(shape.output[0] - here.first[0] * tile, lines * tile), shape.output[1]
    numbers = size * size
    of_tiles = [
        (lines, {"lane": tile * pitch, "line": tile}),
        (columns, {"lane": tile * features.channels, "element": tile * features.channels}),
    ]
    of_blocks = [(blocks, {"lane": lanes, "element": lanes, "rest": -lanes})]
    # Results leave column by column.
    of_results = [
        (tile, {"lane": features.channels, "element": features.channels}),
        (tile, {"lane": pitch, "line": 1}),
    ]
    if turned:
        # As for a matrix: after the last channel are rows of others.
        sums = [(blocks, lanes), (lanes, 1), (numbers, channels)]
        parameters = [(blocks * lanes, 1), (tile * tile, 0)]
        target = of_blocks + of_results + of_tiles
        last = sum_row + numbers * channels - 1
    else:
        sums = [(tiles, 1), (blocks, tiles), (numbers, blocks * tiles)]
        parameters = [(tiles, 0), (blocks, lanes), (tile * tile, 0)]
        target = of_tiles + of_blocks + of_results
        last = sum_row + numbers * blocks * tiles - 1
    return {
        "sums": _sums(config, sum_row, last, sums),
        "transform": number,
        "words": {
            "turned": int(turned),
            **_block(config, tile * tile, tiles if turned else lanes),
            "parameters": parameter_loops(config.writer, parameter_row, blocks, parameters),
            "target": target_loops(config.writer, channels, features, target, picture, (0, here.first[1] * tile)),
            **words,
        },
    }


def _sums(config, first, last, loops):
    if not 0 <= first <= last < config.gemm.sum_rows:
        raise ValueError(f"Rows of sums must be below {config.gemm.sum_rows}, not from {first} to {last}")
    return nest_loops(config.sums, [(count, {"row": step}) for count, step in loops], {"row": first})


def _block(config, planes, columns):
    """Size of a block that is transposed, where the unit's commands have it."""
    return {"block": {"planes": planes - 1, "columns": columns - 1}} if config.writer.planes > 1 else {}
