"""Weights as rows, and rows as beats of the stream, there and back."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.sw.systems.dynamap.bench.network_cycles import ARRAYS
from rewardware.sw.systems.dynamap.compiler.kernel_rows import beats_of, kernel_row_count, kernel_rows, words_of

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("dataflow", Dataflow)
@pytest.mark.parametrize("size", [(1, 1), (17, 13), (11, 6), (22, 5)])
def test_each_weight_is_where_the_engine_reads_it(array, dataflow, size):
    config = ARRAYS[array].array
    rows, columns = config.array.rows, config.array.columns
    weights = RNG.integers(-128, 128, size)
    table = kernel_rows(config, dataflow, weights)
    assert table.shape == (kernel_row_count(config, dataflow, *size), config.weights)
    left = table.copy()
    for (product, channel), weight in np.ndenumerate(weights):
        if dataflow == Dataflow.NON_STATIONARY:
            where = channel // columns * size[0] + product, channel % columns
        else:
            where = product // rows * size[1] + channel, product % rows
        assert table[where] == weight
        left[where] = 0
    assert not left.any()


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("name", ["features", "weights_0", "weights_1"])
def test_beats_there_and_back(array, name):
    hardware = ARRAYS[array]
    region = hardware.host_map.region(name)
    features = name == "features"
    width = hardware.width if features else hardware.array.array.weight_width
    words = hardware.features.lanes if features else hardware.array.weights
    rows = RNG.integers(-1 << width - 1, 1 << width - 1, (7, words))
    rows[0], rows[1] = -1 << width - 1, (1 << width - 1) - 1
    beats = beats_of(region, rows, width)
    assert beats.shape == (7 * region.parts, hardware.stream_width // 32)
    np.testing.assert_array_equal(words_of(region, beats, width, words), rows)
