"""Operand former: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.hw.cores.array.operand import OperandFormer
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.operand import form_operands

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed


@pytest.mark.parametrize("activation_fraction", [19, 20])
def test_equals_reference(activation_fraction):
    rng = np.random.default_rng(activation_fraction)
    cycles = 2000
    table = {
        "word": mixed(rng, cycles, 32, [*WORD_CORNERS, 0x7FFF_FFFF, -0x8000]),
        "enable": flags(rng, cycles, 0.9),
        "constant": flags(rng, cycles, 0.1),
        "half": flags(rng, cycles),
        "zero_point": rng.choice([0, 1, 1234, 0xFFFF, 0x10000], cycles),
    }
    arguments = {port: values for port, values in table.items() if port != "word"}
    low, high = form_operands(table["word"], activation_fraction=activation_fraction, **arguments)
    component = OperandFormer(ArrayConfig(activation_fraction=activation_fraction))
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": table,
            "outputs": {"low": Expected(low, component.latency), "high": Expected(high, component.latency)},
        },
        after_noise=True,
    )
