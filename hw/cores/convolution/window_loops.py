"""Loops of a window reader: which elements of a picture, in which order. No Amaranth here."""

from dataclasses import dataclass

from .loop_nest_config import nest_loops
from .window_reader_config import WindowReaderConfig

__all__ = ["Windows", "picture_lines", "pixel_tiles", "pixel_windows", "toeplitz_windows"]

Pair = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Windows:
    """Windows of a picture in the feature memory.

    Parameters
    ----------
    channels : int
        Elements of a pixel.
    picture, output, kernel, stride : pair of int
        Lines and columns.
    origin : pair of int
        Line and column of the first window's first pixel: less than 0 where the picture is padded.
    place : int
        Place of the picture's first element in the memory.
    """

    channels: int
    picture: Pair
    output: Pair
    kernel: Pair
    stride: Pair
    origin: Pair
    place: int = 0

    @property
    def pitch(self):
        """Elements of a line."""
        return self.picture[1] * self.channels

    @property
    def reach(self):
        """Lines and columns from the first window's first pixel to the last window's last one."""
        axes = zip(self.output, self.kernel, self.stride, strict=True)
        return tuple((output - 1) * stride + kernel for output, kernel, stride in axes)

    @property
    def places(self):
        """The loops over windows: lines of the output, then its columns."""
        down, right = self.stride[0], self.stride[1] * self.channels
        return [
            (self.output[0], {"lane": down * self.pitch, "line": down}),
            (self.output[1], {"lane": right, "element": right}),
        ]


def toeplitz_windows(config: WindowReaderConfig, windows: Windows) -> dict:
    """Windows as rows of a Toeplitz matrix: a window's lines one after the other, a line's elements at a time.

    Loops: lines of the output, its columns, lines of the kernel, runs of elements; the outermost ones of ``config``
    have one iteration.

    Parameters
    ----------
    config : WindowReaderConfig
        Configuration of the reader, with at least 4 levels.
    windows : Windows

    Returns
    -------
    dict
        A command, :func:`.window_reader.window_command`.

    Raises
    ------
    ValueError
        A number that the reader has no room for.
    """
    run = windows.kernel[1] * windows.channels
    window = [(windows.kernel[0], {"lane": windows.pitch, "line": 1}), _blocks(config, run)]
    return _command(config, windows, windows.places + window, run)


def pixel_windows(config: WindowReaderConfig, windows: Windows) -> dict:
    """Windows pixel by pixel, with as many channels at a time as an access has elements.

    For transforms of tiles, for pooling and, with kernels of one pixel, for unit convolutions.

    Loops: lines of the output, its columns, runs of channels, lines of the kernel, its columns; the outermost ones of
    ``config`` have one iteration.

    Parameters
    ----------
    config : WindowReaderConfig
        Configuration of the reader, with at least 5 levels.
    windows : Windows

    Returns
    -------
    dict
        A command, :func:`.window_reader.window_command`.

    Raises
    ------
    ValueError
        A number that the reader has no room for.
    """
    window = [
        _blocks(config, windows.channels),
        (windows.kernel[0], {"lane": windows.pitch, "line": 1}),
        (windows.kernel[1], {"lane": windows.channels, "element": windows.channels}),
    ]
    return _command(config, windows, windows.places + window, windows.channels)


def picture_lines(config: WindowReaderConfig, windows: Windows) -> dict:
    """The picture as far as windows reach, each pixel once, with as many channels at a time as an access has elements.

    Loops: runs of channels, lines, columns; the outermost ones of ``config`` have one iteration.

    Parameters
    ----------
    config : WindowReaderConfig
        Configuration of the reader, with at least 3 levels.
    windows : Windows

    Returns
    -------
    dict
        A command, :func:`.window_reader.window_command`.

    Raises
    ------
    ValueError
        A number that the reader has no room for.
    """
    lines, columns = windows.reach
    loops = [
        _blocks(config, windows.channels),
        (lines, {"lane": windows.pitch, "line": 1}),
        (columns, {"lane": windows.channels, "element": windows.channels}),
    ]
    return _command(config, windows, loops, windows.channels)


def pixel_tiles(config: WindowReaderConfig, *, channels: int, pixels: int, place: int) -> dict:
    """All pixels of a picture from the last one on, in tiles of as many as an access has elements.

    Loops: tiles, runs of channels, pixels of a tile. The last tile is a whole one; pixels that are not there are 0.

    Parameters
    ----------
    config
        Configuration of the reader, with at least 3 levels.
    channels
        Channels of a pixel.
    pixels
        Pixels of the picture, which is one line here.
    place
        Place of the picture's first element in the memory.

    Returns
    -------
    dict
        A command, :func:`.window_reader.window_command`.

    Raises
    ------
    ValueError
        A number that the reader has no room for.
    """
    lanes, size = config.elements, (1, pixels)
    windows = Windows(
        channels=channels, picture=size, output=size, kernel=(1, 1), stride=(1, 1), origin=(0, pixels - 1), place=place
    )
    loops = [
        (-(-pixels // lanes), {"lane": -lanes * channels, "element": -lanes * channels}),
        _blocks(config, channels),
        (lanes, {"lane": -channels, "element": -channels}),
    ]
    return _command(config, windows, loops, channels)


def _blocks(config, run):
    """The loop over a run: as many elements at a time as an access has."""
    lanes = config.elements
    return -(-run // lanes), {"lane": lanes, "element": lanes, "rest": -lanes}


def _command(config, windows, loops, run):
    memory = config.memory
    height, pitch, place = windows.picture[0], windows.pitch, windows.place
    line, element = windows.origin[0], windows.origin[1] * windows.channels
    first = {"line": line, "element": element, "rest": run}
    for name, width in (("line", config.line_width), ("element", config.element_width)):
        ways = [(count - 1) * step.get(name, 0) for count, step in loops]
        least, most = (first[name] + sum(limit(way, 0) for way in ways) for limit in (min, max))
        limit = 1 << width - 1
        if not -limit <= least <= most < limit:
            raise ValueError(f"{name.title()}s must be from {-limit} to {limit - 1}, not {least} to {most}")
    if not 0 < height < 1 << config.line_width - 1 or not 0 < pitch < 1 << config.element_width - 1:
        raise ValueError(
            f"A picture must have at most {(1 << config.line_width - 1) - 1} lines of at most "
            f"{(1 << config.element_width - 1) - 1} elements, not {height} of {pitch}"
        )
    if not 0 <= place <= memory.rows * memory.lanes - height * pitch:
        raise ValueError(
            f"The picture's {height * pitch} elements must be in the {memory.rows * memory.lanes} of the memory, "
            f"not from {place} on"
        )
    begins = (place + line * pitch + element) % (memory.rows * memory.lanes)
    first |= {"lane": begins % memory.lanes, "row": begins // memory.lanes}
    first = {field.name: first[field.name] % (1 << field.width) for field in config.nest.fields}
    return {"nest": nest_loops(config.nest, loops, first), "height": height, "pitch": pitch}
