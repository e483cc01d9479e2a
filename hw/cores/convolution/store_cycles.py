"""Cycles of the store unit's commands, exact. No Amaranth here.

From the cycle in which a command is taken to that of its completion, where the feature memory is granted in every
cycle.
"""

from .shape import ConvolutionShape, OutputPart
from .store_config import StoreConfig
from .transform_config import transform_number, winograd

__all__ = ["matrix_store_cycles", "tile_store_cycles"]

# From a command to the first words, less the cycle that each row takes.
_LATENCY = 9
# From the last row of a block that is turned to its first column.
_TURN = 4
# Cycles of a stream's buffer behind a pipeline.
_BUFFER = 2


def matrix_store_cycles(
    config: StoreConfig, shape: ConvolutionShape, *, turned: bool = False, part: OutputPart | None = None
) -> int:
    """Cycles of a :func:`.matrix_store`.

    With P lanes, ``O1 * O2 * ceil(C_out / P) + 9``. Rows of a channel's pixels are turned in blocks, of which the last
    ones may not be full: ``ceil(O1 * O2 / P) * ceil(C_out / P) * P``, and ``P + 12`` once.

    Parameters
    ----------
    config
        Configuration of the unit.
    shape
        Shape of the convolution.
    turned
        The dataflow was IS.
    part
        Part of the output, as of the command.
    """
    lanes, pixels = config.lanes, OutputPart.of(shape.output, part).pixels
    if turned:
        return (-(-pixels // lanes) * _blocks(config, shape) + 1) * lanes + _TURN - 1 + _LATENCY
    return pixels * _blocks(config, shape) + _LATENCY


def tile_store_cycles(
    config: StoreConfig,
    shape: ConvolutionShape,
    transform: tuple[int, int],
    *,
    turned: bool = False,
    part: OutputPart | None = None,
) -> int:
    """Cycles of a :func:`.tile_store`.

    ``ceil(O1 / m) * ceil(O2 / m) * ceil(C_out / P) * s**2``, with tiles of s = m + r - 1 sums an axis, and
    ``m * s + 2 * m + q + 11`` once, q being the steps of the exact quotient: 0 with F(2, 3), and with F(4, 3) 4, or 5
    with sums of 46 bits and more. Turned, a part of n tiles takes ``ceil(C_out / P) * P * s**2``, and
    ``m**2 * n + 3`` more once.

    Parameters
    ----------
    config, shape, turned, part
        As of :func:`matrix_store_cycles`.
    transform
        m and r.

    Raises
    ------
    ValueError
        The unit does not have the transform.
    """
    _, _, quotient = config.axes[transform_number(config.transforms, transform) - 1]
    tile, size = transform[0], winograd(*transform).size
    tiles = OutputPart.of(tuple(-(-output // tile) for output in shape.output), part).pixels
    # The last tile's lines leave its first transform while they come; its columns are then all still to come.
    last = size * tile + 2 * tile + len(quotient.steps) + _BUFFER
    if turned:
        last += tile**2 * tiles + _TURN - 1
        tiles = config.lanes
    return tiles * _blocks(config, shape) * size**2 + last + _LATENCY


def _blocks(config, shape):
    return -(-shape.output_channels // config.lanes)
