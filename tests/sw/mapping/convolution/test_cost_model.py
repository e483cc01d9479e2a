"""Costs of layers and transfers: the equations, counted in other ways and by hand."""

import itertools

import numpy as np
import pytest

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.hw.cores.convolution.cycles import Gemm, completion_cycles
from rewardware.hw.cores.convolution.gemm_config import GemmEngineConfig
from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.sw.mapping.convolution.algorithms import (
    IM2COL,
    KN2ROW,
    Algorithm,
    Format,
    Layout,
    MatrixProducts,
    algorithms_of,
    input_format,
    matrix_products,
)
from rewardware.sw.mapping.convolution.cost_model import CostModel
from rewardware.sw.mapping.convolution.cost_model_config import CostModelConfig
from rewardware.sw.reference.convolution.algorithms import ALGORITHMS
from rewardware.sw.reference.convolution.winograd import F23, F43, rounds

F23_ALGORITHM, F43_ALGORITHM = Algorithm(name="winograd", m=2, r=3), Algorithm(name="winograd", m=4, r=3)


def config(rows=31, columns=31, **settings):
    return CostModelConfig(rows=rows, columns=columns, **{"frequency": 1.0, "initialization": 0, **settings})


def convolution(kernel=(3, 3), stride=(1, 1), padding=((1, 1), (1, 1)), picture=(13, 11), channels=(5, 7)):
    return ConvolutionShape(
        input_channels=channels[0],
        output_channels=channels[1],
        picture=picture,
        kernel=kernel,
        stride=stride,
        padding=padding,
    )


def unit(a, b, c):
    """A layer with one product."""
    return convolution(kernel=(1, 1), padding=((0, 0), (0, 0)), picture=(a, 1), channels=(b, c))


def passes(high, wide, steps, rows, columns):
    """Steps of all blocks of an array that cover high x wide."""
    return sum(steps for _ in itertools.product(range(0, high, rows), range(0, wide, columns)))


@pytest.mark.parametrize("array", [(31, 31), (4, 9), (92, 66), (1, 1)])
@pytest.mark.parametrize("sizes", [(62, 124, 64), (1, 1, 1), (5, 97, 33), (200, 3, 67)])
def test_cycles_are_the_steps_of_all_passes(array, sizes):
    a, b, c = sizes
    model = CostModel(config(*array, initialization=17))
    (found,) = model.layer(unit(a, b, c), IM2COL)
    assert dict(zip(map(str, Dataflow), found, strict=True)) == {
        "NS": passes(a, c, b, *array) + 17,
        "WS": passes(b, c, a, *array) + 17,
        "IS": passes(b, a, c, *array) + 17,
    }


def test_the_example_of_the_source():
    """Parallel along inputs and products the array of 31 x 31 is always full."""
    (found,) = CostModel(config()).layer(unit(62, 124, 64), IM2COL)
    assert found.argmin() == 2 and found[2] == 62 * 124 * 64 / 31**2


def test_overheads_and_frequency():
    shape = convolution()
    plain = CostModel(config(8, 6)).layer(shape, F23_ALGORITHM)
    slow = CostModel(config(8, 6, linear_transform=5, initialization=None, frequency=2.0)).layer(shape, F23_ALGORITHM)
    assert np.array_equal(slow, (plain + 16 * (5 + 8)) / 2)
    kn2row = CostModel(config(8, 6)).layer(shape, KN2ROW), CostModel(config(8, 6, linear_transform=5))
    assert np.array_equal(kn2row[0], kn2row[1].layer(shape, KN2ROW))


def test_several_arrays_at_once():
    arrays = [(8, 6), (3, 40), (12, 1)]
    together = CostModel(config(initialization=None), arrays)
    for shape, algorithm in itertools.product([convolution(), unit(5, 97, 33)], [IM2COL, KN2ROW]):
        alone = [CostModel(config(*array, initialization=None)).layer(shape, algorithm)[0] for array in arrays]
        assert np.array_equal(together.layer(shape, algorithm), alone)
    assert list(together.vectors(10, 7)) == [10 * 1, 10 * 3, 10 * 1]


