"""The matrix core against plain sums, for masks of all kinds."""

import numpy as np
import pytest

from rewardware.hw.cores.vector.matrix_config import MatrixConfig, Product
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.vector.products import backward, forward, weight_gradient

from .core_with_lists import CoreWithLists
from .matrix_setup import Layer, Setup
from .mixtures import mixture
from .stimulus import mixed, ordinary

BENCH = "tests.hw.cores.vector.bench_matrix_core"
SIZES = {
    "features": 60,
    "activation_rows": 300,
    "error_rows": 300,
    "result_rows": 1100,
    "weight_rows": 700,
    "list_rows": 500,
    "table_rows": 300,
    "steps": 20,
}
TWO = MatrixConfig(cluster_vpus=2, clusters=5, blocks=2, cores=2, error_ports=1, weight_banks=8, **SIZES)
FOUR = MatrixConfig(cluster_vpus=1, clusters=7, blocks=4, cores=3, error_ports=2, **SIZES)


def layers(rng, number_format):
    """Masks of all kinds: (rows, columns, group of each)."""
    kinds = [
        (19, 11, 1),
        (23, 37, 4),
        (1, 5, 2),
        (9, 1, 3),
        (50, 3, 16),
        (4, 21, 8),
    ]
    for rows, columns, groups in kinds:
        weights = mixed(rng, number_format, (rows, columns), 0.02)
        yield Layer(rng.integers(0, groups, rows), rng.integers(0, groups, columns), weights)
    # All rows in one group, all columns in another one.
    yield Layer(np.zeros(7, int), np.ones(6, int), ordinary(rng, number_format, (7, 6)))


