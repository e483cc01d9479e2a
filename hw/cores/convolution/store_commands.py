"""Commands of the store unit for a convolution. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer
from .loop_nest_config import LoopNestConfig, jumps
from .shape import ConvolutionShape
from .store_config import StoreConfig
from .transform_config import winograd

__all__ = ["FeatureMap", "matrix_store", "tile_store"]


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
    **words: int,
) -> dict:
    """Of sums of im2col or kn2row, in the dataflows NS and WS.

    Parameters
    ----------
    config
        Of the unit.
    shape
        Of the convolution.
    features
        Where its output goes.
    sum_row
        From which its sums stand: ``sum_row + block * pixels + pixel``.
    parameter_row
        From which its biases and multipliers stand, a row a block of channels.
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
    lines, columns = shape.output
    blocks = -(-shape.output_channels // config.lanes)
    pitch = columns * features.channels
    target = [
        (blocks, {"lane": config.lanes, "element": config.lanes, "rest": -config.lanes}),
        (lines, {"lane": pitch, "line": 1}),
        (columns, {"lane": features.channels, "element": features.channels}),
    ]
    return {
        "sums": _rows(config.sums, "sums", config.gemm.sum_rows, sum_row, [(lines * columns * blocks, 1)]),
        "transform": 0,
        "parameters": _parameters(config, parameter_row, [(blocks, 1), (lines * columns, 0)]),
        "target": _target(config, shape, features, target),
        **words,
    }


def tile_store(
    config: StoreConfig,
    shape: ConvolutionShape,
    transform: tuple[int, int],
    features: FeatureMap,
    *,
    sum_row: int,
    parameter_row: int,
    **words: int,
) -> dict:
    """Of sums of Winograd's algorithm, in the dataflows NS and WS.

    Parameters
    ----------
    transform
        m and r.
    sum_row
        From which its sums stand, with n = m + r - 1 number (i, j) of a tile in row ``sum_row + ((i * n + j) * blocks +
        block) * tiles + tile``.
    config, shape, features, parameter_row, **words
        As of :func:`matrix_store`.

    Raises
    ------
    ValueError
        The unit does not have the transform, or something has no room.
    """
    if transform not in config.transforms:
        raise ValueError(f"Transform must be one of the unit's, {config.transforms}, not {transform}")
    matrices = winograd(*transform)
    tile, size = matrices.tile, matrices.size
    lines, columns = (-(-output // tile) for output in shape.output)
    tiles, blocks = lines * columns, -(-shape.output_channels // config.lanes)
    pitch = shape.output[1] * features.channels
    numbers = size * size
    target = [
        (lines, {"lane": tile * pitch, "line": tile}),
        (columns, {"lane": tile * features.channels, "element": tile * features.channels}),
        (blocks, {"lane": config.lanes, "element": config.lanes, "rest": -config.lanes}),
        # Results leave column by column.
        (tile, {"lane": features.channels, "element": features.channels}),
        (tile, {"lane": pitch, "line": 1}),
    ]
    return {
        "sums": _rows(
            config.sums,
            "sums",
            config.gemm.sum_rows,
            sum_row,
            [(tiles, 1), (blocks, tiles), (numbers, blocks * tiles)],
        ),
        "transform": config.transforms.index(transform) + 1,
        "parameters": _parameters(config, parameter_row, [(tiles, 0), (blocks, 1), (tile * tile, 0)]),
        "target": _target(config, shape, features, target),
        **words,
    }


def _parameters(config, first, loops):
    return _rows(config.parameters, "parameters", config.parameter_rows, first, loops)


def _rows(nest: LoopNestConfig, name, most, first, loops):
    last = first + sum((count - 1) * step for count, step in loops)
    if not 0 <= first <= last < most:
        raise ValueError(f"Rows of {name} must be below {most}, not from {first} to {last}")
    return _nest(nest, [(count, {"row": step}) for count, step in loops], {"row": first})


def _nest(nest, loops, first):
    loops = [(1, {})] * (nest.levels - len(loops)) + loops
    counts, steps = [count for count, _ in loops], [step for _, step in loops]
    return {"first": first, "counts": counts, "jumps": jumps(nest, counts, steps)}


def _target(config, shape, features, loops):
    target, memory = config.target, config.features
    if features.first + shape.output_channels > features.channels:
        raise ValueError(
            f"Channels {features.first} to {features.first + shape.output_channels - 1} must be among the "
            f"{features.channels} of the map"
        )
    pitch = shape.output[1] * features.channels
    elements = shape.output[0] * pitch
    if features.place + elements > memory.rows * memory.lanes:
        raise ValueError(
            f"The map's {elements} elements must be in the {memory.rows * memory.lanes} of the memory, "
            f"not from {features.place} on"
        )
    # Tiles may go over the picture.
    reached = features.first + sum((count - 1) * step.get("element", 0) for count, step in loops)
    if shape.output[0] >= 1 << target.line_width - 1 or reached >= 1 << target.element_width - 1:
        raise ValueError(
            f"A map must have at most {(1 << target.line_width - 1) - 1} lines of at most "
            f"{(1 << target.element_width - 1) - 1} elements, not {shape.output[0]} of {pitch}"
        )
    begins = features.place + features.first
    first = {
        "lane": begins % memory.lanes,
        "row": begins // memory.lanes,
        "line": 0,
        "element": features.first,
        "rest": shape.output_channels,
    }
    return {"nest": _nest(target.nest, loops, first), "height": shape.output[0], "pitch": pitch}
