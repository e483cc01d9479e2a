"""Windows of pictures in a memory, against NumPy's padding and slices."""

import numpy as np
import pytest
from amaranth.hdl import Module, Mux
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.window_loops import Windows, pixel_windows, toeplitz_windows
from rewardware.hw.cores.convolution.window_reader import WindowReader, window_command, window_elements
from rewardware.hw.cores.convolution.window_reader_config import WindowReaderConfig
from rewardware.hw.cores.memory.config import UnalignedConfig
from rewardware.hw.cores.memory.unaligned import UnalignedMemory, UnalignedWritePort
from rewardware.sim.cocotb import simulate


def connect_granted(m, reader, memory, granted):
    """The memory's read port to the reader in cycles with a grant, else to others."""
    asks, reads = reader.memory, memory.read
    m.d.comb += [
        reader.memory_granted.eq(granted),
        asks.data.eq(reads.data),
        reads.enable.eq(asks.enable | ~granted),
        reads.row.eq(Mux(granted, asks.row, 0)),
        reads.lane.eq(asks.lane),
    ]


class ReaderOfMemory(wiring.Component):
    """The reader at a memory that the bench writes."""

    def __init__(self, config):
        self.parts = WindowReader(config), UnalignedMemory(config.memory)
        super().__init__(
            {
                "commands": In(stream.Signature(window_command(config))),
                "o": Out(stream.Signature(window_elements(config))),
                "write": In(UnalignedWritePort(config.memory)),
                "granted": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.reader, m.submodules.memory = reader, memory = self.parts
        connect_granted(m, reader, memory, self.granted)
        wiring.connect(m, wiring.flipped(self.commands), reader.commands)
        wiring.connect(m, reader.o, wiring.flipped(self.o))
        wiring.connect(m, wiring.flipped(self.write), memory.write)
        return m


def expected(picture, output, kernel, stride, origin, lanes, *, by_line):
    """Elements and which of them are in the picture, a row an access; by NumPy alone."""
    height, width, channels = picture.shape
    far = max(height, width) + sum(kernel) + max(a * b for a, b in zip(output, stride, strict=True))
    sides = ((far, far), (far, far), (0, 0))
    padded, there = np.pad(picture, sides), np.pad(np.ones_like(picture), sides)
    for o1, o2 in np.ndindex(*output):
        y, x = far + origin[0] + o1 * stride[0], far + origin[1] + o2 * stride[1]
        window = np.s_[y : y + kernel[0], x : x + kernel[1]]
        if by_line:
            runs = [(a.ravel(), b.ravel()) for a, b in zip(padded[window], there[window], strict=True)]
            pieces = [(*run, at) for run in runs for at in range(0, kernel[1] * channels, lanes)]
        else:
            runs = zip(padded[window].reshape(-1, channels), there[window].reshape(-1, channels), strict=True)
            runs = list(runs)
            pieces = [(*run, at) for at in range(0, channels, lanes) for run in runs]
        for elements, inside, at in pieces:
            part = np.zeros((2, lanes), np.int64)
            size = min(lanes, len(elements) - at)
            part[:, :size] = elements[at : at + size], inside[at : at + size]
            yield {"elements": part[0].tolist(), "inside": int(part[1] @ (1 << np.arange(lanes))), "size": size}


# Channels, picture, kernel, stride, origin.
WINDOWS = [
    (3, (6, 5), (3, 3), (1, 1), (-1, -1)),
    (1, (4, 7), (1, 5), (2, 3), (0, -2)),
    (11, (3, 3), (2, 2), (1, 2), (-1, 0)),
    (7, (5, 4), (4, 4), (2, 2), (-1, -1)),
    (2, (1, 1), (3, 3), (1, 1), (-1, -1)),
    (5, (4, 4), (1, 1), (3, 3), (-2, 1)),
    # Long lines, and many: both edges of each.
    (3, (2, 30), (3, 3), (1, 29), (-1, -1)),
    (1, (70, 2), (3, 1), (69, 1), (-1, 0)),
]


@pytest.mark.parametrize(("banks", "lanes"), [(7, None), (4, None), (7, 3)])
def test_windows(banks, lanes):
    config = WindowReaderConfig(memory=UnalignedConfig(lanes=banks, rows=128, width=8), lanes=lanes)
    lanes = lanes or banks
    rng = np.random.default_rng(lanes)
    content = rng.integers(1, 256, banks * 128)
    commands, results = [], []
    for channels, picture, kernel, stride, origin in WINDOWS:
        size = channels * picture[0] * picture[1]
        place = int(rng.integers(0, len(content) - size + 1)) if commands else 0
        tensor = content[place : place + size].reshape(*picture, channels)
        output = tuple(
            max((p - 2 * min(o, 0) - k) // s + 1, 1) for p, k, s, o in zip(picture, kernel, stride, origin, strict=True)
        )
        for loops, by_line in ((toeplitz_windows, True), (pixel_windows, False)):
            names = "channels", "picture", "output", "kernel", "stride", "origin"
            given = dict(zip(names, (channels, picture, output, kernel, stride, origin), strict=True))
            commands.append(loops(config, Windows(**given, place=place)))
            results.append(list(expected(tensor, output, kernel, stride, origin, lanes, by_line=by_line)))
    simulate(
        ReaderOfMemory(config),
        bench="tests.hw.cores.convolution.bench_window_reader",
        parameters={"content": content, "lanes": banks, "commands": commands, "expected": results},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"place": 900}, "The picture's 12 elements must be in the 896 of the memory, not from 900 on"),
        ({"picture": (2, 1 << 17)}, "must have at most 511 lines of at most 131071 elements, not 2 of 393216"),
        ({"origin": (-600, 0)}, "Lines must be from -512 to 511, not -600 to -600"),
    ],
)
def test_what_does_not_fit(change, message):
    config = WindowReaderConfig(memory=UnalignedConfig(lanes=7, rows=128, width=8))
    one = (1, 1)
    given = {"channels": 3, "picture": (2, 2), "output": one, "kernel": one, "stride": one, "origin": (0, 0)}
    with pytest.raises(ValueError, match=message):
        toeplitz_windows(config, Windows(**given | change))


def test_a_reader_with_few_loops():
    config = WindowReaderConfig(memory=UnalignedConfig(lanes=7, rows=128, width=8), levels=4)
    with pytest.raises(ValueError, match="Levels must be at least 5, not 4"):
        one = dict.fromkeys(("output", "kernel", "stride"), (1, 1))
        pixel_windows(config, Windows(channels=1, picture=(2, 2), origin=(0, 0), **one))
    with pytest.raises(ValueError, match="Lanes must be from 2 to 7, not 8"):
        WindowReaderConfig(memory=UnalignedConfig(lanes=7, rows=128), lanes=8)
    with pytest.raises(ValueError, match="Rows of the memory must be a power of two, not 100"):
        WindowReaderConfig(memory=UnalignedConfig(lanes=7, rows=100, width=8))
