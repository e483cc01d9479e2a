"""Windows to their largest elements and sums, against NumPy."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.window_reduction import WindowReduction
from rewardware.hw.cores.convolution.window_reduction_config import WindowReductionConfig
from rewardware.sim.cocotb import simulate


def test_window_reduction():
    config = WindowReductionConfig(lanes=3, width=6, window=9)
    rng = np.random.default_rng(0)
    comes, leaves = [], []
    for number in range(150):
        size = int(rng.choice([1, 9, rng.integers(1, 10)]))
        elements = rng.integers(-32, 32, (size, 3))
        if number < 8:
            elements[:], size = [-32, 31][number % 2], 9
        inside = rng.random(elements.shape) < (0.7 if number > 8 else 1.0)
        maximum = int(rng.integers(2))
        for index, (vector, mask) in enumerate(zip(elements, inside, strict=True)):
            last = int(index == len(elements) - 1)
            bits = int(mask @ (1 << np.arange(3)))
            comes.append({"elements": vector.tolist(), "inside": bits, "last": last, "maximum": maximum})
        least = np.where(inside, elements, -32).max(0)
        leaves.append((least if maximum else np.where(inside, elements, 0).sum(0)).tolist())
    first = 1 + [vector["last"] for vector in comes].index(1)
    simulate(
        WindowReduction(config),
        bench="tests.hw.cores.convolution.bench_values",
        parameters={"comes": comes, "leaves": leaves, "head": first, "latency": 0},
        after_noise=True,
    )


def test_widths():
    assert WindowReductionConfig(lanes=1, width=8, window=9).result_width == 12
    assert WindowReductionConfig(lanes=1, width=8, window=8).result_width == 11
    with pytest.raises(ValueError, match="Window must be from 1 to 65536, not 0"):
        WindowReductionConfig(lanes=1, window=0)
