"""Commands of the layout transformation unit for a convolution. No Amaranth here."""

from .layout_config import LayoutConfig
from .loop_nest_config import nest_loops
from .shape import ConvolutionShape, OutputPart
from .transform_config import transform_number, winograd
from .window_loops import Windows, pixel_windows, toeplitz_windows

__all__ = ["tile_command", "toeplitz_command", "unit_command"]


def toeplitz_command(
    config: LayoutConfig,
    shape: ConvolutionShape,
    *,
    place: int,
    base: int,
    pitch: int,
    part: OutputPart | None = None,
) -> dict:
    """The Toeplitz matrix of a picture, for im2col.

    Parameters
    ----------
    config
        Configuration of the unit.
    shape
        Shape of the convolution.
    place
        Place of the picture's first element in the feature memory.
    base
        Row of the buffer from which the matrix stands.
    pitch
        Rows of the buffer from one block of columns to the next: at least the part's pixels. Row ``base + block * pitch
        + pixel`` has as many of the K1 * K2 * C_in numbers of an output pixel as the buffer has lanes.
    part
        Part of the output; None: all of it.

    Returns
    -------
    dict
        :func:`.layout_transformation_unit.layout_command`.

    Raises
    ------
    ValueError
        Something has no room.
    """
    lanes = config.buffer.lanes
    numbers = shape.kernel[0] * shape.kernel[1] * shape.input_channels
    here = OutputPart.of(shape.output, part)
    window = toeplitz_windows(config.reader, _windows(shape, here, shape.kernel, (0, 0), place))
    rows = _matrix_rows(config, here.pixels, -(-numbers // lanes), base, pitch)
    # A row ends with a window, whose lines and runs are the innermost loops.
    return {"window": window, "rows": rows, "transform": 0}


def unit_command(
    config: LayoutConfig,
    shape: ConvolutionShape,
    element: tuple[int, int],
    *,
    place: int,
    base: int,
    pitch: int,
    part: OutputPart | None = None,
) -> dict:
    """The command that gathers kn2row's operand for a kernel's element: for each output pixel the pixel below it.

    Parameters
    ----------
    element
        Row and column of the kernel.
    config, shape, place, base, pitch, part
        As of :func:`toeplitz_command`; row ``base + block * pitch + pixel`` has channels.

    Raises
    ------
    ValueError
        Something has no room.
    """
    lanes = config.buffer.lanes
    here = OutputPart.of(shape.output, part)
    window = pixel_windows(config.reader, _windows(shape, here, (1, 1), element, place))
    rows = _matrix_rows(config, here.pixels, -(-shape.input_channels // lanes), base, pitch)
    # A row ends with each access: the innermost loops are those of a window of one pixel.
    return {"window": window, "rows": rows, "transform": 0}


def tile_command(
    config: LayoutConfig,
    shape: ConvolutionShape,
    transform: tuple[int, int],
    turn: tuple[int, int] = (0, 0),
    *,
    place: int,
    base: int,
    pitch: int,
    part: OutputPart | None = None,
) -> dict:
    """Transformed tiles of a picture, for a round of Winograd's algorithm.

    Parameters
    ----------
    transform
        m and r.
    turn
        Row and column of the sub-kernel of r x r elements.
    config, shape, place, base
        As of :func:`toeplitz_command`.
    pitch
        Rows from one block of channels to the next: at least the number of tiles. With n = m + r - 1, number (i, j) of
        a transformed tile is in row ``base + ((i * n + j) * blocks + block) * pitch + tile``.
    part
        Part of the lines and columns of tiles; None: all of them.

    Raises
    ------
    ValueError
        The unit does not have the transform, the stride is not 1, or something has no room.
    """
    number = transform_number(config.transforms, transform)
    if shape.stride != (1, 1):
        raise ValueError(f"Stride must be (1, 1) for Winograd, not {shape.stride}")
    tile, kernel = transform
    size = winograd(*transform).size
    here = OutputPart.of(tuple(-(-output // tile) for output in shape.output), part)
    blocks = -(-shape.input_channels // config.buffer.lanes)
    origin = tuple(
        begin + index * kernel + first * tile
        for begin, index, first in zip(_origin(shape), turn, here.first, strict=True)
    )
    windows = Windows(
        channels=shape.input_channels,
        picture=shape.picture,
        output=here.size,
        stride=(tile, tile),
        kernel=(size, size),
        origin=origin,
        place=place,
    )
    window = pixel_windows(config.reader, windows)
    # Results leave column by column: the loop inside goes down.
    loops = [(here.pixels, 1), (blocks, pitch), (size, blocks * pitch), (size, size * blocks * pitch)]
    rows = _rows(config, loops, base)
    return {"window": window, "rows": rows, "transform": number}


def _windows(shape, part, kernel, element, place):
    """The windows of a part, from an element of the kernel on."""
    origin = tuple(
        begin + number + first * stride
        for begin, number, first, stride in zip(_origin(shape), element, part.first, shape.stride, strict=True)
    )
    return Windows(
        channels=shape.input_channels,
        picture=shape.picture,
        output=part.size,
        stride=shape.stride,
        kernel=kernel,
        origin=origin,
        place=place,
    )


def _origin(shape):
    return tuple(-before for before, _ in shape.padding)


def _matrix_rows(config, lines, blocks, base, pitch):
    if pitch < lines:
        raise ValueError(f"Pitch must be at least the {lines} lines of the matrix, not {pitch}")
    return _rows(config, [(lines, 1), (blocks, pitch)], base)


def _rows(config, loops, base):
    nest = config.nest
    last = base + sum((count - 1) * step for count, step in loops)
    if not 0 <= base <= last < config.buffer.rows:
        raise ValueError(f"Rows must be in the buffer's {config.buffer.rows}, not from {base} to {last}")
    first = {"index": base % config.buffer.lanes, "block": 0, "row": base}
    return nest_loops(nest, [(count, {"index": step, "row": step}) for count, step in loops], first)
