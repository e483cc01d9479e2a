"""Commands of the pooling unit, and their cycles. No Amaranth here."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod

from .pool_config import PoolConfig
from .shape import OutputPart, PoolingShape
from .window_loops import Windows, picture_lines, pixel_windows
from .word_commands import FeatureMap, parameter_loops, target_loops

__all__ = ["average_cycles", "average_windows", "distinct_multipliers", "equal_parts", "pool_cycles", "pool_windows"]

# (O1, O2, 1): a multiplier for each pixel of an output.
Table = Sequence[Sequence[Sequence[int]]]
# Cycles from a command to the words of its last vector, and from a completion to the next command.
LATENCY, NEXT = 14, 1


def pool_windows(
    config: PoolConfig,
    shape: PoolingShape,
    features: FeatureMap,
    *,
    place: int,
    parameter_row: int,
    maximum: bool,
    part: OutputPart | None = None,
    **words: int,
) -> dict:
    """Pool the windows of a feature map.

    Windows slide where this takes fewer cycles, and their lines and columns are in the configuration's ``sliding``.

    Parameters
    ----------
    config
        Configuration of the pooling unit.
    shape
        Shape of the pooling.
    features
        Where the output goes.
    place
        Place of the input's first element.
    parameter_row
        Row of the bias and the multiplier, which hold for all runs of channels.
    maximum
        Whether the largest of a window is wanted, or its sum.
    part
        Part of the output that is written, any rectangle of it; None: all of it.
    **words
        ``shift`` and ``rectifies``.

    Returns
    -------
    dict
        :func:`.pool_unit.pool_command`.

    Raises
    ------
    ValueError
        A window has too many pixels, or something has no room.
    """
    lanes = config.writer.lanes
    here = part or OutputPart.of(shape.output, None)
    blocks = -(-shape.channels // lanes)
    windows = _windows(shape, here, place)
    pixels = prod(windows.kernel)
    if pixels > config.window:
        raise ValueError(f"A window must have at most {config.window} pixels, not {pixels}")
    pixel_loops = [
        (here.size[0], {"lane": shape.output[1] * features.channels, "line": 1}),
        (here.size[1], {"lane": features.channels, "element": features.channels}),
    ]
    block_loop = (blocks, {"lane": lanes, "element": lanes, "rest": -lanes})
    slides = _slides(config, windows)
    target = [block_loop, *pixel_loops] if slides else [*pixel_loops, block_loop]
    axes = "lines", "columns"
    return {
        "window": (picture_lines if slides else pixel_windows)(config.reader, windows),
        "maximum": int(maximum),
        "slides": int(slides),
        "kernel": dict(zip(axes, windows.kernel if slides else (1, 1), strict=True)),
        "stride": dict(zip(axes, windows.stride if slides else (1, 1), strict=True)),
        "words": {
            "turned": 0,
            "parameters": parameter_loops(config.writer, parameter_row, 1, [(count, 0) for count, _ in target]),
            "target": target_loops(config.writer, shape.channels, features, target, shape.output, here.first),
            **words,
        },
    }


def average_windows(
    config: PoolConfig,
    shape: PoolingShape,
    features: FeatureMap,
    *,
    place: int,
    parameter_row: int,
    multipliers: Table,
    **words: int,
) -> list[dict]:
    """Average the windows of a feature map, whose sums have different divisors: a command for each of the equal parts.

    Parameters
    ----------
    parameter_row
        Row of the first of :func:`distinct_multipliers`; the others stand after it.
    multipliers
        A multiplier for each window (O1, O2, 1), as ``average_multipliers`` of the reference gives them.
    config, shape, features, place, **words
        As of :func:`pool_windows`.

    Returns
    -------
    list of dict
        Commands :func:`.pool_unit.pool_command`, in any order.

    Raises
    ------
    ValueError
        Multipliers are not one for each window; a window has too many pixels, or something has no room.
    """
    height, width = shape.output
    if len(multipliers) != height or any(len(line) != width for line in multipliers):
        raise ValueError(f"Multipliers must be {height} lines of {width}, one for each window, not {multipliers!r}")
    rows = {word: parameter_row + number for number, word in enumerate(distinct_multipliers(multipliers))}
    return [
        pool_windows(config, shape, features, place=place, parameter_row=rows[word], maximum=False, part=part, **words)
        for part, word in equal_parts(multipliers)
    ]


def distinct_multipliers(multipliers: Table) -> list[int]:
    """The different numbers of a table of multipliers (O1, O2, 1), rising: a row of parameters for each."""
    return sorted({int(word) for line in multipliers for (word,) in line})


def equal_parts(multipliers: Table) -> Iterator[tuple[OutputPart, int]]:
    """Rectangles of a table of multipliers (O1, O2, 1) in each of which all are the same, and the multiplier.

    Lines that are alike stay together, and in these the columns that are alike. Divisors are a product of a number of
    the line and one of the column, so that no fewer rectangles of equal divisors cover the table.
    """
    table = [[int(word) for (word,) in line] for line in multipliers]
    for line, lines in _runs(table):
        for column, columns in _runs(table[line]):
            yield OutputPart(first=(line, column), size=(lines, columns)), table[line][column]


def pool_cycles(config: PoolConfig, shape: PoolingShape, part: OutputPart | None = None) -> int:
    """Cycles from a command of :func:`pool_windows` to its completion, when no grant is missing: n + 14.

    With an output, or a part of it, of O1 x O2, a kernel of K1 x K2, strides S1 and S2, and B runs of channels::

        n = B * ((O1 - 1) * S1 + K1) * ((O2 - 1) * S2 + K2)        windows slide
        n = B * O1 * O2 * K1 * K2                                  else

    Lines and columns of the kernel that are outside of the picture for all windows of a command are not read.

    Parameters
    ----------
    config
        Configuration of the pooling unit.
    shape
        Shape of the pooling.
    part
        Part of the output, as of the command.
    """
    windows = _windows(shape, part or OutputPart.of(shape.output, None), 0)
    return -(-shape.channels // config.writer.lanes) * _pixels(windows, _slides(config, windows)) + LATENCY


def average_cycles(config: PoolConfig, shape: PoolingShape, multipliers: Table) -> int:
    """Cycles from the first command of :func:`average_windows` to the last completion, when no grant is missing.

    Each command begins in the cycle after the completion of the one before.

    Parameters
    ----------
    config, shape
        As of :func:`pool_cycles`.
    multipliers
        As of :func:`average_windows`.
    """
    return sum(pool_cycles(config, shape, part) + NEXT for part, _ in equal_parts(multipliers)) - NEXT


def _windows(shape, part, place):
    """Windows of a part of the output, without what is outside of the picture for all of them."""
    (top, lines), (left, columns) = (_inside(shape, axis, part) for axis in range(2))
    return Windows(
        channels=shape.channels,
        picture=shape.picture,
        output=part.size,
        kernel=(lines, columns),
        stride=shape.stride,
        origin=(top, left),
        place=place,
    )


def _inside(shape, axis, part):
    """Where the first window begins along an axis, and its size."""
    kernel = shape.kernel[axis]
    first = part.first[axis] * shape.stride[axis] - shape.padding[axis][0]
    last = first + (part.size[axis] - 1) * shape.stride[axis]
    before, behind = max(0, -last), max(0, first + kernel - shape.picture[axis])
    return first + before, kernel - before - behind


def _slides(config, windows):
    """Whether windows slide over the picture."""
    sizes = zip(windows.kernel, windows.stride, config.sliding, strict=True)
    fits = all(kernel <= most and stride <= most for kernel, stride, most in sizes)
    # A pixel is in the line memory two cycles after it came: not yet where the next line's is the next vector.
    fits = fits and 2 <= windows.reach[1] <= config.length
    return fits and _pixels(windows, slides=True) < _pixels(windows, slides=False)


def _pixels(windows, slides):
    """Pixels that are read for a run of channels."""
    return prod(windows.reach) if slides else prod(windows.output) * prod(windows.kernel)


def _runs(values):
    """Where runs of values beside each other that are equal begin, and their lengths."""
    start = 0
    for _, run in groupby(values):
        length = sum(1 for _ in run)
        yield start, length
        start += length
