"""The cycle model of the matrix engine against the RTL: equal cycles, for groups of all kinds.

Cycles depend neither on the number format nor on the VPUs of a cluster, so the smallest ones stand for all.
"""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import FloatFormat
from rewardware.hw.cores.vector.matrix_config import MatrixConfig, Product
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.matrix_waves import ProductShape, schedule
from tests.hw.cores.vector.core_with_lists import CoreWithLists

TINY = {"format": FloatFormat(exponent_bits=2, fraction_bits=1), "cluster_vpus": 1, "cores": 1, "steps": 60}
PAPER = MatrixConfig(clusters=33, blocks=4, error_ports=2, **TINY)
# A wave has room for more segments of a group than it has slots.
ODD = MatrixConfig(clusters=37, blocks=2, error_ports=1, weight_banks=4, **TINY)


def sorted_groups(rng, rows, columns, count):
    """Random groups in the order of a table; some without inner, some without outer features."""
    inner = np.bincount(rng.integers(0, count, rows), minlength=count)
    outer = np.bincount(rng.integers(0, count, columns), minlength=count)
    return sorted(zip(inner.tolist(), outer.tolist(), strict=True), key=lambda group: -group[0])


def commands_of(shapes, tables):
    """Commands of the engine; the tables that they walk are added to ``tables``."""
    commands = []
    for shape in shapes:
        fields = dict.fromkeys(
            ("ones", "operands", "errors", "results", "operand_stride", "error_stride", "result_stride"), 0
        )
        command = fields | {
            "product": int(shape.product),
            "blocks": shape.blocks.bit_length() - 1,
            "reversed": int(shape.reversed),
            "skip_empty": int(shape.skip_empty),
            "owned": 1,
            "table": len(tables),
            "groups": len(shape.groups),
            "steps": shape.steps,
        }
        commands.append(command)
        for inner, outer in shape.groups:
            entry = dict.fromkeys(("inner_start", "outer_start", "weights_base"), 0)
            tables.append((len(tables), entry | {"inner_count": inner, "outer_count": outer, "pitch": 1}))
    return commands


def one_kind(config, product):
    """Commands of one product, of many groups and few, with all blocks and with one."""
    rng = np.random.default_rng(3)
    for number, count in enumerate([1, 4, 16, 30, 8, 2]):
        yield ProductShape(
            product=product,
            groups=sorted_groups(rng, 29, 25, count),
            blocks=config.blocks if number != 3 else 1,
            steps=int(rng.integers(1, 12)) if product == Product.GRADIENT else number % 3,
            reversed=number % 2 == 1,
            skip_empty=number in (3, 4),
        )


def all_kinds(config):
    """Commands of all products in turns."""
    rng = np.random.default_rng(4)
    for kind in [0, 0, 1, 2, 2, 0, 2, 1, 1]:
        yield ProductShape(
            product=Product(kind),
            groups=sorted_groups(rng, 20, int(rng.integers(1, 30)), int(rng.integers(1, 9))),
            blocks=config.blocks,
            steps=7 if kind == Product.GRADIENT else 0,
        )


@pytest.mark.parametrize("config", [PAPER, ODD], ids=["33 clusters", "37 clusters"])
def test_cycles(config):
    tables, runs = [], []
    cases = [list(one_kind(config, product)) for product in Product] + [list(all_kinds(config))]
    cases += [[shape] for shape in cases[0][:3]]
    component = CoreWithLists(config)
    single = ProductShape(product=Product.FORWARD, groups=[(1, 1)], blocks=config.blocks)
    # The result is written, the wave counted, the command complete.
    assert schedule(config, [single]).cycles == component.latency + 2
    for shapes in cases:
        # The engine remembers the kind of the last command: it begins with forward products.
        shapes.append(single)
        runs.append((commands_of(shapes, tables), schedule(config, shapes).cycles))
    simulate(
        component,
        bench="tests.hw.cores.vector.bench_matrix_core",
        parameters={
            "config": config,
            "loads": {"write_tables": tables},
            "runs": runs,
            "results": {},
            "gradients": {},
            "nonfinite": False,
        },
    )
