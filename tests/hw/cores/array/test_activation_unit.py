"""Activation unit: equality with the reference, operations mixed at random."""

import numpy as np

from rewardware.hw.cores.array.activation_unit import ActivationUnit
from rewardware.hw.cores.array.config import Operation
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.activation_unit import activate

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed


def test_equals_reference():
    rng = np.random.default_rng(0)
    cycles = 6000
    table = {port: mixed(rng, cycles, 32, WORD_CORNERS) for port in ("x", "auxiliary", "factor")}
    table |= {"positive": flags(rng, cycles), "operation": rng.integers(0, 8, cycles)}
    y, saturated = np.zeros((2, cycles), np.int64)
    for operation in Operation:
        rows = table["operation"] == operation
        y[rows], saturated[rows] = activate(
            operation,
            table["x"][rows],
            table["auxiliary"][rows],
            positive=table["positive"][rows] == 1,
            factor=table["factor"][rows],
        )
    assert saturated.sum() > 100
    component = ActivationUnit()
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"y": Expected(y, component.latency), "saturated": Expected(saturated, component.latency)},
        },
        after_noise=True,
    )
