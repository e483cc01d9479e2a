"""Random sequences of commands on random layers: what memories get, and what the engine must leave."""

import numpy as np

from rewardware.hw.cores.vector.matrix_config import Product
from rewardware.sw.mapping.matrix_waves import ProductShape, schedule
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.vector.products import backward, forward, weight_gradient

from .matrix_setup import Layer, Setup
from .stimulus import mixed


def shape_of(layer, product, **fields):
    """The shape of a command for the cycle model."""
    groups = range(max([*layer.row_groups, *layer.column_groups]) + 1)
    rows, columns = ([int((of == group).sum()) for group in groups] for of in (layer.row_groups, layer.column_groups))
    pairs = zip(columns, rows, strict=True) if product == Product.BACKWARD else zip(rows, columns, strict=True)
    entries = sorted((pair for pair in pairs if pair[1]), key=lambda pair: -pair[0])
    return ProductShape(product=product, groups=entries, **fields)


def mixture(config, seed, commands=12):
    """The parameters of the bench for one random sequence."""
    rng = np.random.default_rng(seed)
    setup, number_format = Setup(config), config.format
    shape = config.blocks, config.lanes
    activations = mixed(rng, number_format, (200, *shape), 0.0005)
    errors = mixed(rng, number_format, (200, *shape), 0.0005)
    # Everything in the first bank.
    owned = config.features
    setup.add_activations(0, activations, len(activations))
    setup.add_errors(0, errors)
    shapes, nonfinite, base = [], False, 0
    for _ in range(commands):
        rows, columns, groups = (int(rng.integers(1, high)) for high in (30, 20, 12))
        weights = mixed(rng, number_format, (rows, columns), 0.01)
        layer = setup.add_layer(Layer(rng.integers(0, groups, rows), rng.integers(0, groups, columns), weights))
        product, steps = Product(int(rng.integers(0, 3))), int(rng.integers(1, 4))
        blocks = int(rng.choice([count for count in (1, 2, 4) if count <= config.blocks]))
        places = {name: int(rng.integers(0, 100)) for name in ("operands", "errors")}
        reversed_, skip_empty = (int(rng.integers(0, 2)) for _ in range(2))
        masked = layer.row_groups[:, None] != layer.column_groups
        if product == Product.GRADIENT:
            strides = {"operand_stride": int(rng.integers(0, 30)), "error_stride": int(rng.integers(0, 30))}
            taken = [
                [memory[start + step * stride : start + step * stride + count, :blocks] for step in range(steps)]
                for memory, start, stride, count in (
                    (activations, places["operands"], strides["operand_stride"], rows),
                    (errors, places["errors"], strides["error_stride"], columns),
                )
            ]
            expected = weight_gradient(number_format, *taken, layer.row_groups, layer.column_groups)
            setup.expect_gradients(layer, expected)
            nonfinite |= bool((is_nonfinite(number_format, expected) & ~masked).any())
        else:
            memory, count, outer, empty = activations, rows, columns, masked.all(axis=0)
            reference = forward
            if product == Product.BACKWARD:
                memory, count, outer, empty, reference = errors, columns, rows, masked.all(axis=1), backward
            strides = {"operand_stride": int(rng.integers(0, 20)), "result_stride": outer, "results": base}
            for step in range(steps):
                start = places["operands"] + step * strides["operand_stride"]
                operands = memory[start : start + count, :blocks]
                expected = reference(number_format, operands, weights, layer.row_groups, layer.column_groups)
                setup.expect(base, expected, blocks)
                for feature in np.flatnonzero(empty & bool(skip_empty)):
                    del setup.results[base + feature]
                nonfinite |= bool(is_nonfinite(number_format, expected).any())
                base += outer
        flags = {"reversed": reversed_, "skip_empty": skip_empty}
        setup.command(layer, product, blocks, owned=owned, steps=steps, **flags, **places, **strides)
        flags = {name: bool(flag) for name, flag in flags.items()}
        shapes.append(shape_of(layer, product, blocks=blocks, steps=steps, **flags))
    assert setup.entries <= config.table_rows and setup.weight_rows <= config.weight_rows and base <= config.result_rows
    cycles = schedule(config, shapes).cycles
    return setup.parameters(nonfinite=nonfinite, runs=[(setup.commands, cycles)])