def test_layers_by_the_cycles_of_the_engine():
    """Cycles by the rules that tests of the engine hold by equality; several products follow each other closely."""
    arrays = [(8, 6), (9, 40)]
    model = CostModel(config(*arrays[0], initialization=None, frequency=2.0, linear_transform=3, drains=2), arrays)
    for shape, algorithm in itertools.product([convolution(), convolution(channels=(3, 4))], [KN2ROW, F23_ALGORITHM]):
        products = matrix_products(shape, algorithm)
        for (rows, columns), found in zip(arrays, model.layer(shape, algorithm), strict=True):
            array = SystolicArrayConfig(rows=rows, columns=columns, drains=2)
            engine = GemmEngineConfig(array=array, input_rows=3 * rows, weight_rows=70, sum_rows=128)
            for dataflow, seconds in enumerate(found):
                gemm = Gemm(dataflow=Dataflow(dataflow), pixels=products.a, products=products.b, channels=products.c)
                exact = completion_cycles(engine, [gemm] * products.count)[-1]
                assert seconds == (exact + (3 * products.count if algorithm.m else 0)) / 2


def test_short_passes_take_longer_than_equation_3_2():
    """A linear layer's block is loaded a column a cycle, whatever its pass; a chain gives a row of sums a cycle."""
    linear, first = unit(1, 1024, 1000), unit(200, 3, 50)
    equation, exact = (CostModel(config(92, 66, initialization=None, drains=drains)) for drains in (None, 4))
    assert exact.layer(linear, IM2COL)[0, 1] > 30 * equation.layer(linear, IM2COL)[0, 1]
    assert exact.layer(first, IM2COL)[0, 0] > equation.layer(first, IM2COL)[0, 0]


def test_arrays_that_the_engine_cannot_have_are_refused():
    with pytest.raises(ValueError, match="Drains must be a power of two"):
        config(initialization=None, drains=3)
    with pytest.raises(ValueError, match="Initialization must be None with drains, not 0"):
        config(drains=2)
    with pytest.raises(ValueError, match="Drains must leave a row for each"):
        CostModel(config(64, 8, initialization=None, drains=8), [(5, 8)])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (convolution(), {IM2COL, KN2ROW, F23_ALGORITHM, F43_ALGORITHM}),
        (convolution((5, 5)), {IM2COL, KN2ROW, F23_ALGORITHM, F43_ALGORITHM}),
        (convolution((1, 1)), {IM2COL}),
        (convolution((1, 3)), {IM2COL, KN2ROW}),
        (convolution(stride=(2, 2)), {IM2COL, KN2ROW}),
        (
            FractionallyStridedShape(input_channels=2, output_channels=3, picture=(4, 4), kernel=(3, 3)),
            {IM2COL, KN2ROW},
        ),
    ],
)
def test_where_algorithms_can_be(shape, expected):
    assert set(algorithms_of(shape, (F23_ALGORITHM, F43_ALGORITHM))) == expected


@pytest.mark.parametrize("kernel", [(3, 3), (5, 5), (2, 2), (7, 7)])
@pytest.mark.parametrize(("algorithm", "transform"), [(F23_ALGORITHM, F23), (F43_ALGORITHM, F43)])
def test_winograd_has_the_products_of_the_reference(kernel, algorithm, transform):
    shape = convolution(kernel)
    assert str(algorithm) in ALGORITHMS
    rows, columns = transform.tiles(shape)
    products = matrix_products(shape, algorithm)
    assert (products.a, products.b, products.c) == (rows * columns, 5, 7)
    assert products.count == len(rounds(transform, shape)) * transform.tile**2
    tiles = rows * columns
    expected = Format(layout=Layout.WINOGRAD, elements=tiles * transform.tile**2, tiles=tiles)
    assert input_format(shape, algorithm) == expected


def test_products_of_the_other_algorithms():
    shape = convolution((3, 2), (2, 1), ((1, 0), (0, 0)))
    assert shape.output == (6, 10)
    assert matrix_products(shape, IM2COL) == MatrixProducts(a=60, b=30, c=7)
    assert matrix_products(shape, KN2ROW) == MatrixProducts(a=60, b=5, c=7, count=6)
    assert input_format(shape, IM2COL) == Format(layout=Layout.TOEPLITZ, elements=360)
    assert input_format(shape, KN2ROW) == Format(layout=Layout.TENSOR, elements=143)
    # A Toeplitz matrix of single pixels is the 3-D tensor, unless some are left out.
    assert input_format(unit(5, 2, 3), IM2COL) == Format(layout=Layout.TENSOR, elements=5)
    strided = convolution((1, 1), (2, 2), ((0, 0), (0, 0)))
    assert input_format(strided, IM2COL) == Format(layout=Layout.TOEPLITZ, elements=42)


