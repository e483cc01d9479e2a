"""Lines to columns and columns to windows, the largest elements and sums, against NumPy."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.column_reduction import ColumnReduction
from rewardware.hw.cores.convolution.window_reduction import WindowReduction
from rewardware.hw.cores.convolution.window_reduction_config import WindowReductionConfig
from rewardware.sim.cocotb import simulate


def reduce(elements, axis, *, maximum):
    return elements.max(axis) if maximum else elements.sum(axis)


def run(component, comes, leaves, head, latency):
    simulate(
        component,
        bench="tests.hw.cores.convolution.bench_values",
        parameters={"comes": comes, "leaves": leaves, "head": head, "latency": latency},
        after_noise=True,
    )


@pytest.mark.parametrize(("lines", "length"), [(3, 7), (2, 5)])
def test_column_reduction(lines, length):
    config = WindowReductionConfig(lanes=3, width=6, lines=lines, length=length)
    rng = np.random.default_rng(lines)
    comes, leaves, head = [], [], None
    for number in range(40):
        kernel, stride, maximum = (int(rng.integers(low, high)) for low, high in ((1, lines + 1),) * 2 + ((0, 2),))
        # Lines of which none is kept may have any length.
        longest = length if kernel > 1 else 2 * length
        height, width = kernel + stride * int(rng.integers(0, 3)), int(rng.choice([2, longest]))
        picture = rng.integers(-32, 32, (height, width, 3)) if number > 8 else np.full((height, width, 3), -32)
        inside = rng.random(picture.shape) < (0.7 if number > 8 else 1.0)
        for line, column in np.ndindex(height, width):
            ends_line = column == width - 1
            comes.append(
                {
                    "elements": picture[line, column].tolist(),
                    "inside": int(inside[line, column] @ (1 << np.arange(3))),
                    "ends_line": int(ends_line),
                    "ends_picture": int(ends_line and line == height - 1),
                    "maximum": maximum,
                    "kernel": kernel,
                    "stride": stride,
                }
            )
        head = head or (kernel - 1) * width + 1
        counted = np.where(inside, picture, -32 if maximum else 0)
        for first in range(0, height - kernel + 1, stride):
            results = reduce(counted[first : first + kernel], 0, maximum=maximum)
            leaves += [
                {"elements": result.tolist(), "last": int(column == width - 1)} for column, result in enumerate(results)
            ]
    core = ColumnReduction(config)
    run(core, comes, leaves, head, core.latency)


@pytest.mark.parametrize("columns", [3, 4, 2])
def test_window_reduction(columns):
    config = WindowReductionConfig(lanes=3, width=6, window=12, lines=3, columns=columns)
    rng = np.random.default_rng(columns)
    comes, leaves, head = [], [], None
    for number in range(150):
        slides, maximum = (int(word) for word in rng.integers(0, 2, 2))
        kernel, stride = (int(word) for word in rng.integers(1, columns + 1, 2)) if slides else (1, 1)
        size = kernel + stride * int(rng.integers(0, 4)) if slides else int(rng.choice([1, 12, rng.integers(1, 13)]))
        # Sums of three elements come as columns only, where windows slide.
        low, high = (-96, 94) if slides and not maximum else (-32, 32)
        vectors = rng.integers(low, high, (size, 3)) if number > 8 else np.full((size, 3), [low, high - 1][number % 2])
        comes += [
            {
                "elements": vector.tolist(),
                "last": int(index == size - 1),
                "maximum": maximum,
                "slides": slides,
                "kernel": kernel,
                "stride": stride,
            }
            for index, vector in enumerate(vectors)
        ]
        head = head or (kernel if slides else size)
        starts, most = (range(0, size - kernel + 1, stride), kernel) if slides else ([0], size)
        leaves += [reduce(vectors[start : start + most], 0, maximum=maximum).tolist() for start in starts]
    core = WindowReduction(config)
    run(core, comes, leaves, head, core.latency)


def test_widths():
    config = WindowReductionConfig(lanes=1, width=8, window=9)
    assert (config.column_width, config.result_width) == (10, 12)
    config = WindowReductionConfig(lanes=1, width=8, window=8, lines=2, columns=2)
    assert (config.column_width, config.result_width) == (9, 11)
    with pytest.raises(ValueError, match="Window must be from 9 to 65536, not 0"):
        WindowReductionConfig(lanes=1, window=0)
    with pytest.raises(ValueError, match="Lines must be from 2 to 16, not 1"):
        WindowReductionConfig(lanes=1, lines=1)