@pytest.mark.parametrize("config", [TWO, FOUR], ids=["two blocks", "four blocks"])
@pytest.mark.parametrize("product", [Product.FORWARD, Product.BACKWARD], ids=["forward", "backward"])
def test_products(config, product):
    rng = np.random.default_rng(int(product))
    setup, number_format = Setup(config), config.format
    operand_base = result_base = 0
    nonfinite = False
    for number, layer in enumerate(layers(rng, number_format)):
        setup.add_layer(layer, keep_empty=number % 2 == 1)
        blocks = [config.blocks, 1, 2][number % 3]
        words = 1 + number % 2
        inner, outer = layer.weights.shape if product == Product.FORWARD else layer.weights.shape[::-1]
        values = mixed(rng, number_format, (words, inner, config.blocks, config.lanes), 0.002)
        owned = -(-inner // config.cores)
        for word in range(words):
            if product == Product.FORWARD:
                setup.add_activations(operand_base + word * inner, values[word], owned)
            else:
                setup.add_errors(operand_base + word * inner, values[word])
        setup.command(
            layer,
            product,
            blocks,
            operands=operand_base,
            owned=owned,
            results=result_base,
            reversed=number % 2,
            steps=words,
            operand_stride=inner,
            result_stride=outer,
        )
        reference = forward if product == Product.FORWARD else backward
        for word in range(words):
            expected = reference(number_format, values[word], layer.weights, layer.row_groups, layer.column_groups)
            setup.expect(result_base + word * outer, expected, blocks)
            nonfinite |= bool(is_nonfinite(number_format, expected[:, :blocks]).any())
        operand_base += words * inner
        result_base += words * outer
    simulate(CoreWithLists(config), bench=BENCH, parameters=setup.parameters(nonfinite=nonfinite))


@pytest.mark.parametrize("config", [TWO, FOUR], ids=["two blocks", "four blocks"])
def test_weight_gradients(config):
    rng = np.random.default_rng(7)
    setup, number_format = Setup(config), config.format
    nonfinite = False
    activations = errors = 0
    for number, layer in enumerate(layers(rng, number_format)):
        setup.add_layer(layer, keep_empty=number % 2 == 1)
        rows, columns = layer.weights.shape
        blocks = [config.blocks, 1, 2][number % 3]
        steps = [3, 1, 2][number % 3]
        owned = -(-rows // config.cores)
        shape = config.blocks, config.lanes
        operands = mixed(rng, number_format, (steps, rows, *shape), 0.0005)
        factors = mixed(rng, number_format, (steps, columns, *shape), 0.0005)
        for step in range(steps):
            setup.add_activations(activations + step * owned, operands[step], owned)
            setup.add_errors(errors + step * columns, factors[step])
        ones = number == 4
        setup.command(
            layer,
            Product.GRADIENT,
            blocks,
            operands=activations,
            owned=owned,
            errors=errors,
            steps=steps,
            operand_stride=owned,
            error_stride=columns,
            ones=int(ones),
        )
        if ones:
            operands = np.full_like(operands, number_format.one)
        expected = weight_gradient(
            number_format, operands[:, :, :blocks], factors[:, :, :blocks], layer.row_groups, layer.column_groups
        )
        setup.expect_gradients(layer, expected)
        masked = layer.row_groups[:, None] != layer.column_groups
        nonfinite |= bool((is_nonfinite(number_format, expected) & ~masked).any())
        activations += steps * owned
        errors += steps * columns
    parameters = setup.parameters(nonfinite=nonfinite) | {"resets": range(20, 90, 7)}
    simulate(CoreWithLists(config), bench=BENCH, parameters=parameters)


@pytest.mark.parametrize("product", [Product.FORWARD, Product.BACKWARD], ids=["forward", "backward"])
def test_results_of_empty_groups_stay(product):
    """Where a layer's groups have no terms, and are skipped, the results of the command before are left."""
    rng = np.random.default_rng(5)
    setup, number_format = Setup(FOUR), FOUR.format
    forward_ = product == Product.FORWARD
    inner, outer, groups = 13, 17, 6
    values = ordinary(rng, number_format, (inner, FOUR.blocks, FOUR.lanes))
    owned = -(-inner // FOUR.cores)
    if forward_:
        setup.add_activations(0, values, owned)
    else:
        setup.add_errors(0, values)
    inner_groups, outer_groups = rng.integers(0, 2, inner), np.arange(outer) % groups
    results = []
    for of_inner, of_outer, flags in (
        (np.zeros(inner, int), np.zeros(outer, int), {}),
        (inner_groups, outer_groups, {"skip_empty": 1, "reversed": 1}),
    ):
        row_groups, column_groups = (of_inner, of_outer) if forward_ else (of_outer, of_inner)
        weights = ordinary(rng, number_format, (len(row_groups), len(column_groups)))
        layer = setup.add_layer(Layer(row_groups, column_groups, weights), keep_empty=True)
        setup.command(layer, product, owned=owned, **flags)
        reference = forward if forward_ else backward
        results.append(reference(number_format, values, weights, row_groups, column_groups))
    empty = ~np.isin(outer_groups, inner_groups)
    assert 0 < empty.sum() < outer
    setup.expect(0, np.where(empty[:, None, None], *results))
    simulate(CoreWithLists(FOUR), bench=BENCH, parameters=setup.parameters(nonfinite=False))


def test_bits_do_not_depend_on_packing():
    """A layer alone, from its last group on, between others, with fewer blocks, with more words: the same bits."""
    rng = np.random.default_rng(11)
    setup, number_format = Setup(FOUR), FOUR.format
    rows, columns, groups = 31, 26, 6
    weights = mixed(rng, number_format, (rows, columns), 0.02)
    layer = setup.add_layer(Layer(rng.integers(0, groups, rows), rng.integers(0, groups, columns), weights))
    other = Layer(rng.integers(0, 3, 14), rng.integers(0, 3, 9), ordinary(rng, number_format, (14, 9)))
    setup.add_layer(other)
    values = mixed(rng, number_format, (rows, FOUR.blocks, FOUR.lanes), 0.01)
    owned = -(-rows // FOUR.cores)
    setup.add_activations(0, values, owned)
    expected = forward(number_format, values, weights, layer.row_groups, layer.column_groups)
    fillers = forward(number_format, values[:14], other.weights, other.row_groups, other.column_groups)
    ways = [
        {},
        {"reversed": 1},
        {"blocks": 1},
        {"blocks": 2, "reversed": 1},
        {"steps": 3, "operand_stride": 0, "result_stride": columns},
    ]
    base = 0
    for way in ways:
        setup.command(layer, Product.FORWARD, owned=owned, results=base, **way)
        for _ in range(way.get("steps", 1)):
            setup.expect(base, expected, way.get("blocks"))
            base += columns
        setup.command(other, Product.FORWARD, owned=owned, results=base)
        setup.expect(base, fillers)
        base += 9
    nonfinite = bool(is_nonfinite(number_format, expected).any() or is_nonfinite(number_format, fillers).any())
    simulate(CoreWithLists(FOUR), bench=BENCH, parameters=setup.parameters(nonfinite=nonfinite, stall=0.4))


def test_an_address_behind_the_end_is_said():
    setup = Setup(FOUR)
    layer = setup.add_layer(Layer(np.zeros(3, int), np.zeros(2, int), np.zeros((3, 2), int)))
    runs = []
    for command in ({"operands": 299}, {"results": 1099}, {"results": 1098, "operands": 297}):
        setup.commands = []
        setup.command(layer, Product.FORWARD, owned=60, **command)
        runs.append((setup.commands, None))
    simulate(
        CoreWithLists(FOUR),
        bench=BENCH,
        parameters=setup.parameters(nonfinite=False, runs=runs, out_of_range=[True, True, False]),
    )


@pytest.mark.parametrize("seed", [0, 2])
@pytest.mark.parametrize("config", [TWO, FOUR], ids=["two blocks", "four blocks"])
def test_random_mixtures(config, seed):
    simulate(CoreWithLists(config), bench=BENCH, parameters=mixture(config, seed))