def test_fractionally_strided_layers_have_no_zeros_with_kn2row():
    shape = FractionallyStridedShape(
        input_channels=6, output_channels=4, picture=(5, 7), kernel=(4, 4), stride=(2, 2), padding=((1, 1), (1, 1))
    )
    assert shape.output == (10, 14)
    assert matrix_products(shape, IM2COL) == MatrixProducts(a=140, b=96, c=4)
    assert matrix_products(shape, KN2ROW) == MatrixProducts(a=35, b=6, c=4, count=16)
    assert input_format(shape, KN2ROW) == Format(layout=Layout.TENSOR, elements=35)
    assert input_format(shape, IM2COL) == Format(layout=Layout.TOEPLITZ, elements=140 * 16)


TENSOR = Format(layout=Layout.TENSOR, elements=100)
TOEPLITZ = Format(layout=Layout.TOEPLITZ, elements=900)
WINOGRAD = Format(layout=Layout.WINOGRAD, elements=400, tiles=25)


@pytest.mark.parametrize(
    ("layout", "target", "channels", "seconds"),
    [
        # The rows of table 3.2.
        (Layout.TENSOR, TOEPLITZ, 8, 7200 / 10),
        (Layout.TOEPLITZ, TOEPLITZ, 8, 7200 / 10),
        (Layout.TENSOR, TENSOR, 8, 800 / 10),
        (Layout.TOEPLITZ, TENSOR, 8, 800 / 10),
        (Layout.WINOGRAD, TENSOR, 8, 800 / 10),
        # Equation 3.6, below a burst and with one.
        (Layout.TENSOR, WINOGRAD, 8, 3200 / (10 * 8 / (8 + 1 / 25))),
        (Layout.TENSOR, WINOGRAD, 16, 6400 / 10),
        (Layout.WINOGRAD, WINOGRAD, 8, 3200 / 10),
        (Layout.WINOGRAD, TOEPLITZ, 8, 7200 / 10 + 3 / 4),
    ],
)
def test_transfers(layout, target, channels, seconds):
    model = CostModel(config(frequency=4.0, bandwidth=20.0, element_bytes=2, burst_length=16, layout_overhead=3))
    assert model.transfer(layout, target, channels) == pytest.approx(seconds, rel=1e-14)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"rows": 0}, ValueError, "Rows must be at least 1, not 0"),
        ({"columns": 1.5}, TypeError, "Columns must be an integer, not 1.5"),
        ({"frequency": 0}, ValueError, "Frequency must be above 0 and finite, not 0"),
        ({"bandwidth": "fast"}, TypeError, "Bandwidth must be a number, not 'fast'"),
        ({"element_bytes": 0}, ValueError, "Element bytes must be at least 1, not 0"),
        ({"burst_length": 0}, ValueError, "Burst length must be at least 1, not 0"),
        ({"initialization": -1}, ValueError, "Initialization must be at least 0, not -1"),
        ({"linear_transform": -1}, ValueError, "Linear transform must be at least 0, not -1"),
        ({"layout_overhead": -1}, ValueError, "Layout overhead must be at least 0, not -1"),
        ({"winograd": [(2, 3)]}, TypeError, "Winograd must be of the kind tuple, not [(2, 3)]"),
        ({"winograd": (2, 3)}, TypeError, "Winograd must be pairs (m, r), not 2"),
        ({"winograd": ((1, 3),)}, ValueError, "m of Winograd must be at least 2, not 1"),
        ({"winograd": ((2, 1),)}, ValueError, "r of Winograd must be at least 2, not 1"),
    ],
)
def test_what_is_refused(settings, error, words):
    with pytest.raises(error) as raised:
        config(**{"rows": 8, "columns": 8, **settings})
    assert str(raised.value) == words
