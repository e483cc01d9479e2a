"""Cycles of the layout transformation unit's commands, exact. No Amaranth here.

From the cycle in which a command is taken to that of its completion, where the feature memory is granted in every
cycle.
"""

from .layout_config import LayoutConfig
from .shape import ConvolutionShape, OutputPart
from .transform_config import transform_number, winograd

__all__ = ["tile_cycles", "toeplitz_cycles", "unit_cycles"]

# From a command to the first row, less the cycle that each access takes.
_LATENCY = 4


def toeplitz_cycles(config: LayoutConfig, shape: ConvolutionShape, part: OutputPart | None = None) -> int:
    """Cycles of a :func:`.toeplitz_command`.

    With P lanes and runs of K2 * C_in elements, a window takes ``K1 * ceil(K2 * C_in / P)`` accesses, and a cycle more
    if the last of them begins in one row of the matrix and ends in the next. The command takes O1 * O2 windows, and 4
    cycles once.

    Parameters
    ----------
    config
        Configuration of the unit.
    shape
        Shape of the convolution.
    part
        Part of the output, as of the command.
    """
    lanes = config.buffer.lanes
    run = shape.kernel[1] * shape.input_channels
    accesses = -(-run // lanes)
    end = shape.kernel[0] * run
    begin = end - run + (accesses - 1) * lanes  # of the last access, as an element of the window
    crosses = begin // lanes != (end - 1) // lanes
    return OutputPart.of(shape.output, part).pixels * (shape.kernel[0] * accesses + crosses) + _LATENCY


def unit_cycles(config: LayoutConfig, shape: ConvolutionShape, part: OutputPart | None = None) -> int:
    """Cycles of a :func:`.unit_command`, of one element of the kernel: ``O1 * O2 * ceil(C_in / P) + 4``.

    Parameters
    ----------
    config, shape, part
        As of :func:`toeplitz_cycles`.
    """
    return OutputPart.of(shape.output, part).pixels * _blocks(config, shape) + _LATENCY


def tile_cycles(
    config: LayoutConfig, shape: ConvolutionShape, transform: tuple[int, int], part: OutputPart | None = None
) -> int:
    """Cycles of a :func:`.tile_command`, a round of Winograd's algorithm.

    ``ceil(O1 / m) * ceil(O2 / m) * ceil(C_in / P) * s**2``, with tiles of s = m + r - 1 pixels an axis, and
    ``s**2 + 2 * s + 4`` once, for the tile that is last in the transform.

    Parameters
    ----------
    config, shape, part
        As of :func:`toeplitz_cycles`.
    transform
        m and r.

    Raises
    ------
    ValueError
        The unit does not have the transform.
    """
    transform_number(config.transforms, transform)
    tile, size = transform[0], winograd(*transform).size
    tiles = OutputPart.of(tuple(-(-output // tile) for output in shape.output), part).pixels
    return (tiles * _blocks(config, shape) + 1) * size**2 + 2 * size + _LATENCY


def _blocks(config, shape):
    return -(-shape.input_channels // config.buffer.lanes)
